//! What every format of the registry is put through.

use wirewise::dataset::{Dataset, Organization};
use wirewise::operation::Operation;
use wirewise::registry::{Registry, Source, Stock};
use wirewise::{Payload, Problem};

use super::alone;

fn organizations(registry: &Registry) -> impl Iterator<Item = &Source> {
    registry.sources().iter().filter(|source| source.dataset == Organization::NAME)
}

fn is_protobuf(name: &str) -> bool {
    matches!(name, "protobuf" | "protobuf-net" | "google-protobuf")
}

/// A message of which nothing is set takes no bytes.
#[test]
fn an_empty_payload_is_refused_but_where_it_is_a_message() {
    let _alone = alone();
    let spec = Organization::spec(2);
    for source in organizations(&Registry::standard()) {
        let error = source.verify(&mut Stock::default(), &spec, &Payload::default()).unwrap_err();
        let is_read = matches!(error.problem(), Problem::WrongReading { .. });
        assert_eq!(is_read, is_protobuf(source.format.name), "{error}");
        assert!(is_read || error.operation() == Some(Operation::Decode), "{error}");
    }
}

/// Two payloads joined, and three bytes more: the first is read and the rest is told, or refused at its first byte.
#[test]
fn what_follows_a_value_is_told_to_the_byte() {
    let _alone = alone();
    let spec = Organization::spec(3);
    let mut told = 0;
    for source in organizations(&Registry::standard()) {
        let name = source.format.name;
        let payload = source.payload(&mut Stock::default(), &spec).unwrap();
        for rest in [&b"???"[..], &[payload.as_slice(), b"???"].concat()] {
            let joined = Payload::from([payload.as_slice(), rest].concat());
            let whole = source.verify(&mut Stock::default(), &spec, &joined);
            let Some(prefix) = source.prefix(&joined) else {
                // An archive is read from its end. A message has no end; that it was merged is what `inspect` says.
                assert!(name == "rkyv" || is_protobuf(name), "{name} has no prefix");
                whole.unwrap_err();
                continue;
            };
            assert_eq!(prefix.unwrap(), (payload.len(), rest.len()), "{name}");
            let error = whole.unwrap_err();
            assert_eq!(error.offset(), Some(payload.len()), "{error}");
            let other_packing = name.starts_with("capnp") && error.to_string().contains("this is capnp");
            assert!(other_packing || *error.problem() == Problem::Trailing { left: rest.len() as u64 }, "{error}");
            told += 1;
        }
    }
    println!("{told} payloads with others behind them");
}

/// What another format wrote is refused, and where it can be told for certain the error says what it is.
#[test]
fn another_formats_payload_is_refused_and_named() {
    let _alone = alone();
    let registry = Registry::standard();
    let spec = Organization::spec(3);
    let mut named = 0;
    for writer in organizations(&registry) {
        let payload = writer.payload(&mut Stock::default(), &spec).unwrap();
        for reader in organizations(&registry).filter(|reader| reader.format.wire_format != writer.format.wire_format) {
            // The readers of compressed MessagePack take the plain form too.
            if reader.format.wire_format.starts_with("MessagePack") && writer.format.wire_format.starts_with("MessagePack") {
                continue;
            }
            let recognised = wirewise::recognition::recognise(&payload).filter(|recognition| recognition.certain);
            for reading in reader.readings() {
                let what = format!("{}, {} of what {} wrote", reader.format.name, reading.operation.name(), writer.format.name);
                let error = reading.checksum(&payload).expect_err(&what);
                if let Some(recognition) = &recognised
                    && error.operation() == Some(reading.operation)
                {
                    assert_eq!(error.hint(), Some(recognition), "{what}: {error}");
                    assert!(error.to_string().contains(recognition.kind.name()), "{what}: {error}");
                    named += 1;
                }
            }
        }
    }
    println!("{named} refusals say what the payload is");
}
