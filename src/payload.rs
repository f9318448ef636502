//! Encoded bytes, aligned so that any format can be accessed in place.

use std::ops::{Deref, DerefMut};

use crate::limits::Limits;

/// The alignment of every payload, in bytes. The formats here ask for 8 (Cap'n Proto, FlatBuffers) or 16 (rkyv's widest types) at most.
pub const ALIGNMENT: usize = 16;

/// Encoded bytes that start at a multiple of [`ALIGNMENT`].
///
/// It takes over a `Vec<u8>` that happens to be aligned, as an allocator's blocks nearly always are, and copies one that is not.
///
/// With the bytes stands how far they are believed: under [`Limits::for_payload`] of their own number, unless something else is said.
#[derive(Debug)]
pub struct Payload {
    memory: Memory,
    start: usize,
    len: usize,
    /// Those of the payload's size, if there are none.
    limits: Option<Limits>,
}

/// Where the bytes are.
#[derive(Debug)]
enum Memory {
    Owned(Vec<u8>),
    /// A file's pages, which are aligned; what is written to them is not written to the file.
    #[cfg(feature = "file")]
    Mapped(memmap2::MmapMut),
}

impl Memory {
    #[inline]
    fn as_slice(&self) -> &[u8] {
        match self {
            Self::Owned(buffer) => buffer,
            #[cfg(feature = "file")]
            Self::Mapped(map) => map,
        }
    }

    #[inline]
    fn as_mut_slice(&mut self) -> &mut [u8] {
        match self {
            Self::Owned(buffer) => buffer,
            #[cfg(feature = "file")]
            Self::Mapped(map) => map,
        }
    }
}

impl Payload {
    /// A payload of `len` zero bytes.
    pub fn zeroed(len: usize) -> Self {
        let buffer = vec![0; len + ALIGNMENT - 1];
        let start = misalignment(&buffer);
        Self { memory: Memory::Owned(buffer), start, len, limits: None }
    }

    /// The bytes of a file that is mapped for this process alone, see [`file::map`](crate::file::map).
    #[cfg(feature = "file")]
    pub(crate) fn mapped(map: memmap2::MmapMut) -> Self {
        let (start, len) = (misalignment(&map), map.len());
        // The system maps whole pages.
        assert_eq!(start, 0);
        Self { memory: Memory::Mapped(map), start, len, limits: None }
    }

    /// The payload's bytes.
    pub fn as_slice(&self) -> &[u8] {
        &self.memory.as_slice()[self.start..self.start + self.len]
    }

    /// The payload's bytes, to be changed in place.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        &mut self.memory.as_mut_slice()[self.start..self.start + self.len]
    }

    /// Makes the payload `len` bytes long, for a writer that fills them all, and reuses the memory it has.
    ///
    /// What the bytes hold before that is not specified: it may be what stood there.
    pub fn overwrite(&mut self, len: usize) -> &mut [u8] {
        if self.start + len > self.memory.as_slice().len() {
            *self = Self { limits: self.limits, ..Self::zeroed(len) };
        }
        self.len = len;
        self.as_mut_slice()
    }

    /// Takes over other bytes; the limits that were set stay.
    #[cfg_attr(not(feature = "zstd"), allow(dead_code))]
    pub(crate) fn replace(&mut self, bytes: Vec<u8>) {
        *self = Self { limits: self.limits, ..Self::from(bytes) };
    }

    /// What reading this payload may take.
    pub fn limits(&self) -> Limits {
        self.limits.unwrap_or(Limits::for_payload(self.len))
    }

    /// Limits of your own, whatever the payload's size: raise or lower those that [`limits`](Self::limits) gives.
    pub fn set_limits(&mut self, limits: Limits) {
        self.limits = Some(limits);
    }

    /// The payload, to be read without limits: see [`Limits::trusted`] for which bytes that is.
    #[must_use]
    pub fn trusted(mut self) -> Self {
        self.set_limits(Limits::trusted());
        self
    }

    /// The limits for what this payload holds in a packed or compressed form that comes to so many bytes.
    #[cfg_attr(not(any(feature = "capnp", feature = "messagepack-csharp")), allow(dead_code))]
    pub(crate) fn limits_inflated(&self, inflated: usize) -> Limits {
        self.limits.unwrap_or(Limits::for_inflated(self.len, inflated))
    }
}

/// How many bytes to skip until the next multiple of [`ALIGNMENT`].
fn misalignment(buffer: &[u8]) -> usize {
    buffer.as_ptr().addr().wrapping_neg() % ALIGNMENT
}

/// An empty payload; it is aligned too, as libraries look at the address before they look at the length.
impl Default for Payload {
    fn default() -> Self {
        Self::zeroed(0)
    }
}

impl From<Vec<u8>> for Payload {
    fn from(buffer: Vec<u8>) -> Self {
        if misalignment(&buffer) == 0 {
            let len = buffer.len();
            Self { memory: Memory::Owned(buffer), start: 0, len, limits: None }
        } else {
            Self::from(buffer.as_slice())
        }
    }
}

impl From<&[u8]> for Payload {
    fn from(bytes: &[u8]) -> Self {
        let mut payload = Self::zeroed(bytes.len());
        payload.as_mut_slice().copy_from_slice(bytes);
        payload
    }
}

/// A copy is aligned anew: its memory is elsewhere.
impl Clone for Payload {
    fn clone(&self) -> Self {
        Self { limits: self.limits, ..Self::from(self.as_slice()) }
    }
}

impl Deref for Payload {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.as_slice()
    }
}

impl DerefMut for Payload {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.as_mut_slice()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_make_a_payload_aligns_it() {
        for len in 0..100 {
            let bytes: Vec<u8> = (0..len as u8).collect();
            let mut overwritten = Payload::default();
            overwritten.overwrite(len).copy_from_slice(&bytes);
            let payloads =
                [Payload::from(bytes.as_slice()), Payload::from(bytes.clone()), Payload::from(bytes.clone()).clone(), overwritten];
            for payload in payloads {
                assert_eq!(payload.as_ptr().addr() % ALIGNMENT, 0);
                assert_eq!(payload.as_slice(), bytes);
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_size_until_they_are_set() {
        let mut payload = Payload::zeroed(10);
        assert_eq!(payload.limits(), Limits::for_payload(10));
        payload.overwrite(1000);
        assert_eq!(payload.limits(), Limits::for_payload(1000));
        payload.set_limits(Limits { depth: 3, ..payload.limits() });
        let set = Limits { depth: 3, ..Limits::for_payload(1000) };
        assert_eq!(payload.clone().limits(), set);
        payload.overwrite(100_000);
        assert_eq!(payload.limits(), set);
        assert_eq!(payload.trusted().limits(), Limits::trusted());
    }

    #[test]
    fn overwriting_with_less_reuses_the_memory() {
        let mut payload = Payload::zeroed(1000);
        let before = payload.as_ptr();
        payload.overwrite(10);
        payload.overwrite(1000);
        assert_eq!(payload.as_ptr(), before);
        assert_eq!(payload.len(), 1000);
    }
}
