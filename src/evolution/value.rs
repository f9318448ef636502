//! What a schema describes, without any schema: fields by their logical names.
//!
//! Every format's own types are made of a [`Value`] and tell one back. The oracle compares values field by field, so a reading is never
//! judged by the equality of a decoded type, which would not see a field that the type does not have.

use std::collections::BTreeMap;
use std::fmt;

use super::sample::Sampler;

/// A value by its logical fields.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not there, as far as the format can tell.
    Absent,
    /// There, and explicitly nothing: a value only where a type tells it from [`Absent`](Self::Absent).
    Null,
    /// Any integer.
    Int(i128),
    /// A 32-bit float.
    Float(f32),
    /// A 64-bit float.
    Double(f64),
    /// A string.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A list.
    List(Vec<Value>),
    /// Fields by logical name, in the order of the schema that told them.
    Record(Vec<(&'static str, Value)>),
    /// One of several, by logical name, with what it carries.
    Variant(String, Option<Box<Value>>),
    /// The number of a variant that the reader's schema does not name: the format kept it.
    Raw(i64),
    /// A field that the format refused when it was asked for, while the rest could be read.
    Refused(String),
}

impl Value {
    /// The field of a record; [`Absent`](Self::Absent) where there is none.
    pub fn field(&self, name: &str) -> &Value {
        match self {
            Self::Record(fields) => fields.iter().find(|(field, _)| *field == name).map_or(&Self::Absent, |(_, value)| value),
            _ => &Self::Absent,
        }
    }

    /// Whether it is what formats put where there is nothing: zero, empty, absent.
    pub fn is_zero(&self) -> bool {
        match self {
            Self::Absent | Self::Null => true,
            Self::Int(number) => *number == 0,
            Self::Float(number) => number.to_bits() == 0,
            Self::Double(number) => number.to_bits() == 0,
            Self::Text(text) => text.is_empty(),
            Self::Bytes(bytes) => bytes.is_empty(),
            Self::List(list) => list.is_empty(),
            Self::Record(fields) => fields.iter().all(|(_, value)| value.is_zero()),
            Self::Variant(..) | Self::Raw(_) | Self::Refused(_) => false,
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |f: &mut fmt::Formatter<'_>, items: &[Value]| {
            items.iter().enumerate().try_for_each(|(index, item)| write!(f, "{}{item}", if index == 0 { "" } else { ", " }))
        };
        match self {
            Self::Absent => f.write_str("absent"),
            Self::Null => f.write_str("null"),
            Self::Int(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}f32"),
            Self::Double(number) => write!(f, "{number:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Bytes(bytes) => write!(f, "bytes {bytes:02x?}"),
            Self::List(items) => {
                f.write_str("[")?;
                list(f, items)?;
                f.write_str("]")
            }
            Self::Record(fields) => {
                f.write_str("{")?;
                for (index, (name, value)) in fields.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if index == 0 { "" } else { ", " })?;
                }
                f.write_str("}")
            }
            Self::Variant(name, None) => f.write_str(name),
            Self::Variant(name, Some(payload)) => write!(f, "{name}({payload})"),
            Self::Raw(number) => write!(f, "unnamed variant {number}"),
            Self::Refused(error) => write!(f, "error: {error}"),
        }
    }
}

/// A value that a format's type has no way to hold, and which is therefore never written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the writer's type cannot hold {0}")]
pub struct Unwritable(pub String);

/// A type of one schema, whoever generated it: made of a value, and telling one.
pub trait Field: Sized {
    /// The type's value for `value`.
    ///
    /// # Errors
    ///
    /// The type has no such value.
    fn of(value: &Value) -> Result<Self, Unwritable>;

    /// The value by logical fields.
    fn tell(&self) -> Value;

    /// Changes the first number that is found, as an application does that reads, edits and writes. Returns whether there was one.
    fn edit(&mut self) -> bool {
        false
    }

    /// What stands where nothing was written: zero and empty, or the declared default.
    fn zero() -> Self;
}

/// What [`Field::edit`] puts into the field that it changes.
pub const EDITED: u32 = 0x00ED_17ED;

fn no<T>(value: &Value) -> Result<T, Unwritable> {
    Err(Unwritable(value.to_string()))
}

