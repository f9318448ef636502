//! The layouts that stand one field behind the other, with lengths before strings: the article's own, and BinaryWriter's.
//!
//! Both write `id`, the number of tags and the tags, the number of members and the members, each member as id, three strings, a double
//! and an i64, all little-endian and without padding. They differ only in how a string's length is written, which is what
//! [`Lengths`] says. Source: the article's classes, and .NET's documentation of `BinaryWriter.Write(String)`.
//!
//! As in the originals, null and empty cannot be told apart: a string comes back empty, a list comes back null.

use std::marker::PhantomData;

use super::{Access, AccessUnchecked, Borrow, Decode, DecodeInto, DecodePrefix, Encode, Format, Info, Update, Validation, trailing};
use crate::dataset::organization::{MemberView, OrganizationView, SetUpdateTime};
use crate::dataset::{Member, MemberRef, Organization, OrganizationRef, Text};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits, Meter};
use crate::payload::Payload;

/// How a string's length stands before its bytes.
pub trait Lengths: Default + 'static {
    /// What the format is.
    const INFO: Info;
    /// The bytes of the shortest length.
    const LEAST: usize;

    /// The bytes that this length takes.
    fn size(len: usize) -> usize;

    /// Writes the length to the start of `room`, and returns the room behind it.
    fn put(len: usize, room: &mut [u8]) -> &mut [u8];

    /// Reads a length, and moves the reader behind it.
    fn get(reader: &mut Reader<'_, Self>) -> Result<usize>;
}

/// A layout of this kind.
#[derive(Debug, Default)]
pub struct Sequential<L>(PhantomData<L>);

impl<L: Lengths> Format for Sequential<L> {
    const INFO: Info = L::INFO;
}

/// An id, a double, an i64.
const NUMBERS: usize = 4 + 8 + 8;
/// How many members are sized at once before they are written: few enough that the second look finds them in the first-level cache.
const BLOCK: usize = 64;

impl<L: Lengths> Encode<Organization> for Sequential<L> {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let tags = value.tags.as_deref().unwrap_or_default();
        let members = value.members.as_deref().unwrap_or_default();
        let tag_count = count::<L>(tags.len())?;
        let member_count = count::<L>(members.len())?;
        let head = 4 + 4 + tags.iter().map(|tag| text_size::<L>(tag)).sum::<Result<usize>>()? + 4;
        if sink.is_empty() {
            // One exact allocation costs less than growing. A used sink is taken as it is: its length is room that needs no zeros.
            *sink = vec![0; head + members_size::<L>(members)?];
        }

        let mut room = reserve(sink, 0, head);
        room = put(room, value.id.to_le_bytes());
        room = put(room, tag_count);
        for tag in tags {
            room = put_text::<L>(room, tag);
        }
        put(room, member_count);

        let mut at = head;
        for block in members.chunks(BLOCK) {
            let size = members_size::<L>(block)?;
            let mut room = reserve(sink, at, size);
            for member in block {
                room = put(room, member.id.to_le_bytes());
                for text in [&member.name, &member.description, &member.address] {
                    room = put_text::<L>(room, text.as_deref().unwrap_or_default());
                }
                room = put(room, member.value.to_le_bytes());
                room = put(room, member.update_time.to_le_bytes());
            }
            at += size;
        }
        sink.truncate(at);
        Ok(())
    }
}

/// The layouts hold lengths and counts as i32.
fn count<L: Lengths>(count: usize) -> Result<[u8; 4]> {
    match i32::try_from(count) {
        Ok(count) => Ok(count.to_le_bytes()),
        Err(_) => Err(Error::new(L::INFO.name, Problem::Unrepresentable(format!("a length of {count}")))),
    }
}

#[inline]
fn text_size<L: Lengths>(text: &str) -> Result<usize> {
    if text.len() > i32::MAX as usize {
        return count::<L>(text.len()).map(|_| 0);
    }
    Ok(L::size(text.len()) + text.len())
}

