//! MessagePack through rmp-serde: structs as arrays (positions), or as maps (field names).

use std::io::{Cursor, ErrorKind};

use rmp_serde::Deserializer;
use rmp_serde::Serializer;
use rmp_serde::decode::{self, ReadReader};
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, IgnoredAny};

use super::metered::{Held, Metered, exact, path_of, problem_of};
use super::{Borrow, Decode, DecodePrefix, Encode, Format, Info, trailing};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::limits;
use crate::payload::Payload;
use crate::registry::Registry;

/// Structs as arrays: fields are known by position alone.
#[derive(Debug, Default)]
pub struct MessagePackArray;

/// Structs as maps: every record carries its field names.
#[derive(Debug, Default)]
pub struct MessagePackMap;

impl Format for MessagePackArray {
    const INFO: Info = info("messagepack-array", "fields by position");
}

impl Format for MessagePackMap {
    const INFO: Info = info("messagepack-map", "fields by name, the names in every record");
}

const fn info(name: &'static str, note: &'static str) -> Info {
    Info { name, wire_format: "MessagePack", library: "rmp-serde", version: crate::version!("RMP_SERDE"), note }
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<MessagePackArray, Organization>()
        .encode()
        .decode()
        .decode_prefix()
        .borrow()
        .bare_encode(|value, sink| {
            sink.clear();
            value.serialize(&mut Serializer::new(sink)).map_err(|error| Error::malformed("messagepack-array", error))
        })
        .bare_decode::<Organization>(|payload| {
            rmp_serde::from_slice(payload).map_err(|error| Error::malformed("messagepack-array", error))
        });
    registry
        .declare::<MessagePackMap, Organization>()
        .encode()
        .decode()
        .decode_prefix()
        .borrow()
        .bare_encode(|value, sink| {
            sink.clear();
            value.serialize(&mut Serializer::new(sink).with_struct_map()).map_err(|error| Error::malformed("messagepack-map", error))
        })
        .bare_decode::<Organization>(|payload| rmp_serde::from_slice(payload).map_err(|error| Error::malformed("messagepack-map", error)));
    registry.declare::<MessagePackArray, Person>().encode().decode().decode_prefix();
    registry.declare::<MessagePackMap, Person>().encode().decode().decode_prefix();
}

impl<T: Serialize> Encode<T> for MessagePackArray {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        value.serialize(&mut Serializer::new(sink)).map_err(unrepresentable::<Self>)
    }
}

impl<T: Serialize> Encode<T> for MessagePackMap {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        value.serialize(&mut Serializer::new(sink).with_struct_map()).map_err(unrepresentable::<Self>)
    }
}

/// Both layouts are read by one decoder: the payload says which it is.
macro_rules! reads {
    ($format:ty) => {
        impl<T: DeserializeOwned> Decode<T> for $format {
            fn read(&mut self, payload: &Payload) -> Result<T> {
                read::<Self, T>(payload)
            }
        }

        impl<T: DeserializeOwned> DecodePrefix<T> for $format {
            fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)> {
                let mut held = Held::<true>::new(payload);
                let mut deserializer = positioned(payload);
                match T::deserialize(Metered::new(&mut deserializer, &mut held)) {
                    Ok(value) => Ok((value, deserializer.position() as usize)),
                    Err(error) => Err(refused::<Self, T>(payload, held.refused(), error)),
                }
            }
        }

        impl Borrow<Organization> for $format {
            type Borrowed<'p> = OrganizationRef<'p>;

            fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
                read::<Self, _>(payload)
            }
        }
    };
}

reads!(MessagePackArray);
reads!(MessagePackMap);

fn unrepresentable<F: Format>(error: rmp_serde::encode::Error) -> Error {
    Error::new(F::INFO.name, Problem::Unrepresentable(error.to_string()))
}

fn read<'p, F: Format, T: Deserialize<'p>>(payload: &'p Payload) -> Result<T> {
    // The library is held to the payload's depth itself.
    if exact(payload, payload.limits().depth) { read_held::<F, T, true>(payload) } else { read_held::<F, T, false>(payload) }
}

fn read_held<'p, F: Format, T: Deserialize<'p>, const EXACT: bool>(payload: &'p Payload) -> Result<T> {
    let mut held = Held::<EXACT>::new(payload);
    let mut deserializer = Deserializer::from_read_ref(payload.as_slice());
    deserializer.set_max_depth(payload.limits().depth);
    let value = match T::deserialize(Metered::new(&mut deserializer, &mut held)) {
        Ok(value) => value,
        Err(error) => return Err(refused::<F, T>(payload, held.refused(), error)),
    };
    // This deserializer, the one that can borrow, does not tell where it stands. It is at the end if there is no further value to begin.
    match IgnoredAny::deserialize(&mut deserializer) {
        Err(decode::Error::InvalidMarkerRead(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(value),
        _ => {
            let mut again = positioned(payload);
            let _ = T::deserialize(&mut again);
            trailing(F::INFO.name, payload, again.position() as usize).map(|()| value)
        }
    }
}

/// The library's other deserializer, which copies but tells its position.
fn positioned(payload: &Payload) -> Deserializer<ReadReader<Cursor<&[u8]>>> {
    let mut deserializer = Deserializer::new(Cursor::new(payload.as_slice()));
    // The library's own limit, 1,024, overflows a 2 MiB stack in a debug build.
    deserializer.set_max_depth(payload.limits().depth);
    deserializer
}

/// Reads once more to learn at which byte and at which field it was.
#[cold]
fn refused<'p, F: Format, T: Deserialize<'p>>(payload: &'p Payload, held: Option<Problem>, error: decode::Error) -> Error {
    let mut again = positioned(payload);
    let path = path_of(serde_path_to_error::deserialize::<_, T>(Metered::new(&mut again, &mut Held::<true>::new(payload))));
    let at = again.position() as usize;
    let depth = payload.limits().depth;
    let problem = match (held, error) {
        (Some(problem), _) => problem,
        (None, decode::Error::DepthLimitExceeded) => limits::exceeded("depth", depth, depth + 1),
        (None, decode::Error::InvalidMarkerRead(error) | decode::Error::InvalidDataRead(error))
            if error.kind() == ErrorKind::UnexpectedEof =>
        {
            Problem::Truncated { needed: 1, left: 0 }
        }
        (None, error) => problem_of(&error.to_string()),
    };
    Error::at(F::INFO.name, at, problem).in_field(path)
}
