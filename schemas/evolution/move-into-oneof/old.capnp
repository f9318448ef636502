# Change 30, move two optional fields into a new union: the old schema.
@0xbb466b308cac8fa1;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  mail @2 :Text;
  phone @3 :Text;
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
