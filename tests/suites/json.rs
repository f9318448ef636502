//! JSONTestSuite: names start with `y` for what must be read, `n` for what must be refused, `i` for what is left to the reader.

use std::path::Path;

use serde_json::Value;
use wirewise::Payload;
use wirewise::format::json::Json;
use wirewise::format::{Decode, Encode, Format};

use super::{Asked, Came, Outcome, files};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let mut outcome = Outcome { suite: "JSONTestSuite", reader: Json::INFO.name.into(), cases: Vec::new(), exceptions: &[] };
    for (name, bytes) in files(&folder.join("JSONTestSuite/test_parsing")) {
        let asked = match name.as_bytes()[0] {
            b'y' => Asked::Value,
            b'n' => Asked::Refusal,
            _ => Asked::Either,
        };
        outcome.case(name, asked, || comes_back(&bytes));
    }
    for (name, bytes) in files(&folder.join("JSONTestSuite/test_transform")) {
        outcome.case(name, Asked::Either, || comes_back(&bytes));
    }
    vec![outcome]
}

/// What is read is written and read again, and must be the same.
fn comes_back(bytes: &[u8]) -> Came {
    let read: Value = match Json.decode(&Payload::from(bytes)) {
        Ok(value) => value,
        Err(error) => return Came::Refused(error.to_string()),
    };
    let mut sink = Vec::new();
    let again: Result<Value, _> = Json.encode(&read, &mut sink).and_then(|()| Json.decode(&Payload::from(sink)));
    match again {
        Ok(again) if again == read => Came::Passed,
        other => Came::Differed(format!("{read} came back as {other:?}")),
    }
}
