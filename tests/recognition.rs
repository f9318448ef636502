//! What bytes are recognised as: those that the formats and codecs write here, and those that others write.

use wirewise::dataset::{Dataset, Organization, Spec};
use wirewise::envelope;
use wirewise::recognition::{Kind, Recognition, recognise};
use wirewise::registry::{Registry, Stock};

/// Nothing, or the kind, whether it is certain, and where it was seen.
type Expected = Option<(Kind, bool, usize)>;

const CERTAIN: bool = true;
const GUESS: bool = false;

fn check(name: &str, bytes: &[u8], expected: Expected) {
    let found = recognise(bytes).map(|Recognition { kind, certain, offset, .. }| (kind, certain, offset));
    assert_eq!(found, expected, "{name}: {:02x?}", &bytes[..bytes.len().min(32)]);
}

#[test]
fn what_others_write() {
    use Kind::*;
    let mut sealed = Vec::new();
    envelope::Envelope { format: *b"mine", schema_hash: 1, version: 1, least_reader_version: 1, layout: 0 }.seal(b"{}", &mut sealed);
    let table: [(&str, &[u8], Expected); 57] = [
        ("nothing", b"", None),
        ("one byte", b"\x01", None),
        ("an envelope, whatever is in it", &sealed, Some((Envelope, CERTAIN, 0))),
        ("zstd", b"\x28\xB5\x2F\xFD\x20\x01\x09\x00\x00A", Some((ZstdFrame, CERTAIN, 0))),
        ("zstd's magic number alone", b"\x28\xB5\x2F\xFD", Some((ZstdFrame, CERTAIN, 0))),
        ("a piece of zstd's magic number, which is a field too", b"\x28\xB5\x2F", Some((Protobuf, GUESS, 0))),
        ("the first skippable frame", b"\x50\x2A\x4D\x18\0\0\0\0", Some((SkippableFrame, CERTAIN, 0))),
        ("the last skippable frame", b"\x5F\x2A\x4D\x18\0\0\0\0", Some((SkippableFrame, CERTAIN, 0))),
        ("none of the skippable frames", b"\x60\x2A\x4D\x18\0\0\0\0", None),
        ("an LZ4 frame", b"\x04\x22\x4D\x18\x60\x40\x82", Some((Lz4Frame, CERTAIN, 0))),
        ("an LZ4 block of literals", b"\x05\0\0\0\x50abcde", Some((Lz4Block, GUESS, 0))),
        ("an LZ4 block with a match that reaches too far back", b"\x14\0\0\0\x1Fa\x02\0\0\x00", None),
        ("an LZ4 block with a match and literals", b"\x19\0\0\0\x1Fa\x01\0\0\x50aaaaa", Some((Lz4Block, GUESS, 0))),
        ("an LZ4 block of another size", b"\x06\0\0\0\x50abcde", None),
        ("gzip", b"\x1F\x8B\x08\0\0\0\0\0\0\x03", Some((Gzip, CERTAIN, 0))),
        ("another method of gzip", b"\x1F\x8B\x07\0", None),
        ("BinaryFormatter", b"\0\x01\0\0\0\xFF\xFF\xFF\xFF\x01\0\0\0\0\0\0\0\x0B", Some((BinaryFormatter, CERTAIN, 0))),
        ("BinaryFormatter, version 2", b"\0\x01\0\0\0\xFF\xFF\xFF\xFF\x02\0\0\0\0\0\0\0\x0B", None),
        ("our identifier", b"\x0C\0\0\0WWOR", Some((FlatBuffers, CERTAIN, 4))),
        ("our identifier behind a size", b"\x0C\0\0\0\x0C\0\0\0WWOR\0\0\0\0", Some((SizePrefixedFlatBuffers, CERTAIN, 0))),
        ("another FlatBuffer", b"\x08\0\0\0\x04\0\x04\0\x04\0\0\0", Some((FlatBuffers, GUESS, 0))),
        ("another FlatBuffer behind its size", b"\x0C\0\0\0\x08\0\0\0\x04\0\x04\0\x04\0\0\0", Some((SizePrefixedFlatBuffers, GUESS, 0))),
        ("Cap'n Proto", b"\0\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\0\0\0\0", Some((CapnProto, CERTAIN, 0))),
        ("Cap'n Proto, and a word more", b"\0\0\0\0\x02\0\0\0\0\0\0\0\x01\0\0\0\x07\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", None),
        (
            "Cap'n Proto, two segments",
            b"\x01\0\0\0\x01\0\0\0\x01\0\0\0\0\0\0\0\x02\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0",
            Some((CapnProto, CERTAIN, 0)),
        ),
        ("Cap'n Proto, packed", b"\x10\x02\x10\x01\x01\x07", Some((CapnProtoPacked, GUESS, 0))),
        ("JSON", b"{\"Id\":1}", Some((Json, CERTAIN, 0))),
        ("an empty JSON object", b"{ }", Some((Json, CERTAIN, 0))),
        ("JSON behind white space", b" \r\n\t[ {", Some((Json, CERTAIN, 4))),
        ("JSON behind a byte order mark", b"\xEF\xBB\xBF{\"Id\":1}", Some((Json, CERTAIN, 3))),
        ("a list of numbers", b"[-1]", Some((Json, CERTAIN, 0))),
        ("a brace and no name", b"{x}", None),
        ("a JSON string", b"\"a\"", Some((Json, GUESS, 0))),
        ("a quotation mark", b"\"", None),
        ("a JSON number", b"-1.5e3\n", Some((Json, GUESS, 0))),
        ("a JSON literal", b"null", Some((Json, GUESS, 0))),
        ("a word", b"nil", None),
        ("white space", b"   ", None),
        ("XML", b"<Person xmlns=\"x\"/>", Some((Xml, CERTAIN, 0))),
        ("XML with a declaration behind a byte order mark", b"\xEF\xBB\xBF<?xml version=\"1.0\"?>", Some((Xml, CERTAIN, 3))),
        ("less than", b"< 5", None),
        ("a map of MessagePack", b"\x82\xA2Id\x01\xA4Name\xC0", Some((MessagePack, GUESS, 0))),
        ("an array of MessagePack", b"\x93\x01\x91\xA1a\xC0", Some((MessagePack, GUESS, 0))),
        ("a long array of MessagePack", b"\xDC\0\x02\xCA\0\0\0\0\xD4\x05\x06", Some((MessagePack, GUESS, 0))),
        ("MessagePack that ends early", b"\x93\x01\x91\xA1", None),
        ("MessagePack and a byte more", b"\x91\x01\x01", None),
        ("an array of MessagePack longer than its bytes", b"\xDD\xFF\xFF\xFF\xFF\x01", None),
        ("Lz4Block", b"\xC7\x12\x63\xD2\0\0\0\x40\x3F\xD9\x3E\x61", Some((MessagePackLz4, CERTAIN, 0))),
        ("Lz4Block in a long extension", b"\xC9\0\0\0\x12\x63\xD2\0\0\0\x40", Some((MessagePackLz4, CERTAIN, 0))),
        ("Lz4BlockArray", b"\x92\xD4\x62\x40\xC6\0\0\0\x0D", Some((MessagePackLz4, CERTAIN, 1))),
        ("Lz4BlockArray of many", b"\xDC\0\x20\xC7\x40\x62\xCD\x80\0", Some((MessagePackLz4, CERTAIN, 3))),
        ("another extension", b"\x92\xD4\x61\x40\x01", Some((MessagePack, GUESS, 0))),
        ("Protocol Buffers", b"\x08\x02\x12\x03abc", Some((Protobuf, GUESS, 0))),
        ("field 0", b"\x00\x02\x12\x03abc", None),
        ("a field longer than its bytes", b"\x12\x04abc", None),
        ("the article's layout", b"\x01\0\0\0\x01\0\0\0\x01\0\0\0a\0\0\0\0", Some((Custom, GUESS, 0))),
        ("BinaryWriter", b"\x01\0\0\0\x01\0\0\0\x01a\0\0\0\0", Some((BinaryWriter, GUESS, 0))),
    ];
    for (name, bytes, expected) in table {
        check(name, bytes, expected);
    }
}

