# Change 19, make a string a struct that holds a string: the old schema.
@0xe5493eb95879f224;

struct Entry {
  id @0 :UInt32;
  detail @1 :Text;
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
