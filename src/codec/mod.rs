//! Compressors: one trait, and the list of those that are built in.

#[cfg(feature = "lz4")]
pub mod lz4;
#[cfg(feature = "zstd")]
pub mod zstd;

use crate::error::Result;
use crate::limits::Limits;
use crate::payload::Payload;
use crate::registry::Registry;

/// Declares every codec of the enabled features. A new codec is one line here.
pub(crate) fn register(registry: &mut Registry) {
    #[cfg(feature = "lz4")]
    lz4::register(registry);
    #[cfg(feature = "zstd")]
    zstd::register(registry);
    let _ = registry;
}

/// What a codec is, at one setting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodecInfo {
    /// The name in tables and identifiers, with the level where there is one: `zstd-3`.
    pub name: String,
    /// The layout of the compressed bytes.
    pub wire_format: &'static str,
    /// The library.
    pub library: &'static str,
    /// The library's version, as locked for this build.
    pub version: &'static str,
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
}
