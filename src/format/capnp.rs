//! Cap'n Proto through the capnp crate: the same message as it lies in memory, and packed, with its zero bytes taken out.

use std::marker::PhantomData;

use capnp::ErrorKind;
use capnp::message::{self, HeapAllocator, ReaderOptions, ReaderSegments};
use capnp::serialize::{self, BufferSegments, OwnedSegments};
use capnp::serialize_packed;

use super::{Access, Decode, DecodeInto, DecodePrefix, Encode, Format, Info, Populate, Validation};
use crate::dataset::organization::{MemberView, OrganizationView};
use crate::dataset::{Member, Organization, Read};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

/// What capnpc makes of the schema. It names its own types by this path.
#[allow(missing_docs, clippy::missing_errors_doc)]
pub mod organization_capnp {
    include!(concat!(env!("OUT_DIR"), "/organization_capnp.rs"));
}

use organization_capnp::{member, organization};

const BYTES_PER_WORD: usize = 8;

/// The library's own traversal limit. A view of ours may be read for so much more than its message's size, since every reading of one
/// view counts.
const WORDS_AT_LEAST: usize = 8 << 20;
const READINGS: usize = 8;

/// What a pointer can reach, in words, and what a list can hold.
const MOST: usize = (1 << 29) - 1;

/// The most that is asked of the allocator at once; a larger message gets several segments.
const MOST_SEGMENT: usize = 1 << 28;

/// A member's numbers and pointers.
const MEMBER_WORDS: usize = 6;

/// How many members are looked at before the memory for all of them is asked for.
const SAMPLE: usize = 256;

/// How the segments of a message stand in a payload.
pub trait Packing: Default + 'static {
    /// See [`Format::INFO`].
    const INFO: Info;

    /// Where a reader finds the segments.
    type Segments<'p>: ReaderSegments;

    /// Appends a message to the sink, by the library's own call.
    ///
    /// # Errors
    ///
    /// The library refused.
    fn write(message: &Message, sink: &mut Vec<u8>) -> capnp::Result<()>;

    /// Reads a message's segments and says how many bytes are left behind it.
    ///
    /// # Errors
    ///
    /// The segment table is malformed or claims more than the payload can bear.
    fn read(payload: &Payload) -> capnp::Result<(Self::Segments<'_>, usize)>;
}

/// A message while it is built.
pub type Message = message::Builder<HeapAllocator>;

/// Words as they lie in memory.
#[derive(Debug, Default)]
pub struct Plain;

/// Words without their zero bytes.
#[derive(Debug, Default)]
pub struct Packed;

impl Packing for Plain {
    const INFO: Info = info("capnp", "Cap'n Proto", "each pointer is checked when it is followed");

    type Segments<'p> = BufferSegments<&'p [u8]>;

    fn write(message: &Message, sink: &mut Vec<u8>) -> capnp::Result<()> {
        serialize::write_message(sink, message)
    }

    fn read(payload: &Payload) -> capnp::Result<(Self::Segments<'_>, usize)> {
        let mut rest = payload.as_slice();
        // Nothing is copied, so a table can claim no more than there is.
        let reader = serialize::read_message_from_flat_slice(&mut rest, reader_options(payload, usize::MAX))?;
        Ok((reader.into_segments(), rest.len()))
    }
}

impl Packing for Packed {
    const INFO: Info = info("capnp-packed", "Cap'n Proto, packed", "unpacked into memory of its own before it is read; then as capnp");

    type Segments<'p> = OwnedSegments;

    fn write(message: &Message, sink: &mut Vec<u8>) -> capnp::Result<()> {
        serialize_packed::write_message(sink, message)
    }

    fn read(payload: &Payload) -> capnp::Result<(Self::Segments<'_>, usize)> {
        let mut rest = payload.as_slice();
        // The library holds what a segment table claims to the traversal limit before it takes memory.
        let reader = serialize_packed::read_message(&mut rest, reader_options(payload, most_unpacked(payload) / BYTES_PER_WORD))?;
        Ok((reader.into_segments(), rest.len()))
    }
}

const fn info(name: &'static str, wire_format: &'static str, note: &'static str) -> Info {
    Info { name, wire_format, library: "capnp", version: crate::version!("CAPNP"), note }
}

