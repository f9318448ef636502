//! How much a payload may ask for: one set of limits for every format and codec.
//!
//! The limits stand with the bytes, not with the format: where bytes come from is what decides how far they are believed. A
//! [`Payload`](crate::Payload) that nothing was said of has those of its own size, [`Limits::for_payload`]; `set_limits` is the one place
//! to raise or lower them, and `trust` the one to do without.
//!
//! A library's own bound stays where it is lower and cannot be moved: JSON nests 128 deep, Protocol Buffers 100, and the readers of
//! .NET's formats as deep as .NET's own.

use crate::error::Problem;

const KIB: usize = 1 << 10;
const MIB: usize = KIB << 10;

/// What reading a payload may take. Each is inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Values inside each other.
    pub depth: usize,
    /// Bytes that a codec may give, or a format that unpacks or decompresses its payload before it reads it.
    pub bytes_out: usize,
    /// Items of all lists and entries of all maps together, those that nobody asked for included.
    pub elements: usize,
    /// Bytes of one string, or of one run of bytes.
    pub text: usize,
    /// Bytes of what a codec looks back on, where it needs memory of its own for that.
    pub window: usize,
    /// Bytes of memory that the items of lists and the strings of a value may take together.
    pub allocation: usize,
}

impl Limits {
    /// What a payload of so many bytes may ask for: enough for any value that is not made to take as much memory as possible, and for
    /// a payload of 1 MiB never more than 64 MiB.
    ///
    /// An item takes at least a byte of a payload, or a bit of one that is packed, and so does a byte of a string.
    pub const fn for_payload(len: usize) -> Self {
        Self {
            depth: 128,
            bytes_out: len.saturating_mul(16).saturating_add(4 * MIB),
            elements: len.saturating_mul(8).saturating_add(KIB),
            text: len.saturating_add(KIB),
            window: window(len),
            allocation: len.saturating_mul(8).saturating_add(MIB),
        }
    }

    /// No limit but one: of depth, since a call stack that overflows ends the process. For bytes that this program wrote itself, or that a
    /// checksum has proven. Reading them is as safe as ever, but may take all the memory there is.
    pub const fn trusted() -> Self {
        Self { depth: 128, bytes_out: usize::MAX, elements: usize::MAX, text: usize::MAX, window: usize::MAX, allocation: usize::MAX }
    }

    /// What a value may take whose payload of `len` bytes came to `inflated` when it was unpacked or decompressed: more than those few
    /// bytes, and less than all that they come to may ask for.
    pub(crate) const fn for_inflated(len: usize, inflated: usize) -> Self {
        let base = Self::for_payload(len);
        let of_inflated = Self::for_payload(inflated);
        let most = len.saturating_mul(32).saturating_add(4 * MIB);
        let allocation = if of_inflated.allocation < most { of_inflated.allocation } else { most };
        Self {
            elements: of_inflated.elements,
            text: of_inflated.text,
            allocation: if allocation > base.allocation { allocation } else { base.allocation },
            ..base
        }
    }

    /// Whether a codec may give so many bytes.
    ///
    /// # Errors
    ///
    /// Here and below: the limit that this goes beyond.
    #[inline]
    pub fn hold_bytes_out(&self, wanted: usize) -> Result<(), Problem> {
        hold("bytes out", self.bytes_out, wanted)
    }

    /// Whether values may stand so deep inside each other.
    ///
    /// # Errors
    ///
    /// They may not.
    #[inline]
    pub fn hold_depth(&self, wanted: usize) -> Result<(), Problem> {
        hold("depth", self.depth, wanted)
    }

    /// Whether a string or run of bytes may be so long.
    ///
    /// # Errors
    ///
    /// It may not.
    #[inline]
    pub fn hold_text(&self, wanted: usize) -> Result<(), Problem> {
        hold("string length", self.text, wanted)
    }
}

/// Eight mebibytes are what RFC 8878 asks of every decoder of Zstandard, and all that its ordinary levels use; the library's own 128 can be
/// had with a few bytes.
const fn window(len: usize) -> usize {
    const LEAST: usize = 8 * MIB;
    const MOST: usize = 128 * MIB;
    match len.checked_next_power_of_two() {
        Some(size) if size <= LEAST => LEAST,
        Some(size) if size <= MOST => size,
        _ => MOST,
    }
}

/// Whether what is wanted is allowed.
///
/// # Errors
///
/// It is not: the limit's name, its value, and what was asked for.
#[inline]
pub fn hold(limit: &'static str, allowed: usize, wanted: usize) -> Result<(), Problem> {
    if wanted <= allowed { Ok(()) } else { Err(exceeded(limit, allowed, wanted)) }
}

/// The problem of a limit that was exceeded.
#[cold]
pub fn exceeded(limit: &'static str, allowed: usize, wanted: usize) -> Problem {
    Problem::Limit { limit, allowed: allowed as u64, wanted: wanted as u64 }
}

/// What a reading has taken of its limits so far.
#[derive(Debug, Clone)]
pub struct Meter {
    limits: Limits,
    elements: usize,
    allocation: usize,
}

impl Meter {
    /// Nothing is taken yet.
    pub const fn new(limits: Limits) -> Self {
        Self { limits, elements: 0, allocation: 0 }
    }

    /// What it holds to.
    pub const fn limits(&self) -> &Limits {
        &self.limits
    }

    /// So many items of a list, before or when their memory is asked for.
    ///
    /// # Errors
    ///
    /// Here and below: the limit that this goes beyond.
    #[inline]
    pub fn list<T>(&mut self, count: usize) -> Result<(), Problem> {
        if self.take(count, count.saturating_mul(size_of::<T>())) { Ok(()) } else { Err(self.exceeded()) }
    }

