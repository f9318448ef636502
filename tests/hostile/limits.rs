//! Every limit holds in every format that can go beyond it, and none stands in the way of bytes that are trusted.

use std::any::Any;

use wirewise::dataset::{Dataset, Member, Organization};
use wirewise::registry::{Registry, Source, Stock};
use wirewise::{Limits, Payload, Problem};

use super::alone;

fn organizations(registry: &Registry) -> impl Iterator<Item = &Source> {
    registry.sources().iter().filter(|source| source.dataset == Organization::NAME)
}

fn payload(source: &Source, value: &dyn Any) -> Payload {
    Payload::from(source.encode(value).unwrap().unwrap())
}

/// Each limit, and how to set it so low that the value of the test goes beyond it.
#[test]
fn what_goes_beyond_a_lowered_limit_is_refused_by_its_name() {
    let _alone = alone();
    let spec = Organization::spec(50);
    let nothing = Limits::trusted();
    let cases = [
        ("string length", Limits { text: 10, ..nothing }),
        ("allocation", Limits { allocation: 1000, ..nothing }),
        ("elements", Limits { elements: 20, ..nothing }),
        ("depth", Limits { depth: 1, ..nothing }),
    ];
    let mut checked = 0;
    for source in organizations(&Registry::standard()) {
        let name = source.format.name;
        let good = source.payload(&mut Stock::default(), &spec).unwrap();
        for (limit, limits) in cases {
            // These have no depth: their readers do not nest.
            let flat = matches!(name, "custom" | "binary-writer" | "nrbf" | "protobuf-net" | "google-protobuf");
            if limit == "depth" && flat {
                continue;
            }
            let mut payload = Payload::clone(&good);
            payload.set_limits(limits);
            let error = source.verify(&mut Stock::default(), &spec, &payload).expect_err(name);
            let named = match error.problem() {
                // The verifier's own names for what it counts.
                Problem::Limit { limit: found, .. } => {
                    *found == limit || [("elements", "tables"), ("allocation", "apparent size")].contains(&(limit, *found))
                }
                _ => false,
            };
            // A packed message is held to its allocation before it is unpacked.
            let unpacked = name == "capnp-packed" && limit == "allocation";
            assert!(named || unpacked, "{name}, {limit}: {error}");
            checked += 1;
        }
    }
    println!("{checked} limits held");
}

/// A value that takes far more memory than bytes is read when its payload is trusted, and otherwise held to its allocation.
#[test]
fn trusted_bytes_are_read_whatever_they_ask_for() {
    let _alone = alone();
    let value = Organization { id: 1, tags: Some(vec![String::new(); 300_000]), members: Some(vec![Member::default(); 50]) };
    let expected = value.members.as_ref().map(Vec::len);
    let mut refused = 0;
    for source in organizations(&Registry::standard()) {
        let name = source.format.name;
        let good = payload(source, &value);
        let spec = Organization::spec(1);
        // The value is no dataset, so that what is read is of another checksum: anything else is a refusal.
        let trusted = source.verify(&mut Stock::default(), &spec, &good.clone().trusted()).unwrap_err();
        assert!(matches!(trusted.problem(), Problem::WrongReading { .. }), "{name}: {trusted}");
        match source.verify(&mut Stock::default(), &spec, &good).unwrap_err().problem() {
            Problem::WrongReading { .. } => {}
            Problem::Limit { limit, .. } => {
                assert!(["allocation", "bytes out"].contains(limit), "{name}: {limit}");
                refused += 1;
            }
            other => panic!("{name}: {other}"),
        }
    }
    assert_eq!(expected, Some(50));
    println!("{refused} formats hold it to its allocation");
}
