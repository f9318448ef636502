# Change 15, make a 32-bit integer a 32-bit float: the old schema.
@0xcfbbb99b923fe54e;

struct Entry {
  id @0 :UInt32;
  ratio @1 :UInt32;
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
