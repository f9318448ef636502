//! Any bytes to any format: nothing panics, and all readings of a format that accept them read the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wirewise::Payload;
use wirewise_fuzz::seeds::{self, Kind};
use wirewise_fuzz::{pick, read_alike, with_registry};

fuzz_target!(init: seeds::serve(Kind::Payload), |data: &[u8]| {
    with_registry(|registry| {
        if let Some((source, bytes)) = pick(registry.sources(), data) {
            read_alike(source, &Payload::from(bytes));
        }
    });
});
