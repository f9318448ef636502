//! What a schema change is, and the macro that declares one: its types of both schemas, and which formats have it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::formats::{Adapter, Setting};
use super::sample::Sampler;
use super::value::{Field, Value};

/// The schema before the change, or after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// Before.
    Old,
    /// After.
    New,
}

impl Side {
    /// Both, in time's order.
    pub const ALL: [Self; 2] = [Self::Old, Self::New];

    /// The other one.
    pub fn other(self) -> Self {
        match self {
            Self::Old => Self::New,
            Self::New => Self::Old,
        }
    }

    /// The name of its schema files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Old => "old",
            Self::New => "new",
        }
    }
}

/// Who writes and who reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The old reader, and new data.
    Forward,
    /// The new reader, and old data.
    Backward,
    /// The new schema writes; an old program reads, edits one field and writes; the new schema reads.
    Hop,
}

impl Direction {
    /// All three.
    pub const ALL: [Self; 3] = [Self::Forward, Self::Backward, Self::Hop];

    /// The end of a cell's id.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Forward => "fwd",
            Self::Backward => "back",
            Self::Hop => "hop",
        }
    }

    /// Whose data is read.
    pub fn writer(self) -> Side {
        match self {
            Self::Forward | Self::Hop => Side::New,
            Self::Backward => Side::Old,
        }
    }

    /// Who reads what is judged.
    pub fn reader(self) -> Side {
        match self {
            Self::Forward => Side::Old,
            Self::Backward | Self::Hop => Side::New,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Forward => "forward",
            Self::Backward => "backward",
            Self::Hop => "hop",
        })
    }
}

/// Where the changed struct stands in what is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Position {
    /// It is the whole.
    Root,
    /// A field of another struct, between two fields.
    Nested,
    /// An element of a list, with others.
    Element,
    /// What a variant of an enum or a member of a union carries.
    Payload,
}

impl Position {
    /// All four.
    pub const ALL: [Self; 4] = [Self::Root, Self::Nested, Self::Element, Self::Payload];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Nested => "nested",
            Self::Element => "element",
            Self::Payload => "payload",
        }
    }
}

/// A change in a schema. Each is declared in `changes/`, once, by the macro `change!`.
pub struct Change {
    /// Its number in the table, which is part of the ids.
    pub number: u8,
    /// Its name on the command line and in `schemas/evolution`.
    pub name: &'static str,
    /// It in words.
    pub title: &'static str,
    /// Which value every field has to come out with, where it is not simply the one of the same name.
    pub intent: &'static str,
    /// The Rust types of both schemas, as they are declared.
    pub types: [&'static str; 2],
    /// A writer's value in the reader's logical fields.
    pub translate: fn(Value, Side) -> Value,
    /// Absent, null and empty are three values here.
    pub tells_absence: bool,
    /// A default is what changes here.
    pub moves_default: bool,
    pub(super) sample: [fn(&mut Sampler) -> Value; 2],
    pub(super) defaults: [fn() -> Value; 2],
    pub(super) holds: [fn(&Value) -> bool; 2],
    pub(super) adapters: fn(Setting) -> Result<[Adapter; 2], &'static str>,
}

impl Change {
    /// How a setting writes and reads both schemas, or why it has no such change.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn adapters(&self, setting: Setting) -> Result<[Adapter; 2], &'static str> {
        (self.adapters)(setting)
    }

    /// A short and a long value of a side's schema, always the same: what golden files hold.
    pub fn examples(&self, side: Side) -> [Value; 2] {
        [0, 1].map(|index| (self.sample[side as usize])(&mut Sampler::new(u64::from(self.number), index)))
    }

    /// One of the change's schema files, by extension; nothing where the format has none for it.
    pub fn schema(&self, side: Side, extension: &str, with_ids: bool) -> Option<&'static str> {
        let find = |file: String| SCHEMAS.iter().find(|(path, _)| *path == file).map(|(_, text)| *text);
        let with = if with_ids { find(format!("{}/{}_ids.{extension}", self.name, side.name())) } else { None };
        with.or_else(|| find(format!("{}/{}.{extension}", self.name, side.name())))
    }
}

// The texts of schemas/evolution, listed by the build script.
include!(concat!(env!("OUT_DIR"), "/evolution_schemas.rs"));

