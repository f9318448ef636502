# Change 5, delete a field: the new schema.
@0xd41e2a36bc4d13dc;

struct Entry {
  id @0 :UInt32;
  emailGone @1 :Text;
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
