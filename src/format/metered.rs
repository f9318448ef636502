//! serde's readers, held to a payload's limits.
//!
//! A derived reader takes from a library whatever it gives. This stands between the two: it counts items and the memory that they and
//! strings take, and how deep they stand, and refuses what goes beyond. What a reader asks for is passed on as it is, so that strings are
//! still borrowed and numbers still cost nothing. Strings must be strings: a run of bytes, or a string that is no UTF-8, is not taken for one.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

use crate::error::Problem;
use crate::limits::{self, Meter};
use crate::payload::Payload;

/// Whether a payload's limits are so low that depth and strings are counted one by one. Mostly they are not: a library that is held to the
/// depth already needs no second count, and all strings together are no longer than the payload.
pub(super) fn exact(payload: &Payload, library_depth: usize) -> bool {
    let limits = payload.limits();
    limits.depth < library_depth || limits.text < payload.len() || limits.allocation / 2 < payload.len()
}

/// What a reading has taken, and the limit that it went beyond.
///
/// `EXACT` is what [`exact`] says.
pub(super) struct Held<const EXACT: bool> {
    meter: Meter,
    depth: usize,
    /// More items than this are not made room for on a payload's word.
    foreseen: usize,
    refused: Option<Problem>,
}

impl<const EXACT: bool> Held<EXACT> {
    pub(super) fn new(payload: &Payload) -> Self {
        let mut meter = Meter::new(payload.limits());
        if !EXACT {
            // All strings at once: this is within the limit, and a call less for each.
            meter.take(0, payload.len());
        }
        Self { meter, depth: 0, foreseen: payload.len(), refused: None }
    }

    /// Why it was refused, if that was here and not in the library.
    pub(super) fn refused(self) -> Option<Problem> {
        self.refused
    }

    #[cold]
    fn refuse<E: de::Error>(&mut self, problem: Problem) -> E {
        let error = E::custom(&problem);
        self.refused = Some(problem);
        error
    }

    #[inline]
    fn enter<E: de::Error>(&mut self) -> Result<(), E> {
        if !EXACT {
            return Ok(());
        }
        self.depth += 1;
        let most = self.meter.limits().depth;
        if self.depth <= most { Ok(()) } else { Err(self.refuse(limits::exceeded("depth", most, self.depth))) }
    }

    #[inline]
    fn item<T, E: de::Error>(&mut self) -> Result<(), E> {
        self.take(1, size_of::<T>())
    }

    #[inline]
    fn text<E: de::Error>(&mut self, len: usize) -> Result<(), E> {
        if !EXACT {
            return Ok(());
        }
        let most = self.meter.limits().text;
        if len <= most { self.take(0, len) } else { Err(self.refuse(limits::exceeded("string length", most, len))) }
    }

    #[inline]
    fn take<E: de::Error>(&mut self, items: usize, bytes: usize) -> Result<(), E> {
        if self.meter.take(items, bytes) {
            return Ok(());
        }
        let problem = self.meter.exceeded();
        Err(self.refuse(problem))
    }
}

/// What a library calls a reading that its own error describes: the words "expected" and "found" apart, where it says both.
#[cold]
pub(super) fn problem_of(reason: &str) -> Problem {
    let reason = reason.split(" at line ").next().unwrap_or(reason);
    let both = ["invalid type: ", "invalid value: ", "invalid length "].iter().find_map(|kind| reason.strip_prefix(kind));
    match both.and_then(|rest| rest.split_once(", expected ")) {
        Some((found, expected)) => Problem::Unexpected { expected: expected.to_owned(), found: found.to_owned() },
        None => Problem::Malformed(reason.to_owned()),
    }
}

/// Where a reading was refused; nothing for the value as a whole.
#[cold]
pub(super) fn path_of<T, E>(reading: Result<T, serde_path_to_error::Error<E>>) -> String {
    match reading {
        Err(error) if error.path().iter().len() > 0 => error.path().to_string(),
        _ => String::new(),
    }
}

/// A reader, or what a reader gives, that is held to limits.
pub(super) struct Metered<'m, X, const EXACT: bool> {
    inner: X,
    held: &'m mut Held<EXACT>,
}

impl<'m, X, const EXACT: bool> Metered<'m, X, EXACT> {
    pub(super) fn new(inner: X, held: &'m mut Held<EXACT>) -> Self {
        Self { inner, held }
    }
}

/// A visitor. What it visits is counted item by item if `COUNTED`; the fields of a struct are counted with it. If `TEXT`, only a string is
/// expected. Both are known where a type is compiled, so that a struct's fields cost no question.
struct Visiting<'m, V, const EXACT: bool, const COUNTED: bool, const TEXT: bool> {
    inner: V,
    held: &'m mut Held<EXACT>,
}

/// The parts of a list or a map, or a struct's fields.
struct Parts<'m, A, const EXACT: bool, const COUNTED: bool> {
    inner: A,
    held: &'m mut Held<EXACT>,
    /// An item was asked for that is not counted yet.
    begun: bool,
}

