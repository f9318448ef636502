//! Zstandard's golden files, and the frames and crashers of ruzstd.

use std::path::Path;

use wirewise::Payload;
use wirewise::codec::Codec;
use wirewise::codec::zstd::Zstd;
use wirewise::limits::Limits;

use super::{Asked, Came, Outcome, files};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let golden = folder.join("zstd-golden");
    let mut outcome = Outcome { suite: "zstd-golden", reader: "zstd".into(), cases: Vec::new(), exceptions: &[] };
    for (name, bytes) in files(&golden.join("golden-decompression")) {
        // There is no expected output: what is read is compressed and read again.
        outcome.case(name, Asked::Value, || match decompressed(&bytes) {
            Ok(content) => comes_back(&content, 3),
            Err(refused) => refused,
        });
    }
    for (name, bytes) in files(&golden.join("golden-decompression-errors")) {
        outcome.case(name, Asked::Refusal, || decompressed(&bytes).map_or_else(|refused| refused, |_| Came::Passed));
    }
    for (name, bytes) in files(&golden.join("golden-compression")) {
        for level in [1, 3, 9, 19] {
            outcome.case(format!("{name} at level {level}"), Asked::Value, || comes_back(&bytes, level));
        }
    }

    let ruzstd = folder.join("zstd-ruzstd");
    let mut others = Outcome { suite: "zstd-ruzstd", reader: "zstd".into(), cases: Vec::new(), exceptions: &[] };
    let corpus = files(&ruzstd.join("decodecorpus"));
    for (name, frame) in corpus.iter().filter(|(name, _)| name.ends_with(".zst")) {
        let expected = corpus.iter().find(|(other, _)| name.strip_suffix(".zst") == Some(other)).expect("each frame has its output");
        others.case(name, Asked::Value, || match decompressed(frame) {
            Ok(content) if content.as_slice() == expected.1 => Came::Passed,
            Ok(content) => Came::Differed(format!("{} bytes, not the {} expected", content.len(), expected.1.len())),
            Err(refused) => refused,
        });
    }
    for (name, bytes) in files(&ruzstd.join("fuzz_artifacts")) {
        others.case(name, Asked::Refusal, || decompressed(&bytes).map_or_else(|refused| refused, |_| Came::Passed));
    }
    vec![outcome, others]
}

fn decompressed(frame: &[u8]) -> Result<Payload, Came> {
    let mut payload = Payload::default();
    Zstd::new(3).decompress(frame, &Limits::for_payload(frame.len()), &mut payload).map_err(|error| Came::Refused(error.to_string()))?;
    Ok(payload)
}

fn comes_back(content: &[u8], level: i32) -> Came {
    let mut sink = Vec::new();
    if let Err(error) = Zstd::new(level).compress(content, &mut sink) {
        return Came::Refused(error.to_string());
    }
    match decompressed(&sink) {
        Ok(again) if again.as_slice() == content => Came::Passed,
        Ok(again) => Came::Differed(format!("{} bytes came back of {}", again.len(), content.len())),
        Err(refused) => refused,
    }
}
