//! FlatBuffers through the flatbuffers crate and flatc's code for schemas/organization.fbs.

use std::mem;

use flatbuffers::{ErrorTraceDetail, FlatBufferBuilder, InvalidFlatbuffer, VerifierOptions, WIPOffset};

use super::{Access, AccessUnchecked, Decode, DecodeInto, DecodePrefix, Encode, Format, Info, Validation, trailing};
use crate::dataset::organization::{MemberView, OrganizationView};
use crate::dataset::{Member, Organization, Read};
use crate::error::{Error, Problem, Result};
use crate::limits::{Limits, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

/// What flatc makes of the schema.
mod generated {
    #![allow(missing_docs, unreachable_pub, unused_imports, dead_code, mismatched_lifetime_syntaxes)]
    #![allow(clippy::all, clippy::pedantic, clippy::restriction)]

    include!(concat!(env!("OUT_DIR"), "/organization_generated.rs"));
}

pub use generated::wirewise::organization as message;

/// Offsets are signed and 32 bits wide.
const MOST_BYTES: usize = 1 << 31;

/// More than the fixed part of any table here takes, with its vtable and all padding.
const TABLE: usize = 128;

/// What may be padding at the end of a buffer: an object at most eight bytes wide is aligned from there.
const MOST_PADDING: usize = 7;

/// A FlatBuffer with the file identifier that the schema gives.
///
/// A buffer has no end mark. Decoding sees all objects, and refuses what stands behind the last of them; a view does not notice. The last
/// bytes may be padding, without which it is the same. The verifier does not know types either, so it is the identifier that tells another
/// schema's buffer.
#[derive(Default)]
pub struct FlatBuffers {
    /// The size of the last payload. The library fills its buffer from the end, and doubles and moves it whenever it is full; in a
    /// buffer that has its payload's size from the start, the payload ends up in its place.
    size: usize,
    /// Where the tags are.
    tags: Vec<WIPOffset<&'static str>>,
    /// Where the members are.
    members: Vec<WIPOffset<message::Member<'static>>>,
}

impl Format for FlatBuffers {
    const INFO: Info = Info {
        name: "flatbuffers",
        wire_format: "FlatBuffers",
        library: "flatbuffers",
        version: crate::version!("FLATBUFFERS"),
        note: "a buffer ends at 2 GiB; access does not notice bytes behind its last object",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<FlatBuffers, Organization>()
        .encode()
        .decode()
        .decode_prefix()
        .decode_into()
        .access()
        .access_unchecked()
        .bare_access(|payload| {
            let options = options(payload);
            let identified = message::organization_buffer_has_identifier(payload);
            let view = verified(&options, payload).map_err(|error| refused(error, &options, payload.len()))?;
            std::hint::black_box((identified, view));
            Ok(())
        })
        .default_limit("max_tables, 1,000,000 by default", |payload| {
            let view =
                message::root_as_organization(payload).map_err(|error| refused(error, &VerifierOptions::default(), payload.len()))?;
            view.checksum().map(|_| ())
        });
}

impl FlatBuffers {
    /// The buffer in which the payload grows: the sink's own memory, all zero because the library leaves padding as it is.
    fn buffer(&self, sink: &mut Vec<u8>) -> Vec<u8> {
        let mut buffer = mem::take(sink);
        if buffer.capacity() < self.size {
            // Not resized: fresh memory is zero already, and the system hands it out lazily.
            return vec![0; self.size];
        }
        buffer.clear();
        buffer.resize(self.size, 0);
        buffer
    }

    fn build(&mut self, builder: &mut FlatBufferBuilder<'static>, value: &Organization) -> Result<()> {
        let tags = match &value.tags {
            None => None,
            Some(tags) => {
                self.tags.clear();
                for tag in tags {
                    room(builder, tag.len() + TABLE)?;
                    self.tags.push(builder.create_string(tag));
                }
                room(builder, mem::size_of_val(self.tags.as_slice()) + TABLE)?;
                Some(builder.create_vector(&self.tags))
            }
        };
        let members = match &value.members {
            None => None,
            Some(members) => {
                self.members.clear();
                self.members.reserve(members.len());
                for member in members {
                    self.members.push(member_of(builder, member)?);
                }
                room(builder, mem::size_of_val(self.members.as_slice()) + TABLE)?;
                Some(builder.create_vector(&self.members))
            }
        };
        let root = message::Organization::create(builder, &message::OrganizationArgs { id: value.id, tags, members });
        message::finish_organization_buffer(builder, root);
        Ok(())
    }
}

fn member_of(builder: &mut FlatBufferBuilder<'static>, member: &Member) -> Result<WIPOffset<message::Member<'static>>> {
    let texts = [&member.name, &member.description, &member.address].map(Option::as_deref);
    room(builder, texts.iter().flatten().map(|text| text.len()).sum::<usize>() + TABLE)?;
    let [name, description, address] = texts.map(|text| text.map(|text| builder.create_string(text)));
    // A field that equals its default is left out, and -0.0 equals it: that member gets all its fields.
    builder.force_defaults(member.value == 0.0 && member.value.is_sign_negative());
    let arguments = message::MemberArgs { id: member.id, name, description, address, value: member.value, update_time: member.update_time };
    let offset = message::Member::create(builder, &arguments);
    builder.force_defaults(false);
    Ok(offset)
}

/// The library panics at its limit, or gives offsets that point elsewhere.
fn room(builder: &FlatBufferBuilder<'static>, bytes: usize) -> Result<()> {
    let wanted = builder.unfinished_data().len() + bytes;
    if wanted <= MOST_BYTES {
        return Ok(());
    }
    Err(Error::new(FlatBuffers::INFO.name, Problem::Limit { limit: "payload", allowed: MOST_BYTES as u64, wanted: wanted as u64 }))
}

impl Encode<Organization> for FlatBuffers {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let mut builder = FlatBufferBuilder::from_vec(self.buffer(sink));
        let built = self.build(&mut builder, value);
        let (mut buffer, start) = builder.collapse();
        if start > 0 {
            buffer.copy_within(start.., 0);
            buffer.truncate(buffer.len() - start);
        }
        self.size = buffer.len();
        *sink = buffer;
        built
    }
}

impl Access<Organization> for FlatBuffers {
    type View<'p> = message::Organization<'p>;

    const VALIDATION: Validation = Validation::Upfront;

    fn view<'p>(&mut self, payload: &'p Payload) -> Result<message::Organization<'p>> {
        access(payload)
    }
}

