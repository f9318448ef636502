//! What MessagePack for C# reads.

use std::borrow::Cow;

use super::super::plain::Source;
use super::value::{Timestamp, Value};
use super::{BLOCK_ARRAY_CODE, BLOCK_CODE, code};
use crate::error::{Error, Problem, Result};
use crate::limits::{Limits, Meter};

/// Reads values; a class is a map of its names if `MAP` says so, and an array otherwise.
pub(super) struct Reader<'p, const MAP: bool> {
    format: &'static str,
    len: usize,
    rest: &'p [u8],
    depth: usize,
    meter: Meter,
    /// The bytes were compressed: what says that it is compressed again is refused.
    nested: bool,
}

impl<'p, const MAP: bool> Reader<'p, MAP> {
    pub(super) fn new(format: &'static str, bytes: &'p [u8], limits: Limits, nested: bool) -> Self {
        Self { format, len: bytes.len(), rest: bytes, depth: 0, meter: Meter::new(limits), nested }
    }

    /// What has not been read yet.
    pub(super) fn rest(&self) -> &'p [u8] {
        self.rest
    }

    pub(super) fn offset(&self) -> usize {
        self.len - self.rest.len()
    }

    #[cold]
    pub(super) fn error(&self, problem: Problem) -> Error {
        Error::at(self.format, self.offset(), problem)
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        self.error(Problem::Truncated { needed: needed as u64, left: self.rest.len() as u64 })
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        match self.rest.first() {
            Some(code) => self.error(Problem::Malformed(format!("{what} is expected, not the code {code:02X}"))),
            None => self.truncated(1),
        }
    }

    /// The next code; the reader stands before it.
    #[inline]
    pub(super) fn peek(&self) -> Result<u8> {
        match self.rest.first() {
            Some(&code) => Ok(code),
            None => Err(self.truncated(1)),
        }
    }

    /// A number of `N` bytes behind the code.
    #[inline]
    fn number<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.get(1..).and_then(<[u8]>::split_first_chunk) {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(*chunk)
            }
            None => Err(self.truncated(1 + N)),
        }
    }

    #[inline]
    pub(super) fn bytes(&mut self, len: usize) -> Result<&'p [u8]> {
        match self.rest.split_at_checked(len) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.truncated(len)),
        }
    }

    /// A length of one, two or four bytes behind the code.
    fn length(&mut self, width: u8) -> Result<usize> {
        Ok(match width {
            0 => usize::from(u8::from_be_bytes(self.number()?)),
            1 => usize::from(u16::from_be_bytes(self.number()?)),
            _ => u32::from_be_bytes(self.number()?) as usize,
        })
    }

    fn skip_code(&mut self) {
        self.rest = self.rest.get(1..).unwrap_or_default();
    }

    /// An integer in any of its forms. An `i128` holds every one of both signs.
    #[inline]
    pub(super) fn integer(&mut self) -> Result<i128> {
        let code = self.peek()?;
        Ok(match code {
            0..0x80 => {
                self.skip_code();
                code.into()
            }
            0xE0.. => {
                self.skip_code();
                (code as i8).into()
            }
            code::UINT8 => u8::from_be_bytes(self.number()?).into(),
            code::UINT16 => u16::from_be_bytes(self.number()?).into(),
            code::UINT32 => u32::from_be_bytes(self.number()?).into(),
            code::UINT64 => u64::from_be_bytes(self.number()?).into(),
            code::INT8 => i8::from_be_bytes(self.number()?).into(),
            code::INT16 => i16::from_be_bytes(self.number()?).into(),
            code::INT32 => i32::from_be_bytes(self.number()?).into(),
            code::INT64 => i64::from_be_bytes(self.number()?).into(),
            _ => return Err(self.expected("an integer")),
        })
    }

    #[cold]
    fn beyond(&self, value: i128, bits: u32) -> Error {
        self.error(Problem::Malformed(format!("{value} in a field of {bits} bits")))
    }

    /// The number of items of an array; each takes a byte at least.
    #[inline]
    pub(super) fn array(&mut self) -> Result<usize> {
        let len = match self.peek()? {
            code @ code::FIXARRAY..code::FIXSTR => {
                self.skip_code();
                usize::from(code & 0x0F)
            }
            code::ARRAY16 => self.length(1)?,
            code::ARRAY32 => self.length(2)?,
            _ => return Err(self.expected("an array")),
        };
        if len > self.rest.len() {
            return Err(self.truncated(len));
        }
        Ok(len)
    }

    /// The number of entries of a map; each takes two bytes at least.
    #[inline]
    fn map(&mut self) -> Result<usize> {
        let len = match self.peek()? {
            code @ code::FIXMAP..code::FIXARRAY => {
                self.skip_code();
                usize::from(code & 0x0F)
            }
            code::MAP16 => self.length(1)?,
            code::MAP32 => self.length(2)?,
            _ => return Err(self.expected("a map")),
        };
        if len > self.rest.len() / 2 {
            return Err(self.truncated(len.saturating_mul(2)));
        }
        Ok(len)
    }

    /// A string's bytes, which may not be UTF-8.
    #[inline]
    fn raw_text(&mut self) -> Result<&'p [u8]> {
        let len = match self.peek()? {
            code @ code::FIXSTR..code::NIL => {
                self.skip_code();
                usize::from(code & 0x1F)
            }
            code @ code::STR8..=code::STR32 => self.length(code - code::STR8)?,
            _ => return Err(self.expected("a string")),
        };
        self.meter.text(len).map_err(|problem| self.error(problem))?;
        self.bytes(len)
    }

    /// A string's bytes, which the reader has just passed, as text.
    #[inline]
    fn valid(&self, text: &'p [u8]) -> Result<&'p str> {
        simdutf8::basic::from_utf8(text).map_err(|_| Error::at(self.format, self.offset() - text.len(), Problem::InvalidUtf8))
    }

    /// The type and bytes of an extension.
    pub(super) fn extension(&mut self) -> Result<(i8, &'p [u8])> {
        let len = match self.peek()? {
            code @ code::FIXEXT1..=code::FIXEXT16 => {
                self.skip_code();
                1 << (code - code::FIXEXT1)
            }
            code @ code::EXT8..=code::EXT32 => self.length(code - code::EXT8)?,
            _ => return Err(self.expected("an extension")),
        };
        let kind = self.bytes(1)?[0] as i8;
        if self.nested && (kind == BLOCK_CODE || kind == BLOCK_ARRAY_CODE) {
            return Err(self.error(Problem::Malformed(format!("an extension of type {kind}, compressed bytes, inside compressed bytes"))));
        }
        Ok((kind, self.bytes(len)?))
    }

    /// Bytes that are marked as such.
    pub(super) fn binary(&mut self) -> Result<&'p [u8]> {
        match self.peek()? {
            code @ code::BIN8..=code::BIN32 => {
                let len = self.length(code - code::BIN8)?;
                self.bytes(len)
            }
            _ => Err(self.expected("a run of bytes")),
        }
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        self.meter.limits().hold_depth(self.depth).map_err(|problem| self.error(problem))
    }

    /// Moves behind a value that nobody asked for.
    fn skip(&mut self) -> Result<()> {
        match self.peek()? {
            0..0x80 | 0xE0.. | code::UINT8..=code::INT64 => self.integer().map(drop),
            code::NIL | code::FALSE | code::TRUE => {
                self.skip_code();
                Ok(())
            }
            code::FLOAT32 => self.number::<4>().map(drop),
            code::FLOAT64 => self.number::<8>().map(drop),
            code::FIXSTR..code::NIL | code::STR8..=code::STR32 => {
                let text = self.raw_text()?;
                self.valid(text).map(drop)
            }
            code::BIN8..=code::BIN32 => self.binary().map(drop),
            code::FIXARRAY..code::FIXSTR | code::ARRAY16 | code::ARRAY32 => {
                let len = self.array()?;
                self.skip_all(len)
            }
            code::FIXMAP..code::FIXARRAY | code::MAP16 | code::MAP32 => {
                let len = self.map()?;
                self.skip_all(len * 2)
            }
            code::FIXEXT1..=code::FIXEXT16 | code::EXT8..=code::EXT32 => self.extension().map(drop),
            code::NEVER => Err(self.expected("a value")),
        }
    }

    fn skip_all(&mut self, count: usize) -> Result<()> {
        self.enter()?;
        for _ in 0..count {
            self.skip()?;
        }
        self.depth -= 1;
        Ok(())
    }

    /// The next value, whatever it is.
    pub(super) fn value(&mut self) -> Result<Value> {
        Ok(match self.peek()? {
            0..0x80 | 0xE0.. | code::UINT8..=code::INT64 => {
                let value = self.integer()?;
                i64::try_from(value).map_or(Value::Unsigned(value as u64), Value::Integer)
            }
            code::NIL => {
                self.skip_code();
                Value::Nil
            }
            code @ (code::FALSE | code::TRUE) => {
                self.skip_code();
                Value::Bool(code == code::TRUE)
            }
            code::FLOAT32 => Value::Single(f32::from_be_bytes(self.number()?)),
            code::FLOAT64 => Value::Double(f64::from_be_bytes(self.number()?)),
            code::FIXSTR..code::NIL | code::STR8..=code::STR32 => Value::Text(Source::text(self)?.into_owned()),
            code::BIN8..=code::BIN32 => Value::Bytes(self.binary()?.to_vec()),
            code::FIXARRAY..code::FIXSTR | code::ARRAY16 | code::ARRAY32 => {
                let len = self.array()?;
                let capacity = self.any::<Value>(len)?;
                Value::Array(self.items(len, capacity, Self::value)?)
            }
            code::FIXMAP..code::FIXARRAY | code::MAP16 | code::MAP32 => {
                let len = self.map()?;
                let capacity = self.any::<(Value, Value)>(len)?;
                Value::Map(self.items(len, capacity, |reader| Ok((reader.value()?, reader.value()?)))?)
            }
            code::FIXEXT1..=code::FIXEXT16 | code::EXT8..=code::EXT32 => match self.extension()? {
                (-1, bytes) => match Timestamp::from_bytes(bytes) {
                    Some(timestamp) => Value::Timestamp(timestamp),
                    None => return Err(self.error(Problem::Malformed("a timestamp of another length, or beyond its second".to_owned()))),
                },
                (kind, bytes) => Value::Extension(kind, bytes.to_vec()),
            },
            code::NEVER => return Err(self.expected("a value")),
        })
    }

    /// Items of any kind take up to 32 times their bytes, all of which may be worth reading: only their number is held to the limits. It is a
    /// claim, so that memory for all of them is taken at once only if the bytes that are left could hold as much.
    fn any<T>(&mut self, len: usize) -> Result<usize> {
        self.meter.list::<()>(len).map_err(|problem| self.error(problem))?;
        Ok(len.min(self.rest.len().saturating_mul(4) / size_of::<T>()))
    }

    fn items<T>(&mut self, len: usize, capacity: usize, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        self.enter()?;
        let mut items = Vec::with_capacity(capacity);
        for _ in 0..len {
            items.push(item(self)?);
        }
        self.depth -= 1;
        Ok(items)
    }

    pub(super) fn end(&self) -> Result<()> {
        match self.rest.len() {
            0 => Ok(()),
            left => Err(self.error(Problem::Trailing { left: left as u64 })),
        }
    }
}

