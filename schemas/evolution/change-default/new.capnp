# Change 32, change the default of a field: the new schema.
@0xd5be4e35b8934931;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  level @2 :UInt32 = 7;
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
