//! rkyv: an archive is laid out as Rust reads it, so access is a check and a cast.
//!
//! The native types know nothing of it: mirrors of them carry the derives.

use std::num::NonZeroUsize;

use rkyv::api::{access_with_context, check_pos_with_context, deserialize_using, root_position, serialize_using};
use rkyv::munge::munge;
use rkyv::option::ArchivedOption;
use rkyv::rancor::{BoxedError, Fallible};
use rkyv::seal::Seal;
use rkyv::ser::allocator::{Arena, ArenaHandle};
use rkyv::ser::sharing::Share;
use rkyv::ser::{Allocator, Serializer, Writer};
use rkyv::validation::Validator;
use rkyv::validation::archive::ArchiveValidator;
use rkyv::validation::shared::SharedValidator;
use rkyv::vec::{ArchivedVec, VecResolver};
use rkyv::with::{ArchiveWith, DeserializeWith, Map, SerializeWith, With};
use rkyv::{Archive, Deserialize, Place, Serialize};

use super::{Access, AccessUnchecked, Decode, DecodeInto, Encode, Format, Info, Update, Validation};
use crate::dataset::organization::{MemberView, OrganizationView, SetUpdateTime};
use crate::dataset::{Member, Organization};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

/// An rkyv archive: little-endian, 32-bit relative pointers, the root at its end.
///
/// The root is found from the end of the payload. Bytes in front of an archive are therefore taken for a part of it that nothing
/// points to, and a prefix of an archive is one too where its last bytes happen to be a root. Only a length or checksum around the
/// archive could tell.
#[derive(Default)]
pub struct Rkyv {
    /// Where the serializer keeps the positions of strings until their records are written.
    arena: Arena,
}

impl Format for Rkyv {
    const INFO: Info = Info {
        name: "rkyv",
        wire_format: "rkyv archive",
        library: "rkyv",
        version: crate::version!("RKYV"),
        note: "32-bit relative pointers: an archive ends at 2 GiB; bytes in front of it go unnoticed",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<Rkyv, Organization>()
        .encode()
        .decode()
        .decode_into()
        .access()
        .access_unchecked()
        .update()
        .bare_encode(|value, sink| {
            sink.clear();
            rkyv::api::high::to_bytes_in::<_, BoxedError>(With::<_, OrganizationMirror>::cast(value), sink).map(|_| ()).map_err(refused)
        })
        .bare_decode(|payload| rkyv::from_bytes::<yardstick::Organization, BoxedError>(payload).map_err(refused))
        .bare_access(|payload| {
            std::hint::black_box(rkyv::access::<ArchivedOrganization, BoxedError>(payload).map_err(refused)?);
            Ok(())
        });
}

/// How an [`Organization`] is archived.
#[derive(Archive, Serialize, Deserialize)]
#[rkyv(remote = Organization, archived = ArchivedOrganization)]
pub struct OrganizationMirror {
    id: i32,
    tags: Option<Vec<String>>,
    #[rkyv(with = Map<Members>)]
    members: Option<Vec<Member>>,
}

/// How a [`Member`] is archived.
#[derive(Archive, Serialize, Deserialize)]
#[rkyv(remote = Member, archived = ArchivedMember)]
pub struct MemberMirror {
    id: i32,
    name: Option<String>,
    description: Option<String>,
    address: Option<String>,
    value: f64,
    update_time: i64,
}

impl From<OrganizationMirror> for Organization {
    #[inline]
    fn from(OrganizationMirror { id, tags, members }: OrganizationMirror) -> Self {
        Self { id, tags, members }
    }
}

impl From<MemberMirror> for Member {
    #[inline]
    fn from(MemberMirror { id, name, description, address, value, update_time }: MemberMirror) -> Self {
        Self { id, name, description, address, value, update_time }
    }
}

/// `Map<MemberMirror>`, but for decoding: the library's collects results, which hides their number from the vector, so that it grows
/// and moves its members again and again.
pub struct Members;

impl ArchiveWith<Vec<Member>> for Members {
    type Archived = ArchivedVec<ArchivedMember>;
    type Resolver = VecResolver;

