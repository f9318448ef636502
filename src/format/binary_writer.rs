//! The layout of .NET's BinaryWriter: a string's length is 7-bit encoded, all else as in the article's own layout.
//! Source: .NET's documentation of `BinaryWriter.Write7BitEncodedInt` and `BinaryReader.Read7BitEncodedInt`.

use super::Info;
use super::sequential::{Lengths, Reader, Sequential};
use super::seven_bits;
use crate::dataset::Organization;
use crate::error::Result;
use crate::operation::Operation;
use crate::registry::Registry;

/// What BinaryWriter writes and BinaryReader reads.
pub type BinaryWriter = Sequential<SevenBits>;

/// A string's length is an i32 in groups of seven bits, least first; the highest bit says that more follow.
#[derive(Debug, Default)]
pub struct SevenBits;

impl Lengths for SevenBits {
    const INFO: Info = Info {
        name: "binary-writer",
        wire_format: ".NET BinaryWriter",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "null and empty are one: a string comes back empty, a list comes back null",
    };
    const LEAST: usize = 1;

    #[inline]
    fn size(len: usize) -> usize {
        seven_bits::size(len)
    }

    #[inline]
    fn put(len: usize, room: &mut [u8]) -> &mut [u8] {
        let (head, rest) = room.split_at_mut(seven_bits::size(len));
        seven_bits::put(len, head);
        rest
    }

    #[inline(always)]
    fn get(reader: &mut Reader<'_, Self>) -> Result<usize> {
        let [first] = reader.take()?;
        if first < 0x80 {
            return Ok(usize::from(first));
        }
        rest_of_length(reader, first)
    }
}

fn rest_of_length(reader: &mut Reader<'_, SevenBits>, first: u8) -> Result<usize> {
    seven_bits::rest(first, || reader.take().map(|[byte]| byte))?.map_err(|reason| reader.malformed(reason))
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<BinaryWriter, Organization>()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Organization;
    use crate::format::{Decode, Encode};
    use crate::payload::Payload;

    #[test]
    fn lengths_at_the_edges_of_their_groups() {
        for (len, expected) in [
            (0, &[0][..]),
            (127, &[0x7F]),
            (128, &[0x80, 1]),
            (16_383, &[0xFF, 0x7F]),
            (16_384, &[0x80, 0x80, 1]),
            (i32::MAX as usize, &[0xFF, 0xFF, 0xFF, 0xFF, 0x07]),
        ] {
            let mut room = [0; 5];
            SevenBits::put(len, &mut room);
            assert_eq!(&room[..SevenBits::size(len)], expected);
        }
    }

    /// The five-byte forms that are no length, in a payload that is long enough for none of them to be cut short.
    #[test]
    fn lengths_that_no_i32_has_are_refused() {
        let mut payload = Vec::new();
        BinaryWriter::default()
            .encode(&Organization { tags: Some(vec!["x".repeat(300)]), ..Organization::default() }, &mut payload)
            .unwrap();
        for (length, reason) in [
            ([0xFF, 0xFF, 0xFF, 0xFF, 0x0F], "0x0f"),
            ([0x80, 0x80, 0x80, 0x80, 0x80], "0x80"),
            ([0xFF, 0xFF, 0xFF, 0xFF, 0x07], "2147483647 more bytes"),
        ] {
            payload[8..13].copy_from_slice(&length);
            let error = BinaryWriter::default().decode(&Payload::from(payload.as_slice())).map(|_: Organization| ()).unwrap_err();
            assert!(error.to_string().contains(reason), "{error}");
            assert_eq!(error.offset(), Some(13));
        }
    }
}
