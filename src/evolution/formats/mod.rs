//! The formats of the matrix, each with its settings: a column is a setting.
//!
//! A format is one file here, which turns its own types into an [`Adapter`], one line for each of its settings in [`Setting`], and one arm
//! of `generated!` and `adapter!`. What a format's library or generator makes is used as it is.

/// [`Field`] for a holder by its fields; what is edited is the entries in it.
macro_rules! holder_field {
    ($($generic:ident)? : $name:ty { $($field:ident),* } $($place:ident)*) => {
        impl $(<$generic: $crate::evolution::value::Field>)? $crate::evolution::value::Field for $name {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                Ok(Self { $($field: $crate::evolution::value::Field::of(value.field(stringify!($field)))?,)* })
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                $crate::evolution::value::Value::Record(vec![$((stringify!($field), self.$field.tell()),)*])
            }

            fn edit(&mut self) -> bool {
                [$(self.$place.edit()),*].contains(&true)
            }

            fn zero() -> Self {
                Self { $($field: $crate::evolution::value::Field::zero(),)* }
            }
        }
    };
}

#[cfg(feature = "capnp")]
pub(crate) mod capnp;
#[cfg(feature = "flatbuffers")]
#[macro_use]
pub(crate) mod flatbuffers;
#[cfg(feature = "json")]
pub(crate) mod json;
#[cfg(feature = "messagepack")]
pub(crate) mod messagepack;
#[cfg(feature = "protobuf")]
#[macro_use]
pub(crate) mod protobuf;
#[cfg(feature = "rkyv")]
pub(crate) mod rkyv;
#[cfg(any(feature = "custom", feature = "binary-writer"))]
pub(crate) mod sequential;

use serde::{Deserialize, Serialize};

use super::change::{Position, Side};
use super::oracle::Fills;
use super::value::{Field, Unwritable, Value};
use crate::payload::Payload;

/// What a reader got.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The value, in logical fields.
    pub value: Value,
    /// The schema that the reader took, where the payload tells its version and the reader knows several: else its own.
    pub by: Option<Side>,
}

/// How a setting of a format writes and reads one schema of one change.
#[derive(Clone, Copy)]
pub struct Adapter {
    /// Writes a value at a position.
    pub write: fn(Position, &Value) -> Result<Vec<u8>, Unwritable>,
    /// Reads; the error is the library's own text.
    pub read: fn(Position, &Payload) -> Result<Reading, String>,
    /// Reads, changes the first number of every entry, and writes, as a program does that knows this schema alone.
    pub edit: fn(Position, &Payload) -> Result<Vec<u8>, String>,
}

/// A schema's type, by itself and one level down.
pub(crate) trait Wire {
    /// Bytes of a value.
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable>;
    /// A value of bytes.
    fn read(payload: &Payload) -> Result<Value, String>;
    /// Bytes of bytes, with the first number changed.
    fn edit(payload: &Payload) -> Result<Vec<u8>, String>;
}

/// A format whose values stand for themselves wherever they are: one holder serves for all positions.
pub(crate) fn held<Root: Wire, Holder: Wire>() -> Adapter {
    Adapter {
        write: |position, value| match position {
            Position::Root => Root::write(value),
            _ => Holder::write(value),
        },
        read: |position, payload| {
            let value = match position {
                Position::Root => Root::read(payload)?,
                _ => project(position, Holder::read(payload)?),
            };
            Ok(Reading { value, by: None })
        },
        edit: |position, payload| match position {
            Position::Root => Root::edit(payload),
            _ => Holder::edit(payload),
        },
    }
}