/// Cap'n Proto in one of its packings. The library has no way to change a serialized message where it stands.
#[derive(Debug, Default)]
pub struct Capnp<P>(PhantomData<P>);

impl<P: Packing> Format for Capnp<P> {
    const INFO: Info = P::INFO;
}

pub(super) fn register(registry: &mut Registry) {
    declare::<Plain>(registry, |payload| {
        let reader = serialize::read_message_from_flat_slice(&mut payload.as_slice(), ReaderOptions::new()).map_err(refused::<Plain>)?;
        read_all::<Plain, _>(reader)
    });
    declare::<Packed>(registry, |payload| {
        let reader = serialize_packed::read_message(&mut payload.as_slice(), ReaderOptions::new()).map_err(refused::<Packed>)?;
        read_all::<Packed, _>(reader)
    });
}

fn declare<P: Packing>(registry: &mut Registry, read_with_default_limits: fn(&Payload) -> Result<()>) {
    registry
        .declare::<Capnp<P>, Organization>()
        .encode()
        .populate()
        .decode()
        .decode_into()
        .decode_prefix()
        .access()
        .bare_encode_message(|message, sink| {
            sink.clear();
            P::write(message, sink).map_err(refused::<P>)
        })
        .default_limit("traversal limit, 8 Mi words (64 MiB) by default", read_with_default_limits);
}

fn read_all<P: Packing, S: ReaderSegments>(message: message::Reader<S>) -> Result<()> {
    View::<P, S> { message, packing: PhantomData }.checksum().map(|_| ())
}

impl<P: Packing> Populate<Organization> for Capnp<P> {
    type Message = Message;

    fn populate(&mut self, value: &Organization) -> Result<Message> {
        let mut message = message::Builder::new(HeapAllocator::new().first_segment_words(first_segment(value)));
        let mut root = message.init_root::<organization::Builder<'_>>();
        root.set_id(value.id);
        if let Some(tags) = &value.tags {
            let mut list = root.reborrow().init_tags(fits::<P>("words of a list", tags.len())?);
            for (at, tag) in (0..).zip(tags) {
                list.set(at, fitting::<P>(tag)?);
            }
        }
        if let Some(members) = &value.members {
            fits::<P>("words of a list", members.len().saturating_mul(MEMBER_WORDS))?;
            let mut list = root.init_members(members.len() as u32);
            for (at, member) in (0..).zip(members) {
                fill::<P>(list.reborrow().get(at), member)?;
            }
        }
        Ok(message)
    }

    fn encode_message(&mut self, message: &Message, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        P::write(message, sink).map_err(|error| Error::new(P::INFO.name, Problem::Unrepresentable(error.to_string())))
    }
}

fn fill<P: Packing>(mut builder: member::Builder<'_>, member: &Member) -> Result<()> {
    builder.set_id(member.id);
    if let Some(name) = &member.name {
        builder.set_name(fitting::<P>(name)?);
    }
    if let Some(description) = &member.description {
        builder.set_description(fitting::<P>(description)?);
    }
    if let Some(address) = &member.address {
        builder.set_address(fitting::<P>(address)?);
    }
    builder.set_value(member.value);
    builder.set_update_time(member.update_time);
    Ok(())
}

/// The library panics where a text is too long; it adds a NUL to each.
#[inline]
fn fitting<P: Packing>(text: &str) -> Result<&str> {
    fits::<P>("bytes of a text", text.len() + 1).map(|_| text)
}

#[inline]
fn fits<P: Packing>(limit: &'static str, wanted: usize) -> Result<u32> {
    if wanted <= MOST {
        Ok(wanted as u32)
    } else {
        Err(Error::new(P::INFO.name, Problem::Limit { limit, allowed: MOST as u64, wanted: wanted as u64 }))
    }
}

