# Change 1, append an optional field: the old schema.
@0x91cf7692c2c063fe;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
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
