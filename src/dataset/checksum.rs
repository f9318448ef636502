//! The sum that proves that a reading has read.

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_nano_inline};

/// An odd number whose bits are evenly mixed: the golden ratio in 64 bits.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;
/// What null adds: no string's hash is known to be it.
const NULL: u64 = 0x6E75_6C6C_0000_0001;

/// Sums fields in their order. Each string counts with its bytes and its length, each number with its bits, and null is not empty.
///
/// It is fast rather than strong: it tells a field that was not read, or read from elsewhere, and is no guard against an adversary.
#[derive(Debug, Clone, Copy)]
pub struct Checksum(u64);

impl Checksum {
    /// Starts a sum; two sums with other starts differ.
    #[inline]
    pub const fn new(start: u64) -> Self {
        Self(start ^ MIX)
    }

    /// Adds a number by its bits.
    #[inline]
    #[must_use]
    pub const fn number(self, bits: u64) -> Self {
        let product = (self.0 ^ bits) as u128 * (MIX as u128);
        Self((product as u64) ^ ((product >> 64) as u64) ^ bits.rotate_left(32))
    }

    /// Adds a string, or the fact that there is none.
    #[inline]
    #[must_use]
    pub const fn text(self, text: Option<&str>) -> Self {
        match text {
            Some(text) => self.number(rapidhash_v3_nano_inline::<true, false>(text.as_bytes(), &DEFAULT_RAPID_SECRETS)),
            None => self.number(NULL),
        }
    }

    /// Adds the length of a list, or the fact that there is none.
    #[inline]
    #[must_use]
    pub const fn list(self, len: Option<usize>) -> Self {
        match len {
            Some(len) => self.number(len as u64),
            None => self.number(NULL),
        }
    }

    /// The sum so far.
    #[inline]
    pub const fn finish(self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn null_empty_nul_and_order_all_differ() {
        let sums = [
            Checksum::new(0).text(None).text(Some("")),
            Checksum::new(0).text(Some("")).text(None),
            Checksum::new(0).text(Some("")).text(Some("")),
            Checksum::new(0).text(Some("\0")).text(Some("")),
            Checksum::new(0).text(Some("\0\0")).text(Some("")),
            Checksum::new(0).text(Some("a")).text(Some("b")),
            Checksum::new(0).text(Some("b")).text(Some("a")),
            Checksum::new(0).text(Some("ab")).text(Some("")),
            Checksum::new(1).text(Some("ab")).text(Some("")),
            Checksum::new(0).list(None).list(Some(0)),
            Checksum::new(0).list(Some(0)).list(None),
            Checksum::new(0).number((-0.0f64).to_bits()).number(0),
            Checksum::new(0).number(0.0f64.to_bits()).number(0),
        ]
        .map(Checksum::finish);
        let mut unique = sums.to_vec();
        unique.sort_unstable();
        unique.dedup();
        assert_eq!(unique.len(), sums.len());
    }

    /// One changed byte anywhere in a string of any length changes the sum.
    #[test]
    fn every_byte_and_the_length_count() {
        for len in 1..200 {
            let text = "x".repeat(len);
            let sum = Checksum::new(0).text(Some(&text)).finish();
            assert_ne!(sum, Checksum::new(0).text(Some(&text[1..])).finish(), "length {len}");
            for at in 0..len {
                let mut changed = text.clone();
                changed.replace_range(at..=at, "y");
                assert_ne!(sum, Checksum::new(0).text(Some(&changed)).finish(), "length {len}, byte {at}");
            }
        }
    }
}
