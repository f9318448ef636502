//! The whole dataset in every format: lengths and hashes of what .NET wrote, `sizes.tsv`.

use std::collections::BTreeMap;

use wirewise::dataset::{Organization, Spec};
use wirewise::format::Encode;

use crate::common::{encoded, sha256};
use crate::vectors::Vectors;

type Writes = fn(&Organization) -> Vec<u8>;

fn writes<F: Encode<Organization>>(value: &Organization) -> Vec<u8> {
    encoded::<F, _>(value).unwrap()
}

/// The formats that are built in, under the names of the table.
// With one feature alone there is one push.
#[allow(clippy::vec_init_then_push)]
fn formats() -> Vec<(&'static str, Writes)> {
    let mut formats: Vec<(&'static str, Writes)> = Vec::new();
    #[cfg(feature = "system-text-json")]
    formats.push(("json", writes::<wirewise::format::system_text_json::SystemTextJson>));
    #[cfg(feature = "custom")]
    formats.push(("custom", writes::<wirewise::format::custom::Custom>));
    #[cfg(feature = "binary-writer")]
    formats.push(("binary", writes::<wirewise::format::binary_writer::BinaryWriter>));
    #[cfg(feature = "nrbf")]
    formats.push(("binaryformatter", writes::<wirewise::format::nrbf::Nrbf>));
    formats
}

/// Compares what is written of every dataset of the table that `chosen` takes by its number of members.
fn check(chosen: impl Fn(usize) -> bool) {
    let vectors = Vectors::open("dotnet");
    let mut datasets: BTreeMap<(usize, u64, &str), Vec<[&str; 3]>> = BTreeMap::new();
    for line in vectors.text("sizes.tsv").lines().skip(1) {
        let [members, seed, labels, format, bytes, sha256] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        datasets.entry((members.parse().unwrap(), seed.parse().unwrap(), labels)).or_default().push([format, bytes, sha256]);
    }
    let formats = formats();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for ((members, seed, labels), rows) in datasets {
        if !chosen(members) {
            continue;
        }
        let (variant, time) = labels.split_once('@').map_or((labels, None), |(variant, time)| (variant, Some(time.parse().unwrap())));
        let value = Organization::article(&Spec { members, seed, variant: variant.to_owned() }, time).unwrap();
        for [format, bytes, expected] in rows {
            let Some((name, write)) = formats.iter().find(|(name, _)| *name == format) else { continue };
            let payload = write(&value);
            assert_eq!(
                (payload.len().to_string().as_str(), sha256(&payload).as_str()),
                (bytes, expected),
                "{format}, {members} members, seed {seed}, {labels}"
            );
            *counts.entry(name).or_default() += 1;
        }
    }
    println!("payloads equal by length and hash: {counts:?}");
    for (name, _) in formats {
        assert!(counts.get(name).is_some_and(|&count| count > 5), "{name}: {counts:?}");
    }
}

#[test]
fn up_to_100_000_members() {
    check(|members| members < 1_000_000);
}

/// Minutes in a debug build: `cargo test --release -- --ignored`.
#[test]
#[ignore = "slow in a debug build"]
fn at_1_000_000_members() {
    check(|members| members == 1_000_000);
}
