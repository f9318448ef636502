//! Our own layouts: field behind field, little-endian, lengths before strings and lists.
//!
//! A string's length is four bytes in the article's layout and seven bits a byte in BinaryWriter's. A list has a count of four bytes, an
//! optional field a byte that says whether it is there, an enum the number of its variant in four bytes. Strict, the input ends where the
//! value does; lenient, a field behind the end is zero and what is left over is ignored, which is the usual patch to let such layouts grow.

use std::collections::BTreeMap;

use super::{Adapter, Choice, Wire, apart};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

/// Why a payload was refused.
pub(crate) type Refusal = String;

/// Appends fields.
pub(crate) struct Writer {
    bytes: Vec<u8>,
    short_lengths: bool,
}

impl Writer {
    fn length(&mut self, length: usize) {
        if !self.short_lengths {
            return self.bytes.extend((length as u32).to_le_bytes());
        }
        let mut left = length;
        while left >= 0x80 {
            self.bytes.push(left as u8 | 0x80);
            left >>= 7;
        }
        self.bytes.push(left as u8);
    }

    fn text(&mut self, bytes: &[u8]) {
        self.length(bytes.len());
        self.bytes.extend(bytes);
    }

    /// The number of a variant is its place among all.
    pub(crate) fn variant(&mut self, names: &[&str], name: &str) {
        let number = names.iter().position(|other| *other == name).unwrap_or_default();
        self.bytes.extend((number as u32).to_le_bytes());
    }
}

/// Takes fields from the front.
pub(crate) struct Reader<'p> {
    rest: &'p [u8],
    short_lengths: bool,
    lenient: bool,
}

impl<'p> Reader<'p> {
    fn bytes(&mut self, count: usize) -> Result<&'p [u8], Refusal> {
        let (taken, rest) =
            self.rest.split_at_checked(count).ok_or_else(|| format!("{count} more bytes are needed, {} are left", self.rest.len()))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Refusal> {
        if self.is_past_the_end() {
            return Ok([0; N]);
        }
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N)?);
        Ok(array)
    }

    fn is_past_the_end(&self) -> bool {
        self.lenient && self.rest.is_empty()
    }

    fn length(&mut self) -> Result<usize, Refusal> {
        if !self.short_lengths {
            let length = i32::from_le_bytes(self.array()?);
            return usize::try_from(length).map_err(|_| format!("a string of negative length, {length}"));
        }
        let mut length = 0;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            length |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Ok(length);
            }
        }
        Err("a string's length of more than five bytes".into())
    }

    fn text(&mut self) -> Result<&'p [u8], Refusal> {
        let length = self.length()?;
        self.bytes(length)
    }

    fn count(&mut self) -> Result<usize, Refusal> {
        let count = u32::from_le_bytes(self.array()?) as usize;
        // Every element takes a byte at least, so that a count is not believed before there is room for it.
        if count > self.rest.len() { Err(format!("{count} elements in {} bytes", self.rest.len())) } else { Ok(count) }
    }

    /// The name at the number that is next.
    pub(crate) fn variant<'n>(&mut self, names: &[&'n str]) -> Result<&'n str, Refusal> {
        let number = u32::from_le_bytes(self.array()?);
        names.get(number as usize).copied().ok_or_else(|| format!("no variant {number}"))
    }
}

/// A type in these layouts.
pub(crate) trait Layout: Sized {
    /// Appends the value.
    fn put(&self, writer: &mut Writer);
    /// Takes a value.
    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal>;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Layout for $type {
            fn put(&self, writer: &mut Writer) {
                writer.bytes.extend(self.to_le_bytes());
            }

            fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
                reader.array().map(<$type>::from_le_bytes)
            }
        }
    )*};
}

numbers!(u32, i32, u64, i64, f32, f64);

impl Layout for String {
    fn put(&self, writer: &mut Writer) {
        writer.text(self.as_bytes());
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        let bytes = reader.text()?;
        str::from_utf8(bytes).map(str::to_owned).map_err(|error| error.to_string())
    }
}

impl Layout for Vec<u8> {
    fn put(&self, writer: &mut Writer) {
        writer.text(self);
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        reader.text().map(<[u8]>::to_vec)
    }
}

// `u8` alone has no layout, so this does not overlap with bytes.
impl<T: Layout> Layout for Vec<T> {
    fn put(&self, writer: &mut Writer) {
        (self.len() as u32).put(writer);
        self.iter().for_each(|item| item.put(writer));
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        let count = reader.count()?;
        (0..count).map(|_| T::take(reader)).collect()
    }
}