fn members_size<L: Lengths>(members: &[Member]) -> Result<usize> {
    let mut size = members.len() * NUMBERS;
    for member in members {
        for text in [&member.name, &member.description, &member.address] {
            size += text_size::<L>(text.as_deref().unwrap_or_default())?;
        }
    }
    Ok(size)
}

/// The next `size` bytes of the sink, which grows by doubling.
#[inline]
fn reserve(sink: &mut Vec<u8>, at: usize, size: usize) -> &mut [u8] {
    let end = at + size;
    if end > sink.len() {
        sink.resize(end.max(sink.len() * 2), 0);
    }
    &mut sink[at..end]
}

#[inline]
fn put<const N: usize>(room: &mut [u8], bytes: [u8; N]) -> &mut [u8] {
    let (head, rest) = room.split_at_mut(N);
    head.copy_from_slice(&bytes);
    rest
}

#[inline]
fn put_text<'s, L: Lengths>(room: &'s mut [u8], text: &str) -> &'s mut [u8] {
    let room = L::put(text.len(), room);
    let (head, rest) = room.split_at_mut(text.len());
    copy(head, text.as_bytes());
    rest
}

/// Copies bytes of the same length. A string of 8 to 32 bytes, which most are, is two copies of fixed size that may overlap: a call of
/// memcpy would take longer to find its way to the same.
#[inline]
fn copy(to: &mut [u8], from: &[u8]) {
    match from.len() {
        16..=32 => copy_ends::<16>(to, from),
        8..=15 => copy_ends::<8>(to, from),
        _ => to.copy_from_slice(from),
    }
}

/// Copies the first `N` bytes and the last `N`.
#[inline]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(first), Some(last)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) {
        to[..N].copy_from_slice(first);
        let tail = from.len() - N;
        to[tail..from.len()].copy_from_slice(last);
    }
}

/// Reads a payload from its start to its end.
pub struct Reader<'p, L: ?Sized> {
    len: usize,
    rest: &'p [u8],
    limits: Limits,
    lengths: PhantomData<L>,
}

impl<L: ?Sized> Clone for Reader<'_, L> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'p, L: Lengths> Reader<'p, L> {
    fn new(payload: &'p Payload) -> Self {
        Self { len: payload.len(), rest: payload, limits: payload.limits(), lengths: PhantomData }
    }

    #[cold]
    fn error(&self, problem: Problem) -> Error {
        Error::at(L::INFO.name, self.len - self.rest.len(), problem)
    }

    #[cold]
    fn truncated(&self, needed: usize) -> Error {
        self.error(Problem::Truncated { needed: needed as u64, left: self.rest.len() as u64 })
    }

    #[cfg(feature = "binary-writer")]
    #[cold]
    pub(super) fn malformed(&self, reason: String) -> Error {
        self.error(Problem::Malformed(reason))
    }

    /// The next `N` bytes.
    #[inline(always)]
    pub(super) fn take<const N: usize>(&mut self) -> Result<[u8; N]> {
        match self.rest.split_first_chunk() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(*chunk)
            }
            None => Err(self.truncated(N)),
        }
    }

    /// The next string's bytes.
    #[inline(always)]
    fn text(&mut self) -> Result<&'p [u8]> {
        let len = L::get(self)?;
        match self.rest.split_at_checked(len) {
            Some((text, rest)) if len <= self.limits.text => {
                self.rest = rest;
                Ok(text)
            }
            Some(_) => Err(self.error(limits::exceeded("string length", self.limits.text, len))),
            None => Err(self.truncated(len)),
        }
    }

    /// Whether so many items of type `T` may be made of the payload.
    fn hold<T>(&self, meter: &mut Meter, path: &str, count: usize) -> Result<()> {
        meter.list::<T>(count).map_err(|problem| self.error(problem).in_field(path))
    }

    /// A number of items that each take at least `least` bytes: no more are believed than the payload can hold.
    fn count(&mut self, least: usize) -> Result<usize> {
        // The originals take a negative number for none.
        let count = usize::try_from(i32::from_le_bytes(self.take()?)).unwrap_or(0);
        if count > self.rest.len() / least {
            return Err(self.truncated(count.saturating_mul(least)));
        }
        Ok(count)
    }

    fn tag_count(&mut self) -> Result<usize> {
        self.count(L::LEAST)
    }

    fn member_count(&mut self) -> Result<usize> {
        self.count(NUMBERS + 3 * L::LEAST)
    }

    /// The next member; its strings are not looked at.
    #[inline(always)]
    fn row(&mut self) -> Result<Row<'p>> {
        Ok(Row {
            id: i32::from_le_bytes(self.take()?),
            texts: [self.text()?, self.text()?, self.text()?],
            value: f64::from_bits(u64::from_le_bytes(self.take()?)),
            update_time: i64::from_le_bytes(self.take()?),
        })
    }

    /// The bytes of one string as text.
    fn valid(&self, text: &'p [u8]) -> Result<&'p str> {
        simdutf8::basic::from_utf8(text).map_err(|_| {
            // The rest stands behind the text in the same payload.
            let offset = self.len - self.rest.len() - (self.rest.as_ptr().addr() - text.as_ptr().addr());
            Error::at(L::INFO.name, offset, Problem::InvalidUtf8)
        })
    }
}

