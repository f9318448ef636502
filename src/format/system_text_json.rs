//! What .NET's System.Text.Json writes and reads with its default options. Source: Microsoft's documentation of `JsonSerializer`, and
//! what .NET 10 wrote for the vectors of the tests.
//!
//! The writer is a serde serializer of our own, because three things that serde_json does are beyond its `Formatter`: it writes null for
//! NaN, it hands strings over in pieces, and it looks at each of them before we do.

use std::borrow::Cow;
use std::fmt;

use serde::ser::{self, Serialize};

use super::plain::{Plain, Source};
use super::sink::Sink;
use super::{Borrow, Decode, DecodePrefix, Encode, Format, Info};
use crate::dataset::{Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "system-text-json";

/// Objects and arrays inside each other: the original's default.
const DEPTH: usize = 64;

/// JSON text as System.Text.Json writes it: ASCII alone, and no white space.
#[derive(Debug, Default)]
pub struct SystemTextJson;

impl Format for SystemTextJson {
    const INFO: Info = Info {
        name: NAME,
        wire_format: "JSON",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "text: all that is not ASCII is escaped; NaN and the infinities are refused",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry.declare::<SystemTextJson, Organization>().encode().decode().decode_prefix().borrow().encode_at_most_per_byte(
        1.3,
        |value, sink| {
            sink.clear();
            serde_json::to_writer(sink, value).map_err(|error| Error::malformed(NAME, error))
        },
    );
    registry.declare::<SystemTextJson, Person>().encode().decode().decode_prefix();
}

impl<T: Serialize> Encode<T> for SystemTextJson {
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()> {
        let mut writer = Writer { sink: Sink::new(sink) };
        value.serialize(&mut writer).map_err(|Refused(reason)| Error::new(NAME, Problem::Unrepresentable(reason)))
    }
}

impl<T: for<'p> Plain<'p>> Decode<T> for SystemTextJson {
    fn read(&mut self, payload: &Payload) -> Result<T> {
        read(payload)
    }
}

impl<T: for<'p> Plain<'p>> DecodePrefix<T> for SystemTextJson {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)> {
        let mut reader = Reader::new(payload);
        let value = T::read(&mut reader)?;
        Ok((value, reader.at))
    }
}

impl Borrow<Organization> for SystemTextJson {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        read(payload)
    }
}

fn read<'p, T: Plain<'p>>(payload: &'p Payload) -> Result<T> {
    let mut reader = Reader::new(payload);
    let value = T::read(&mut reader)?;
    match reader.peek() {
        None => Ok(value),
        Some(_) => Err(reader.error(Problem::Trailing { left: (payload.len() - reader.at) as u64 })),
    }
}

/// Why serde's calls cannot be written.
#[derive(Debug)]
struct Refused(String);

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

struct Writer<'s> {
    sink: Sink<'s>,
}

/// What one byte of a string can become at most: a character below U+0080, `\u0026`. Two bytes become six as well, three become six,
/// four become twelve.
const WIDEST: usize = 6;
/// How much of a string is written at once: room is asked for as if all of it had to be escaped.
const PIECE: usize = 1 << 16;

/// What becomes of a character below U+0080: 0 if it stands as it is, its letter if it has a short form, and [`LONG`] otherwise.
const ESCAPES: [u8; 128] = {
    let mut escapes = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        escapes[byte] = match byte as u8 {
            b'\x08' => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            b'\x0C' => b'f',
            b'\r' => b'r',
            b'\\' => b'\\',
            0..0x20 | b'"' | b'&' | b'\'' | b'+' | b'<' | b'>' | b'`' | 0x7F => LONG,
            _ => 0,
        };
        byte += 1;
    }
    escapes
};
const LONG: u8 = b'u';

/// A UTF-16 unit as `\uXXXX`, behind it two bytes that will be written over.
#[inline]
fn escaped(unit: u16) -> [u8; 8] {
    // The four digits in the four bytes of a number, the first in the highest, then all of them made letters at once.
    let unit = u32::from(unit);
    let digits = (unit & 0xF000) << 12 | (unit & 0x0F00) << 8 | (unit & 0x00F0) << 4 | (unit & 0x000F);
    let above_nine = (digits + 0x0606_0606) >> 4 & 0x0101_0101;
    let letters = digits + 0x3030_3030 + above_nine * 7;
    let [a, b, c, d] = letters.to_be_bytes();
    [b'\\', b'u', a, b, c, d, 0, 0]
}

