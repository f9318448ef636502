//! What nobody should write: payloads that are cut, changed, or made to ask for more than they hold.

use std::time::Instant;

use wirewise::dataset::Organization;
use wirewise::format::Decode;
use wirewise::format::nrbf::Nrbf;
use wirewise::graph::{Elements, Graph, Object, Run, Value, View};
use wirewise::{Payload, Problem};

use crate::vectors::Vectors;
use crate::{json, read, write};

const HEADER: &[u8] = &[0, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0];

/// A payload of these records.
fn payload(records: &[&[u8]]) -> Vec<u8> {
    let mut bytes = HEADER.to_vec();
    records.iter().for_each(|record| bytes.extend_from_slice(record));
    bytes
}

/// Walks every part of what was accepted.
fn walk(graph: &Graph) {
    assert!(!json(graph, View::Plain).is_empty());
    assert!(!json(graph, View::Typed).is_empty());
    // What is refused here is what BinaryFormatter could not have written.
    if let Ok(written) = write(graph) {
        read(&written).unwrap();
    }
}

fn small_vectors(vectors: &Vectors) -> impl Iterator<Item = (&str, &[u8])> {
    let payloads = vectors.names().filter(|name| name.ends_with(".bin"));
    payloads.map(|name| (name, vectors.file(name))).filter(|(_, bytes)| bytes.len() < 4000)
}

#[test]
fn a_payload_that_is_cut_anywhere_is_refused() {
    let vectors = Vectors::open("nrbf");
    let mut count = 0;
    for (name, bytes) in small_vectors(&vectors) {
        for len in 0..bytes.len() {
            let cut = Payload::from(&bytes[..len]);
            let error = Nrbf.decode(&cut).map(|_: Graph| ()).expect_err(name);
            assert!(error.offset().is_some_and(|offset| offset <= len), "{name} cut at {len}: {error}");
            assert!(Decode::<Organization>::decode(&mut Nrbf, &cut).is_err(), "{name} cut at {len}");
            count += 1;
        }
        let longer = [bytes, b"\0"].concat();
        assert_eq!(read(&longer).unwrap_err().problem(), &Problem::Trailing { left: 1 });
    }
    println!("{count} payloads that are cut short are refused");
}

#[test]
fn a_changed_byte_is_no_panic() {
    let vectors = Vectors::open("nrbf");
    let (mut count, mut accepted) = (0, 0);
    for (_, bytes) in small_vectors(&vectors).filter(|(_, bytes)| bytes.len() < 1300) {
        for at in 0..bytes.len() {
            for change in [0x00, 0xFF, bytes[at] ^ 1, bytes[at] ^ 0x80, bytes[at].wrapping_add(1)] {
                let mut changed = bytes.to_vec();
                changed[at] = change;
                if let Ok(graph) = read(&changed) {
                    walk(&graph);
                    accepted += 1;
                }
                let _: Result<Organization, _> = Nrbf.decode(&Payload::from(changed));
                count += 1;
            }
        }
    }
    println!("{count} changed payloads, {accepted} of them accepted");
}

