//! What .NET's readers make of a plain class, whatever the layout.
//!
//! They make an object whose properties have their types' zeros, and set a property whenever the payload has a value for it. So a
//! property that is missing is zero or null, of several values for one property the last stays, and what no property has the name
//! of is skipped. Readers that serde's derive makes refuse the first two.

use std::borrow::Cow;

use crate::dataset::{Member, MemberRef, Organization, OrganizationRef, Person, Text};
use crate::error::Result;

/// A payload of values that tell what they are, read from its start to its end.
pub trait Source<'p>: Sized {
    /// Moves behind a null, if one is next.
    ///
    /// # Errors
    ///
    /// Here and below: the payload is malformed, or what is next is something else.
    fn null(&mut self) -> Result<bool>;

    /// Reads an integer of 32 bits.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    fn int32(&mut self) -> Result<i32>;

    /// Reads an integer of 64 bits.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    fn int64(&mut self) -> Result<i64>;

    /// Reads a double.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    fn double(&mut self) -> Result<f64>;

    /// Reads a string.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    fn text(&mut self) -> Result<Cow<'p, str>>;

    /// Reads a list, whose items `item` reads.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null), or the list would take far more memory than the payload has bytes.
    fn list<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>>;

    /// Reads an object: `property` is called with the position among `names` of each property that the payload has a value for, and
    /// reads the value.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    fn object(&mut self, names: &[&str], property: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()>;

    /// Reads a string that may be null.
    ///
    /// # Errors
    ///
    /// As for [`null`](Self::null).
    #[inline]
    fn nullable_text(&mut self) -> Result<Option<Cow<'p, str>>> {
        if self.null()? { Ok(None) } else { self.text().map(Some) }
    }

    /// Reads a list that may be null.
    ///
    /// # Errors
    ///
    /// As for [`list`](Self::list).
    fn nullable_list<T>(&mut self, item: impl FnMut(&mut Self) -> Result<T>) -> Result<Option<Vec<T>>> {
        if self.null()? { Ok(None) } else { self.list(item).map(Some) }
    }
}

/// A class of plain properties, read from any [`Source`].
pub trait Plain<'p>: Default {
    /// Reads one object.
    ///
    /// # Errors
    ///
    /// The payload is malformed, or holds something else.
    fn read<S: Source<'p>>(source: &mut S) -> Result<Self>;
}

/// Implements it for both pairs of the dataset's types; they differ only in who owns the strings.
macro_rules! plain_classes {
    ($lifetime:lifetime, $organization:ty, $member:ty, $text:path) => {
        impl<$lifetime> Plain<$lifetime> for $organization {
            fn read<S: Source<$lifetime>>(source: &mut S) -> Result<Self> {
                let mut value = Self::default();
                source.object(&["Id", "Tags", "Members"], |source, property| {
                    match property {
                        0 => value.id = source.int32()?,
                        1 => value.tags = source.nullable_list(|source| source.text().map($text))?,
                        _ => value.members = source.nullable_list(<$member>::read)?,
                    }
                    Ok(())
                })?;
                Ok(value)
            }
        }

        impl<$lifetime> Plain<$lifetime> for $member {
            #[inline]
            fn read<S: Source<$lifetime>>(source: &mut S) -> Result<Self> {
                let mut value = Self::default();
                source.object(&["Id", "Name", "Description", "Address", "Value", "UpdateTime"], |source, property| {
                    match property {
                        0 => value.id = source.int32()?,
                        1 => value.name = source.nullable_text()?.map($text),
                        2 => value.description = source.nullable_text()?.map($text),
                        3 => value.address = source.nullable_text()?.map($text),
                        4 => value.value = source.double()?,
                        _ => value.update_time = source.int64()?,
                    }
                    Ok(())
                })?;
                Ok(value)
            }
        }
    };
}

plain_classes!('p, Organization, Member, Cow::into_owned);
plain_classes!('p, OrganizationRef<'p>, MemberRef<'p>, Text);

impl<'p> Plain<'p> for Person {
    fn read<S: Source<'p>>(source: &mut S) -> Result<Self> {
        let mut value = Self::default();
        source.object(&["Id", "Name", "Age", "Address"], |source, property| {
            match property {
                0 => value.id = source.int32()?,
                1 => value.name = source.nullable_text()?.map(Cow::into_owned),
                2 => value.age = source.int32()?,
                _ => value.address = source.nullable_text()?.map(Cow::into_owned),
            }
            Ok(())
        })?;
        Ok(value)
    }
}
