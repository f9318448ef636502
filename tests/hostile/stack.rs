//! Payloads nested a million deep. A call stack that overflows ends the process, so they are read in one of their own.

use std::env;
use std::process::Command;

use wirewise::Payload;
use wirewise::registry::Registry;

#[allow(unused_imports, reason = "which of them is used, the features say")]
use super::{Organization, alone, check, encoded, limited, read, refused, small};

const DEPTH: usize = 1_000_000;
/// Says that this process is the one that may die.
const READS: &str = "WIREWISE_TEST_READS_NESTED";

#[test]
fn a_million_inside_each_other_are_refused_or_read() {
    if env::var_os(READS).is_some() {
        return read_all();
    }
    let _alone = alone();
    let name = "stack::a_million_inside_each_other_are_refused_or_read";
    let mut command = Command::new(env::current_exe().unwrap());
    let output = command.args(["--exact", name, "--nocapture"]).env(READS, "1").output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}: {text}{}", output.status, String::from_utf8_lossy(&output.stderr));
    assert!(text.contains("all of them were read"), "{text}");
}

/// A test has a thread with a stack of 2 MiB.
fn read_all() {
    let _alone = alone();
    #[cfg(feature = "json")]
    {
        let head = br#"{"Id":1,"Tags":null,"Members":null,"X":"#;
        let objects = [head.as_slice(), &br#"{"a":"#.repeat(DEPTH), b"1", &b"}".repeat(DEPTH), b"}"].concat();
        let value = Organization { id: 1, tags: None, members: None };
        check::<wirewise::format::json::Json, _>([
            read("objects in what is passed over", objects, value),
            refused("brackets that do not end in what is passed over", [head.as_slice(), &b"[".repeat(DEPTH)].concat(), "more bytes"),
            refused("brackets where strings are", [br#"{"Id":1,"Tags":"#.as_slice(), &b"[".repeat(DEPTH)].concat(), "string"),
        ]);
    }
    #[cfg(feature = "system-text-json")]
    check::<wirewise::format::system_text_json::SystemTextJson, Organization>([
        limited("brackets in what is passed over", [br#"{"X":"#.as_slice(), &b"[".repeat(DEPTH)].concat(), "depth"),
        limited("objects in what is passed over", br#"{"X":"#.repeat(DEPTH), "depth"),
    ]);
    #[cfg(feature = "messagepack")]
    {
        let passed_over = |item: &[u8]| [&[0x84, 0xA2, b'I', b'd', 1, 0xA1, b'X'][..], &item.repeat(DEPTH)].concat();
        check::<wirewise::format::messagepack::MessagePackMap, Organization>([
            limited("arrays in what is passed over", passed_over(&[0x91]), "depth"),
            limited("maps in what is passed over", passed_over(&[0x81, 0xA1, b'a']), "depth"),
            limited("maps whose names are maps", passed_over(&[0x81]), "depth"),
        ]);
    }
    #[cfg(feature = "messagepack-csharp")]
    {
        use wirewise::format::messagepack_csharp::ArrayPlain;
        let behind = |item: &[u8]| [&[0x94, 0, 0xC0, 0xC0][..], &item.repeat(DEPTH)].concat();
        check::<ArrayPlain, Organization>([
            limited("arrays in what is passed over", behind(&[0x91]), "depth"),
            limited("maps in what is passed over", behind(&[0x81, 0xA1, b'a']), "depth"),
        ]);
    }
    // Field 100 is known to none of them.
    #[cfg(any(feature = "protobuf", feature = "protobuf-net", feature = "google-protobuf"))]
    let groups = || {
        let (open, close) = ([0xA3, 0x06], [0xA4, 0x06]);
        [
            limited("groups that nobody asked for", [open.repeat(DEPTH), close.repeat(DEPTH)].concat(), "depth"),
            limited("groups that do not end", open.repeat(DEPTH), "depth"),
        ]
    };
    #[cfg(feature = "protobuf")]
    check::<wirewise::format::protobuf::Protobuf, Organization>(groups());
    #[cfg(feature = "protobuf-net")]
    check::<wirewise::format::protobuf_net::ProtobufNet, Organization>(groups());
    #[cfg(feature = "google-protobuf")]
    check::<wirewise::format::google_protobuf::GoogleProtobuf, Organization>(groups());
    #[cfg(feature = "datacontract")]
    {
        use wirewise::format::datacontract::DataContract;
        let written = encoded::<DataContract, _>(&small());
        let head = &written[..=super::position(&written, b">")];
        check::<DataContract, Organization>([
            limited("elements in what is passed over", [head, &b"<x>".repeat(DEPTH), &b"</x>".repeat(DEPTH)].concat(), "depth"),
            limited("elements that do not end", [head, &b"<x>".repeat(DEPTH)].concat(), "depth"),
        ]);
    }
    #[cfg(feature = "capnp")]
    {
        use wirewise::format::capnp::{Capnp, Packed, Plain};
        // Each word points at a struct of one pointer, which is the next word.
        let words = |segment: usize| {
            let pointers = std::iter::repeat_n(1u64 << 48, segment).flat_map(u64::to_le_bytes);
            [((segment as u64) << 32).to_le_bytes().to_vec(), pointers.collect()].concat()
        };
        check::<Capnp<Plain>, Organization>([refused("structs of one pointer", words(DEPTH), "capnp")]);
        // The same, packed: of each word one byte is not zero.
        let packed = [&[0x70, 0x40, 0x42, 0x0F][..], &[0x40, 1].repeat(1_000_000)].concat();
        check::<Capnp<Packed>, Organization>([refused("structs of one pointer", packed, "capnp-packed")]);
    }
    #[cfg(feature = "flatbuffers")]
    {
        use wirewise::format::flatbuffers::FlatBuffers;
        // Each word is an offset to the next.
        check::<FlatBuffers, Organization>([refused("offsets to offsets", 4u32.to_le_bytes().repeat(DEPTH), "flatbuffers")]);
    }
    #[cfg(feature = "rkyv")]
    {
        use wirewise::format::rkyv::Rkyv;
        // Each word is a pointer to the one before it.
        check::<Rkyv, Organization>([refused("pointers to pointers", (-4i32).to_le_bytes().repeat(DEPTH), "rkyv")]);
    }
    #[cfg(feature = "nrbf")]
    arrays_of_one();
    every_reading();
    println!("all of them were read");
}

/// Arrays of one object, each in the one before it. A graph of them takes twelve times their bytes, which is refused where nobody vouches for
/// them; where somebody does it is read, and printed, and dropped.
#[cfg(feature = "nrbf")]
fn arrays_of_one() {
    use wirewise::format::Decode;
    use wirewise::format::nrbf::Nrbf;
    use wirewise::graph::{Graph, View, write_json};

    let mut bytes = vec![0, 1, 0, 0, 0, 255, 255, 255, 255, 1, 0, 0, 0, 0, 0, 0, 0];
    for id in 1..=DEPTH as u32 {
        bytes.push(16);
        bytes.extend_from_slice(&id.to_le_bytes());
        bytes.extend_from_slice(&1u32.to_le_bytes());
    }
    bytes.extend_from_slice(&[10, 11]);
    check::<Nrbf, Graph>([limited("arrays of one", bytes.as_slice(), "allocation")]);
    check::<Nrbf, Organization>([refused("arrays of one", bytes.as_slice(), "nrbf")]);
    let graph: Graph = Nrbf.decode(&Payload::from(bytes).trusted()).unwrap();
    assert_eq!(graph.objects().len(), DEPTH);
    let mut json = Vec::new();
    write_json(&graph, View::Plain, &mut json).unwrap();
    assert_eq!(json, [b"[".repeat(DEPTH), b"null".to_vec(), b"]".repeat(DEPTH)].concat());
}

/// What nests in one layout, in every reading of every format: whatever it is taken for, it is refused or read.
fn every_reading() {
    let registry = Registry::standard();
    let nested: [&[u8]; 8] =
        [b"[", br#"{"a":"#, &[0x91], &[0x81, 0xA1, b'a'], &[0xA3, 0x06], &[0x1A, 0x7F], b"<x>", &[0, 0, 0, 0, 0, 0, 1, 0]];
    let mut readings = 0;
    for bytes in nested {
        println!("{bytes:02X?}, again and again");
        let payload = Payload::from(bytes.repeat(DEPTH));
        for source in registry.sources() {
            for reading in source.readings() {
                let _ = reading.checksum(&payload);
                readings += 1;
            }
        }
    }
    assert_eq!(readings > 0, !registry.sources().is_empty());
}
