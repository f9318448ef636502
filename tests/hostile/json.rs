use serde_json::Value;
use wirewise::dataset::{Member, Organization};
use wirewise::format::json::Json;
use wirewise::format::{Decode, Encode};
use wirewise::{Limits, Payload, Problem};

use super::{Input, alone, check, limited, read, refused, trailing};

fn nested(depth: usize) -> Vec<u8> {
    [b"[".repeat(depth), b"]".repeat(depth)].concat()
}

#[test]
fn texts_that_are_no_organization() {
    let _alone = alone();
    let head = br#"{"Id":1,"Tags":null,"Members":null"#;
    check::<Json, Organization>([
        refused("nothing", "", "1 more bytes"),
        refused("no UTF-8 in a string", *b"{\"Id\":1,\"Tags\":[\"\xFF\"],\"Members\":null}", "at byte 17: invalid UTF-8"),
        refused("no UTF-8 in a name", *b"{\"Id\":1,\"T\xC3\":null}", "at byte 10: invalid UTF-8"),
        refused("no UTF-8 in what is passed over", [head.as_slice(), b",\"X\":\"\xED\xA0\x80\"}"].concat(), "invalid UTF-8"),
        refused("a name twice", r#"{"Id":1,"Id":2,"Tags":null,"Members":null}"#, "duplicate field `Id`"),
        refused("a byte order mark", "\u{FEFF}{}", "at byte 0"),
        refused("a leading surrogate alone", r#"{"Id":1,"Tags":["\uD83C"]}"#, "at byte 23"),
        refused("a trailing surrogate alone", r#"{"Id":1,"Tags":["\uDC00"]}"#, "surrogate"),
        refused("a raw control character", "{\"Id\":1,\"Tags\":[\"a\nb\"]}", "control character"),
        refused("a number that is no double", member(r#""Value":1e400"#), "number out of range"),
        refused("u64::MAX + 1 in an i64", member(r#""UpdateTime":18446744073709551616"#), "Members[0].UpdateTime: i64 is expected"),
        refused("i32::MAX + 1 in an i32", member(r#""Id":2147483648"#), "Members[0].Id: i32 is expected, not integer `2147483648`"),
        refused("another type", r#"{"Id":"1"}"#, "Id: i32 is expected, not string \"1\""),
        refused("cut inside a string", r#"{"Id":1,"Tags":["abc"#, "1 more bytes"),
        trailing("bytes behind it", [head.as_slice(), b"} \n x"].concat(), head.len() + 4),
        trailing("another behind it", [head.as_slice(), b"}{}"].concat(), head.len() + 1),
        read(
            "a pair of surrogates",
            r#"{"Id":1,"Tags":["\uD83D\uDE00"],"Members":null}"#,
            Organization { id: 1, tags: Some(vec!["😀".to_owned()]), members: None },
        ),
        read("space behind it", [head.as_slice(), b"} \n"].concat(), Organization { id: 1, tags: None, members: None }),
        // A million brackets that nobody asked for take no stack.
        read(
            "a million brackets in what is passed over",
            [head.as_slice(), b",\"X\":", &nested(1_000_000), b"}"].concat(),
            Organization { id: 1, tags: None, members: None },
        ),
    ]);
}

fn member(field: &str) -> Vec<u8> {
    let mut fields = vec![r#""Id":1"#, r#""Name":null"#, r#""Value":0"#, r#""UpdateTime":0"#];
    let name = field.split(':').next().unwrap();
    fields.retain(|other| !other.starts_with(name));
    fields.push(field);
    format!(r#"{{"Id":1,"Tags":null,"Members":[{{{}}}]}}"#, fields.join(",")).into_bytes()
}

#[test]
fn depth_ends_at_128_and_where_it_is_set() {
    let _alone = alone();
    let refusals = [(128, "depth"), (200, "depth"), (1_000_000, "depth")];
    check::<Json, Value>(refusals.map(|(depth, limit)| limited("brackets", nested(depth), limit)));
    for depth in [1, 100, 127] {
        let _: Value = Json.decode(&Payload::from(nested(depth))).unwrap();
    }
    let mut payload = Payload::from(nested(11));
    payload.set_limits(Limits { depth: 10, ..payload.limits() });
    let error = Json.decode(&payload).map(|_: Value| ()).unwrap_err();
    assert_eq!(*error.problem(), Problem::Limit { limit: "depth", allowed: 10, wanted: 11 });
}

/// A text's number is the double that is nearest to it.
#[test]
fn doubles_come_back_bit_for_bit_or_are_not_written() {
    let _alone = alone();
    for value in [1.0 - f64::EPSILON / 2.0, f64::from_bits(0x3FF9_3E93_E93E_863B), -0.0, f64::MIN_POSITIVE / 3.0, f64::MAX] {
        let mut text = Vec::new();
        Json.encode(&value, &mut text).unwrap();
        let back: f64 = Json.decode(&Payload::from(text)).unwrap();
        assert_eq!(back.to_bits(), value.to_bits());
    }
    check::<Json, f64>([read("2^53 + 1", "9007199254740993", 9007199254740992.0)]);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let members = Some(vec![Member { value, ..Member::default() }]);
        let error = Json.encode(&Organization { members, ..Organization::default() }, &mut Vec::new()).unwrap_err();
        assert!(matches!(error.problem(), Problem::Unrepresentable(_)), "{error}");
    }
}

#[test]
fn lists_of_little_take_no_more_than_they_may() {
    let _alone = alone();
    let many = |item: &str| {
        let items = vec![item; (1 << 20) / (item.len() + 1)].join(",");
        format!(r#"{{"Id":1,"Tags":[{items}],"Members":null}}"#)
    };
    let inputs: [Input<Organization>; 1] =
        [refused("strings of nothing, and then no string", many(r#""""#).replacen("],\"Me", ",1],\"Me", 1), "")];
    check::<Json, _>(inputs);
}
