//! A value that every format can keep: all of them give it back, bit for bit, and so agree.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wirewise::registry::Fidelity;
use wirewise_fuzz::seeds::{self, Kind};
use wirewise_fuzz::{Bytes, organization, with_registry};

fuzz_target!(init: seeds::serve(Kind::Payload), |data: &[u8]| {
    with_registry(|registry| {
        let value = organization(&mut Bytes(data), true);
        for source in registry.sources() {
            let outcome = source.round_trip(&value);
            assert!(matches!(outcome, None | Some(Fidelity::Kept)), "{} of {value:?}: {outcome:?}", source.format.name);
        }
    });
});