/// How many words to ask for at the start, so that the message stands in one segment and no pointer has to go from one to another.
///
/// It is what the value would take if all its members were like some of them, and a little more, which costs only address space. To
/// look at every string would take a tenth of the time that the message takes.
fn first_segment(value: &Organization) -> u32 {
    let text = |text: &String| text.len() / BYTES_PER_WORD + 1;
    // The pointer to the root, the root's number and two pointers, and the tag in front of a list of structs.
    let mut words = 1 + 3 + 1;
    words += value.tags.iter().flatten().map(|tag| 1 + text(tag)).sum::<usize>();
    if let Some(members) = &value.members {
        let sample = members.iter().step_by(members.len().div_ceil(SAMPLE).max(1));
        let sampled = sample.len().max(1);
        let texts: usize = sample.flat_map(|member| [&member.name, &member.description, &member.address]).flatten().map(text).sum();
        let all = members.len() * MEMBER_WORDS + (texts as f64 / sampled as f64 * members.len() as f64) as usize;
        words += all + all / 8;
    }
    words.min(MOST_SEGMENT) as u32
}

impl<P: Packing> Encode<Organization> for Capnp<P> {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let message = self.populate(value)?;
        self.encode_message(&message, sink)
    }
}

impl<P: Packing> Access<Organization> for Capnp<P> {
    type View<'p> = View<P, P::Segments<'p>>;

    const VALIDATION: Validation = Validation::OnDemand;

    fn view<'p>(&mut self, payload: &'p Payload) -> Result<Self::View<'p>> {
        Ok(viewed(payload, segments::<P>(payload)?))
    }
}

fn viewed<P: Packing, S: ReaderSegments>(payload: &Payload, segments: S) -> View<P, S> {
    let words = size(&segments);
    let readable = traversed(payload, words, words.saturating_mul(READINGS).saturating_add(WORDS_AT_LEAST));
    View { message: message::Reader::new(segments, reader_options(payload, readable)), packing: PhantomData }
}

impl<P: Packing> Decode<Organization> for Capnp<P> {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        decode::<P>(payload, segments::<P>(payload)?)
    }
}

impl<P: Packing> DecodeInto<Organization> for Capnp<P> {
    fn read_into(&mut self, payload: &Payload, value: &mut Organization) -> Result<()> {
        let segments = segments::<P>(payload)?;
        let limits = payload.limits_inflated(size(&segments) * BYTES_PER_WORD);
        value.fill(&viewed::<P, _>(payload, segments), P::INFO.name, limits)
    }
}

impl<P: Packing> DecodePrefix<Organization> for Capnp<P> {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Organization, usize)> {
        let (segments, left) = P::read(payload).map_err(|error| unreadable::<P>(payload, error))?;
        Ok((decode::<P>(payload, segments)?, payload.len() - left))
    }
}

/// Everything is read once, so that the message's own size is the traversal limit: pointers that share what they point to would decode to
/// more than was sent. Who raises the allocation of a payload may read more.
fn decode<P: Packing>(payload: &Payload, segments: P::Segments<'_>) -> Result<Organization> {
    let words = size(&segments);
    let (limits, traversed) = (payload.limits_inflated(words * BYTES_PER_WORD), traversed(payload, words, words));
    owned::<P, _>(&message::Reader::new(segments, reader_options(payload, traversed)), traversed, limits)
}

fn owned<P: Packing, S: ReaderSegments>(message: &message::Reader<S>, words: usize, limits: Limits) -> Result<Organization> {
    let unreadable = |error: capnp::Error| match error.kind {
        ErrorKind::ReadLimitExceeded => limited::<P>("traversed words", words, words.saturating_add(1)),
        ErrorKind::MessageIsTooDeeplyNestedOrContainsCycles | ErrorKind::NestingLimitExceeded => {
            limited::<P>("depth", limits.depth, limits.depth + 1)
        }
        ErrorKind::TextContainsNonUtf8Data(_) => Error::new(P::INFO.name, Problem::InvalidUtf8),
        _ => refused::<P>(error),
    };
    let refused = |problem: Problem, path: String| Error::new(P::INFO.name, problem).in_field(path);
    let mut meter = Meter::new(limits);
    let root = message.get_root::<organization::Reader<'_>>().map_err(unreadable)?;
    let tags = if root.has_tags() {
        let list = root.get_tags().map_err(unreadable)?;
        meter.list::<String>(list.len() as usize).map_err(|problem| refused(problem, "tags".to_owned()))?;
        let mut tags = Vec::with_capacity(list.len() as usize);
        for (at, tag) in list.iter().enumerate() {
            let path = || format!("tags[{at}]");
            let tag = tag.and_then(|tag| Ok(tag.to_str()?)).map_err(|error| unreadable(error).in_field(path()))?;
            limits.hold_text(tag.len()).map_err(|problem| refused(problem, path()))?;
            tags.push(tag.to_owned());
        }
        Some(tags)
    } else {
        None
    };
    let members = if root.has_members() {
        let list = root.get_members().map_err(unreadable)?;
        // Another schema's structs can be smaller than ours, down to nothing.
        meter.list::<Member>(list.len() as usize).map_err(|problem| refused(problem, "members".to_owned()))?;
        // A loop and not a `collect` into a result, which hides how many there are.
        let mut members = Vec::with_capacity(list.len() as usize);
        for (at, member) in list.iter().enumerate() {
            let path = || format!("members[{at}]");
            let member = owned_member(member).map_err(|error| unreadable(error).in_field(path()))?;
            let longest = [&member.name, &member.description, &member.address].into_iter().flatten().map(String::len).max();
            limits.hold_text(longest.unwrap_or(0)).map_err(|problem| refused(problem, path()))?;
            members.push(member);
        }
        Some(members)
    } else {
        None
    };
    Ok(Organization { id: root.get_id(), tags, members })
}

