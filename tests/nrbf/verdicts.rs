//! What .NET's own decoder (System.Formats.Nrbf) says of damaged payloads.

use std::collections::BTreeMap;

use wirewise::Problem;
use wirewise::graph::{Graph, Object, Shape, Type, Value};

use crate::read;
use crate::vectors::Vectors;

/// Where the verdicts differ on purpose: a kind, how it is told, and how many there are.
///
/// All are stricter: what refers to nothing cannot be shown or written, and a negative number is none.
const DIFFERENCES: &[(&str, usize)] = &[
    ("a negative number of members, which .NET takes for none", 2),
    ("a reference that leads nowhere, which .NET finds when it is followed", 755),
    ("a reference to a library, which .NET finds when it is followed", 1),
    ("a reference to a negative id, which no object that is referred to has", 64),
];

/// The kind of a payload that only .NET accepts, by why it is refused here.
fn stricter(error: &wirewise::Error) -> String {
    match error.problem() {
        Problem::Malformed(reason) if reason.starts_with("no object with the id") => {
            "a reference that leads nowhere, which .NET finds when it is followed".to_owned()
        }
        Problem::Malformed(reason) if reason.contains("what stands in place is not referred to") => {
            "a reference to a negative id, which no object that is referred to has".to_owned()
        }
        Problem::Malformed(reason) if reason.contains("a negative number") => {
            "a negative number of members, which .NET takes for none".to_owned()
        }
        Problem::Malformed(reason) if reason.ends_with("which is a library") => {
            "a reference to a library, which .NET finds when it is followed".to_owned()
        }
        _ => format!("? {error}"),
    }
}

/// The kind of record that the root is, as far as the verdict tells what was read.
fn root_record(graph: &Graph) -> &'static str {
    let Value::Object(root) = graph.root() else { return "null" };
    match graph.object(root) {
        Object::Text(_) => "BinaryObjectString",
        Object::Instance(_) => "ClassWithMembersAndTypes",
        Object::Array(array) => match (&array.shape, &array.element) {
            (Shape::Vector(_), Type::Object) => "ArraySingleObject",
            (Shape::Vector(_), Type::Text) => "ArraySingleString",
            _ => "BinaryArray",
        },
    }
}

fn damaged(payload: &[u8], damage: &str) -> Vec<u8> {
    let mut payload = payload.to_vec();
    match damage.split_once(' ') {
        Some(("cut", len)) => payload.truncate(len.parse().unwrap()),
        Some((_, change)) => {
            let (at, byte) = change.split_once('=').unwrap();
            payload[at.parse::<usize>().unwrap()] = u8::from_str_radix(byte, 16).unwrap();
        }
        None => {}
    }
    payload
}

#[test]
fn damaged_payloads_are_refused_as_dotnet_refuses_them() {
    let vectors = Vectors::open("nrbf");
    let mut agreed = [0, 0];
    let mut differences: BTreeMap<String, (usize, String)> = BTreeMap::new();
    for line in vectors.text("verdicts.tsv").lines() {
        let [_, name, damage, verdict] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let payload = damaged(vectors.file(&format!("{name}.binaryformatter.bin")), damage);
        let kind = match (read(&payload), verdict.starts_with("ok")) {
            (Ok(graph), true) => {
                assert!(verdict.ends_with(root_record(&graph)), "{line}: {}", root_record(&graph));
                agreed[0] += 1;
                continue;
            }
            (Err(_), false) => {
                agreed[1] += 1;
                continue;
            }
            (Err(error), true) => stricter(&error),
            (Ok(_), false) => format!("? accepted here: {name} {damage} {verdict}"),
        };
        differences.entry(kind).or_insert_with(|| (0, line.to_owned())).0 += 1;
    }
    println!("{} accepted by both, {} refused by both, {differences:#?}", agreed[0], agreed[1]);
    let found: Vec<(&str, usize)> = differences.iter().map(|(kind, (count, _))| (kind.as_str(), *count)).collect();
    assert_eq!(found, DIFFERENCES, "{differences:#?}");
}
