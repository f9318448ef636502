# Change 35, read as another root type: the new schema.
@0xfecfbe4db3dbc11e;

struct Entry {
  count @0 :UInt32;
  title @1 :Text;
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
