//! JSON through serde_json, with `float_roundtrip`: without that feature a third of all doubles come back changed.

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, IgnoredAny};
use serde_json::de::Read as Source;

use super::metered::{Held, Metered, exact, path_of, problem_of};
use super::{Borrow, Decode, DecodePrefix, Encode, Format, Info, trailing};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::limits;
use crate::payload::Payload;
use crate::registry::Registry;

/// The library's own bound of nesting: the first depth that it refuses.
const DEPTH: usize = 128;

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
        .decode_prefix()
        .borrow()
        .bare_encode(|value, sink| {
            sink.clear();
            serde_json::to_writer(sink, value).map_err(refused)
        })
        .bare_decode::<Organization>(|payload| serde_json::from_slice(payload).map_err(refused));
    registry.declare::<Json, Person>().encode().decode().decode_prefix();
}

impl<T: Serialize> Encode<T> for Json {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        serde_json::to_writer(sink, value).map_err(|error| Error::new(Self::INFO.name, Problem::Unrepresentable(error.to_string())))
    }
}

impl<T: DeserializeOwned> Decode<T> for Json {
    fn read(&mut self, payload: &Payload) -> Result<T> {
        read(payload)
    }
}

impl<T: DeserializeOwned> DecodePrefix<T> for Json {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)> {
        // What is behind the value may be anything, so that no more is known to be UTF-8.
        let (value, used) = prefix(payload, serde_json::Deserializer::from_slice(payload))?;
        utf8(&payload[..used])?;
        Ok((value, used))
    }
}

impl Borrow<Organization> for Json {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        read(payload)
    }
}

/// All of it is proven to be UTF-8 at once, which costs less than a proof for each string, and holds for strings that are passed over.
fn read<'p, T: Deserialize<'p>>(payload: &'p Payload) -> Result<T> {
    let (value, used) = prefix(payload, serde_json::Deserializer::from_str(utf8(payload)?))?;
    let blanks = payload[used..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count();
    trailing(Json::INFO.name, payload, used + blanks)?;
    Ok(value)
}

fn utf8(bytes: &[u8]) -> Result<&str> {
    simdutf8::compat::from_utf8(bytes).map_err(|error| Error::at(Json::INFO.name, error.valid_up_to(), Problem::InvalidUtf8))
}

fn prefix<'p, R: Source<'p>, T: Deserialize<'p>>(payload: &'p Payload, deserializer: serde_json::Deserializer<R>) -> Result<(T, usize)> {
    if exact(payload, DEPTH - 1) {
        prefix_held::<R, T, true>(payload, deserializer)
    } else {
        prefix_held::<R, T, false>(payload, deserializer)
    }
}

fn prefix_held<'p, R: Source<'p>, T: Deserialize<'p>, const EXACT: bool>(
    payload: &'p Payload,
    mut deserializer: serde_json::Deserializer<R>,
) -> Result<(T, usize)> {
    let mut held = Held::<EXACT>::new(payload);
    match T::deserialize(Metered::new(&mut deserializer, &mut held)) {
        Ok(value) => Ok((value, deserializer.into_iter::<IgnoredAny>().byte_offset())),
        Err(error) => Err(refusal::<T>(payload, held.refused(), error)),
    }
}

/// Reads once more to learn at which field it was.
#[cold]
fn refusal<'p, T: Deserialize<'p>>(payload: &'p Payload, held: Option<Problem>, error: serde_json::Error) -> Error {
    let problem = match held {
        Some(problem) => problem,
        None if error.is_eof() => Problem::Truncated { needed: 1, left: 0 },
        None => match problem_of(&error.to_string()) {
            Problem::Malformed(reason) if reason == "recursion limit exceeded" => limits::exceeded("depth", DEPTH - 1, DEPTH),
            problem => problem,
        },
    };
    let mut again = serde_json::Deserializer::from_slice(payload);
    let path = path_of(serde_path_to_error::deserialize::<_, T>(Metered::new(&mut again, &mut Held::<true>::new(payload))));
    match offset(payload, &error) {
        Some(at) => Error::at(Json::INFO.name, at, problem),
        None => Error::at(Json::INFO.name, again.into_iter::<IgnoredAny>().byte_offset(), problem),
    }
    .in_field(path)
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
