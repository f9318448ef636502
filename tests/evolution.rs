//! The evolution matrix and its bytes are what they were: a library update that changes either fails here and says what changed.
//!
//! `WIREWISE_GOLDEN=refresh cargo test --release --test evolution` writes them anew, for a change that is meant.

#![cfg(all(
    feature = "evolution",
    feature = "json",
    feature = "custom",
    feature = "binary-writer",
    feature = "protobuf",
    feature = "messagepack",
    feature = "flatbuffers",
    feature = "capnp",
    feature = "rkyv"
))]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;
use std::thread;

use wirewise::Payload;
use wirewise::evolution::change::{Position, Side};
use wirewise::evolution::changes;
use wirewise::evolution::formats::Setting;
use wirewise::evolution::matrix::{cells, run};
use wirewise::record::{Evolution, EvolutionVerdict};

fn golden(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden/evolution").join(name)
}

/// Compares with a golden file, line by line; the part of a line before the tabulator is its name.
fn compare(name: &str, found: &str, what: &str) {
    let path = golden(name);
    if std::env::var("WIREWISE_GOLDEN").is_ok_and(|value| value == "refresh") {
        fs::create_dir_all(path.parent().expect("the file has a folder")).expect("the folder can be made");
        fs::write(&path, found).expect("the file can be written");
    }
    let wanted = fs::read_to_string(&path).unwrap_or_default().replace('\r', "");
    if wanted == found {
        return;
    }
    let lines = |text: &str| -> BTreeMap<String, String> {
        let pair = |line: &str| line.split_once('\t').map(|(name, rest)| (name.to_owned(), rest.to_owned()));
        text.lines().filter_map(pair).collect()
    };
    let (wanted, found) = (lines(&wanted), lines(found));
    let mut message = format!("{what} in {name} changed; if that is meant, refresh them as tests/evolution.rs says:\n");
    for name in wanted.keys().chain(found.keys().filter(|name| !wanted.contains_key(*name))) {
        let [was, is] = [&wanted, &found].map(|lines| lines.get(name).map_or("nothing", String::as_str));
        if was != is {
            writeln!(message, "  {name}\n    was  {was}\n    is   {is}").expect("a string takes what is written");
        }
    }
    panic!("{message}");
}

/// What every setting writes for both schemas of every change.
#[test]
fn payloads_are_the_golden_ones() {
    for &setting in Setting::ALL {
        let (library, version) = setting.library();
        // Our own layouts have no library whose update could change them.
        let version = if library == "wirewise" { "" } else { version };
        let mut text = format!("library\t{library} {version}\n");
        for change in changes() {
            let Ok(adapters) = change.adapters(setting) else { continue };
            for side in Side::ALL {
                for (value, length) in change.examples(side).iter().zip(["short", "long"]) {
                    // What the format's types cannot hold, such as a null, is not written.
                    let Ok(bytes) = (adapters[side as usize].write)(Position::Root, value) else { continue };
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    writeln!(text, "{}/{}/{length}\t{hex}", change.name, side.name()).expect("a string takes what is written");
                }
            }
        }
        compare(&format!("{}.tsv", setting.name()), &text, "payloads");
    }
}

/// The golden payloads are still read as the values that they were made of, by the same schema.
#[test]
fn golden_payloads_are_still_read() {
    for &setting in Setting::ALL {
        let text = fs::read_to_string(golden(&format!("{}.tsv", setting.name()))).expect("the file is there");
        for change in changes() {
            let Ok(adapters) = change.adapters(setting) else { continue };
            for side in Side::ALL {
                let name = format!("{}/{}/short\t", change.name, side.name());
                let Some(hex) = text.lines().find_map(|line| line.strip_prefix(&name)) else { continue };
                let bytes: Vec<u8> =
                    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).expect("hexadecimal")).collect();
                let reading = (adapters[side as usize].read)(Position::Root, &Payload::from(bytes));
                assert!(reading.is_ok(), "{}, {name}: {reading:?}", setting.name());
            }
        }
    }
}

fn matrix() -> Vec<Evolution> {
    let cells = cells();
    let threads = thread::available_parallelism().map_or(2, usize::from);
    thread::scope(|scope| {
        let part = |worker: usize| {
            let mine: Vec<_> = cells.iter().copied().enumerate().filter(|(index, _)| index % threads == worker).collect();
            scope.spawn(move || mine.into_iter().map(|(index, cell)| (index, run(cell))).collect::<Vec<_>>())
        };
        let workers: Vec<_> = (0..threads).map(part).collect();
        let mut all: Vec<_> = workers.into_iter().flat_map(|worker| worker.join().expect("no cell ends its process")).collect();
        all.sort_by_key(|(index, _)| *index);
        all.into_iter().map(|(_, record)| record).collect()
    })
}

/// The verdict of every cell, with the outcomes at each position; and what holds of all of them.
#[test]
fn verdicts_are_the_golden_ones() {
    let matrix = matrix();
    let mut text = String::new();
    for cell in &matrix {
        let verdict = match &cell.verdict {
            EvolutionVerdict::NotApplicable { reason } => {
                assert!(!reason.is_empty() && !reason.contains("feature"), "{}: {reason}", cell.id);
                format!("–\t{reason}")
            }
            EvolutionVerdict::Failed { reason } => panic!("{}: {reason}", cell.id),
            EvolutionVerdict::Ran { worst, values, with_worst, unwritable, silent, positions, witness, .. } => {
                assert_eq!(values + unwritable, 256, "{}: 64 values at 4 positions", cell.id);
                assert_eq!(*silent > 0, witness.is_some(), "{}: every silent cell has a witness, and no other", cell.id);
                let outcomes = positions.iter().map(|position| {
                    let outcomes: Vec<String> = position.outcomes.iter().map(|(outcome, count)| format!("{count} {outcome}")).collect();
                    format!("{}: {}", position.position, outcomes.join(", "))
                });
                format!("{worst} {with_worst}/{values}\t{}", outcomes.collect::<Vec<_>>().join("; "))
            }
        };
        writeln!(text, "{}\t{verdict}", cell.id).expect("a string takes what is written");
    }
    compare("verdicts.tsv", &text, "verdicts");

    for cell in matrix.iter().filter(|cell| ["rkyv-envelope", "rkyv-versions-boxed"].contains(&cell.format.as_str())) {
        if let EvolutionVerdict::Ran { silent, .. } = &cell.verdict {
            assert_eq!(*silent, 0, "{}: an envelope, or a boxed version, is never silent", cell.id);
        }
    }
}