    fn resolve_with(field: &Vec<Member>, resolver: VecResolver, out: Place<Self::Archived>) {
        Map::<MemberMirror>::resolve_with(field, resolver, out);
    }
}

impl<S: Fallible<Error = BoxedError> + Allocator + Writer + ?Sized> SerializeWith<Vec<Member>, S> for Members {
    fn serialize_with(field: &Vec<Member>, serializer: &mut S) -> Result<VecResolver, S::Error> {
        Map::<MemberMirror>::serialize_with(field, serializer)
    }
}

impl<D: Fallible<Error = BoxedError> + ?Sized> DeserializeWith<ArchivedVec<ArchivedMember>, Vec<Member>, D> for Members {
    fn deserialize_with(field: &ArchivedVec<ArchivedMember>, deserializer: &mut D) -> Result<Vec<Member>, D::Error> {
        let mut members = Vec::with_capacity(field.len());
        for member in field.iter() {
            members.push(MemberMirror::deserialize_with(member, deserializer)?);
        }
        Ok(members)
    }
}

impl Encode<Organization> for Rkyv {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        let mut serializer: Serializer<_, ArenaHandle<'_>, _> = Serializer::new(sink, self.arena.acquire(), Share::new());
        serialize_using::<_, BoxedError>(With::<_, OrganizationMirror>::cast(value), &mut serializer)
            .map(|_root| ())
            .map_err(|error| Error::new(Self::INFO.name, Problem::Unrepresentable(error.to_string())))
    }
}

impl Decode<Organization> for Rkyv {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let view = access(payload)?;
        hold(payload, view).map_err(|problem| Error::new(Self::INFO.name, problem))?;
        let archived = With::<_, OrganizationMirror>::cast(view);
        deserialize_using::<_, _, BoxedError>(archived, &mut ()).map_err(refused)
    }
}

impl DecodeInto<Organization> for Rkyv {
    fn read_into(&mut self, payload: &Payload, value: &mut Organization) -> Result<()> {
        value.fill(&access(payload)?, Self::INFO.name, payload.limits())
    }
}

impl Access<Organization> for Rkyv {
    type View<'p> = &'p ArchivedOrganization;

    const VALIDATION: Validation = Validation::Upfront;

    fn view<'p>(&mut self, payload: &'p Payload) -> Result<Self::View<'p>> {
        access(payload)
    }
}

impl AccessUnchecked<Organization> for Rkyv {
    unsafe fn access_unchecked<'p>(&mut self, payload: &'p Payload) -> Self::View<'p> {
        // SAFETY: the caller's promise; a payload is aligned.
        unsafe { rkyv::access_unchecked(payload) }
    }
}

impl Update<Organization> for Rkyv {
    fn write_change(payload: &mut Payload, change: &SetUpdateTime) -> Result<()> {
        let root = root_position::<ArchivedOrganization>(payload.len());
        let checked = check_pos_with_context::<ArchivedOrganization, _, BoxedError>(payload, root, &mut validator(payload));
        checked.map_err(|error| invalid(payload, error))?;
        // SAFETY: these bytes, with their root at this end, have just been checked.
        let organization = unsafe { rkyv::access_unchecked_mut::<ArchivedOrganization>(payload) };
        munge!(let ArchivedOrganization { members, .. } = organization);
        let Some(members) = ArchivedOption::as_seal(members) else { return Ok(()) };
        let mut members = ArchivedVec::as_slice_seal(members);
        for at in 0..members.len() {
            let member = Seal::index(members.as_mut(), at);
            munge!(let ArchivedMember { mut update_time, .. } = member);
            *update_time = change.0.into();
        }
        Ok(())
    }
}

type Checker<'p> = Validator<ArchiveValidator<'p>, SharedValidator>;

