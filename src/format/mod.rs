//! Wire formats: one trait for each thing that a format can do, and the list of those that are built in.
//!
//! What a format cannot do it does not implement, so that the table of capabilities cannot lie.

#[cfg(feature = "binary-writer")]
pub mod binary_writer;
#[cfg(feature = "capnp")]
pub mod capnp;
#[cfg(feature = "protobuf-net")]
pub mod contract;
#[cfg(feature = "custom")]
pub mod custom;
#[cfg(feature = "datacontract")]
pub mod datacontract;
#[cfg(any(feature = "system-text-json", feature = "datacontract"))]
mod digits;
#[cfg(any(feature = "protobuf-net", feature = "google-protobuf"))]
pub mod dotnet_protobuf;
#[cfg(feature = "flatbuffers")]
pub mod flatbuffers;
#[cfg(feature = "google-protobuf")]
pub mod google_protobuf;
#[cfg(feature = "json")]
pub mod json;
#[cfg(feature = "messagepack")]
pub mod messagepack;
#[cfg(feature = "messagepack-csharp")]
pub mod messagepack_csharp;
#[cfg(any(feature = "json", feature = "messagepack"))]
mod metered;
#[cfg(feature = "nrbf")]
pub mod nrbf;
#[cfg(any(
    feature = "system-text-json",
    feature = "messagepack-csharp",
    feature = "datacontract",
    feature = "protobuf-net",
    feature = "google-protobuf"
))]
pub mod plain;
#[cfg(feature = "protobuf")]
pub mod protobuf;
#[cfg(feature = "protobuf-net")]
pub mod protobuf_net;
#[cfg(feature = "protobuf")]
mod protobuf_wire;
#[cfg(feature = "rkyv")]
pub mod rkyv;
#[cfg(any(feature = "custom", feature = "binary-writer"))]
mod sequential;
#[cfg(any(feature = "binary-writer", feature = "nrbf"))]
mod seven_bits;
#[cfg(any(
    feature = "system-text-json",
    feature = "messagepack-csharp",
    feature = "datacontract",
    feature = "protobuf-net",
    feature = "google-protobuf"
))]
mod sink;
#[cfg(feature = "system-text-json")]
pub mod system_text_json;

use std::fmt;

use crate::dataset::Dataset;
use crate::error::{Error, Problem, Result};
use crate::operation::Operation;
use crate::payload::Payload;
use crate::registry::Registry;

/// Declares every format of the enabled features. A new format is one line here.
pub(crate) fn register(registry: &mut Registry) {
    #[cfg(feature = "json")]
    json::register(registry);
    #[cfg(feature = "custom")]
    custom::register(registry);
    #[cfg(feature = "binary-writer")]
    binary_writer::register(registry);
    #[cfg(feature = "protobuf")]
    protobuf::register(registry);
    #[cfg(feature = "messagepack")]
    messagepack::register(registry);
    #[cfg(feature = "flatbuffers")]
    flatbuffers::register(registry);
    #[cfg(feature = "capnp")]
    capnp::register(registry);
    #[cfg(feature = "rkyv")]
    rkyv::register(registry);
    #[cfg(feature = "system-text-json")]
    system_text_json::register(registry);
    #[cfg(feature = "nrbf")]
    nrbf::register(registry);
    #[cfg(feature = "messagepack-csharp")]
    messagepack_csharp::register(registry);
    #[cfg(feature = "datacontract")]
    datacontract::register(registry);
    #[cfg(feature = "protobuf-net")]
    protobuf_net::register(registry);
    #[cfg(feature = "google-protobuf")]
    google_protobuf::register(registry);
    let _ = registry;
}

/// What a format is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Info {
    /// The name in tables and identifiers: lower case, words joined by hyphens.
    pub name: &'static str,
    /// The layout of the bytes, whatever library writes it.
    pub wire_format: &'static str,
    /// The library that writes and reads it here, or "wirewise" for our own.
    pub library: &'static str,
    /// The library's version, as locked for this build.
    pub version: &'static str,
    /// What a reader of the tables must know, in one line; may be empty.
    pub note: &'static str,
}

/// A wire format. The value is the state that a library keeps between two payloads, such as a builder or scratch space.
pub trait Format: Default + 'static {
    /// What it is.
    const INFO: Info;
}

