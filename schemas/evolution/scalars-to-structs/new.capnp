# Change 22, make a list of numbers a list of structs: the new schema.
@0xc85e260846597fc8;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  marks @2 :List(Row);
}

struct Row {
  value @0 :UInt32;
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