/// One member of a payload, where it stands.
#[derive(Debug, Clone, Copy)]
pub struct Row<'p> {
    id: i32,
    texts: [&'p [u8]; 3],
    value: f64,
    update_time: i64,
}

impl<'p> Row<'p> {
    /// The text at `index`, which was found valid or is promised to be.
    #[inline(always)]
    fn text(&self, index: usize) -> &'p str {
        // SAFETY: rows are handed out by `Rows`, which has validated every string, by a view of `access`, which has too, or by one of
        // `access_unchecked`, whose caller promises it. The payload cannot have changed since: the row borrows it.
        unsafe { str::from_utf8_unchecked(self.texts[index]) }
    }
}

/// Reads members a block at a time, and validates the strings of a block at once.
///
/// A call of the validator for each short string would take most of the time of decoding. So the strings of a block are gathered one
/// behind the other and validated in one call: if they are valid together, and each starts at the start of a character, each is valid.
struct Rows<'p, L> {
    reader: Reader<'p, L>,
    count: usize,
    left: usize,
    block: Vec<Row<'p>>,
    gathered: Vec<u8>,
}

impl<'p, L: Lengths> Rows<'p, L> {
    fn new(reader: Reader<'p, L>, count: usize) -> Self {
        Self { reader, count, left: count, block: Vec::with_capacity(BLOCK), gathered: Vec::new() }
    }

    /// The error of the member with which so many are left.
    #[cold]
    fn of_member(&self, error: Error, left: usize) -> Error {
        error.in_field(format!("members[{}]", self.count - left))
    }

    /// The next members; none behind the last.
    #[inline]
    fn next(&mut self) -> Result<&[Row<'p>]> {
        self.block.clear();
        if self.left == 0 {
            return Ok(&[]);
        }
        let mut size = 0;
        let mut at_boundaries = true;
        // A block of long strings is cut short, so that what is gathered stays in the first-level cache.
        while self.left > 0 && self.block.len() < BLOCK && size < 8192 {
            let row = match self.reader.row() {
                Ok(row) => row,
                Err(error) => return Err(self.of_member(error, self.left)),
            };
            for text in row.texts {
                at_boundaries &= text.first().is_none_or(|&byte| !(0x80..0xC0).contains(&byte));
                copy(reserve(&mut self.gathered, size, text.len()), text);
                size += text.len();
            }
            self.block.push(row);
            self.left -= 1;
        }
        if !at_boundaries || simdutf8::basic::from_utf8(&self.gathered[..size]).is_err() {
            for (at, row) in self.block.iter().enumerate() {
                for text in row.texts {
                    self.reader.valid(text).map_err(|error| self.of_member(error, self.left + self.block.len() - at))?;
                }
            }
        }
        Ok(&self.block)
    }
}

