//! MessagePack for C#: its values, its compressor, and what it reads.

use serde::Serialize;
use wirewise::dataset::{Member, Organization};
use wirewise::format::messagepack_csharp::*;
use wirewise::format::{Decode, Encode};
use wirewise::{Error, Limits, Payload, Problem};

use crate::common::{check_organizations, decoded, encoded, equal, organizations};
use crate::vectors::Vectors;

#[test]
fn every_organization() {
    let vectors = Vectors::open("dotnet");
    check_organizations::<ArrayPlain>(&vectors, "msgpack-keyed", Clone::clone);
    check_organizations::<ArrayLz4Block>(&vectors, "msgpack-keyed-lz4block", Clone::clone);
    check_organizations::<ArrayLz4BlockArray>(&vectors, "msgpack-keyed-lz4blockarray", Clone::clone);
    check_organizations::<MapPlain>(&vectors, "msgpack-contractless", Clone::clone);
    check_organizations::<MapLz4Block>(&vectors, "msgpack-contractless-lz4block", Clone::clone);
    check_organizations::<MapLz4BlockArray>(&vectors, "msgpack-contractless-lz4blockarray", Clone::clone);
}

/// The readers of compressed payloads take either form, and plain payloads.
#[test]
fn each_compressed_form_is_read_by_both() {
    for (name, value) in organizations() {
        let payloads = [
            encoded::<ArrayPlain, _>(&value).unwrap(),
            encoded::<ArrayLz4Block, _>(&value).unwrap(),
            encoded::<ArrayLz4BlockArray, _>(&value).unwrap(),
        ];
        for payload in payloads {
            let one: Organization = decoded::<ArrayLz4Block, _>(&payload).unwrap();
            let other: Organization = decoded::<ArrayLz4BlockArray, _>(&payload).unwrap();
            assert!(format!("{one:?}") == format!("{value:?}") && format!("{other:?}") == format!("{value:?}"), "{name}");
        }
    }
}

fn check(vectors: &Vectors, file: &str, written: &[u8]) {
    let expected = vectors.file(file);
    assert!(
        written == expected,
        "{file}: {} bytes, {} expected, equal as far as {}",
        written.len(),
        expected.len(),
        equal(written, expected)
    );
}

#[test]
fn every_compressed_vector() {
    /// Sebastiano Vigna's generator, as the program that wrote the vectors has it.
    fn draws(mut state: u64) -> impl Iterator<Item = u64> {
        std::iter::from_fn(move || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let z = (state ^ state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
            Some(z ^ z >> 31)
        })
    }
    let noise: Vec<u8> = draws(5).take(200_000).map(|draw| draw as u8).collect();
    let letters: String = noise.iter().map(|byte| char::from(b'a' + byte % 16)).collect();
    let words: String = noise[..40_000].iter().map(|byte| format!("word{} ", byte % 64)).collect();
    let words_list: Vec<Value> = words.split(' ').map(|word| Value::Text(word.to_owned())).collect();
    let mut values = vec![
        ("words".to_owned(), Value::Text(words.clone())),
        ("words-list".to_owned(), Value::Array(words_list)),
        ("run-100000".to_owned(), Value::Text("a".repeat(100_000))),
        ("int-array-20000".to_owned(), Value::Array((0..20_000).map(|i| Value::Integer(i * 37)).collect())),
    ];
    for len in [0, 12, 60, 61, 62, 63, 64, 65, 4080, 4095, 4096, 4097, 32767, 32768, 65535, 65546, 65547, 65548, 131_072, 200_000] {
        values.push((format!("noise-{len}"), Value::Bytes(noise[..len].to_vec())));
        values.push((format!("letters-{len}"), Value::Text(letters[..len].to_owned())));
    }
    let vectors = Vectors::open("dotnet");
    let mut count = 0;
    for (name, value) in &values {
        for (format, written) in
            [("lz4block", encoded::<ArrayLz4Block, _>(value)), ("lz4blockarray", encoded::<ArrayLz4BlockArray, _>(value))]
        {
            let file = format!("lz4-{name}.msgpack-{format}.bin");
            check(&vectors, &file, &written.unwrap());
            assert!(decoded::<ArrayLz4BlockArray, Value>(vectors.file(&file)).unwrap() == *value, "{file}");
            count += 1;
        }
    }
    println!("{count} compressed payloads written byte for byte and read");
    assert_eq!(count, vectors.names().filter(|name| name.starts_with("lz4-")).count());
}