/// Whether a value is one of a type's own, and not only one that it can be made of.
pub(super) fn holds<T: Field>(value: &Value) -> bool {
    T::of(value).is_ok_and(|own| own.tell() == *value)
}

/// Leaves a writer's value as it is: its fields are the reader's, by name.
pub(super) fn same(value: Value, _: Side) -> Value {
    value
}

macro_rules! logical {
    ($own:ident) => {
        stringify!($own)
    };
    ($own:ident $logical:ident) => {
        stringify!($logical)
    };
}

macro_rules! zero {
    () => {
        $crate::evolution::value::Field::zero()
    };
    ($default:expr) => {
        From::<u32>::from($default)
    };
}

macro_rules! drawn {
    ($sampler:ident $type:ty) => {
        <$type as $crate::evolution::value::Sample>::sample($sampler)
    };
    ($sampler:ident $type:ty, $default:expr) => {
        $sampler.or_default(
            $crate::evolution::value::Field::tell(&<$type as From<u32>>::from($default)),
            <$type as $crate::evolution::value::Sample>::sample,
        )
    };
}

/// [`Field`](super::value::Field) for a struct by its fields.
macro_rules! record_field {
    ($name:ty {
        $first:ident $(as $first_logical:ident)? $(= $first_default:expr)? $(, $field:ident $(as $logical:ident)? $(= $default:expr)?)*
    } $($rest:ident)?) => {
        impl $crate::evolution::value::Field for $name {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                let $crate::evolution::value::Value::Record(_) = value else {
                    return Err($crate::evolution::value::Unwritable(value.to_string()));
                };
                Ok(Self {
                    $first: $crate::evolution::value::Field::of(value.field(logical!($first $($first_logical)?)))?,
                    $($field: $crate::evolution::value::Field::of(value.field(logical!($field $($logical)?)))?,)*
                    $($rest: Default::default(),)?
                })
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                $crate::evolution::value::Value::Record(vec![
                    (logical!($first $($first_logical)?), self.$first.tell()),
                    $((logical!($field $($logical)?), self.$field.tell()),)*
                ])
            }

            fn edit(&mut self) -> bool {
                self.$first.edit()
            }

            fn zero() -> Self {
                Self { $first: zero!($($first_default)?), $($field: zero!($($default)?),)* $($rest: Default::default(),)? }
            }
        }
    };
}

