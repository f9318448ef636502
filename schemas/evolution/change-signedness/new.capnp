# Change 12, make a signed integer unsigned: the new schema.
@0xc1ef05c9946a0998;

struct Entry {
  id @0 :UInt32;
  count @1 :UInt32;
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
