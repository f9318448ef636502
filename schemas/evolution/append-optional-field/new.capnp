# Change 1, append an optional field: the new schema.
@0xfbb40327958507ad;

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
