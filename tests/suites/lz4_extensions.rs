//! messagepack-csharp-lz4: compressed payloads that claim too much, from the library's own tests.

use std::path::Path;

use wirewise::Payload;
use wirewise::format::messagepack_csharp::{ArrayLz4Block, ArrayLz4BlockArray, Value};
use wirewise::format::{Decode, Format};
use wirewise::limits::Limits;

use super::{Asked, Came, Outcome, files};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let folder = folder.join("messagepack-csharp-lz4");
    let outcome = |reader: &str| Outcome { suite: "messagepack-csharp-lz4", reader: reader.into(), cases: Vec::new(), exceptions: &[] };
    let (mut one, mut many) = (outcome(ArrayLz4Block::INFO.name), outcome(ArrayLz4BlockArray::INFO.name));
    for (name, bytes) in files(&folder) {
        // Two blocks of four bytes: each is within a limit of seven, and both are not.
        let limit = if name.contains("2x4") { 7 } else { 1 << 20 };
        let mut payload = Payload::from(bytes.as_slice());
        payload.set_limits(Limits { bytes_out: limit, ..Limits::for_payload(bytes.len()) });
        one.case(&name, Asked::Refusal, || came(ArrayLz4Block::default().decode(&payload)));
        many.case(&name, Asked::Refusal, || came(ArrayLz4BlockArray::default().decode(&payload)));
    }
    vec![one, many]
}

fn came(read: wirewise::Result<Value>) -> Came {
    match read {
        Ok(_) => Came::Passed,
        Err(error) => Came::Refused(error.to_string()),
    }
}
