# Change 31, move fields into a struct of their own: the old schema.
@0xdae359ae6a5e3357;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  street @2 :Text;
  city @3 :Text;
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
