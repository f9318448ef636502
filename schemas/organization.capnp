# The dataset "organization" as Cap'n Proto structs.
#
# A pointer that is not set is null, which a reader tells from an empty text or
# list by `has_…()`; read without asking, it is empty. A number that is not set is 0.
#
# A new field takes the next number, whatever line it stands on; a field is never
# removed and no number is used twice.
#
# After an edit, run `scripts/schemas refresh`: machines without capnp build from
# what is kept in schemas/generated.

# Names the file for good (made by `capnp id`): type identities are derived from it.
@0x8aaf288264391b78;

struct Organization {
  id @0 :Int32;
  tags @1 :List(Text);
  members @2 :List(Member);
}

struct Member {
  id @0 :Int32;
  name @1 :Text;
  description @2 :Text;
  address @3 :Text;
  value @4 :Float64;
  updateTime @5 :Int64;
  # Milliseconds since 1970-01-01T00:00:00Z.
}
