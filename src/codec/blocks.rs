//! Independent blocks over any codec: a payload cut into pieces, each compressed alone, so that one can be had without the others.
//!
//! The layout: the number of blocks, four bytes; for each block its size before and after compression, four bytes each; then the blocks.
//! All numbers are little-endian.

use super::{Codec, CodecInfo, Parts, complete};
use crate::error::{Error, Problem, Result};
use crate::limits::Limits;
use crate::payload::Payload;
#[cfg(any(feature = "zstd", feature = "lz4"))]
use crate::registry::Registry;

const NAME: &str = "blocks";

/// The bytes of the number of blocks.
const COUNT: usize = 4;
/// The bytes that the index has for each block.
const ENTRY: usize = 8;

/// The block sizes that every codec is measured with, and what their names end in.
#[cfg(any(feature = "zstd", feature = "lz4"))]
const SIZES: [(usize, &str); 3] = [(64 << 10, "64k"), (256 << 10, "256k"), (1 << 20, "1m")];

/// Declares a codec over blocks of each size.
#[cfg(any(feature = "zstd", feature = "lz4"))]
pub(super) fn register<C: Codec + 'static>(registry: &mut Registry, new: impl Fn() -> C + Clone + 'static) {
    for (size, suffix) in SIZES {
        let new = new.clone();
        registry.codec_of_parts(move || Blocks::new(new(), size, suffix));
    }
}

/// A codec over independent blocks.
pub struct Blocks<C> {
    codec: C,
    size: usize,
    suffix: &'static str,
    scratch: Vec<u8>,
}

impl<C: Codec> Blocks<C> {
    /// Blocks of `size` bytes, the last being shorter; the codec's name gets the suffix.
    pub fn new(codec: C, size: usize, suffix: &'static str) -> Self {
        Self { codec, size: size.max(1), suffix, scratch: Vec::new() }
    }
}

/// A block: its size before compression, and where its compressed bytes stand.
type Block = (usize, std::ops::Range<usize>);

/// The blocks in their order. The index is held to the bytes that are there: the sizes must fill them to the end, and no memory is
/// taken for what it claims.
fn blocks(bytes: &[u8]) -> Result<impl Iterator<Item = Block>> {
    let Some((count, rest)) = bytes.split_first_chunk::<COUNT>() else {
        return Err(Error::at(NAME, bytes.len(), Problem::Truncated { needed: (COUNT - bytes.len()) as u64, left: 0 }));
    };
    let count = u32::from_le_bytes(*count) as usize;
    let Some(index) = count.checked_mul(ENTRY).and_then(|len| rest.get(..len)) else {
        let needed = count as u64 * ENTRY as u64;
        return Err(Error::at(NAME, COUNT, Problem::Truncated { needed, left: rest.len() as u64 }));
    };
    let entries = || {
        index.as_chunks::<ENTRY>().0.iter().map(|entry| {
            let number = |at: usize| u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]]) as usize;
            (number(0), number(4))
        })
    };
    let first = COUNT + index.len();
    let told: u64 = entries().map(|(_, compressed)| compressed as u64).sum();
    let left = (bytes.len() - first) as u64;
    match told {
        told if told > left => return Err(Error::at(NAME, bytes.len(), Problem::Truncated { needed: told - left, left: 0 })),
        told if told < left => return Err(Error::at(NAME, first + told as usize, Problem::Trailing { left: left - told })),
        _ => {}
    }
    Ok(entries().scan(first, |start, (size, compressed)| {
        let range = *start..*start + compressed;
        *start = range.end;
        Some((size, range))
    }))
}

impl<C: Codec> Blocks<C> {
    /// The size of a block, once the block itself bears out what the index says.
    fn proven_size(&self, bytes: &[u8], (size, range): Block) -> Result<usize> {
        let start = range.start;
        match self.codec.declared_size(&bytes[range])? {
            Some(declared) if declared == size => Ok(size),
            declared => {
                let declared = declared.map_or("nothing".to_owned(), |declared| declared.to_string());
                Err(Error::at(NAME, start, Problem::Malformed(format!("the index says {size} bytes, the block {declared}"))))
            }
        }
    }
}

impl<C: Codec> Codec for Blocks<C> {
    fn info(&self) -> CodecInfo {
        let info = self.codec.info();
        let name = format!("{}-{}", info.name, self.suffix);
        let wire_format = format!("blocks of {} KiB behind an index, each a {}", self.size >> 10, info.wire_format);
        CodecInfo { name, wire_format, by_default: false, ..info }
    }

    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()> {
        self.compress_parts(&mut bytes.chunks(self.size), sink)
    }

    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        let declared = self.declared_size(bytes)?.unwrap_or_default();
        limits.hold_bytes_out(declared).map_err(|problem| Error::at(NAME, COUNT, problem))?;
        self.decompress_into(bytes, payload.overwrite(declared))
    }

    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>> {
        let mut total = 0usize;
        for block in blocks(bytes)? {
            let size = self.proven_size(bytes, block)?;
            let too_large =
                || Error::new(NAME, Problem::Limit { limit: "decompressed size", allowed: usize::MAX as u64, wanted: u64::MAX });
            total = total.checked_add(size).ok_or_else(too_large)?;
        }
        Ok(Some(total))
    }

    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()> {
        let wanted = target.len();
        let mut rest = target;
        for (size, range) in blocks(bytes)? {
            let Some((block, behind)) = rest.split_at_mut_checked(size) else {
                return Err(Error::malformed(NAME, format_args!("more than the {wanted} bytes that are declared")));
            };
            self.codec.decompress_into(&bytes[range], block)?;
            rest = behind;
        }
        complete(NAME, wanted - rest.len(), wanted)
    }

    fn state_bytes(&self) -> usize {
        self.codec.state_bytes()
    }
}

