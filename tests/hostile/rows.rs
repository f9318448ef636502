//! Every input that is to be held, and the tests that hold it. A row without a test fails, and so does one whose test is gone.

use std::path::Path;

/// What is wrong with the input, and `file::test`.
type Row = (u32, &'static str, &'static [&'static str]);

/// Kinds of hostile input, from 1 to 47.
const KINDS: &[Row] = &[
    (1, "empty", &["hostile/every.rs::an_empty_payload_is_refused_but_where_it_is_a_message"]),
    (
        2,
        "cut at every byte",
        &["roundtrip.rs::cut_short_or_longer_is_not_the_same_value", "nrbf/hostile.rs::a_payload_that_is_cut_anywhere_is_refused"],
    ),
    (3, "bytes behind it", &["hostile/every.rs::what_follows_a_value_is_told_to_the_byte"]),
    (4, "a MessagePack list of FFFFFFFF", &["hostile/messagepack.rs::a_claim_alone_takes_no_memory"]),
    (5, "a MessagePack string of FFFFFFFF", &["hostile/messagepack.rs::values_that_are_no_organization"]),
    (
        6,
        "MessagePack's code C1",
        &["hostile/messagepack.rs::values_that_are_no_organization", "hostile/messagepack.rs::maps_that_are_no_organization"],
    ),
    (
        7,
        "100,000 arrays of one",
        &[
            "hostile/messagepack.rs::maps_that_are_no_organization",
            "dotnet/messagepack_csharp.rs::hostile_payloads",
            "hostile/stack.rs::a_million_inside_each_other_are_refused_or_read",
        ],
    ),
    (
        8,
        "no UTF-8 in a string, a name, or what is passed over",
        &[
            "hostile/json.rs::texts_that_are_no_organization",
            "hostile/messagepack.rs::maps_that_are_no_organization",
            "hostile/protobuf.rs::messages_that_are_none",
            "hostile/sequential.rs::binary_writers_layout",
            "hostile/flatbuffers.rs::buffers_that_are_no_organization",
        ],
    ),
    (9, "bytes for a string", &["hostile/messagepack.rs::values_that_are_no_organization"]),
    (
        10,
        "a name twice",
        &[
            "hostile/json.rs::texts_that_are_no_organization",
            "hostile/messagepack.rs::maps_that_are_no_organization",
            "nrbf/hostile.rs::what_cannot_be_is_refused_with_its_reason",
        ],
    ),
    (11, "a varint of eleven bytes", &["hostile/protobuf.rs::messages_that_are_none", "dotnet/protobuf.rs::hostile_payloads"]),
    (12, "a varint beyond its field", &["hostile/protobuf.rs::what_is_passed_over_is_told"]),
    (13, "an overlong varint", &["hostile/protobuf.rs::messages_that_are_none", "hostile/protobuf.rs::what_is_passed_over_is_told"]),
    (14, "a 7-bit length that is none", &["hostile/sequential.rs::binary_writers_layout"]),
    (15, "a length of 2^63", &["hostile/protobuf.rs::messages_that_are_none"]),
    (16, "a field that is none", &["hostile/protobuf.rs::messages_that_are_none"]),
    (
        17,
        "a million groups",
        &["hostile/protobuf.rs::messages_that_are_none", "hostile/stack.rs::a_million_inside_each_other_are_refused_or_read"],
    ),
    (18, "a million messages of nothing", &["hostile/protobuf.rs::messages_that_are_none"]),
    (19, "unknown fields", &["hostile/protobuf.rs::what_is_passed_over_is_told"]),
    (
        20,
        "128 and a million brackets",
        &[
            "hostile/json.rs::depth_ends_at_128_and_where_it_is_set",
            "hostile/json.rs::texts_that_are_no_organization",
            "hostile/stack.rs::a_million_inside_each_other_are_refused_or_read",
        ],
    ),
    (21, "a byte order mark, a lone surrogate, a control character", &["hostile/json.rs::texts_that_are_no_organization"]),
    (22, "1e400", &["hostile/json.rs::texts_that_are_no_organization"]),
    (
        23,
        "integers that do not fit",
        &["hostile/json.rs::texts_that_are_no_organization", "hostile/messagepack.rs::an_integer_is_a_double_only_if_a_double_holds_it"],
    ),
    (
        24,
        "special doubles",
        &["roundtrip.rs::every_probe_comes_back_or_its_loss_is_known", "hostile/json.rs::doubles_come_back_bit_for_bit_or_are_not_written"],
    ),
    (25, "a FlatBuffer's layouts", &["hostile/flatbuffers.rs::buffers_that_are_no_organization"]),
    (
        26,
        "a FlatBuffer's offsets and strings",
        &["hostile/flatbuffers.rs::buffers_that_are_no_organization", "evolution.rs::verdicts_are_the_golden_ones"],
    ),
    (27, "a table that is shared", &["../src/format/flatbuffers.rs::a_table_referred_to_again_and_again_hits_the_limit"]),
    (
        28,
        "a Cap'n Proto loop",
        &["hostile/capnp.rs::messages_that_are_no_organization", "hostile/capnp.rs::a_loop_that_is_followed_ends_at_the_nesting_limit"],
    ),
    (
        29,
        "pointers to one place",
        &["hostile/capnp.rs::what_is_pointed_to_without_end_ends", "../src/format/capnp.rs::what_is_pointed_to_twice_is_counted_twice"],
    ),
    (30, "2^29 - 1 items of no bytes", &["hostile/capnp.rs::messages_that_are_no_organization"]),
    (31, "segments that are not there", &["hostile/capnp.rs::messages_that_are_no_organization"]),
    (
        32,
        "eight bytes that claim 64 MiB",
        &["hostile/capnp.rs::messages_that_are_no_organization", "hostile/capnp.rs::packed_messages_that_are_no_organization"],
    ),
    (33, "rkyv's pointers", &["hostile/rkyv.rs::archives_that_are_no_organization"]),
    (
        34,
        "rkyv's depth and alignment",
        &["hostile/rkyv.rs::depth_is_held", "../src/format/rkyv.rs::misaligned_bytes_are_aligned_and_a_refusal_says_why"],
    ),
    (35, "LZ4's declared size", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (36, "LZ4's offsets", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (37, "LZ4 blocks in MessagePack", &["dotnet/messagepack_csharp.rs::hostile_blocks"]),
    (38, "Zstandard's claims", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (39, "Zstandard's frames", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (40, "BinaryFormatter's lengths and ranks", &["nrbf/hostile.rs::what_cannot_be_is_refused_with_its_reason"]),
    (41, "BinaryFormatter's runs of nulls", &["nrbf/hostile.rs::what_cannot_be_is_refused_with_its_reason"]),
    (
        42,
        "BinaryFormatter's references",
        &["nrbf/hostile.rs::a_reference_to_itself_is_kept", "nrbf/hostile.rs::what_cannot_be_is_refused_with_its_reason"],
    ),
    (
        43,
        "classes inside each other",
        &["nrbf/hostile.rs::classes_in_classes_take_no_stack", "hostile/stack.rs::a_million_inside_each_other_are_refused_or_read"],
    ),
    (44, "2^31 nulls", &["nrbf/hostile.rs::nulls_are_counted_and_not_made"]),
    (45, "BinaryFormatter's records that are none", &["nrbf/hostile.rs::what_cannot_be_is_refused_with_its_reason"]),
    (
        46,
        "another layout",
        &[
            "hostile/every.rs::another_formats_payload_is_refused_and_named",
            "hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory",
        ],
    ),
    (
        47,
        "two payloads joined",
        &["hostile/every.rs::what_follows_a_value_is_told_to_the_byte", "hostile/protobuf.rs::what_is_passed_over_is_told"],
    ),
];

/// Inputs of public bug reports, by the numbers that they have in our list.
const REPORTED: &[Row] = &[
    (
        1,
        "NaN and the infinities in JSON",
        &["hostile/json.rs::doubles_come_back_bit_for_bit_or_are_not_written", "roundtrip.rs::every_probe_comes_back_or_its_loss_is_known"],
    ),
    (
        2,
        "doubles that JSON readers change",
        &[
            "hostile/json.rs::doubles_come_back_bit_for_bit_or_are_not_written",
            "relied_on.rs::serde_json_keeps_every_double_and_no_digits_beyond",
        ],
    ),
    (5, "surrogates", &["hostile/json.rs::texts_that_are_no_organization"]),
    (8, "arrays 100 and 200 deep", &["hostile/json.rs::depth_ends_at_128_and_where_it_is_set"]),
    (9, "a field that is left out, by position", &["hostile/messagepack.rs::a_field_that_is_left_out_does_not_come_back_by_position"]),
    (11, "integers where doubles are", &["hostile/messagepack.rs::an_integer_is_a_double_only_if_a_double_holds_it"]),
    (12, "claims of a list, also inside each other", &["hostile/messagepack.rs::a_claim_alone_takes_no_memory"]),
    (
        13,
        "two messages and three bytes; 64 zeros",
        &["hostile/every.rs::what_follows_a_value_is_told_to_the_byte", "hostile/capnp.rs::messages_that_are_no_organization"],
    ),
    (
        17,
        "MessagePack for C# in LZ4",
        &["dotnet/messagepack_csharp.rs::each_compressed_form_is_read_by_both", "hostile/messagepack.rs::values_that_are_no_organization"],
    ),
    (
        19,
        "a key added, and one dropped",
        &["evolution.rs::verdicts_are_the_golden_ones", "hostile/messagepack.rs::values_that_are_no_organization"],
    ),
    (
        22,
        "-0.0 in Protocol Buffers",
        &["hostile/protobuf.rs::what_a_value_takes", "roundtrip.rs::every_probe_comes_back_or_its_loss_is_known"],
    ),
    (23, "-1 as int32 and as sint32", &["hostile/protobuf.rs::what_a_value_takes"]),
    (
        24,
        "an empty list in Protocol Buffers",
        &["hostile/protobuf.rs::what_a_value_takes", "roundtrip.rs::every_probe_comes_back_or_its_loss_is_known"],
    ),
    (26, "a message of no bytes", &["hostile/protobuf.rs::messages_that_are_none"]),
    (28, "two messages joined", &["hostile/protobuf.rs::what_is_passed_over_is_told"]),
    (29, "an enum's unknown value", &["evolution.rs::verdicts_are_the_golden_ones"]),
    (
        30,
        "an unknown field, written again",
        &["hostile/protobuf.rs::what_is_passed_over_is_told", "evolution.rs::verdicts_are_the_golden_ones"],
    ),
    (31, "a string that is no UTF-8, and bytes", &["hostile/protobuf.rs::messages_that_are_none"]),
    (34, "no compiler for a schema", &["schemas.rs::the_build_decides_by_what_it_finds"]),
    (35, "a million tables", &["../src/format/flatbuffers.rs::the_librarys_default_stops_at_a_million_tables_and_ours_does_not"]),
    (
        37,
        "a generator of another version",
        &["schemas.rs::flatc_is_of_the_version_of_the_crate", "schemas.rs::a_build_accepts_the_versions_that_were_tried"],
    ),
    (38, "FlatBuffers' fields deleted and inserted", &["evolution.rs::verdicts_are_the_golden_ones"]),
    (41, "more words than are traversed by default", &["../src/format/capnp.rs::the_librarys_default_stops_at_64_mib_and_ours_does_not"]),
    (44, "a message at an odd address", &["hostile/capnp.rs::an_odd_address_is_copied"]),
    (46, "a default that changes", &["evolution.rs::verdicts_are_the_golden_ones"]),
    (
        49,
        "an archive at an odd address",
        &[
            "hostile/rkyv.rs::archives_that_are_no_organization",
            "../src/format/rkyv.rs::misaligned_bytes_are_aligned_and_a_refusal_says_why",
        ],
    ),
    (
        52,
        "an archive of another type",
        &["evolution.rs::verdicts_are_the_golden_ones", "../src/envelope.rs::a_reader_that_it_is_not_for_is_told_why"],
    ),
    (55, "an LZ4 frame to a block's reader", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (56, "sizes that a few bytes claim", &["hostile/codecs.rs::compressed_bytes_are_refused_before_they_take_memory"]),
    (59, "readings that read nothing", &["roundtrip.rs::every_case_gives_the_datasets_checksum"]),
    (
        62,
        "BinaryWriter's lengths, and null",
        &["hostile/sequential.rs::binary_writers_layout", "hostile/sequential.rs::the_articles_own_layout"],
    ),
];

#[test]
fn every_row_is_held_by_tests_that_there_are() {
    assert_eq!(KINDS.iter().map(|(number, ..)| *number).collect::<Vec<_>>(), (1..=47).collect::<Vec<_>>());
    assert_eq!(REPORTED.len(), 31);
    assert!(REPORTED.is_sorted_by(|(one, ..), (other, ..)| one < other));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for (number, what, tests) in KINDS.iter().chain(REPORTED) {
        assert!(!tests.is_empty(), "{number}, {what}, has no test");
        for test in *tests {
            let (file, name) = test.split_once("::").unwrap();
            let source = std::fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{number}, {what}: {file}: {error}"));
            let stands = source.split(&format!("fn {name}(")).next().filter(|before| before.len() < source.len());
            let attribute = stands.and_then(|before| before.rsplit("\n\n").next());
            assert!(attribute.is_some_and(|before| before.contains("#[test]")), "{number}, {what}: no test {test}");
        }
    }
}
