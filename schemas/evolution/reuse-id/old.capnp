# Change 8, give a deleted field’s number to another of the same type: the old schema.
@0x9a63024fa9998118;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  email @2 :Text;
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
