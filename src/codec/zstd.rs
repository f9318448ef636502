//! Zstandard through the zstd crate, which builds the reference library in C.

use zstd::zstd_safe::{
    CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, compress_bound, find_frame_compressed_size, get_error_name,
    get_frame_content_size,
};

use super::{Codec, CodecInfo, blocks, complete, within};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits};
use crate::operation::Operation;
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "zstd";
const WIRE_FORMAT: &str = "Zstandard frame";

/// The levels that can be measured: one of those that trade size for speed, then from the fastest of the ordinary ones to the slowest.
pub(super) const LEVELS: [i32; 7] = [-5, 1, 3, 6, 9, 12, 19];

/// The levels that a run takes which chooses none: the fastest of the ordinary ones, the default, one between, and the slowest.
const BY_DEFAULT: [i32; 4] = [1, 3, 9, 19];

const FRAME_MAGIC: [u8; 4] = 0xFD2F_B528_u32.to_le_bytes();

/// A block that gives anything takes at least four bytes, and gives at most 128 KiB.
const GREATEST_BLOCK: usize = 128 << 10;
const LEAST_BLOCK: usize = 4;

/// The smallest window that the C library can be limited to, as a power of two.
const LEAST_WINDOW_LOG: u32 = 10;

/// Zstandard at one level: a single frame with its content size and a checksum.
pub struct Zstd {
    level: i32,
    compressor: CCtx<'static>,
    decompressor: DCtx<'static>,
}

impl Zstd {
    /// A compressor of this level, see the library for what there is; decompression knows no levels.
    pub fn new(level: i32) -> Self {
        let mut compressor = CCtx::create();
        // Without a checksum a flipped bit mostly decompresses to other data, in silence.
        for parameter in [CParameter::CompressionLevel(level), CParameter::ChecksumFlag(true), CParameter::ContentSizeFlag(true)] {
            compressor.set_parameter(parameter).expect("every version of the library has these parameters, and clamps the level");
        }
        Self { level, compressor, decompressor: DCtx::create() }
    }

    /// The same with a dictionary, which the reader must have too: a frame names it, and is refused with any other.
    ///
    /// # Errors
    ///
    /// The dictionary is not one of the library's.
    pub fn with_dictionary(level: i32, dictionary: &[u8]) -> Result<Self> {
        let mut codec = Self::new(level);
        codec.compressor.load_dictionary(dictionary).map_err(refused)?;
        codec.decompressor.load_dictionary(dictionary).map_err(refused)?;
        Ok(codec)
    }

    /// The name of a level as the library's own program has it: the negative ones are `--fast`.
    pub(super) fn name(level: i32) -> String {
        if level < 0 { format!("{NAME}-fast-{}", level.unsigned_abs()) } else { format!("{NAME}-{level}") }
    }

    fn decompress_frame(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        if let Some(magic) = bytes.first_chunk()
            && *magic != FRAME_MAGIC
        {
            return Err(Error::at(NAME, 0, Problem::Malformed(format!("a Zstandard frame starts with 28 B5 2F FD, not {magic:02X?}"))));
        }
        let end = find_frame_compressed_size(bytes).map_err(|code| match held_window(bytes, limits) {
            // The library refuses the largest by itself.
            Err(error) => error,
            Ok(_) => refused(code),
        })?;
        if end < bytes.len() {
            return Err(Error::at(NAME, end, Problem::Trailing { left: (bytes.len() - end) as u64 }));
        }
        let Some(declared) = get_frame_content_size(bytes).map_err(|_| Error::malformed(NAME, "no frame header"))? else {
            return self.decompress_of_unknown_size(bytes, limits, payload);
        };
        let possible = (bytes.len() / LEAST_BLOCK).saturating_mul(GREATEST_BLOCK);
        let declared = usize::try_from(declared).unwrap_or(usize::MAX);
        limits
            .hold_bytes_out(declared)
            .and_then(|()| limits::hold("what this many bytes can hold", possible, declared))
            .map_err(|problem| Error::at(NAME, CONTENT_SIZE_AT, problem))?;
        // The payload itself is the window, so this takes no other memory than the context's.
        let written = self.decompressor.decompress(payload.overwrite(declared), bytes).map_err(refused)?;
        if written == declared {
            Ok(())
        } else {
            Err(Error::malformed(NAME, format_args!("the frame holds {written} bytes, its header says {declared}")))
        }
    }

