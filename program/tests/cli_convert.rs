//! `wirewise decode`, `encode` and `convert` as a user runs them.

// Every test goes from JSON or to it.
#![cfg(feature = "json")]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wirewise::Registry;
use wirewise::dataset::{Dataset, Organization};
use wirewise::registry::{Source, Stock};

#[cfg(all(feature = "protobuf-net", feature = "nrbf"))]
#[path = "../../tests/support/vectors.rs"]
#[allow(dead_code)]
mod vectors;

fn wirewise(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_wirewise"));
    command.args(arguments).current_dir(folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that has refused its arguments reads nothing.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().unwrap()
}

/// What it wrote, and what it said.
fn succeeds(folder: &Path, arguments: &[&str], input: &[u8]) -> (Vec<u8>, String) {
    let Output { status, stdout, stderr } = wirewise(folder, arguments, input);
    let said = String::from_utf8(stderr).unwrap();
    assert!(status.success(), "wirewise {arguments:?}: {said}");
    (stdout, said)
}

fn fails(folder: &Path, arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = wirewise(folder, arguments, input);
    assert!(!status.success(), "wirewise {arguments:?} succeeded");
    assert!(stdout.is_empty(), "wirewise {arguments:?} wrote {} bytes before it failed", stdout.len());
    (status.code(), String::from_utf8(stderr).unwrap())
}

fn json(members: usize) -> String {
    serde_json::to_string(&Organization::generate(&Organization::spec(members)).unwrap()).unwrap()
}

fn sources(registry: &Registry) -> impl Iterator<Item = &Source> {
    registry.sources().iter().filter(|source| source.dataset == Organization::NAME)
}

/// JSON → the format → JSON, by the format's name and, where the bytes or the file's name tell it, without.
#[test]
fn every_format_is_written_and_read_back() {
    let registry = Registry::standard();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(3);
    let mut stock = Stock::default();
    for source in sources(&registry) {
        let name = source.format.name;
        let file = format!("organization.{name}");
        let (nothing, said) = succeeds(path, &["encode", "--format", name, "--out", &file], json.as_bytes());
        assert!(nothing.is_empty());
        let payload = source.payload(&mut stock, &Organization::spec(3)).unwrap();
        assert_eq!(fs::read(path.join(&file)).unwrap(), payload.as_slice(), "{name}");
        assert!(said.contains(&format!("{name}: {} bytes written", payload.len())), "{said}");

        let decode = ["decode", &file, "--format", name, "--dataset", "organization"];
        let (decoded, said) = succeeds(path, &decode, b"");
        assert_eq!(String::from_utf8(decoded).unwrap().trim_end(), json, "{name}");
        assert!(said.contains(&format!("{name}: {} bytes used, 0 left", payload.len())), "{said}");

        // Through a map, and by the name of the file.
        succeeds(path, &["convert", &file, "back.json", "--map"], b"");
        assert_eq!(fs::read_to_string(path.join("back.json")).unwrap(), json, "{name}");
        fs::remove_file(path.join("back.json")).unwrap();
    }
    // Nothing is left of what files are written through.
    let left: Vec<_> = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), sources(&registry).count(), "{left:?}");
}

#[test]
fn what_is_recognised_needs_no_format_and_a_guess_is_called_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(2);
    let registry = Registry::standard();
    for source in sources(&registry) {
        let name = source.format.name;
        let (payload, _) = succeeds(path, &["encode", "--format", name], json.as_bytes());
        let (decoded, said) = succeeds(path, &["decode", "-", "--dataset", "organization"], &payload);
        assert_eq!(String::from_utf8(decoded).unwrap().trim_end(), json, "{name}: {said}");
        let recognised = wirewise::recognition::recognise(&payload);
        let certain = recognised.is_some_and(|found| found.certain && found.kind.wire_format() == Some(source.format.wire_format));
        let layouts = sources(&registry).filter(|other| other.format.wire_format == source.format.wire_format).count();
        assert_eq!(said.contains(" is a guess: "), !certain, "{name}: {said}");
        assert_eq!(said.contains(&format!(", the first of {layouts} formats ")), certain && layouts > 1, "{name}: {said}");
    }
}