impl<C: Codec> Parts for Blocks<C> {
    fn part_size(&self) -> usize {
        self.size
    }

    fn compress_parts(&mut self, parts: &mut dyn ExactSizeIterator<Item = &[u8]>, sink: &mut Vec<u8>) -> Result<()> {
        let small = |what, size: usize| {
            u32::try_from(size).map_err(|_| Error::new(NAME, Problem::Limit { limit: what, allowed: u32::MAX.into(), wanted: size as u64 }))
        };
        let count = small("blocks", parts.len())?;
        sink.clear();
        sink.extend(count.to_le_bytes());
        sink.resize(COUNT + count as usize * ENTRY, 0);
        for (at, part) in parts.enumerate() {
            self.codec.compress(part, &mut self.scratch)?;
            let sizes = [small("bytes of a block", part.len())?, small("compressed bytes of a block", self.scratch.len())?];
            let entry = COUNT + at * ENTRY;
            sink[entry..entry + ENTRY].copy_from_slice(sizes.map(u32::to_le_bytes).as_flattened());
            sink.extend(&self.scratch);
        }
        Ok(())
    }

    fn decompress_part(&mut self, bytes: &[u8], part: usize, limits: &Limits, payload: &mut Payload) -> Result<()> {
        let block = blocks(bytes)?.nth(part).ok_or_else(|| Error::malformed(NAME, format_args!("no block {part}")))?;
        let range = block.1.clone();
        let size = self.proven_size(bytes, block)?;
        limits.hold_bytes_out(size).map_err(|problem| Error::at(NAME, range.start, problem))?;
        self.codec.decompress_into(&bytes[range], payload.overwrite(size))
    }
}

#[cfg(all(test, feature = "lz4"))]
mod tests {
    use super::*;
    use crate::codec::lz4::Lz4;

    fn at_most(bytes_out: usize) -> Limits {
        Limits { bytes_out, ..Limits::for_payload(0) }
    }

    fn codec() -> Blocks<Lz4> {
        Blocks::new(Lz4::default(), 100, "100")
    }

    fn bytes(len: usize) -> Vec<u8> {
        (0..len).map(|i| (i * i / 7) as u8).collect()
    }

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut sink = vec![1, 2, 3];
        codec().compress(bytes, &mut sink).unwrap();
        sink
    }

    fn decompressed(bytes: &[u8], limit: usize) -> Result<Payload> {
        let mut payload = Payload::default();
        codec().decompress(bytes, &at_most(limit), &mut payload)?;
        Ok(payload)
    }

    #[test]
    fn the_whole_and_each_block_come_back() {
        for len in [0, 1, 99, 100, 101, 1000] {
            let original = bytes(len);
            let blocks = compressed(&original);
            assert_eq!(decompressed(&blocks, len).unwrap().as_slice(), original);
            let mut payload = Payload::default();
            for (part, expected) in original.chunks(100).enumerate() {
                codec().decompress_part(&blocks, part, &at_most(100), &mut payload).unwrap();
                assert_eq!(payload.as_slice(), expected, "block {part} of {len} bytes");
                let error = codec().decompress_part(&blocks, part, &at_most(expected.len() - 1), &mut payload).unwrap_err();
                assert!(matches!(error.problem(), Problem::Limit { .. }), "{error}");
            }
            codec().decompress_part(&blocks, len.div_ceil(100), &at_most(100), &mut payload).unwrap_err();
        }
    }

    #[test]
    fn parts_that_the_caller_cut_come_back_one_by_one() {
        let parts = [bytes(7), bytes(0), bytes(300)];
        let (mut sink, mut payload) = (Vec::new(), Payload::default());
        codec().compress_parts(&mut parts.iter().map(Vec::as_slice), &mut sink).unwrap();
        for (part, expected) in parts.iter().enumerate() {
            codec().decompress_part(&sink, part, &at_most(300), &mut payload).unwrap();
            assert_eq!(payload.as_slice(), expected);
        }
    }

    /// Whatever part of the index is changed, the answer is a typed error or the original: a claim takes no memory.
    #[test]
    fn a_hostile_index_is_refused() {
        let original = bytes(250);
        let good = compressed(&original);
        for cut in 0..good.len() {
            decompressed(&good[..cut], 1000).unwrap_err();
        }
        let error = decompressed(&[good.as_slice(), b"xy"].concat(), 1000).unwrap_err();
        assert_eq!((error.offset(), error.problem()), (Some(good.len()), &Problem::Trailing { left: 2 }));
        let index = COUNT + 3 * ENTRY;
        for at in 0..index {
            for value in [0, 1, 0x7F, 0x80, 0xFF] {
                let mut bad = good.clone();
                bad[at] = value;
                if let Ok(payload) = decompressed(&bad, usize::MAX) {
                    assert_eq!(payload.as_slice(), original, "byte {at} as {value}");
                }
            }
        }
        let many = [&u32::MAX.to_le_bytes()[..], &[0xFF; 64]].concat();
        let error = decompressed(&many, usize::MAX).unwrap_err();
        assert!(matches!(error.problem(), Problem::Truncated { .. }), "{error}");
        // One block that claims 4 GiB, in the index and in the block itself.
        let huge = [&1u32.to_le_bytes()[..], &u32::MAX.to_le_bytes(), &5u32.to_le_bytes(), &u32::MAX.to_le_bytes(), &[0]].concat();
        let error = decompressed(&huge, usize::MAX).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "what this many bytes can hold", .. }), "{error}");
    }
}
