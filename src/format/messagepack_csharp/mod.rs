//! MessagePack for C# 2.x, byte for byte: classes with keys (arrays) or without (maps), plain or in the two forms that the library
//! compresses with LZ4.
//!
//! Source: the MessagePack specification; the library's documentation; what its release 2.5 wrote for the vectors of the tests. Version 3
//! cuts the blocks of a compressed payload elsewhere, and reads these as well.

mod lz4;
mod read;
mod value;
mod write;

use serde::Serialize;

pub use value::{Timestamp, Value};

use super::plain::Plain;
use super::sink::Sink;
use super::{Borrow, Decode, DecodePrefix, Encode, Format, Info, trailing};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits};
use crate::payload::Payload;
use crate::registry::Registry;
use read::Reader;
use write::{Refused, Scratch, Segments, Target, Writer};

/// The codes that MessagePack's values start with.
mod code {
    pub(super) const FIXMAP: u8 = 0x80;
    pub(super) const FIXARRAY: u8 = 0x90;
    pub(super) const FIXSTR: u8 = 0xA0;
    pub(super) const NIL: u8 = 0xC0;
    pub(super) const NEVER: u8 = 0xC1;
    pub(super) const FALSE: u8 = 0xC2;
    pub(super) const TRUE: u8 = 0xC3;
    pub(super) const BIN8: u8 = 0xC4;
    pub(super) const BIN16: u8 = 0xC5;
    pub(super) const BIN32: u8 = 0xC6;
    pub(super) const EXT8: u8 = 0xC7;
    pub(super) const EXT16: u8 = 0xC8;
    pub(super) const EXT32: u8 = 0xC9;
    pub(super) const FLOAT32: u8 = 0xCA;
    pub(super) const FLOAT64: u8 = 0xCB;
    pub(super) const UINT8: u8 = 0xCC;
    pub(super) const UINT16: u8 = 0xCD;
    pub(super) const UINT32: u8 = 0xCE;
    pub(super) const UINT64: u8 = 0xCF;
    pub(super) const INT8: u8 = 0xD0;
    pub(super) const INT16: u8 = 0xD1;
    pub(super) const INT32: u8 = 0xD2;
    pub(super) const INT64: u8 = 0xD3;
    pub(super) const FIXEXT1: u8 = 0xD4;
    pub(super) const FIXEXT16: u8 = 0xD8;
    pub(super) const STR8: u8 = 0xD9;
    pub(super) const STR16: u8 = 0xDA;
    pub(super) const STR32: u8 = 0xDB;
    pub(super) const ARRAY16: u8 = 0xDC;
    pub(super) const ARRAY32: u8 = 0xDD;
    pub(super) const MAP16: u8 = 0xDE;
    pub(super) const MAP32: u8 = 0xDF;
}

/// The type of the extension that holds one compressed block, ...
const BLOCK_CODE: i8 = 99;
/// ... and of that which holds the lengths of the blocks that follow it.
const BLOCK_ARRAY_CODE: i8 = 98;
/// Fewer bytes are left as they are.
const LEAST_TO_COMPRESS: usize = 64;

/// Not compressed.
pub const PLAIN: u8 = 0;
/// The library's `Lz4Block`: the whole payload as one block.
pub const LZ4_BLOCK: u8 = 1;
/// The library's `Lz4BlockArray`: a block for each of the writer's buffers.
pub const LZ4_BLOCK_ARRAY: u8 = 2;

/// Classes with keys: fields by position.
pub type ArrayPlain = MessagePackCsharp<false, PLAIN>;
/// Classes with keys, compressed as one block.
pub type ArrayLz4Block = MessagePackCsharp<false, LZ4_BLOCK>;
/// Classes with keys, compressed as blocks.
pub type ArrayLz4BlockArray = MessagePackCsharp<false, LZ4_BLOCK_ARRAY>;
/// Classes without keys: fields by name.
pub type MapPlain = MessagePackCsharp<true, PLAIN>;
/// Classes without keys, compressed as one block.
pub type MapLz4Block = MessagePackCsharp<true, LZ4_BLOCK>;
/// Classes without keys, compressed as blocks.
pub type MapLz4BlockArray = MessagePackCsharp<true, LZ4_BLOCK_ARRAY>;

