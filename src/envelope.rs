//! An envelope for payloads that cannot tell what they are: which format and schema, which version, and who may read it.
//!
//! A format without field numbers or names reads bytes of another schema as its own wherever the sizes happen to agree. The envelope
//! stands in front of the payload and is checked before a byte of it is looked at. Its header is 64 bytes, a multiple of
//! [`ALIGNMENT`](crate::payload::ALIGNMENT), so a payload behind it is as aligned as the whole. `docs/ENVELOPE.md` is its specification.
//!
//! ```
//! use wirewise::envelope::{self, Envelope, Reader};
//!
//! let layout = envelope::layout(&[b"my library 1.0"]);
//! let envelope = Envelope { format: *b"mine", schema_hash: envelope::hash(b"struct A { a: u32 }"), version: 2, least_reader_version: 2, layout };
//! let mut sealed = Vec::new();
//! envelope.seal(b"payload", &mut sealed);
//!
//! let (header, payload) = envelope::open(&Reader { format: *b"mine", version: 3, layout }, &sealed)?;
//! assert_eq!((header.version, payload), (2, &b"payload"[..]));
//!
//! let too_old = Reader { format: *b"mine", version: 1, layout };
//! assert_eq!(envelope::open(&too_old, &sealed), Err(envelope::Refusal::ReaderTooOld { least: 2, reader: 1 }));
//! # Ok::<(), envelope::Refusal>(())
//! ```

use rapidhash::v3::{DEFAULT_RAPID_SECRETS, rapidhash_v3_seeded};

/// The bytes in front of a payload.
pub const HEADER: usize = 64;

/// The first bytes of every envelope. The first is no text, and the line ends at its end do not survive a transfer as text.
pub const MAGIC: [u8; 8] = *b"\x89WWENV\r\n";

/// The version of the envelope's own layout.
pub const ENVELOPE_VERSION: u16 = 1;

/// What an envelope says of the payload in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Envelope {
    /// Four letters for the format.
    pub format: [u8; 4],
    /// The schema that wrote it, see [`hash`]. It tells two schemas apart that were given the same version by mistake.
    pub schema_hash: u64,
    /// The schema's version, from 1.
    pub version: u32,
    /// The least version whose readers may read this. It is the schema's own version, unless it is known that older readers get it right.
    pub least_reader_version: u32,
    /// What the layout of the bytes depends on beside the schema, see [`layout`]; 0 for a format that depends on nothing else.
    pub layout: u64,
}

/// What a reader is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reader {
    /// The format that it reads.
    pub format: [u8; 4],
    /// Its schema's version.
    pub version: u32,
    /// What its layout depends on beside the schema.
    pub layout: u64,
}

/// Why an envelope is not opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// It does not start as an envelope does.
    #[error("not an envelope")]
    NoEnvelope,
    /// The envelope itself is of a version that is not known here.
    #[error("an envelope of version {0}")]
    EnvelopeVersion(u16),
    /// The header was changed.
    #[error("the header's checksum does not match")]
    Header,
    /// The payload is longer or shorter than the header says.
    #[error("{left} bytes behind the header, which says {length}")]
    Length {
        /// What the header says.
        length: u64,
        /// What there is.
        left: u64,
    },
    /// The payload was changed.
    #[error("the payload's checksum does not match")]
    Payload,
    /// It is of another format.
    #[error("format {found:?} where {wanted:?} is read", found = text(found), wanted = text(wanted))]
    Format {
        /// The envelope's.
        found: [u8; 4],
        /// The reader's.
        wanted: [u8; 4],
    },
    /// It was laid out by another library version, pointer width or byte order.
    #[error("layout {found:016x} where {wanted:016x} is read")]
    Layout {
        /// The envelope's.
        found: u64,
        /// The reader's.
        wanted: u64,
    },
    /// Only later readers may read it.
    #[error("for readers from version {least}, this is version {reader}")]
    ReaderTooOld {
        /// The least that may read it.
        least: u32,
        /// The reader's.
        reader: u32,
    },
}

fn text(letters: &[u8; 4]) -> String {
    letters.escape_ascii().to_string()
}

impl Envelope {
    /// Writes the envelope and the payload as the whole content of `sink`.
    pub fn seal(&self, payload: &[u8], sink: &mut Vec<u8>) {
        sink.clear();
        sink.reserve(HEADER + payload.len());
        sink.extend(MAGIC);
        sink.extend(ENVELOPE_VERSION.to_le_bytes());
        sink.extend((HEADER as u16).to_le_bytes());
        sink.extend(self.format);
        sink.extend(self.schema_hash.to_le_bytes());
        sink.extend(self.version.to_le_bytes());
        sink.extend(self.least_reader_version.to_le_bytes());
        sink.extend((payload.len() as u64).to_le_bytes());
        sink.extend(self.layout.to_le_bytes());
        sink.extend(hash(payload).to_le_bytes());
        let header = hash(sink);
        sink.extend(header.to_le_bytes());
        sink.extend(payload);
    }
}

