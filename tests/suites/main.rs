//! Test suites of other projects, every file, against the adapters and codecs here.
//!
//! `WIREWISE_VECTORS` names the folder of suites; they are read where they are, as they are not ours to copy. Without it they are skipped
//! with a word. `WIREWISE_SUITES=FILE` writes what came of them as records, from which the report's table is made.
//!
//! What a suite asks for and does not get is an exception, and stands with its reason in the list beside the suite. An exception that
//! does not happen fails as well.

// Which suites there are depends on the features.
#![allow(dead_code)]

#[cfg(feature = "flatbuffers")]
mod flatbuffers;
#[cfg(feature = "json")]
mod json;
#[cfg(feature = "messagepack-csharp")]
mod lz4_extensions;
#[cfg(any(feature = "messagepack", feature = "messagepack-csharp"))]
mod messagepack;
#[cfg(feature = "nrbf")]
mod nrbf;
#[cfg(any(feature = "capnp", feature = "protobuf"))]
mod schemas;
mod strangers;
#[cfg(feature = "zstd")]
mod zstd;

use std::fs;
use std::io::{self, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use wirewise::measure::build;
use wirewise::record::{Build, Record, Run, Suite, SuiteException, Writer};

/// What a suite asks of a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The value that the suite tells, or one that survives writing and reading.
    Value,
    /// An error.
    Refusal,
    /// Either, as long as nothing panics.
    Either,
}

/// What came of reading one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Came {
    /// The right value.
    Passed,
    /// An error.
    Refused(String),
    /// Another value, or a panic.
    Differed(String),
}

/// A suite, as far as one reader goes.
pub struct Outcome {
    /// The suite's folder.
    pub suite: &'static str,
    /// The format or codec that read it.
    pub reader: String,
    /// Each file, or each case in a file: its name, what was asked, and what came.
    pub cases: Vec<(String, Asked, Came)>,
    /// Cases that do not get what is asked, and why that is right here.
    pub exceptions: &'static [(&'static str, &'static str)],
}

impl Outcome {
    /// Runs one case; a panic is an outcome.
    pub fn case(&mut self, name: impl Into<String>, asked: Asked, read: impl FnOnce() -> Came) {
        let came = catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Came::Differed("a panic".into()));
        self.cases.push((name.into(), asked, came));
    }

    /// Those that did not get what was asked.
    fn wrong(&self) -> impl Iterator<Item = &(String, Asked, Came)> {
        self.cases.iter().filter(|(_, asked, came)| match came {
            Came::Passed => *asked == Asked::Refusal,
            Came::Refused(_) => *asked == Asked::Value,
            Came::Differed(_) => true,
        })
    }

    /// What is wrong and not listed, and what is listed and not wrong.
    fn complaints(&self) -> Vec<String> {
        let listed = |name: &str| self.exceptions.iter().any(|(exception, _)| *exception == name);
        let happened = |exception: &str| self.wrong().any(|(name, ..)| name == exception);
        let unlisted = self.wrong().filter(|(name, ..)| !listed(name)).map(|case| format!("{}, {}: {case:?}", self.suite, self.reader));
        let stale = self.exceptions.iter().filter(|(name, _)| !happened(name));
        unlisted.chain(stale.map(|(name, _)| format!("{}, {}: {name}: a stale exception", self.suite, self.reader))).collect()
    }

    fn record(&self) -> Suite {
        let count = |is: fn(&Came) -> bool| self.cases.iter().filter(|(.., came)| is(came)).count() as u64;
        Suite {
            suite: self.suite.to_owned(),
            reader: self.reader.clone(),
            cases: self.cases.len() as u64,
            passed: count(|came| *came == Came::Passed),
            refused: count(|came| matches!(came, Came::Refused(_))),
            differed: count(|came| matches!(came, Came::Differed(_))),
            exceptions: self
                .exceptions
                .iter()
                .map(|(case, reason)| SuiteException { case: (*case).to_owned(), reason: (*reason).to_owned() })
                .collect(),
        }
    }
}

/// The files of a folder by their names, without what describes it.
pub fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_file() && !["README", "LICENSE", "index.tsv"].contains(&name.as_str()) {
            files.push((name, fs::read(&path).unwrap()));
        }
    }
    files.sort();
    assert!(!files.is_empty(), "{}: no files", folder.display());
    files
}

/// Suites for one folder of vectors.
type RunSuites = fn(&Path) -> Vec<Outcome>;

const SUITES: &[RunSuites] = &[
    #[cfg(feature = "json")]
    json::run,
    #[cfg(any(feature = "messagepack", feature = "messagepack-csharp"))]
    messagepack::run,
    #[cfg(feature = "messagepack-csharp")]
    lz4_extensions::run,
    #[cfg(feature = "zstd")]
    zstd::run,
    #[cfg(feature = "flatbuffers")]
    flatbuffers::run,
    #[cfg(any(feature = "capnp", feature = "protobuf"))]
    schemas::run,
    #[cfg(feature = "nrbf")]
    nrbf::run,
    strangers::run,
];

#[test]
fn every_file_of_every_suite() {
    let Some(folder) = std::env::var_os("WIREWISE_VECTORS").map(PathBuf::from) else {
        // Not by eprintln!, which a test that passes keeps to itself.
        let skipped = format!("SKIPPED: {} kinds of suites, as WIREWISE_VECTORS is not set\n", SUITES.len());
        io::stderr().write_all(skipped.as_bytes()).expect("standard error takes a line");
        return;
    };
    let outcomes: Vec<Outcome> = SUITES.iter().flat_map(|run| run(&folder)).collect();
    let records: Vec<Suite> = outcomes.iter().map(Outcome::record).collect();
    for record in &records {
        let Suite { suite, reader, cases, passed, refused, differed, .. } = record;
        println!("{suite}, {reader}: {cases} cases, {passed} passed, {refused} refused, {differed} differed");
    }
    if let Some(path) = std::env::var_os("WIREWISE_SUITES") {
        let run = Run::unplanned("cargo test --test suites", &Build { allocator: "system", ..build() });
        let mut writer = Writer::create(Path::new(&path), run).unwrap();
        for record in records {
            writer.write(&Record::Suite(Box::new(record))).unwrap();
        }
    }
    let complaints: Vec<String> = outcomes.iter().flat_map(Outcome::complaints).collect();
    assert!(complaints.is_empty(), "{}", complaints.join("\n"));
}

#[test]
fn what_is_not_listed_and_what_is_stale_is_told() {
    let mut outcome = Outcome { suite: "s", reader: "r".into(), cases: Vec::new(), exceptions: &[("b", "known"), ("gone", "stale")] };
    outcome.case("a", Asked::Value, || Came::Refused("no".into()));
    outcome.case("b", Asked::Refusal, || Came::Passed);
    outcome.case("c", Asked::Either, || panic!("on purpose, and caught"));
    outcome.case("d", Asked::Either, || Came::Refused("no".into()));
    let complaints = outcome.complaints();
    assert_eq!(complaints.len(), 3, "{complaints:?}");
    for (complaint, word) in complaints.iter().zip(["\"a\"", "a panic", "gone: a stale"]) {
        assert!(complaint.contains(word), "{complaint}");
    }
    let record = outcome.record();
    assert_eq!((record.cases, record.passed, record.refused, record.differed), (4, 1, 2, 1));
}