macro_rules! integer {
    ($($type:ty),*) => {$(
        impl Field for $type {
            fn of(value: &Value) -> Result<Self, Unwritable> {
                match value {
                    Value::Int(number) => (*number).try_into().or_else(|_| no(value)),
                    _ => no(value),
                }
            }

            fn tell(&self) -> Value {
                Value::Int((*self).into())
            }

            fn edit(&mut self) -> bool {
                *self = EDITED as $type;
                true
            }

            fn zero() -> Self {
                0
            }
        }
    )*};
}

integer!(u32, i32, u64, i64);

macro_rules! plain {
    ($($type:ty: $variant:ident),*) => {$(
        impl Field for $type {
            fn of(value: &Value) -> Result<Self, Unwritable> {
                match value {
                    Value::$variant(inner) => Ok(inner.clone()),
                    _ => no(value),
                }
            }

            fn tell(&self) -> Value {
                Value::$variant(self.clone())
            }

            fn zero() -> Self {
                Self::default()
            }
        }
    )*};
}

// `u8` alone is no field, so a list of them can be told as bytes.
plain!(f32: Float, f64: Double, String: Text, Vec<u8>: Bytes);

impl<T: Field> Field for Vec<T> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        match value {
            Value::List(items) => items.iter().map(T::of).collect(),
            // A type without a way to say "no list" writes an empty one, as its users do.
            Value::Absent => Ok(Self::new()),
            _ => no(value),
        }
    }

    fn tell(&self) -> Value {
        Value::List(self.iter().map(T::tell).collect())
    }

    fn edit(&mut self) -> bool {
        let mut found = false;
        for item in self {
            found |= item.edit();
        }
        found
    }

    fn zero() -> Self {
        Self::new()
    }
}

/// `Some` of what is absent is there and nothing, which is a null.
impl<T: Field> Field for Option<T> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        match value {
            Value::Absent => Ok(None),
            Value::Null => T::of(&Value::Absent).map(Some),
            _ => T::of(value).map(Some),
        }
    }

    fn tell(&self) -> Value {
        match self {
            None => Value::Absent,
            Some(inner) => match inner.tell() {
                Value::Absent => Value::Null,
                value => value,
            },
        }
    }

    fn edit(&mut self) -> bool {
        self.as_mut().is_some_and(T::edit)
    }

    fn zero() -> Self {
        None
    }
}

impl<T: Field> Field for Box<T> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        T::of(value).map(Box::new)
    }

    fn tell(&self) -> Value {
        (**self).tell()
    }

    fn edit(&mut self) -> bool {
        (**self).edit()
    }

    fn zero() -> Self {
        Box::new(T::zero())
    }
}

/// A map is told as the list of its pairs, in the order of its keys.
impl Field for BTreeMap<String, u32> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        let Value::List(pairs) = value else { return no(value) };
        pairs.iter().map(|pair| Ok((String::of(pair.field("key"))?, u32::of(pair.field("value"))?))).collect()
    }

    fn tell(&self) -> Value {
        Value::List(self.iter().map(|(key, value)| Value::Record(vec![("key", key.tell()), ("value", value.tell())])).collect())
    }

    fn zero() -> Self {
        Self::new()
    }
}

/// A type that writers' values are drawn from.
pub trait Sample: Field {
    /// A value as `sampler` draws it.
    fn sample(sampler: &mut Sampler) -> Value;
}

macro_rules! sampled {
    ($($type:ty: $draw:ident),*) => {$(
        impl Sample for $type {
            fn sample(sampler: &mut Sampler) -> Value {
                sampler.$draw()
            }
        }
    )*};
}

sampled!(u32: u32, i32: i32, u64: u64, i64: i64, f32: float, f64: double, String: text, Vec<u8>: bytes, BTreeMap<String, u32>: map);

impl<T: Sample> Sample for Vec<T> {
    fn sample(sampler: &mut Sampler) -> Value {
        Value::List((0..sampler.length()).map(|_| T::sample(sampler)).collect())
    }
}

impl<T: Sample> Sample for Option<T> {
    fn sample(sampler: &mut Sampler) -> Value {
        if sampler.is_absent() {
            return Value::Absent;
        }
        match T::sample(sampler) {
            Value::Absent => Value::Null,
            value => value,
        }
    }
}
