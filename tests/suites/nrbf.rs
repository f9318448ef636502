//! Streams that BinaryFormatter wrote, and two that a fuzzer found. tests/nrbf compares their values; here they are counted with the others.

use std::path::Path;

use wirewise::Payload;
use wirewise::format::nrbf::{self, Nrbf};
use wirewise::format::{Decode, Encode, Format};
use wirewise::graph::{Graph, View, write_json};

use super::{Asked, Came, Outcome, files};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let folder = folder.join("nrbf");
    let outcome = |suite, exceptions| Outcome { suite, reader: Nrbf::INFO.name.into(), cases: Vec::new(), exceptions };
    let mut corefx = outcome("nrbf/corefx", &[]);
    for (name, bytes) in files(&folder.join("corefx")) {
        corefx.case(name, Asked::Value, || comes_back(&bytes));
    }
    let mut others = outcome(
        "nrbf, of others",
        &[
            ("method_call.nrbf", "a remoting call: .NET's own decoder refuses it too"),
            ("method_return.nrbf", "the answer to a remoting call: .NET's own decoder refuses it too"),
        ],
    );
    for of in ["nrbf-rs", "tvarney"] {
        for (name, bytes) in files(&folder.join(of)) {
            // Some go on behind their first stream.
            others.case(name, Asked::Value, || match nrbf::read(&bytes) {
                Ok((_, used)) => comes_back(&bytes[..used]),
                Err(error) => Came::Refused(error.to_string()),
            });
        }
    }
    let mut crashers = outcome("nrbf/runtime_fuzz", &[]);
    for (name, bytes) in files(&folder.join("runtime_fuzz")) {
        crashers.case(name, Asked::Refusal, || comes_back(&bytes));
    }
    vec![corefx, others, crashers]
}

/// The graph that is read is written and read again, and shows the same.
fn comes_back(bytes: &[u8]) -> Came {
    let graph: Graph = match Nrbf.decode(&Payload::from(bytes)) {
        Ok(graph) => graph,
        Err(error) => return Came::Refused(error.to_string()),
    };
    let mut sink = Vec::new();
    let again: Result<Graph, _> = Nrbf.encode(&graph, &mut sink).and_then(|()| Nrbf.decode(&Payload::from(sink)));
    match again {
        Ok(again) if shown(&again) == shown(&graph) => Came::Passed,
        Ok(_) => Came::Differed("another graph came back".into()),
        Err(error) => Came::Differed(format!("what was written of it is refused: {error}")),
    }
}

fn shown(graph: &Graph) -> Vec<u8> {
    let mut text = Vec::new();
    write_json(graph, View::Plain, &mut text).expect("a vector takes everything");
    text
}