/// The Rust types of a schema, in one of their flavours: `plain`, `defaulted` by serde, or with an open end for what is unknown.
macro_rules! types {
    ($flavour:ident) => {};
    ($flavour:ident record $name:ident {
        $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),*
    } $($rest:tt)*) => {
        record_type!($flavour $name { $($(#[$meta])* $field $(as $logical)? : $type $(= $default)?),* });
        types!($flavour $($rest)*);
    };
    ($flavour:ident $kind:ident $name:ident { $($variant:ident $(as $logical:ident)? $(($payload:ty))?),* } $($rest:tt)*) => {
        choice_type!($flavour $name { $($variant $(as $logical)? $(($payload))?),* });
        types!($flavour $($rest)*);
    };
}

macro_rules! record_type {
    (plain $name:ident { $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
        }

        record_field!($name { $($field $(as $logical)? $(= $default)?),* });

        impl $crate::evolution::value::Sample for $name {
            fn sample(sampler: &mut $crate::evolution::sample::Sampler) -> $crate::evolution::value::Value {
                $crate::evolution::value::Value::Record(vec![
                    $((logical!($field $($logical)?), drawn!(sampler $type $(, $default)?)),)*
                ])
            }
        }

        #[cfg(any(feature = "custom", feature = "binary-writer"))]
        impl $crate::evolution::formats::sequential::Layout for $name {
            fn put(&self, writer: &mut $crate::evolution::formats::sequential::Writer) {
                $(self.$field.put(writer);)*
            }

            fn take(
                reader: &mut $crate::evolution::formats::sequential::Reader<'_>,
            ) -> Result<Self, $crate::evolution::formats::sequential::Refusal> {
                Ok(Self { $($field: $crate::evolution::formats::sequential::Layout::take(reader)?,)* })
            }
        }
    };
    (defaulted $name:ident { $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(default)]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
        }

        record_field!($name { $($field $(as $logical)? $(= $default)?),* });

        impl Default for $name {
            fn default() -> Self {
                $crate::evolution::value::Field::zero()
            }
        }
    };
    (open $name:ident { $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub struct $name {
            $($(#[$meta])* pub $field: $type,)*
            #[serde(flatten)]
            unknown: std::collections::BTreeMap<String, serde_json::Value>,
        }

        record_field!($name { $($field $(as $logical)? $(= $default)?),* } unknown);
    };
}

macro_rules! choice_type {
    (plain $name:ident { $($variant:ident $(as $logical:ident)? $(($payload:ty))?),* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "rkyv", derive(rkyv::Archive, rkyv::Serialize, rkyv::Deserialize))]
        pub enum $name {
            $($variant $(($payload))?,)*
        }

        choice_field!($name { $($variant $(as $logical)? $(($payload))?),* });

        impl $crate::evolution::value::Sample for $name {
            fn sample(sampler: &mut $crate::evolution::sample::Sampler) -> $crate::evolution::value::Value {
                let draws: &[fn(&mut $crate::evolution::sample::Sampler) -> $crate::evolution::value::Value] =
                    &[$(|_sampler| $crate::evolution::value::Value::Variant(
                        $crate::evolution::change::lower_case(logical!($variant $($logical)?)),
                        payload!($(Some(Box::new(drawn!(_sampler $payload))))?),
                    ),)*];
                draws[sampler.choice(draws.len())](sampler)
            }
        }

        #[cfg(any(feature = "custom", feature = "binary-writer"))]
        impl $crate::evolution::formats::sequential::Layout for $name {
            fn put(&self, writer: &mut $crate::evolution::formats::sequential::Writer) {
                let names = [$(stringify!($variant)),*];
                match self {
                    $(choice_pattern!($variant _payload $(($payload))?) => {
                        writer.variant(&names, stringify!($variant));
                        $(<$payload as $crate::evolution::formats::sequential::Layout>::put(_payload, writer);)?
                    })*
                }
            }

            fn take(
                reader: &mut $crate::evolution::formats::sequential::Reader<'_>,
            ) -> Result<Self, $crate::evolution::formats::sequential::Refusal> {
                let name = reader.variant(&[$(stringify!($variant)),*])?;
                $(if name == stringify!($variant) {
                    return Ok(Self::$variant $((<$payload as $crate::evolution::formats::sequential::Layout>::take(reader)?))?);
                })*
                unreachable!("the reader returns one of the names that it was given")
            }
        }
    };
    ($flavour:ident $name:ident { $($variant:ident $(as $logical:ident)? $(($payload:ty))?),* }) => {
        #[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
        pub enum $name {
            $($variant $(($payload))?,)*
        }

        choice_field!($name { $($variant $(as $logical)? $(($payload))?),* });
    };
}

macro_rules! payload {
    () => {
        None
    };
    ($payload:expr) => {
        $payload
    };
}

macro_rules! choice_pattern {
    ($variant:ident $binding:ident) => {
        Self::$variant
    };
    ($variant:ident $binding:ident ($payload:ty)) => {
        Self::$variant($binding)
    };
}

macro_rules! choice_field {
    ($name:ty {
        $first:ident $(as $first_logical:ident)? $(($first_payload:ty))? $(, $variant:ident $(as $logical:ident)? $(($payload:ty))?)*
    }) => {
        impl $crate::evolution::value::Field for $name {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                let $crate::evolution::value::Value::Variant(name, payload) = value else {
                    return Err($crate::evolution::value::Unwritable(value.to_string()));
                };
                let _payload = payload.as_deref().unwrap_or(&$crate::evolution::value::Value::Absent);
                if **name == $crate::evolution::change::lower_case(logical!($first $($first_logical)?)) {
                    return Ok(Self::$first $((<$first_payload as $crate::evolution::value::Field>::of(_payload)?))?);
                }
                $(if **name == $crate::evolution::change::lower_case(logical!($variant $($logical)?)) {
                    return Ok(Self::$variant $((<$payload as $crate::evolution::value::Field>::of(_payload)?))?);
                })*
                Err($crate::evolution::value::Unwritable(value.to_string()))
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                match self {
                    choice_pattern!($first _payload $(($first_payload))?) => $crate::evolution::value::Value::Variant(
                        $crate::evolution::change::lower_case(logical!($first $($first_logical)?)),
                        payload!($(Some(Box::new(<$first_payload as $crate::evolution::value::Field>::tell(_payload))))?),
                    ),
                    $(choice_pattern!($variant _payload $(($payload))?) => $crate::evolution::value::Value::Variant(
                        $crate::evolution::change::lower_case(logical!($variant $($logical)?)),
                        payload!($(Some(Box::new(<$payload as $crate::evolution::value::Field>::tell(_payload))))?),
                    ),)*
                }
            }

            fn zero() -> Self {
                Self::$first $((<$first_payload as $crate::evolution::value::Field>::zero()))?
            }
        }
    };
}

/// Declares a change as a module: its types in every flavour, the generated types of its schemas, and the [`Change`] itself.
///
/// ```text
/// change! {
///     append_optional_field "append-optional-field" 1 "append an optional field"
///     intent "…"
///     old { record Entry { id: u32, name: String } }
///     new { record Entry { id: u32, name: String, email: Option<String> } }
///     in [json custom …]
/// }
/// ```
///
/// A record's field may have a logical name behind `as`, and a default behind `=`; an enum is declared by `choice`, a union by `union`.
/// The first field of an `Entry` is a number: the one that a hop edits. `schemas/evolution/<name>` has the schemas of the same fields.
macro_rules! change {
    (
        $module:ident $name:literal $number:literal $title:literal
        intent $intent:literal
        old $old:tt
        new $new:tt
        in [$($format:ident)*]
        $(not [$($reason:literal: $($absent:ident)*;)*])?
        $(with $option:ident = $value:expr;)*
    ) => {
        pub(crate) mod $module {
            #![allow(missing_docs, unreachable_pub, dead_code)]

            side_types!(old $old);
            side_types!(new $new);
            $(generated!($format $name $old $new);)*

            pub(crate) static CHANGE: $crate::evolution::change::Change = {
                #[allow(unused_mut)]
                let mut change = $crate::evolution::change::Change {
                    number: $number,
                    name: $name,
                    title: $title,
                    intent: $intent,
                    types: [stringify!($old), stringify!($new)],
                    translate: $crate::evolution::change::same,
                    tells_absence: false,
                    moves_default: false,
                    sample: [
                        <old::plain::Entry as $crate::evolution::value::Sample>::sample,
                        <new::plain::Entry as $crate::evolution::value::Sample>::sample,
                    ],
                    defaults: [
                        || $crate::evolution::value::Field::tell(&<old::plain::Entry as $crate::evolution::value::Field>::zero()),
                        || $crate::evolution::value::Field::tell(&<new::plain::Entry as $crate::evolution::value::Field>::zero()),
                    ],
                    holds: [
                        $crate::evolution::change::holds::<old::plain::Entry>,
                        $crate::evolution::change::holds::<new::plain::Entry>,
                    ],
                    adapters,
                };
                $(change.$option = $value;)*
                change
            };

            fn adapters(
                setting: $crate::evolution::formats::Setting,
            ) -> Result<[$crate::evolution::formats::Adapter; 2], &'static str> {
                $(adapter!($format setting);)*
                $($($(absent!($absent $reason setting);)*)*)?
                let _ = setting;
                Err("the format's feature is not enabled")
            }
        }
    };
}

macro_rules! side_types {
    ($side:ident { $($types:tt)* }) => {
        pub mod $side {
            pub mod plain {
                types!(plain $($types)*);
            }
            #[cfg(any(feature = "json", feature = "messagepack"))]
            pub mod defaulted {
                types!(defaulted $($types)*);
            }
            #[cfg(feature = "json")]
            pub mod open {
                types!(open $($types)*);
            }
        }
    };
}

macro_rules! absent {
    ($format:ident $reason:literal $setting:ident) => {
        if $setting.format() == stringify!($format) {
            return Err($reason);
        }
    };
}

/// A variant's logical name, of whatever name a schema language's habits give it: `Red`, `red` and `RED` are one.
pub(super) fn lower_case(name: &str) -> String {
    name.to_ascii_lowercase()
}