impl AccessUnchecked<Organization> for FlatBuffers {
    unsafe fn access_unchecked<'p>(&mut self, payload: &'p Payload) -> message::Organization<'p> {
        // SAFETY: the caller's promise.
        unsafe { message::root_as_organization_unchecked(payload) }
    }
}

impl DecodeInto<Organization> for FlatBuffers {
    fn read_into(&mut self, payload: &Payload, value: &mut Organization) -> Result<()> {
        let view = access(payload)?;
        value.fill(&view, Self::INFO.name, payload.limits())?;
        trailing(Self::INFO.name, payload, Extent::of(payload, &view).used())
    }
}

impl Decode<Organization> for FlatBuffers {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let (value, used) = self.read_prefix(payload)?;
        trailing(Self::INFO.name, payload, used)?;
        Ok(value)
    }
}

impl DecodePrefix<Organization> for FlatBuffers {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Organization, usize)> {
        let view = access(payload)?;
        let limits = payload.limits();
        let held = |result: Result<(), Problem>| result.map_err(|problem| Error::new(Self::INFO.name, problem));
        let mut meter = Meter::new(limits);
        let mut extent = Extent { payload, end: 0 };
        extent.table(&view._tab);
        let text = |text: &str, extent: &mut Extent<'_>| {
            held(limits.hold_text(text.len()))?;
            extent.text(text);
            Ok(text.to_owned())
        };
        let tags = match view.tags() {
            None => None,
            Some(list) => {
                held(meter.list::<String>(list.len()))?;
                extent.cover(list.bytes());
                Some(list.iter().map(|tag| text(tag, &mut extent)).collect::<Result<_>>()?)
            }
        };
        let members = match view.members() {
            None => None,
            Some(list) => {
                held(meter.list::<Member>(list.len()))?;
                extent.cover(list.bytes());
                // A loop and not a `collect` into a result, which hides how many there are.
                let mut members = Vec::with_capacity(list.len());
                for member in list {
                    extent.table(&member._tab);
                    members.push(Member {
                        id: member.id(),
                        name: member.name().map(|name| text(name, &mut extent)).transpose()?,
                        description: member.description().map(|description| text(description, &mut extent)).transpose()?,
                        address: member.address().map(|address| text(address, &mut extent)).transpose()?,
                        value: member.value(),
                        update_time: member.update_time(),
                    });
                }
                Some(members)
            }
        };
        Ok((Organization { id: view.id(), tags, members }, extent.used()))
    }
}

