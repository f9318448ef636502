//! JSON through serde_json, with `float_roundtrip`: without that feature a third of all doubles come back changed.

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned};

use super::{Borrow, Decode, Encode, Format, Info};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::payload::Payload;
use crate::registry::Registry;

/// JSON text in UTF-8. Field names are the article's: `Id`, `Tags`, `Members`.
#[derive(Debug, Default)]
pub struct Json;

impl Format for Json {
    const INFO: Info = Info {
        name: "json",
        wire_format: "JSON",
        library: "serde_json",
        version: crate::version!("SERDE_JSON"),
        note: "text: NaN and the infinities are refused",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<Json, Organization>()
        .encode()
        .decode()
        .borrow()
        .bare_encode(|value, sink| {
            sink.clear();
            serde_json::to_writer(sink, value).map_err(refused)
        })
        .bare_decode::<Organization>(|payload| serde_json::from_slice(payload).map_err(refused));
    registry.declare::<Json, Person>().encode().decode();
}

impl<T: Serialize> Encode<T> for Json {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        serde_json::to_writer(sink, value).map_err(|error| Error::new(Self::INFO.name, Problem::Unrepresentable(error.to_string())))
    }
}

impl<T: DeserializeOwned> Decode<T> for Json {
    fn decode(&mut self, payload: &Payload) -> Result<T> {
        read(payload)
    }
}

impl Borrow<Organization> for Json {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn borrow<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        read(payload)
    }
}

/// `from_slice` refuses bytes after the value itself; only white space may follow.
fn read<'p, T: Deserialize<'p>>(payload: &'p [u8]) -> Result<T> {
    serde_json::from_slice(payload).map_err(|error| match offset(payload, &error) {
        Some(at) => Error::at(Json::INFO.name, at, Problem::Malformed(error.to_string())),
        None => refused(error),
    })
}

fn refused(error: serde_json::Error) -> Error {
    Error::malformed(Json::INFO.name, error)
}

/// serde_json tells a line and a column, both from 1 and in bytes; an error without a place has line 0.
fn offset(payload: &[u8], error: &serde_json::Error) -> Option<usize> {
    let lines_before = error.line().checked_sub(1)?;
    let start: usize = payload.split_inclusive(|&byte| byte == b'\n').take(lines_before).map(<[u8]>::len).sum();
    Some(start + error.column().saturating_sub(1))
}
