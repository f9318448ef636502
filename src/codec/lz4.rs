//! LZ4 through lz4_flex, without unsafe code: one block behind its decompressed size.

use lz4_flex::block::{CompressTable, compress_into_with_table, decompress_into, get_maximum_output_size};

use super::{Codec, CodecInfo, blocks, complete, within};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits};
use crate::operation::Operation;
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "lz4";
const WIRE_FORMAT: &str = "LZ4 block behind its size";

/// What one compressed byte can stand for at most: a match grows by 255 with each byte of its length.
pub(super) const GREATEST_RATIO: usize = 255;

/// An LZ4 block behind its decompressed size, four bytes little-endian.
pub struct Lz4 {
    /// The library's choice for inputs below 64 KiB.
    small: CompressTable,
    /// The same for the others. Two, because the library turns a small table into a large one and not back: what stood in it
    /// before would decide how the next input is compressed.
    large: CompressTable,
}

impl Default for Lz4 {
    fn default() -> Self {
        Self { small: CompressTable::small(), large: CompressTable::large() }
    }
}

pub(super) fn register(registry: &mut Registry) {
    registry.codec(Lz4::default);
    blocks::register(registry, Lz4::default);
}

impl Codec for Lz4 {
    fn info(&self) -> CodecInfo {
        CodecInfo {
            name: NAME.to_owned(),
            wire_format: WIRE_FORMAT.to_owned(),
            library: "lz4_flex",
            version: crate::version!("LZ4_FLEX"),
            by_default: true,
        }
    }

    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()> {
        let declared = u32::try_from(bytes.len())
            .map_err(|_| Error::new(NAME, Problem::Limit { limit: "input", allowed: u32::MAX.into(), wanted: bytes.len() as u64 }))?;
        sink.resize(4 + get_maximum_output_size(bytes.len()), 0);
        let (prefix, block) = sink.split_at_mut(4);
        prefix.copy_from_slice(&declared.to_le_bytes());
        let table = if bytes.len() < usize::from(u16::MAX) { &mut self.small } else { &mut self.large };
        let written = compress_into_with_table(bytes, block, table).map_err(|error| Error::malformed(NAME, error))?;
        sink.truncate(4 + written);
        Ok(())
    }

    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        decompress(bytes, limits, payload).map_err(|error| error.explained(Operation::Decompress, WIRE_FORMAT, bytes))
    }

    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>> {
        let (declared, block) = split(bytes)?;
        within(NAME, "what this many bytes can hold", block.len().saturating_mul(GREATEST_RATIO), declared as u64)?;
        Ok(Some(declared))
    }

    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()> {
        let (declared, block) = split(bytes)?;
        complete(NAME, declared, target.len())?;
        let written = decompress_into(block, target).map_err(|error| Error::malformed(NAME, error))?;
        complete(NAME, written, declared)
    }
}

/// The size that the block stands behind, and the block.
fn split(bytes: &[u8]) -> Result<(usize, &[u8])> {
    let Some((prefix, block)) = bytes.split_first_chunk::<4>() else {
        return Err(Error::at(NAME, bytes.len(), Problem::Truncated { needed: 4 - bytes.len() as u64, left: 0 }));
    };
    Ok((u32::from_le_bytes(*prefix) as usize, block))
}

/// The size is believed only as far as the limits and the input's length can bear it: a claim alone allocates nothing. A block has no
/// end mark, but bytes after it would be read as a sequence, which makes at least four bytes more than were declared.
fn decompress(bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
    let (declared, block) = split(bytes)?;
    limits
        .hold_bytes_out(declared)
        .and_then(|()| limits::hold("what this many bytes can hold", block.len().saturating_mul(GREATEST_RATIO), declared))
        .map_err(|problem| Error::at(NAME, 0, problem))?;
    let written = decompress_into(block, payload.overwrite(declared)).map_err(|error| Error::malformed(NAME, error))?;
    if written == declared {
        Ok(())
    } else {
        Err(Error::new(NAME, Problem::Malformed(format!("the block holds {written} bytes, its size says {declared}"))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut sink = Vec::new();
        Lz4::default().compress(bytes, &mut sink).unwrap();
        sink
    }

    fn refusal(bytes: &[u8], bytes_out: usize) -> Error {
        let limits = Limits { bytes_out, ..Limits::for_payload(bytes.len()) };
        Lz4::default().decompress(bytes, &limits, &mut Payload::default()).unwrap_err()
    }

    #[test]
    fn what_was_compressed_comes_back() {
        let mut codec = Lz4::default();
        let mut payload = Payload::default();
        for len in [0, 1, 12, 13, 1000, 65_534, 65_535, 70_000] {
            let bytes: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
            codec.decompress(&compressed(&bytes), &Limits { bytes_out: len, ..Limits::trusted() }, &mut payload).unwrap();
            assert_eq!(payload.as_slice(), bytes);
        }
    }

    #[test]
    fn the_bytes_do_not_depend_on_what_was_compressed_before() {
        let (short, long) = (b"abcabcabcabcabcabcabd".repeat(9), vec![7; 100_000]);
        let (mut codec, mut sink) = (Lz4::default(), Vec::new());
        codec.compress(&long, &mut sink).unwrap();
        codec.compress(&short, &mut sink).unwrap();
        assert_eq!(sink, compressed(&short));
    }

    #[test]
    fn a_claim_alone_allocates_nothing() {
        let mut payload = Payload::default();
        let error = Lz4::default().decompress(&[0xFF, 0xFF, 0xFF, 0xFF, 0], &Limits::trusted(), &mut payload).unwrap_err();
        assert_eq!(*error.problem(), Problem::Limit { limit: "what this many bytes can hold", allowed: 255, wanted: 0xFFFF_FFFF });
        assert!(payload.is_empty());
        let bytes = compressed(&[0; 1000]);
        assert_eq!(*refusal(&bytes, 999).problem(), Problem::Limit { limit: "bytes out", allowed: 999, wanted: 1000 });
    }

    #[test]
    fn more_less_or_other_bytes_are_refused() {
        let text = b"a payload, a payload, another payload, and the rest";
        let good = compressed(text);
        for cut in 0..good.len() {
            refusal(&good[..cut], 1000);
        }
        for extra in 1..40 {
            for byte in [0, 1, 0x10, 0x1F, 0xF0, 0xFF] {
                refusal(&[good.as_slice(), &vec![byte; extra]].concat(), 1000);
            }
        }
        for offset in [0u16, 100] {
            let block = [&[5, 0, 0, 0, 0x10, b'x'], offset.to_le_bytes().as_slice()].concat();
            refusal(&block, 1000);
        }
    }

    #[test]
    fn a_frame_is_named() {
        let frame = [0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0];
        assert!(refusal(&frame, usize::MAX).to_string().contains("this is an LZ4 frame"));
    }
}
