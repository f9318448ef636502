//! The whole dataset in every format: lengths and hashes of what .NET wrote, `sizes.tsv`.

use std::collections::BTreeMap;

use wirewise::dataset::{Organization, Spec};
use wirewise::format::Encode;
#[cfg(feature = "messagepack-csharp")]
use wirewise::format::messagepack_csharp::*;

use crate::common::{encoded, sha256};
use crate::vectors::Vectors;

type Writes = fn(&Organization) -> Vec<u8>;

fn writes<F: Encode<Organization>>(value: &Organization) -> Vec<u8> {
    encoded::<F, _>(value).unwrap()
}

/// The formats that are built in, under the names of the table.
fn formats() -> Vec<(&'static str, Writes)> {
    let formats: &[(&'static str, Writes)] = &[
        #[cfg(feature = "system-text-json")]
        ("json", writes::<wirewise::format::system_text_json::SystemTextJson>),
        #[cfg(feature = "custom")]
        ("custom", writes::<wirewise::format::custom::Custom>),
        #[cfg(feature = "binary-writer")]
        ("binary", writes::<wirewise::format::binary_writer::BinaryWriter>),
        #[cfg(feature = "nrbf")]
        ("binaryformatter", writes::<wirewise::format::nrbf::Nrbf>),
        #[cfg(feature = "datacontract")]
        ("datacontract", writes::<wirewise::format::datacontract::DataContract>),
        #[cfg(feature = "protobuf-net")]
        ("protobuf-net", writes::<wirewise::format::protobuf_net::ProtobufNet>),
        #[cfg(feature = "google-protobuf")]
        ("google-protobuf", writes::<wirewise::format::google_protobuf::GoogleProtobuf>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-keyed", writes::<ArrayPlain>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-keyed-lz4block", writes::<ArrayLz4Block>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-keyed-lz4blockarray", writes::<ArrayLz4BlockArray>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-contractless", writes::<MapPlain>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-contractless-lz4block", writes::<MapLz4Block>),
        #[cfg(feature = "messagepack-csharp")]
        ("msgpack-contractless-lz4blockarray", writes::<MapLz4BlockArray>),
    ];
    formats.to_vec()
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
