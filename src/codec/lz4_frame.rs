//! LZ4's frame format through lz4_flex: what the `lz4` program and other libraries exchange.

use std::io::{Read, Write};

use lz4_flex::frame::{BlockMode, BlockSize, FrameDecoder, FrameEncoder, FrameInfo};

use super::lz4::GREATEST_RATIO;
use super::{Codec, CodecInfo, blocks, complete, within};
use crate::error::{Error, Problem, Result};
use crate::limits::Limits;
use crate::operation::Operation;
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "lz4-frame";
const WIRE_FORMAT: &str = "LZ4 frame";

const FRAME_MAGIC: [u8; 4] = [0x04, 0x22, 0x4D, 0x18];

/// The bits of the first descriptor byte that say what else there is.
const HAS_BLOCK_CHECKSUMS: u8 = 0b0001_0000;
const HAS_CONTENT_SIZE: u8 = 0b0000_1000;
const HAS_CONTENT_CHECKSUM: u8 = 0b0000_0100;
const HAS_DICTIONARY: u8 = 0b0000_0001;
/// The bit of a block's size that says that the block is not compressed.
const STORED: u32 = 1 << 31;
/// Where the content's size stands.
const CONTENT_SIZE: std::ops::Range<usize> = 6..14;

/// An LZ4 frame as the `lz4` program writes it by default, blocks of 4 MiB that do not refer to each other and a checksum over the content, and
/// with the content's size, which that program leaves out.
#[derive(Debug, Default, Clone, Copy)]
pub struct Lz4Frame;

pub(super) fn register(registry: &mut Registry) {
    registry.codec(Lz4Frame::default);
    blocks::register(registry, Lz4Frame::default);
}

impl Codec for Lz4Frame {
    fn info(&self) -> CodecInfo {
        CodecInfo {
            name: NAME.to_owned(),
            wire_format: WIRE_FORMAT.to_owned(),
            library: "lz4_flex",
            version: crate::version!("LZ4_FLEX"),
            by_default: false,
        }
    }

    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()> {
        let frame = FrameInfo::new()
            .block_mode(BlockMode::Independent)
            .block_size(BlockSize::Max4MB)
            .content_checksum(true)
            .content_size(Some(bytes.len() as u64));
        let mut reused = std::mem::take(sink);
        reused.clear();
        let mut encoder = FrameEncoder::with_frame_info(frame, reused);
        encoder.write_all(bytes).map_err(|error| Error::malformed(NAME, error))?;
        *sink = encoder.finish().map_err(|error| Error::malformed(NAME, error))?;
        Ok(())
    }

    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        let mut decompress = || {
            let declared = self.declared_size(bytes)?.ok_or_else(|| Error::malformed(NAME, "the decompressed size is not told"))?;
            limits.hold_bytes_out(declared).map_err(|problem| Error::at(NAME, CONTENT_SIZE.start, problem))?;
            self.decompress_into(bytes, payload.overwrite(declared))
        };
        decompress().map_err(|error| error.explained(Operation::Decompress, WIRE_FORMAT, bytes))
    }

    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>> {
        let (flags, end) = frame(bytes)?;
        if end < bytes.len() {
            return Err(Error::at(NAME, end, Problem::Trailing { left: (bytes.len() - end) as u64 }));
        }
        if flags & HAS_CONTENT_SIZE == 0 {
            return Ok(None);
        }
        let Some(size) = bytes.get(CONTENT_SIZE).and_then(|size| size.first_chunk()) else { return Ok(None) };
        let declared = u64::from_le_bytes(*size);
        within(NAME, "what this many bytes can hold", bytes.len().saturating_mul(GREATEST_RATIO), declared)?;
        Ok(Some(declared as usize))
    }

    /// The library checks the content's size and checksum when it comes to the end of the frame, so the end is asked for. It takes the end
    /// of the input for the end of the frame, so that one is looked for first.
    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()> {
        let refused = |error: std::io::Error| Error::malformed(NAME, error);
        let (_, end) = frame(bytes)?;
        let mut decoder = FrameDecoder::new(&bytes[..end]);
        let mut written = 0;
        while written < target.len() {
            match decoder.read(&mut target[written..]).map_err(refused)? {
                0 => break,
                read => written += read,
            }
        }
        complete(NAME, written, target.len())?;
        if decoder.read(&mut [0]).map_err(refused)? > 0 {
            return Err(Error::malformed(NAME, format_args!("more than the {} bytes that are declared", target.len())));
        }
        Ok(())
    }
}

