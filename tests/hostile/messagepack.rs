use serde::{Deserialize, Serialize};
use wirewise::Payload;
use wirewise::dataset::{Member, Organization};
use wirewise::format::Decode;
use wirewise::format::messagepack::{MessagePackArray, MessagePackMap};
use wirewise::measure::allocator::count;

use super::{Input, alone, check, encoded, limited, read, refused, small, trailing};

fn bytes(parts: &[&[u8]]) -> Vec<u8> {
    parts.concat()
}

#[test]
fn values_that_are_no_organization() {
    let _alone = alone();
    let good = encoded::<MessagePackArray, _>(&small());
    check::<MessagePackArray, Organization>([
        refused("nothing", [], "1 more bytes"),
        refused("an array32 of FFFFFFFF", [0xDD, 0xFF, 0xFF, 0xFF, 0xFF], "1 more bytes"),
        refused("a map32 of FFFFFFFF", [0xDF, 0xFF, 0xFF, 0xFF, 0xFF], "1 more bytes"),
        refused("a list of FFFFFFFF", [0x93, 1, 0xDD, 0xFF, 0xFF, 0xFF, 0xFF], "1 more bytes"),
        refused("a str32 of FFFFFFFF", [0x93, 1, 0x91, 0xDB, 0xFF, 0xFF, 0xFF, 0xFF], "1 more bytes"),
        refused("a bin32 of FFFFFFFF", [0x93, 1, 0x91, 0xC6, 0xFF, 0xFF, 0xFF, 0xFF], "1 more bytes"),
        refused("an ext32 of FFFFFFFF", [0x93, 1, 0x91, 0xC9, 0xFF, 0xFF, 0xFF, 0xFF], "[1]"),
        refused("the code that is never used", [0xC1], "at byte 1"),
        refused("100,000 arrays of one", [0x91].repeat(100_000), "[0]: wrong msgpack marker"),
        refused("no UTF-8 in a string", [0x93, 1, 0x91, 0xA1, 0xFF, 0xC0], "[1][0]: invalid UTF-8"),
        refused("a run of bytes where a string is", [0x93, 1, 0x91, 0xC4, 1, b'a', 0xC0], "a string is expected, not a run of bytes"),
        refused("nil where a number is", [0x93, 0xC0, 0xC0, 0xC0], "[0]: i32 is expected"),
        refused("a field less", [0x92, 1, 0xC0], "at byte 3: struct Organization with 3 elements is expected, not 2"),
        refused("a field more", [0x94, 1, 0xC0, 0xC0, 0xC0], "messagepack-array, decode: at byte 4: "),
        refused(
            "compressed by its C# library",
            [0xC7, 7, 0x63, 0xD2, 0, 0, 0, 2, 0x10, 0x90],
            "this is MessagePack for C# compressed with LZ4",
        ),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
    ]);
}

#[test]
fn maps_that_are_no_organization() {
    let _alone = alone();
    let unknown =
        |value: &[u8]| bytes(&[&[0x84, 0xA2, b'I', b'd', 1, 0xA4], b"Tags", &[0xC0, 0xA7], b"Members", &[0xC0, 0xA1, b'X'], value]);
    let value = || Organization { id: 1, tags: None, members: None };
    check::<MessagePackMap, Organization>([
        refused("a name twice", [0x82, 0xA2, b'I', b'd', 1, 0xA2, b'I', b'd', 2], "duplicate field"),
        refused("a name that is a run of bytes", [0x81, 0xC4, 2, b'I', b'd', 1], "a string is expected, not a run of bytes"),
        refused("no UTF-8 in a name", [0x81, 0xA2, b'I', 0xFF, 1], "invalid UTF-8"),
        limited("100,000 arrays of one in what is passed over", unknown(&bytes(&[&[0x91; 100_000], &[0xC0]])), "depth"),
        refused("an array32 of FFFFFFFF in what is passed over", unknown(&[0xDD, 0xFF, 0xFF, 0xFF, 0xFF]), "1 more bytes"),
        refused("the code that is never used, in what is passed over", unknown(&[0xC1]), "Reserved"),
        read("an array in what is passed over", unknown(&bytes(&[&[0x91; 126], &[0xC0]])), value()),
    ]);
}

