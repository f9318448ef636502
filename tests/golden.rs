//! Our own bytes for a small dataset, format by format: a library that changes its wire format fails here.
//!
//! `WIREWISE_BLESS=1 cargo test --test golden` writes the files anew, for a change that is meant.

use std::any::Any;
use std::path::Path;

use wirewise::dataset::{Dataset, Organization, Person};
use wirewise::registry::Registry;

#[test]
fn every_format_writes_the_bytes_that_it_did() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let bless = std::env::var_os("WIREWISE_BLESS").is_some();
    let organization = Organization::generate(&Organization::spec(3)).unwrap();
    let person = Person::generate(&Person::spec(1)).unwrap();
    let values: [&dyn Any; 2] = [&organization, &person];
    for source in Registry::standard().sources() {
        let payload = values.iter().find_map(|value| source.encode(*value)).unwrap().unwrap();
        let file = folder.join(format!("{}.{}.bin", source.dataset, source.format.name));
        if bless {
            std::fs::write(&file, &payload).unwrap();
        }
        let golden = std::fs::read(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let differs = payload.iter().zip(&golden).position(|(new, old)| new != old);
        assert!(
            payload == golden,
            "{} {} {} writes other bytes than before, from byte {} on ({} bytes, {} before)",
            source.format.name,
            source.format.library,
            source.format.version,
            differs.unwrap_or(payload.len().min(golden.len())),
            payload.len(),
            golden.len()
        );
    }
}