#[test]
#[cfg(feature = "zstd")]
fn a_codec_is_recognised_or_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(50);
    succeeds(path, &["encode", "--format", "json", "--codec", "zstd-3", "--out", "organization.json.zstd-3"], json.as_bytes());
    let (decoded, said) = succeeds(path, &["decode", "organization.json.zstd-3"], b"");
    assert_eq!(String::from_utf8(decoded).unwrap().trim_end(), json);
    assert!(said.contains("a zstd frame (the magic number 28 B5 2F FD at byte 0)"), "{said}");
    succeeds(path, &["convert", "organization.json.zstd-3", "again.json.zstd-19"], b"");
    let (decoded, _) = succeeds(path, &["decode", "again.json.zstd-19", "--codec", "zstd", "--format", "json"], b"");
    assert_eq!(String::from_utf8(decoded).unwrap().trim_end(), json);
    // Not with every byte of it.
    let mut frame = fs::read(path.join("again.json.zstd-19")).unwrap();
    frame.pop();
    let (_, said) = fails(path, &["decode", "-"], &frame);
    assert!(said.starts_with("wirewise: zstd, decompress: "), "{said}");
    let (_, said) = fails(path, &["decode", "-", "--codec", "zstd", "--limit", "100"], &frame);
    assert!(said.contains("more than the 100 bytes that are allowed"), "{said}");
}

/// Arguments, standard input, exit code, and what is said of it.
#[test]
fn what_cannot_be_done_is_said_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(1);
    let longer = format!("{json} {json}");
    type Trial<'t> = (&'t [&'t str], &'t [u8], i32, &'t [&'t str]);
    let half_a_frame: &[&str] =
        if cfg!(feature = "lz4") { &["lz4-frame, decompress: at byte 4"] } else { &["this is an LZ4 frame", "json, decode: at byte 0"] };
    let cases: &[Trial] = &[
        (&["decode"], b"", 2, &["<FILE>"]),
        (&["encode"], b"", 2, &["--format <FORMAT>"]),
        (&["decode", "no-such-file"], b"", 1, &["no-such-file", "No such file"]),
        (&["decode", "-", "--format", "jason"], b"{}", 1, &["no format \"jason\"", "json"]),
        (&["decode", "-", "--codec", "gzip"], b"{}", 1, &["no codec \"gzip\""]),
        (&["decode", "-", "--dataset", "people"], b"{}", 1, &["no dataset \"people\"", "organization"]),
        (&["decode", "-"], b"", 1, &["no bytes", "--format"]),
        (&["decode", "-"], b"\x1F\x8B\x08\0\0\0\0\0", 1, &["a gzip stream", "no format here reads that"]),
        (&["decode", "-", "--format", "json"], b"\x28\xB5\x2F\xFD", 1, &["zstd"]),
        (&["decode", "-", "--format", "json"], b"\x04\x22\x4D\x18", 1, half_a_frame),
        (&["decode", "-", "--format", "json"], longer.as_bytes(), 1, &["json, decode: ", "left over after the value"]),
        (&["decode", "-", "--limit", "10"], json.as_bytes(), 1, &["more than the 10 bytes that are allowed"]),
        (&["encode", "--format", "json"], b"{\"Id\":1", 1, &["the JSON of organization", "EOF"]),
        (&["encode", "--format", "json"], b"{\"Id\":\"one\"}", 1, &["the JSON of organization", "i32"]),
        (&["convert", "-", "somewhere"], json.as_bytes(), 1, &["somewhere", "--to"]),
        (&["convert", "-", "no/such/folder/organization.json"], json.as_bytes(), 1, &["no/such/folder"]),
    ];
    for (arguments, input, code, words) in cases {
        let (found, said) = fails(path, arguments, input);
        assert_eq!(found, Some(*code), "{arguments:?}: {said}");
        for word in *words {
            assert!(said.contains(word), "{arguments:?}: {word:?} is not in {said}");
        }
    }
    assert_eq!(fs::read_dir(path).unwrap().count(), 0);
}

/// A conversion that fails leaves what stood there.
#[test]
fn what_is_replaced_is_replaced_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("out.json"), "before").unwrap();
    fails(path, &["encode", "--format", "json", "--out", "out.json"], b"{");
    assert_eq!(fs::read_to_string(path.join("out.json")).unwrap(), "before");
    let json = json(1);
    succeeds(path, &["encode", "--format", "json", "--out", "out.json"], json.as_bytes());
    assert_eq!(fs::read_to_string(path.join("out.json")).unwrap(), json);
    assert_eq!(fs::read_dir(path).unwrap().count(), 1);
}