    /// Frames from elsewhere may leave out their size: then the output grows as it comes, up to the limit.
    fn decompress_of_unknown_size(&mut self, frame: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        let allowed = limits.bytes_out;
        let window = held_window(frame, limits)?;
        let log = window.max(1).next_power_of_two().ilog2().max(LEAST_WINDOW_LOG);
        self.decompressor.reset(ResetDirective::SessionOnly).map_err(refused)?;
        self.decompressor.set_parameter(DParameter::WindowLogMax(log)).map_err(refused)?;
        let mut input = InBuffer::around(frame);
        let mut output = Vec::new();
        loop {
            let filled = output.len();
            if filled == output.capacity() {
                limits.hold_bytes_out(filled.saturating_add(1)).map_err(|problem| Error::at(NAME, input.pos(), problem))?;
                output.reserve_exact((filled / 2).max(GREATEST_BLOCK).min(allowed - filled));
            }
            let hint = self.decompressor.decompress_stream(&mut OutBuffer::around_pos(&mut output, filled), &mut input).map_err(refused)?;
            if hint == 0 {
                break;
            }
            if input.pos() == frame.len() && output.len() < output.capacity() {
                return Err(Error::at(NAME, frame.len(), Problem::Truncated { needed: hint as u64, left: 0 }));
            }
        }
        payload.replace(output);
        Ok(())
    }
}

/// Where a frame header goes on after its first byte: with what it says of its content's size, or of its window.
const CONTENT_SIZE_AT: usize = 5;
/// Where a frame header says how large its window is, if it does.
const WINDOW_AT: usize = 5;

/// The window that a frame asks for, if it may.
fn held_window(frame: &[u8], limits: &Limits) -> Result<usize> {
    let window = window(frame).unwrap_or(0);
    limits::hold("window", limits.window, window).map_err(|problem| Error::at(NAME, WINDOW_AT, problem))?;
    Ok(window)
}

/// The window that a frame asks for; none if its content is its window.
fn window(frame: &[u8]) -> Option<usize> {
    let (descriptor, window) = (*frame.get(4)?, *frame.get(WINDOW_AT)?);
    let single_segment = descriptor & 0x20 != 0;
    // Five bits of exponent and three of mantissa, see RFC 8878.
    let base = 1usize.checked_shl(10 + u32::from(window >> 3))?;
    (!single_segment).then(|| base + base / 8 * usize::from(window & 7))
}

pub(super) fn register(registry: &mut Registry) {
    for level in LEVELS {
        registry.codec(move || Zstd::new(level));
        blocks::register(registry, move || Zstd::new(level));
    }
}

impl Codec for Zstd {
    fn info(&self) -> CodecInfo {
        CodecInfo {
            name: Self::name(self.level),
            wire_format: WIRE_FORMAT.to_owned(),
            library: "zstd",
            version: crate::version!("ZSTD"),
            by_default: BY_DEFAULT.contains(&self.level),
        }
    }

    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        sink.reserve(compress_bound(bytes.len()));
        self.compressor.compress2(sink, bytes).map(|_written| ()).map_err(refused)
    }

    /// One frame that fills `bytes`. The library itself would also take frames that follow each other, and frames of any content that
    /// it is to skip.
    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        self.decompress_frame(bytes, limits, payload).map_err(|error| error.explained(Operation::Decompress, WIRE_FORMAT, bytes))
    }

    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>> {
        let end = find_frame_compressed_size(bytes).map_err(refused)?;
        if end < bytes.len() {
            return Err(Error::at(NAME, end, Problem::Trailing { left: (bytes.len() - end) as u64 }));
        }
        let Some(declared) = get_frame_content_size(bytes).map_err(|_| Error::malformed(NAME, "no frame header"))? else {
            return Ok(None);
        };
        let possible = (bytes.len() / LEAST_BLOCK).saturating_mul(GREATEST_BLOCK);
        within(NAME, "what this many bytes can hold", possible, declared)?;
        Ok(Some(declared as usize))
    }

    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()> {
        let written = self.decompressor.decompress(target, bytes).map_err(refused)?;
        complete(NAME, written, target.len())
    }

    fn state_bytes(&self) -> usize {
        self.compressor.sizeof() + self.decompressor.sizeof()
    }
}

