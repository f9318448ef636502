//! The changes, each declared once: its types, what every field has to come out with, and the formats that have it.
//!
//! A change is one `change!` here, a folder `schemas/evolution/<name>` with `old` and `new` for each of the schema languages, and a line
//! in `documented.rs` with what the formats' own documents lead one to expect.

use super::change::{Change, Side};
use super::value::Value;

/// All of them, in the order of their numbers.
pub(super) static ALL: [&Change; 40] = [
    &append_optional_field::CHANGE,
    &append_defaulted_field::CHANGE,
    &add_required_field::CHANGE,
    &insert_in_the_middle::CHANGE,
    &delete_field::CHANGE,
    &rename_field::CHANGE,
    &reorder_fields::CHANGE,
    &reuse_id::CHANGE,
    &reuse_id_with_another_type::CHANGE,
    &widen_integer::CHANGE,
    &merge_integers::CHANGE,
    &change_signedness::CHANGE,
    &int32_to_sint32::CHANGE,
    &varint_to_fixed::CHANGE,
    &integer_to_float::CHANGE,
    &float_to_double::CHANGE,
    &integer_to_string::CHANGE,
    &string_to_bytes::CHANGE,
    &string_to_message::CHANGE,
    &scalar_to_list::CHANGE,
    &grow_struct_in_list::CHANGE,
    &scalars_to_structs::CHANGE,
    &optional_to_required::CHANGE,
    &required_to_optional::CHANGE,
    &append_enum_variant::CHANGE,
    &insert_enum_variant::CHANGE,
    &rename_enum_variant::CHANGE,
    &unit_to_payload_variant::CHANGE,
    &add_union_member::CHANGE,
    &move_into_oneof::CHANGE,
    &split_into_substruct::CHANGE,
    &change_default::CHANGE,
    &map_to_pairs::CHANGE,
    &absent_null_empty::CHANGE,
    &another_root_type::CHANGE,
    &other_build::CHANGE,
    &skip_serializing_if::CHANGE,
    &string_to_serde_bytes::CHANGE,
    &number_to_list::CHANGE,
    &grow_flatbuffers_struct::CHANGE,
];

