//! What MessagePack for C# writes: every number in its smallest form, and each write with the room that the original asks for, which
//! is what decides where a compressed payload is cut into blocks.

use std::fmt;

use serde::ser::{self, Serialize};

use super::super::sink::Sink;
use super::value::Value;
use super::{code, lz4};

/// Where the writer's bytes go.
pub(super) trait Target {
    /// Room for a write of at most so many bytes.
    fn room(&mut self, size: usize) -> &mut [u8];

    /// The room that is left without a new segment.
    fn left(&self) -> usize;

    /// Says how many bytes of the room were used.
    fn advance(&mut self, size: usize);
}

/// One stretch of memory, whose room never ends.
impl Target for Sink<'_> {
    #[inline]
    fn room(&mut self, size: usize) -> &mut [u8] {
        Sink::room(self, size)
    }

    #[inline]
    fn left(&self) -> usize {
        usize::MAX
    }

    #[inline]
    fn advance(&mut self, size: usize) {
        Sink::advance(self, size);
    }
}

/// The arrays that the original's buffers are rented from: so many of each size, which is a power of two.
///
/// A size that has run out is taken from the next one, and if that has run out too a new array is made. Beyond the greatest size, every
/// array is made just as long as was asked for.
struct Pool {
    left: [u8; Self::SIZES],
}

impl Pool {
    const LEAST: usize = 16;
    const SIZES: usize = 14;
    const ARRAYS: u8 = 100;

    fn new() -> Self {
        Self { left: [Self::ARRAYS; Self::SIZES] }
    }

    /// The length of the array that is handed out for a request.
    fn rent(&mut self, len: usize) -> usize {
        let index = (len.max(Self::LEAST) - 1).ilog2() as usize - 3;
        if index >= Self::SIZES {
            return len;
        }
        for (index, left) in self.left.iter_mut().enumerate().skip(index).take(2) {
            if *left > 0 {
                *left -= 1;
                return Self::LEAST << index;
            }
        }
        Self::LEAST << index
    }
}

/// The original's first buffer, which it gets before it knows what it will write, ...
const FIRST: usize = 4096;
/// ... and the least it asks for later.
const LEAST: usize = 32_768;

/// What a writer of blocks keeps from one payload to the next.
#[derive(Default)]
pub(super) struct Scratch {
    /// The segment that is being filled.
    segment: Vec<u8>,
    /// The lengths of the segments before it.
    lengths: Vec<usize>,
    /// Compressed blocks.
    blocks: Vec<u8>,
    /// What stands before them.
    head: Vec<u8>,
    tables: lz4::Tables,
}

/// Segments as the original fills them, each compressed as soon as it is full.
pub(super) struct Segments<'s> {
    scratch: &'s mut Scratch,
    pool: Pool,
    capacity: usize,
    at: usize,
    /// How much of the scratch's blocks is filled.
    filled: usize,
}

impl<'s> Segments<'s> {
    pub(super) fn new(scratch: &'s mut Scratch) -> Self {
        let mut pool = Pool::new();
        let capacity = pool.rent(FIRST);
        scratch.lengths.clear();
        let mut segments = Self { scratch, pool, capacity, at: 0, filled: 0 };
        segments.reserve();
        segments
    }

    fn reserve(&mut self) {
        if self.scratch.segment.len() < self.capacity {
            self.scratch.segment.resize(self.capacity, 0);
        }
    }

    #[cold]
    fn next(&mut self, size: usize) {
        self.close();
        self.capacity = self.pool.rent(size.max(LEAST));
        self.reserve();
    }

    /// Compresses the segment, as `C6`, its length, and the block.
    fn close(&mut self) {
        if self.at == 0 {
            return;
        }
        let head = self.filled + 5;
        let end = head + lz4::most(self.at);
        if self.scratch.blocks.len() < end {
            self.scratch.blocks.resize(end.max(self.scratch.blocks.len() * 2), 0);
        }
        let len = lz4::compress(&self.scratch.segment[..self.at], &mut self.scratch.tables, &mut self.scratch.blocks[head..end]);
        self.scratch.blocks[self.filled] = code::BIN32;
        self.scratch.blocks[self.filled + 1..head].copy_from_slice(&(len as u32).to_be_bytes());
        self.filled = head + len;
        self.scratch.lengths.push(self.at);
        self.at = 0;
    }