/// A format in which the place of one field depends on the size of others: a holder for each position.
#[cfg(any(feature = "custom", feature = "binary-writer", feature = "rkyv"))]
pub(crate) fn apart<Root: Wire, Nested: Wire, Listed: Wire, Chosen: Wire>() -> Adapter {
    Adapter {
        write: |position, value| match position {
            Position::Root => Root::write(value),
            Position::Nested => Nested::write(value),
            Position::Element => Listed::write(value),
            Position::Payload => Chosen::write(value),
        },
        read: |position, payload| {
            let value = match position {
                Position::Root => Root::read(payload),
                Position::Nested => Nested::read(payload),
                Position::Element => Listed::read(payload),
                Position::Payload => Chosen::read(payload),
            };
            Ok(Reading { value: value?, by: None })
        },
        edit: |position, payload| match position {
            Position::Root => Root::edit(payload),
            Position::Nested => Nested::edit(payload),
            Position::Element => Listed::edit(payload),
            Position::Payload => Chosen::edit(payload),
        },
    }
}

/// The field of a holder that a position uses.
pub(crate) fn place(position: Position) -> &'static str {
    match position {
        Position::Root => "",
        Position::Nested => "inner",
        Position::Element => "items",
        Position::Payload => "choice",
    }
}

fn project(position: Position, holder: Value) -> Value {
    match holder {
        Value::Record(fields) => {
            let used = |(name, _): &(&str, Value)| ["before", place(position), "after"].contains(name);
            Value::Record(fields.into_iter().filter(used).collect())
        }
        other => other,
    }
}

/// The entry at every position at once, for formats in which they do not get in each other's way.
#[cfg(any(feature = "json", feature = "messagepack"))]
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Holder<T> {
    before: u32,
    inner: Option<T>,
    items: Vec<T>,
    choice: Choice<T>,
    after: String,
}

/// Something, or an entry.
#[derive(Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "rkyv", derive(::rkyv::Archive, ::rkyv::Serialize, ::rkyv::Deserialize))]
pub(crate) enum Choice<T> {
    /// No entry.
    Nothing,
    /// An entry.
    Held(T),
}

impl<T: Field> Field for Choice<T> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        match value {
            Value::Absent => Ok(Self::Nothing),
            Value::Variant(name, Some(payload)) if name == "held" => T::of(payload).map(Self::Held),
            _ => Err(Unwritable(value.to_string())),
        }
    }

    fn tell(&self) -> Value {
        match self {
            Self::Nothing => Value::Absent,
            Self::Held(entry) => Value::Variant("held".into(), Some(Box::new(entry.tell()))),
        }
    }

    fn edit(&mut self) -> bool {
        match self {
            Self::Nothing => false,
            Self::Held(entry) => entry.edit(),
        }
    }

    fn zero() -> Self {
        Self::Nothing
    }
}

#[cfg(any(feature = "json", feature = "messagepack"))]
holder_field!(T: Holder<T> { before, inner, items, choice, after } inner items choice);

macro_rules! settings {
    ($($variant:ident $letter:literal $name:literal $format:literal $fills:ident $note:literal;)*) => {
        /// A format in one of its settings: a column of the matrix.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        pub enum Setting {
            $(#[doc = $note] $variant,)*
        }

        impl Setting {
            /// All of them, in the order of the tables.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// What stands for it in ids: the format's letter, and small letters for the setting.
            pub fn letter(self) -> &'static str {
                match self { $(Self::$variant => $letter,)* }
            }

            /// Its name on the command line and in tables.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// The file in `formats/` that has it.
            pub fn format(self) -> &'static str {
                match self { $(Self::$variant => $format,)* }
            }

            /// What its readers put where nothing was written.
            pub fn fills(self) -> Fills {
                match self { $(Self::$variant => Fills::$fills,)* }
            }

            /// What the setting is, in a line.
            pub fn note(self) -> &'static str {
                match self { $(Self::$variant => $note,)* }
            }
        }
    };
}

