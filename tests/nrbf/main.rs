//! BinaryFormatter's payloads: what .NET wrote, what its own decoder says of damaged ones, and what nobody should write.

#![allow(missing_docs)]
#![cfg(feature = "nrbf")]

#[path = "../support/vectors.rs"]
#[allow(dead_code)]
mod vectors;

mod hostile;
mod streams;
mod verdicts;
mod written;

use wirewise::format::nrbf::Nrbf;
use wirewise::format::{Decode, Encode};
use wirewise::graph::{Graph, View, write_json};
use wirewise::{Payload, Result};

pub fn read(bytes: &[u8]) -> Result<Graph> {
    Nrbf.decode(&Payload::from(bytes))
}

pub fn write(graph: &Graph) -> Result<Vec<u8>> {
    let mut sink = Vec::new();
    Nrbf.encode(graph, &mut sink)?;
    Ok(sink)
}

pub fn json(graph: &Graph, view: View) -> String {
    let mut text = Vec::new();
    write_json(graph, view, &mut text).expect("a vector takes everything");
    String::from_utf8(text).expect("JSON is UTF-8")
}
