# Change 29, add a member to a union: the new schema.
@0x86dd97d95db2a391;

struct Entry {
  id @0 :UInt32;
  name @1 :Text;
  contact :union {
    mail @2 :Text;
    phone @3 :Text;
    fax @4 :Text;
  }
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