/// How far into the payload its objects reach.
struct Extent<'p> {
    payload: &'p [u8],
    end: usize,
}

impl<'p> Extent<'p> {
    /// Of all objects, for a reader that has no other walk over them.
    fn of(payload: &'p [u8], view: &message::Organization<'_>) -> Self {
        let mut extent = Self { payload, end: 0 };
        extent.table(&view._tab);
        if let Some(tags) = view.tags() {
            extent.cover(tags.bytes());
            tags.iter().for_each(|tag| extent.text(tag));
        }
        if let Some(members) = view.members() {
            extent.cover(members.bytes());
            for member in members {
                extent.table(&member._tab);
                [member.name(), member.description(), member.address()].into_iter().flatten().for_each(|text| extent.text(text));
            }
        }
        extent
    }

    /// Bytes of the payload that belong to an object.
    #[inline]
    fn cover(&mut self, bytes: &[u8]) {
        self.end = self.end.max(bytes.as_ptr_range().end.addr() - self.payload.as_ptr().addr());
    }

    /// A string, and the NUL behind it.
    #[inline]
    fn text(&mut self, text: &str) {
        self.end = self.end.max(text.as_bytes().as_ptr_range().end.addr() + 1 - self.payload.as_ptr().addr());
    }

    #[inline]
    fn table(&mut self, table: &flatbuffers::Table<'_>) {
        let layout = table.vtable();
        self.end = self.end.max(table.loc() + layout.object_inline_num_bytes());
        self.cover(layout.as_bytes());
    }

    /// Padding belongs to the last object.
    fn used(&self) -> usize {
        // A table may say that it is larger than its fields.
        let end = self.end.min(self.payload.len());
        let behind = &self.payload[end..];
        end + behind.iter().take(MOST_PADDING).take_while(|&&byte| byte == 0).count()
    }
}

fn access(payload: &Payload) -> Result<message::Organization<'_>> {
    if payload.get(4..8) != Some(message::ORGANIZATION_IDENTIFIER.as_bytes()) {
        return Err(unidentified(payload));
    }
    let options = options(payload);
    verified(&options, payload).map_err(|error| refused(error, &options, payload.len()))
}

/// The library's call. It stands once in a program, so that what is held against it is not another copy, optimised by chance in another way.
#[inline(never)]
fn verified<'p>(options: &VerifierOptions, payload: &'p [u8]) -> Result<message::Organization<'p>, InvalidFlatbuffer> {
    message::root_as_organization_with_opts(options, payload)
}

#[cold]
fn unidentified(payload: &[u8]) -> Error {
    let expected = message::ORGANIZATION_IDENTIFIER;
    let found = payload.get(4..8).unwrap_or_default().escape_ascii();
    let problem = Problem::Unexpected { expected: format!("the file identifier \"{expected}\""), found: format!("\"{found}\"") };
    Error::at(FlatBuffers::INFO.name, payload.len().min(4), problem)
}

/// Limits that every buffer of this size can keep whose objects are referred to once, so that only objects referred to again and
/// again hit them. A table and the reference to it take eight bytes. What is counted as size is every byte that the verifier looks
/// at, for each reference: of the smallest tables, with a vtable that they share, five times what they take. Who raises the limits of a
/// payload may read buffers that share more.
fn options(payload: &Payload) -> VerifierOptions {
    let (len, limits, usual) = (payload.len(), payload.limits(), Limits::for_payload(payload.len()));
    let or_less = |derived: usize, limit: usize, usual: usize| if limit > usual { limit } else { derived.min(limit) };
    VerifierOptions {
        max_depth: limits.depth,
        max_tables: or_less(len / 8 + 1, limits.elements, usual.elements),
        max_apparent_size: or_less(len.saturating_mul(8), limits.allocation, usual.allocation),
        ..VerifierOptions::default()
    }
}