    /// Writes the payload: an array of the lengths and the blocks, or the bytes themselves if they are few.
    pub(super) fn finish(mut self, sink: &mut Sink<'_>) {
        if self.scratch.lengths.is_empty() && self.at < super::LEAST_TO_COMPRESS {
            sink.put_slice(&self.scratch.segment[..self.at]);
            return;
        }
        self.close();
        let mut writer = Writer::<_, false>::new(Sink::new(&mut self.scratch.head));
        self.scratch.lengths.iter().for_each(|&len| writer.unsigned(len as u64));
        drop(writer);
        let mut head = Writer::<_, false>::new(sink);
        head.array(self.scratch.lengths.len() + 1);
        head.extension(super::BLOCK_ARRAY_CODE, &self.scratch.head);
        head.target.put_slice(&self.scratch.blocks[..self.filled]);
    }
}

impl Scratch {
    /// Writes the whole payload as one block: an extension of its length in five bytes and the block, or the bytes themselves if they are
    /// few. None if its length is beyond an `i32`.
    pub(super) fn write_block(&mut self, raw: &[u8], sink: &mut Sink<'_>) -> Option<()> {
        if raw.len() < super::LEAST_TO_COMPRESS {
            sink.put_slice(raw);
            return Some(());
        }
        let len = i32::try_from(raw.len()).ok()?;
        let most = 5 + lz4::most(raw.len());
        if self.blocks.len() < most {
            self.blocks.resize(most, 0);
        }
        self.blocks[0] = code::INT32;
        self.blocks[1..5].copy_from_slice(&len.to_be_bytes());
        let end = 5 + lz4::compress(raw, &mut self.tables, &mut self.blocks[5..most]);
        Writer::<_, false>::new(sink).extension(super::BLOCK_CODE, &self.blocks[..end]);
        Some(())
    }
}

impl Target for &mut Sink<'_> {
    fn room(&mut self, size: usize) -> &mut [u8] {
        Sink::room(self, size)
    }

    fn left(&self) -> usize {
        usize::MAX
    }

    fn advance(&mut self, size: usize) {
        Sink::advance(self, size);
    }
}

impl Target for Segments<'_> {
    #[inline]
    fn room(&mut self, size: usize) -> &mut [u8] {
        if self.at + size > self.capacity {
            self.next(size);
        }
        &mut self.scratch.segment[self.at..self.at + size]
    }

    #[inline]
    fn left(&self) -> usize {
        self.capacity - self.at
    }

    #[inline]
    fn advance(&mut self, size: usize) {
        self.at += size;
    }
}

/// Why serde's calls cannot be written.
#[derive(Debug)]
pub(super) struct Refused(pub(super) String);

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Refused {}

impl ser::Error for Refused {
    #[cold]
    fn custom<T: fmt::Display>(reason: T) -> Self {
        Self(reason.to_string())
    }
}

/// Writes values; a struct is a map of its names if `MAP` says so, and an array otherwise.
pub(super) struct Writer<T, const MAP: bool> {
    pub(super) target: T,
}

impl<T: Target, const MAP: bool> Writer<T, MAP> {
    pub(super) fn new(target: T) -> Self {
        Self { target }
    }

