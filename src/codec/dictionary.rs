//! Zstandard with a dictionary trained on other messages of the same kind: what small messages need, which have no past of their own.

use zstd::dict::from_samples;

use super::zstd::{LEVELS, Zstd};
use super::{Codec, CodecInfo};
use crate::case::DICTIONARY;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "dictionary";

/// The greatest size of a dictionary. Both ends must have it, and keep it in their caches.
pub const DICTIONARY_SIZE: usize = 16 << 10;

/// Zstandard at one level, with a dictionary once it has been trained.
pub struct Dictionary {
    level: i32,
    codec: Zstd,
}

impl Dictionary {
    /// No dictionary yet: what it compresses then is an ordinary frame.
    pub fn untrained(level: i32) -> Self {
        Self { level, codec: Zstd::new(level) }
    }

    /// Trains a dictionary on messages like those that are to be compressed. The same samples give the same dictionary.
    ///
    /// # Errors
    ///
    /// There are too few samples, or they have nothing in common.
    pub fn trained(level: i32, samples: &[Vec<u8>]) -> Result<Self> {
        let dictionary = from_samples(samples, DICTIONARY_SIZE).map_err(|error| Error::malformed(NAME, error))?;
        Ok(Self { level, codec: Zstd::with_dictionary(level, &dictionary)? })
    }
}

pub(super) fn register(registry: &mut Registry) {
    for level in LEVELS {
        registry.codec_to_train(move || Dictionary::untrained(level), move |samples| Dictionary::trained(level, samples));
    }
}

impl Codec for Dictionary {
    fn info(&self) -> CodecInfo {
        let info = self.codec.info();
        CodecInfo { name: format!("{}{DICTIONARY}", Zstd::name(self.level)), by_default: false, ..info }
    }

    fn compress(&mut self, bytes: &[u8], sink: &mut Vec<u8>) -> Result<()> {
        self.codec.compress(bytes, sink)
    }

    fn decompress(&mut self, bytes: &[u8], limits: &Limits, payload: &mut Payload) -> Result<()> {
        self.codec.decompress(bytes, limits, payload)
    }

    fn declared_size(&self, bytes: &[u8]) -> Result<Option<usize>> {
        self.codec.declared_size(bytes)
    }

    fn decompress_into(&mut self, bytes: &[u8], target: &mut [u8]) -> Result<()> {
        self.codec.decompress_into(bytes, target)
    }

    fn state_bytes(&self) -> usize {
        self.codec.state_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: usize) -> Vec<u8> {
        format!(r#"{{"Id":{number},"Name":"name {number}","Description":"description {}","Value":{}.5}}"#, number * 7919, number * 104_729)
            .into_bytes()
    }

    #[test]
    fn a_small_message_becomes_smaller_with_a_dictionary_and_is_refused_without_it() {
        let samples: Vec<Vec<u8>> = (0..1000).map(message).collect();
        let (mut trained, mut plain) = (Dictionary::trained(3, &samples).unwrap(), Dictionary::untrained(3));
        let (mut with, mut without, mut payload) = (Vec::new(), Vec::new(), Payload::default());
        let bytes = message(123_456);
        let limits = Limits { bytes_out: bytes.len(), ..Limits::for_payload(0) };
        trained.compress(&bytes, &mut with).unwrap();
        plain.compress(&bytes, &mut without).unwrap();
        assert!(with.len() * 3 < without.len() * 2, "{} bytes with, {} without", with.len(), without.len());
        for codec in [&mut trained, &mut Dictionary::trained(3, &samples).unwrap()] {
            codec.decompress(&with, &limits, &mut payload).unwrap();
            assert_eq!(payload.as_slice(), bytes);
        }
        plain.decompress(&with, &limits, &mut payload).unwrap_err();
        let others: Vec<Vec<u8>> = (0..1000).map(|number| format!("entirely other words, and then {}", number * 31).into_bytes()).collect();
        Dictionary::trained(3, &others).unwrap().decompress(&with, &limits, &mut payload).unwrap_err();
    }

    #[test]
    fn too_few_samples_are_refused() {
        assert!(Dictionary::trained(3, &[]).is_err());
    }
}
