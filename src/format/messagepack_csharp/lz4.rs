//! The LZ4 encoder of MessagePack for C#: any decoder reads what any encoder writes, but only this one writes the original's bytes.
//!
//! It is the fast mode of the first LZ4 releases, as its author describes it: a table of the last position of each hash of four bytes,
//! and a step that grows while nothing is found. What differs from other encoders of that kind is the size of the table, which has
//! 2^11 entries of 16 bits where the input is short enough for them and 2^10 of 32 bits otherwise, and that position 0 is a candidate for
//! everything that has not been seen. Source: LZ4's block format; the vectors.

/// A match has at least this many bytes.
const LEAST_MATCH: usize = 4;
/// No match starts in the last bytes of the input, ...
const MATCH_START_LIMIT: usize = 12;
/// ... and none reaches into the very last.
const LAST_LITERALS: usize = 5;
/// Shorter inputs are all literals.
const LEAST_INPUT: usize = MATCH_START_LIMIT + 1;
/// An offset has 16 bits.
const FARTHEST: usize = 65_535;
/// From this size on, positions no longer fit into 16 bits; the last ones are never looked up.
const LARGE: usize = (1 << 16) + MATCH_START_LIMIT - 1;
/// After how many attempts, as a power of two, the step grows by one; it starts three attempts later.
const SKIP: usize = 6;

/// The tables, which are cleared for each block.
pub(super) struct Tables {
    small: [u16; 1 << 11],
    large: [u32; 1 << 10],
}

impl Default for Tables {
    fn default() -> Self {
        Self { small: [0; 1 << 11], large: [0; 1 << 10] }
    }
}

/// The bytes that a block of an input of this length takes at most.
pub(super) fn most(len: usize) -> usize {
    // Literals are copied in pieces of a fixed size, which may reach beyond their end.
    len + len / 255 + 16 + PIECE
}

/// Writes the block of `input` to `room`, which has [`most`] bytes; returns its length.
pub(super) fn compress(input: &[u8], tables: &mut Tables, room: &mut [u8]) -> usize {
    if input.len() < LARGE {
        tables.small.fill(0);
        sequences(input, &mut tables.small, room)
    } else {
        tables.large.fill(0);
        sequences(input, &mut tables.large, room)
    }
}

/// A table of positions by hash.
trait Table {
    /// The position that was put last under the hash of these four bytes; puts another.
    fn replace(&mut self, four: u32, at: usize) -> usize;
}

/// Knuth's multiplier, 2^32 divided by the golden ratio.
#[inline(always)]
fn hash(four: u32, bits: u32) -> usize {
    (four.wrapping_mul(2_654_435_761) >> (32 - bits)) as usize
}

impl Table for [u16; 1 << 11] {
    #[inline(always)]
    fn replace(&mut self, four: u32, at: usize) -> usize {
        let entry = &mut self[hash(four, 11)];
        usize::from(std::mem::replace(entry, at as u16))
    }
}

impl Table for [u32; 1 << 10] {
    #[inline(always)]
    fn replace(&mut self, four: u32, at: usize) -> usize {
        let entry = &mut self[hash(four, 10)];
        std::mem::replace(entry, at as u32) as usize
    }
}

#[inline(always)]
fn four(input: &[u8], at: usize) -> u32 {
    match input.get(at..at + 4) {
        Some(&[a, b, c, d]) => u32::from_le_bytes([a, b, c, d]),
        _ => 0,
    }
}

fn sequences(input: &[u8], table: &mut impl Table, room: &mut [u8]) -> usize {
    let mut out = Out { room, at: 0 };
    if input.len() < LEAST_INPUT {
        out.literals(input, 0, input.len());
        return out.at;
    }
    let last_start = input.len() - MATCH_START_LIMIT;
    let matchable = &input[..input.len() - LAST_LITERALS];
    let mut anchor = 0;
    table.replace(four(input, 0), 0);
    let mut next = 1;
    'search: loop {
        let mut attempts = (1 << SKIP) + 3;
        let mut at;
        let mut candidate;
        loop {
            at = next;
            next += attempts >> SKIP;
            attempts += 1;
            if next > last_start {
                break 'search;
            }
            let here = four(input, at);
            candidate = table.replace(here, at);
            if here == four(input, candidate) && at - candidate <= FARTHEST {
                break;
            }
        }
        while at > anchor && candidate > 0 && input[at - 1] == input[candidate - 1] {
            at -= 1;
            candidate -= 1;
        }
        let mut token = out.literals(input, anchor, at);
        loop {
            out.offset(at - candidate);
            let len = equal(matchable, candidate + LEAST_MATCH, at + LEAST_MATCH);
            out.match_length(token, len);
            at += LEAST_MATCH + len;
            anchor = at;
            if at > last_start {
                break 'search;
            }
            table.replace(four(input, at - 2), at - 2);
            let here = four(input, at);
            candidate = table.replace(here, at);
            if here != four(input, candidate) || at - candidate > FARTHEST {
                break;
            }
            token = out.literals(input, at, at);
        }
        next = at + 1;
    }
    out.literals(input, anchor, input.len());
    out.at
}

