//! One damage to one payload.

use std::fmt;
use std::ops::Range;

use wirewise::dataset::SplitMix64;

/// The kinds of damage, for the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The end is missing.
    Cut,
    /// One byte has another value.
    Byte,
    /// One bit is turned.
    Bit,
    /// Ranges are moved, doubled, removed, or taken from another payload; numbers are replaced by extreme ones.
    Splice,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::Cut, Self::Byte, Self::Bit, Self::Splice];

    /// The name in records.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cut => "cut",
            Self::Byte => "byte",
            Self::Bit => "bit",
            Self::Splice => "splice",
        }
    }
}

/// One damage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mutation {
    /// Only so many bytes are left.
    Cut(usize),
    /// The byte at this place, with this added to it, wrapping; never 0.
    Byte(usize, u8),
    /// The bit of this number, counted from the first byte's lowest.
    Bit(usize),
    /// A random splice, drawn from this seed.
    Splice(u64),
}

impl Mutation {
    pub(super) fn kind(self) -> Kind {
        match self {
            Self::Cut(_) => Kind::Cut,
            Self::Byte(..) => Kind::Byte,
            Self::Bit(_) => Kind::Bit,
            Self::Splice(_) => Kind::Splice,
        }
    }

    /// Makes `damaged` the damaged copy of `payload`; a splice may take a piece of `other`. It always
    /// differs from both: another whole payload is no damage.
    pub(super) fn apply(self, payload: &[u8], other: &[u8], damaged: &mut Vec<u8>) {
        damaged.clear();
        damaged.extend_from_slice(payload);
        match self {
            Self::Cut(left) => damaged.truncate(left),
            Self::Byte(at, added) => damaged[at] = damaged[at].wrapping_add(added),
            Self::Bit(at) => damaged[at / 8] ^= 1 << (at % 8),
            Self::Splice(seed) => {
                let mut draw = Draw::new(seed);
                splice(&mut draw, other, damaged);
                // A byte more each time, so it ends.
                while damaged == payload || damaged == other {
                    damaged.push(draw.next() as u8);
                }
            }
        }
    }
}

impl fmt::Display for Mutation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cut(left) => write!(f, "cut to {left} bytes"),
            Self::Byte(at, added) => write!(f, "byte {at} plus {added}"),
            Self::Bit(at) => write!(f, "bit {} of byte {}", at % 8, at / 8),
            Self::Splice(seed) => write!(f, "splice {seed:016x}"),
        }
    }
}

/// The longest piece that a splice moves.
const PIECE: usize = 64;

/// Numbers that counts, lengths and offsets must not be believed to be.
const EXTREMES: [u64; 12] = [0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFF_FFFF, 0x8000_0000, 0xFFFF_FFFF, i64::MAX as u64, u64::MAX];

fn splice(draw: &mut Draw, other: &[u8], damaged: &mut Vec<u8>) {
    let len = damaged.len();
    match draw.below(8) {
        0 => {
            for _ in 0..=draw.below(8) {
                if len > 0 {
                    damaged[draw.below(len)] = draw.next() as u8;
                }
            }
        }
        1 => {
            let width = 1 << draw.below(4);
            let number = EXTREMES[draw.below(EXTREMES.len())];
            if len >= width {
                let at = draw.below(len - width + 1);
                let place = &mut damaged[at..at + width];
                place.copy_from_slice(&number.to_le_bytes()[..width]);
                if draw.below(2) == 0 {
                    place.reverse();
                }
            }
        }
        2 => {
            damaged.drain(draw.piece(len));
        }
        3 => {
            let piece = draw.piece(len);
            let at = draw.below(len + 1);
            let doubled = damaged[piece].to_vec();
            damaged.splice(at..at, doubled);
        }
        4 => {
            let piece = draw.piece(len);
            let at = draw.below(len - piece.len() + 1);
            damaged.copy_within(piece, at);
        }
        5 => {
            let piece = &other[draw.piece(other.len())];
            let replaced = draw.piece(len);
            damaged.splice(replaced, piece.iter().copied());
        }
        6 => {
            let at = draw.below(len + 1);
            let inserted: Vec<u8> = (0..=draw.below(16)).map(|_| draw.next() as u8).collect();
            damaged.splice(at..at, inserted);
        }
        _ => {
            damaged.truncate(draw.below(len + 1));
            damaged.extend_from_slice(&other[draw.below(other.len() + 1)..]);
        }
    }
}

/// Draws from a generator for which any seed is as good as another, so the mutation's number can be a part of it.
pub(super) struct Draw(SplitMix64);

impl Draw {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0.next()
    }

    /// A number below `bound`, or 0 where nothing is below it.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    /// A range within `len` bytes.
    fn piece(&mut self, len: usize) -> Range<usize> {
        let start = self.below(len + 1);
        start..start + self.below((len - start).min(PIECE) + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_damage_differs_from_the_payload_and_comes_again() {
        let (mut one, mut again) = (Vec::new(), Vec::new());
        for payload in [&b""[..], b"a", b"aaaaaaaaaaaaaaaaaaaaaaaa", b"0123456789"] {
            let whole = (0..payload.len()).map(Mutation::Cut);
            let bytes = (0..payload.len()).flat_map(|at| (1..=255).map(move |added| Mutation::Byte(at, added)));
            let bits = (0..payload.len() * 8).map(Mutation::Bit);
            for mutation in whole.chain(bytes).chain(bits).chain((0..10_000).map(Mutation::Splice)) {
                for other in [&b""[..], b"other"] {
                    mutation.apply(payload, other, &mut one);
                    assert_ne!(one, payload, "{mutation}");
                    mutation.apply(payload, other, &mut again);
                    assert_eq!(one, again, "{mutation}");
                }
            }
        }
    }
}