/// MessagePack for C#: whether classes are maps, and how the payload is compressed.
///
/// The readers of compressed payloads take both forms and plain ones too, as the library does. The offset of an error is counted in the
/// bytes that were compressed, once those are there.
pub struct MessagePackCsharp<const MAP: bool, const COMPRESSION: u8> {
    /// What is compressed, or was; and what the compressor keeps.
    raw: Vec<u8>,
    scratch: Scratch,
}

impl<const MAP: bool, const COMPRESSION: u8> Default for MessagePackCsharp<MAP, COMPRESSION> {
    fn default() -> Self {
        Self { raw: Vec::new(), scratch: Scratch::default() }
    }
}

impl<const MAP: bool, const COMPRESSION: u8> Format for MessagePackCsharp<MAP, COMPRESSION> {
    const INFO: Info = Info {
        name: match (MAP, COMPRESSION) {
            (false, PLAIN) => "messagepack-csharp-array",
            (false, LZ4_BLOCK) => "messagepack-csharp-array-lz4block",
            (false, _) => "messagepack-csharp-array-lz4blockarray",
            (true, PLAIN) => "messagepack-csharp-map",
            (true, LZ4_BLOCK) => "messagepack-csharp-map-lz4block",
            (true, _) => "messagepack-csharp-map-lz4blockarray",
        },
        wire_format: if COMPRESSION == PLAIN { "MessagePack" } else { "MessagePack, LZ4" },
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: if MAP { "fields by name; the bytes of version 2" } else { "fields by position; the bytes of version 2" },
    };
}

/// What the compressed layouts are held to: the same values without compression, and those bytes through lz4_flex, as one block. Both
/// stand in the sink, whose memory is kept.
fn compressed_by_library(value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
    ArrayPlain::default().encode(value, sink)?;
    let raw = sink.len();
    sink.resize(raw + lz4_flex::block::get_maximum_output_size(raw), 0);
    let (bytes, room) = sink.split_at_mut(raw);
    let written =
        lz4_flex::block::compress_into(bytes, room).map_err(|error| Error::malformed(<ArrayLz4BlockArray as Format>::INFO.name, error))?;
    sink.truncate(raw + written);
    Ok(())
}

pub(super) fn register(registry: &mut Registry) {
    registry.declare::<ArrayPlain, Organization>().encode().decode().decode_prefix().borrow();
    registry.declare::<ArrayLz4Block, Organization>().encode().decode().decode_prefix();
    registry.declare::<ArrayLz4BlockArray, Organization>().encode().decode().decode_prefix().encode_at_most(1.3, compressed_by_library);
    registry.declare::<MapPlain, Organization>().encode().decode().decode_prefix().borrow();
    registry.declare::<MapLz4Block, Organization>().encode().decode().decode_prefix();
    registry.declare::<MapLz4BlockArray, Organization>().encode().decode().decode_prefix();
    registry.declare::<ArrayPlain, Person>().encode().decode().decode_prefix();
    registry.declare::<MapPlain, Person>().encode().decode().decode_prefix();
}

/// Something that a writer can write.
trait Write {
    fn write<T: Target, const MAP: bool>(&self, writer: &mut Writer<T, MAP>) -> Result<(), Refused>;
}

/// Anything of serde's.
struct Any<'v, T>(&'v T);

impl<V: Serialize> Write for Any<'_, V> {
    #[inline]
    fn write<T: Target, const MAP: bool>(&self, writer: &mut Writer<T, MAP>) -> Result<(), Refused> {
        self.0.serialize(writer)
    }
}

