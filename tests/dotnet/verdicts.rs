//! Damaged payloads: for every line of `verdicts.tsv` we refuse what the original refuses, and read the same value where it accepts.
//!
//! Where we are stricter on purpose, the kind of difference stands in [`STRICTER`] with its reason and its count; any other difference
//! fails the test.

use std::collections::BTreeMap;

use wirewise::Problem;
use wirewise::dataset::Organization;
use wirewise::format::Decode;
use wirewise::format::system_text_json::SystemTextJson;

use crate::common::{decoded, encoded, organizations, sha256};
use crate::vectors::Vectors;

type Reads = fn(&[u8]) -> wirewise::Result<Organization>;

fn reads<F: Decode<Organization>>(bytes: &[u8]) -> wirewise::Result<Organization> {
    decoded::<F, _>(bytes)
}

/// The formats that are built in, under the names of the table, and where their undamaged payload stands.
#[allow(unused_mut)]
fn formats() -> Vec<(&'static str, Reads)> {
    let mut formats: Vec<(&'static str, Reads)> = vec![("json", reads::<SystemTextJson>)];
    #[cfg(feature = "binary-writer")]
    formats.push(("binary", reads::<wirewise::format::binary_writer::BinaryWriter>));
    #[cfg(feature = "protobuf-net")]
    formats.push(("protobuf-net", reads::<wirewise::format::protobuf_net::ProtobufNet>));
    #[cfg(feature = "google-protobuf")]
    formats.push(("google-protobuf", reads::<wirewise::format::google_protobuf::GoogleProtobuf>));
    #[cfg(feature = "messagepack-csharp")]
    {
        use wirewise::format::messagepack_csharp::*;
        formats.push(("msgpack-keyed", reads::<ArrayPlain>));
        formats.push(("msgpack-contractless", reads::<MapPlain>));
        formats.push(("msgpack-keyed-lz4block", reads::<ArrayLz4Block>));
        formats.push(("msgpack-keyed-lz4blockarray", reads::<ArrayLz4BlockArray>));
    }
    formats
}

/// Where we refuse what the original accepts: the format, the kind of the refusal, how many lines, and why.
const STRICTER: &[(&str, &str, usize, &str)] = &[
    ("json", "invalid UTF-8", 260, "names that no property has: the original does not look at their bytes"),
    ("binary", "invalid UTF-8", 806, "the original reads U+FFFD, in silence"),
    ("binary", "bytes left over", 12, "a count that was made smaller, or negative: the original does not look behind the value"),
    ("protobuf-net", "invalid UTF-8", 805, "the original reads U+FFFD, in silence"),
    ("msgpack-keyed", "invalid UTF-8", 805, "the original reads U+FFFD, in silence"),
    ("msgpack-keyed", "bytes left over", 12, "the original does not look behind the value"),
    ("msgpack-keyed", "null in a list", 1, "the dataset's lists hold no null"),
    ("msgpack-contractless", "invalid UTF-8", 1067, "the original reads U+FFFD, or does not look at names that no property has"),
    ("msgpack-contractless", "bytes left over", 9, "the original does not look behind the value"),
    ("msgpack-keyed-lz4block", "invalid UTF-8", 253, "the original reads U+FFFD, in silence"),
    ("msgpack-keyed-lz4block", "bytes left over", 13, "the original does not look behind the value"),
    ("msgpack-keyed-lz4block", "an offset of zero", 4, "no LZ4 block has one: the original reads what it has not yet written"),
    ("msgpack-keyed-lz4block", "null in a list", 1, "the dataset's lists hold no null"),
    ("msgpack-keyed-lz4blockarray", "invalid UTF-8", 253, "the original reads U+FFFD, in silence"),
    ("msgpack-keyed-lz4blockarray", "bytes left over", 13, "the original does not look behind the value"),
    ("msgpack-keyed-lz4blockarray", "an offset of zero", 4, "no LZ4 block has one: the original reads what it has not yet written"),
    ("msgpack-keyed-lz4blockarray", "null in a list", 1, "the dataset's lists hold no null"),
    (
        "msgpack-keyed-lz4blockarray",
        "another length",
        5,
        "the original does not use the length that stands before the lengths, nor a block's",
    ),
];

/// What kind of refusal an error is.
fn kind(problem: &Problem) -> &'static str {
    match problem {
        Problem::InvalidUtf8 => "invalid UTF-8",
        Problem::Trailing { .. } => "bytes left over",
        Problem::Truncated { .. } | Problem::Limit { .. } => "another length",
        Problem::Malformed(reason) if reason.contains("run of bytes is expected") => "another length",
        Problem::Malformed(reason) if reason.contains("valid match offset") => "an offset of zero",
        Problem::Malformed(reason) if reason.contains("not the code C0") => "null in a list",
        _ => "malformed",
    }
}