/// Value to bytes.
pub trait Encode<T>: Format {
    /// Writes `value` as the whole content of `sink`: what stood there is replaced, and its memory is reused.
    ///
    /// # Errors
    ///
    /// The format has no way to write the value.
    fn encode(&mut self, value: &T, sink: &mut Vec<u8>) -> Result<()>;
}

/// Bytes to an owned value.
pub trait Decode<T>: Format {
    /// What a format implements; [`decode`](Self::decode) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`decode`](Self::decode).
    fn read(&mut self, payload: &Payload) -> Result<T>;

    /// Reads a value that fills the payload to its end, under the payload's limits.
    ///
    /// # Errors
    ///
    /// The payload is malformed, longer than its value, or asks for more than a limit allows. The error says what the bytes are, if they
    /// are recognised as something else.
    fn decode(&mut self, payload: &Payload) -> Result<T> {
        self.read(payload).map_err(|error| error.explained(Operation::Decode, Self::INFO.wire_format, payload))
    }
}

/// Bytes to an owned value, where others may follow: for a format whose values tell where they end.
pub trait DecodePrefix<T>: Decode<T> {
    /// What a format implements: the value, and the bytes that it took.
    ///
    /// # Errors
    ///
    /// As for [`decode_prefix`](Self::decode_prefix).
    fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)>;

    /// Reads the value at the payload's start, and tells how many bytes it took and how many are left.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`], but for bytes behind the value, of which nothing is asked.
    fn decode_prefix(&mut self, payload: &Payload) -> Result<Prefix<T>> {
        match self.read_prefix(payload) {
            Ok((value, used)) => Ok(Prefix { value, used, left: payload.len() - used }),
            Err(error) => Err(error.explained(Operation::Decode, Self::INFO.wire_format, payload)),
        }
    }
}

/// A value, and where it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Prefix<T> {
    /// The value.
    pub value: T,
    /// Bytes that it took.
    pub used: usize,
    /// Bytes behind it.
    pub left: usize,
}

/// Refuses bytes behind a value that took `used` of them.
///
/// # Errors
///
/// There are some.
#[inline]
pub fn trailing(format: &'static str, payload: &[u8], used: usize) -> Result<()> {
    match payload.len() - used {
        0 => Ok(()),
        left => Err(Error::at(format, used, Problem::Trailing { left: left as u64 })),
    }
}

/// Bytes into a value that is there already, whose memory is reused as far as it goes.
pub trait DecodeInto<T>: Decode<T> {
    /// What a format implements; [`decode_into`](Self::decode_into) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`decode_into`](Self::decode_into).
    fn read_into(&mut self, payload: &Payload, value: &mut T) -> Result<()>;

    /// Makes `value` what [`Decode::decode`] would return. After an error it holds some of both, and is not to be relied on.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`].
    #[inline]
    fn decode_into(&mut self, payload: &Payload, value: &mut T) -> Result<()> {
        self.read_into(payload, value).map_err(|error| error.explained(Operation::DecodeInto, Self::INFO.wire_format, payload))
    }
}

/// A format that has a message type of its own between the native value and the bytes.
pub trait Populate<T>: Format {
    /// The format's own message.
    type Message: 'static;

    /// Native value to message.
    ///
    /// # Errors
    ///
    /// The message has no way to hold the value.
    fn populate(&mut self, value: &T) -> Result<Self::Message>;

    /// Message to bytes: the cost of the wire alone. The content of `sink` is replaced.
    ///
    /// # Errors
    ///
    /// As for [`Encode::encode`].
    fn encode_message(&mut self, message: &Self::Message, sink: &mut Vec<u8>) -> Result<()>;
}

/// A format that decodes into its own message first.
pub trait Convert<T>: Populate<T> {
    /// What a format implements; [`decode_message`](Self::decode_message) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`].
    fn read_message(&mut self, payload: &Payload) -> Result<Self::Message>;

    /// Bytes to message.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`].
    #[inline]
    fn decode_message(&mut self, payload: &Payload) -> Result<Self::Message> {
        self.read_message(payload).map_err(|error| error.explained(Operation::DecodeMessage, Self::INFO.wire_format, payload))
    }