/// How many bytes from `one` and from `other` on are the same; `other` is the later.
#[inline(always)]
fn equal(bytes: &[u8], one: usize, other: usize) -> usize {
    let Some(behind) = bytes.get(other..) else { return 0 };
    let before = &bytes[one..one + behind.len()];
    let mut len = 0;
    while let (Some(a), Some(b)) = (eight(before, len), eight(behind, len)) {
        if a != b {
            return len + (a ^ b).trailing_zeros() as usize / 8;
        }
        len += 8;
    }
    len + before[len..].iter().zip(&behind[len..]).take_while(|(a, b)| a == b).count()
}

#[inline(always)]
fn eight(bytes: &[u8], at: usize) -> Option<u64> {
    match bytes.get(at..at + 8) {
        Some(&[a, b, c, d, e, f, g, h]) => Some(u64::from_le_bytes([a, b, c, d, e, f, g, h])),
        _ => None,
    }
}

/// Short runs of literals are copied as one piece of this size.
const PIECE: usize = 16;
/// The greatest length that stands in the token itself; longer ones go on in bytes of 255 and a last one.
const IN_TOKEN: usize = 15;

struct Out<'r> {
    room: &'r mut [u8],
    at: usize,
}

impl Out<'_> {
    /// Writes the token and the literals from `start` to `end`; returns where the token stands.
    #[inline(always)]
    fn literals(&mut self, input: &[u8], start: usize, end: usize) -> usize {
        let token = self.at;
        let len = end - start;
        self.at += 1;
        if len < IN_TOKEN {
            self.room[token] = (len << 4) as u8;
        } else {
            self.room[token] = 0xF0;
            self.length(len - IN_TOKEN);
        }
        match input.get(start..start + PIECE) {
            Some(piece) if len <= PIECE => self.room[self.at..self.at + PIECE].copy_from_slice(piece),
            _ => self.room[self.at..self.at + len].copy_from_slice(&input[start..end]),
        }
        self.at += len;
        token
    }

    #[inline(always)]
    fn offset(&mut self, offset: usize) {
        self.room[self.at..self.at + 2].copy_from_slice(&(offset as u16).to_le_bytes());
        self.at += 2;
    }

    /// Adds a match's length, beyond the least, to its token.
    #[inline(always)]
    fn match_length(&mut self, token: usize, len: usize) {
        if len < IN_TOKEN {
            self.room[token] |= len as u8;
        } else {
            self.room[token] |= 0x0F;
            self.length(len - IN_TOKEN);
        }
    }

    #[inline]
    fn length(&mut self, len: usize) {
        let full = len / 255;
        self.room[self.at..self.at + full].fill(255);
        self.room[self.at + full] = (len % 255) as u8;
        self.at += full + 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(input: &[u8]) -> Vec<u8> {
        let mut room = vec![0; most(input.len())];
        let len = compress(input, &mut Tables::default(), &mut room);
        room.truncate(len);
        room
    }

    /// Inputs of every kind come back through another decoder, whatever the table.
    #[test]
    fn another_decoder_reads_it() {
        for len in (0..200).chain([4096, 65_546, 65_547, 100_000, 300_000]) {
            for shift in [0, 3, 9, 24] {
                let input: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i ^ 0x9E37) >> shift) as u8).collect();
                let block = compressed(&input);
                assert!(block.len() <= most(len));
                assert_eq!(lz4_flex::block::decompress(&block, len).unwrap(), input, "{len}, {shift}");
            }
        }
    }

    /// What the original's encoder makes of them.
    #[test]
    fn known_blocks() {
        assert_eq!(compressed(&[0x61; 12]), b"\xC0aaaaaaaaaaaa");
        assert_eq!(compressed(&[0x61; 13]), b"\xD0aaaaaaaaaaaaa");
        assert_eq!(compressed(&[0x61; 64]), [0x1F, 0x61, 1, 0, 0x27, 0x50, 0x61, 0x61, 0x61, 0x61, 0x61]);
        assert_eq!(compressed(&[0x61; 300]), [0x1F, 0x61, 1, 0, 0xFF, 0x14, 0x50, 0x61, 0x61, 0x61, 0x61, 0x61]);
    }
}
