//! The bytes that the original .NET libraries wrote for the same dataset: their number and their SHA-256.
//!
//! tests/vectors/sizes.tsv holds them, for seeds, labels and sizes; it was made by the libraries themselves on .NET 10. The sizes at
//! 1,000,000 members are those that the article published.

#![cfg(any(feature = "custom", feature = "binary-writer", feature = "protobuf", feature = "messagepack"))]

use sha2::{Digest, Sha256};
use wirewise::dataset::{Organization, Spec};
use wirewise::registry::Registry;

/// The file's names, and ours.
const FORMATS: [(&str, &str); 5] = [
    ("custom", "custom"),
    ("binary", "binary-writer"),
    ("protobuf-net", "protobuf"),
    ("msgpack-keyed", "messagepack-array"),
    ("msgpack-contractless", "messagepack-map"),
];

struct Row<'f> {
    spec: Spec,
    update_time: Option<i64>,
    format: &'static str,
    bytes: usize,
    sha256: &'f str,
}

fn rows(file: &str) -> Vec<Row<'_>> {
    file.lines()
        .skip(1)
        .filter_map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            let [members, seed, labels, format, bytes, sha256] = fields[..] else { panic!("not a row: {line}") };
            let (variant, update_time) = labels.split_once('@').map_or((labels, None), |(variant, time)| (variant, time.parse().ok()));
            let spec = Spec { members: members.parse().unwrap(), seed: seed.parse().unwrap(), variant: variant.to_owned() };
            let format = FORMATS.iter().find(|(name, _)| *name == format)?.1;
            Some(Row { spec, update_time, format, bytes: bytes.parse().unwrap(), sha256 })
        })
        .collect()
}

fn check(takes: impl Fn(&Row<'_>) -> bool) {
    let registry = Registry::standard();
    let file = include_str!("vectors/sizes.tsv");
    let mut made: Option<(Spec, Option<i64>, Organization)> = None;
    let (mut equal, mut left_out) = (0, 0);
    for row in rows(file).iter().filter(|row| takes(row)) {
        let Some(source) = registry.sources().iter().find(|source| source.format.name == row.format) else {
            left_out += 1;
            continue;
        };
        if made.as_ref().is_none_or(|(spec, update_time, _)| (spec, *update_time) != (&row.spec, row.update_time)) {
            made = Some((row.spec.clone(), row.update_time, Organization::article(&row.spec, row.update_time).unwrap()));
        }
        let payload = source.encode(&made.as_ref().unwrap().2).unwrap().unwrap();
        let sha256: String = Sha256::digest(&payload).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!((payload.len(), sha256.as_str()), (row.bytes, row.sha256), "{} of {:?}", row.format, row.spec);
        equal += 1;
    }
    println!("{equal} payloads equal to the original libraries', {left_out} left out with their features");
    assert!(equal > 0);
}

#[test]
fn up_to_100_000_members() {
    check(|row| row.spec.members <= 100_000);
}

/// The article's own sizes, for all seeds that it published: `cargo test --release -- --ignored`.
#[test]
#[ignore = "slow: a million members, nine times"]
fn a_million_members() {
    check(|row| row.spec.members == 1_000_000);
    let published = [
        ("custom", 712, 92_853_782),
        ("binary-writer", 712, 83_853_767),
        ("protobuf", 712, 88_837_248),
        ("custom", 927, 92_854_209),
        ("custom", 271, 92_853_722),
        ("binary-writer", 271, 83_853_707),
        ("custom", 246, 92_853_911),
        ("binary-writer", 246, 83_853_896),
        ("protobuf", 246, 88_837_377),
        ("custom", 901, 92_854_251),
        ("binary-writer", 901, 83_854_236),
        ("protobuf", 901, 88_837_717),
        ("custom", 688, 92_854_890),
        ("binary-writer", 688, 83_854_875),
        ("protobuf", 688, 88_838_356),
    ];
    for (format, seed, bytes) in published {
        let row = rows(include_str!("vectors/sizes.tsv"))
            .into_iter()
            .find(|row| row.format == format && row.spec.seed == seed && row.spec.members == 1_000_000 && row.update_time.is_none());
        assert_eq!(row.map(|row| row.bytes), Some(bytes), "{format}, seed {seed}");
    }
}
