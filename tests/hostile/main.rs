//! Bytes that nobody should send: each input is known by what is wrong with it, and meets one check.
//!
//! `rows.rs` lists every input that these tests are to hold, and where each is held.

#![allow(missing_docs)]
// With one format alone a part of this is idle.
#![allow(dead_code)]

mod codecs;
mod every;
mod limits;
mod rows;
mod stack;

#[cfg(feature = "capnp")]
mod capnp;
#[cfg(feature = "flatbuffers")]
mod flatbuffers;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "messagepack")]
mod messagepack;
#[cfg(feature = "protobuf")]
mod protobuf;
#[cfg(feature = "rkyv")]
mod rkyv;
#[cfg(any(feature = "custom", feature = "binary-writer"))]
mod sequential;

use std::fmt::Debug;
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

use wirewise::dataset::{Member, Organization};
use wirewise::format::{Decode, Encode};
use wirewise::measure::allocator::{Allocator, count};
use wirewise::{Error, Payload, Problem};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The counts are the whole process's: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// What is to become of an input.
enum Outcome<T> {
    /// It is refused, and the error says this.
    Refused(&'static str),
    /// It goes beyond this limit.
    Limited(&'static str),
    /// The value ends after so many bytes, and others follow.
    Trailing(usize),
    /// It is read, as this.
    Read(T),
}

struct Input<T> {
    /// What is wrong with it, or peculiar.
    name: &'static str,
    bytes: Vec<u8>,
    outcome: Outcome<T>,
}

fn refused<T>(name: &'static str, bytes: impl Into<Vec<u8>>, says: &'static str) -> Input<T> {
    Input { name, bytes: bytes.into(), outcome: Outcome::Refused(says) }
}

fn limited<T>(name: &'static str, bytes: impl Into<Vec<u8>>, limit: &'static str) -> Input<T> {
    Input { name, bytes: bytes.into(), outcome: Outcome::Limited(limit) }
}

fn trailing<T>(name: &'static str, bytes: impl Into<Vec<u8>>, used: usize) -> Input<T> {
    Input { name, bytes: bytes.into(), outcome: Outcome::Trailing(used) }
}

fn read<T>(name: &'static str, bytes: impl Into<Vec<u8>>, value: T) -> Input<T> {
    Input { name, bytes: bytes.into(), outcome: Outcome::Read(value) }
}

/// Decodes every input on a thread of 2 MiB, as `cargo test` gives to a test, and holds the outcome to what is expected of it, and the memory
/// and the time to what a payload of its size may take.
fn check<F: Decode<T>, T: Debug + PartialEq>(inputs: impl IntoIterator<Item = Input<T>>) {
    let format = F::INFO.name;
    for Input { name, bytes, outcome } in inputs {
        let payload = Payload::from(bytes.as_slice());
        let start = Instant::now();
        let (result, allocated) = count(|| F::default().decode(&payload));
        let (time, what) = (start.elapsed(), format!("{format}, {name}"));
        // A second in a release build; a debug build on a busy machine is told from one that hangs.
        assert!(time < Duration::from_secs(20), "{what}: {time:?}");
        // A library's list that grows has its items, and while they are moved twice as many places for them.
        let refused = 3 * (8 * bytes.len() as u64 + (1 << 20));
        assert!(allocated.peak <= refused.max(64 << 20), "{what}: {} bytes of memory", allocated.peak);
        match (result, outcome) {
            (Ok(found), Outcome::Read(expected)) => assert_eq!(found, expected, "{what}"),
            (Ok(found), _) => panic!("{what} is read as {:.300}", format!("{found:?}")),
            (Err(error), Outcome::Read(_)) => panic!("{what}: {error}"),
            (Err(error), outcome) => {
                held(&what, &error, &outcome, bytes.len());
                assert_eq!(error.format(), format, "{what}");
                assert!(error.operation().is_some(), "{what}");
                assert!(allocated.peak <= refused, "{what}: {} bytes of memory for {} of payload", allocated.peak, bytes.len());
            }
        }
    }
}

fn held<T>(what: &str, error: &Error, outcome: &Outcome<T>, len: usize) {
    assert!(error.offset().is_none_or(|offset| offset <= len), "{what}: {error}");
    match outcome {
        Outcome::Refused(says) => assert!(error.to_string().contains(says), "{what}: {error}"),
        Outcome::Limited(name) => match error.problem() {
            Problem::Limit { limit, allowed, wanted } => {
                assert_eq!(limit, name, "{what}: {error}");
                assert!(wanted > allowed, "{what}: {error}");
            }
            _ => panic!("{what}: {error}"),
        },
        Outcome::Trailing(used) => {
            assert_eq!(error.offset(), Some(*used), "{what}: {error}");
            assert_eq!(*error.problem(), Problem::Trailing { left: (len - used) as u64 }, "{what}");
        }
        Outcome::Read(_) => {}
    }
}

/// A value with something of everything.
fn small() -> Organization {
    let member = Member {
        id: -1,
        name: Some("name".to_owned()),
        description: Some("described".to_owned()),
        address: Some("é".repeat(70)),
        value: 1.5,
        update_time: 1 << 40,
    };
    Organization { id: 7, tags: Some(vec!["tag".to_owned(), "another".to_owned()]), members: Some(vec![member.clone(), member]) }
}

fn encoded<F: Encode<T>, T>(value: &T) -> Vec<u8> {
    let mut sink = Vec::new();
    F::default().encode(value, &mut sink).unwrap();
    sink
}

/// The bytes with others in the place of some.
fn patched(bytes: &[u8], at: usize, with: &[u8]) -> Vec<u8> {
    let mut patched = bytes.to_vec();
    patched[at..at + with.len()].copy_from_slice(with);
    patched
}

/// Where a run of bytes stands in others.
fn position(bytes: &[u8], run: &[u8]) -> usize {
    bytes.windows(run.len()).position(|window| window == run).unwrap()
}