#[cold]
fn refused(error: InvalidFlatbuffer, options: &VerifierOptions, len: usize) -> Error {
    use InvalidFlatbuffer::{
        ApparentSizeTooLarge, DepthLimitReached, InconsistentUnion, MissingNullTerminator, MissingRequiredField, RangeOutOfBounds,
        SignedOffsetOutOfBounds, TooManyTables, Unaligned, Utf8Error,
    };
    let limited = |limit, allowed: usize| {
        Error::new(FlatBuffers::INFO.name, Problem::Limit { limit, allowed: allowed as u64, wanted: allowed as u64 + 1 })
    };
    let problem = match &error {
        TooManyTables => return limited("tables", options.max_tables),
        ApparentSizeTooLarge => return limited("apparent size", options.max_apparent_size),
        DepthLimitReached => return limited("depth", options.max_depth),
        Utf8Error { .. } => Problem::InvalidUtf8,
        // The library writes one line for the error and one for each object on the way to it, which the path says.
        other => Problem::Malformed(other.to_string().lines().next().unwrap_or_default().to_owned()),
    };
    let (at, trace) = match &error {
        Utf8Error { range, error_trace, .. } | MissingNullTerminator { range, error_trace } | RangeOutOfBounds { range, error_trace } => {
            (Some(range.start), Some(error_trace.as_ref()))
        }
        Unaligned { position, error_trace, .. } | SignedOffsetOutOfBounds { position, error_trace, .. } => {
            (Some(*position), Some(error_trace.as_ref()))
        }
        MissingRequiredField { error_trace, .. } | InconsistentUnion { error_trace, .. } => (None, Some(error_trace.as_ref())),
        _ => (None, None),
    };
    // The library also says where it was sent to.
    let refused = match at.filter(|&at| at <= len) {
        Some(at) => Error::at(FlatBuffers::INFO.name, at, problem),
        None => Error::new(FlatBuffers::INFO.name, problem),
    };
    refused.in_field(path(trace.unwrap_or_default()))
}

/// The library's trace leads from the object outwards.
fn path(trace: &[ErrorTraceDetail]) -> String {
    let mut path = String::new();
    for step in trace.iter().rev() {
        match step {
            ErrorTraceDetail::VectorElement { index, .. } => path += &format!("[{index}]"),
            ErrorTraceDetail::TableField { field_name, .. } => {
                path += if path.is_empty() { "" } else { "." };
                path += field_name;
            }
            ErrorTraceDetail::UnionVariant { variant, .. } => path += &format!("({variant})"),
        }
    }
    path
}

// The generated types have methods of the same names, and those go first.

impl OrganizationView for message::Organization<'_> {
    type Member<'v>
        = message::Member<'v>
    where
        Self: 'v;

    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id())
    }

    #[inline]
    fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>> {
        Ok(self.tags().map(|tags| tags.iter().map(Ok)))
    }

    #[inline]
    fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Self::Member<'_>>>)>> {
        Ok(self.members().map(|members| (members.len(), members.iter().map(Ok))))
    }

    fn visit_at<'v>(&'v self, positions: &[usize], mut visit: impl FnMut(usize, Self::Member<'v>) -> Result<()>) -> Result<()> {
        let Some(members) = self.members() else { return Ok(()) };
        let len = members.len();
        positions.iter().filter(|&&at| at < len).try_for_each(|&at| visit(at, members.get(at)))
    }
}

