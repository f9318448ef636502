//! Compressors: the traits, and the list of those that are built in.

pub mod blocks;
#[cfg(feature = "zstd")]
pub mod dictionary;
#[cfg(feature = "lz4")]
pub mod lz4;
#[cfg(feature = "lz4")]
pub mod lz4_frame;
#[cfg(feature = "zstd")]
pub mod zstd;

use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::payload::Payload;
use crate::registry::Registry;

/// Declares every codec of the enabled features. A new codec is one line here.
pub(crate) fn register(registry: &mut Registry) {
    #[cfg(feature = "lz4")]
    lz4::register(registry);
    #[cfg(feature = "lz4")]
    lz4_frame::register(registry);
    #[cfg(feature = "zstd")]
    zstd::register(registry);
    #[cfg(feature = "zstd")]
    dictionary::register(registry);
    let _ = registry;
}

/// What a codec is, at one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecInfo {
    /// The name in tables and identifiers, with the level and the size of blocks where there are any: `zstd-3`, `zstd-3-64k`.
    pub name: String,
    /// The layout of the compressed bytes.
    pub wire_format: String,
    /// The library.
    pub library: &'static str,
    /// The library's version, as locked for this build.
    pub version: &'static str,
    /// Whether a run takes it that chooses no codecs by name. The others are many.
    pub by_default: bool,
}

/// A compressor at one setting. The value holds the state that is reused between calls.
pub trait Codec {
    /// What it is.
    fn info(&self) -> CodecInfo;

    /// Compresses `bytes` as the whole content of `sink`.
    ///
    /// # Errors
    ///
    /// The library refused.
    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()>;

    /// Decompresses `bytes` into an aligned payload: `Limits::for_payload(bytes.len())` if nothing else is known of them.
    ///
    /// # Errors
    ///
    /// The bytes are malformed, are followed by others, or give or claim more than a limit allows.
    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()>;

    /// How many bytes these decompress to, by what they declare themselves; nothing where they do not tell.
    ///
    /// # Errors
    ///
    /// The bytes are malformed, are followed by others, or claim more than so many bytes can hold.
    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>>;

    /// Decompresses `bytes` to exactly `target`.
    ///
    /// # Errors
    ///
    /// As for [`decompress`](Self::decompress), or they hold another number of bytes.
    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()>;

    /// The memory that the library's own state takes outside Rust's allocator, as far as it tells.
    fn state_bytes(&self) -> usize {
        0
    }
}

/// A codec whose compressed bytes are independent parts, each of which can be had without the others.
pub trait Parts: Codec {
    /// How many bytes a part has before compression, unless the caller cuts otherwise.
    fn part_size(&self) -> usize;

    /// Compresses parts that the caller has cut, as the whole content of `sink`.
    ///
    /// # Errors
    ///
    /// The library refused, or a part is larger than 4 GiB.
    fn compress_parts(&mut self, parts: &mut dyn ExactSizeIterator<Item = &[u8]>, sink: &mut Vec<u8>) -> Result<()>;

    /// Decompresses one part, counted from 0, into an aligned payload.
    ///
    /// # Errors
    ///
    /// As for [`Codec::decompress`], or there is no such part.
    fn decompress_part(&mut self, bytes: &[u8], part: usize, limits: &Limits, payload: &mut Payload) -> Result<()>;
}

/// Refuses a claim beyond a limit.
#[cfg(any(feature = "zstd", feature = "lz4"))]
fn within(name: &'static str, limit: &'static str, allowed: usize, wanted: u64) -> Result<()> {
    let wanted = usize::try_from(wanted).unwrap_or(usize::MAX);
    crate::limits::hold(limit, allowed, wanted).map_err(|problem| Error::at(name, 0, problem))
}

/// Holds the number of decompressed bytes to the number that was wanted.
fn complete(name: &'static str, written: usize, wanted: usize) -> Result<()> {
    if written == wanted {
        Ok(())
    } else {
        Err(Error::malformed(name, format_args!("{written} bytes come out where {wanted} are declared")))
    }
}
