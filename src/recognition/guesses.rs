//! Layouts without a magic number: what their first items must be like.

use super::{Kind, Recognition, certain, guess, prefix};

/// How many items are looked at before a layout is taken for what it seems to be.
const MOST_ITEMS: usize = 64;

/// The kinds in the order in which random bytes are least likely to be taken for them.
pub(super) fn structure(bytes: &[u8]) -> Option<Recognition> {
    if capn_proto(bytes) {
        return certain(Kind::CapnProto, "a segment table that accounts for every byte", 0);
    }
    if prefix(bytes).is_some_and(|size| size + 4 == bytes.len() as u64) && table(&bytes[4..]) {
        return guess(Kind::SizePrefixedFlatBuffers, "the buffer's size, and the offset of a table with a vtable", 0);
    }
    if table(bytes) {
        return guess(Kind::FlatBuffers, "the offset of a table with a vtable", 0);
    }
    if capn_proto_packed(bytes) {
        return guess(Kind::CapnProtoPacked, "a packed segment table and root pointer", 0);
    }
    if message_pack(bytes) {
        return guess(Kind::MessagePack, "the head of an array or a map, and items that fit it", 0);
    }
    for (kind, length, seen) in [
        (Kind::Custom, fixed as Length, "a number, and a list of strings behind four bytes of length"),
        (Kind::BinaryWriter, seven_bits, "a number, and a list of strings behind lengths of seven bits a byte"),
    ] {
        if sequential(bytes, length) {
            return guess(kind, seen, 0);
        }
    }
    if protobuf(bytes) {
        return guess(Kind::Protobuf, "numbered fields that fit", 0);
    }
    if lz4_block(bytes) {
        return guess(Kind::Lz4Block, "a size, and sequences that fit it", 0);
    }
    None
}

/// Bytes that are taken from the front.
struct Rest<'b>(&'b [u8]);