    /// A string, or run of bytes, that is copied.
    ///
    /// # Errors
    ///
    /// The limit that this goes beyond.
    #[inline]
    pub fn text(&mut self, len: usize) -> Result<(), Problem> {
        self.limits.hold_text(len)?;
        self.allocate(len)
    }

    /// Memory of any other kind.
    ///
    /// # Errors
    ///
    /// The limit that this goes beyond.
    #[inline]
    pub fn allocate(&mut self, bytes: usize) -> Result<(), Problem> {
        if self.take(0, bytes) { Ok(()) } else { Err(self.exceeded()) }
    }

    /// Memory that was taken is given back.
    #[inline]
    pub fn release(&mut self, bytes: usize) {
        self.allocation = self.allocation.saturating_sub(bytes);
    }

    /// Makes room for so many more items, half as many again as there are if that is more. It is counted as it is taken: the old items and
    /// the new room stand side by side while they are moved.
    ///
    /// # Errors
    ///
    /// The limit that this goes beyond.
    #[inline]
    pub fn reserve<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), Problem> {
        if list.capacity() - list.len() >= more { Ok(()) } else { self.grow(list, more) }
    }

    #[cold]
    fn grow<T>(&mut self, list: &mut Vec<T>, more: usize) -> Result<(), Problem> {
        let before = list.capacity();
        let room = list.len().saturating_add(more).max(before + before / 2).max(4);
        self.allocate(room.saturating_mul(size_of::<T>()))?;
        list.reserve_exact(room - list.len());
        self.release(before * size_of::<T>());
        Ok(())
    }

    /// Puts an item into a list that grows as in [`reserve`](Self::reserve).
    ///
    /// # Errors
    ///
    /// The limit that this goes beyond.
    #[inline]
    pub fn push<T>(&mut self, list: &mut Vec<T>, item: T) -> Result<(), Problem> {
        self.reserve(list, 1)?;
        list.push(item);
        Ok(())
    }

    /// Whether so many items and bytes more are allowed: one answer for the hot path, and [`exceeded`](Self::exceeded) for what it was.
    #[inline]
    pub(crate) fn take(&mut self, items: usize, bytes: usize) -> bool {
        self.elements = self.elements.saturating_add(items);
        self.allocation = self.allocation.saturating_add(bytes);
        self.elements <= self.limits.elements && self.allocation <= self.limits.allocation
    }

    /// The limit that what was taken goes beyond.
    #[cold]
    pub(crate) fn exceeded(&self) -> Problem {
        match hold("elements", self.limits.elements, self.elements) {
            Err(problem) => problem,
            Ok(()) => exceeded("allocation", self.limits.allocation, self.allocation),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mebibyte_never_asks_for_more_than_64() {
        for len in [0, 1, 1000, MIB / 2, MIB] {
            let limits = Limits::for_payload(len);
            let inflated = Limits::for_inflated(len, limits.bytes_out);
            // The bytes that came out, twice while they grow by half, and what is made of them.
            assert!(limits.bytes_out + inflated.allocation <= 64 * MIB, "{len}: {inflated:?}");
            assert!(limits.bytes_out + limits.bytes_out / 2 + limits.window <= 64 * MIB, "{len}");
            assert!(limits.allocation <= 8 * len + MIB);
        }
    }

    #[test]
    fn no_size_overflows() {
        for limits in [Limits::for_payload(usize::MAX), Limits::for_inflated(usize::MAX, usize::MAX), Limits::trusted()] {
            assert_eq!(limits.allocation, usize::MAX);
            assert_eq!(limits.depth, 128);
        }
        let mut meter = Meter::new(Limits::trusted());
        meter.list::<u64>(usize::MAX).unwrap();
        meter.allocate(usize::MAX).unwrap();
    }

    /// What a list takes while it grows is what is counted, and what it has is given back.
    #[test]
    fn a_list_is_counted_as_it_grows() {
        let mut meter = Meter::new(Limits { allocation: 100, ..Limits::trusted() });
        let mut list = Vec::new();
        let refused = (0u64..).find_map(|item| meter.push(&mut list, item).err());
        // Four take 32 bytes, six take 48 beside them; nine would take 72 beside those.
        assert_eq!((list.len(), list.capacity()), (6, 6));
        assert_eq!(refused, Some(Problem::Limit { limit: "allocation", allowed: 100, wanted: 120 }));
    }

    /// Each check lets through what the limit says, and names the limit with the first that is more.
    #[test]
    fn each_limit_is_inclusive_and_names_itself() {
        type Check = fn(Limits, usize) -> Result<(), Problem>;
        let checks: [(&str, Check); 5] = [
            ("depth", |limits, wanted| limits.hold_depth(wanted)),
            ("bytes out", |limits, wanted| limits.hold_bytes_out(wanted)),
            ("string length", |limits, wanted| limits.hold_text(wanted)),
            ("elements", |limits, wanted| Meter::new(Limits { allocation: usize::MAX, ..limits }).list::<u64>(wanted)),
            ("allocation", |limits, wanted| Meter::new(limits).allocate(wanted)),
        ];
        let ten = Limits { depth: 10, bytes_out: 10, elements: 10, text: 10, window: 10, allocation: 10 };
        for (name, check) in checks {
            check(ten, 10).unwrap();
            assert_eq!(check(ten, 11), Err(Problem::Limit { limit: name, allowed: 10, wanted: 11 }));
        }
    }
}