/// The flags of a frame, and where it ends. Nothing is decompressed for that: each block tells its size.
fn frame(bytes: &[u8]) -> Result<(u8, usize)> {
    let truncated = |at: usize, needed: usize| {
        Error::at(NAME, at.min(bytes.len()), Problem::Truncated { needed: needed as u64, left: bytes.len().saturating_sub(at) as u64 })
    };
    if !bytes.starts_with(&FRAME_MAGIC) {
        return Err(Error::at(NAME, 0, Problem::Malformed("an LZ4 frame starts with 04 22 4D 18".into())));
    }
    let flags = *bytes.get(FRAME_MAGIC.len()).ok_or_else(|| truncated(FRAME_MAGIC.len(), 1))?;
    let has = |bit: u8, len: usize| if flags & bit == 0 { 0 } else { len };
    // The magic number, two bytes of description, what they say there is, and their checksum.
    let mut at = FRAME_MAGIC.len() + 2 + has(HAS_CONTENT_SIZE, 8) + has(HAS_DICTIONARY, 4) + 1;
    loop {
        let size = bytes.get(at..).and_then(|rest| rest.first_chunk()).ok_or_else(|| truncated(at, 4))?;
        at += 4;
        match u32::from_le_bytes(*size) & !STORED {
            0 => break,
            size => at = at.saturating_add(size as usize + has(HAS_BLOCK_CHECKSUMS, 4)),
        }
    }
    at += has(HAS_CONTENT_CHECKSUM, 4);
    if at > bytes.len() { Err(truncated(bytes.len(), at - bytes.len())) } else { Ok((flags, at)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at_most(bytes_out: usize) -> Limits {
        Limits { bytes_out, ..Limits::for_payload(0) }
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut sink = vec![1, 2, 3];
        Lz4Frame.compress(bytes, &mut sink).unwrap();
        sink
    }

    fn decompressed(bytes: &[u8], limit: usize) -> Result<Payload> {
        let mut payload = Payload::default();
        Lz4Frame.decompress(bytes, &at_most(limit), &mut payload)?;
        Ok(payload)
    }

    #[test]
    fn what_was_compressed_comes_back() {
        for len in [0, 1, 1000, 70_000, (4 << 20) + 1] {
            let bytes: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 3) as u8).collect();
            let frame = compressed(&bytes);
            assert_eq!(Lz4Frame.declared_size(&frame).unwrap(), Some(len));
            assert_eq!(decompressed(&frame, len).unwrap().as_slice(), bytes);
        }
    }

    #[test]
    fn more_less_or_other_bytes_are_refused() {
        let text = b"a payload, a payload, another payload, and the rest";
        let good = compressed(text);
        for cut in 0..good.len() {
            decompressed(&good[..cut], 1000).unwrap_err();
        }
        for more in [&b"x"[..], b"0123456789abcdef", &good] {
            decompressed(&[good.as_slice(), more].concat(), 1000).unwrap_err();
        }
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            if let Ok(payload) = decompressed(&bad, 1000) {
                assert_eq!(payload.as_slice(), text, "byte {at}");
            }
        }
    }

    #[test]
    fn a_claim_alone_allocates_nothing() {
        let mut frame = compressed(&[0; 1000]);
        let error = decompressed(&frame, 999).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { allowed: 999, wanted: 1000, .. }), "{error}");
        frame[CONTENT_SIZE].copy_from_slice(&(1u64 << 60).to_le_bytes());
        let error = decompressed(&frame, usize::MAX).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "what this many bytes can hold", .. }), "{error}");
    }
}
