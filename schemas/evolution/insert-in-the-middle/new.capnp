# Change 4, insert a field in the middle: the new schema.
@0xdce246581720800e;

struct Entry {
  id @0 :UInt32;
  email @3 :Text;
  name @1 :Text;
  city @2 :Text;
}

# The same entry one level down: by itself, in a list, and as one of two choices.
struct Holder {
  before @0 :UInt32;
  inner @1 :Entry;
  items @2 :List(Entry);
  choice :union {
    nothing @3 :Void;
    held @4 :Entry;
  }
  after @5 :Text;
}