fn owned_member(member: member::Reader<'_>) -> capnp::Result<Member> {
    Ok(Member {
        id: member.get_id(),
        name: if member.has_name() { Some(member.get_name()?.to_str()?.to_owned()) } else { None },
        description: if member.has_description() { Some(member.get_description()?.to_str()?.to_owned()) } else { None },
        address: if member.has_address() { Some(member.get_address()?.to_str()?.to_owned()) } else { None },
        value: member.get_value(),
        update_time: member.get_update_time(),
    })
}

fn segments<P: Packing>(payload: &Payload) -> Result<P::Segments<'_>> {
    match P::read(payload) {
        Ok((segments, 0)) => Ok(segments),
        Ok((_, left)) => {
            let offset = payload.len() - left;
            Err(Error::at(P::INFO.name, offset, named::<P>(payload).unwrap_or(Problem::Trailing { left: left as u64 })))
        }
        Err(error) => Err(unreadable::<P>(payload, error)),
    }
}

/// Why a payload's segments cannot be had.
#[cold]
fn unreadable<P: Packing>(payload: &Payload, error: capnp::Error) -> Error {
    if let Some(problem) = named::<P>(payload) {
        return Error::new(P::INFO.name, problem);
    }
    match error.kind {
        ErrorKind::MessageTooLarge(words) => {
            let problem = limits::exceeded("bytes out", most_unpacked(payload), words.saturating_mul(BYTES_PER_WORD));
            Error::at(P::INFO.name, 0, problem)
        }
        ErrorKind::MessageEndsPrematurely(words, left) => {
            let bytes = |words: usize| (words as u64).saturating_mul(BYTES_PER_WORD as u64);
            Error::at(P::INFO.name, payload.len(), Problem::Truncated { needed: bytes(words - left), left: 0 })
        }
        _ => refused::<P>(error),
    }
}

/// How many bytes a packed message may unpack to. Its claim is all there is to tell before memory is taken for it; but two bytes, a run of
/// zeros, stand for 256 words at most, whoever is trusted.
fn most_unpacked(payload: &Payload) -> usize {
    const GREATEST_RATIO: usize = 1024;
    let limits = payload.limits();
    limits.bytes_out.min(limits.allocation).min(payload.len().saturating_mul(GREATEST_RATIO))
}

/// Whether a payload that was taken for plain is packed, which cannot be told at a glance: that a plain one was taken for packed can be, and
/// is said by whoever recognises bytes.
fn named<P: Packing>(payload: &Payload) -> Option<Problem> {
    let is_packed =
        P::INFO.name == Plain::INFO.name && Packed::read(payload).is_ok_and(|(segments, left)| size(&segments) > 0 && left == 0);
    is_packed.then(|| Problem::Malformed(format!("this is {}", Packed::INFO.name)))
}

/// The words of all segments.
fn size(segments: &impl ReaderSegments) -> usize {
    (0..segments.len() as u32).filter_map(|at| segments.get_segment(at)).map(<[u8]>::len).sum::<usize>() / BYTES_PER_WORD
}

