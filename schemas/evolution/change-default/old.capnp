# Change 32, change the default of a field: the old schema.
@0x93271e69821ddb24;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  level @2 :UInt32 = 5;
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