fn damaged(good: &[u8], damage: &str) -> Vec<u8> {
    let mut bytes = good.to_vec();
    match damage.split_once(' ') {
        Some(("cut", len)) => bytes.truncate(len.parse().unwrap()),
        Some(("byte", change)) => {
            let (at, byte) = change.split_once('=').unwrap();
            bytes[at.parse::<usize>().unwrap()] = u8::from_str_radix(byte, 16).unwrap();
        }
        _ => assert_eq!(damage, "none"),
    }
    bytes
}

/// The value as the table has it: the first digits of the hash of its JSON.
fn hash(value: &Organization) -> Option<String> {
    Some(sha256(&encoded::<SystemTextJson, _>(value).ok()?)[..16].to_owned())
}

#[test]
fn every_verdict() {
    let vectors = Vectors::open("dotnet");
    let formats = formats();
    let mut agreed: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut stricter: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for line in vectors.text("verdicts.tsv").lines().skip(1) {
        let [format, payload, damage, verdict] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let Some(&(name, read)) = formats.iter().find(|(name, _)| *name == format) else { continue };
        let bytes = damaged(vectors.file(&format!("{payload}.{format}.bin")), damage);
        let (agrees, refused) = (&mut agreed.entry(name).or_default(), read(&bytes));
        match (verdict.strip_prefix("ok "), refused) {
            (None, Err(_)) => agrees.1 += 1,
            (None, Ok(_)) => wrong.push(format!("{line}: accepted")),
            (Some(expected), Ok(value)) => match hash(&value) {
                Some(found) if found == expected => agrees.0 += 1,
                found => wrong.push(format!("{line}: read as {found:?}, {value:?}")),
            },
            (Some(_), Err(error)) => {
                let kind = kind(error.problem());
                let count = stricter.entry((name, kind)).or_default();
                *count += 1;
                let listed = STRICTER.iter().any(|&(format, listed, ..)| (format, listed) == (name, kind));
                if !listed && *count < 6 {
                    wrong.push(format!("{line}: refused, {error}"));
                }
            }
        }
    }
    for (format, (accepted, refused)) in &agreed {
        println!("{format}: {accepted} read as the same value, {refused} refused by both");
    }
    for ((format, kind), count) in &stricter {
        println!("{format}: {count} refused by us alone: {kind}");
    }
    for line in wrong.iter().take(60) {
        println!("{line}");
    }
    assert!(wrong.is_empty(), "{} differences", wrong.len());
    let listed: BTreeMap<(&str, &str), usize> = STRICTER
        .iter()
        .filter(|(format, ..)| formats.iter().any(|(name, _)| name == format))
        .map(|&(format, kind, count, _)| ((format, kind), count))
        .collect();
    assert_eq!(stricter, listed);
}

/// The hash of the table is that of our JSON.
#[test]
fn the_undamaged_value_has_the_tables_hash() {
    assert_eq!(hash(&organizations()[0].1).as_deref(), Some("42e70db315964e41"));
}