    #[inline]
    fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.target.room(N)[..N].copy_from_slice(&bytes);
        self.target.advance(N);
    }

    /// A code, and a number of `N` bytes in big-endian order behind it.
    #[inline]
    fn put_coded<const N: usize>(&mut self, code: u8, bytes: [u8; N]) {
        let room = self.target.room(1 + N);
        room[0] = code;
        room[1..=N].copy_from_slice(&bytes);
        self.target.advance(1 + N);
    }

    #[inline]
    pub(super) fn unsigned(&mut self, value: u64) {
        match value {
            0..0x80 => self.put([value as u8]),
            0x80..0x100 => self.put_coded(code::UINT8, [value as u8]),
            0x100..0x1_0000 => self.put_coded(code::UINT16, (value as u16).to_be_bytes()),
            0x1_0000..0x1_0000_0000 => self.put_coded(code::UINT32, (value as u32).to_be_bytes()),
            _ => self.put_coded(code::UINT64, value.to_be_bytes()),
        }
    }

    #[inline]
    pub(super) fn signed(&mut self, value: i64) {
        match value {
            0.. => self.unsigned(value as u64),
            -32..0 => self.put([value as u8]),
            -0x80..0 => self.put_coded(code::INT8, [value as u8]),
            -0x8000..0 => self.put_coded(code::INT16, (value as i16).to_be_bytes()),
            -0x8000_0000..0 => self.put_coded(code::INT32, (value as i32).to_be_bytes()),
            _ => self.put_coded(code::INT64, value.to_be_bytes()),
        }
    }

    /// Room for a whole string is asked for before its bytes are known: three for each unit of UTF-16 and one more, and a header.
    #[inline]
    pub(super) fn text(&mut self, text: &str) {
        let len = text.len();
        // Units are at most as many as bytes, so what fits for all of them need not be counted.
        let mut asked = 3 * (len + 1) + 5;
        if asked > self.target.left() {
            asked = 3 * (units(text) + 1) + 5;
        }
        let room = self.target.room(asked.max(len + 5));
        let head = match len {
            0..32 => {
                room[0] = code::FIXSTR | len as u8;
                1
            }
            32..0x100 => {
                room[..2].copy_from_slice(&[code::STR8, len as u8]);
                2
            }
            0x100..0x1_0000 => {
                room[0] = code::STR16;
                room[1..3].copy_from_slice(&(len as u16).to_be_bytes());
                3
            }
            _ => {
                room[0] = code::STR32;
                room[1..5].copy_from_slice(&(len as u32).to_be_bytes());
                5
            }
        };
        copy(&mut room[head..head + len], text.as_bytes());
        self.target.advance(head + len);
    }

    /// A property's name. The original has it ready with its header, and asks for just that.
    #[inline]
    fn name(&mut self, name: &str) {
        let len = name.len();
        if len < 32 {
            let room = self.target.room(1 + len);
            room[0] = code::FIXSTR | len as u8;
            room[1..].copy_from_slice(name.as_bytes());
            self.target.advance(1 + len);
        } else {
            self.text(name);
        }
    }

    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        let len = bytes.len();
        self.counted(len, [code::BIN8, code::BIN16, code::BIN32], bytes);
    }

    /// One of three codes, by the length, the length, and the bytes.
    fn counted(&mut self, len: usize, codes: [u8; 3], bytes: &[u8]) {
        let head = match len {
            0..0x100 => 2,
            0x100..0x1_0000 => 3,
            _ => 5,
        };
        let room = self.target.room(head + bytes.len());
        match head {
            2 => room[..2].copy_from_slice(&[codes[0], len as u8]),
            3 => {
                room[0] = codes[1];
                room[1..3].copy_from_slice(&(len as u16).to_be_bytes());
            }
            _ => {
                room[0] = codes[2];
                room[1..5].copy_from_slice(&(len as u32).to_be_bytes());
            }
        }
        room[head..head + bytes.len()].copy_from_slice(bytes);
        self.target.advance(head + bytes.len());
    }

    #[inline]
    pub(super) fn array(&mut self, len: usize) {
        self.header(len, code::FIXARRAY, code::ARRAY16, code::ARRAY32);
    }

    #[inline]
    pub(super) fn map(&mut self, len: usize) {
        self.header(len, code::FIXMAP, code::MAP16, code::MAP32);
    }

    #[inline]
    fn header(&mut self, len: usize, fix: u8, short: u8, long: u8) {
        match len {
            0..16 => self.put([fix | len as u8]),
            16..0x1_0000 => self.put_coded(short, (len as u16).to_be_bytes()),
            _ => self.put_coded(long, (len as u32).to_be_bytes()),
        }
    }

    /// An extension: its length, its type, its bytes.
    pub(super) fn extension(&mut self, kind: i8, bytes: &[u8]) {
        match bytes.len() {
            len @ (1 | 2 | 4 | 8 | 16) => self.put([code::FIXEXT1 + len.ilog2() as u8, kind as u8]),
            len @ 0..0x100 => self.put([code::EXT8, len as u8, kind as u8]),
            len @ 0x100..0x1_0000 => {
                let [a, b] = (len as u16).to_be_bytes();
                self.put([code::EXT16, a, b, kind as u8]);
            }
            len => {
                let [a, b, c, d] = (len as u32).to_be_bytes();
                self.put([code::EXT32, a, b, c, d, kind as u8]);
            }
        }
        self.target.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.target.advance(bytes.len());
    }

    pub(super) fn value(&mut self, value: &Value) {
        match value {
            Value::Nil => self.put([code::NIL]),
            Value::Bool(value) => self.put([code::FALSE + u8::from(*value)]),
            Value::Integer(value) => self.signed(*value),
            Value::Unsigned(value) => self.unsigned(*value),
            Value::Single(value) => self.put_coded(code::FLOAT32, value.to_bits().to_be_bytes()),
            Value::Double(value) => self.put_coded(code::FLOAT64, value.to_bits().to_be_bytes()),
            Value::Text(text) => self.text(text),
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::Array(items) => {
                self.array(items.len());
                items.iter().for_each(|item| self.value(item));
            }
            Value::Map(entries) => {
                self.map(entries.len());
                for (key, value) in entries {
                    self.value(key);
                    self.value(value);
                }
            }
            Value::Timestamp(timestamp) => self.extension(-1, timestamp.bytes().as_ref()),
            Value::Extension(kind, bytes) => self.extension(*kind, bytes),
        }
    }
}