settings! {
    Json "J" "json" "json" Absence "serde as derived";
    JsonDefault "Jd" "json-default" "json" Zero "every struct with #[serde(default)]";
    JsonFlatten "Jf" "json-flatten" "json" Absence "unknown fields kept by #[serde(flatten)]";
    Custom "H" "custom" "custom" Nothing "the article's layout, strict at the end of the input";
    CustomLenient "Hl" "custom-lenient" "custom" Zero "the article's layout: a field behind the end is zero, what is left over is ignored";
    BinaryWriter "Hb" "binary-writer" "binary_writer" Nothing "BinaryWriter's layout, strict at the end of the input";
    BinaryWriterLenient "Hbl" "binary-writer-lenient" "binary_writer" Zero "BinaryWriter's layout: a field behind the end is zero, what is left over is ignored";
    Protobuf "P" "protobuf" "protobuf" Zero "prost";
    MessagePackArray "A" "messagepack-array" "messagepack" Absence "structs as arrays, serde as derived";
    MessagePackArrayDefault "Ad" "messagepack-array-default" "messagepack" Zero "structs as arrays, every struct with #[serde(default)]";
    MessagePackMap "M" "messagepack-map" "messagepack" Absence "structs as maps, serde as derived";
    MessagePackMapDefault "Md" "messagepack-map-default" "messagepack" Zero "structs as maps, every struct with #[serde(default)]";
    FlatBuffers "F" "flatbuffers" "flatbuffers" Zero "fields numbered by their order";
    FlatBuffersIds "Fi" "flatbuffers-ids" "flatbuffers" Zero "fields numbered by `id`, and deprecated instead of deleted";
    Capnp "C" "capnp" "capnp" Zero "by its numbers";
    Rkyv "R" "rkyv" "rkyv" Nothing "the bare archive";
    RkyvBoxed "Rb" "rkyv-boxed" "rkyv" Nothing "every entry behind AsBox";
    RkyvVersions "Rv" "rkyv-versions" "rkyv" Nothing "an enum of versions, inline";
    RkyvVersionsBoxed "Rvb" "rkyv-versions-boxed" "rkyv" Nothing "an enum of versions, each behind AsBox";
    RkyvEnvelope "Re" "rkyv-envelope" "rkyv" Nothing "the bare archive in this crate's envelope";
}

