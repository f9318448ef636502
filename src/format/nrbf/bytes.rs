//! The single items of which records consist, read with their offsets.

use super::{NAME, type_name};
use crate::error::{Error, Problem, Result};
use crate::format::seven_bits;
use crate::graph::{DateTime, Decimal, Elements, Primitive, TimeSpan, Value};
use crate::limits::{self, Limits};

/// A payload, and how far it has been read.
pub(super) struct Bytes<'p> {
    payload: &'p [u8],
    rest: &'p [u8],
    most_text: usize,
}

impl<'p> Bytes<'p> {
    pub(super) fn new(payload: &'p [u8], limits: &Limits) -> Self {
        Self { payload, rest: payload, most_text: limits.text }
    }

    pub(super) fn offset(&self) -> usize {
        self.payload.len() - self.rest.len()
    }

    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    #[cold]
    fn truncated(&self, needed: u64) -> Error {
        Error::at(NAME, self.offset(), Problem::Truncated { needed, left: self.rest.len() as u64 })
    }

    /// Says that what was just read is wrong.
    #[cold]
    pub(super) fn malformed(&self, reason: impl Into<String>) -> Error {
        Error::at(NAME, self.offset(), Problem::Malformed(reason.into()))
    }

    #[inline(always)]
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(*chunk)
            }
            None => Err(self.truncated(N as u64)),
        }
    }

    pub(super) fn slice(&mut self, len: usize) -> Result<&'p [u8]> {
        match self.rest.split_at_checked(len) {
            Some((slice, rest)) => {
                self.rest = rest;
                Ok(slice)
            }
            None => Err(self.truncated(len as u64)),
        }
    }

    #[inline(always)]
    pub(super) fn u8(&mut self) -> Result<u8> {
        self.take().map(|[byte]| byte)
    }

    #[inline(always)]
    pub(super) fn i32(&mut self) -> Result<i32> {
        self.take().map(i32::from_le_bytes)
    }

    /// A number of things, never negative.
    pub(super) fn count(&mut self) -> Result<u32> {
        let count = self.i32()?;
        u32::try_from(count).map_err(|_| self.malformed(format!("a negative number, {count}")))
    }

    /// A string: its length in bytes, and UTF-8.
    #[inline(always)]
    pub(super) fn text(&mut self) -> Result<&'p str> {
        let first = self.u8()?;
        let len = if first < 0x80 { usize::from(first) } else { self.long_length(first)? };
        let bytes = self.slice(len)?;
        limits::hold("string length", self.most_text, len).map_err(|problem| Error::at(NAME, self.offset() - len, problem))?;
        match simdutf8::basic::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(_) => Err(Error::at(NAME, self.offset() - len, Problem::InvalidUtf8)),
        }
    }

    fn long_length(&mut self, first: u8) -> Result<usize> {
        seven_bits::rest(first, || self.u8())?.map_err(|reason| self.malformed(reason))
    }

    /// The full name of a type, which stands apart from its library's.
    pub(super) fn type_name(&mut self) -> Result<&'p str> {
        let name = self.text()?;
        match type_name::is_type(name) {
            true => Ok(name),
            false => Err(self.malformed(format!("{name:?} is not the name of a type"))),
        }
    }

    /// The full name of a library.
    pub(super) fn library_name(&mut self) -> Result<&'p str> {
        let name = self.text()?;
        match type_name::is_assembly(name) {
            true => Ok(name),
            false => Err(self.malformed(format!("{name:?} is not the name of a library"))),
        }
    }

    /// The byte that names a kind of single values.
    pub(super) fn kind(&mut self) -> Result<Primitive> {
        let byte = self.u8()?;
        kind(byte).ok_or_else(|| self.malformed(format!("{byte} is no kind of values")))
    }

    /// One value of a kind.
    #[inline(always)]
    pub(super) fn value(&mut self, kind: Primitive) -> Result<Value> {
        Ok(match kind {
            Primitive::I32 => Value::I32(i32::from_le_bytes(self.take()?)),
            Primitive::F64 => Value::F64(f64::from_le_bytes(self.take()?)),
            Primitive::I64 => Value::I64(i64::from_le_bytes(self.take()?)),
            Primitive::Bool => Value::Bool(self.u8()? != 0),
            Primitive::U8 => Value::U8(self.u8()?),
            Primitive::I8 => Value::I8(i8::from_le_bytes(self.take()?)),
            Primitive::I16 => Value::I16(i16::from_le_bytes(self.take()?)),
            Primitive::U16 => Value::U16(u16::from_le_bytes(self.take()?)),
            Primitive::U32 => Value::U32(u32::from_le_bytes(self.take()?)),
            Primitive::U64 => Value::U64(u64::from_le_bytes(self.take()?)),
            Primitive::F32 => Value::F32(f32::from_le_bytes(self.take()?)),
            Primitive::Char => Value::Char(self.char()?),
            Primitive::Decimal => Value::Decimal(self.decimal()?),
            Primitive::DateTime => {
                let bits = self.take()?;
                Value::DateTime(self.date_time(bits)?)
            }
            Primitive::TimeSpan => Value::TimeSpan(TimeSpan(i64::from_le_bytes(self.take()?))),
        })
    }

    /// A character, as UTF-8. One that takes two code units is none.
    fn char(&mut self) -> Result<u16> {
        let character = self.scalar()?;
        u16::try_from(u32::from(character)).map_err(|_| self.malformed("a character that takes two code units, where one stands"))
    }

    fn scalar(&mut self) -> Result<char> {
        let start = self.offset();
        let first = self.u8()?;
        let more = match first {
            0..0x80 => return Ok(char::from(first)),
            0xC0..0xE0 => 1,
            0xE0..0xF0 => 2,
            0xF0.. => 3,
            0x80..0xC0 => 0,
        };
        self.slice(more)?;
        let text = str::from_utf8(&self.payload[start..self.offset()]);
        text.ok().and_then(|text| text.chars().next()).ok_or_else(|| Error::at(NAME, start, Problem::InvalidUtf8))
    }

    /// A decimal, as text.
    fn decimal(&mut self) -> Result<Decimal> {
        let text = self.text()?;
        text.parse().map_err(|_| self.malformed(format!("{text:?} is not a decimal")))
    }

    fn date_time(&self, bits: [u8; 8]) -> Result<DateTime> {
        DateTime::from_bits(u64::from_le_bytes(bits)).ok_or_else(|| self.malformed("a time after the year 9999"))
    }

    /// The least bytes that so many values of a kind take, if there are as many left.
    pub(super) fn size_of_elements(&self, kind: Primitive, count: u64) -> Result<usize> {
        let least = match kind {
            Primitive::Bool | Primitive::U8 | Primitive::I8 | Primitive::Char => 1,
            Primitive::I16 | Primitive::U16 | Primitive::Decimal => 2,
            Primitive::I32 | Primitive::U32 | Primitive::F32 => 4,
            Primitive::I64 | Primitive::U64 | Primitive::F64 | Primitive::DateTime | Primitive::TimeSpan => 8,
        };
        let size = count.saturating_mul(least);
        if size > self.rest.len() as u64 { Err(self.truncated(size)) } else { Ok(size as usize) }
    }

    /// So many values of a kind. No more are believed than the payload has bytes for.
    pub(super) fn elements(&mut self, kind: Primitive, count: u64) -> Result<Elements> {
        let size = self.size_of_elements(kind, count)?;
        let count = count as usize;

        /// Values that each take the same bytes.
        fn fixed<const N: usize, T>(bytes: &[u8], value: impl Fn([u8; N]) -> T) -> Box<[T]> {
            bytes.as_chunks::<N>().0.iter().map(|&chunk| value(chunk)).collect()
        }

        Ok(match kind {
            Primitive::Char => Elements::Char(self.chars(count)?),
            Primitive::Decimal => {
                let mut decimals = Vec::with_capacity(count);
                for _ in 0..count {
                    decimals.push(self.decimal()?);
                }
                Elements::Decimal(decimals.into())
            }
            Primitive::DateTime => {
                let mut times = Vec::with_capacity(count);
                for _ in 0..count {
                    let bits = self.take()?;
                    times.push(self.date_time(bits)?);
                }
                Elements::DateTime(times.into())
            }
            Primitive::Bool => Elements::Bool(fixed(self.slice(size)?, |[byte]| byte != 0)),
            Primitive::U8 => Elements::U8(self.slice(size)?.into()),
            Primitive::I8 => Elements::I8(fixed(self.slice(size)?, i8::from_le_bytes)),
            Primitive::I16 => Elements::I16(fixed(self.slice(size)?, i16::from_le_bytes)),
            Primitive::U16 => Elements::U16(fixed(self.slice(size)?, u16::from_le_bytes)),
            Primitive::I32 => Elements::I32(fixed(self.slice(size)?, i32::from_le_bytes)),
            Primitive::U32 => Elements::U32(fixed(self.slice(size)?, u32::from_le_bytes)),
            Primitive::F32 => Elements::F32(fixed(self.slice(size)?, f32::from_le_bytes)),
            Primitive::I64 => Elements::I64(fixed(self.slice(size)?, i64::from_le_bytes)),
            Primitive::U64 => Elements::U64(fixed(self.slice(size)?, u64::from_le_bytes)),
            Primitive::F64 => Elements::F64(fixed(self.slice(size)?, f64::from_le_bytes)),
            Primitive::TimeSpan => Elements::TimeSpan(fixed(self.slice(size)?, |bytes| TimeSpan(i64::from_le_bytes(bytes)))),
        })
    }

    /// So many UTF-16 code units, as UTF-8: here a character may take two.
    fn chars(&mut self, count: usize) -> Result<Box<[u16]>> {
        let mut units = Vec::with_capacity(count);
        while units.len() < count {
            let character = self.scalar()?;
            units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
        }
        match units.len() == count {
            true => Ok(units.into()),
            false => Err(self.malformed("a character that takes two code units, where one is left")),
        }
    }
}

