//! Other languages: payloads for their libraries with what they hold, and what came of them and of theirs.
//!
//! The folder holds, for each value, `VALUE.json` (see [`plain`]) and `VALUE.FORMAT.bin`. The other side leaves lines in `*.tsv`, of fields
//! between tabs: `read LANGUAGE LIBRARY VERSION FORMAT VALUE OUTCOME`, whose outcome is `equal`, `differed` or the reason of a refusal;
//! `written LANGUAGE LIBRARY VERSION FORMAT VALUE FILE`; and `skipped WHAT REASON`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use wirewise::Payload;
use wirewise::dataset::{Dataset, Organization};
use wirewise::format::{
    Decode, Encode, Format, capnp, flatbuffers, google_protobuf, messagepack, messagepack_csharp, protobuf, protobuf_net,
};
use wirewise::record::{InteropSkipped, InteropWriter, Record};

use crate::{Result, Tally};

/// A format that other languages have a library for.
struct Shared {
    name: &'static str,
    write: fn(&Organization) -> wirewise::Result<Vec<u8>>,
    read: fn(&[u8]) -> wirewise::Result<Organization>,
}

fn shared<F: Format + Encode<Organization> + Decode<Organization>>() -> Shared {
    Shared {
        name: F::INFO.name,
        write: |value| {
            let mut sink = Vec::new();
            F::default().encode(value, &mut sink)?;
            Ok(sink)
        },
        read: |bytes| F::default().decode(&Payload::from(bytes)),
    }
}

fn formats() -> Vec<Shared> {
    vec![
        shared::<protobuf::Protobuf>(),
        shared::<protobuf_net::ProtobufNet>(),
        shared::<google_protobuf::GoogleProtobuf>(),
        shared::<messagepack::MessagePackArray>(),
        shared::<messagepack::MessagePackMap>(),
        shared::<messagepack_csharp::ArrayPlain>(),
        shared::<messagepack_csharp::MapPlain>(),
        shared::<flatbuffers::FlatBuffers>(),
        shared::<capnp::Capnp<capnp::Plain>>(),
        shared::<capnp::Capnp<capnp::Packed>>(),
    ]
}

/// The values: generated ones, and those at the edges that each of the formats can tell.
fn values() -> Result<Vec<(String, Organization)>> {
    let mut values = Vec::new();
    for members in [1, 10, 1_000] {
        values.push((format!("generated-{members}"), Organization::generate(&Organization::spec(members))?));
    }
    for (probe, value) in Organization::probes() {
        let tags = value.tags.as_ref().is_some_and(|tags| !tags.is_empty());
        let whole = |text: &Option<String>| text.as_ref().is_some_and(|text| !text.is_empty());
        let members = value.members.as_ref().is_some_and(|members| {
            !members.is_empty()
                && members.iter().all(|m| {
                    m.value.is_finite()
                        && m.value.to_bits() != (-0.0f64).to_bits()
                        && [&m.name, &m.description, &m.address].into_iter().all(whole)
                })
        });
        if tags && members {
            values.push((probe.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-"), value));
        }
    }
    Ok(values)
}

/// A value in JSON that every language reads alike: lists by position, a double's bits in hexadecimal, an integer of 64 bits as a string.
fn plain(value: &Organization) -> Value {
    let members = value
        .members
        .iter()
        .flatten()
        .map(|m| json!([m.id, m.name, m.description, m.address, format!("{:016x}", m.value.to_bits()), m.update_time.to_string()]));
    json!([value.id, value.tags, members.collect::<Vec<_>>()])
}

/// What other libraries are known to read as another value: the language, the library, the value, and why. What is on this list and is
/// equal after all is an error.
const KNOWN: [(&str, &str, &str, &str); 2] =
    [("Node.js", "flatbuffers", BYTE_ORDER_MARK, DROPPED), ("Node.js", "capnp-es", BYTE_ORDER_MARK, DROPPED)];

/// A probe's name, as its files are called.
const BYTE_ORDER_MARK: &str = "line-separators-and-a-byte-order-mark";
const DROPPED: &str = "JavaScript's TextDecoder drops a byte order mark at the start of a string";

pub fn write(folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    for (name, value) in values()? {
        std::fs::write(folder.join(format!("{name}.json")), plain(&value).to_string())?;
        for format in formats() {
            std::fs::write(folder.join(format!("{name}.{}.bin", format.name)), (format.write)(&value)?)?;
        }
    }
    Ok(())
}

pub fn read(folder: &Path) -> Result<Vec<Record>> {
    let (formats, mut tallies, mut skipped) = (formats(), BTreeMap::new(), Vec::new());
    let mut files: Vec<_> = std::fs::read_dir(folder)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "tsv"));
    files.sort();
    for line in files.iter().map(std::fs::read_to_string).collect::<std::io::Result<Vec<_>>>()?.iter().flat_map(|text| text.lines()) {
        let fields: Vec<&str> = line.split('\t').collect();
        let (by, language, library, version, format, value, rest) = match fields[..] {
            ["read", language, library, version, format, value, outcome] => {
                (InteropWriter::Here, language, library, version, format, value, outcome)
            }
            ["written", language, library, version, format, value, file] => {
                (InteropWriter::There, language, library, version, format, value, file)
            }
            ["skipped", what, reason] => {
                skipped.push(Record::InteropSkipped(InteropSkipped { what: what.into(), reason: reason.into() }));
                continue;
            }
            _ => return Err(format!("a line that is none: {line}").into()),
        };
        let outcome = match (by, rest) {
            (InteropWriter::Here, "equal") => Ok(true),
            (InteropWriter::Here, "differed") => Ok(false),
            (InteropWriter::Here, reason) => Err(reason.to_owned()),
            (InteropWriter::There, file) => {
                let shared = formats.iter().find(|shared| shared.name == format).ok_or(format)?;
                let expected: Value = serde_json::from_slice(&std::fs::read(folder.join(format!("{value}.json")))?)?;
                let back = (shared.read)(&std::fs::read(folder.join(file))?);
                back.map(|back| plain(&back) == expected).map_err(|error| error.to_string())
            }
        };
        let known = |(of, by_library, of_value, _): &&(&str, &str, &str, &str)| {
            by == InteropWriter::Here && language.starts_with(of) && library == *by_library && value == *of_value
        };
        let known = KNOWN.iter().find(known).map(|(.., reason)| *reason);
        if known.is_some() && outcome == Ok(true) {
            return Err(format!("{library} reads {value} as what it is: it is no longer to be on the list of what is known").into());
        }
        let key = [language, library, format].map(str::to_owned);
        tallies.entry((key, by)).or_insert_with(|| Tally::new(language, library, version, format, by)).count(value, outcome, known);
    }
    if tallies.is_empty() && skipped.is_empty() {
        return Err(format!("{}: nothing was exchanged", folder.display()).into());
    }
    Ok(tallies.into_values().map(|tally| Record::Interop(tally.0)).chain(skipped).collect())
}