fn refused(code: usize) -> Error {
    Error::malformed(NAME, get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &[u8] = b"a payload, a payload, another payload, and the rest of it: 0123456789";

    fn compressed(bytes: &[u8]) -> Vec<u8> {
        let mut sink = Vec::new();
        Zstd::new(3).compress(bytes, &mut sink).unwrap();
        sink
    }

    /// A frame without a content size, as a stream makes it.
    fn streamed(bytes: &[u8], level: i32) -> Vec<u8> {
        let mut compressor = CCtx::create();
        compressor.set_parameter(CParameter::CompressionLevel(level)).unwrap();
        compressor.set_parameter(CParameter::ContentSizeFlag(false)).unwrap();
        let mut sink = Vec::with_capacity(compress_bound(bytes.len()));
        compressor.compress2(&mut sink, bytes).unwrap();
        assert!(matches!(get_frame_content_size(&sink), Ok(None)));
        sink
    }

    fn decompressed(bytes: &[u8], bytes_out: usize) -> Result<Payload> {
        let mut payload = Payload::default();
        Zstd::new(3).decompress(bytes, &Limits { bytes_out, ..Limits::for_payload(bytes.len()) }, &mut payload)?;
        Ok(payload)
    }

    #[test]
    fn what_was_compressed_comes_back() {
        for level in LEVELS {
            let mut codec = Zstd::new(level);
            let (mut sink, mut payload) = (Vec::new(), Payload::default());
            for len in [0, 1, 70_000, 1000, 300_000] {
                let bytes: Vec<u8> = (0..len as u32).map(|i| (i.wrapping_mul(i) >> 5) as u8).collect();
                codec.compress(&bytes, &mut sink).unwrap();
                let limits = Limits { bytes_out: len + 1, ..Limits::for_payload(sink.len()) };
                codec.decompress(&sink, &limits, &mut payload).unwrap();
                assert_eq!(payload.as_slice(), bytes, "level {level}");
                assert!(matches!(get_frame_content_size(&sink), Ok(Some(size)) if size == len as u64));
                codec.decompress(&streamed(&bytes, level), &limits, &mut payload).unwrap();
                assert_eq!(payload.as_slice(), bytes, "level {level}, streamed");
            }
        }
    }

    #[test]
    fn more_or_less_bytes_are_refused() {
        for frame in [compressed(TEXT), streamed(TEXT, 3)] {
            for cut in 0..frame.len() {
                decompressed(&frame[..cut], 1000).unwrap_err();
            }
            let error = decompressed(&[frame.as_slice(), b"xyz"].concat(), 1000).unwrap_err();
            assert_eq!((error.offset(), error.problem()), (Some(frame.len()), &Problem::Trailing { left: 3 }));
            let twice = [frame.as_slice(), &frame].concat();
            assert_eq!(*decompressed(&twice, 1000).unwrap_err().problem(), Problem::Trailing { left: frame.len() as u64 });
        }
    }

    #[test]
    fn a_skippable_frame_and_other_formats_are_refused() {
        for bytes in [&[0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9][..], &[0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82], b"{\"Id\":1}"] {
            assert!(decompressed(bytes, 1000).unwrap_err().to_string().contains("starts with 28 B5 2F FD"));
        }
    }

    /// Some bits of a frame carry no meaning; all the others are found out by the structure or the checksum.
    #[test]
    fn no_flipped_bit_gives_other_data() {
        let good = compressed(TEXT);
        for at in 0..good.len() * 8 {
            let mut bad = good.clone();
            bad[at / 8] ^= 1 << (at % 8);
            if let Ok(payload) = decompressed(&bad, 1000) {
                assert_eq!(payload.as_slice(), TEXT, "bit {at}");
            }
        }
    }

    #[test]
    fn the_limit_holds_with_and_without_a_declared_size() {
        let zeros = vec![0; 1_000_000];
        for frame in [compressed(&zeros), streamed(&zeros, 3)] {
            assert!(frame.len() < 200);
            for limit in [0, 1, 999, 131_072, 999_999] {
                let error = decompressed(&frame, limit).unwrap_err();
                assert!(matches!(error.problem(), Problem::Limit { allowed, .. } if *allowed == limit as u64), "{limit}: {error}");
            }
            assert_eq!(decompressed(&frame, 1_000_000).unwrap().as_slice(), zeros);
        }
    }

    #[test]
    fn a_claim_alone_allocates_nothing() {
        // A single segment of 1 TiB, and one empty last block.
        let frame = [&FRAME_MAGIC[..], &[0xE0], &(1u64 << 40).to_le_bytes(), &[1, 0, 0]].concat();
        let error = decompressed(&frame, usize::MAX).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "what this many bytes can hold", .. }), "{error}");
    }

    /// The same frame asks for a window of 4 GiB, with no content size to hold it to.
    #[test]
    fn a_window_beyond_the_bound_is_refused() {
        let frame = [&FRAME_MAGIC[..], &[0, 22 << 3], &[1, 0, 0]].concat();
        let error = decompressed(&frame, usize::MAX).unwrap_err();
        assert_eq!(*error.problem(), Problem::Limit { limit: "window", allowed: 8 << 20, wanted: 4 << 30 });
        let frame = [&FRAME_MAGIC[..], &[0, 10 << 3], &[1, 0, 0]].concat();
        assert!(decompressed(&frame, usize::MAX).unwrap().is_empty());
    }
}
