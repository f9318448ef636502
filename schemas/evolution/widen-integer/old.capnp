# Change 10, widen an integer from 32 to 64 bits: the old schema.
@0xfad35a3d57a73cab;

struct Entry {
  id @0 :UInt32;
  count @1 :UInt32;
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