#[test]
fn an_integer_is_a_double_only_if_a_double_holds_it() {
    let _alone = alone();
    let int64 = |code: u8, value: u64| bytes(&[&[code], &value.to_be_bytes()]);
    check::<MessagePackArray, f64>([
        read("a fixint", [1], 1.0),
        read("2^53", int64(0xCF, 1 << 53), 9007199254740992.0),
        read("2^63", int64(0xCF, 1 << 63), 9223372036854775808.0),
        refused("2^53 + 1", int64(0xCF, (1 << 53) + 1), "a double holds is expected, not the integer 9007199254740993"),
        refused("-(2^53 + 1)", int64(0xD3, (-(1i64 << 53) - 1) as u64), "a number that a double holds"),
        refused("u64::MAX", int64(0xCF, u64::MAX), "a number that a double holds"),
    ]);
}

/// Five bytes are worth five bytes.
#[test]
fn a_claim_alone_takes_no_memory() {
    let _alone = alone();
    for payload in [&[0xDD, 0xFF, 0xFF, 0xFF, 0xFF][..], &[0xDF, 0xFF, 0xFF, 0xFF, 0xFF], &[0x93, 1, 0xDD, 0xFF, 0xFF, 0xFF, 0xFF]] {
        let payload = Payload::from(payload);
        let (result, allocated) = count(|| MessagePackArray.decode(&payload).map(|_: Organization| ()));
        result.unwrap_err();
        assert!(allocated.peak <= 64 << 10, "{} bytes of memory", allocated.peak);
    }
    // A million items, each the same again, a hundred times.
    type Nested = Vec<Vec<Vec<Vec<Vec<Vec<u8>>>>>>;
    let payload = Payload::from([0xDD, 0, 0x0F, 0x42, 0x40].repeat(100));
    let (result, allocated) = count(|| MessagePackArray.decode(&payload).map(|_: Nested| ()));
    result.unwrap_err();
    assert!(allocated.peak <= 1 << 20, "{} bytes of memory", allocated.peak);
}

#[test]
fn lists_of_little_take_no_more_than_they_may() {
    let _alone = alone();
    let count = 1u32 << 20;
    let many = |item: &[u8], list: usize| {
        let head = [&[0x93, 1][..], if list == 1 { &[] } else { &[0xC0] }, &[0xDD], &count.to_be_bytes()].concat();
        [head, item.repeat(count as usize / item.len()), vec![0xC0]].concat()
    };
    let inputs: [Input<Organization>; 2] = [
        limited("strings of nothing", many(&[0xA0], 1), "allocation"),
        limited("members of nothing", many(&[0x96, 0, 0xC0, 0xC0, 0xC0, 0, 0], 2), "allocation"),
    ];
    check::<MessagePackArray, _>(inputs);
    // Members of which nothing is set are written with their doubles, and are not too much.
    let value = Organization { members: Some(vec![Member::default(); 100_000]), ..Organization::default() };
    check::<MessagePackArray, _>([read("100,000 members of which nothing is set", encoded::<MessagePackArray, _>(&value), value)]);
}

/// By position a field that is left out shifts those behind it.
#[test]
fn a_field_that_is_left_out_does_not_come_back_by_position() {
    #[derive(Debug, PartialEq, Default, Serialize, Deserialize)]
    struct Sparse {
        number: i64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default)]
        list: Vec<u8>,
    }
    let _alone = alone();
    check::<MessagePackArray, Sparse>([refused("a field left out", encoded::<MessagePackArray, _>(&Sparse::default()), "[1]")]);
    check::<MessagePackMap, Sparse>([read("a field left out", encoded::<MessagePackMap, _>(&Sparse::default()), Sparse::default())]);
}
