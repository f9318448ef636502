//! Any value to any format: what the format writes all of its readings accept, and read the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wirewise::Payload;
use wirewise_fuzz::seeds::{self, Kind};
use wirewise_fuzz::{Bytes, organization, pick, read_alike, with_registry};

fuzz_target!(init: seeds::serve(Kind::Payload), |data: &[u8]| {
    with_registry(|registry| {
        let Some((source, bytes)) = pick(registry.sources(), data) else { return };
        let value = organization(&mut Bytes(bytes), false);
        if let Some(Ok(payload)) = source.encode(&value) {
            for result in read_alike(source, &Payload::from(payload)) {
                if let Err(error) = result {
                    panic!("{} refuses what it wrote of {value:?}: {error}", source.format.name);
                }
            }
        }
    });
});
