# Change 34, tell absent, null and empty apart: the old schema.
@0xeb32e4d01a6a4509;

struct Entry {
  id @0 :UInt32;
  nick @1 :Text;
  tags @2 :List(Text);
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
