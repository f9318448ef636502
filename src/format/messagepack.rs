//! MessagePack through rmp-serde: structs as arrays (positions), or as maps (field names).

use std::io::{Cursor, ErrorKind};

use rmp_serde::Deserializer;
use rmp_serde::Serializer;
use rmp_serde::decode;
use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, IgnoredAny};

use super::{Borrow, Decode, Encode, Format, Info};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::payload::Payload;
use crate::registry::Registry;

/// Nested values that a payload may have. The library's own limit, 1,024, overflows a 2 MiB stack in a debug build.
const DEPTH: usize = 128;

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
        .borrow()
        .bare_encode(|value, sink| {
            sink.clear();
            value.serialize(&mut Serializer::new(sink).with_struct_map()).map_err(|error| Error::malformed("messagepack-map", error))
        })
        .bare_decode::<Organization>(|payload| rmp_serde::from_slice(payload).map_err(|error| Error::malformed("messagepack-map", error)));
    registry.declare::<MessagePackArray, Person>().encode().decode();
    registry.declare::<MessagePackMap, Person>().encode().decode();
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
            fn decode(&mut self, payload: &Payload) -> Result<T> {
                read::<Self, T>(payload)
            }
        }

        impl Borrow<Organization> for $format {
            type Borrowed<'p> = OrganizationRef<'p>;

            fn borrow<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
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

fn read<'p, F: Format, T: Deserialize<'p>>(payload: &'p [u8]) -> Result<T> {
    let mut deserializer = Deserializer::from_read_ref(payload);
    deserializer.set_max_depth(DEPTH);
    let value = T::deserialize(&mut deserializer).map_err(|error| refused::<F, T>(payload, error))?;
    // This deserializer, the one that can borrow, does not tell where it stands. It is at the end if there is no further value to begin.
    match IgnoredAny::deserialize(&mut deserializer) {
        Err(decode::Error::InvalidMarkerRead(error)) if error.kind() == ErrorKind::UnexpectedEof => Ok(value),
        _ => {
            let used = used::<T>(payload);
            Err(Error::at(F::INFO.name, used, Problem::Trailing { left: (payload.len() - used) as u64 }))
        }
    }
}

#[cold]
fn refused<'p, F: Format, T: Deserialize<'p>>(payload: &'p [u8], error: decode::Error) -> Error {
    let problem = match error {
        decode::Error::DepthLimitExceeded => Problem::Limit { limit: "depth", allowed: DEPTH as u64, wanted: DEPTH as u64 + 1 },
        error => Problem::Malformed(error.to_string()),
    };
    Error::at(F::INFO.name, used::<T>(payload), problem)
}

/// How many bytes are read until a value ends or is refused: by the library's other deserializer, which copies but tells its position.
#[cold]
fn used<'p, T: Deserialize<'p>>(payload: &'p [u8]) -> usize {
    let mut deserializer = Deserializer::new(Cursor::new(payload));
    deserializer.set_max_depth(DEPTH);
    let _ = T::deserialize(&mut deserializer);
    deserializer.position() as usize
}
