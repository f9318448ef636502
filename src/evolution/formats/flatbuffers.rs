//! FlatBuffers through its generated code: checked access, and flatc's plain structs for whole values.

use flatbuffers::{FlatBufferBuilder, Follow, Verifiable, WIPOffset};

use super::{Adapter, Wire, held};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

/// A table with the plain struct that flatc makes for it.
pub(crate) trait Table: Field {
    /// The generated view.
    type View<'p>: Follow<'p, Inner = Self::View<'p>> + Verifiable + 'p;

    /// Writes the table.
    fn pack<'b>(&self, builder: &mut FlatBufferBuilder<'b>) -> WIPOffset<Self::View<'b>>;

    /// The plain struct of a view.
    fn unpack(view: Self::View<'_>) -> Self;
}

struct FlatBuffers<T>(T);

impl<T: Table> Wire for FlatBuffers<T> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        Ok(encode(&T::of(value)?))
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        decode::<T>(payload).map(|value| value.tell())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = decode::<T>(payload)?;
        value.edit();
        Ok(encode(&value))
    }
}

fn encode<T: Table>(value: &T) -> Vec<u8> {
    let mut builder = FlatBufferBuilder::new();
    let root = value.pack(&mut builder);
    builder.finish_minimal(root);
    builder.finished_data().to_vec()
}

fn decode<T: Table>(payload: &Payload) -> Result<T, String> {
    flatbuffers::root::<T::View<'_>>(payload).map(T::unpack).map_err(|error| error.to_string())
}

pub(crate) fn adapter<T: Table, H: Table>() -> Adapter {
    held::<FlatBuffers<T>, FlatBuffers<H>>()
}

/// What all schemas of this format have beside the entry.
macro_rules! flatbuffers_holder {
    () => {
        holder_field!(: HolderT { before, inner, items, choice, after } inner items choice);
        flatbuffers_table!(EntryT Entry);
        flatbuffers_table!(HolderT Holder);

        impl $crate::evolution::value::Field for ChoiceT {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                match value {
                    $crate::evolution::value::Value::Absent => Ok(Self::NONE),
                    $crate::evolution::value::Value::Variant(name, Some(payload)) if name == "held" => {
                        $crate::evolution::value::Field::of(payload).map(Self::Entry)
                    }
                    _ => Err($crate::evolution::value::Unwritable(value.to_string())),
                }
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                match self {
                    Self::Entry(entry) => $crate::evolution::value::Value::Variant("held".into(), Some(Box::new(entry.tell()))),
                    _ => $crate::evolution::value::Value::Absent,
                }
            }

            fn edit(&mut self) -> bool {
                match self {
                    Self::Entry(entry) => entry.edit(),
                    _ => false,
                }
            }

            fn zero() -> Self {
                Self::NONE
            }
        }
    };
}

macro_rules! flatbuffers_table {
    ($object:ident $view:ident) => {
        impl $crate::evolution::formats::flatbuffers::Table for $object {
            type View<'p> = $view<'p>;

            fn pack<'b>(&self, builder: &mut ::flatbuffers::FlatBufferBuilder<'b>) -> ::flatbuffers::WIPOffset<$view<'b>> {
                $object::pack(self, builder)
            }

            fn unpack(view: $view<'_>) -> Self {
                view.unpack()
            }
        }
    };
}

/// The names that flatc gives its plain structs.
macro_rules! flatbuffers_object {
    (Entry) => {
        EntryT
    };
    (Row) => {
        RowT
    };
}

/// The fields of flatc's plain structs, which have the names of ours.
macro_rules! flatbuffers_types {
    () => {};
    (record $name:ident { $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),* } $($rest:tt)*) => {
        record_field!(flatbuffers_object!($name) { $($field $(as $logical)?),* });
        flatbuffers_types!($($rest)*);
    };
    (choice $name:ident { $($variant:ident $(as $logical:ident)?),* } $($rest:tt)*) => {
        impl $crate::evolution::value::Field for $name {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                $(if *value == $crate::evolution::value::Value::Variant($crate::evolution::change::lower_case(logical!($variant $($logical)?)), None) {
                    return Ok(Self::$variant);
                })*
                Err($crate::evolution::value::Unwritable(value.to_string()))
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                match *self {
                    $(Self::$variant => $crate::evolution::value::Value::Variant(
                        $crate::evolution::change::lower_case(logical!($variant $($logical)?)),
                        None,
                    ),)*
                    Self(number) => $crate::evolution::value::Value::Raw(number.into()),
                }
            }

            fn zero() -> Self {
                Self(0)
            }
        }
        flatbuffers_types!($($rest)*);
    };
    (union Contact { $($variant:ident ($payload:ty)),* } $($rest:tt)*) => {
        impl $crate::evolution::value::Field for ContactT {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                let $crate::evolution::value::Value::Variant(name, Some(payload)) = value else {
                    return Err($crate::evolution::value::Unwritable(value.to_string()));
                };
                let text = $crate::evolution::value::Field::of(payload)?;
                $(if *name == $crate::evolution::change::lower_case(stringify!($variant)) {
                    let mut member: Box<flatbuffers_member!($variant)> = Box::default();
                    member.text = text;
                    return Ok(Self::$variant(member));
                })*
                Err($crate::evolution::value::Unwritable(value.to_string()))
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                match self {
                    $(Self::$variant(member) => $crate::evolution::value::Value::Variant(
                        $crate::evolution::change::lower_case(stringify!($variant)),
                        Some(Box::new(member.text.tell())),
                    ),)*
                    _ => $crate::evolution::value::Value::Absent,
                }
            }

            fn zero() -> Self {
                Self::NONE
            }
        }
        flatbuffers_types!($($rest)*);
    };
}

macro_rules! flatbuffers_member {
    (Mail) => {
        MailT
    };
    (Phone) => {
        PhoneT
    };
    (Fax) => {
        FaxT
    };
}

pub(super) const LIBRARY: (&str, &str) = ("flatbuffers", crate::version!("FLATBUFFERS"));
