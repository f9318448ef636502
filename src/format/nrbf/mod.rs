//! What .NET's BinaryFormatter writes: the .NET Remoting Binary Format, MS-NRBF.
//!
//! A payload is a list of records that describe a graph of objects with their types. BinaryFormatter reads it by making any type that the
//! payload names, which is why it was withdrawn. Here no type is looked for: a payload becomes a [`Graph`], in time linear in its bytes,
//! without the call stack growing, and with no more memory than its bytes account for, whatever it announces. Only
//! [`Organization`] has a short cut past the graph, through the same reader of records.
//!
//! Source: Microsoft's \[MS-NRBF\], and payloads that .NET wrote. What .NET's own decoder (System.Formats.Nrbf) refuses is refused:
//! remoting calls and classes without types of members (records 2, 3, 21, 22), members of the same name, ids that are given twice, names
//! that are no names. Beyond that, references that lead nowhere are refused here, and bytes behind the last record. Arrays whose first
//! index is not 0, which that decoder does not know, are read.

mod bytes;
mod organization;
mod reader;
mod records;
mod type_name;
mod writer;

use super::{Decode, DecodePrefix, Encode, Format, Info, trailing};
use crate::dataset::Organization;
use crate::error::Result;
use crate::graph::Graph;
use crate::limits::Limits;
use crate::operation::Operation;
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "nrbf";

/// BinaryFormatter's layout.
#[derive(Debug, Default)]
pub struct Nrbf;

impl Format for Nrbf {
    const INFO: Info = Info {
        name: NAME,
        wire_format: ".NET BinaryFormatter (MS-NRBF)",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "types and members by name; objects have ids, so references and cycles are kept",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry.declare::<Nrbf, Organization>().encode().decode().decode_prefix().graphs().at_least_megabytes(Operation::Decode, 200.0);
}

/// Whether bytes start as every payload does.
pub fn is_nrbf(bytes: &[u8]) -> bool {
    bytes.first() == Some(&records::record::HEADER) && bytes.get(9..17) == Some(&[1, 0, 0, 0, 0, 0, 0, 0])
}

/// Reads the graph at the start of `bytes`, and tells how many of them it took.
///
/// # Errors
///
/// The bytes do not start with a graph.
pub fn read(bytes: &[u8]) -> Result<(Graph, usize)> {
    reader::read(bytes, &Limits::for_payload(bytes.len()))
}

impl Decode<Graph> for Nrbf {
    fn read(&mut self, payload: &Payload) -> Result<Graph> {
        let (graph, used) = self.read_prefix(payload)?;
        trailing(NAME, payload, used)?;
        Ok(graph)
    }
}

impl DecodePrefix<Graph> for Nrbf {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Graph, usize)> {
        reader::read(payload, &payload.limits())
    }
}

impl Encode<Graph> for Nrbf {
    fn encode(&mut self, value: &Graph, sink: &mut Vec<u8>) -> Result<()> {
        writer::write(value, sink)
    }
}