/// The traversal limit of a message of so many words: the usual one, and more where more than usual may be allocated.
fn traversed(payload: &Payload, words: usize, usual: usize) -> usize {
    let bytes = words * BYTES_PER_WORD;
    let allocation = payload.limits_inflated(bytes).allocation;
    if allocation > Limits::for_inflated(payload.len(), bytes).allocation { usual.max(allocation / BYTES_PER_WORD) } else { usual }
}

fn reader_options(payload: &Payload, traversed_words: usize) -> ReaderOptions {
    let nesting_limit = i32::try_from(payload.limits().depth).unwrap_or(i32::MAX);
    ReaderOptions { traversal_limit_in_words: Some(traversed_words), nesting_limit }
}

#[cold]
fn limited<P: Packing>(limit: &'static str, allowed: usize, wanted: usize) -> Error {
    Error::new(P::INFO.name, Problem::Limit { limit, allowed: allowed as u64, wanted: wanted as u64 })
}

#[cold]
fn refused<P: Packing>(error: capnp::Error) -> Error {
    Error::malformed(P::INFO.name, error)
}

#[cold]
fn invalid_text<P: Packing>(_: std::str::Utf8Error) -> Error {
    Error::new(P::INFO.name, Problem::InvalidUtf8)
}

/// A message whose pointers are checked as they are followed.
pub struct View<P, S: ReaderSegments> {
    message: message::Reader<S>,
    packing: PhantomData<P>,
}

impl<P: Packing, S: ReaderSegments> View<P, S> {
    #[inline]
    fn root(&self) -> Result<organization::Reader<'_>> {
        self.message.get_root().map_err(refused::<P>)
    }
}

/// A member of a [`View`].
pub struct MemberOf<'v, P> {
    reader: member::Reader<'v>,
    packing: PhantomData<P>,
}

impl<'v, P: Packing> MemberOf<'v, P> {
    #[inline]
    fn new(reader: member::Reader<'v>) -> Self {
        Self { reader, packing: PhantomData }
    }
}

#[inline]
fn text<P: Packing>(text: capnp::Result<capnp::text::Reader<'_>>) -> Result<&str> {
    text.map_err(refused::<P>)?.to_str().map_err(invalid_text::<P>)
}

impl<P: Packing, S: ReaderSegments> OrganizationView for View<P, S> {
    type Member<'v>
        = MemberOf<'v, P>
    where
        Self: 'v;

    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.root()?.get_id())
    }

    #[inline]
    fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>> {
        let root = self.root()?;
        if !root.has_tags() {
            return Ok(None);
        }
        Ok(Some(root.get_tags().map_err(refused::<P>)?.iter().map(text::<P>)))
    }

    #[inline]
    fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Self::Member<'_>>>)>> {
        let root = self.root()?;
        if !root.has_members() {
            return Ok(None);
        }
        let members = root.get_members().map_err(refused::<P>)?;
        Ok(Some((members.len() as usize, members.iter().map(|member| Ok(MemberOf::new(member))))))
    }

    fn visit_at<'v>(&'v self, positions: &[usize], mut visit: impl FnMut(usize, Self::Member<'v>) -> Result<()>) -> Result<()> {
        let members = self.root()?.get_members().map_err(refused::<P>)?;
        let len = members.len() as usize;
        positions.iter().filter(|&&at| at < len).try_for_each(|&at| visit(at, MemberOf::new(members.get(at as u32))))
    }
}