#[test]
fn what_cannot_be_is_refused_with_its_reason() {
    let text = |id: u8, text: &[u8]| [&[6, id, 0, 0, 0, text.len() as u8], text].concat();
    let class = |names: &[&str], rest: &[u8]| {
        let mut bytes = vec![4, 1, 0, 0, 0, 1, b'C', names.len() as u8, 0, 0, 0];
        for name in names {
            bytes.push(name.len() as u8);
            bytes.extend_from_slice(name.as_bytes());
        }
        [&bytes, rest].concat()
    };
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("empty", Vec::new(), "1 more bytes"),
        ("no header", vec![1; 40], "where the header should be"),
        ("version 2", [&HEADER[..9], &[2, 0, 0, 0, 0, 0, 0, 0, 11]].concat(), "version 2.0"),
        ("no root", payload(&[&[11]]), "no object with the id 1"),
        ("the root is a library", payload(&[&[12, 1, 0, 0, 0, 1, b'L', 11]]), "no object with the id 1"),
        ("an id of 0", payload(&[&text(0, b"a"), &[11]]), "an id of 0"),
        ("an id twice", payload(&[&text(1, b"a"), &text(1, b"b"), &[11]]), "a second object with the id 1"),
        ("invalid UTF-8", payload(&[&text(1, b"\xff"), &[11]]), "UTF-8"),
        ("a string of negative length", payload(&[&[6, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 11]]), "0x0f"),
        ("a length of six bytes", payload(&[&[6, 1, 0, 0, 0, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 11]]), "0x80"),
        ("members of one name", payload(&[&class(&["a", "a"], &[2, 2, 10, 10, 11])]), "two members named \"a\""),
        ("a negative number of members", payload(&[&[4, 1, 0, 0, 0, 1, b'C', 255, 255, 255, 255, 11]]), "negative"),
        ("a class without types of members", payload(&[&[2, 1, 0, 0, 0, 1, b'C', 0, 0, 0, 0, 11]]), "record 2 "),
        ("a class of a library without types", payload(&[&[3, 1, 0, 0, 0, 1, b'C', 0, 0, 0, 0, 11]]), "record 3 "),
        ("record 18", payload(&[&[18, 11]]), "record 18 "),
        ("record 20", payload(&[&[20, 11]]), "record 20 "),
        ("a remoting call", payload(&[&[21, 11]]), "record 21 "),
        ("a remoting return", payload(&[&[22, 11]]), "record 22 "),
        ("record 23", payload(&[&[23, 11]]), "record 23 "),
        ("record 255", payload(&[&[255, 11]]), "record 255 "),
        ("a kind of type that is none", payload(&[&class(&["a"], &[8, 11])]), "8 is no kind of types"),
        ("a kind of value that is none", payload(&[&class(&["a"], &[0, 4, 11])]), "4 is no kind of values"),
        ("a string as a kind of value", payload(&[&class(&["a"], &[0, 18, 11])]), "18 is no kind of values"),
        ("an array where a string is declared", payload(&[&class(&["a"], &[1, 17, 2, 0, 0, 0, 0, 0, 0, 0, 11])]), "record 17 "),
        ("a run of nulls in an instance", payload(&[&class(&["a", "b"], &[1, 1, 13, 2, 11])]), "record 13 "),
        ("half a character", payload(&[&class(&["a"], &[0, 3, 0xED, 0xA0, 0x80, 11])]), "UTF-8"),
        ("a character of two units", payload(&[&class(&["a"], &[0, 3, 0xF0, 0x9F, 0x98, 0x80, 11])]), "two code units"),
        ("a time after 9999", payload(&[&class(&["a"], &[0, 13, 255, 255, 255, 255, 255, 255, 255, 63, 11])]), "after the year 9999"),
        ("a decimal that is none", payload(&[&class(&["a"], &[0, 5, 1, b'x', 11])]), "not a decimal"),
        ("a reference to nothing", payload(&[&class(&["a"], &[1, 9, 7, 0, 0, 0, 11])]), "no object with the id 7"),
        ("a reference to what stands in place", payload(&[&class(&["a"], &[1, 9, 254, 255, 255, 255, 11])]), "a reference to -2"),
        ("an instance of no class", payload(&[&text(2, b"a"), &[1, 1, 0, 0, 0, 2, 0, 0, 0, 11]]), "the class of 2"),
        ("a class of no library", payload(&[&[5, 1, 0, 0, 0, 1, b'C', 0, 0, 0, 0, 9, 0, 0, 0, 11]]), "the library 9"),
        ("a name that is none", payload(&[&[4, 1, 0, 0, 0, 2, b'C', b'[', 0, 0, 0, 0, 11]]), "not the name of a type"),
        ("a library's name that is none", payload(&[&[12, 1, 0, 0, 0, 2, b'L', b',', 11]]), "not the name of a library"),
        ("an array of negative length", payload(&[&[16, 1, 0, 0, 0, 255, 255, 255, 255, 11]]), "negative"),
        ("an array longer than .NET's", payload(&[&[16, 1, 0, 0, 0, 255, 255, 255, 127, 11]]), "length of an array"),
        ("rank 0", payload(&[&[7, 1, 0, 0, 0, 0, 0, 0, 0, 0, 2, 11]]), "0 dimensions"),
        ("rank -1", payload(&[&[7, 1, 0, 0, 0, 2, 255, 255, 255, 255, 2, 11]]), "-1 dimensions"),
        ("rank 33", payload(&[&[7, 1, 0, 0, 0, 2, 33, 0, 0, 0, 2, 11]]), "33 dimensions"),
        ("a single array of rank 2", payload(&[&[7, 1, 0, 0, 0, 0, 2, 0, 0, 0, 2, 11]]), "2 dimensions"),
        ("an array of kind 6", payload(&[&[7, 1, 0, 0, 0, 6, 1, 0, 0, 0, 2, 11]]), "kind 6"),
        ("an array of arrays of objects", payload(&[&[7, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 2, 11]]), "an array of arrays"),
        (
            "dimensions that multiply beyond any array",
            payload(&[&[7, 1, 0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 64, 0, 0, 0, 64, 0, 0, 0, 64, 2, 11]]),
            "elements of an array",
        ),
        ("indices beyond an i32", payload(&[&[7, 1, 0, 0, 0, 3, 1, 0, 0, 0, 2, 0, 0, 0, 255, 255, 255, 127, 2, 10, 10, 11]]), "from index"),
        ("more nulls than elements", payload(&[&[16, 1, 0, 0, 0, 2, 0, 0, 0, 13, 3, 11]]), "3 nulls where 2"),
        ("no nulls", payload(&[&[16, 1, 0, 0, 0, 2, 0, 0, 0, 13, 0, 11]]), "0 nulls where 2"),
        ("negative nulls", payload(&[&[16, 1, 0, 0, 0, 2, 0, 0, 0, 14, 255, 255, 255, 255, 11]]), "negative"),
        ("values that are not there", payload(&[&[15, 1, 0, 0, 0, 255, 255, 255, 126, 8, 11]]), "8522825724 more bytes"),
        ("elements that are not there", payload(&[&[16, 1, 0, 0, 0, 255, 255, 255, 126, 11]]), "record 11 "),
    ];
    for (name, bytes, reason) in cases {
        let error = read(bytes).map(|_| ()).expect_err(name);
        assert!(error.to_string().contains(reason), "{name}: {error}");
        assert_eq!(error.format(), "nrbf");
        assert!(error.offset().is_some_and(|offset| offset <= bytes.len()), "{name}: {error}");
        let _: Result<Organization, _> = Nrbf.decode(&Payload::from(bytes.as_slice()));
    }
    println!("{} payloads refused with their reasons", cases.len());
}