/// Which kind a layout is, by the name that both have for it; whether there is a magic number is the layout's own.
#[test]
fn what_the_formats_and_codecs_write() {
    const NO_MAGIC_NUMBER: [Kind; 6] =
        [Kind::MessagePack, Kind::Protobuf, Kind::Custom, Kind::BinaryWriter, Kind::CapnProtoPacked, Kind::Lz4Block];
    let kind = |wire_format: &str| Kind::ALL.iter().copied().find(|kind| kind.wire_format() == Some(wire_format));
    let registry = Registry::standard();
    let mut stock = Stock::default();
    for (members, variant) in [(0, "zh"), (1, "zh"), (3, "en"), (1_000, "ja")] {
        let spec = Spec { variant: variant.to_owned(), ..Organization::spec(members) };
        for source in registry.sources().iter().filter(|source| source.dataset == Organization::NAME) {
            let payload = source.payload(&mut stock, &spec).unwrap();
            let name = format!("{members} members in {}", source.format.name);
            let Some(kind) = kind(source.format.wire_format) else {
                // What has no magic number and no head may be guessed to be anything, but nothing for certain.
                assert!(recognise(&payload).is_none_or(|found| !found.certain), "{name}: {:?}", recognise(&payload));
                continue;
            };
            let found = recognise(&payload).unwrap_or_else(|| panic!("{name}: nothing"));
            assert_eq!((found.kind, found.certain), (kind, !NO_MAGIC_NUMBER.contains(&kind)), "{name}");
        }
    }
    for info in registry.codecs() {
        let mut compressed = Vec::new();
        for bytes in [&b"wire"[..], b"wirewire, and wirewire again, and wirewire once more"] {
            registry.new_codec(&info.name).unwrap().compress(bytes, &mut compressed).unwrap();
            // Blocks behind an index have no magic number of their own.
            let Some(kind) = kind(&info.wire_format) else {
                assert!(recognise(&compressed).is_none_or(|found| !found.certain), "{}: {:?}", info.name, recognise(&compressed));
                continue;
            };
            let found = recognise(&compressed).unwrap_or_else(|| panic!("{}: nothing", info.name));
            assert_eq!((found.kind, found.certain), (kind, !NO_MAGIC_NUMBER.contains(&kind)), "{}", info.name);
        }
    }
}

