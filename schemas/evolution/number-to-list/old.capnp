# Change 39, make a number a list of numbers: the old schema.
@0xa13ca98335b8cfae;

struct Entry {
  id @0 :UInt32;
  mark @1 :UInt32;
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