impl Writer<'_> {
    fn text(&mut self, text: &str) {
        self.sink.put(*b"\"");
        let mut rest = text;
        while !rest.is_empty() {
            let piece;
            (piece, rest) = rest.split_at(piece_end(rest));
            let room = self.sink.room(piece.len() * WIDEST + 8);
            let written = escape(piece, room);
            self.sink.advance(written);
        }
        self.sink.put(*b"\"");
    }
}

/// Where a piece of at most [`PIECE`] bytes ends, between two characters.
#[inline]
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE {
        return text.len();
    }
    (PIECE - 3..=PIECE).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// Writes a string's characters to `room`, which has [`WIDEST`] bytes for each byte of them and eight more; returns how many it took.
#[inline]
fn escape(text: &str, room: &mut [u8]) -> usize {
    let mut at = 0;
    let mut units = [0; 2];
    for character in text.chars() {
        let code = character as u32;
        if code < 0x80 {
            match ESCAPES[code as usize] {
                0 => {
                    room[at] = code as u8;
                    at += 1;
                }
                LONG => {
                    room[at..at + 8].copy_from_slice(&escaped(code as u16));
                    at += 6;
                }
                letter => {
                    room[at..at + 2].copy_from_slice(&[b'\\', letter]);
                    at += 2;
                }
            }
        } else if code < 0x1_0000 {
            room[at..at + 8].copy_from_slice(&escaped(code as u16));
            at += 6;
        } else {
            for &mut unit in character.encode_utf16(&mut units) {
                room[at..at + 8].copy_from_slice(&escaped(unit));
                at += 6;
            }
        }
    }
    at
}

impl<'w, 's> ser::Serializer for &'w mut Writer<'s> {
    type Ok = ();
    type Error = Refused;
    type SerializeSeq = Items<'w, 's>;
    type SerializeTuple = Items<'w, 's>;
    type SerializeTupleStruct = Items<'w, 's>;
    type SerializeTupleVariant = ser::Impossible<(), Refused>;
    type SerializeMap = Items<'w, 's>;
    type SerializeStruct = Items<'w, 's>;
    type SerializeStructVariant = ser::Impossible<(), Refused>;

    fn serialize_bool(self, value: bool) -> Result<(), Refused> {
        self.sink.put_slice(if value { b"true" } else { b"false" });
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
        self.sink.integer(value);
        Ok(())
    }