/// The library's own check has no limit of depth, and would recurse until the stack ends.
fn validator(payload: &Payload) -> Checker<'_> {
    let depth = NonZeroUsize::new(payload.limits().depth).unwrap_or(NonZeroUsize::MIN);
    Validator::new(ArchiveValidator::with_max_depth(payload, Some(depth)), SharedValidator::new())
}

/// Whether the value may be made of an archive. A list of items that take no bytes can be as long as it likes.
fn hold(payload: &Payload, archived: &ArchivedOrganization) -> Result<(), Problem> {
    let limits = payload.limits();
    let mut meter = Meter::new(limits);
    if let Some(tags) = archived.tags.as_ref() {
        meter.list::<String>(tags.len())?;
        tags.iter().try_for_each(|tag| limits.hold_text(tag.len()))?;
    }
    let Some(members) = archived.members.as_ref() else { return Ok(()) };
    meter.list::<Member>(members.len())?;
    // No string of a payload is longer than the payload, so that this is asked only if less is allowed.
    if limits.text < payload.len() {
        for member in members.iter() {
            [&member.name, &member.description, &member.address]
                .into_iter()
                .filter_map(ArchivedOption::as_ref)
                .try_for_each(|text| limits.hold_text(text.len()))?;
        }
    }
    Ok(())
}

fn access(payload: &Payload) -> Result<&ArchivedOrganization> {
    access_with_context::<_, _, BoxedError>(payload, &mut validator(payload)).map_err(|error| invalid(payload, error))
}

/// Why an archive is none. A depth that is used up is all that the library has no words of its own for.
#[cold]
fn invalid(payload: &Payload, error: BoxedError) -> Error {
    let (reason, depth) = (error.to_string(), payload.limits().depth);
    if reason == "`Option` is `None`, expected `Some`" {
        return Error::new(Rkyv::INFO.name, limits::exceeded("depth", depth, depth.saturating_add(1)));
    }
    Error::malformed(Rkyv::INFO.name, reason)
}

/// `BoxedError`, because the library's plain error says nothing in a release build.
fn refused(error: BoxedError) -> Error {
    Error::malformed(Rkyv::INFO.name, error)
}

impl OrganizationView for &ArchivedOrganization {
    type Member<'v>
        = &'v ArchivedMember
    where
        Self: 'v;

    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id.to_native())
    }

    #[inline]
    fn tags(&self) -> Result<Option<impl Iterator<Item = Result<&str>>>> {
        Ok(self.tags.as_ref().map(|tags| tags.iter().map(|tag| Ok(tag.as_str()))))
    }

    #[inline]
    fn members(&self) -> Result<Option<(usize, impl Iterator<Item = Result<Self::Member<'_>>>)>> {
        Ok(self.members.as_ref().map(|members| (members.len(), members.iter().map(Ok))))
    }

    fn visit_at<'v>(&'v self, positions: &[usize], mut visit: impl FnMut(usize, Self::Member<'v>) -> Result<()>) -> Result<()> {
        let members = self.members.as_ref().map(ArchivedVec::as_slice).unwrap_or_default();
        positions.iter().filter_map(|&at| members.get(at).map(|member| (at, member))).try_for_each(|(at, member)| visit(at, member))
    }
}

impl MemberView for &ArchivedMember {
    #[inline]
    fn id(&self) -> Result<i32> {
        Ok(self.id.to_native())
    }

    #[inline]
    fn name(&self) -> Result<Option<&str>> {
        Ok(self.name.as_deref())
    }

    #[inline]
    fn description(&self) -> Result<Option<&str>> {
        Ok(self.description.as_deref())
    }

    #[inline]
    fn address(&self) -> Result<Option<&str>> {
        Ok(self.address.as_deref())
    }

    #[inline]
    fn value(&self) -> Result<f64> {
        Ok(self.value.to_native())
    }

    #[inline]
    fn update_time(&self) -> Result<i64> {
        Ok(self.update_time.to_native())
    }
}

