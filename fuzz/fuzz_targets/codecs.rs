//! Any bytes to any codec and to the envelope: nothing panics or gives more than its limit, and what they wrote comes back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wirewise::Payload;
use wirewise::envelope::{self, Envelope, Reader};
use wirewise::limits::Limits;
use wirewise_fuzz::seeds::{self, Kind};
use wirewise_fuzz::{pick, with_registry};

fuzz_target!(init: seeds::serve(Kind::Compressed), |data: &[u8]| {
    with_registry(|registry| {
        let names: Vec<String> = registry.codecs().map(|codec| codec.name.clone()).collect();
        let Some((name, bytes)) = pick(&names, data) else { return };
        let mut codec = registry.new_codec(name).expect("its name is the registry's");
        let mut payload = Payload::default();
        let limits = Limits::for_payload(bytes.len());
        if codec.decompress(bytes, &limits, &mut payload).is_ok() {
            assert!(payload.len() <= limits.bytes_out, "{name} gives more than its limit");
        }
        let mut compressed = Vec::new();
        codec.compress(bytes, &mut compressed).expect("a codec compresses anything of this size");
        codec.decompress(&compressed, &Limits::trusted(), &mut payload).expect("a codec reads what it wrote");
        assert_eq!(payload.as_slice(), bytes, "{name}");

        let reader = Reader { format: *b"fuzz", version: 1, layout: 0 };
        let _ = envelope::open(&reader, bytes);
        let mut sealed = Vec::new();
        Envelope { format: *b"fuzz", schema_hash: 0, version: 1, least_reader_version: 1, layout: 0 }.seal(bytes, &mut sealed);
        assert_eq!(envelope::open(&reader, &sealed).map(|(_, opened)| opened), Ok(bytes));
    });
});
