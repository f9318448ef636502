//! How much memory and time the bytes of a BinaryFormatter payload can cost.

#![allow(missing_docs)]
#![cfg(feature = "nrbf")]

use std::time::Instant;

use wirewise::dataset::{Dataset, Organization};
use wirewise::format::nrbf::Nrbf;
use wirewise::format::{Decode, Encode};
use wirewise::graph::Graph;
use wirewise::measure::allocator::{Allocator, count};
use wirewise::{Payload, Result};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

const SIZE: usize = 1 << 20;

/// A payload of about a mebibyte: a start, and then as many pieces as fit.
fn payload(start: &[u8], piece: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let mut bytes = [&[0, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0], start].concat();
    let mut at = 2;
    while bytes.len() < SIZE - 64 {
        bytes.extend_from_slice(&piece(at));
        at += 1;
    }
    bytes.push(11);
    bytes
}

fn record(kind: u8, id: u32, rest: &[u8]) -> Vec<u8> {
    [&[kind], &id.to_le_bytes()[..], rest].concat()
}

/// A class with so many members of a kind, and their values.
fn class(members: u32, kind: &[u8], value: u8) -> Vec<u8> {
    let mut bytes = record(4, 1, &[1, b'C']);
    bytes.extend_from_slice(&members.to_le_bytes());
    for at in 0..members {
        let name = format!("{at:x}");
        bytes.push(name.len() as u8);
        bytes.extend_from_slice(name.as_bytes());
    }
    (0..members).for_each(|_| bytes.push(kind[0]));
    (0..members).for_each(|_| bytes.extend_from_slice(&kind[1..]));
    (0..members).for_each(|_| bytes.push(value));
    bytes
}

fn hostile() -> Vec<(&'static str, Vec<u8>)> {
    let instances = |value: u8| move |id| record(1, id, &[&[1, 0, 0, 0][..], &[value; 1000]].concat());
    vec![
        ("a class of 120,000 members", payload(&class(120_000, &[2], 10), |id| record(17, id, &[0; 4]))),
        ("instances of 1,000 nulls", payload(&class(1000, &[2], 10), instances(10))),
        ("instances of 1,000 bytes", payload(&class(1000, &[0, 2], 7), instances(7))),
        ("empty arrays", payload(&[], |id| record(17, id - 1, &[0; 4]))),
        ("empty classes", payload(&[], |id| record(4, id - 1, &[1, b'C', 0, 0, 0, 0]))),
        ("strings of one letter", payload(&[], |id| record(6, id - 1, b"\x01a"))),
        ("references to nothing", payload(&record(16, 1, &[255, 255, 255, 126]), |id| record(9, id, &[]))),
        ("ids far apart", payload(&[], |id| record(6, id.wrapping_mul(2_654_435_761) & 0x7FFF_FFFF | 1, b"\x00"))),
        ("arrays in arrays, each said to be long", payload(&[], |id| record(16, id - 1, &[255, 255, 255, 126]))),
        ("runs of nulls", payload(&record(16, 1, &[255, 255, 255, 126]), |_| vec![13, 255, 8, 2, 0])),
        ("libraries", payload(&[], |id| record(12, id, b"\x01L"))),
        ("decimals", payload(&record(15, 1, &[0, 0, 5, 0, 5]), |_| vec![1, b'7'])),
        ("characters", payload(&record(15, 1, &[0, 0, 15, 0, 3]), |_| vec![b'a'])),
    ]
}

/// One test, since the counts are the whole process's.
#[test]
fn bytes_account_for_memory() {
    for (name, bytes) in hostile() {
        let payload = Payload::from(bytes.as_slice());
        let start = Instant::now();
        let (graph, counted) = count(|| -> Result<Graph> { Nrbf.decode(&payload) });
        let (organization, direct) = count(|| -> Result<Organization> { Nrbf.decode(&payload) });
        let time = start.elapsed();
        let outcome = graph.as_ref().map_or_else(|error| error.to_string(), |graph| format!("{} objects", graph.objects().len()));
        let ratio = counted.peak as f64 / bytes.len() as f64;
        println!("{name}: {} bytes, peak {ratio:.1} × of them as a graph, {} as a dataset: {outcome}", bytes.len(), direct.peak);
        for (refused, peak) in [(graph.is_err(), counted.peak), (organization.is_err(), direct.peak)] {
            let most = if refused { 8 * bytes.len() as u64 + (1 << 20) } else { 64 << 20 };
            assert!(peak <= most, "{name}: {peak} bytes, refused: {refused}");
        }
        assert!(time.as_secs() < 10, "{name}: {time:?}");
    }
    dataset(10_000);
}

#[test]
#[ignore = "slow in a debug build; run alone"]
fn a_million_members() {
    for _ in 0..5 {
        dataset(1_000_000);
    }
}

fn dataset(members: usize) {
    let value = Organization::generate(&Organization::spec(members)).unwrap();
    let mut sink = Vec::new();
    let start = Instant::now();
    Nrbf.encode(&value, &mut sink).unwrap();
    let encoded = start.elapsed();
    let start = Instant::now();
    Nrbf.encode(&value, &mut sink).unwrap();
    let encoded_again = start.elapsed();
    drop(value);
    let payload = Payload::from(sink);
    let megabytes = payload.len() as f64 / 1e6;
    let start = Instant::now();
    let (back, counted) = count(|| -> Result<Organization> { Nrbf.decode(&payload) });
    let decoded = start.elapsed();
    assert_eq!(back.unwrap().records(), members);
    let start = Instant::now();
    let (graph, as_graph) = count(|| -> Result<Graph> { Nrbf.decode(&payload) });
    let read = start.elapsed();
    drop(graph);
    println!(
        "{members} members, {megabytes:.1} MB: written at {:.0} MB/s fresh and {:.0} again, read at {:.0} MB/s with a peak of {:.2} × the payload; as a graph {:.0} MB/s, {:.2} ×",
        megabytes / encoded.as_secs_f64(),
        megabytes / encoded_again.as_secs_f64(),
        megabytes / decoded.as_secs_f64(),
        counted.peak as f64 / payload.len() as f64,
        megabytes / read.as_secs_f64(),
        as_graph.peak as f64 / payload.len() as f64,
    );
    assert!(counted.peak <= 4 * payload.len() as u64, "{} bytes", counted.peak);
}
