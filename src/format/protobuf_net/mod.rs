//! Protocol Buffers as protobuf-net 3 writes and reads them, what it puts around its messages, and the graphs that release 2 wrote.

pub mod references;

use super::Info;
use super::dotnet_protobuf::{self, DotnetProtobuf, Manner};
use crate::error::{Error, Problem, Result};
use crate::registry::Registry;

/// The bytes of protobuf-net 3.
pub type ProtobufNet = DotnetProtobuf<CodeFirst>;

/// Classes with attributes.
#[derive(Debug, Default)]
pub struct CodeFirst;

const NAME: &str = "protobuf-net";

impl Manner for CodeFirst {
    const INFO: Info = Info {
        name: NAME,
        wire_format: "Protocol Buffers",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "a list that is empty comes back null, -0.0 as 0.0; unknown fields are dropped",
    };
    const CODE_FIRST: bool = true;
}

pub(super) fn register(registry: &mut Registry) {
    dotnet_protobuf::register::<CodeFirst>(registry);
    registry.declare_modeller(NAME, references::modelled);
}

/// Writes a cache entry, as a transcoder around protobuf-net does: the length of the type's name, four bytes little-endian, the name
/// (`Type, Assembly`), and the payload. The content of `sink` is replaced.
///
/// # Errors
///
/// The name is longer than 2,147,483,647 bytes.
pub fn write_cache_entry(type_name: &str, payload: &[u8], sink: &mut Vec<u8>) -> Result<()> {
    let len = i32::try_from(type_name.len())
        .map_err(|_| Error::new(NAME, Problem::Unrepresentable(format!("a type name of {} bytes", type_name.len()))))?;
    sink.clear();
    sink.extend_from_slice(&len.to_le_bytes());
    sink.extend_from_slice(type_name.as_bytes());
    sink.extend_from_slice(payload);
    Ok(())
}

/// Reads a cache entry: the type's name, and the payload.
///
/// # Errors
///
/// The entry is shorter than it says, or the name is not UTF-8.
pub fn read_cache_entry(entry: &[u8]) -> Result<(&str, &[u8])> {
    let truncated =
        |at: usize, needed: usize| Error::at(NAME, at, Problem::Truncated { needed: needed as u64, left: (entry.len() - at) as u64 });
    let Some((len, rest)) = entry.split_first_chunk() else { return Err(truncated(0, 4)) };
    let len = i32::from_le_bytes(*len);
    let len = usize::try_from(len).map_err(|_| Error::at(NAME, 0, Problem::Malformed(format!("a type name of {len} bytes"))))?;
    let (name, payload) = rest.split_at_checked(len).ok_or_else(|| truncated(4, len))?;
    match std::str::from_utf8(name) {
        Ok(name) => Ok((name, payload)),
        Err(error) => Err(Error::at(NAME, 4 + error.valid_up_to(), Problem::InvalidUtf8)),
    }
}

/// How a message's length stands before it, where several follow each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefix {
    /// A varint. This is also what Google's libraries call delimited.
    Base128,
    /// A varint behind the key of a field of this number: each message is an item of a list, as in a list that is written by itself,
    /// whose field is 1.
    Field(u32),
    /// Four bytes, the lowest first.
    Fixed32,
    /// Four bytes, the highest first.
    Fixed32BigEndian,
}

/// Appends a message behind its length.
///
/// # Errors
///
/// The message is longer than 2,147,483,647 bytes, or the field's number is none.
pub fn write_prefixed(prefix: Prefix, message: &[u8], sink: &mut Vec<u8>) -> Result<()> {
    let len = i32::try_from(message.len())
        .map_err(|_| Error::new(NAME, Problem::Unrepresentable(format!("a message of {} bytes", message.len()))))?;
    match prefix {
        Prefix::Base128 => dotnet_protobuf::append_varint(sink, len as u64),
        Prefix::Field(number @ 1..0x2000_0000) => {
            dotnet_protobuf::append_varint(sink, u64::from(number) << 3 | 2);
            dotnet_protobuf::append_varint(sink, len as u64);
        }
        Prefix::Field(number) => return Err(Error::new(NAME, Problem::Unrepresentable(format!("a field of number {number}")))),
        Prefix::Fixed32 => sink.extend_from_slice(&len.to_le_bytes()),
        Prefix::Fixed32BigEndian => sink.extend_from_slice(&len.to_be_bytes()),
    }
    sink.extend_from_slice(message);
    Ok(())
}

/// Reads the messages of a stream that stand behind their lengths.
pub fn read_prefixed(prefix: Prefix, stream: &[u8]) -> impl Iterator<Item = Result<&[u8]>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at == stream.len() {
            return None;
        }
        let next = dotnet_protobuf::prefixed::<CodeFirst>(prefix, stream, at);
        // Nothing is read behind an error.
        at = next.as_ref().map_or(stream.len(), |(_, end)| *end);
        Some(next.map(|(message, _)| message))
    })
}
