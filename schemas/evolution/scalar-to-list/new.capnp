# Change 20, make a string a list of strings: the new schema.
@0xe33f1020df70b032;

struct Entry {
  id @0 :UInt32;
  tag @1 :List(Text);
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