/// An organization's parts: its id, its tags and its members.
type Parts<T, M> = (i32, Option<Vec<T>>, Option<Vec<M>>);

/// Reads values that `text` and `member` make, and says how many bytes they took.
fn read<'p, L: Lengths, T, M>(
    payload: &'p Payload,
    text: impl Fn(&'p str) -> T,
    member: impl Fn(&Row<'p>) -> M,
) -> Result<(Parts<T, M>, usize)> {
    let mut reader = Reader::<L>::new(payload);
    let mut meter = Meter::new(reader.limits);
    let id = i32::from_le_bytes(reader.take()?);
    let tag_count = reader.tag_count()?;
    reader.hold::<T>(&mut meter, "tags", tag_count)?;
    let mut tags = Vec::with_capacity(tag_count);
    for _ in 0..tag_count {
        let tag = reader.text()?;
        tags.push(text(reader.valid(tag)?));
    }
    let member_count = reader.member_count()?;
    reader.hold::<M>(&mut meter, "members", member_count)?;
    let mut members = Vec::with_capacity(member_count);
    let mut rows = Rows::new(reader, member_count);
    loop {
        let block = rows.next()?;
        if block.is_empty() {
            break;
        }
        members.extend(block.iter().map(&member));
    }
    Ok(((id, (tag_count > 0).then_some(tags), (member_count > 0).then_some(members)), payload.len() - rows.reader.rest.len()))
}

impl<L: Lengths> Decode<Organization> for Sequential<L> {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let (value, used) = self.read_prefix(payload)?;
        trailing(L::INFO.name, payload, used)?;
        Ok(value)
    }
}

impl<L: Lengths> DecodePrefix<Organization> for Sequential<L> {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Organization, usize)> {
        let ((id, tags, members), used) = read::<L, _, _>(payload, str::to_owned, |row| Member {
            id: row.id,
            name: Some(row.text(0).to_owned()),
            description: Some(row.text(1).to_owned()),
            address: Some(row.text(2).to_owned()),
            value: row.value,
            update_time: row.update_time,
        })?;
        Ok((Organization { id, tags, members }, used))
    }
}

impl<L: Lengths> DecodeInto<Organization> for Sequential<L> {
    fn read_into(&mut self, payload: &Payload, value: &mut Organization) -> Result<()> {
        value.fill(&self.view(payload)?, L::INFO.name, payload.limits())
    }
}

impl<L: Lengths> Borrow<Organization> for Sequential<L> {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        let ((id, tags, members), used) = read::<L, _, _>(payload, Text::from, |row| MemberRef {
            id: row.id,
            name: Some(row.text(0).into()),
            description: Some(row.text(1).into()),
            address: Some(row.text(2).into()),
            value: row.value,
            update_time: row.update_time,
        })?;
        trailing(L::INFO.name, payload, used)?;
        Ok(OrganizationRef { id, tags, members })
    }
}

/// A payload read where it stands. There is no index: to find a member is to walk past those before it.
pub struct View<'p, L> {
    id: i32,
    tag_count: usize,
    tags: Reader<'p, L>,
    member_count: usize,
    members: Reader<'p, L>,
}

impl<'p, L: Lengths> View<'p, L> {
    /// Walks over the tags, `visit`ing each, and finds the first member.
    fn new(payload: &'p Payload, visit: impl Fn(&Reader<'p, L>, &'p [u8]) -> Result<()>) -> Result<Self> {
        let mut reader = Reader::new(payload);
        let id = i32::from_le_bytes(reader.take()?);
        let tag_count = reader.tag_count()?;
        let tags = reader.clone();
        for _ in 0..tag_count {
            let tag = reader.text()?;
            visit(&reader, tag)?;
        }
        let member_count = reader.member_count()?;
        Ok(Self { id, tag_count, tags, member_count, members: reader })
    }
}

