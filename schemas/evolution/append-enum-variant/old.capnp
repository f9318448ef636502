# Change 25, append a variant to an enum: the old schema.
@0xf0dbada3fb165944;

struct Entry {
  id @0 :UInt32;
  kind @1 :Color;
  name @2 :Text;
}

enum Color {
  red @0;
  green @1;
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
