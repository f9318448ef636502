//! The seeds of each target, made by the formats' and codecs' own encoders.

use std::path::Path;
use std::{env, fs, io};

use wirewise::Registry;
use wirewise::registry::Stock;

/// What a target's input consists of.
pub enum Kind {
    /// A format's number and a payload.
    Payload,
    /// A codec's number and what it compressed.
    Compressed,
}

/// Writes the seeds of a target to the folder that `WIREWISE_SEEDS` names, and exits; where it names none, nothing is done. It is asked
/// for before the target's first input: a program of its own would have to be compiled without the counters.
pub fn serve(kind: Kind) {
    let Some(folder) = env::var_os("WIREWISE_SEEDS") else { return };
    if let Err(error) = write_all(kind, Path::new(&folder)) {
        eprintln!("{error}");
        std::process::exit(1);
    }
    std::process::exit(0);
}

fn write_all(kind: Kind, folder: &Path) -> io::Result<()> {
    let registry = Registry::standard();
    let mut seeds = Vec::new();
    for (index, source) in registry.sources().iter().enumerate() {
        let probes = source.probe_payloads().into_iter().map(|(_, payload)| payload);
        let dataset = registry.datasets().iter().find(|dataset| dataset.name == source.dataset).expect("a source has a dataset");
        let made = source.payload(&mut Stock::default(), &dataset.spec(3)).expect("a format writes its dataset");
        for payload in probes.chain([made.to_vec()]).filter(|payload| payload.len() < 4096) {
            seeds.push([&[index as u8][..], &payload].concat());
        }
    }
    if matches!(kind, Kind::Compressed) {
        let payloads: Vec<Vec<u8>> = std::mem::take(&mut seeds).into_iter().step_by(7).collect();
        for (index, info) in registry.codecs().enumerate() {
            let mut codec = registry.new_codec(&info.name).expect("its name is the registry's");
            for payload in &payloads {
                let mut compressed = Vec::new();
                codec.compress(payload, &mut compressed).expect("a codec compresses a payload");
                seeds.push([&[index as u8][..], &compressed].concat());
            }
        }
    }
    fs::create_dir_all(folder)?;
    for (number, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(format!("seed-{number:05}")), seed)?;
    }
    Ok(())
}