impl<'b> Rest<'b> {
    fn take(&mut self, len: u64) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(usize::try_from(len).ok()?)?;
        self.0 = rest;
        Some(taken)
    }

    fn byte(&mut self) -> Option<u8> {
        self.take(1).map(|taken| taken[0])
    }

    /// A number of so many bytes, little-endian.
    fn little(&mut self, len: u64) -> Option<u64> {
        Some(self.take(len)?.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A number of so many bytes, big-endian.
    fn big(&mut self, len: u64) -> Option<u64> {
        Some(self.take(len)?.iter().fold(0, |number, &byte| number << 8 | u64::from(byte)))
    }

    /// A number in groups of seven bits, the lowest first, in at most so many bytes.
    fn groups(&mut self, most: u32) -> Option<u64> {
        let mut number = 0;
        for group in 0..most {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7F) << (7 * group);
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }
}

/// The sizes of a Cap'n Proto message's table and segments in words, if its root pointer is one.
fn message_words(mut word: impl FnMut() -> Option<u64>) -> Option<u64> {
    let first = word()?;
    let (segments, root_segment) = ((first & 0xFFFF_FFFF) + 1, first >> 32);
    if segments > MOST_ITEMS as u64 || root_segment == 0 {
        return None;
    }
    let mut total = 1 + segments / 2 + root_segment;
    for pair in 0..segments / 2 {
        let sizes = word()?;
        // With an even number of segments the last half word is padding.
        let padding = segments.is_multiple_of(2) && pair + 1 == segments / 2;
        if padding && sizes >> 32 != 0 {
            return None;
        }
        total += (sizes & 0xFFFF_FFFF) + (sizes >> 32);
    }
    let root = word()?;
    let (low, high) = (root as u32, root >> 32);
    let fits = match low & 3 {
        // A struct behind the pointer: its offset is signed, its sections are two numbers of 16 bits.
        0 => {
            let offset = i64::from(low as i32 >> 2);
            let end = 1 + offset + (high & 0xFFFF) as i64 + (high >> 16) as i64;
            root != 0 && offset >= -1 && end <= root_segment as i64
        }
        // A pointer into another segment.
        2 => high < segments,
        _ => false,
    };
    fits.then_some(total)
}

fn capn_proto(bytes: &[u8]) -> bool {
    let mut rest = Rest(bytes);
    message_words(|| rest.little(8)).is_some_and(|words| words * 8 == bytes.len() as u64)
}

fn capn_proto_packed(bytes: &[u8]) -> bool {
    let mut rest = Rest(bytes);
    // Words that stand for themselves, or as zeros, behind the last tag.
    let (mut zeros, mut plain) = (0, 0);
    let words = message_words(|| {
        if zeros > 0 {
            zeros -= 1;
            return Some(0);
        }
        if plain > 0 {
            plain -= 1;
            return rest.little(8);
        }
        let tag = rest.byte()?;
        let mut word = 0;
        for bit in 0..8 {
            if tag & 1 << bit != 0 {
                word |= u64::from(rest.byte()?) << (8 * bit);
            }
        }
        match tag {
            0x00 => zeros = rest.byte()?,
            0xFF => plain = rest.byte()?,
            _ => {}
        }
        Some(word)
    });
    // A word takes ten bytes at most; two bytes stand for 256 words at most.
    let len = bytes.len() as u64;
    words.is_some_and(|words| len <= words * 10 && words <= len * 128)
}

/// The root table of a FlatBuffer, and its vtable.
fn table(bytes: &[u8]) -> bool {
    let at = |offset: usize, len: u64| Rest(bytes.get(offset..).unwrap_or_default()).little(len);
    let fits = || {
        let root = usize::try_from(at(0, 4)?).ok()?;
        let to_vtable = at(root, 4)? as u32 as i32;
        let vtable = usize::try_from(i64::try_from(root).ok()? - i64::from(to_vtable)).ok()?;
        let (vtable_len, table_len) = (at(vtable, 2)?, at(vtable + 2, 2)?);
        let inside = |start: usize, len: u64| start as u64 + len <= bytes.len() as u64;
        let whole = root >= 4 && vtable >= 4 && vtable_len >= 4 && vtable_len.is_multiple_of(2) && table_len >= 4;
        Some(whole && inside(vtable, vtable_len) && inside(root, table_len))
    };
    fits().unwrap_or(false)
}

fn message_pack(bytes: &[u8]) -> bool {
    if !matches!(bytes.first(), Some(0x80..=0x9F | 0xDC..=0xDF)) || bytes.len() < 2 && bytes[0] & 0xF != 0 {
        return false;
    }
    let (mut rest, mut left) = (Rest(bytes), 1_u64);
    let mut item = || -> Option<u64> {
        let (content, inner) = match rest.byte()? {
            0x00..=0x7F | 0xC0 | 0xC2 | 0xC3 | 0xE0..=0xFF => (0, 0),
            head @ 0x80..=0x8F => (0, 2 * u64::from(head & 0xF)),
            head @ 0x90..=0x9F => (0, u64::from(head & 0xF)),
            head @ 0xA0..=0xBF => (u64::from(head & 0x1F), 0),
            0xC1 => return None,
            head @ 0xC4..=0xC6 => (rest.big(1 << (head - 0xC4))?, 0),
            head @ 0xC7..=0xC9 => (rest.big(1 << (head - 0xC7))? + 1, 0),
            0xCA | 0xCE | 0xD2 => (4, 0),
            0xCB | 0xCF | 0xD3 => (8, 0),
            0xCC | 0xD0 => (1, 0),
            0xCD | 0xD1 => (2, 0),
            head @ 0xD4..=0xD8 => (1 + (1 << (head - 0xD4)), 0),
            head @ 0xD9..=0xDB => (rest.big(1 << (head - 0xD9))?, 0),
            head @ 0xDC..=0xDD => (0, rest.big(2 << (head - 0xDC))?),
            head @ 0xDE..=0xDF => (0, 2 * rest.big(2 << (head - 0xDE))?),
        };
        rest.take(content)?;
        left = left - 1 + inner;
        // Each item takes a byte at least.
        (left <= rest.0.len() as u64).then_some(left)
    };
    for _ in 0..MOST_ITEMS {
        match item() {
            None => return false,
            Some(0) => return rest.0.is_empty(),
            Some(_) => {}
        }
    }
    true
}

/// Reads a string's length.
type Length = fn(&mut Rest<'_>) -> Option<u64>;

fn fixed(rest: &mut Rest<'_>) -> Option<u64> {
    rest.little(4)
}

fn seven_bits(rest: &mut Rest<'_>) -> Option<u64> {
    rest.groups(5)
}

/// Whether the start of a string is UTF-8, as far as it is looked at.
fn readable(text: &[u8]) -> bool {
    let (start, more) = text.split_at_checked(256).unwrap_or((text, &[]));
    match std::str::from_utf8(start) {
        Ok(_) => true,
        // A character that is cut there is not wrong.
        Err(error) => error.error_len().is_none() && !more.is_empty(),
    }
}

/// An organization's number, its tags, and the head of its first member.
fn sequential(bytes: &[u8], length: Length) -> bool {
    let fits = || {
        let mut rest = Rest(bytes);
        let text = |rest: &mut Rest<'_>| {
            let len = length(rest)?;
            readable(rest.take(len)?).then_some(())
        };
        rest.take(4)?;
        let tags = rest.little(4)?;
        for _ in 0..tags.min(MOST_ITEMS as u64) {
            text(&mut rest)?;
        }
        if tags > MOST_ITEMS as u64 {
            return Some(tags <= bytes.len() as u64);
        }
        let members = rest.little(4)?;
        if members == 0 {
            return Some(rest.0.is_empty());
        }
        rest.take(4)?;
        for _ in 0..3 {
            text(&mut rest)?;
        }
        rest.take(16)?;
        Some(members <= bytes.len() as u64)
    };
    fits().unwrap_or(false)
}

fn protobuf(bytes: &[u8]) -> bool {
    let mut rest = Rest(bytes);
    let mut field = || {
        let tag = rest.groups(5)?;
        if tag >> 3 == 0 || tag > u64::from(u32::MAX) {
            return None;
        }
        match tag & 7 {
            0 => rest.groups(10).map(|_| ())?,
            1 => rest.take(8).map(|_| ())?,
            2 => {
                let len = rest.groups(5)?;
                rest.take(len)?;
            }
            5 => rest.take(4).map(|_| ())?,
            _ => return None,
        }
        Some(rest.0.is_empty())
    };
    for _ in 0..MOST_ITEMS {
        match field() {
            None => return false,
            Some(true) => return true,
            Some(false) => {}
        }
    }
    true
}

fn lz4_block(bytes: &[u8]) -> bool {
    let Some(size) = prefix(bytes) else { return false };
    let mut rest = Rest(&bytes[4..]);
    let mut made = 0_u64;
    // A length of 15 goes on in bytes of which only the last is not 255.
    let length = |rest: &mut Rest<'_>, nibble: u8| {
        let mut len = u64::from(nibble);
        if nibble == 15 {
            loop {
                let byte = rest.byte()?;
                len += u64::from(byte);
                if byte != 255 {
                    break;
                }
            }
        }
        Some(len)
    };
    // The last sequence has literals alone.
    let mut sequence = || {
        let token = rest.byte()?;
        let literals = length(&mut rest, token >> 4)?;
        rest.take(literals)?;
        made += literals;
        if rest.0.is_empty() {
            return Some(None);
        }
        let offset = rest.little(2)?;
        if offset == 0 || offset > made {
            return None;
        }
        made += 4 + length(&mut rest, token & 0xF)?;
        Some(Some(made))
    };
    for _ in 0..MOST_ITEMS {
        match sequence() {
            None => return false,
            Some(None) => return made == size,
            Some(Some(made)) if made > size => return false,
            Some(Some(_)) => {}
        }
    }
    true
}