    /// Message to native value; takes the message, so strings may move.
    ///
    /// # Errors
    ///
    /// The message holds what the native type cannot.
    fn convert(&mut self, message: Self::Message) -> Result<T>;
}

/// Bytes to a decoded value whose strings point into the payload.
pub trait Borrow<T>: Format {
    /// The value that points into the payload.
    type Borrowed<'p>;

    /// What a format implements; [`borrow`](Self::borrow) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`].
    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<Self::Borrowed<'p>>;

    /// Reads a value that fills the payload to its end.
    ///
    /// # Errors
    ///
    /// As for [`Decode::decode`].
    #[inline]
    fn borrow<'p>(&mut self, payload: &'p Payload) -> Result<Self::Borrowed<'p>> {
        self.read_borrowed(payload).map_err(|error| error.explained(Operation::Borrow, Self::INFO.wire_format, payload))
    }
}

/// A payload read where it stands, without decoding.
pub trait Access<T>: Format {
    /// A view of the payload.
    type View<'p>;

    /// When the payload is proven safe to read.
    const VALIDATION: Validation;

    /// What a format implements; [`access`](Self::access) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`access`](Self::access).
    fn view<'p>(&mut self, payload: &'p Payload) -> Result<Self::View<'p>>;

    /// Gives a view of a payload that may come from anywhere.
    ///
    /// # Errors
    ///
    /// The payload is malformed, as far as it is looked at now; see [`VALIDATION`](Self::VALIDATION). The error says what the bytes are, if
    /// they are recognised as something else.
    #[inline]
    fn access<'p>(&mut self, payload: &'p Payload) -> Result<Self::View<'p>> {
        self.view(payload).map_err(|error| error.explained(Operation::Access, Self::INFO.wire_format, payload))
    }
}

/// The twin of [`Access`] for bytes that are known to be good.
pub trait AccessUnchecked<T>: Access<T> {
    /// Gives a view without looking at the payload.
    ///
    /// # Safety
    ///
    /// The payload is what this format's [`Encode`] wrote for a `T`, or [`Access::access`] has accepted these same bytes.
    unsafe fn access_unchecked<'p>(&mut self, payload: &'p Payload) -> Self::View<'p>;
}

/// When a format's access proves the payload safe to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Validation {
    /// The whole payload, before the view is given.
    Upfront,
    /// Each item, when it is read.
    OnDemand,
}

/// A payload looked through for what a reader of `T` passes over in silence. It is a reading of its own: decoding costs no more for it.
pub trait Inspect<T>: Format {
    /// What would be passed over, in the order of the payload, and the first thousand at most. What decoding would refuse is not looked for.
    fn inspect(payload: &Payload) -> Vec<Finding>;
}

/// Something that a reader passes over in silence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The byte at which it stands.
    pub offset: usize,
    /// The path of the field; of an unknown field, that of the message around it.
    pub path: String,
    /// What it is.
    pub what: Silent,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { offset, path, what } = self;
        write!(f, "at byte {offset}: {path}{}{what}", if path.is_empty() { "" } else { ": " })
    }
}

/// What a reader passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Silent {
    /// A field that the schema does not have is dropped.
    #[error("the unknown field {0} is dropped")]
    UnknownField(u64),
    /// A field stands once more, or behind one that writers put after it.
    #[error("this comes again: perhaps two payloads were joined, and read as one merged message")]
    Again,
    /// A number has more bits than its field: the rest is dropped.
    #[error("the number {0} is cut to its field's bits")]
    Cut(u64),
    /// A number takes more bytes than it has to.
    #[error("a number takes more bytes than it has to")]
    Overlong,
}

/// A payload changed where it stands.
pub trait Update<T: Dataset>: Format {
    /// What a format implements; [`update`](Self::update) is what is called.
    ///
    /// # Errors
    ///
    /// As for [`update`](Self::update).
    fn write_change(payload: &mut Payload, change: &T::Change) -> Result<()>;

    /// Makes the change in the payload's bytes. The payload's length stays.
    ///
    /// # Errors
    ///
    /// The payload is malformed. The error says what the bytes are, if they are recognised as something else.
    #[inline]
    fn update(payload: &mut Payload, change: &T::Change) -> Result<()> {
        Self::write_change(payload, change).map_err(|error| error.explained(Operation::Update, Self::INFO.wire_format, payload))
    }
}