    #[inline]
    fn serialize_i64(self, value: i64) -> Result<(), Refused> {
        self.sink.integer(value);
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
        self.sink.integer(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Result<(), Refused> {
        if !value.is_finite() {
            return Err(Refused(format!("the number {value}")));
        }
        self.sink.single(value);
        Ok(())
    }

    fn serialize_f64(self, value: f64) -> Result<(), Refused> {
        if !value.is_finite() {
            return Err(Refused(format!("the number {value}")));
        }
        self.sink.double(value);
        Ok(())
    }

    fn serialize_char(self, value: char) -> Result<(), Refused> {
        self.text(value.encode_utf8(&mut [0; 4]));
        Ok(())
    }

    #[inline]
    fn serialize_str(self, value: &str) -> Result<(), Refused> {
        self.text(value);
        Ok(())
    }

    /// As base64, with its padding.
    fn serialize_bytes(self, value: &[u8]) -> Result<(), Refused> {
        const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        self.sink.put(*b"\"");
        for three in value.chunks(3) {
            let bits = three.iter().fold(0u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - three.len()));
            let mut four = [18, 12, 6, 0].map(|shift| LETTERS[(bits >> shift & 63) as usize]);
            four[three.len() + 1..].fill(b'=');
            self.sink.put(four);
        }
        self.sink.put(*b"\"");
        Ok(())
    }

    fn serialize_none(self) -> Result<(), Refused> {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Result<(), Refused> {
        self.sink.put(*b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Result<(), Refused> {
        self.sink.put(*b"{}");
        Ok(())
    }

    /// An enum is its number.
    fn serialize_unit_variant(self, _: &'static str, index: u32, _: &'static str) -> Result<(), Refused> {
        self.serialize_u32(index)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Result<(), Refused> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: &T,
    ) -> Result<(), Refused> {
        Err(Refused(format!("the variant {variant} of {name}, which has a value,")))
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'w, 's>, Refused> {
        self.sink.put(*b"[");
        Ok(Items { writer: self, first: true })
    }

    fn serialize_tuple(self, len: usize) -> Result<Items<'w, 's>, Refused> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_struct(self, _: &'static str, len: usize) -> Result<Items<'w, 's>, Refused> {
        self.serialize_seq(Some(len))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Refused> {
        Err(Refused(format!("the variant {variant} of {name}, which has values,")))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Items<'w, 's>, Refused> {
        self.sink.put(*b"{");
        Ok(Items { writer: self, first: true })
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Items<'w, 's>, Refused> {
        self.sink.put(*b"{");
        Ok(Items { writer: self, first: true })
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

/// The items of an array, or the properties of an object.
struct Items<'w, 's> {
    writer: &'w mut Writer<'s>,
    first: bool,
}

impl Items<'_, '_> {
    #[inline]
    fn separate(&mut self) {
        if !std::mem::take(&mut self.first) {
            self.writer.sink.put(*b",");
        }
    }
}

impl ser::SerializeSeq for Items<'_, '_> {
    type Ok = ();
    type Error = Refused;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.separate();
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Refused> {
        self.writer.sink.put(*b"]");
        Ok(())
    }
}

impl ser::SerializeTuple for Items<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        ser::SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Refused> {
        ser::SerializeSeq::end(self)
    }
}

impl ser::SerializeTupleStruct for Items<'_, '_> {
    type Ok = ();
    type Error = Refused;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        ser::SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Result<(), Refused> {
        ser::SerializeSeq::end(self)
    }
}

impl ser::SerializeMap for Items<'_, '_> {
    type Ok = ();
    type Error = Refused;

    /// A key that is a number is written between quotes.
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Refused> {
        self.separate();
        let start = self.writer.sink.len();
        key.serialize(&mut *self.writer)?;
        let written = self.writer.sink.len() - start;
        let text = self.writer.sink.written_since(start);
        match text.first() {
            Some(b'"') => {}
            Some(b'-' | b'0'..=b'9' | b't' | b'f') => {
                let text = text.to_vec();
                self.writer.sink.back(written);
                self.writer.sink.put(*b"\"");
                self.writer.sink.put_slice(&text);
                self.writer.sink.put(*b"\"");
            }
            _ => return Err(Refused("a key that is neither a string nor a number".to_owned())),
        }
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Refused> {
        self.writer.sink.put(*b":");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Refused> {
        self.writer.sink.put(*b"}");
        Ok(())
    }
}

impl ser::SerializeStruct for Items<'_, '_> {
    type Ok = ();
    type Error = Refused;

    #[inline]
    fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Refused> {
        self.separate();
        self.writer.text(name);
        self.writer.sink.put(*b":");
        value.serialize(&mut *self.writer)
    }

    fn end(self) -> Result<(), Refused> {
        self.writer.sink.put(*b"}");
        Ok(())
    }
}

/// Reads JSON as the original does: no comments, no commas before an end, names with their case.
struct Reader<'p> {
    bytes: &'p [u8],
    at: usize,
    depth: usize,
    meter: Meter,
    /// Where strings are unescaped.
    scratch: Vec<u8>,
}

/// What a byte inside a string is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Plain,
    Quote,
    Backslash,
    Control,
}

const INSIDE: [Inside; 256] = {
    let mut inside = [Inside::Plain; 256];
    let mut byte = 0;
    while byte < 0x20 {
        inside[byte] = Inside::Control;
        byte += 1;
    }
    inside[b'"' as usize] = Inside::Quote;
    inside[b'\\' as usize] = Inside::Backslash;
    inside
};

/// The value of a hexadecimal digit, or [`NO_DIGIT`].
const HEX: [u8; 256] = {
    let mut hex = [NO_DIGIT; 256];
    let mut digit = 0;
    while digit < 16 {
        hex[b"0123456789abcdef"[digit] as usize] = digit as u8;
        hex[b"0123456789ABCDEF"[digit] as usize] = digit as u8;
        digit += 1;
    }
    hex
};
const NO_DIGIT: u8 = 0xFF;

impl<'p> Reader<'p> {
    fn new(payload: &'p Payload) -> Self {
        Self { bytes: payload, at: 0, depth: 0, meter: Meter::new(payload.limits()), scratch: Vec::new() }
    }

    #[cold]
    fn error(&self, problem: Problem) -> Error {
        Error::at(NAME, self.at, problem)
    }

    #[cold]
    fn expected(&self, what: &str) -> Error {
        match self.bytes.get(self.at) {
            Some(&byte) => self.error(Problem::Malformed(format!("{what} is expected, not {:?}", char::from(byte)))),
            None => self.error(Problem::Truncated { needed: 1, left: 0 }),
        }
    }

    /// The next byte that is not white space; the reader stands before it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.bytes.get(self.at)?;
            if !matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                return Some(byte);
            }
            self.at += 1;
        }
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &str) -> Result<()> {
        if self.peek() == Some(byte) {
            self.at += 1;
            Ok(())
        } else {
            Err(self.expected(what))
        }
    }

    fn enter(&mut self) -> Result<()> {
        self.depth += 1;
        let most = self.meter.limits().depth.min(DEPTH);
        limits::hold("depth", most, self.depth).map_err(|problem| self.error(problem))
    }

    /// Moves behind an opening bracket; none if the closing one follows at once.
    fn open(&mut self, open: u8, close: u8, what: &str) -> Result<bool> {
        self.expect(open, what)?;
        self.enter()?;
        if self.peek() == Some(close) {
            self.at += 1;
            self.depth -= 1;
            return Ok(false);
        }
        Ok(true)
    }

    /// Moves behind a comma, or behind the closing bracket; says whether it was a comma.
    #[inline]
    fn another(&mut self, close: u8, what: &str) -> Result<bool> {
        match self.peek() {
            Some(b',') => {
                self.at += 1;
                Ok(true)
            }
            Some(byte) if byte == close => {
                self.at += 1;
                self.depth -= 1;
                Ok(false)
            }
            _ => Err(self.expected(what)),
        }
    }

    /// Moves behind the next bytes of a string that are neither escaped nor its end.
    #[inline]
    fn run(&mut self) -> Result<&'p [u8]> {
        let rest = &self.bytes[self.at..];
        match rest.iter().position(|&byte| INSIDE[usize::from(byte)] != Inside::Plain) {
            Some(len) => {
                self.at += len;
                Ok(&rest[..len])
            }
            None => {
                self.at = self.bytes.len();
                Err(self.error(Problem::Truncated { needed: 1, left: 0 }))
            }
        }
    }

    /// The next string's bytes, which may not be UTF-8: where they stand, or none if they had to be unescaped into the scratch.
    #[inline]
    fn raw_text(&mut self) -> Result<Option<&'p [u8]>> {
        self.expect(b'"', "a string")?;
        let first = self.run()?;
        if self.bytes[self.at] == b'"' {
            self.at += 1;
            return Ok(Some(first));
        }
        self.scratch.clear();
        self.scratch.extend_from_slice(first);
        self.unescape()?;
        Ok(None)
    }

    /// Reads a string from its first escape to its end.
    fn unescape(&mut self) -> Result<()> {
        loop {
            let byte = self.bytes[self.at];
            match INSIDE[usize::from(byte)] {
                Inside::Quote => {
                    self.at += 1;
                    return Ok(());
                }
                Inside::Control => return Err(self.expected("an escaped character")),
                Inside::Plain => {
                    let run = self.run()?;
                    self.scratch.extend_from_slice(run);
                    continue;
                }
                Inside::Backslash => {}
            }
            let character = match self.bytes.get(self.at + 1) {
                Some(b'u') => {
                    self.escaped_character()?;
                    self.check_inside()?;
                    continue;
                }
                Some(&byte @ (b'"' | b'\\' | b'/')) => byte,
                Some(b'b') => b'\x08',
                Some(b'f') => b'\x0C',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                _ => {
                    self.at += 1;
                    return Err(self.expected("the letter of an escape"));
                }
            };
            self.scratch.push(character);
            self.at += 2;
            self.check_inside()?;
        }
    }

    #[inline]
    fn check_inside(&self) -> Result<()> {
        if self.at < self.bytes.len() { Ok(()) } else { Err(self.error(Problem::Truncated { needed: 1, left: 0 })) }
    }

    /// The next `\uXXXX`.
    #[inline]
    fn unit(&mut self) -> Result<u16> {
        let Some(&[b'\\', b'u', a, b, c, d]) = self.bytes.get(self.at..).and_then(<[u8]>::first_chunk) else {
            return Err(self.expected("an escape of four digits"));
        };
        let [a, b, c, d] = [a, b, c, d].map(|digit| HEX[usize::from(digit)]);
        if a | b | c | d > 0x0F {
            return Err(self.expected("an escape of four hexadecimal digits"));
        }
        self.at += 6;
        Ok(u16::from(a) << 12 | u16::from(b) << 8 | u16::from(c) << 4 | u16::from(d))
    }

    #[inline]
    fn escaped_character(&mut self) -> Result<()> {
        let start = self.at;
        let unit = self.unit()?;
        let code = match unit {
            0xD800..0xDC00 => {
                let low = match self.bytes.get(self.at..self.at + 2) {
                    Some(b"\\u") => self.unit()?,
                    _ => 0,
                };
                if !(0xDC00..0xE000).contains(&low) {
                    return Err(Error::at(NAME, start, Problem::Malformed("half of a surrogate pair".to_owned())));
                }
                0x1_0000 + ((u32::from(unit) - 0xD800) << 10 | (u32::from(low) - 0xDC00))
            }
            _ => u32::from(unit),
        };
        let Some(character) = char::from_u32(code) else {
            return Err(Error::at(NAME, start, Problem::Malformed("half of a surrogate pair".to_owned())));
        };
        self.scratch.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
        Ok(())
    }

    /// The token of the next number, and whether it is an integer.
    fn number(&mut self) -> Result<(&'p str, bool)> {
        self.peek();
        let start = self.at;
        let mut whole = true;
        if self.bytes.get(self.at) == Some(&b'-') {
            self.at += 1;
        }
        match self.bytes.get(self.at) {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.expected("a number")),
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            whole = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.bytes.get(self.at) {
            whole = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.bytes.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        // A letter or a digit that follows is no end of a number: 01, 1x.
        match self.bytes.get(self.at) {
            None | Some(b' ' | b'\t' | b'\n' | b'\r' | b',' | b']' | b'}') => {}
            Some(_) => return Err(self.expected("the end of a number")),
        }
        match std::str::from_utf8(&self.bytes[start..self.at]) {
            Ok(token) => Ok((token, whole)),
            Err(_) => Err(self.error(Problem::InvalidUtf8)),
        }
    }

    /// Moves behind one digit or more.
    #[inline]
    fn digits(&mut self) -> Result<()> {
        let count = self.bytes[self.at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count == 0 {
            return Err(self.expected("a digit"));
        }
        self.at += count;
        Ok(())
    }

    fn literal(&mut self, literal: &'static str) -> Result<()> {
        if self.bytes[self.at..].starts_with(literal.as_bytes()) {
            self.at += literal.len();
            Ok(())
        } else {
            Err(self.expected(literal))
        }
    }

    /// Moves behind a value that nobody asked for. Half of a surrogate pair is passed over in it, as in the original.
    fn skip(&mut self) -> Result<()> {
        match self.peek() {
            Some(b'"') => self.skip_text(),
            Some(b'n') => self.literal("null"),
            Some(b't') => self.literal("true"),
            Some(b'f') => self.literal("false"),
            Some(b'[') => {
                let mut more = self.open(b'[', b']', "a list")?;
                while more {
                    self.skip()?;
                    more = self.another(b']', "a comma or the list's end")?;
                }
                Ok(())
            }
            Some(b'{') => {
                let mut more = self.open(b'{', b'}', "an object")?;
                while more {
                    if self.peek() != Some(b'"') {
                        return Err(self.expected("a name"));
                    }
                    self.skip_text()?;
                    self.expect(b':', "a colon")?;
                    self.skip()?;
                    more = self.another(b'}', "a comma or the object's end")?;
                }
                Ok(())
            }
            _ => self.number().map(drop),
        }
    }

    fn skip_text(&mut self) -> Result<()> {
        self.at += 1;
        let start = self.at;
        loop {
            self.run()?;
            match INSIDE[usize::from(self.bytes[self.at])] {
                Inside::Quote => {
                    let text = &self.bytes[start..self.at];
                    self.at += 1;
                    return valid(text, start).map(drop);
                }
                Inside::Backslash => match self.bytes.get(self.at + 1) {
                    Some(b'u') => self.unit().map(drop)?,
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
                    _ => {
                        self.at += 1;
                        return Err(self.expected("the letter of an escape"));
                    }
                },
                Inside::Control | Inside::Plain => return Err(self.expected("an escaped character")),
            }
        }
    }
}

/// A string's bytes as text; `start` is where they begin.
fn valid(text: &[u8], start: usize) -> Result<&str> {
    simdutf8::basic::from_utf8(text).map_err(|_| Error::at(NAME, start, Problem::InvalidUtf8))
}

impl<'p> Source<'p> for Reader<'p> {
    #[inline]
    fn null(&mut self) -> Result<bool> {
        if self.peek() == Some(b'n') {
            self.literal("null")?;
            return Ok(true);
        }
        Ok(false)
    }

    #[inline]
    fn int32(&mut self) -> Result<i32> {
        let value = self.int64()?;
        i32::try_from(value).map_err(|_| self.error(Problem::Malformed(format!("{value} in a field of 32 bits"))))
    }

    #[inline]
    fn int64(&mut self) -> Result<i64> {
        let (token, whole) = self.number()?;
        match token.parse() {
            Ok(value) if whole => Ok(value),
            _ => Err(self.error(Problem::Malformed(format!("{token:.40} in a field of 64 bits")))),
        }
    }

    fn double(&mut self) -> Result<f64> {
        let (token, whole) = self.number()?;
        // Fifteen digits are exact in a double.
        if whole && token.len() <= 15 && !token.starts_with('-') {
            return Ok(token.parse::<i64>().map_or(0.0, |value| value as f64));
        }
        match token.parse::<f64>() {
            Ok(value) if value.is_finite() => Ok(value),
            _ => Err(self.error(Problem::Malformed(format!("{token:.40} is beyond a double")))),
        }
    }

    #[inline]
    fn text(&mut self) -> Result<Cow<'p, str>> {
        self.peek();
        let start = self.at + 1;
        let text = match self.raw_text()? {
            Some(text) => valid(text, start).map(Cow::Borrowed)?,
            None => Cow::Owned(valid(&self.scratch, start)?.to_owned()),
        };
        match self.meter.limits().hold_text(text.len()) {
            Ok(()) => Ok(text),
            Err(problem) => Err(Error::at(NAME, start, problem)),
        }
    }

    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        let mut more = self.open(b'[', b']', "a list")?;
        while more {
            self.meter.list::<T>(1).map_err(|problem| self.error(problem))?;
            items.push(item(self)?);
            more = self.another(b']', "a comma or the list's end")?;
        }
        Ok(items)
    }

    #[inline]
    fn object(&mut self, names: &[&str], mut property: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        let mut more = self.open(b'{', b'}', "an object")?;
        let mut next = 0;
        while more {
            if self.peek() != Some(b'"') {
                return Err(self.expected("a name"));
            }
            let start = self.at + 1;
            let raw = self.raw_text()?;
            let name = raw.unwrap_or(&self.scratch);
            // In the order in which they are written, as a rule.
            let known = match names.get(next) {
                Some(expected) if expected.as_bytes() == name => Some(next),
                _ => names.iter().position(|known| known.as_bytes() == name),
            };
            if known.is_none() {
                valid(name, start)?;
            }
            self.expect(b':', "a colon")?;
            match known {
                Some(index) => {
                    property(self, index)?;
                    next = index + 1;
                }
                None => self.skip()?,
            }
            more = self.another(b'}', "a comma or the object's end")?;
        }
        Ok(())
    }
}