impl<'m, A, const EXACT: bool, const COUNTED: bool> Parts<'m, A, EXACT, COUNTED> {
    #[inline]
    fn new(inner: A, held: &'m mut Held<EXACT>) -> Self {
        Self { inner, held, begun: false }
    }

    /// Counts the item before the one that is asked for now: there was one, or nobody would ask on. Looking at what comes back instead
    /// would move a record of a hundred bytes once more.
    #[inline]
    fn count<T, E: de::Error>(&mut self) -> Result<(), E> {
        if COUNTED && self.begun {
            self.held.item::<T, E>()?;
        }
        self.begun = COUNTED;
        Ok(())
    }
}

macro_rules! as_they_are {
    ($($method:ident)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
                self.inner.$method(visitor)
            }
        )*
    };
}

macro_rules! visiting {
    ($($method:ident($($name:ident: $type:ty),*) counted $counted:literal text $text:literal;)*) => {
        $(
            #[inline]
            fn $method<V: Visitor<'de>>(self, $($name: $type,)* visitor: V) -> Result<V::Value, D::Error> {
                self.inner.$method($($name,)* Visiting::<_, EXACT, $counted, $text> { inner: visitor, held: self.held })
            }
        )*
    };
}

impl<'de, D: Deserializer<'de>, const EXACT: bool> Deserializer<'de> for Metered<'_, D, EXACT> {
    type Error = D::Error;

    as_they_are! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8 deserialize_u16
        deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_char deserialize_unit
    }

    visiting! {
        deserialize_any() counted true text false;
        deserialize_ignored_any() counted true text false;
        deserialize_str() counted false text true;
        deserialize_string() counted false text true;
        deserialize_identifier() counted false text true;
        deserialize_bytes() counted false text false;
        deserialize_byte_buf() counted false text false;
        deserialize_option() counted false text false;
        deserialize_seq() counted true text false;
        deserialize_map() counted true text false;
        deserialize_unit_struct(name: &'static str) counted false text false;
        deserialize_newtype_struct(name: &'static str) counted false text false;
        deserialize_tuple(len: usize) counted false text false;
        deserialize_tuple_struct(name: &'static str, len: usize) counted false text false;
        deserialize_struct(name: &'static str, fields: &'static [&'static str]) counted false text false;
        deserialize_enum(name: &'static str, variants: &'static [&'static str]) counted false text false;
    }

    /// A text's digits stand for the double that is nearest; an integer of a binary layout stands for itself.
    #[inline]
    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        if self.inner.is_human_readable() {
            return self.inner.deserialize_f64(visitor);
        }
        self.inner.deserialize_f64(Exact { inner: visitor, held: self.held })
    }

    #[inline]
    fn is_human_readable(&self) -> bool {
        self.inner.is_human_readable()
    }
}

macro_rules! visited_as_they_are {
    ($($method:ident($type:ty);)*) => {
        $(
            #[inline]
            fn $method<E: de::Error>(self, value: $type) -> Result<V::Value, E> {
                self.inner.$method(value)
            }
        )*
    };
}

/// A visitor of a double that takes no integer which a double cannot hold.
struct Exact<'m, V, const EXACT: bool> {
    inner: V,
    held: &'m mut Held<EXACT>,
}

impl<'de, V: Visitor<'de>, const EXACT: bool> Visitor<'de> for Exact<'_, V, EXACT> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visited_as_they_are! {
        visit_i8(i8);
        visit_i16(i16);
        visit_i32(i32);
        visit_u8(u8);
        visit_u16(u16);
        visit_u32(u32);
        visit_f32(f32);
        visit_f64(f64);
    }

    #[inline]
    fn visit_i64<E: de::Error>(self, value: i64) -> Result<V::Value, E> {
        if value as f64 as i128 == i128::from(value) { self.inner.visit_i64(value) } else { Err(self.held.refuse(inexact(value))) }
    }

    #[inline]
    fn visit_u64<E: de::Error>(self, value: u64) -> Result<V::Value, E> {
        if value as f64 as i128 == i128::from(value) { self.inner.visit_u64(value) } else { Err(self.held.refuse(inexact(value))) }
    }
}

#[cold]
fn inexact(value: impl fmt::Display) -> Problem {
    Problem::Unexpected { expected: "a number that a double holds".to_owned(), found: format!("the integer {value}") }
}

macro_rules! runs_of_bytes {
    ($($method:ident($type:ty);)*) => {
        $(
            #[inline]
            fn $method<E: de::Error>(self, value: $type) -> Result<V::Value, E> {
                if TEXT {
                    let problem = match std::str::from_utf8(&value) {
                        Ok(_) => Problem::Unexpected { expected: "a string".to_owned(), found: "a run of bytes".to_owned() },
                        Err(_) => Problem::InvalidUtf8,
                    };
                    return Err(self.held.refuse(problem));
                }
                self.held.text(value.len())?;
                self.inner.$method(value)
            }
        )*
    };
}

impl<'de, V: Visitor<'de>, const EXACT: bool, const COUNTED: bool, const TEXT: bool> Visitor<'de>
    for Visiting<'_, V, EXACT, COUNTED, TEXT>
{
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    visited_as_they_are! {
        visit_bool(bool);
        visit_i8(i8);
        visit_i16(i16);
        visit_i32(i32);
        visit_i64(i64);
        visit_i128(i128);
        visit_u8(u8);
        visit_u16(u16);
        visit_u32(u32);
        visit_u64(u64);
        visit_u128(u128);
        visit_f32(f32);
        visit_f64(f64);
        visit_char(char);
    }

    #[inline]
    fn visit_str<E: de::Error>(self, value: &str) -> Result<V::Value, E> {
        self.held.text(value.len())?;
        self.inner.visit_str(value)
    }

    #[inline]
    fn visit_borrowed_str<E: de::Error>(self, value: &'de str) -> Result<V::Value, E> {
        self.held.text(value.len())?;
        self.inner.visit_borrowed_str(value)
    }

    #[inline]
    fn visit_string<E: de::Error>(self, value: String) -> Result<V::Value, E> {
        self.held.text(value.len())?;
        self.inner.visit_string(value)
    }

    runs_of_bytes! {
        visit_bytes(&[u8]);
        visit_borrowed_bytes(&'de [u8]);
        visit_byte_buf(Vec<u8>);
    }

    #[inline]
    fn visit_none<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    #[inline]
    fn visit_unit<E: de::Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    #[inline]
    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(Metered { inner, held: self.held })
    }

    #[inline]
    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.inner.visit_newtype_struct(Metered { inner, held: self.held })
    }

    #[inline]
    fn visit_seq<A: SeqAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.held.enter()?;
        // Here and below a result is handed on as it is: to take it apart would move a record of a hundred bytes for each layer.
        let result = self.inner.visit_seq(Parts::<_, EXACT, COUNTED>::new(inner, &mut *self.held));
        if EXACT {
            self.held.depth -= 1;
        }
        result
    }

    #[inline]
    fn visit_map<A: MapAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.held.enter()?;
        let result = self.inner.visit_map(Parts::<_, EXACT, COUNTED>::new(inner, &mut *self.held));
        if EXACT {
            self.held.depth -= 1;
        }
        result
    }

    #[inline]
    fn visit_enum<A: EnumAccess<'de>>(self, inner: A) -> Result<V::Value, A::Error> {
        self.held.enter()?;
        let result = self.inner.visit_enum(Parts::<_, EXACT, false>::new(inner, &mut *self.held));
        if EXACT {
            self.held.depth -= 1;
        }
        result
    }
}