impl MemberView for message::Member<'_> {
    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id())
    }

    #[inline]
    fn name(&self) -> Result<Option<&str>> {
        Ok(self.name())
    }

    #[inline]
    fn description(&self) -> Result<Option<&str>> {
        Ok(self.description())
    }

    #[inline]
    fn address(&self) -> Result<Option<&str>> {
        Ok(self.address())
    }

    #[inline]
    fn value(&self) -> Result<f64> {
        Ok(self.value())
    }

    #[inline]
    fn update_time(&self) -> Result<i64> {
        Ok(self.update_time())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Dataset;

    fn organization(members: usize) -> Organization {
        Organization::generate(&Organization::spec(members)).unwrap()
    }

    fn encoded(value: &Organization) -> Vec<u8> {
        let mut sink = Vec::new();
        FlatBuffers::default().encode(value, &mut sink).unwrap();
        sink
    }

    fn decoded(bytes: &[u8]) -> Result<Organization> {
        FlatBuffers::default().decode(&Payload::from(bytes))
    }

    #[test]
    fn the_bytes_do_not_depend_on_what_was_encoded_before() {
        let (mut format, mut sink) = (FlatBuffers::default(), vec![0xFF; 5000]);
        for members in [100, 3, 3, 0, 50, 50, 1000, 100] {
            let value = organization(members);
            format.encode(&value, &mut sink).unwrap();
            assert_eq!(sink, encoded(&value));
        }
    }

    #[test]
    fn the_librarys_default_stops_at_a_million_tables_and_ours_does_not() {
        let mut registry = Registry::new();
        register(&mut registry);
        let limit = registry.default_limits()[0];
        for (tables, accepted) in [(999_999, true), (1_000_000, true), (1_000_001, false)] {
            // The organization is a table too. The smallest members are those that leave ours the least room.
            let value = Organization { members: Some(vec![Member::default(); tables - 1]), ..Organization::default() };
            let payload = Payload::from(encoded(&value));
            assert_eq!((limit.read)(&payload).is_ok(), accepted, "{tables} tables");
            assert_eq!(access(&payload).unwrap().members().unwrap().len(), tables - 1);
        }
    }

    /// A vector of many references to one table.
    #[test]
    fn a_table_referred_to_again_and_again_hits_the_limit() {
        let mut builder = FlatBufferBuilder::new();
        let member = message::Member::create(&mut builder, &message::MemberArgs::default());
        let members = builder.create_vector(&vec![member; 10_000]);
        let arguments = message::OrganizationArgs { members: Some(members), ..Default::default() };
        let root = message::Organization::create(&mut builder, &arguments);
        message::finish_organization_buffer(&mut builder, root);
        let error = decoded(builder.finished_data()).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "tables", .. }), "{error}");
    }

    #[test]
    fn the_identifier_is_looked_at() {
        let good = encoded(&organization(3));
        let mut other = good.clone();
        other[4..8].copy_from_slice(b"MONS");
        assert!(decoded(&other).unwrap_err().to_string().contains("\"WWOR\" is expected, not \"MONS\""));
        let prefixed = [&(good.len() as u32).to_le_bytes(), good.as_slice()].concat();
        assert!(decoded(&prefixed).unwrap_err().to_string().contains("size-prefixed"));
        decoded(&[]).unwrap_err();
    }

    #[test]
    fn a_cut_is_refused_or_takes_padding_only() {
        let mut values = vec![organization(3), Organization::default()];
        values.extend((0..4).map(|len| Organization { tags: Some(vec!["x".repeat(len)]), ..Organization::default() }));
        for value in values {
            let good = encoded(&value);
            for cut in 0..good.len() {
                if let Ok(decoded) = decoded(&good[..cut]) {
                    assert_eq!(decoded, value);
                    assert!(good[cut..].len() < 4 && good[cut..].iter().all(|&byte| byte == 0));
                }
            }
        }
    }

    #[test]
    fn any_byte_may_have_any_value() {
        let good = encoded(&organization(3));
        let mut accepted = 0;
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = Payload::from(good.as_slice());
                bad[at] = byte;
                if let Ok(view) = access(&bad) {
                    view.checksum().unwrap();
                    match decoded(&bad) {
                        // What was the last object may be no part of it any more.
                        Err(error) => assert!(matches!(error.problem(), Problem::Trailing { .. }), "{error}"),
                        Ok(_) => accepted += 1,
                    }
                }
            }
        }
        assert!(accepted > 1000, "{accepted}");
    }
}
