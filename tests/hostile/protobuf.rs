use prost::Message;
use wirewise::Payload;
use wirewise::dataset::{Member, Organization};
use wirewise::format::protobuf::Protobuf;
use wirewise::format::{Decode, Inspect, Silent};

use super::{alone, check, encoded, limited, read, refused, small};

fn with_id(id: i32) -> Organization {
    Organization { id, tags: Some(Vec::new()), members: Some(Vec::new()) }
}

fn groups(count: usize) -> Vec<u8> {
    [b"\x23".repeat(count), b"\x24".repeat(count)].concat()
}

#[test]
fn messages_that_are_none() {
    let _alone = alone();
    check::<Protobuf, Organization>([
        read("no bytes, which is a message of which nothing is set", [], with_id(0)),
        refused("a varint of eleven bytes", [&[0x08][..], &[0xFF; 10], &[1]].concat(), "invalid varint"),
        refused("a varint whose tenth byte is 2", [&[0x08][..], &[0xFF; 9], &[2]].concat(), "invalid varint"),
        refused("a varint that is cut", [0x08, 0x80], "protobuf, decode: at byte 0"),
        read("an overlong varint", [0x08, 0x81, 0x00], with_id(1)),
        refused("a length of 2^63", [&[0x12][..], &[0x80; 9], &[1]].concat(), "tags"),
        refused("a length beyond the end", [0x12, 5, b'a'], "tags: 1 more bytes"),
        refused("a field of number 0", [0x00, 1], "invalid tag"),
        refused("wire type 6", [0x0E, 1], "wire type"),
        refused("a field of number 2^29", [0x80, 0x80, 0x80, 0x80, 0x10, 1], "invalid key"),
        refused("another wire type", [0x0D, 1, 0, 0, 0], "wire type"),
        refused("the end of a group that did not start", [0x24], "group"),
        refused("a group that does not end", [0x23, 0x08, 1], "at byte 0"),
        limited("a million groups inside each other", groups(1_000_000), "depth"),
        limited("a million members of nothing", [0x1A, 0].repeat(1_000_000), "allocation"),
        refused("no UTF-8 in a string", [0x12, 1, 0xFF], "tags: invalid UTF-8"),
        refused("no UTF-8 in a member's string", [0x1A, 3, 0x12, 1, 0xFF], "members.name: invalid UTF-8"),
    ]);
    // The same bytes as a message of one field: of a string no, of bytes yes.
    assert!(String::decode([0x0A, 1, 0xFF].as_slice()).is_err());
    assert_eq!(Vec::<u8>::decode([0x0A, 1, 0xFF].as_slice()), Ok(vec![0xFF]));
}

/// What decoding takes without a word is what `inspect` has a word for.
#[test]
fn what_is_passed_over_is_told() {
    let _alone = alone();
    let value = small();
    let good = encoded::<Protobuf, _>(&value);
    let inspected = |bytes: &[u8]| -> Vec<(usize, String, Silent)> {
        let payload = Payload::from(bytes);
        let _: Organization = Protobuf.decode(&payload).unwrap();
        Protobuf::inspect(&payload).into_iter().map(|finding| (finding.offset, finding.path, finding.what)).collect()
    };
    assert_eq!(inspected(&good), []);
    // Two messages are one, with the lists of both.
    let joined = inspected(&[good.as_slice(), &good].concat());
    assert_eq!(joined[0], (good.len(), "id".to_owned(), Silent::Again));
    assert_eq!(inspected(&[good.as_slice(), &[0xA8, 6, 1]].concat()), [(good.len(), String::new(), Silent::UnknownField(101))]);
    assert_eq!(inspected(&[0x23, 0x08, 1, 0x24, 0x08, 1]), [(0, String::new(), Silent::UnknownField(4))]);
    assert_eq!(inspected(&[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]), [(0, "id".to_owned(), Silent::Cut(0xF_FFFF_FFFF))]);
    assert_eq!(inspected(&[0x08, 0x81, 0x00]), [(0, "id".to_owned(), Silent::Overlong)]);
    assert_eq!(inspected(&[0x1A, 3, 0x1A, 1, b'a', 0x1A, 4, 0x12, 0, 0x12, 0]), [(9, "members[1].name".to_owned(), Silent::Again)]);
    // -1 takes ten bytes and is none too many.
    assert_eq!(inspected(&encoded::<Protobuf, _>(&with_id(-1))), []);
    // As many as there are, and no more than a thousand.
    assert_eq!(inspected(&[0xA8, 6, 1].repeat(5000)).len(), 1000);
}

#[test]
fn what_a_value_takes() {
    assert_eq!(encoded::<Protobuf, _>(&with_id(0)).len(), 0);
    assert_eq!(encoded::<Protobuf, _>(&with_id(-1)).len(), 1 + 10);
    assert_eq!(prost::encoding::sint32::encoded_len(1, &-1), 1 + 1);
    let with_value = |value| Organization { members: Some(vec![Member { value, ..Member::default() }]), ..with_id(0) };
    // The original's -0.0 is nine bytes. This library leaves out what equals zero, and so do the other two.
    assert_eq!(encoded::<Protobuf, _>(&with_value(1.0)).len(), 2 + 9);
    assert_eq!(encoded::<Protobuf, _>(&with_value(-0.0)).len(), 2);
}