impl<'de, S: DeserializeSeed<'de>, const EXACT: bool> DeserializeSeed<'de> for Metered<'_, S, EXACT> {
    type Value = S::Value;

    #[inline]
    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(Metered { inner, held: self.held })
    }
}

impl<'de, A: SeqAccess<'de>, const EXACT: bool, const COUNTED: bool> SeqAccess<'de> for Parts<'_, A, EXACT, COUNTED> {
    type Error = A::Error;

    #[inline]
    fn next_element_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<Option<S::Value>, A::Error> {
        self.count::<S::Value, A::Error>()?;
        self.inner.next_element_seed(Metered { inner: seed, held: &mut *self.held })
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|hint| hint.min(self.held.foreseen))
    }
}

impl<'de, A: MapAccess<'de>, const EXACT: bool, const COUNTED: bool> MapAccess<'de> for Parts<'_, A, EXACT, COUNTED> {
    type Error = A::Error;

    #[inline]
    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        self.count::<K::Value, A::Error>()?;
        self.inner.next_key_seed(Metered { inner: seed, held: &mut *self.held })
    }

    #[inline]
    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        if COUNTED {
            self.held.take::<A::Error>(0, size_of::<S::Value>())?;
        }
        self.inner.next_value_seed(Metered { inner: seed, held: &mut *self.held })
    }

    #[inline]
    fn size_hint(&self) -> Option<usize> {
        self.inner.size_hint().map(|hint| hint.min(self.held.foreseen))
    }
}

impl<'de, 'm, A: EnumAccess<'de>, const EXACT: bool> EnumAccess<'de> for Parts<'m, A, EXACT, false> {
    type Error = A::Error;
    type Variant = Parts<'m, A::Variant, EXACT, false>;

    #[inline]
    fn variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<(S::Value, Self::Variant), A::Error> {
        let (value, inner) = self.inner.variant_seed(Metered { inner: seed, held: &mut *self.held })?;
        Ok((value, Parts::new(inner, self.held)))
    }
}

impl<'de, A: VariantAccess<'de>, const EXACT: bool> VariantAccess<'de> for Parts<'_, A, EXACT, false> {
    type Error = A::Error;

    #[inline]
    fn unit_variant(self) -> Result<(), A::Error> {
        self.inner.unit_variant()
    }

    #[inline]
    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.inner.newtype_variant_seed(Metered { inner: seed, held: self.held })
    }

    #[inline]
    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.inner.tuple_variant(len, Visiting::<_, EXACT, false, false> { inner: visitor, held: self.held })
    }

    #[inline]
    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, A::Error> {
        self.inner.struct_variant(fields, Visiting::<_, EXACT, false, false> { inner: visitor, held: self.held })
    }
}
