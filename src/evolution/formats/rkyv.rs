//! rkyv: the bare archive, entries behind AsBox, enums of versions, and the archive in an envelope.
//!
//! Every reading is checked. Unchecked access to bytes of another schema is undefined behaviour and is never run.

use rkyv::api::high::{HighDeserializer, HighSerializer, HighValidator};
use rkyv::bytecheck::CheckBytes;
use rkyv::rancor::BoxedError;
use rkyv::ser::allocator::ArenaHandle;
use rkyv::util::AlignedVec;
use rkyv::with::AsBox;
use rkyv::{Archive, Deserialize, Serialize};

use super::{Adapter, Choice, Reading, Wire, apart};
use crate::envelope::{self, Envelope, Reader};
use crate::evolution::change::{Position, Side};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

/// Whatever rkyv writes and reads with its high-level functions.
pub(crate) trait Archived: Archive + Field + Sized {
    fn encode(&self) -> Result<Vec<u8>, String>;
    fn decode(bytes: &[u8]) -> Result<Self, String>;
}

impl<T> Archived for T
where
    T: Archive + Field + for<'a> Serialize<HighSerializer<AlignedVec, ArenaHandle<'a>, BoxedError>>,
    T::Archived: for<'a> CheckBytes<HighValidator<'a, BoxedError>> + Deserialize<T, HighDeserializer<BoxedError>>,
{
    fn encode(&self) -> Result<Vec<u8>, String> {
        rkyv::to_bytes::<BoxedError>(self).map(|bytes| bytes.to_vec()).map_err(|error| error.to_string())
    }

    fn decode(bytes: &[u8]) -> Result<Self, String> {
        rkyv::from_bytes::<T, BoxedError>(bytes).map_err(|error| error.to_string())
    }
}

#[derive(Archive, Serialize, Deserialize)]
pub(crate) struct Nested<T> {
    before: u32,
    inner: T,
    after: String,
}

#[derive(Archive, Serialize, Deserialize)]
pub(crate) struct Listed<T> {
    before: u32,
    items: Vec<T>,
    after: String,
}

#[derive(Archive, Serialize, Deserialize)]
pub(crate) struct Chosen<T> {
    before: u32,
    choice: Choice<T>,
    after: String,
}

holder_field!(T: Nested<T> { before, inner, after } inner);
holder_field!(T: Listed<T> { before, items, after } items);
holder_field!(T: Chosen<T> { before, choice, after } choice);

/// An entry that the archive points to, so that its size does not matter to what it is in.
#[derive(Archive, Serialize, Deserialize)]
pub(crate) struct Boxed<T> {
    #[rkyv(with = AsBox)]
    entry: T,
}

impl<T: Field> Field for Boxed<T> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        T::of(value).map(|entry| Self { entry })
    }

    fn tell(&self) -> Value {
        self.entry.tell()
    }

    fn edit(&mut self) -> bool {
        self.entry.edit()
    }

    fn zero() -> Self {
        Self { entry: T::zero() }
    }
}

/// The versions that the old program knows.
#[derive(Archive, Serialize, Deserialize)]
pub(crate) enum OldVersions<A> {
    V1(A),
}

/// The versions that the new program knows.
#[derive(Archive, Serialize, Deserialize)]
pub(crate) enum NewVersions<A, B> {
    V1(A),
    V2(B),
}

const V1: &str = "v1";
const V2: &str = "v2";

fn version(name: &str, value: Value) -> Value {
    Value::Variant(name.into(), Some(Box::new(value)))
}

impl<A: Field> Field for OldVersions<A> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        A::of(value).map(Self::V1)
    }

    fn tell(&self) -> Value {
        let Self::V1(entry) = self;
        version(V1, entry.tell())
    }

    fn edit(&mut self) -> bool {
        let Self::V1(entry) = self;
        entry.edit()
    }

    fn zero() -> Self {
        Self::V1(A::zero())
    }
}

/// Writes the version of its own time.
impl<A: Field, B: Field> Field for NewVersions<A, B> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        B::of(value).map(Self::V2)
    }

    fn tell(&self) -> Value {
        match self {
            Self::V1(entry) => version(V1, entry.tell()),
            Self::V2(entry) => version(V2, entry.tell()),
        }
    }

    fn edit(&mut self) -> bool {
        match self {
            Self::V1(entry) => entry.edit(),
            Self::V2(entry) => entry.edit(),
        }
    }

    fn zero() -> Self {
        Self::V2(B::zero())
    }
}

/// Takes the versions out of a value that was told, and says which it was.
fn unversioned(value: Value) -> (Value, Option<Side>) {
    let mut by = None;
    let mut inner = |value| {
        let (value, side) = unversioned(value);
        by = by.or(side);
        value
    };
    let value = match value {
        Value::Variant(name, Some(payload)) if name == V1 || name == V2 => {
            return (*payload, Some(if name == V1 { Side::Old } else { Side::New }));
        }
        Value::Record(fields) => Value::Record(fields.into_iter().map(|(name, value)| (name, inner(value))).collect()),
        Value::List(items) => Value::List(items.into_iter().map(inner).collect()),
        Value::Variant(name, Some(payload)) => Value::Variant(name, Some(Box::new(inner(*payload)))),
        other => other,
    };
    (value, by)
}