/// The string's length as .NET counts it: characters beyond U+FFFF, which start with a byte from F0 on, are two.
fn units(text: &str) -> usize {
    text.bytes().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum()
}

/// Copies bytes of the same length; most strings here are of 16 to 32 bytes, which are two copies of a fixed size that may overlap.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    match (from.first_chunk::<16>(), from.last_chunk::<16>()) {
        (Some(first), Some(last)) if from.len() <= 32 => {
            let tail = from.len() - 16;
            to[..16].copy_from_slice(first);
            to[tail..tail + 16].copy_from_slice(last);
        }
        _ => to.copy_from_slice(from),
    }
}

/// Arrays and maps need their length before their first item.
fn known(len: Option<usize>) -> Result<usize, Refused> {
    len.ok_or_else(|| Refused("a list of unknown length".to_owned()))
}

impl<'w, T: Target, const MAP: bool> ser::Serializer for &'w mut Writer<T, MAP> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Items<'w, T, MAP>;
    type SerializeTuple = Items<'w, T, MAP>;
    type SerializeTupleStruct = Items<'w, T, MAP>;
    type SerializeTupleVariant = ser::Impossible<(), Refused>;
    type SerializeMap = Items<'w, T, MAP>;
    type SerializeStruct = Items<'w, T, MAP>;
    type SerializeStructVariant = ser::Impossible<(), Refused>;

    fn is_human_readable(&self) -> bool {
        false
    }

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.put([code::FALSE + u8::from(value)]);
        Ok(())
    }

    fn serialize_i8(self, value: i8) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i32(self, value: i32) -> Result<(), Refused> {
        self.serialize_i64(value.into())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<(), Refused> {
        self.signed(value);
        Ok(())
    }

    fn serialize_u8(self, value: u8) -> Result<(), Refused> {
        self.serialize_u64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Result<(), Refused> {
        self.serialize_u64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Result<(), Refused> {
        self.serialize_u64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Result<(), Refused> {
        self.unsigned(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Refused> {
        self.put_coded(code::FLOAT32, value.to_bits().to_be_bytes());
        Ok(())
    }

    #[inline]
    fn serialize_f64(self, value: f64) -> Result<(), Refused> {
        self.put_coded(code::FLOAT64, value.to_bits().to_be_bytes());
        Ok(())
    }

    /// A character is its number, as long as it is one unit of UTF-16.
    fn serialize_char(self, value: char) -> Result<(), Refused> {
        match u16::try_from(u32::from(value)) {
            Ok(unit) => self.serialize_u16(unit),
            Err(_) => Err(Refused(format!("the character {value:?}, which is two in .NET,"))),
        }
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Refused> {
        if value.len() > u32::MAX as usize {
            return Err(Refused("a string of more than 4 GiB".to_owned()));
        }
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refused> {
        self.bytes(value);
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<V: Serialize + ?Sized>(self, value: &V) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.put([code::NIL]);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Refused> {
        if MAP {
            self.map(0)
        } else {
            self.array(0)
        }
        Ok(())
    }

    /// An enum is its number.
    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Refused> {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<V: Serialize + ?Sized>(self, _: &'static str, value: &V) -> Result<(), Refused> {
        value.serialize(self)
    }

    /// A union is its key and its value.
    fn serialize_newtype_variant<V: Serialize + ?Sized>(
        self,
        _: &'static str,
        index: u32,
        _: &'static str,
        value: &V,
    ) -> Result<(), Refused> {
        self.array(2);
        self.serialize_u32(index)?;
        value.serialize(self)
    }

    #[inline]
    fn serialize_seq(self, len: Option<usize>) -> Result<Items<'w, T, MAP>, Refused> {
        self.array(known(len)?);
        Ok(Items(self))
    }

    fn serialize_tuple(self, len: usize) -> Result<Items<'w, T, MAP>, Refused> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Items<'w, T, MAP>, Refused> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Refused> {
        Err(Refused(format!("the variant {variant} of {name}, which has several values,")))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Items<'w, T, MAP>, Refused> {
        self.map(known(len)?);
        Ok(Items(self))
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, len: usize) -> Result<Items<'w, T, MAP>, Refused> {
        if MAP {
            self.map(len)
        } else {
            self.array(len)
        }
        Ok(Items(self))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Refused> {
        Err(Refused(format!("the variant {variant} of {name}, which has fields,")))
    }
}

/// The items of an array or a map.
pub(super) struct Items<'w, T, const MAP: bool>(&'w mut Writer<T, MAP>);

impl<T: Target, const MAP: bool> ser::SerializeSeq for Items<'_, T, MAP> {
    type Ok = ();
    type Error = Refused;

    #[inline]
    fn serialize_element<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Refused> {
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl<T: Target, const MAP: bool> ser::SerializeTuple for Items<'_, T, MAP> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Refused> {
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl<T: Target, const MAP: bool> ser::SerializeTupleStruct for Items<'_, T, MAP> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Refused> {
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl<T: Target, const MAP: bool> ser::SerializeMap for Items<'_, T, MAP> {
    type Ok = ();
    type Error = Refused;

    fn serialize_key<V: Serialize + ?Sized>(&mut self, key: &V) -> Result<(), Refused> {
        key.serialize(&mut *self.0)
    }

    fn serialize_value<V: Serialize + ?Sized>(&mut self, value: &V) -> Result<(), Refused> {
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}

impl<T: Target, const MAP: bool> ser::SerializeStruct for Items<'_, T, MAP> {
    type Ok = ();
    type Error = Refused;

    #[inline]
    fn serialize_field<V: Serialize + ?Sized>(&mut self, name: &'static str, value: &V) -> Result<(), Refused> {
        if MAP {
            self.0.name(name);
        }
        value.serialize(&mut *self.0)
    }

    fn end(self) -> Result<(), Refused> {
        Ok(())
    }
}