/// The bytes of memory that values of a kind take which are `size` of a payload.
pub(super) fn memory_of(kind: Primitive, size: usize) -> usize {
    match kind {
        Primitive::Char => size * size_of::<u16>(),
        Primitive::Decimal => size / 2 * size_of::<Decimal>(),
        _ => size,
    }
}

/// The byte that stands for a kind.
pub(super) fn kind_byte(kind: Primitive) -> u8 {
    match kind {
        Primitive::Bool => 1,
        Primitive::U8 => 2,
        Primitive::Char => 3,
        Primitive::Decimal => 5,
        Primitive::F64 => 6,
        Primitive::I16 => 7,
        Primitive::I32 => 8,
        Primitive::I64 => 9,
        Primitive::I8 => 10,
        Primitive::F32 => 11,
        Primitive::TimeSpan => 12,
        Primitive::DateTime => 13,
        Primitive::U16 => 14,
        Primitive::U32 => 15,
        Primitive::U64 => 16,
    }
}

/// The kind that a byte stands for. 17 and 18, null and string, never stand where a kind does.
fn kind(byte: u8) -> Option<Primitive> {
    Some(match byte {
        1 => Primitive::Bool,
        2 => Primitive::U8,
        3 => Primitive::Char,
        5 => Primitive::Decimal,
        6 => Primitive::F64,
        7 => Primitive::I16,
        8 => Primitive::I32,
        9 => Primitive::I64,
        10 => Primitive::I8,
        11 => Primitive::F32,
        12 => Primitive::TimeSpan,
        13 => Primitive::DateTime,
        14 => Primitive::U16,
        15 => Primitive::U32,
        16 => Primitive::U64,
        _ => return None,
    })
}
