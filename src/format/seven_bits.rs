//! .NET's 7-bit encoded lengths: groups of seven bits, least first; the highest bit of a byte says that more follow.

use crate::error::Result;

/// The bytes that a length takes.
#[inline]
pub(super) fn size(len: usize) -> usize {
    match len {
        0..0x80 => 1,
        0x80..0x4000 => 2,
        0x4000..0x20_0000 => 3,
        0x20_0000..0x1000_0000 => 4,
        _ => 5,
    }
}

/// Writes a length into the room that [`size`] tells.
#[inline]
pub(super) fn put(len: usize, room: &mut [u8]) {
    let mut left = len;
    if let Some((last, head)) = room.split_last_mut() {
        for byte in head {
            *byte = left as u8 | 0x80;
            left >>= 7;
        }
        *last = left as u8;
    }
}

/// The length whose first byte says that more follow; the inner error is the reason why it is none.
///
/// The fifth byte may hold three bits: a fourth would make the length negative, and more are not an i32's.
pub(super) fn rest(first: u8, mut next: impl FnMut() -> Result<u8>) -> Result<Result<usize, String>> {
    let mut len = usize::from(first & 0x7F);
    for shift in [7, 14, 21, 28] {
        let byte = next()?;
        if shift == 28 && byte > 0x07 {
            return Ok(Err(format!("a 7-bit encoded length whose fifth byte is {byte:#04x}, which no length of an i32 has")));
        }
        len |= usize::from(byte & 0x7F) << shift;
        if byte < 0x80 {
            return Ok(Ok(len));
        }
    }
    Ok(Err("a 7-bit encoded length of more than five bytes".to_owned()))
}