impl<'p, const MAP: bool> Source<'p> for Reader<'p, MAP> {
    #[inline]
    fn null(&mut self) -> Result<bool> {
        let null = self.peek()? == code::NIL;
        if null {
            self.skip_code();
        }
        Ok(null)
    }

    #[inline]
    fn int32(&mut self) -> Result<i32> {
        let value = self.integer()?;
        i32::try_from(value).map_err(|_| self.beyond(value, 32))
    }

    #[inline]
    fn int64(&mut self) -> Result<i64> {
        let value = self.integer()?;
        i64::try_from(value).map_err(|_| self.beyond(value, 64))
    }

    /// The original takes any number for a double.
    #[inline]
    fn double(&mut self) -> Result<f64> {
        match self.peek()? {
            code::FLOAT64 => Ok(f64::from_bits(u64::from_be_bytes(self.number()?))),
            code::FLOAT32 => Ok(f32::from_bits(u32::from_be_bytes(self.number()?)).into()),
            _ => self.integer().map(|value| value as f64),
        }
    }

    #[inline]
    fn text(&mut self) -> Result<Cow<'p, str>> {
        let text = self.raw_text()?;
        self.valid(text).map(Cow::Borrowed)
    }

    fn list<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let len = self.array()?;
        // An item takes a byte at least, so that the payload has bytes for as many; what they take in memory is held to the limits.
        self.meter.list::<T>(len).map_err(|problem| self.error(problem))?;
        self.items(len, len, item)
    }

    #[inline]
    fn object(&mut self, names: &[&str], mut property: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        if MAP {
            let len = self.map()?;
            self.enter()?;
            for position in 0..len {
                let name = self.raw_text()?;
                let known = match names.get(position) {
                    Some(expected) if expected.as_bytes() == name => Some(position),
                    _ => names.iter().position(|known| known.as_bytes() == name),
                };
                match known {
                    Some(index) => property(self, index)?,
                    None => {
                        self.valid(name)?;
                        self.skip()?;
                    }
                }
            }
        } else {
            let len = self.array()?;
            self.enter()?;
            for index in 0..len {
                if index < names.len() {
                    property(self, index)?;
                } else {
                    self.skip()?;
                }
            }
        }
        self.depth -= 1;
        Ok(())
    }
}
