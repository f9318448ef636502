# Change 18, make a string bytes: the new schema.
@0x999c989c3701003f;

struct Entry {
  id @0 :UInt32;
  blob @1 :Data;
  name @2 :Text;
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