/// A state that has written something else writes the same.
#[test]
fn the_bytes_do_not_depend_on_what_was_written_before() {
    let mut format = ArrayLz4BlockArray::default();
    let mut sink = Vec::new();
    let organizations = organizations();
    for (_, value) in organizations.iter().chain(organizations.iter().rev()) {
        format.encode(value, &mut sink).unwrap();
        assert!(sink == encoded::<ArrayLz4BlockArray, _>(value).unwrap());
        let back: Organization = format.decode(&Payload::from(sink.as_slice())).unwrap();
        assert_eq!(format!("{back:?}"), format!("{value:?}"));
    }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn scalars_set() -> Value {
    let when = Timestamp { seconds: 1_702_220_473, nanoseconds: 712_000_300 };
    Value::Array(vec![
        Value::Timestamp(when),
        text("00112233-4455-6677-8899-aabbccddeeff"),
        text("1.10"),
        Value::Bytes(vec![0, 255]),
        // No property has key 4.
        Value::Nil,
        Value::Map(vec![(text("one"), Value::Integer(1))]),
        Value::Integer(-7),
        Value::Integer(2),
        Value::Single(1.5),
        Value::Integer('测' as i64),
        Value::Integer(90 * 60 * 10_000_000),
        // 23:01:13 at eight hours before UTC's 15:01:13.
        Value::Array(vec![Value::Timestamp(Timestamp { seconds: 1_702_249_273, nanoseconds: 0 }), Value::Integer(480)]),
    ])
}

fn scalars_unset() -> Value {
    let epoch = Value::Timestamp(Timestamp { seconds: 0, nanoseconds: 0 });
    let zero = Value::Integer(0);
    Value::Array(vec![
        epoch.clone(),
        text("00000000-0000-0000-0000-000000000000"),
        text("0"),
        Value::Nil,
        Value::Nil,
        Value::Nil,
        Value::Nil,
        zero.clone(),
        Value::Single(0.0),
        zero.clone(),
        zero.clone(),
        Value::Array(vec![epoch, zero]),
    ])
}

#[test]
fn every_plain_value() {
    let vectors = Vectors::open("dotnet");
    let mut values = vec![
        ("nil".to_owned(), Value::Nil),
        ("scalars-set".to_owned(), scalars_set()),
        ("scalars-unset".to_owned(), scalars_unset()),
        ("union-a".to_owned(), Value::Array(vec![Value::Integer(0), Value::Array(vec![Value::Integer(3)])])),
        ("union-b".to_owned(), Value::Array(vec![Value::Integer(1), Value::Array(vec![text("y")])])),
    ];
    for name in vectors.names().filter_map(|name| name.strip_suffix(".msgpack.bin")?.strip_prefix("msgpack-")) {
        let value = if let Some(number) = name.strip_prefix("int64-") {
            Value::Integer(number.parse().unwrap())
        } else if let Some(len) = name.strip_prefix("string-") {
            text(&"a".repeat(len.parse().unwrap()))
        } else if let Some(len) = name.strip_prefix("int-array-") {
            Value::Array(vec![Value::Integer(0); len.parse().unwrap()])
        } else {
            continue;
        };
        values.push((name.to_owned(), value));
    }
    for (name, value) in &values {
        let file = format!("msgpack-{name}.msgpack.bin");
        check(&vectors, &file, &encoded::<ArrayPlain, _>(value).unwrap());
        assert!(decoded::<ArrayPlain, Value>(vectors.file(&file)).unwrap() == *value, "{file}");
    }
    println!("{} values written byte for byte and read", values.len());
    assert_eq!(values.len(), vectors.names().filter(|name| name.ends_with(".msgpack.bin")).count());
}

/// Types of serde's give the same bytes as values.
#[test]
fn values_of_other_types() {
    #[derive(Serialize)]
    enum Union {
        A((i32,)),
        B((&'static str,)),
    }
    #[derive(Serialize)]
    #[serde(rename_all = "PascalCase")]
    struct Person {
        id: i32,
        name: &'static str,
        age: i32,
        address: &'static str,
    }
    let vectors = Vectors::open("dotnet");
    check(&vectors, "msgpack-union-a.msgpack.bin", &encoded::<ArrayPlain, _>(&Union::A((3,))).unwrap());
    check(&vectors, "msgpack-union-b.msgpack.bin", &encoded::<ArrayPlain, _>(&Union::B(("y",))).unwrap());
    let person = Person { id: 1, name: "张三", age: 18, address: "北京市朝阳区" };
    check(&vectors, "person.msgpack-map.bin", &encoded::<MapPlain, _>(&person).unwrap());
    assert_eq!(encoded::<ArrayPlain, _>(&('测', true, 1u64 << 63, -1i8, Some(0.5f32))).unwrap()[0], 0x95);
    assert!(encoded::<ArrayPlain, _>(&'😀').is_err());
    for timestamp in [(0, 1), (-1, 0), (1 << 32, 0), ((1 << 34) - 1, 999_999_999), (1 << 34, 0), (i64::MIN, 999_999_999)] {
        let value = Value::Timestamp(Timestamp { seconds: timestamp.0, nanoseconds: timestamp.1 });
        assert_eq!(decoded::<ArrayPlain, Value>(&encoded::<ArrayPlain, _>(&value).unwrap()).unwrap(), value);
    }
}

fn refused<F: Decode<Organization>>(bytes: &[u8]) -> Error {
    decoded::<F, Organization>(bytes).map(drop).expect_err(&format!("{bytes:02X?}"))
}

#[test]
fn classes_are_read_as_the_original_does() {
    let read = |bytes: &[u8]| decoded::<ArrayPlain, Organization>(bytes).unwrap();
    // Keys that are missing stay at zero, keys that no property has are passed over.
    assert_eq!(read(&[0x90]), Organization::default());
    assert_eq!(read(&[0x91, 5]), Organization { id: 5, ..Organization::default() });
    assert_eq!(read(&[0x94, 5, 0xC0, 0xC0, 0x81, 0xA1, b'x', 0x92, 1, 0xD4, 1, 0]).id, 5);
    // Any number is taken for a double, any integer for an integer that holds it.
    let member = |bytes: &[u8]| {
        let mut payload = vec![0x93, 0, 0xC0, 0x91];
        payload.extend_from_slice(bytes);
        read(&payload).members.unwrap().remove(0)
    };
    assert_eq!(
        member(&[0x95, 0xD3, 0, 0, 0, 0, 0, 0, 0, 7, 0xC0, 0xC0, 0xC0, 0xCA, 0x3F, 0xC0, 0, 0]),
        Member { id: 7, value: 1.5, ..Member::default() }
    );
    assert_eq!(member(&[0x95, 0xCC, 7, 0xC0, 0xC0, 0xC0, 0xFF]), Member { id: 7, value: -1.0, ..Member::default() });
    // Of two entries for one property the last stays.
    let map = decoded::<MapPlain, Organization>(&[0x83, 0xA2, b'I', b'd', 1, 0xA1, b'x', 0xC0, 0xA2, b'I', b'd', 2]).unwrap();
    assert_eq!(map.id, 2);
}

#[test]
fn hostile_payloads() {
    let map = |bytes: &[u8]| refused::<MapPlain>(bytes);
    let array = |bytes: &[u8]| refused::<ArrayPlain>(bytes);
    assert!(matches!(array(&[0xDD, 255, 255, 255, 255]).problem(), Problem::Truncated { .. }));
    assert!(matches!(map(&[0xDF, 255, 255, 255, 255]).problem(), Problem::Truncated { .. }));
    array(&[0x93, 0, 0xDD, 255, 255, 255, 255]);
    array(&[0x93, 0, 0x91, 0xDB, 255, 255, 255, 255]);
    array(&[0x94, 0, 0xC0, 0xC0, 0xC9, 255, 255, 255, 255, 1]);
    array(&[0xC1]);
    array(&[0xC0]);
    array(&[]);
    array(&[0x91, 0xC0]);
    array(&[0x91, 0xCE, 0x80, 0, 0, 0]);
    array(&[0x92, 0, 0x91, 0xC4, 1, b'a']);
    assert_eq!(*array(&[0x92, 0, 0x91, 0xA1, 0xFF]).problem(), Problem::InvalidUtf8);
    assert_eq!(*array(&[0x94, 0, 0xC0, 0xC0, 0xA1, 0xFF]).problem(), Problem::InvalidUtf8);
    assert_eq!(*map(&[0x81, 0xA1, 0xFF, 1]).problem(), Problem::InvalidUtf8);
    assert!(matches!(array(&[0x90, 0]).problem(), Problem::Trailing { left: 1 }));
    let deep = [[0x94, 0, 0xC0, 0xC0].as_slice(), &[0x91; 100_000], &[0]].concat();
    assert!(matches!(array(&deep).problem(), Problem::Limit { limit: "depth", .. }));
    let deep = [[0x91].repeat(100_000).as_slice(), &[0]].concat();
    assert!(matches!(decoded::<ArrayPlain, Value>(&deep).unwrap_err().problem(), Problem::Limit { limit: "depth", .. }));
    let many = [[0x93, 0, 0xC0, 0xDD, 0, 0x0F, 0x42, 0x40].as_slice(), &[0x90; 1_000_000]].concat();
    assert!(matches!(array(&many).problem(), Problem::Limit { limit: "allocation", .. }));
}

#[test]
fn hostile_blocks() {
    let block = |bytes: &[u8]| refused::<ArrayLz4BlockArray>(bytes);
    let limited = |bytes: &[u8]| assert!(matches!(block(bytes).problem(), Problem::Limit { .. }), "{}", block(bytes));
    // Claims that no block of that size can hold.
    limited(&[0xC7, 7, 0x63, 0xD2, 0x7F, 0xFF, 0xFF, 0xFF, 0, 0]);
    limited(&[0x92, 0xC7, 5, 0x62, 0xD2, 0x7F, 0xFF, 0xFF, 0xFF, 0xC6, 0, 0, 0, 0]);
    block(&[0xC7, 7, 0x63, 0xD2, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0]);
    block(&[0xC7, 7, 0x63, 0xD2, 0, 0, 0, 3, 0x10, 0x90]);
    // A length too many, one too few, and bytes behind the last block.
    let one = [0x10, 0x90];
    let payload = |count: u8, lengths: &[u8], rest: &[u8]| {
        [&[0x90 | count, 0xC7, lengths.len() as u8, 0x62], lengths, &[0xC6, 0, 0, 0, 2], &one, rest].concat()
    };
    assert_eq!(decoded::<ArrayLz4BlockArray, Organization>(&payload(2, &[1], &[])).unwrap(), Organization::default());
    assert!(block(&payload(2, &[1, 1], &[])).to_string().contains("more lengths"));
    block(&payload(3, &[1], &[]));
    block(&payload(2, &[1], &[0]));
    block(&payload(2, &[2], &[]));
    block(&payload(2, &[0], &[]));
    // Compressed twice.
    let value = organizations().swap_remove(0).1;
    let inner = encoded::<ArrayLz4Block, _>(&value).unwrap();
    let inner = Value::Extension(99, inner[3..].to_vec());
    let outer = encoded::<ArrayLz4Block, _>(&Value::Array(vec![Value::Integer(1), Value::Nil, Value::Nil, inner.clone()])).unwrap();
    assert!(block(&outer).to_string().contains("inside compressed"), "{}", block(&outer));
    block(&encoded::<ArrayLz4Block, _>(&inner).unwrap());
    // A bomb: 64 MiB of a nil.
    let bomb = encoded::<ArrayLz4Block, _>(&Value::Array(vec![Value::Nil; 64 << 20])).unwrap();
    limited(&bomb);
    let mut payload = Payload::from(encoded::<ArrayLz4Block, _>(&organizations()[2].1).unwrap());
    payload.set_limits(Limits { bytes_out: 1000, ..payload.limits() });
    let decoded = ArrayLz4Block::default().decode(&payload).map(|_: Organization| ());
    assert!(matches!(decoded.unwrap_err().problem(), Problem::Limit { limit: "bytes out", .. }));
}

/// No cut of a payload is one: what is left out always shows.
#[test]
fn truncations() {
    let vectors = Vectors::open("dotnet");
    let mut count = 0;
    for name in vectors.names().filter(|name| name.contains(".msgpack") && vectors.file(name).len() < 1000) {
        let payload = vectors.file(name);
        for cut in 0..payload.len() {
            decoded::<ArrayLz4BlockArray, Value>(&payload[..cut]).map(drop).expect_err(&format!("{name} {cut}"));
            decoded::<ArrayPlain, Organization>(&payload[..cut]).map(drop).expect_err(&format!("{name} {cut}"));
            decoded::<MapLz4Block, Organization>(&payload[..cut]).map(drop).expect_err(&format!("{name} {cut}"));
        }
        count += 1;
    }
    println!("{count} payloads refused at every cut");
}

/// Other people's hostile blocks, read where they are, if they are.
#[test]
fn the_originals_own_hostile_blocks() {
    // Beside the project, or beside the folder of its worktrees.
    let project = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = ["../shared", "../../shared"].map(|shared| project.join(shared).join("vectors/messagepack-csharp-lz4"));
    let folder = folder.iter().find(|folder| folder.is_dir()).unwrap_or(&folder[0]);
    let mut counts = (0, 0);
    for name in
        ["lz4block_declares_0x7fffffff", "lz4block_truncated_literal_run", "lz4blockarray_2x4_bytes", "lz4blockarray_declares_0x7fffffff"]
    {
        match std::fs::read(folder.join(name).with_extension("bin")) {
            Ok(bytes) => {
                decoded::<ArrayLz4BlockArray, Organization>(&bytes).map(drop).expect_err(name);
                counts.0 += 1;
            }
            Err(_) => counts.1 += 1,
        }
    }
    println!("{} hostile blocks refused, {} not found", counts.0, counts.1);
}