/// The dataset as it would be with rkyv's derives on the native types: what decoding through the mirrors is held to.
mod yardstick {
    use rkyv::{Archive, Deserialize, Serialize};

    #[derive(Archive, Serialize, Deserialize)]
    #[rkyv(as = super::ArchivedOrganization)]
    pub struct Organization {
        id: i32,
        tags: Option<Vec<String>>,
        members: Option<Vec<Member>>,
    }

    #[derive(Archive, Serialize, Deserialize)]
    #[rkyv(as = super::ArchivedMember)]
    pub struct Member {
        id: i32,
        name: Option<String>,
        description: Option<String>,
        address: Option<String>,
        value: f64,
        update_time: i64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::{Dataset, Read};

    fn organization(members: usize) -> Organization {
        Organization::generate(&Organization::spec(members)).unwrap()
    }

    fn encoded(value: &Organization) -> Vec<u8> {
        let mut sink = Vec::new();
        Rkyv::default().encode(value, &mut sink).unwrap();
        sink
    }

    #[test]
    fn the_mirrors_write_what_derives_on_the_types_would() {
        let payload = Payload::from(encoded(&organization(3)));
        let direct = rkyv::from_bytes::<yardstick::Organization, BoxedError>(&payload).unwrap();
        assert_eq!(rkyv::to_bytes::<BoxedError>(&direct).unwrap().as_slice(), payload.as_slice());
    }

    #[test]
    fn an_update_changes_every_member_and_nothing_else() {
        let mut value = organization(100);
        let mut payload = Payload::from(encoded(&value));
        let change = SetUpdateTime(-1);
        Rkyv::update(&mut payload, &change).unwrap();
        value.apply(&change);
        assert_eq!(payload.as_slice(), encoded(&value));
        for list in [None, Some(Vec::new())] {
            let mut payload = Payload::from(encoded(&Organization { members: list, ..Organization::default() }));
            Rkyv::update(&mut payload, &change).unwrap();
        }
    }

    #[test]
    fn a_cut_archive_is_refused() {
        let good = encoded(&organization(3));
        for cut in 0..good.len() {
            let mut payload = Payload::from(&good[..cut]);
            Rkyv::default().access(&payload).map(|_| ()).unwrap_err();
            Rkyv::default().decode(&payload).unwrap_err();
            Rkyv::update(&mut payload, &SetUpdateTime(1)).unwrap_err();
        }
    }

    /// What the format's description admits: these are safe to read, but nothing tells that they are not what was written.
    #[test]
    fn a_prefix_that_ends_like_a_root_and_bytes_in_front_are_taken() {
        let zeros = Organization { members: Some(vec![Member::default(); 2]), ..Organization::default() };
        let good = encoded(&zeros);
        let cut = Rkyv::default().decode(&Payload::from(&good[..56])).unwrap();
        assert_eq!(cut, Organization::default());
        let behind = [&[0xFF; 16], good.as_slice()].concat();
        assert_eq!(Rkyv::default().decode(&Payload::from(behind)).unwrap(), zeros);
    }

    #[test]
    fn any_byte_may_have_any_value() {
        let good = encoded(&organization(3));
        for at in 0..good.len() {
            for byte in 0..=255 {
                let mut bad = Payload::from(good.as_slice());
                bad[at] = byte;
                if let Ok(view) = Rkyv::default().access(&bad) {
                    view.checksum().unwrap();
                    Rkyv::default().decode(&bad).unwrap();
                }
            }
        }
    }

    #[test]
    fn misaligned_bytes_are_aligned_and_a_refusal_says_why() {
        let value = organization(3);
        let bytes = [&[0; 1], encoded(&value).as_slice()].concat();
        let payload = Payload::from(&bytes[1..]);
        assert_eq!(Rkyv::default().decode(&payload).unwrap(), value);
        let error = Rkyv::default().decode(&Payload::default()).unwrap_err();
        assert!(error.to_string().contains("subtree pointer overran range"), "{error}");
    }
}