change! {
    append_optional_field "append-optional-field" 1 "append an optional field"
    intent "the new field is absent for old data, and dropped by old readers"
    old { record Entry { id: u32, name: String } }
    new { record Entry { id: u32, name: String, email: Option<String> } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    append_defaulted_field "append-defaulted-field" 2 "append a field with a default"
    intent "the new field has its default for old data, and is dropped by old readers"
    old { record Entry { id: u32, name: String } }
    new { record Entry { id: u32, name: String, level: u32 = 7 } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    add_required_field "add-required-field" 3 "add a required field"
    intent "old data has no value for it: an error is right, a made-up value is not"
    old { record Entry { id: u32, name: String } }
    new { record Entry { id: u32, name: String, email: String } }
    in [json messagepack custom rkyv protobuf flatbuffers]
    not ["Cap’n Proto has no required fields": capnp;]
}

change! {
    insert_in_the_middle "insert-in-the-middle" 4 "insert a field in the middle"
    intent "every old field keeps its value; the new one is absent for old data"
    old { record Entry { id: u32, name: String, city: String } }
    new { record Entry { id: u32, email: Option<String>, name: String, city: String } }
    in [json messagepack custom rkyv protobuf flatbuffers_ids flatbuffers capnp]
}

change! {
    delete_field "delete-field" 5 "delete a field"
    intent "the other fields keep their values; old readers find the deleted one missing"
    old { record Entry { id: u32, email: String, name: String } }
    new { record Entry { id: u32, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers_ids flatbuffers capnp]
}

change! {
    rename_field "rename-field" 6 "rename a field"
    intent "the value is the same under its new name"
    old { record Entry { id: u32, name: String } }
    new { record Entry { id: u32, full_name as name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    reorder_fields "reorder-fields" 7 "change the order of the fields"
    intent "every field keeps its value"
    old { record Entry { id: u32, name: String, city: String } }
    new { record Entry { id: u32, city: String, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers_ids flatbuffers capnp]
}

change! {
    reuse_id "reuse-id" 8 "give a deleted field’s number to another of the same type"
    intent "the new field is absent for old data, whatever the deleted one held, and the other way round"
    old { record Entry { id: u32, name: String, email: Option<String> } }
    new { record Entry { id: u32, name: String, city: Option<String> } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    reuse_id_with_another_type "reuse-id-with-another-type" 9 "give a deleted field’s number to another of another type"
    intent "the new field is absent for old data, whatever the deleted one held, and the other way round"
    old { record Entry { id: u32, name: String, email: Option<String> } }
    new { record Entry { id: u32, name: String, level: u32 } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    widen_integer "widen-integer" 10 "widen an integer from 32 to 64 bits"
    intent "the number stays the same; one that the narrow type cannot hold is an error for old readers"
    old { record Entry { id: u32, count: u32, name: String } }
    new { record Entry { id: u32, count: u64, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    merge_integers "merge-integers" 11 "merge two 32-bit integers into one of 64 bits"
    intent "the new number is the first in its upper and the second in its lower half"
    old { record Entry { id: u32, name: String, high: u32, low: u32 } }
    new { record Entry { id: u32, name: String, both: u64 } }
    in [json messagepack custom rkyv protobuf flatbuffers_ids flatbuffers capnp]
    with translate = super::merge_integers_meaning;
}

change! {
    change_signedness "change-signedness" 12 "make a signed integer unsigned"
    intent "the number stays the same; one that the other type cannot hold is an error"
    old { record Entry { id: u32, count: i32, name: String } }
    new { record Entry { id: u32, count: u32, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    int32_to_sint32 "int32-to-sint32" 13 "change int32 to sint32"
    intent "the number stays the same"
    old { record Entry { id: u32, count: i32, name: String } }
    new { record Entry { id: u32, count: i32, name: String } }
    in [protobuf]
    not ["the format has one encoding of a signed integer": json messagepack custom binary_writer rkyv flatbuffers capnp;]
}

change! {
    varint_to_fixed "varint-to-fixed" 14 "change a varint to a fixed width"
    intent "the number stays the same"
    old { record Entry { id: u32, count: u32, name: String } }
    new { record Entry { id: u32, count: u32, name: String } }
    in [protobuf]
    not ["the format has one encoding of an unsigned integer": json messagepack custom binary_writer rkyv flatbuffers capnp;]
}

change! {
    integer_to_float "integer-to-float" 15 "make a 32-bit integer a 32-bit float"
    intent "the number stays the same; one that the other type cannot hold is an error"
    old { record Entry { id: u32, ratio: u32, name: String } }
    new { record Entry { id: u32, ratio: f32, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    float_to_double "float-to-double" 16 "widen a float to a double"
    intent "the number stays the same; one that the float cannot hold is an error for old readers"
    old { record Entry { id: u32, ratio: f32, name: String } }
    new { record Entry { id: u32, ratio: f64, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    integer_to_string "integer-to-string" 17 "make an integer a string"
    intent "the string has the number’s digits, or there is an error"
    old { record Entry { id: u32, count: u32, name: String } }
    new { record Entry { id: u32, count: String, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    string_to_bytes "string-to-bytes" 18 "make a string bytes"
    intent "the bytes are those of the string; bytes that are no UTF-8 are an error for old readers"
    old { record Entry { id: u32, blob: String, name: String } }
    new { record Entry { id: u32, blob: Vec<u8>, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    string_to_message "string-to-message" 19 "make a string a struct that holds a string"
    intent "the struct’s one field has the string, or there is an error"
    old { record Entry { id: u32, detail: String, name: String } }
    new { record Row { label: String } record Entry { id: u32, detail: Row, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    scalar_to_list "scalar-to-list" 20 "make a string a list of strings"
    intent "the list has the string alone; a list of another length is an error for old readers"
    old { record Entry { id: u32, tag: String, name: String } }
    new { record Entry { id: u32, tag: Vec<String>, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    grow_struct_in_list "grow-struct-in-list" 21 "append a field to the struct that a list holds"
    intent "every row keeps its values; the new field is absent for old data, and dropped by old readers"
    old { record Row { key: u32, label: String } record Entry { id: u32, name: String, rows: Vec<Row> } }
    new { record Row { key: u32, label: String, note: Option<String> } record Entry { id: u32, name: String, rows: Vec<Row> } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    scalars_to_structs "scalars-to-structs" 22 "make a list of numbers a list of structs"
    intent "the structs’ one field has the numbers"
    old { record Entry { id: u32, name: String, marks: Vec<u32> } }
    new { record Row { value: u32 } record Entry { id: u32, name: String, marks: Vec<Row> } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    optional_to_required "optional-to-required" 23 "make an optional field required"
    intent "a value stays the same; where there was none, an error is right"
    old { record Entry { id: u32, email: Option<String>, name: String } }
    new { record Entry { id: u32, email: String, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers]
    not ["Cap’n Proto has no required fields": capnp;]
}

change! {
    required_to_optional "required-to-optional" 24 "make a required field optional"
    intent "a value stays the same; where there is none, an error is right for old readers"
    old { record Entry { id: u32, email: String, name: String } }
    new { record Entry { id: u32, email: Option<String>, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    append_enum_variant "append-enum-variant" 25 "append a variant to an enum"
    intent "the known variants stay what they are; old readers do not know the new one"
    old { choice Color { Red, Green } record Entry { id: u32, kind: Color, name: String } }
    new { choice Color { Red, Green, Blue } record Entry { id: u32, kind: Color, name: String } }
    in [json messagepack custom rkyv protobuf_enum flatbuffers capnp]
}

change! {
    insert_enum_variant "insert-enum-variant" 26 "insert a variant into an enum"
    intent "the known variants stay what they are; old readers do not know the new one"
    old { choice Color { Red, Green } record Entry { id: u32, kind: Color, name: String } }
    new { choice Color { Red, Amber, Green } record Entry { id: u32, kind: Color, name: String } }
    in [json messagepack custom rkyv protobuf_enum flatbuffers capnp]
}

change! {
    rename_enum_variant "rename-enum-variant" 27 "rename a variant of an enum"
    intent "the variant is the same under its new name"
    old { choice Color { Red, Green } record Entry { id: u32, kind: Color, name: String } }
    new { choice Color { Red, Lime as Green } record Entry { id: u32, kind: Color, name: String } }
    in [json messagepack custom rkyv protobuf_enum flatbuffers capnp]
}

change! {
    unit_to_payload_variant "unit-to-payload-variant" 28 "give a variant a payload"
    intent "the variant stays what it is; its payload is absent for old data, and dropped by old readers"
    old { choice State { Idle, Busy } record Entry { id: u32, state: State, name: String } }
    new { choice State { Idle, Busy(String) } record Entry { id: u32, state: State, name: String } }
    in [json messagepack custom rkyv]
    not ["its enums have no payloads": protobuf flatbuffers capnp;]
}

change! {
    add_union_member "add-union-member" 29 "add a member to a union"
    intent "the known members stay what they are; old readers do not know the new one"
    old { union Contact { Mail(String), Phone(String) } record Entry { id: u32, name: String, contact: Contact } }
    new { union Contact { Mail(String), Phone(String), Fax(String) } record Entry { id: u32, name: String, contact: Contact } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    move_into_oneof "move-into-oneof" 30 "move two optional fields into a new union"
    intent "the union has the one field that was set; where both were, an error is right"
    old { record Entry { id: u32, name: String, mail: Option<String>, phone: Option<String> } }
    new { union Contact { Mail(String), Phone(String) } record Entry { id: u32, name: String, contact: Option<Contact> } }
    in [protobuf capnp]
    not ["a choice is a value of its own here: fields do not move into one": json messagepack custom binary_writer rkyv flatbuffers;]
    with translate = super::move_into_oneof_meaning;
}

change! {
    split_into_substruct "split-into-substruct" 31 "move fields into a struct of their own"
    intent "the fields of the new struct have the values that the fields had"
    old { record Entry { id: u32, name: String, street: String, city: String } }
    new { record Row { street: String, city: String } record Entry { id: u32, name: String, address: Row } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
    with translate = super::split_into_substruct_meaning;
}

change! {
    change_default "change-default" 32 "change the default of a field"
    intent "a value that was written stays the same, even where it is the default"
    old { record Entry { id: u32, name: String, level: Option<u32> = 5 } }
    new { record Entry { id: u32, name: String, level: Option<u32> = 7 } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
    with moves_default = true;
}

change! {
    map_to_pairs "map-to-pairs" 33 "make a map a list of pairs"
    intent "the list has the pairs of the map"
    old { record Entry { id: u32, name: String, labels: std::collections::BTreeMap<String, u32> } }
    new { record Row { key: String, value: u32 } record Entry { id: u32, name: String, labels: Vec<Row> } }
    in [json messagepack custom rkyv protobuf]
    not ["its schemas have no maps": flatbuffers capnp;]
    with translate = super::map_to_pairs_meaning;
}

change! {
    absent_null_empty "absent-null-empty" 34 "tell absent, null and empty apart"
    intent "absent, null and empty come out as three values, from the same schema"
    old { record Entry { id: u32, nick: Option<Option<String>>, tags: Option<Vec<String>> } }
    new { record Entry { id: u32, nick: Option<Option<String>>, tags: Option<Vec<String>> } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
    with tells_absence = true;
}

change! {
    another_root_type "another-root-type" 35 "read as another root type"
    intent "the payload is no value of the other type: an error is right"
    old { record Entry { id: u32, name: String } }
    new { record Entry { count: u32, title: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    other_build "other-build" 36 "read what another build of the library wrote"
    intent "the value stays the same, or there is an error"
    old { record Entry { id: u32, name: String } }
    new { record Entry { id: u32, name: String } }
    in []
    not ["a build has one version, byte order and pointer width of a library: the golden files hold later ones to this one": json messagepack custom binary_writer rkyv protobuf flatbuffers capnp;]
}

change! {
    skip_serializing_if "skip-serializing-if" 37 "leave an absent field out in writing"
    intent "every field keeps its value, from the same schema"
    old { record Entry { id: u32, #[serde(skip_serializing_if = "Option::is_none")] email: Option<String>, name: String } }
    new { record Entry { id: u32, #[serde(skip_serializing_if = "Option::is_none")] email: Option<String>, name: String } }
    in [json messagepack]
    not ["the attribute is serde’s": custom binary_writer rkyv protobuf flatbuffers capnp;]
}

change! {
    string_to_serde_bytes "string-to-serde-bytes" 38 "make a string bytes, written by serde_bytes"
    intent "the bytes are those of the string; bytes that are no UTF-8 are an error for old readers"
    old { record Entry { id: u32, blob: String, name: String } }
    new { record Entry { id: u32, #[serde(with = "serde_bytes")] blob: Vec<u8>, name: String } }
    in [json messagepack]
    not ["serde_bytes is serde’s; its bytes are those of change 18": custom binary_writer rkyv protobuf flatbuffers capnp;]
}

change! {
    number_to_list "number-to-list" 39 "make a number a list of numbers"
    intent "the list has the number alone; a list of another length is an error for old readers"
    old { record Entry { id: u32, mark: u32, name: String } }
    new { record Entry { id: u32, mark: Vec<u32>, name: String } }
    in [json messagepack custom rkyv protobuf flatbuffers capnp]
}

change! {
    grow_flatbuffers_struct "grow-flatbuffers-struct" 40 "append a field to a FlatBuffers struct that a list holds"
    intent "every row keeps its values; the new field is absent for old data, and dropped by old readers"
    old { record Row { key: u32, value: u32 } record Entry { id: u32, name: String, rows: Vec<Row> } }
    new { record Row { key: u32, value: u32, extra: u32 } record Entry { id: u32, name: String, rows: Vec<Row> } }
    in [flatbuffers]
    not ["only FlatBuffers has structs that are no tables; the rest is change 21": json messagepack custom binary_writer rkyv protobuf capnp;]
}

/// The two halves as one number, or one number as its halves.
fn merge_integers_meaning(value: Value, writer: Side) -> Value {
    let Value::Record(fields) = value else { return value };
    let number =
        |name: &str| fields.iter().find_map(|(field, value)| matches!((field, value), (f, Value::Int(_)) if *f == name).then_some(value));
    let kept = fields.iter().filter(|(name, _)| !["high", "low", "both"].contains(name)).cloned();
    let moved = match (writer, number("high"), number("low"), number("both")) {
        (Side::Old, Some(Value::Int(high)), Some(Value::Int(low)), _) => vec![("both", Value::Int(high << 32 | low))],
        (Side::New, _, _, Some(Value::Int(both))) => {
            vec![("high", Value::Int(both >> 32)), ("low", Value::Int(both & i128::from(u32::MAX)))]
        }
        _ => Vec::new(),
    };
    Value::Record(kept.chain(moved).collect())
}

/// A map has no order of its own: its pairs are told in the order of their keys. Two pairs of one key are more than a map can hold.
fn map_to_pairs_meaning(value: Value, writer: Side) -> Value {
    let Value::Record(mut fields) = value else { return value };
    for (name, field) in &mut fields {
        if let (Side::New, "labels", Value::List(pairs)) = (writer, *name, field) {
            pairs.sort_by_cached_key(|pair| pair.field("key").to_string());
        }
    }
    Value::Record(fields)
}

/// The fields as the one member that is set, or a member as one of the fields. Two that are set are a list, which no union can hold.
fn move_into_oneof_meaning(value: Value, writer: Side) -> Value {
    let Value::Record(fields) = value else { return value };
    let members = ["mail", "phone"];
    let kept = fields.iter().filter(|(name, _)| !members.contains(name) && *name != "contact").cloned();
    let moved = match writer {
        Side::Old => {
            let set = fields.iter().filter(|(name, value)| members.contains(name) && *value != Value::Absent);
            let mut set: Vec<Value> = set.map(|(name, value)| Value::Variant((*name).into(), Some(Box::new(value.clone())))).collect();
            let contact = if set.len() > 1 { Value::List(set) } else { set.pop().unwrap_or(Value::Absent) };
            vec![("contact", contact)]
        }
        Side::New => {
            let contact = fields.iter().find(|(name, _)| *name == "contact").map(|(_, value)| value.clone());
            let member = |name| match &contact {
                Some(Value::Variant(member, Some(payload))) if member == name => (**payload).clone(),
                _ => Value::Absent,
            };
            members.map(|name| (name, member(name))).to_vec()
        }
    };
    Value::Record(kept.chain(moved).collect())
}

/// The fields in a struct of their own, or out of it.
fn split_into_substruct_meaning(value: Value, writer: Side) -> Value {
    let Value::Record(fields) = value else { return value };
    let is_moved = |name: &str| ["street", "city", "address"].contains(&name);
    let kept: Vec<_> = fields.iter().filter(|(name, _)| !is_moved(name)).cloned().collect();
    let moved: Vec<_> = match writer {
        Side::Old => vec![("address", Value::Record(fields.into_iter().filter(|(name, _)| is_moved(name)).collect()))],
        Side::New => match fields.into_iter().find(|(name, _)| *name == "address") {
            Some((_, Value::Record(address))) => address,
            _ => Vec::new(),
        },
    };
    Value::Record(kept.into_iter().chain(moved).collect())
}