impl Write for Value {
    fn write<T: Target, const MAP: bool>(&self, writer: &mut Writer<T, MAP>) -> Result<(), Refused> {
        writer.value(self);
        Ok(())
    }
}

impl<const MAP: bool, const COMPRESSION: u8> MessagePackCsharp<MAP, COMPRESSION> {
    fn write(&mut self, value: &impl Write, sink: &mut Vec<u8>) -> Result<()> {
        let refused = |Refused(reason)| Error::new(Self::INFO.name, Problem::Unrepresentable(reason));
        let mut sink = Sink::new(sink);
        if COMPRESSION == PLAIN {
            value.write(&mut Writer::<_, MAP>::new(&mut sink)).map_err(refused)
        } else if COMPRESSION == LZ4_BLOCK {
            let mut raw = Sink::new(&mut self.raw);
            value.write(&mut Writer::<_, MAP>::new(&mut raw)).map_err(refused)?;
            let raw = raw.written_since(0);
            let too_long = || Error::new(Self::INFO.name, Problem::Unrepresentable(format!("a block of {} bytes", raw.len())));
            self.scratch.write_block(raw, &mut sink).ok_or_else(too_long)
        } else {
            let mut writer = Writer::<_, MAP>::new(Segments::new(&mut self.scratch));
            value.write(&mut writer).map_err(refused)?;
            writer.target.finish(&mut sink);
            Ok(())
        }
    }

    /// The payload's values: where they stand, or decompressed; then with the bytes that they took before.
    fn open<'b>(&'b mut self, payload: &'b Payload) -> Result<(Reader<'b, MAP>, Option<usize>)> {
        if COMPRESSION != PLAIN
            && let Some(used) = decompress(Self::INFO.name, payload, &mut self.raw)?
        {
            return Ok((Reader::new(Self::INFO.name, &self.raw, payload.limits_inflated(self.raw.len()), true), Some(used)));
        }
        Ok((Reader::new(Self::INFO.name, payload, payload.limits(), false), None))
    }

    /// Reads a value and says how many bytes of the payload it took.
    fn prefix<'b, T>(&'b mut self, payload: &'b Payload, read: impl FnOnce(&mut Reader<'b, MAP>) -> Result<T>) -> Result<(T, usize)> {
        let (mut reader, compressed) = self.open(payload)?;
        let value = read(&mut reader)?;
        match compressed {
            None => Ok((value, reader.offset())),
            Some(used) => reader.end().map(|()| (value, used)),
        }
    }

    fn whole<'b, T>(&'b mut self, payload: &'b Payload, read: impl FnOnce(&mut Reader<'b, MAP>) -> Result<T>) -> Result<T> {
        let (value, used) = self.prefix(payload, read)?;
        trailing(Self::INFO.name, payload, used)?;
        Ok(value)
    }
}

/// Decompresses a payload to `raw`, if it is compressed.
///
/// A length is believed only as far as the limits and the block's own length can bear it: a claim alone allocates nothing. Returns the
/// bytes that were compressed.
fn decompress(format: &'static str, payload: &Payload, raw: &mut Vec<u8>) -> Result<Option<usize>> {
    let limits = payload.limits();
    let mut reader = Reader::<false>::new(format, payload, limits, false);
    raw.clear();
    match reader.peek()? {
        code::FIXARRAY..code::FIXSTR | code::ARRAY16 | code::ARRAY32 => {
            let Ok(count) = reader.array() else { return Ok(None) };
            match reader.peek() {
                Ok(code::FIXEXT1..=code::FIXEXT16 | code::EXT8..=code::EXT32) if count > 0 => {}
                _ => return Ok(None),
            }
            let (kind, lengths) = reader.extension()?;
            if kind != BLOCK_ARRAY_CODE {
                return Ok(None);
            }
            let mut lengths = Reader::<false>::new(format, lengths, limits, false);
            for _ in 1..count {
                let declared = declared(&mut lengths)?;
                let block = reader.binary()?;
                append(&reader, declared, block, &limits, raw)?;
            }
            if lengths.end().is_err() {
                return Err(reader.error(Problem::Malformed(format!("more lengths than the {} blocks", count - 1))));
            }
        }
        code::FIXEXT1..=code::FIXEXT16 | code::EXT8..=code::EXT32 => {
            let (kind, content) = reader.extension()?;
            if kind != BLOCK_CODE {
                return Ok(None);
            }
            let mut content = Reader::<false>::new(format, content, limits, false);
            let declared = declared(&mut content)?;
            let block = content.rest();
            append(&reader, declared, block, &limits, raw)?;
        }
        _ => return Ok(None),
    }
    Ok(Some(reader.offset()))
}

