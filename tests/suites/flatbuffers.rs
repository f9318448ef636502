//! FlatBuffers' own test data: buffers of other schemas, whole and damaged.

use std::path::Path;

use wirewise::dataset::Organization;
use wirewise::format::flatbuffers::FlatBuffers;
use wirewise::format::{Access, Decode, Format};
use wirewise::{Payload, Read};

use super::{Asked, Came, Outcome, files};

/// The identifier of this crate's own schema.
const IDENTIFIER: &[u8; 4] = b"WWOR";

pub fn run(folder: &Path) -> Vec<Outcome> {
    let folder = folder.join("flatbuffers");
    let outcome = |suite, exceptions| Outcome { suite, reader: FlatBuffers::INFO.name.into(), cases: Vec::new(), exceptions };
    let mut strangers = outcome("flatbuffers", &[]);
    let mut disguised = outcome(
        "flatbuffers, with our identifier",
        &[(
            "unicode_test.mon",
            "decoding refuses bytes behind the last object that it knows; access, which only validates, does not look for them",
        )],
    );
    for (name, bytes) in files(&folder).into_iter().chain(files(&folder.join("annotated_binary_invalid"))) {
        // Another schema's buffer is told by its identifier, and with ours in its place the verifier has to prove that it is safe to read.
        strangers.case(&name, Asked::Refusal, || read(&bytes));
        if bytes.len() >= 8 {
            let patched = [&bytes[..4], IDENTIFIER, &bytes[8..]].concat();
            disguised.case(&name, Asked::Either, || read(&patched));
        }
    }
    vec![strangers, disguised]
}

/// Decodes, and reads every field in place: both must say the same.
fn read(bytes: &[u8]) -> Came {
    let payload = Payload::from(bytes);
    let mut format = FlatBuffers::default();
    let decoded: Result<u64, _> = format.decode(&payload).and_then(|value: Organization| value.checksum());
    let accessed = Access::<Organization>::access(&mut format, &payload).and_then(|view| view.checksum());
    match (decoded, accessed) {
        (Ok(decoded), Ok(accessed)) if decoded == accessed => Came::Passed,
        (Err(error), Err(_)) => Came::Refused(error.to_string()),
        (decoded, accessed) => Came::Differed(format!("decoded: {decoded:?}, accessed: {accessed:?}")),
    }
}