impl<T: Layout> Layout for Option<T> {
    fn put(&self, writer: &mut Writer) {
        writer.bytes.push(self.is_some().into());
        if let Some(value) = self {
            value.put(writer);
        }
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        match reader.array()? {
            [0] => Ok(None),
            [1] => T::take(reader).map(Some),
            [other] => Err(format!("{other} is neither there nor not there")),
        }
    }
}

impl Layout for BTreeMap<String, u32> {
    fn put(&self, writer: &mut Writer) {
        (self.len() as u32).put(writer);
        for (key, value) in self {
            key.put(writer);
            value.put(writer);
        }
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        let count = reader.count()?;
        (0..count).map(|_| Ok((String::take(reader)?, u32::take(reader)?))).collect()
    }
}

impl<T: Layout> Layout for Choice<T> {
    fn put(&self, writer: &mut Writer) {
        match self {
            Self::Nothing => 0_u32.put(writer),
            Self::Held(entry) => {
                1_u32.put(writer);
                entry.put(writer);
            }
        }
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        match u32::take(reader)? {
            0 => Ok(Self::Nothing),
            1 => T::take(reader).map(Self::Held),
            other => Err(format!("no variant {other}")),
        }
    }
}

/// An entry between two fields.
pub(crate) struct Around<T> {
    before: u32,
    inner: T,
    after: String,
}

impl<T: Layout> Layout for Around<T> {
    fn put(&self, writer: &mut Writer) {
        self.before.put(writer);
        self.inner.put(writer);
        self.after.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        Ok(Self { before: u32::take(reader)?, inner: T::take(reader)?, after: String::take(reader)? })
    }
}

/// The same three fields, where the one in the middle has the name of its position.
pub(crate) struct Place<T, const AT: usize>(Around<T>);

const PLACES: [&str; 3] = ["inner", "items", "choice"];

impl<T: Layout, const AT: usize> Layout for Place<T, AT> {
    fn put(&self, writer: &mut Writer) {
        self.0.put(writer);
    }

    fn take(reader: &mut Reader<'_>) -> Result<Self, Refusal> {
        Around::take(reader).map(Self)
    }
}

impl<T: Field, const AT: usize> Field for Place<T, AT> {
    fn of(value: &Value) -> Result<Self, Unwritable> {
        let before = u32::of(value.field("before"))?;
        Ok(Self(Around { before, inner: T::of(value.field(PLACES[AT]))?, after: String::of(value.field("after"))? }))
    }

    fn tell(&self) -> Value {
        Value::Record(vec![("before", self.0.before.tell()), (PLACES[AT], self.0.inner.tell()), ("after", self.0.after.tell())])
    }

    fn edit(&mut self) -> bool {
        self.0.inner.edit()
    }

    fn zero() -> Self {
        Self(Around { before: 0, inner: T::zero(), after: String::new() })
    }
}

struct Sequential<T, const SHORT: bool, const LENIENT: bool>(T);

impl<T: Field + Layout, const SHORT: bool, const LENIENT: bool> Wire for Sequential<T, SHORT, LENIENT> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        Ok(encode::<T, SHORT>(&T::of(value)?))
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        decode::<T, SHORT, LENIENT>(payload).map(|value| value.tell())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = decode::<T, SHORT, LENIENT>(payload)?;
        value.edit();
        Ok(encode::<T, SHORT>(&value))
    }
}

fn encode<T: Layout, const SHORT: bool>(value: &T) -> Vec<u8> {
    let mut writer = Writer { bytes: Vec::new(), short_lengths: SHORT };
    value.put(&mut writer);
    writer.bytes
}

fn decode<T: Layout, const SHORT: bool, const LENIENT: bool>(payload: &Payload) -> Result<T, Refusal> {
    let mut reader = Reader { rest: payload, short_lengths: SHORT, lenient: LENIENT };
    let value = T::take(&mut reader)?;
    match reader.rest.len() {
        left if left > 0 && !LENIENT => Err(format!("{left} bytes are left over after the value")),
        _ => Ok(value),
    }
}

pub(crate) fn adapter<T: Field + Layout, const SHORT: bool, const LENIENT: bool>() -> Adapter {
    apart::<
        Sequential<T, SHORT, LENIENT>,
        Sequential<Place<T, 0>, SHORT, LENIENT>,
        Sequential<Place<Vec<T>, 1>, SHORT, LENIENT>,
        Sequential<Place<Choice<T>, 2>, SHORT, LENIENT>,
    >()
}
