# Change 11, merge two 32-bit integers into one of 64 bits: the old schema.
@0xb05450f1fdbc4be2;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  high @2 :UInt32;
  low @3 :UInt32;
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