/// What an envelope says, and the payload in it, once all of it was found to be whole and for this reader.
///
/// Which schema to read the payload with is for the caller to say, by [`Envelope::version`]; trying one after the other is no way to find
/// out, since a wrong one may succeed.
///
/// # Errors
///
/// The first of the [`Refusal`]s that applies, in their order.
pub fn open<'p>(reader: &Reader, bytes: &'p [u8]) -> Result<(Envelope, &'p [u8]), Refusal> {
    let (header, payload) = bytes.split_at_checked(HEADER).ok_or(Refusal::NoEnvelope)?;
    if header[..8] != MAGIC {
        return Err(Refusal::NoEnvelope);
    }
    let envelope_version = u16::from_le_bytes(at(header, 8));
    if envelope_version != ENVELOPE_VERSION || u16::from_le_bytes(at(header, 10)) as usize != HEADER {
        return Err(Refusal::EnvelopeVersion(envelope_version));
    }
    let number = |offset| u64::from_le_bytes(at(header, offset));
    if number(56) != hash(&header[..56]) {
        return Err(Refusal::Header);
    }
    let (length, left) = (number(32), payload.len() as u64);
    if length != left {
        return Err(Refusal::Length { length, left });
    }
    if number(48) != hash(payload) {
        return Err(Refusal::Payload);
    }
    let envelope = Envelope {
        format: at(header, 12),
        schema_hash: number(16),
        version: u32::from_le_bytes(at(header, 24)),
        least_reader_version: u32::from_le_bytes(at(header, 28)),
        layout: number(40),
    };
    if envelope.format != reader.format {
        return Err(Refusal::Format { found: envelope.format, wanted: reader.format });
    }
    if envelope.layout != reader.layout {
        return Err(Refusal::Layout { found: envelope.layout, wanted: reader.layout });
    }
    if envelope.least_reader_version > reader.version {
        return Err(Refusal::ReaderTooOld { least: envelope.least_reader_version, reader: reader.version });
    }
    Ok((envelope, payload))
}

/// The bytes at an offset of a header, which is known to be long enough.
fn at<const N: usize>(header: &[u8], offset: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&header[offset..offset + N]);
    bytes
}

/// The hash of the envelope: rapidhash, version 3, with its default secrets and seed 0. It finds accidents, not attacks.
pub fn hash(bytes: &[u8]) -> u64 {
    rapidhash_v3_seeded(bytes, &DEFAULT_RAPID_SECRETS)
}

/// A fingerprint of what a layout depends on: this machine's byte order, the width of its pointers and the alignment of its widest
/// numbers, and what `parts` name, such as the library, its version and its features.
pub fn layout(parts: &[&[u8]]) -> u64 {
    let machine = [u8::from(cfg!(target_endian = "big")), size_of::<usize>() as u8, align_of::<u64>() as u8, align_of::<u128>() as u8];
    let mut all = machine.to_vec();
    for part in parts {
        all.extend((part.len() as u32).to_le_bytes());
        all.extend(*part);
    }
    hash(&all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::{ALIGNMENT, Payload};

    const READER: Reader = Reader { format: *b"test", version: 2, layout: 7 };

    fn envelope() -> Envelope {
        Envelope { format: *b"test", schema_hash: 5, version: 2, least_reader_version: 1, layout: 7 }
    }

    fn sealed(envelope: Envelope) -> Vec<u8> {
        let mut sink = b"what stood here".to_vec();
        envelope.seal(b"payload", &mut sink);
        sink
    }

    #[test]
    fn what_was_sealed_is_opened_and_aligned() {
        let sealed = Payload::from(sealed(envelope()));
        let (header, payload) = open(&READER, &sealed).unwrap();
        assert_eq!((header, payload), (envelope(), &b"payload"[..]));
        assert_eq!(payload.as_ptr().addr() % ALIGNMENT, 0);
    }

    #[test]
    fn the_layout_is_the_documented_one() {
        let sealed = sealed(envelope());
        let head: String = sealed[..48].iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(head, "895757454e560d0a0100400074657374050000000000000002000000010000000700000000000000070000000000000000"[..96]);
        assert_eq!(&sealed[HEADER..], b"payload");
    }

    #[test]
    fn every_changed_bit_and_every_other_length_is_refused() {
        let sealed = sealed(envelope());
        for bit in 0..sealed.len() * 8 {
            let mut changed = sealed.clone();
            changed[bit / 8] ^= 1 << (bit % 8);
            assert!(open(&READER, &changed).is_err(), "bit {bit}");
        }
        for length in 0..sealed.len() {
            assert!(open(&READER, &sealed[..length]).is_err(), "{length} bytes");
        }
        let longer = [&sealed[..], b"!"].concat();
        assert_eq!(open(&READER, &longer), Err(Refusal::Length { length: 7, left: 8 }));
    }

    #[test]
    fn a_reader_that_it_is_not_for_is_told_why() {
        for (envelope, refusal) in [
            (Envelope { format: *b"else", ..envelope() }, Refusal::Format { found: *b"else", wanted: *b"test" }),
            (Envelope { layout: 8, ..envelope() }, Refusal::Layout { found: 8, wanted: 7 }),
            (Envelope { least_reader_version: 3, ..envelope() }, Refusal::ReaderTooOld { least: 3, reader: 2 }),
        ] {
            assert_eq!(open(&READER, &sealed(envelope)), Err(refusal));
        }
    }
}
