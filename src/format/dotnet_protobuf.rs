//! The dataset as .NET's two Protocol Buffers libraries write and read it. They share the wire format, and differ in what they leave out
//! and in what they take: which is what [`Manner`] says.
//!
//! Source: the encoding that Google documents, and what both libraries wrote and read for the vectors of the tests.

mod person;

use std::marker::PhantomData;

use super::sink::Sink;
use super::{Borrow, Decode, Encode, Format, Info};
use crate::dataset::{Member, MemberRef, Organization, OrganizationRef, Person, Text};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

/// How one of the libraries treats what the wire format leaves open.
pub trait Manner: Default + 'static {
    /// What the format is.
    const INFO: Info;
    /// Code-first: null is told from empty where that is possible, a number is taken from any wire type that holds one, and one that is
    /// too large for its field is refused. Otherwise as with messages that a schema made: strings are never null, a field of another wire
    /// type is unknown, and a number is cut to its field.
    const CODE_FIRST: bool;
}

/// Protocol Buffers in a library's manner.
#[derive(Debug, Default)]
pub struct DotnetProtobuf<M>(PhantomData<M>);

impl<M: Manner> Format for DotnetProtobuf<M> {
    const INFO: Info = M::INFO;
}

pub(super) fn register<M: Manner>(registry: &mut Registry) {
    registry.declare::<DotnetProtobuf<M>, Organization>().encode().decode().borrow();
    registry.declare::<DotnetProtobuf<M>, Person>().encode().decode();
}

/// Messages and groups inside each other.
pub(super) const DEPTH: usize = 100;

pub(super) const VARINT: u8 = 0;
pub(super) const FIXED64: u8 = 1;
pub(super) const LENGTH: u8 = 2;
pub(super) const GROUP: u8 = 3;
const END_GROUP: u8 = 4;
pub(super) const FIXED32: u8 = 5;

/// The bytes of a varint.
#[inline]
pub(super) fn varint_size(value: u64) -> usize {
    // Nine sixty-fourths are a seventh, rounded up, as far as 64 bits go.
    (((value | 1).ilog2() * 9 + 73) / 64) as usize
}

#[inline]
fn put_varint(room: &mut [u8], mut at: usize, mut value: u64) -> usize {
    while value >= 0x80 {
        room[at] = value as u8 | 0x80;
        value >>= 7;
        at += 1;
    }
    room[at] = value as u8;
    at + 1
}

/// The text of a field that is written.
#[inline]
fn written<M: Manner>(text: Option<&str>) -> Option<&str> {
    text.filter(|text| M::CODE_FIRST || !text.is_empty())
}

/// A negative number takes ten bytes, whatever the width of its field.
#[inline]
fn wide(value: i32) -> u64 {
    i64::from(value) as u64
}

fn member_size<M: Manner>(member: &Member) -> usize {
    let mut size = 0;
    if member.id != 0 {
        size += 1 + varint_size(wide(member.id));
    }
    for text in [&member.name, &member.description, &member.address] {
        if let Some(text) = written::<M>(text.as_deref()) {
            size += 1 + varint_size(text.len() as u64) + text.len();
        }
    }
    if member.value != 0.0 {
        size += 9;
    }
    if member.update_time != 0 {
        size += 1 + varint_size(member.update_time as u64);
    }
    size
}

#[inline]
fn put_text(room: &mut [u8], at: usize, field: u8, text: &str) -> usize {
    room[at] = field << 3 | LENGTH;
    let at = put_varint(room, at + 1, text.len() as u64);
    room[at..at + text.len()].copy_from_slice(text.as_bytes());
    at + text.len()
}

/// A number is left out if it is zero; so is −0.0, which is equal to it.
fn put_member<M: Manner>(room: &mut [u8], member: &Member) {
    let mut at = 0;
    if member.id != 0 {
        room[at] = 1 << 3 | VARINT;
        at = put_varint(room, at + 1, wide(member.id));
    }
    for (field, text) in [(2, &member.name), (3, &member.description), (4, &member.address)] {
        if let Some(text) = written::<M>(text.as_deref()) {
            at = put_text(room, at, field, text);
        }
    }
    if member.value != 0.0 {
        room[at] = 5 << 3 | FIXED64;
        room[at + 1..at + 9].copy_from_slice(&member.value.to_le_bytes());
        at += 9;
    }
    if member.update_time != 0 {
        room[at] = 6 << 3 | VARINT;
        put_varint(room, at + 1, member.update_time as u64);
    }
}