impl<L: Lengths> Access<Organization> for Sequential<L> {
    type View<'p> = View<'p, L>;

    const VALIDATION: Validation = Validation::Upfront;

    fn view<'p>(&mut self, payload: &'p Payload) -> Result<View<'p, L>> {
        let view = View::new(payload, |reader, tag| reader.valid(tag).map(drop))?;
        let mut rows = Rows::new(view.members.clone(), view.member_count);
        while !rows.next()?.is_empty() {}
        trailing(L::INFO.name, payload, payload.len() - rows.reader.rest.len())?;
        Ok(view)
    }
}

impl<L: Lengths> AccessUnchecked<Organization> for Sequential<L> {
    unsafe fn access_unchecked<'p>(&mut self, payload: &'p Payload) -> View<'p, L> {
        // Only the text is trusted. The lengths are checked as the view walks, so a payload that breaks the promise may give strings that
        // are not UTF-8, and no reads outside of it; one that has no head at all reads as empty.
        View::new(payload, |_, _| Ok(())).unwrap_or_else(|_| View {
            id: 0,
            tag_count: 0,
            tags: Reader::new(payload),
            member_count: 0,
            members: Reader::new(payload),
        })
    }
}

impl<L: Lengths> OrganizationView for View<'_, L> {
    type Member<'v>
        = Row<'v>
    where
        Self: 'v;

    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id)
    }

    #[inline]
    fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>> {
        let mut reader = self.tags.clone();
        let tags = (0..self.tag_count).map(move |_| {
            let tag = reader.text()?;
            // SAFETY: as for the texts of a row.
            Ok(unsafe { str::from_utf8_unchecked(tag) })
        });
        Ok((self.tag_count > 0).then_some(tags))
    }

    #[inline]
    fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Row<'_>>>)>> {
        let mut reader = self.members.clone();
        let members = (0..self.member_count).map(move |_| reader.row());
        Ok((self.member_count > 0).then_some((self.member_count, members)))
    }

    /// Walks once, in the order of the payload.
    fn visit_at<'v>(&'v self, positions: &[usize], mut visit: impl FnMut(usize, Row<'v>) -> Result<()>) -> Result<()> {
        let mut positions = positions.to_vec();
        positions.sort_unstable();
        let mut reader = self.members.clone();
        let mut next = 0;
        let mut row = None;
        for position in positions.into_iter().take_while(|&position| position < self.member_count) {
            while next <= position {
                row = Some(reader.row()?);
                next += 1;
            }
            if let Some(row) = row {
                visit(position, row)?;
            }
        }
        Ok(())
    }
}

impl MemberView for Row<'_> {
    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id)
    }

    #[inline]
    fn name(&self) -> Result<Option<&str>> {
        Ok(Some(self.text(0)))
    }

    #[inline]
    fn description(&self) -> Result<Option<&str>> {
        Ok(Some(self.text(1)))
    }

    #[inline]
    fn address(&self) -> Result<Option<&str>> {
        Ok(Some(self.text(2)))
    }

    #[inline]
    fn value(&self) -> Result<f64> {
        Ok(self.value)
    }

    #[inline]
    fn update_time(&self) -> Result<i64> {
        Ok(self.update_time)
    }
}

impl<L: Lengths> Update<Organization> for Sequential<L> {
    fn write_change(payload: &mut Payload, change: &SetUpdateTime) -> Result<()> {
        let view = View::<L>::new(payload, |_, _| Ok(()))?;
        let count = view.member_count;
        let mut at = payload.len() - view.members.rest.len();
        let time = change.0.to_le_bytes();
        for _ in 0..count {
            let mut reader = Reader::<L> { len: payload.len(), rest: &payload[at..], limits: payload.limits(), lengths: PhantomData };
            reader.row()?;
            at = payload.len() - reader.rest.len();
            payload[at - time.len()..at].copy_from_slice(&time);
        }
        Ok(())
    }
}
