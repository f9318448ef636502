# Change 7, change the order of the fields: the old schema.
@0xa7f162702b5eadad;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  city @2 :Text;
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
