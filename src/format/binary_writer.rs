//! The layout of .NET's BinaryWriter: a string's length is 7-bit encoded, all else as in the article's own layout.
//! Source: .NET's documentation of `BinaryWriter.Write7BitEncodedInt` and `BinaryReader.Read7BitEncodedInt`.

use super::Info;
use super::sequential::{Lengths, Reader, Sequential};
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
        match len {
            0..0x80 => 1,
            0x80..0x4000 => 2,
            0x4000..0x20_0000 => 3,
            0x20_0000..0x1000_0000 => 4,
            _ => 5,
        }
    }

    #[inline]
    fn put(len: usize, room: &mut [u8]) -> &mut [u8] {
        let size = Self::size(len);
        let (head, rest) = room.split_at_mut(size);
        let mut left = len;
        for byte in &mut head[..size - 1] {
            *byte = left as u8 | 0x80;
            left >>= 7;
        }
        head[size - 1] = left as u8;
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

/// The second to fifth group. The fifth may hold three bits: a fourth would make the length negative, and more are not an i32's.
fn rest_of_length(reader: &mut Reader<'_, SevenBits>, first: u8) -> Result<usize> {
    let mut len = usize::from(first & 0x7F);
    for shift in [7, 14, 21, 28] {
        let [byte] = reader.take()?;
        if shift == 28 && byte > 0x07 {
            return Err(reader.malformed(format!("a 7-bit encoded length whose fifth byte is {byte:#04x}, which no length of an i32 has")));
        }
        len |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok(len);
        }
    }
    Err(reader.malformed("a 7-bit encoded length of more than five bytes".to_owned()))
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<BinaryWriter, Organization>()
        .encode()
        .decode()
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
