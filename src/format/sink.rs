//! A vector that is written from its start, for writers that ask for room and then fill part of it.

/// Writes to the start of a vector over what stood there: its length is room that needs no zeros, and grows by doubling.
pub(super) struct Sink<'s> {
    bytes: &'s mut Vec<u8>,
    at: usize,
}

impl<'s> Sink<'s> {
    /// The least that an empty vector grows to.
    const LEAST: usize = 1024;

    pub(super) fn new(bytes: &'s mut Vec<u8>) -> Self {
        Self { bytes, at: 0 }
    }

    /// The next `size` bytes, to be filled from their start; [`advance`](Self::advance) says how far.
    #[inline]
    pub(super) fn room(&mut self, size: usize) -> &mut [u8] {
        let end = self.at + size;
        if end > self.bytes.len() {
            self.grow(end);
        }
        &mut self.bytes[self.at..end]
    }

    #[cold]
    fn grow(&mut self, end: usize) {
        let capacity = self.bytes.capacity();
        if end <= capacity {
            // A used vector: room was asked for beyond what it held, as a rule just before the end, and zeros are written for no more.
            self.bytes.resize(capacity.min(end + end / 64 + Self::LEAST), 0);
        } else if self.at == 0 {
            // Nothing to keep: memory that the system hands out as zeros costs less than writing them.
            *self.bytes = vec![0; end.max(Self::LEAST)];
        } else {
            self.bytes.resize(end.max(self.bytes.len() * 2), 0);
        }
    }

    #[cfg(any(feature = "system-text-json", feature = "messagepack-csharp", feature = "protobuf-net", feature = "google-protobuf"))]
    #[inline]
    pub(super) fn advance(&mut self, size: usize) {
        self.at += size;
    }

    #[cfg(any(feature = "system-text-json", feature = "messagepack-csharp", feature = "datacontract"))]
    #[inline]
    pub(super) fn put_slice(&mut self, bytes: &[u8]) {
        self.room(bytes.len()).copy_from_slice(bytes);
        self.at += bytes.len();
    }

    /// What was written from `start` on.
    #[cfg(any(feature = "system-text-json", feature = "messagepack-csharp"))]
    pub(super) fn written_since(&self, start: usize) -> &[u8] {
        &self.bytes[start..self.at]
    }
}

#[cfg(any(feature = "system-text-json", feature = "datacontract"))]
impl Sink<'_> {
    /// How many bytes have been written.
    #[cfg(feature = "system-text-json")]
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.at
    }

    #[inline]
    pub(super) fn put<const N: usize>(&mut self, bytes: [u8; N]) {
        self.room(N).copy_from_slice(&bytes);
        self.at += N;
    }

    /// Takes back the last bytes.
    #[cfg(feature = "system-text-json")]
    pub(super) fn back(&mut self, size: usize) {
        self.at -= size;
    }
}

/// In the end the vector is cut to what was written. A writer that stops at an error leaves nothing of what stood there before, either.
impl Drop for Sink<'_> {
    fn drop(&mut self) {
        self.bytes.truncate(self.at);
    }
}
