# Change 11, merge two 32-bit integers into one of 64 bits: the new schema.
@0x89781a6043d2ba11;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  both @2 :UInt64;
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