impl<P: Packing> MemberView for MemberOf<'_, P> {
    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.reader.get_id())
    }

    #[inline]
    fn name(&self) -> Result<Option<&str>> {
        if self.reader.has_name() { text::<P>(self.reader.get_name()).map(Some) } else { Ok(None) }
    }

    #[inline]
    fn description(&self) -> Result<Option<&str>> {
        if self.reader.has_description() { text::<P>(self.reader.get_description()).map(Some) } else { Ok(None) }
    }

    #[inline]
    fn address(&self) -> Result<Option<&str>> {
        if self.reader.has_address() { text::<P>(self.reader.get_address()).map(Some) } else { Ok(None) }
    }

    #[inline]
    fn value(&self) -> Result<f64> {
        Ok(self.reader.get_value())
    }

    #[inline]
    fn update_time(&self) -> Result<i64> {
        Ok(self.reader.get_update_time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;

    fn organization(members: usize) -> Organization {
        Organization::generate(&Organization::spec(members)).unwrap()
    }

    fn encoded<P: Packing>(value: &Organization) -> Vec<u8> {
        let mut sink = Vec::new();
        Capnp::<P>::default().encode(value, &mut sink).unwrap();
        sink
    }

    fn decoded<P: Packing>(bytes: &[u8]) -> Result<Organization> {
        Capnp::<P>::default().decode(&Payload::from(bytes))
    }

    fn read<P: Packing>(bytes: &[u8]) -> Result<u64> {
        Capnp::<P>::default().access(&Payload::from(bytes))?.checksum()
    }

    #[test]
    fn a_view_is_read_only_so_often_unless_its_limit_is_raised() {
        let mut payload = Payload::from(encoded::<Plain>(&organization(10_000)).as_slice());
        let more_than_usual = READINGS + WORDS_AT_LEAST * BYTES_PER_WORD / payload.len() + 1;
        let read = |payload: &Payload| {
            let view = Capnp::<Plain>::default().access(payload)?;
            (0..more_than_usual).try_for_each(|_| view.checksum().map(drop))
        };
        let error = read(&payload).unwrap_err();
        assert!(error.to_string().contains("imit"), "{error}");
        payload.set_limits(Limits { allocation: usize::MAX, ..payload.limits() });
        read(&payload).unwrap();
    }

    #[test]
    fn a_message_is_one_segment_where_its_members_are_alike() {
        for value in [organization(0), organization(1), organization(1000), Organization::default()] {
            let message = Capnp::<Plain>::default().populate(&value).unwrap();
            assert_eq!(message.get_segments_for_output().len(), 1);
            assert!(message.size_in_words() <= first_segment(&value) as usize);
        }
        let mut value = organization(1000);
        value.members.as_mut().unwrap()[999].name = Some("x".repeat(100_000));
        let message = Capnp::<Plain>::default().populate(&value).unwrap();
        assert!(message.get_segments_for_output().len() > 1);
        for decoded in [decoded::<Plain>(&encoded::<Plain>(&value)), decoded::<Packed>(&encoded::<Packed>(&value))] {
            assert_eq!(decoded.unwrap(), value);
        }
    }

    /// Five bytes that claim two gibibytes: there is no limit to hold them to, and still nothing is taken on their word.
    #[test]
    fn a_trusted_payload_cannot_claim_more_than_packing_can_hold() {
        let payload = Payload::from([0xF0, 0xFF, 0xFF, 0xFF, 0x0F].as_slice()).trusted();
        let most = most_unpacked(&payload);
        assert_eq!(most, 5 * 1024);
        Capnp::<Packed>::default().decode(&payload).unwrap_err();
        Capnp::<Packed>::default().access(&payload).map(|_| ()).unwrap_err();
    }

    fn check_cuts<P: Packing>() {
        let value = organization(3);
        let good = encoded::<P>(&value);
        assert_eq!(decoded::<P>(&good).unwrap(), value);
        for cut in 0..good.len() {
            decoded::<P>(&good[..cut]).unwrap_err();
            read::<P>(&good[..cut]).unwrap_err();
        }
        let error = decoded::<P>(&[good.as_slice(), &[7; 9]].concat()).unwrap_err();
        assert_eq!((error.offset(), error.problem()), (Some(good.len()), &Problem::Trailing { left: 9 }));
    }

    #[test]
    fn a_cut_is_refused_and_so_are_more_bytes() {
        check_cuts::<Plain>();
        check_cuts::<Packed>();
    }

    #[test]
    fn the_other_packing_is_named() {
        let value = organization(3);
        assert!(decoded::<Plain>(&encoded::<Packed>(&value)).unwrap_err().to_string().contains("this is capnp-packed"));
        assert!(decoded::<Packed>(&encoded::<Plain>(&value)).unwrap_err().to_string().contains("this is a Cap'n Proto message"));
    }

    fn check_bytes<P: Packing>() {
        let good = encoded::<P>(&organization(2));
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = good.clone();
                bad[at] = byte;
                let _ = (decoded::<P>(&bad), read::<P>(&bad));
            }
        }
    }

    #[test]
    fn any_byte_may_have_any_value() {
        check_bytes::<Plain>();
        check_bytes::<Packed>();
    }

    #[test]
    fn a_claim_alone_allocates_nothing() {
        let claim = |words: u32| [0u32.to_le_bytes(), words.to_le_bytes()].concat();
        for words in [1, 8 << 20, u32::MAX] {
            let needed = u64::from(words) * 8;
            assert_eq!(*decoded::<Plain>(&claim(words)).unwrap_err().problem(), Problem::Truncated { needed, left: 0 });
        }
        // Packed: one byte of each of the two numbers is not zero.
        let error = decoded::<Packed>(&[0x40, 0x80]).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "bytes out", wanted: 0x400_0000, .. }), "{error}");
        // Zeros, 256 words in two bytes, behind a table that tells their number.
        let zeros = |runs: u8| [&[0x40, runs], [0x00, 0xFF].repeat(usize::from(runs) << 8).as_slice()].concat();
        let error = decoded::<Packed>(&zeros(4)).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "bytes out", wanted: 0x20_0000, .. }), "{error}");
        // What is small enough is a message whose root is null, which reads as one where nothing is set.
        assert_eq!(decoded::<Packed>(&zeros(2)).unwrap(), Organization::default());
    }

    #[test]
    fn what_is_pointed_to_twice_is_counted_twice() {
        let value = Organization { tags: Some(vec!["x".repeat(1000); 50]), ..Organization::default() };
        let mut bytes = encoded::<Plain>(&value);
        // The tags' pointers are words 5 to 54; let each point to the first one's text.
        let pointers = 8 * 5;
        let first = u32::from_le_bytes(bytes[pointers..pointers + 4].try_into().unwrap());
        for at in 1..50 {
            bytes[pointers + 8 * at..][..4].copy_from_slice(&(first - 4 * at as u32).to_le_bytes());
        }
        assert_eq!(decoded::<Plain>(&bytes).unwrap(), value);
        let words = bytes.len() / 8;
        bytes[4..8].copy_from_slice(&(words as u32 - 1 - 125).to_le_bytes());
        bytes.truncate(bytes.len() - 125 * 8);
        let error = decoded::<Plain>(&bytes).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "traversed words", .. }), "{error}");
        read::<Plain>(&bytes).unwrap();
    }

    #[test]
    fn structs_of_little_or_no_size_do_not_outgrow_their_message() {
        let value = Organization { members: Some(vec![Member::default(); 100_000]), ..Organization::default() };
        let mut bytes = encoded::<Plain>(&value);
        assert_eq!(decoded::<Plain>(&bytes).unwrap(), value);
        // The tag in front of the members tells their number, and the words of each.
        for (words, expected) in [(0, "traversed words"), (1, "allocation")] {
            bytes[8 * 5..8 * 6].copy_from_slice(&(500_000u64 << 2 | words << 32).to_le_bytes());
            let error = decoded::<Plain>(&bytes).unwrap_err();
            assert!(matches!(error.problem(), Problem::Limit { limit, .. } if *limit == expected), "{error}");
            read::<Plain>(&bytes).unwrap();
        }
    }

    #[test]
    fn the_librarys_default_stops_at_64_mib_and_ours_does_not() {
        let mut registry = Registry::new();
        register(&mut registry);
        // A text of this many words, its pointer's list of one, the root's pointer and three words.
        for (words, accepted) in [((8 << 20) - 16, true), (8 << 20, false)] {
            let value = Organization { tags: Some(vec!["x".repeat(8 * words - 1)]), ..Organization::default() };
            for (limit, payload) in registry.default_limits().iter().zip([encoded::<Plain>(&value), encoded::<Packed>(&value)]) {
                let payload = Payload::from(payload);
                assert_eq!((limit.read)(&payload).is_ok(), accepted, "{}", limit.format);
                let sum = if limit.format == "capnp" { read::<Plain>(&payload) } else { read::<Packed>(&payload) };
                assert_eq!(sum.unwrap(), value.checksum().unwrap());
            }
        }
    }
}
