//! Compressed bytes that claim, repeat and follow each other.

use std::time::{Duration, Instant};

use wirewise::measure::allocator::count;
use wirewise::registry::Registry;
use wirewise::{Limits, Payload, Problem};

use super::alone;

const ZSTD: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// The codec, what is wrong, the bytes, and what the error says.
fn inputs(compressed: impl Fn(&str, &[u8]) -> Vec<u8>) -> Vec<(&'static str, &'static str, Vec<u8>, &'static str)> {
    let zeros = vec![0; 2 << 20];
    let zstd = compressed("zstd-3", &zeros);
    let lz4 = compressed("lz4", b"the same, the same, the same, the same");
    let mut checksum = zstd.clone();
    *checksum.last_mut().unwrap() ^= 1;
    let rle = |window: u8, blocks: usize| {
        let mut frame = [&ZSTD[..], &[0, window << 3]].concat();
        // A block of 128 KiB that is one byte, again and again, and an empty one at the end.
        (0..blocks).for_each(|_| frame.extend_from_slice(&[0x02, 0x00, 0x10, 0]));
        frame.extend_from_slice(&[1, 0, 0]);
        frame
    };
    vec![
        ("lz4", "4 GiB declared by 5 bytes", vec![0xFF, 0xFF, 0xFF, 0xFF, 0], "bytes out limited"),
        ("lz4", "2 GiB declared", vec![0, 0, 0, 0x80, 0, 0, 0], "bytes out limited"),
        ("lz4", "less output than declared", [&100u32.to_le_bytes()[..], &lz4[4..]].concat(), "100"),
        ("lz4", "a match at offset 0", vec![8, 0, 0, 0, 0x14, b'x', 0, 0], "lz4"),
        ("lz4", "a match before the output", vec![8, 0, 0, 0, 0x14, b'x', 9, 0], "lz4"),
        ("lz4", "literals without end", [&1000u32.to_le_bytes()[..], &[0xF0], &[0xFF; 3]].concat(), "lz4"),
        ("lz4", "an LZ4 frame", vec![0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0], "this is an LZ4 frame"),
        ("lz4", "a Zstandard frame", zstd.clone(), "this is a zstd frame"),
        ("lz4", "nothing", Vec::new(), "4 more bytes"),
        ("zstd-3", "a window of 4 GiB", rle(22, 1), "window limited to 8388608, 4294967296 asked for"),
        ("zstd-3", "1 TiB of content in 13 bytes", [&ZSTD[..], &[0xE0], &(1u64 << 40).to_le_bytes()].concat(), "zstd"),
        ("zstd-3", "1 TiB of content", [&ZSTD[..], &[0xE0], &(1u64 << 40).to_le_bytes(), &[1, 0, 0]].concat(), "bytes out limited"),
        ("zstd-3", "a bomb that tells no size", rle(13, 2000), "bytes out limited"),
        ("zstd-3", "two frames", [zstd.clone(), zstd.clone()].concat(), "left over"),
        ("zstd-3", "a skippable frame and no other", vec![0x50, 0x2A, 0x4D, 0x18, 1, 0, 0, 0, 9], "this is a skippable frame"),
        ("zstd-3", "a dictionary that nobody has", [&ZSTD[..], &[0x21, 9, 1], &[9, 0, 0, b'x']].concat(), "zstd"),
        ("zstd-3", "another checksum", checksum, "checksum"),
        ("zstd-3", "an LZ4 frame", vec![0x04, 0x22, 0x4D, 0x18, 0x60, 0x40, 0x82, 0, 0, 0, 0], "this is an LZ4 frame"),
        ("zstd-3", "nothing", Vec::new(), "zstd"),
    ]
}

#[test]
fn compressed_bytes_are_refused_before_they_take_memory() {
    let _alone = alone();
    let registry = Registry::standard();
    let compressed = |codec: &str, bytes: &[u8]| {
        let mut sink = Vec::new();
        if let Some(mut codec) = registry.new_codec(codec) {
            codec.compress(bytes, &mut sink).unwrap();
        } else {
            sink.extend_from_slice(&[0; 8]);
        }
        sink
    };
    let mut refused = 0;
    for (name, what, bytes, says) in inputs(compressed) {
        let Some(mut codec) = registry.new_codec(name) else { continue };
        if says.contains("zstd frame") && registry.new_codec("zstd-3").is_none() {
            continue;
        }
        let limits = Limits::for_payload(bytes.len());
        let mut payload = Payload::default();
        let start = Instant::now();
        let (result, allocated) = count(|| codec.decompress(&bytes, &limits, &mut payload));
        let error = result.expect_err(what);
        assert!(error.to_string().contains(says), "{name}, {what}: {error}");
        assert!(error.offset().is_none_or(|offset| offset <= bytes.len()), "{name}, {what}: {error}");
        assert!(start.elapsed() < Duration::from_secs(20), "{name}, {what}");
        // A frame that tells no size is decompressed up to the limit; all others take no more than their claim is worth.
        let most = if what.contains("bomb") { 2 * limits.bytes_out as u64 } else { 8 * bytes.len() as u64 + (1 << 20) };
        assert!(allocated.peak <= most.max(4 << 20), "{name}, {what}: {} bytes of memory", allocated.peak);
        refused += 1;
    }
    println!("{refused} compressed inputs refused");
}

/// A bomb goes no further than it is let, and comes out where it is trusted.
#[test]
fn the_limit_of_bytes_out_is_what_a_caller_says() {
    let _alone = alone();
    let registry = Registry::standard();
    let zeros = vec![0; 8 << 20];
    for info in registry.codecs() {
        let mut codec = registry.new_codec(&info.name).unwrap();
        let (mut bytes, mut payload) = (Vec::new(), Payload::default());
        codec.compress(&zeros, &mut bytes).unwrap();
        let error = codec.decompress(&bytes, &Limits::for_payload(bytes.len()), &mut payload).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "bytes out", wanted: 0x80_0000, .. }), "{error}");
        codec.decompress(&bytes, &Limits::trusted(), &mut payload).unwrap();
        assert_eq!(payload.as_slice(), zeros);
    }
}