impl Setting {
    /// The library and its version; ours is the crate's own.
    pub fn library(self) -> (&'static str, &'static str) {
        match self.format() {
            #[cfg(feature = "json")]
            "json" => json::LIBRARY,
            #[cfg(feature = "messagepack")]
            "messagepack" => messagepack::LIBRARY,
            #[cfg(feature = "protobuf")]
            "protobuf" => protobuf::LIBRARY,
            #[cfg(feature = "flatbuffers")]
            "flatbuffers" => flatbuffers::LIBRARY,
            #[cfg(feature = "capnp")]
            "capnp" => capnp::LIBRARY,
            #[cfg(feature = "rkyv")]
            "rkyv" => rkyv::LIBRARY,
            _ => ("wirewise", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// The types that a format's own compiler makes of a change's schemas, and what reads and writes them.
macro_rules! generated {
    (protobuf $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        generated!(@protobuf $name { $($old)* } { $($new)* } $crate::evolution::formats::protobuf::NoEnumeration);
    };
    (protobuf_enum $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        generated!(@protobuf $name { $($old)* } { $($new)* } Color);
    };
    (@protobuf $name:literal { $($old:tt)* } { $($new:tt)* } $enumeration:ty) => {
        #[cfg(feature = "protobuf")]
        #[allow(clippy::all)]
        pub mod protobuf {
            pub mod old {
                include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/old.rs"));
                protobuf_types!($($old)*);
                protobuf_holder!();
                pub type Enumeration = $enumeration;
            }
            pub mod new {
                include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/new.rs"));
                protobuf_types!($($new)*);
                protobuf_holder!();
                pub type Enumeration = $enumeration;
            }
        }
    };
    (flatbuffers $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        #[cfg(feature = "flatbuffers")]
        #[allow(clippy::all, clippy::undocumented_unsafe_blocks, unused)]
        pub mod flatbuffers {
            pub mod old {
                include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/old_generated.rs"));
                flatbuffers_types!($($old)*);
                flatbuffers_holder!();
            }
            pub mod new {
                include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/new_generated.rs"));
                flatbuffers_types!($($new)*);
                flatbuffers_holder!();
            }
        }
    };
    (flatbuffers_ids $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        #[cfg(feature = "flatbuffers")]
        #[allow(clippy::all, clippy::undocumented_unsafe_blocks, unused)]
        pub mod flatbuffers_ids {
            include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/new_ids_generated.rs"));
            flatbuffers_types!($($new)*);
            flatbuffers_holder!();
        }
    };
    (capnp $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        #[cfg(feature = "capnp")]
        #[allow(clippy::all, clippy::undocumented_unsafe_blocks, unused)]
        pub mod old_capnp {
            include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/old_capnp.rs"));
        }
        #[cfg(feature = "capnp")]
        #[allow(clippy::all, clippy::undocumented_unsafe_blocks, unused)]
        pub mod new_capnp {
            include!(concat!(env!("OUT_DIR"), "/evolution/", $name, "/new_capnp.rs"));
        }
    };
    (rkyv $name:literal { $($old:tt)* } { $($new:tt)* }) => {
        #[cfg(feature = "rkyv")]
        impl $crate::evolution::formats::rkyv::Described for old::plain::Entry {
            const TEXT: &'static str = stringify!($($old)*);
        }
        #[cfg(feature = "rkyv")]
        impl $crate::evolution::formats::rkyv::Described for new::plain::Entry {
            const TEXT: &'static str = stringify!($($new)*);
        }
    };
    // The serde formats and our own layouts have the plain types.
    ($format:ident $name:literal { $($old:tt)* } { $($new:tt)* }) => {};
}

/// Returns a setting's adapters, if it is one of the format's.
macro_rules! adapter {
    (json $setting:ident) => {
        #[cfg(feature = "json")]
        {
            use $crate::evolution::formats::{Setting, json};
            match $setting {
                Setting::Json => return Ok([json::adapter::<old::plain::Entry>(), json::adapter::<new::plain::Entry>()]),
                Setting::JsonDefault => return Ok([json::adapter::<old::defaulted::Entry>(), json::adapter::<new::defaulted::Entry>()]),
                Setting::JsonFlatten => return Ok([json::adapter::<old::open::Entry>(), json::adapter::<new::open::Entry>()]),
                _ => {}
            }
        }
    };
    (messagepack $setting:ident) => {
        #[cfg(feature = "messagepack")]
        {
            use $crate::evolution::formats::{Setting, messagepack::adapter};
            match $setting {
                Setting::MessagePackArray => return Ok([adapter::<old::plain::Entry, false>(), adapter::<new::plain::Entry, false>()]),
                Setting::MessagePackArrayDefault => {
                    return Ok([adapter::<old::defaulted::Entry, false>(), adapter::<new::defaulted::Entry, false>()]);
                }
                Setting::MessagePackMap => return Ok([adapter::<old::plain::Entry, true>(), adapter::<new::plain::Entry, true>()]),
                Setting::MessagePackMapDefault => {
                    return Ok([adapter::<old::defaulted::Entry, true>(), adapter::<new::defaulted::Entry, true>()]);
                }
                _ => {}
            }
        }
    };
    (custom $setting:ident) => {
        #[cfg(feature = "custom")]
        {
            use $crate::evolution::formats::{Setting, sequential::adapter};
            match $setting {
                Setting::Custom => return Ok([adapter::<old::plain::Entry, false, false>(), adapter::<new::plain::Entry, false, false>()]),
                Setting::CustomLenient => return Ok([adapter::<old::plain::Entry, false, true>(), adapter::<new::plain::Entry, false, true>()]),
                _ => {}
            }
        }
        #[cfg(feature = "binary-writer")]
        {
            use $crate::evolution::formats::{Setting, sequential::adapter};
            match $setting {
                Setting::BinaryWriter => return Ok([adapter::<old::plain::Entry, true, false>(), adapter::<new::plain::Entry, true, false>()]),
                Setting::BinaryWriterLenient => {
                    return Ok([adapter::<old::plain::Entry, true, true>(), adapter::<new::plain::Entry, true, true>()]);
                }
                _ => {}
            }
        }
    };
    (protobuf $setting:ident) => {
        #[cfg(feature = "protobuf")]
        if $setting == $crate::evolution::formats::Setting::Protobuf {
            use $crate::evolution::formats::protobuf::adapter;
            return Ok([
                adapter::<protobuf::old::Entry, protobuf::old::Holder, protobuf::old::Enumeration>(),
                adapter::<protobuf::new::Entry, protobuf::new::Holder, protobuf::new::Enumeration>(),
            ]);
        }
    };
    (protobuf_enum $setting:ident) => {
        adapter!(protobuf $setting);
    };
    // Written out or not, numbers that are the order's are the same numbers: only where they are not, a schema of its own has them.
    (flatbuffers $setting:ident) => {
        #[cfg(feature = "flatbuffers")]
        if $setting.format() == "flatbuffers" {
            use $crate::evolution::formats::flatbuffers::adapter;
            return Ok([
                adapter::<flatbuffers::old::EntryT, flatbuffers::old::HolderT>(),
                adapter::<flatbuffers::new::EntryT, flatbuffers::new::HolderT>(),
            ]);
        }
    };
    (flatbuffers_ids $setting:ident) => {
        #[cfg(feature = "flatbuffers")]
        if $setting == $crate::evolution::formats::Setting::FlatBuffersIds {
            use $crate::evolution::formats::flatbuffers::adapter;
            return Ok([
                adapter::<flatbuffers::old::EntryT, flatbuffers::old::HolderT>(),
                adapter::<flatbuffers_ids::EntryT, flatbuffers_ids::HolderT>(),
            ]);
        }
    };
    (capnp $setting:ident) => {
        #[cfg(feature = "capnp")]
        if $setting == $crate::evolution::formats::Setting::Capnp {
            use $crate::evolution::formats::capnp::adapter;
            return Ok([
                adapter::<old_capnp::entry::Owned, old_capnp::holder::Owned>(),
                adapter::<new_capnp::entry::Owned, new_capnp::holder::Owned>(),
            ]);
        }
    };
    (rkyv $setting:ident) => {
        #[cfg(feature = "rkyv")]
        {
            use $crate::evolution::change::Side;
            use $crate::evolution::formats::{Setting, rkyv};
            type Old = old::plain::Entry;
            type New = new::plain::Entry;
            match $setting {
                Setting::Rkyv => return Ok([rkyv::bare::<Old>(), rkyv::bare::<New>()]),
                Setting::RkyvBoxed => return Ok([rkyv::bare::<rkyv::Boxed<Old>>(), rkyv::bare::<rkyv::Boxed<New>>()]),
                Setting::RkyvVersions => {
                    return Ok([rkyv::versioned::<rkyv::OldVersions<Old>>(), rkyv::versioned::<rkyv::NewVersions<Old, New>>()]);
                }
                Setting::RkyvVersionsBoxed => {
                    return Ok([
                        rkyv::versioned::<rkyv::OldVersions<rkyv::Boxed<Old>>>(),
                        rkyv::versioned::<rkyv::NewVersions<rkyv::Boxed<Old>, rkyv::Boxed<New>>>(),
                    ]);
                }
                Setting::RkyvEnvelope => return Ok([rkyv::enveloped::<Old, New>(Side::Old), rkyv::enveloped::<Old, New>(Side::New)]),
                _ => {}
            }
        }
    };
}
