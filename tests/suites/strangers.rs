//! Every file of every suite to every format of the registry, as if it were the dataset. Hardly any is, so nearly all are refused; what is
//! accepted is read to its last field, and by all of the format's readings alike.

use std::fs;
use std::path::Path;

use wirewise::Payload;
use wirewise::registry::Registry;

use super::{Asked, Came, Outcome};

pub fn run(folder: &Path) -> Vec<Outcome> {
    let mut files = Vec::new();
    collect(folder, &mut files);
    files.sort();
    let judge = |source: &wirewise::registry::Source| {
        let reader = format!("{} of {}", source.format.name, source.dataset);
        let mut outcome = Outcome { suite: "all files", reader, cases: Vec::new(), exceptions: &[] };
        for (name, bytes) in &files {
            let payload = Payload::from(bytes.as_slice());
            outcome.case(name, Asked::Either, || {
                let mut refusal = None;
                for reading in source.readings() {
                    if let Err(error) = reading.checksum(&payload) {
                        refusal = Some(error.to_string());
                    }
                }
                refusal.map_or(Came::Passed, Came::Refused)
            });
        }
        outcome
    };
    Registry::standard().sources().iter().filter(|source| !source.readings().is_empty()).map(judge).collect()
}

fn collect(folder: &Path, files: &mut Vec<(String, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.metadata().unwrap().len() <= 1 << 20 {
            files.push((path.to_string_lossy().into_owned(), fs::read(&path).unwrap()));
        }
    }
}
