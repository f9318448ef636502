//! Protocol Buffers through prost, with the structs that prost-build makes.

use prost::Message;

use super::{Adapter, Wire, held};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

/// The enum of a schema. prost has it as a plain number in messages: what has no name stays a number.
pub(crate) trait Enumeration {
    /// The number of a variant, by its logical name.
    fn number(name: &str) -> Option<i32>;
    /// The logical name of a number.
    fn name(number: i32) -> Option<String>;
}

/// Of a schema without enums.
pub(crate) struct NoEnumeration;

impl Enumeration for NoEnumeration {
    fn number(_: &str) -> Option<i32> {
        None
    }

    fn name(_: i32) -> Option<String> {
        None
    }
}

/// The field that holds the enum, in every schema that has one.
const ENUM_FIELD: &str = "kind";

fn numbered<E: Enumeration>(value: &Value) -> Value {
    match value {
        Value::Variant(name, None) => E::number(name).map_or_else(|| value.clone(), |number| Value::Int(number.into())),
        _ => each(value, &|_, inner| numbered::<E>(inner)),
    }
}

fn named<E: Enumeration>(value: &Value) -> Value {
    each(value, &|field, inner| match inner {
        Value::Int(number) if field == ENUM_FIELD => {
            let known = i32::try_from(*number).ok().and_then(E::name);
            known.map_or(Value::Raw(*number as i64), |name| Value::Variant(name, None))
        }
        _ => named::<E>(inner),
    })
}

/// The value with everything in it passed through `change`, with its field's name.
fn each(value: &Value, change: &dyn Fn(&str, &Value) -> Value) -> Value {
    match value {
        Value::Record(fields) => Value::Record(fields.iter().map(|(name, inner)| (*name, change(name, inner))).collect()),
        Value::List(items) => Value::List(items.iter().map(|inner| change("", inner)).collect()),
        Value::Variant(name, Some(payload)) => Value::Variant(name.clone(), Some(Box::new(change("", payload)))),
        other => other.clone(),
    }
}

struct Protobuf<T, E>(T, E);

impl<T: Field + Message + Default, E: Enumeration> Wire for Protobuf<T, E> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        Ok(T::of(&numbered::<E>(value))?.encode_to_vec())
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        T::decode(payload.as_slice()).map(|value| named::<E>(&value.tell())).map_err(|error| error.to_string())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = T::decode(payload.as_slice()).map_err(|error| error.to_string())?;
        value.edit();
        Ok(value.encode_to_vec())
    }
}

pub(crate) fn adapter<T: Field + Message + Default, H: Field + Message + Default, E: Enumeration>() -> Adapter {
    held::<Protobuf<T, E>, Protobuf<H, E>>()
}

/// The name of a generated variant: `RED` for red.
pub(crate) fn schema_name(logical: &str) -> String {
    logical.to_ascii_uppercase()
}

/// What all schemas of this format have beside the entry.
macro_rules! protobuf_holder {
    () => {
        holder_field!(: Holder { before, inner, items, choice, after } inner items choice);

        impl $crate::evolution::value::Field for holder::Choice {
            fn of(value: &$crate::evolution::value::Value) -> Result<Self, $crate::evolution::value::Unwritable> {
                match value {
                    $crate::evolution::value::Value::Variant(name, Some(payload)) if name == "held" => {
                        $crate::evolution::value::Field::of(payload).map(Self::Held)
                    }
                    _ => Err($crate::evolution::value::Unwritable(value.to_string())),
                }
            }

            fn tell(&self) -> $crate::evolution::value::Value {
                match self {
                    Self::Held(entry) => $crate::evolution::value::Value::Variant("held".into(), Some(Box::new(entry.tell()))),
                    Self::Nothing(_) => $crate::evolution::value::Value::Variant("nothing".into(), None),
                }
            }

            fn edit(&mut self) -> bool {
                match self {
                    Self::Held(entry) => entry.edit(),
                    Self::Nothing(_) => false,
                }
            }

            fn zero() -> Self {
                Self::Nothing(0)
            }
        }
    };
}

/// The fields of prost's structs, which have the names of ours.
macro_rules! protobuf_types {
    () => {};
    (record $name:ident { $($(#[$meta:meta])* $field:ident $(as $logical:ident)? : $type:ty $(= $default:expr)?),* } $($rest:tt)*) => {
        record_field!($name { $($field $(as $logical)?),* });
        protobuf_types!($($rest)*);
    };
    (choice $name:ident { $($variant:ident $(as $logical:ident)?),* } $($rest:tt)*) => {
        impl $crate::evolution::formats::protobuf::Enumeration for $name {
            fn number(name: &str) -> Option<i32> {
                let own = $(if $crate::evolution::change::lower_case(logical!($variant $($logical)?)) == name { stringify!($variant) } else)* { name };
                Self::from_str_name(&$crate::evolution::formats::protobuf::schema_name(own)).map(|variant| variant as i32)
            }

            fn name(number: i32) -> Option<String> {
                let own = Self::try_from(number).ok()?.as_str_name().to_ascii_lowercase();
                $(if own == $crate::evolution::change::lower_case(stringify!($variant)) {
                    return Some($crate::evolution::change::lower_case(logical!($variant $($logical)?)));
                })*
                None
            }
        }
        protobuf_types!($($rest)*);
    };
    (union $name:ident { $($variant:ident ($payload:ty)),* } $($rest:tt)*) => {
        choice_field!(entry::$name { $($variant ($payload)),* });
        protobuf_types!($($rest)*);
    };
}

pub(super) const LIBRARY: (&str, &str) = ("prost", crate::version!("PROST"));
