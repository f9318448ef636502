//! Messages of other schemas in Cap'n Proto and Protocol Buffers. Neither format tells its schema, so what is asked is that the framing is
//! understood, or refused where it is another one, and that a message of another type is refused or read safely.

use std::path::Path;

use wirewise::Payload;
use wirewise::dataset::{Dataset, Organization};
use wirewise::registry::Registry;

use super::{Asked, Came, Outcome, files};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let mut outcomes = Vec::new();
    #[cfg(feature = "capnp")]
    outcomes.extend(framings(&files(&folder.join("capnp-testdata"))));
    for source in Registry::standard().sources().iter().filter(|source| source.dataset == Organization::NAME) {
        let (suite, asked): (_, fn(&str) -> Asked) = match source.format.wire_format {
            "Cap'n Proto" | "Cap'n Proto, packed" => ("capnp-testdata", |_| Asked::Either),
            // Its field is none of the dataset's, so what is in it is nobody's business.
            "Protocol Buffers" => ("protobuf", |name| if name == "bad_utf8_string" { Asked::Either } else { Asked::Refusal }),
            _ => continue,
        };
        let exceptions = exceptions(suite, source.format.name);
        let mut outcome = Outcome { suite, reader: format!("{}, as the dataset", source.format.name), cases: Vec::new(), exceptions };
        for (name, bytes) in files(&folder.join(suite)) {
            let payload = Payload::from(bytes);
            let read = || source.readings().iter().map(|reading| reading.checksum(&payload)).collect::<Result<Vec<u64>, _>>();
            let asked = asked(&name);
            outcome.case(name, asked, || read().map_or_else(|error| Came::Refused(error.to_string()), |_| Came::Passed));
        }
        outcomes.push(outcome);
    }
    outcomes
}

/// What a format does as the library does whose bytes it reads.
fn exceptions(suite: &str, format: &str) -> &'static [(&'static str, &'static str)] {
    const UNKNOWN: &str = "as Google.Protobuf for C# does, a field of another wire type is taken for an unknown one";
    match (suite, format) {
        ("protobuf", "google-protobuf") => &[("golden_message", UNKNOWN), ("golden_packed_fields_message", UNKNOWN)],
        _ => &[],
    }
}

/// Which file is in which framing, by its name, and whether each reader sees it.
#[cfg(feature = "capnp")]
fn framings(files: &[(String, Vec<u8>)]) -> [Outcome; 2] {
    use wirewise::format::Format;
    use wirewise::format::capnp::{Capnp, Packed, Packing, Plain};

    fn framing<P: Packing>(files: &[(String, Vec<u8>)], own: &[&str]) -> Outcome
    where
        Capnp<P>: Format,
    {
        let reader = format!("{}, the framing", Capnp::<P>::INFO.name);
        let mut outcome = Outcome { suite: "capnp-testdata", reader, cases: Vec::new(), exceptions: &[] };
        for (name, bytes) in files {
            // In another framing a file may be one by chance; only its reading tells.
            let asked = if own.contains(&name.as_str()) { Asked::Value } else { Asked::Either };
            outcome.case(name, asked, || match P::read(&Payload::from(bytes.as_slice())) {
                Ok((_, 0)) => Came::Passed,
                Ok((_, left)) => Came::Refused(format!("{left} bytes are left over")),
                Err(error) => Came::Refused(error.to_string()),
            });
        }
        outcome
    }
    [
        framing::<Plain>(files, &["binary", "segmented", "lists.binary", "annotated-json.binary"]),
        framing::<Packed>(files, &["packed", "segmented-packed"]),
    ]
}
