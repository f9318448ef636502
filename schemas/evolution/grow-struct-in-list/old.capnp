# Change 21, append a field to the struct that a list holds: the old schema.
@0xe68c8e3ecf4d7c58;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  rows @2 :List(Row);
}

struct Row {
  key @0 :UInt32;
  label @1 :Text;
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