fn declared(reader: &mut Reader<'_, false>) -> Result<usize> {
    let value = reader.integer()?;
    match i32::try_from(value).ok().and_then(|value| usize::try_from(value).ok()) {
        Some(value) => Ok(value),
        None => Err(reader.error(Problem::Malformed(format!("a block of {value} bytes")))),
    }
}

/// Decompresses a block behind what is there. `reader` stands behind the block.
fn append(reader: &Reader<'_, false>, declared: usize, block: &[u8], limits: &Limits, raw: &mut Vec<u8>) -> Result<()> {
    let start = raw.len();
    limits
        .hold_bytes_out(start + declared)
        .and_then(|()| limits::hold("what this many bytes can hold", block.len().saturating_mul(255), declared))
        .map_err(|problem| reader.error(problem))?;
    raw.resize(start + declared, 0);
    let written =
        lz4_flex::block::decompress_into(block, &mut raw[start..]).map_err(|error| reader.error(Problem::Malformed(error.to_string())))?;
    if written == declared {
        Ok(())
    } else {
        Err(reader.error(Problem::Malformed(format!("the block holds {written} bytes, its length says {declared}"))))
    }
}

impl<T: Serialize, const MAP: bool, const COMPRESSION: u8> Encode<T> for MessagePackCsharp<MAP, COMPRESSION> {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        self.write(&Any(value), sink)
    }
}

impl<const MAP: bool, const COMPRESSION: u8> Encode<Value> for MessagePackCsharp<MAP, COMPRESSION> {
    fn encode(&mut self, value: &Value, sink: &mut Vec<u8>) -> Result<()> {
        self.write(value, sink)
    }
}

impl<T: for<'p> Plain<'p>, const MAP: bool, const COMPRESSION: u8> Decode<T> for MessagePackCsharp<MAP, COMPRESSION> {
    fn read(&mut self, payload: &Payload) -> Result<T> {
        self.whole(payload, |reader| T::read(reader))
    }
}

impl<T: for<'p> Plain<'p>, const MAP: bool, const COMPRESSION: u8> DecodePrefix<T> for MessagePackCsharp<MAP, COMPRESSION> {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)> {
        self.prefix(payload, |reader| T::read(reader))
    }
}

impl<const MAP: bool, const COMPRESSION: u8> Decode<Value> for MessagePackCsharp<MAP, COMPRESSION> {
    fn read(&mut self, payload: &Payload) -> Result<Value> {
        self.whole(payload, Reader::value)
    }
}

impl<const MAP: bool, const COMPRESSION: u8> DecodePrefix<Value> for MessagePackCsharp<MAP, COMPRESSION> {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Value, usize)> {
        self.prefix(payload, Reader::value)
    }
}

/// Only what is not compressed stands in the payload.
impl<const MAP: bool> Borrow<Organization> for MessagePackCsharp<MAP, PLAIN> {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        let mut reader = Reader::<MAP>::new(Self::INFO.name, payload, payload.limits(), false);
        let value = OrganizationRef::read(&mut reader)?;
        reader.end()?;
        Ok(value)
    }
}