impl<M: Manner> Encode<Organization> for DotnetProtobuf<M> {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let mut sink = Sink::new(sink);
        if value.id != 0 {
            let room = sink.room(11);
            room[0] = 1 << 3 | VARINT;
            let size = put_varint(room, 1, wide(value.id));
            sink.advance(size);
        }
        for tag in value.tags.iter().flatten() {
            let size = checked::<M>(tag.len())?;
            let written = put_text(sink.room(size + 11), 0, 2, tag);
            sink.advance(written);
        }
        for member in value.members.iter().flatten() {
            let size = checked::<M>(member_size::<M>(member))?;
            let room = sink.room(11 + size);
            room[0] = 3 << 3 | LENGTH;
            let head = put_varint(room, 1, size as u64);
            put_member::<M>(&mut room[head..head + size], member);
            sink.advance(head + size);
        }
        Ok(())
    }
}

/// Both libraries hold lengths as i32.
fn checked<M: Manner>(len: usize) -> Result<usize> {
    if i32::try_from(len).is_ok() { Ok(len) } else { Err(Error::new(M::INFO.name, Problem::Unrepresentable(format!("a length of {len}")))) }
}

/// Reads a message's fields.
pub(super) struct Reader<'p, M> {
    pub(super) bytes: &'p [u8],
    pub(super) at: usize,
    /// Where the message ends that is being read.
    pub(super) end: usize,
    /// What the reading has taken of its limits.
    pub(super) meter: Meter,
    pub(super) manner: PhantomData<M>,
}

impl<'p, M: Manner> Reader<'p, M> {
    pub(super) fn new(bytes: &'p [u8], limits: Limits) -> Self {
        Self { bytes, at: 0, end: bytes.len(), meter: Meter::new(limits), manner: PhantomData }
    }

    #[cold]
    pub(super) fn error(&self, problem: Problem) -> Error {
        Error::at(M::INFO.name, self.at, problem)
    }

    #[cold]
    pub(super) fn truncated(&self, needed: usize) -> Error {
        self.error(Problem::Truncated { needed: needed as u64, left: (self.end - self.at) as u64 })
    }

    #[cold]
    pub(super) fn malformed(&self, reason: impl Into<String>) -> Error {
        self.error(Problem::Malformed(reason.into()))
    }