#[test]
fn nulls_are_counted_and_not_made() {
    let bytes = payload(&[&[16, 1, 0, 0, 0, 0xC7, 0xFF, 0xFF, 0x7F, 14, 0xC7, 0xFF, 0xFF, 0x7F, 11]]);
    assert!(bytes.len() < 40);
    let start = Instant::now();
    let graph = read(&bytes).unwrap();
    let Object::Array(array) = &graph.objects()[0] else { panic!("an array") };
    assert_eq!(array.elements, Elements::Values([Run::Nulls(0x7FFF_FFC7)].into()));
    assert_eq!(json(&graph, View::Plain), r#"[{"$nulls":2147483591}]"#);
    assert_eq!(write(&graph).unwrap(), bytes);
    assert!(start.elapsed().as_millis() < 500);
}

/// Each instance stands in the one before it, deeper than any call stack goes.
#[test]
fn classes_in_classes_take_no_stack() {
    const DEPTH: i32 = 200_000;
    let mut bytes = payload(&[&[4, 1, 0, 0, 0, 1, b'C', 1, 0, 0, 0, 1, b'a', 2]]);
    for id in 2..DEPTH {
        bytes.push(1);
        // Positive ids stand where they are held, too, as other writers do.
        bytes.extend_from_slice(&if id % 2 == 0 { id } else { -id }.to_le_bytes());
        bytes.extend_from_slice(&1i32.to_le_bytes());
    }
    bytes.extend_from_slice(&[10, 11]);
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(move || {
        let graph = read(&bytes).unwrap();
        assert_eq!(graph.objects().len(), DEPTH as usize - 1);
        walk(&graph);
        let _: Result<Organization, _> = Nrbf.decode(&Payload::from(bytes));
        drop(graph.clone());
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn a_chain_of_10_000_nodes_takes_no_stack() {
    let vectors = Vectors::open("nrbf");
    let bytes = vectors.file("node-chain-10000.binaryformatter.bin").to_vec();
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(move || walk(&read(&bytes).unwrap()));
    thread.unwrap().join().unwrap();
}

#[test]
fn a_reference_to_itself_is_kept() {
    let vectors = Vectors::open("nrbf");
    let graph = read(vectors.file("node-self.binaryformatter.bin")).unwrap();
    let Value::Object(root) = graph.root() else { panic!("an object") };
    let Object::Instance(node) = graph.object(root) else { panic!("an instance") };
    assert_eq!(graph.field(node, "Next"), Some(graph.root()));
}

/// One long string that is held often: a value has no way to share it, and may not grow without end.
#[test]
fn what_is_shared_is_not_copied_without_end() {
    let vectors = Vectors::open("nrbf");
    let empty = vectors.file("organization-null.binaryformatter.bin");
    let head = &empty[..empty.len() - 3];
    let count = 100_000u32;
    let mut bytes = [head, &[9, 3, 0, 0, 0, 10]].concat();
    bytes.extend_from_slice(&[17, 3, 0, 0, 0]);
    bytes.extend_from_slice(&count.to_le_bytes());
    bytes.extend_from_slice(&[6, 4, 0, 0, 0, 0x80, 0x80, 0x04]);
    bytes.extend_from_slice(&[b'x'; 0x1_0000]);
    for _ in 1..count {
        bytes.extend_from_slice(&[9, 4, 0, 0, 0]);
    }
    bytes.push(11);
    read(&bytes).unwrap();
    let error = Decode::<Organization>::decode(&mut Nrbf, &Payload::from(bytes)).unwrap_err();
    assert!(matches!(error.problem(), Problem::Limit { limit: "allocation", .. }), "{error}");
}