/// A hint for an error is made of bytes that are not what they should be: no cut and no changed byte makes it fail.
#[test]
fn no_bytes_are_too_damaged_to_look_at() {
    let registry = Registry::standard();
    let mut stock = Stock::default();
    let spec = Organization::spec(2);
    for source in registry.sources().iter().filter(|source| source.dataset == Organization::NAME) {
        let payload = source.payload(&mut stock, &spec).unwrap();
        for cut in 0..payload.len() {
            let _ = recognise(&payload[..cut]);
        }
        let mut changed = payload.to_vec();
        for at in 0..changed.len() {
            for value in [0, 0x7F, 0x80, 0xFF] {
                let before = std::mem::replace(&mut changed[at], value);
                if let Some(found) = recognise(&changed) {
                    assert!(found.offset < changed.len(), "{found}");
                }
                changed[at] = before;
            }
        }
    }
}

#[test]
fn a_recognition_says_whether_it_is_a_guess() {
    for (bytes, text) in [
        (&b"\x28\xB5\x2F\xFD"[..], "a zstd frame (the magic number 28 B5 2F FD at byte 0)"),
        (b"\xEF\xBB\xBF{}", "JSON (an opening brace and a name at byte 3)"),
        (b"\x91\x01", "perhaps MessagePack (the head of an array or a map, and items that fit it at byte 0)"),
    ] {
        assert_eq!(recognise(bytes).unwrap().to_string(), text);
    }
}