    #[inline]
    pub(super) fn take(&mut self, len: usize) -> Result<&'p [u8]> {
        match self.bytes[self.at..self.end].get(..len) {
            Some(bytes) => {
                self.at += len;
                Ok(bytes)
            }
            None => Err(self.truncated(len)),
        }
    }

    #[inline]
    pub(super) fn fixed<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.bytes[self.at..self.end].first_chunk() {
            Some(bytes) => {
                self.at += N;
                Ok(*bytes)
            }
            None => Err(self.truncated(N)),
        }
    }

    /// Ten bytes at most; of the tenth one bit belongs to the number.
    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64> {
        let mut value = 0;
        for (index, &byte) in self.bytes[self.at..self.end].iter().take(10).enumerate() {
            if index == 9 && byte > 1 && (M::CODE_FIRST || byte >= 0x80) {
                return Err(self.malformed("a varint of more than 64 bits"));
            }
            value |= u64::from(byte & 0x7F) << (7 * index);
            if byte < 0x80 {
                self.at += index + 1;
                return Ok(value);
            }
        }
        Err(self.truncated(self.end - self.at + 1))
    }

    /// A varint of 32 bits without a sign.
    #[inline]
    pub(super) fn varint32(&mut self) -> Result<u32> {
        let start = self.at;
        let value = self.varint()?;
        if M::CODE_FIRST && (value > u64::from(u32::MAX) || self.at - start > 5) {
            return Err(self.malformed(format!("{value} in 32 bits")));
        }
        Ok(value as u32)
    }

    /// The next field's number and wire type; none at the end of the message.
    #[inline]
    pub(super) fn field(&mut self) -> Result<Option<(u32, u8)>> {
        if self.at == self.end {
            return Ok(None);
        }
        let start = self.at;
        let key = self.varint32()?;
        if key < 8 {
            return Err(Error::at(M::INFO.name, start, Problem::Malformed("a field of number 0".to_owned())));
        }
        Ok(Some((key >> 3, key as u8 & 7)))
    }

    #[inline]
    pub(super) fn length(&mut self) -> Result<usize> {
        let len = self.varint32()?;
        match i32::try_from(len) {
            Ok(len) => Ok(len as usize),
            Err(_) => Err(self.malformed(format!("a length of {len}"))),
        }
    }

    #[inline]
    pub(super) fn text(&mut self) -> Result<&'p str> {
        let len = self.length()?;
        let text = self.take(len)?;
        self.meter.limits().hold_text(len).map_err(|problem| self.error(problem))?;
        simdutf8::basic::from_utf8(text).map_err(|_| Error::at(M::INFO.name, self.at - len, Problem::InvalidUtf8))
    }

    /// A code-first number, in any wire type that holds one.
    fn number64(&mut self, wire: u8) -> Result<i64> {
        match wire {
            VARINT => Ok(self.varint()? as i64),
            FIXED64 => Ok(i64::from_le_bytes(self.fixed()?)),
            FIXED32 => Ok(i32::from_le_bytes(self.fixed()?).into()),
            _ => Err(self.malformed(format!("a number in wire type {wire}"))),
        }
    }

    pub(super) fn number32(&mut self, wire: u8) -> Result<i32> {
        let start = self.at;
        let value = self.number64(wire)?;
        // A negative number is ten bytes; one of 32 bits whose highest is set is its five, cut short.
        match i32::try_from(value) {
            Ok(number) => Ok(number),
            Err(_) if !M::CODE_FIRST => Ok(value as i32),
            Err(_) if wire == VARINT && self.at - start == 5 && value <= i64::from(u32::MAX) => Ok(value as i32),
            Err(_) => Err(self.malformed(format!("{value} in a field of 32 bits"))),
        }
    }

    fn double(&mut self, wire: u8) -> Result<f64> {
        match wire {
            FIXED64 => Ok(f64::from_le_bytes(self.fixed()?)),
            FIXED32 => Ok(f32::from_le_bytes(self.fixed()?).into()),
            _ => Err(self.malformed(format!("a double in wire type {wire}"))),
        }
    }

    /// Whether messages or groups may stand so deep inside each other.
    #[inline]
    pub(super) fn hold_depth(&self, depth: usize) -> Result<()> {
        limits::hold("depth", self.meter.limits().depth.min(DEPTH), depth).map_err(|problem| self.error(problem))
    }

    /// Memory that a value is about to take: a few bytes of a payload may stand for much.
    #[cfg(feature = "protobuf-net")]
    #[inline]
    pub(super) fn allocate(&mut self, bytes: usize) -> Result<()> {
        self.meter.allocate(bytes).map_err(|problem| self.error(problem))
    }

    /// So many items of a list.
    #[inline]
    pub(super) fn list<T>(&mut self, count: usize) -> Result<()> {
        self.meter.list::<T>(count).map_err(|problem| self.error(problem))
    }

    /// Moves behind a field that nobody asked for.
    pub(super) fn skip(&mut self, number: u32, wire: u8, depth: usize) -> Result<()> {
        match wire {
            VARINT => self.varint().map(drop),
            FIXED64 => self.fixed::<8>().map(drop),
            FIXED32 => self.fixed::<4>().map(drop),
            LENGTH => {
                let len = self.length()?;
                self.take(len).map(drop)
            }
            GROUP => {
                self.hold_depth(depth + 1)?;
                loop {
                    match self.field()? {
                        Some((end, END_GROUP)) if end == number => return Ok(()),
                        Some((number, wire)) => self.skip(number, wire, depth + 1)?,
                        None => return Err(self.truncated(1)),
                    }
                }
            }
            END_GROUP => Err(self.malformed(format!("the end of a group {number} that did not start"))),
            _ => Err(self.malformed(format!("wire type {wire}"))),
        }
    }

    /// Reads the fields of a member until its end, or until the end of its group.
    fn member(&mut self, group: Option<u32>) -> Result<Fields<'p>> {
        let mut member = Fields::default();
        if !M::CODE_FIRST {
            member.texts = [Some(""); 3];
        }
        while let Some((number, wire)) = self.field()? {
            match (number, wire) {
                (end, END_GROUP) if Some(end) == group => return Ok(member),
                (2..=4, LENGTH) => member.texts[number as usize - 2] = Some(self.text()?),
                (5, FIXED64) => member.value = f64::from_le_bytes(self.fixed()?),
                (1, VARINT) => member.id = self.number32(wire)?,
                (6, VARINT) => member.update_time = self.number64(wire)?,
                (1, _) if M::CODE_FIRST => member.id = self.number32(wire)?,
                (5, _) if M::CODE_FIRST => member.value = self.double(wire)?,
                (6, _) if M::CODE_FIRST => member.update_time = self.number64(wire)?,
                (2..=4, _) if M::CODE_FIRST => return Err(self.malformed(format!("a string in wire type {wire}"))),
                _ => self.skip(number, wire, 0)?,
            }
        }
        match group {
            None => Ok(member),
            Some(_) => Err(self.truncated(1)),
        }
    }
}

