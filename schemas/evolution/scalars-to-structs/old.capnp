# Change 22, make a list of numbers a list of structs: the old schema.
@0xa7cf4ec8d95996e3;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  marks @2 :List(UInt32);
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
