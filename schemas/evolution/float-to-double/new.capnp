# Change 16, widen a float to a double: the new schema.
@0xe42d6b7f6546e4be;

struct Entry {
  id @0 :UInt32;
  ratio @1 :Float64;
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