struct Rkyv<T>(T);

impl<T: Archived> Wire for Rkyv<T> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        T::of(value)?.encode().map_err(Unwritable)
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        T::decode(payload).map(|value| value.tell())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = T::decode(payload)?;
        value.edit();
        value.encode()
    }
}

pub(crate) fn bare<T>() -> Adapter
where
    T: Archived,
    Nested<T>: Archived,
    Listed<T>: Archived,
    Chosen<T>: Archived,
{
    apart::<Rkyv<T>, Rkyv<Nested<T>>, Rkyv<Listed<T>>, Rkyv<Chosen<T>>>()
}

/// For enums of versions: tells which version was read.
pub(crate) fn versioned<T>() -> Adapter
where
    T: Archived,
    Nested<T>: Archived,
    Listed<T>: Archived,
    Chosen<T>: Archived,
{
    fn read_version<T>(position: Position, payload: &Payload) -> Result<Reading, String>
    where
        T: Archived,
        Nested<T>: Archived,
        Listed<T>: Archived,
        Chosen<T>: Archived,
    {
        let reading = (bare::<T>().read)(position, payload)?;
        let (value, by) = unversioned(reading.value);
        Ok(Reading { value, by })
    }
    Adapter { read: read_version::<T>, ..bare::<T>() }
}

/// The text of a schema, from which its hash in an envelope is made.
pub(crate) trait Described {
    /// The types as they are declared.
    const TEXT: &'static str;
}

/// How an envelope of this side's schema is written, and who may read it: a bare archive only those who know its version.
fn envelope<T: Described>(side: Side) -> Envelope {
    let version = version_of(side);
    // The text is the compiler's, whose blanks are no part of the schema and may be others in its next version.
    let text: String = T::TEXT.split_whitespace().collect();
    Envelope { format: *b"rkyv", schema_hash: envelope::hash(text.as_bytes()), version, least_reader_version: version, layout: layout() }
}

fn version_of(side: Side) -> u32 {
    match side {
        Side::Old => 1,
        Side::New => 2,
    }
}

/// rkyv's layout depends on features of the build: the width of its pointers is one of them.
fn layout() -> u64 {
    let pointer = size_of::<rkyv::primitive::ArchivedUsize>() as u8;
    envelope::layout(&[LIBRARY.0.as_bytes(), LIBRARY.1.as_bytes(), &[pointer]])
}

/// The bytes in an envelope, after it was found to be for a reader of this side; and the side of their version.
fn opened(side: Side, payload: &Payload) -> Result<(Payload, Side), String> {
    let reader = Reader { format: *b"rkyv", version: version_of(side), layout: layout() };
    let (header, bytes) = envelope::open(&reader, payload).map_err(|error| error.to_string())?;
    let by = match header.version {
        1 => Side::Old,
        2 => Side::New,
        other => return Err(format!("no schema for version {other}")),
    };
    Ok((Payload::from(bytes), by))
}

/// The bare archive in an envelope. The old program has the old schema; the new one both, and goes by the version.
pub(crate) fn enveloped<A, B>(side: Side) -> Adapter
where
    A: Archived + Described,
    Nested<A>: Archived,
    Listed<A>: Archived,
    Chosen<A>: Archived,
    B: Archived + Described,
    Nested<B>: Archived,
    Listed<B>: Archived,
    Chosen<B>: Archived,
{
    fn sealed(envelope: &Envelope, bytes: &[u8]) -> Vec<u8> {
        let mut sink = Vec::new();
        envelope.seal(bytes, &mut sink);
        sink
    }
    match side {
        Side::Old => Adapter {
            write: |position, value| Ok(sealed(&envelope::<A>(Side::Old), &(bare::<A>().write)(position, value)?)),
            read: |position, payload| {
                let (payload, by) = opened(Side::Old, payload)?;
                Ok(Reading { by: Some(by), ..(bare::<A>().read)(position, &payload)? })
            },
            edit: |position, payload| {
                let (payload, _) = opened(Side::Old, payload)?;
                Ok(sealed(&envelope::<A>(Side::Old), &(bare::<A>().edit)(position, &payload)?))
            },
        },
        Side::New => Adapter {
            write: |position, value| Ok(sealed(&envelope::<B>(Side::New), &(bare::<B>().write)(position, value)?)),
            read: |position, payload| {
                let (payload, by) = opened(Side::New, payload)?;
                let read = match by {
                    Side::Old => bare::<A>().read,
                    Side::New => bare::<B>().read,
                };
                Ok(Reading { by: Some(by), ..read(position, &payload)? })
            },
            edit: |position, payload| {
                let (payload, _) = opened(Side::New, payload)?;
                Ok(sealed(&envelope::<B>(Side::New), &(bare::<B>().edit)(position, &payload)?))
            },
        },
    }
}

pub(super) const LIBRARY: (&str, &str) = ("rkyv", crate::version!("RKYV"));
