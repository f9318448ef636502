//! The article's own layout: every length is a little-endian i32. Source: the article's `Custom` serializer.

use super::Info;
use super::sequential::{Lengths, Reader, Sequential};
use crate::dataset::Organization;
use crate::error::Result;
use crate::operation::Operation;
use crate::registry::Registry;

/// The article's hand-made layout.
pub type Custom = Sequential<FourBytes>;

/// A string's length is an i32.
#[derive(Debug, Default)]
pub struct FourBytes;

impl Lengths for FourBytes {
    const INFO: Info = Info {
        name: "custom",
        wire_format: "the article's layout",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "null and empty are one: a string comes back empty, a list comes back null",
    };
    const LEAST: usize = 4;

    #[inline]
    fn size(_: usize) -> usize {
        4
    }

    #[inline]
    fn put(len: usize, room: &mut [u8]) -> &mut [u8] {
        let (head, rest) = room.split_at_mut(4);
        head.copy_from_slice(&(len as i32).to_le_bytes());
        rest
    }

    #[inline(always)]
    fn get(reader: &mut Reader<'_, Self>) -> Result<usize> {
        // The original takes a negative length for none.
        Ok(usize::try_from(i32::from_le_bytes(reader.take()?)).unwrap_or(0))
    }
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<Custom, Organization>()
        .encode()
        .decode()
        .decode_prefix()
        .decode_into()
        .borrow()
        .access()
        .access_unchecked()
        .update()
        .at_most(Operation::Encode, 2.0, Operation::Copy)
        .at_most_native(Operation::Decode, 1.8, Operation::Clone);
}
