//! `wirewise decode`, `encode` and `convert` as a user runs them.

// Every test goes from JSON or to it.
#![cfg(all(feature = "cli", feature = "json"))]

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use wirewise::Registry;
use wirewise::dataset::{Dataset, Organization, Spec};
use wirewise::registry::{Source, Stock};

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
    serde_json::to_string(&Organization::generate(&Spec::of::<Organization>(members)).unwrap()).unwrap()
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
        let payload = source.payload(&mut stock, &Spec::of::<Organization>(3)).unwrap();
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