/// A member where it stands.
#[derive(Default)]
struct Fields<'p> {
    id: i32,
    texts: [Option<&'p str>; 3],
    value: f64,
    update_time: i64,
}

/// Appends a varint.
#[cfg(feature = "protobuf-net")]
pub(super) fn append_varint(sink: &mut Vec<u8>, value: u64) {
    let mut room = [0; 10];
    let len = put_varint(&mut room, 0, value);
    sink.extend_from_slice(&room[..len]);
}

/// The message behind its length at this place of a stream, and where it ends.
#[cfg(feature = "protobuf-net")]
pub(super) fn prefixed<M: Manner>(prefix: super::protobuf_net::Prefix, stream: &[u8], at: usize) -> Result<(&[u8], usize)> {
    use super::protobuf_net::Prefix;

    let mut reader = Reader::<M> { at, ..Reader::new(stream, Limits::for_payload(stream.len())) };
    let len = match prefix {
        Prefix::Base128 => reader.length()?,
        Prefix::Field(number) => match reader.field()? {
            Some((found, LENGTH)) if found == number => reader.length()?,
            _ => return Err(Error::at(M::INFO.name, at, Problem::Malformed(format!("a message in field {number} is expected")))),
        },
        Prefix::Fixed32 | Prefix::Fixed32BigEndian => {
            let bytes = reader.fixed()?;
            let len = if prefix == Prefix::Fixed32 { i32::from_le_bytes(bytes) } else { i32::from_be_bytes(bytes) };
            usize::try_from(len).map_err(|_| reader.malformed(format!("a length of {len}")))?
        }
    };
    Ok((reader.take(len)?, reader.at))
}

/// An organization's parts: its id, its tags and its members.
type Parts<T, N> = (i32, Option<Vec<T>>, Option<Vec<N>>);

fn read<'p, M: Manner, T, N>(payload: &'p Payload, text: impl Fn(&'p str) -> T, make: impl Fn(Fields<'p>) -> N) -> Result<Parts<T, N>> {
    let mut reader = Reader::<M>::new(payload, payload.limits());
    let (mut id, mut tags, mut members) = (0, Vec::new(), Vec::new());
    while let Some((number, wire)) = reader.field()? {
        match (number, wire) {
            (3, LENGTH) => {
                let len = reader.length()?;
                let end = reader.at.saturating_add(len);
                if end > payload.len() {
                    return Err(reader.truncated(len));
                }
                reader.end = end;
                members.push(make(reader.member(None)?));
                reader.list::<N>(1)?;
                reader.end = payload.len();
            }
            (3, GROUP) if M::CODE_FIRST => {
                members.push(make(reader.member(Some(3))?));
                reader.list::<N>(1)?;
            }
            (2, LENGTH) => {
                tags.push(text(reader.text()?));
                reader.list::<T>(1)?;
            }
            (1, VARINT) => id = reader.number32(wire)?,
            (1, _) if M::CODE_FIRST => id = reader.number32(wire)?,
            (2 | 3, _) if M::CODE_FIRST => return Err(reader.malformed(format!("field {number} in wire type {wire}"))),
            _ => reader.skip(number, wire, 0)?,
        }
    }
    // A list that is not there is null to the one library, and empty to the other.
    Ok((id, (!M::CODE_FIRST || !tags.is_empty()).then_some(tags), (!M::CODE_FIRST || !members.is_empty()).then_some(members)))
}

impl<M: Manner> Decode<Organization> for DotnetProtobuf<M> {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let (id, tags, members) = read::<M, _, _>(payload, str::to_owned, |Fields { id, texts, value, update_time }| {
            let [name, description, address] = texts.map(|text| text.map(str::to_owned));
            Member { id, name, description, address, value, update_time }
        })?;
        Ok(Organization { id, tags, members })
    }
}

impl<M: Manner> Borrow<Organization> for DotnetProtobuf<M> {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        let (id, tags, members) = read::<M, _, _>(payload, Text::from, |Fields { id, texts, value, update_time }| {
            let [name, description, address] = texts.map(|text| text.map(Text::from));
            MemberRef { id, name, description, address, value, update_time }
        })?;
        Ok(OrganizationRef { id, tags, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_varint_takes_a_byte_for_seven_bits() {
        for bits in 0..64 {
            for value in [(1u64 << bits) - 1, 1 << bits, (1 << bits) + 1] {
                let mut room = [0; 10];
                assert_eq!(put_varint(&mut room, 0, value), varint_size(value), "{value}");
            }
        }
        assert_eq!(varint_size(u64::MAX), 10);
    }
}