#[test]
#[cfg(feature = "messagepack")]
fn bytes_after_the_value_are_an_error_unless_they_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(1);
    let (mut payload, _) = succeeds(path, &["encode", "--format", "messagepack-array"], json.as_bytes());
    let used = payload.len();
    payload.extend(b"more");
    let decode = ["decode", "-", "--format", "messagepack-array"];
    let (_, said) = fails(path, &decode, &payload);
    assert!(said.contains("4 bytes are left over after the value"), "{said}");
    let (decoded, said) = succeeds(path, &[&decode[..], &["--allow-trailing"]].concat(), &payload);
    assert_eq!(String::from_utf8(decoded).unwrap().trim_end(), json);
    assert!(said.contains(&format!("{used} bytes used, 4 left")), "{said}");
}

#[test]
#[cfg(feature = "custom")]
fn what_a_format_does_not_keep_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let input = br#"{"Id":1,"Tags":[],"Members":null}"#;
    let (payload, said) = succeeds(folder.path(), &["convert", "-", "-", "--from", "json", "--to", "custom"], input);
    assert_eq!(payload, [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert!(said.contains("custom does not keep all of this value: tags: 0 items → null"), "{said}");
}

/// A graph with its ids and types, the same without them, and as the dataset.
#[test]
#[cfg(feature = "nrbf")]
fn a_graph_is_shown_with_its_ids_and_types_or_plain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let json = json(1);
    let (payload, _) = succeeds(path, &["encode", "--format", "nrbf"], json.as_bytes());
    let (typed, said) = succeeds(path, &["decode", "-"], &payload);
    let typed = String::from_utf8(typed).unwrap();
    assert!(typed.starts_with(r#"{"$id":1,"$type":""#), "{typed}");
    assert!(said.contains("nrbf: a .NET BinaryFormatter stream (a header record of version 1.0 at byte 0)"), "{said}");
    assert!(said.contains(&format!("{} bytes used, 0 left", payload.len())), "{said}");
    let (plain, _) = succeeds(path, &["decode", "-", "--plain"], &payload);
    assert_eq!(String::from_utf8(plain).unwrap().trim_end(), json);

    // An array of one element, which is the array itself.
    let cycle = b"\0\x01\0\0\0\xFF\xFF\xFF\xFF\x01\0\0\0\0\0\0\0\x10\x01\0\0\0\x01\0\0\0\x09\x01\0\0\0\x0B";
    let (shown, _) = succeeds(path, &["decode", "-", "--plain"], cycle);
    assert_eq!(String::from_utf8(shown).unwrap().trim_end(), r#"{"$id":1,"$values":[{"$ref":1}]}"#);
    let (_, said) = fails(path, &["decode", "-", "--format", "nrbf"], &cycle[..cycle.len() - 1]);
    assert!(said.contains("nrbf, decode: at byte 31"), "{said}");
}

#[cfg(feature = "protobuf-net")]
const NODES: &str = r#"{
  "library": "pbn, Version=2.0.0.668, Culture=neutral, PublicKeyToken=null",
  "classes": [
    { "name": "Node", "fields": [
      { "number": 1, "name": "Id", "type": "System.Int32" },
      { "number": 2, "name": "Name", "type": "System.String" },
      { "number": 3, "name": "Next", "type": "Node", "as_reference": true },
      { "number": 4, "name": "Kids", "type": "Node", "as_reference": true, "list": true } ] },
    { "name": "Test", "fields": [{ "number": 1, "name": "Id", "type": "System.Int32" }] },
    { "name": "Dynamics", "fields": [
      { "number": 5, "name": "Shared", "type": "System.Object", "as_reference": true, "dynamic_type": true },
      { "number": 6, "name": "SharedToo", "type": "System.Object", "as_reference": true, "dynamic_type": true } ] } ]
}"#;

#[cfg(feature = "protobuf-net")]
fn bytes(hex: &str) -> Vec<u8> {
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// What protobuf-net 2.0.0.668 wrote, shown by a model of its classes.
#[test]
#[cfg(feature = "protobuf-net")]
fn a_graph_that_does_not_tell_its_classes_is_shown_by_a_model_of_them() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    fs::write(path.join("model.json"), NODES).unwrap();
    let cases: &[(&str, &[&str], &str)] = &[
        (
            "08011201611A0D1001520908021201611A020800",
            &["--plain"],
            r#"{"$id":1,"Id":1,"Name":"a","Next":{"Id":2,"Name":"a","Next":{"$ref":1},"Kids":null},"Kids":null}"#,
        ),
        ("08051A020800", &[], r#"{"$id":1,"$type":"Node, pbn","Id":5,"Name":null,"Next":{"$ref":1},"Kids":null}"#),
        (
            "0801220610015202080922020801",
            &["--plain", "--root", "Node"],
            r#"{"Id":1,"Name":null,"Next":null,"Kids":[{"$id":2,"Id":9,"Name":null,"Next":null,"Kids":null},{"$ref":2}]}"#,
        ),
        ("0A0208010A00", &["--plain", "--root", "list:Test"], r#"[{"Id":1},{"Id":0}]"#),
        (
            "2A4C100120024242546573742C2070626E2C2056657273696F6E3D322E302E302E3636382C2043756C747572653D6E65757472616C2C205075626C69634B6579546F6B656E3D6E756C6C5202080732020801",
            &["--plain", "--root", "Dynamics"],
            r#"{"Shared":{"$id":2,"Id":7},"SharedToo":{"$ref":2}}"#,
        ),
    ];
    for (hex, arguments, expected) in cases {
        let payload = bytes(hex);
        let decode = [&["decode", "-", "--model", "model.json"], *arguments].concat();
        let (shown, said) = succeeds(path, &decode, &payload);
        assert_eq!(String::from_utf8(shown).unwrap().trim_end(), *expected, "{hex}");
        assert!(said.contains(&format!("protobuf-net: {} bytes used, 0 left", payload.len())), "{said}");
    }
    let cycle = bytes(cases[0].0);
    fs::write(path.join("empty.json"), r#"{"classes":[]}"#).unwrap();
    let refused: &[(&[&str], &[u8], &str)] = &[
        (&["--model", "model.json"], &cycle[..cycle.len() - 1], "protobuf-net: at byte "),
        (&["--model", "model.json", "--root", "Nobody"], &cycle, r#"the model: it has no class "Nobody"; there are Node, Test, Dynamics"#),
        (&["--model", "empty.json"], &cycle, "empty.json: the model: it has no class"),
        (&["--model", "missing.json"], &cycle, "missing.json"),
        (&["--model", "model.json", "--format", "json"], &cycle, "the format json takes none; protobuf-net does"),
        (&["--root", "Node"], &cycle, "--model"),
    ];
    for (arguments, payload, reason) in refused {
        let (_, said) = fails(path, &[&["decode", "-"], *arguments].concat(), payload);
        assert!(said.contains(reason), "{arguments:?}: {said}");
    }
}

/// A graph of BinaryFormatter's becomes one with references, and stays what it was.
#[test]
#[cfg(all(feature = "protobuf-net", feature = "nrbf"))]
fn a_graph_becomes_one_of_a_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let model = r#"{"classes":[{"name":"Peer.Node","fields":[
        {"number":1,"name":"Name","type":"System.String"},
        {"number":2,"name":"Next","type":"Peer.Node","as_reference":true},
        {"number":3,"name":"Other","type":"Peer.Node","as_reference":true},
        {"number":4,"name":"Children","type":"Peer.Node","as_reference":true,"list":true}]}]}"#;
    fs::write(path.join("model.json"), model).unwrap();
    let vectors = vectors::Vectors::open("nrbf");
    for name in ["node-self", "node-shared", "node-tree-with-parents"] {
        let payload = vectors.file(&format!("{name}.binaryformatter.bin"));
        let (expected, _) = succeeds(path, &["decode", "-", "--plain"], payload);
        let convert = ["convert", "-", "graph.pb", "--to", "protobuf-net", "--model", "model.json"];
        succeeds(path, &convert, payload);
        let (shown, _) = succeeds(path, &["decode", "graph.pb", "--plain", "--model", "model.json"], b"");
        // Ids are places in the graph, and lists of BinaryFormatter have an object around their array.
        let [shown, expected] = [shown, expected].map(|json| without_numbers(&String::from_utf8(json).unwrap()));
        assert_eq!(shown, expected, "{name}");
    }
    let (_, said) = fails(path, &["convert", "-", "-", "--to", "protobuf-net", "--model", "model.json"], json(1).as_bytes());
    assert!(said.contains("--model: it describes a graph, and json is read as the organization alone"), "{said}");
}

/// JSON whose ids are numbered in the order in which they come.
#[cfg(all(feature = "protobuf-net", feature = "nrbf"))]
fn without_numbers(json: &str) -> String {
    let mut known: Vec<&str> = Vec::new();
    let mut parts = json.split_inclusive(r#"$id":"#).flat_map(|part| part.split_inclusive(r#"$ref":"#));
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(part.len());
        let at = known.iter().position(|id| *id == &part[..end]).unwrap_or_else(|| {
            known.push(&part[..end]);
            known.len() - 1
        });
        text.push_str(&format!("{at}{}", &part[end..]));
    }
    text
}
