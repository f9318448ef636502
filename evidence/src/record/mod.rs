//! What a measurement is in memory, and how it stands in a file: JSON lines, the first of which tells the run.
//!
//! This module alone writes and reads records. A file is appended to as the run goes on, so that a run that is killed leaves what it
//! has measured.

mod atlas;
mod environment;
mod interop;
mod noise;
mod speed;
mod transfer;
mod trust;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use atlas::{OpeningFailure, OpeningId, OpeningTime, Order, PassesTime, Reading, ReadingTime};
pub use environment::{Build, Environment, resident_peak_bytes, today};
pub use interop::{Interop, InteropSkipped, InteropSmall, InteropTime, Writer as InteropWriter};
pub use noise::Noise;
pub use speed::Speed;
pub use transfer::{Link, Transfer};
pub use trust::{Suite, SuiteException, Torture, TortureCounts, TortureExtreme, TortureFailure, TortureKind, TortureOutcome, TortureTally};

use crate::case::{CaseId, Fidelity, Spec};

/// The version of the file layout. A reader refuses a file of another version.
pub const VERSION: u32 = 1;

/// One line of a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Record {
    /// The first line: the circumstances of all others.
    Run(Box<Run>),
    /// What can be measured here: a format.
    Format(FormatRow),
    /// What can be measured here: a codec.
    Codec(CodecRow),
    /// The bytes of a payload, as encoded or compressed.
    Size(Size),
    /// The samples of a timed case.
    Time(Time),
    /// What one iteration of a case allocates, counted in a process of its own.
    Memory(Memory),
    /// Two cases timed in turn.
    Ratio(Ratio),
    /// A case that is held to a speed.
    Speed(Speed),
    /// What a format does with one probe.
    Fidelity(FidelityRow),
    /// What a library says of the payload under its own default limits.
    DefaultLimits(DefaultLimits),
    /// The peak of the measuring process itself.
    Process(Process),
    /// A cell that was planned and could not be measured.
    Failure(Failure),
    /// A payload opened, and nothing read.
    Opening(OpeningTime),
    /// A reading of a payload that was opened before.
    Reading(ReadingTime),
    /// A payload opened and read several times, held against the sum of its parts.
    Passes(PassesTime),
    /// A payload that could not be opened, or gave other values.
    OpeningFailure(OpeningFailure),
    /// What came of reading with another schema.
    Evolution(Box<Evolution>),
    /// What another language's library and this crate made of each other's payloads.
    Interop(Interop),
    /// The times of both.
    InteropTime(InteropTime),
    /// The other side's figures for small objects.
    InteropSmall(InteropSmall),
    /// What was not exchanged.
    InteropSkipped(InteropSkipped),
    /// What a format costs, beside the share of schema changes that it is never silent about.
    EvolutionPrice(EvolutionPrice),
    /// A transfer that was really run, beside what the model of the choice had said.
    Transfer(Transfer),
    /// What came of the damaged payloads of a format or codec.
    Torture(Box<Torture>),
    /// What came of a test suite of another project.
    Suite(Box<Suite>),
}

impl Record {
    /// Reads one line of a file, or what another process printed.
    ///
    /// # Errors
    ///
    /// It is no record.
    pub fn from_json(line: &str) -> serde_json::Result<Self> {
        serde_json::from_str(line)
    }

    /// The record as one line, without its end.
    ///
    /// # Errors
    ///
    /// A figure in it is not a number.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

/// The circumstances of a run, and what it set out to measure.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// See [`VERSION`].
    pub version: u32,
    /// What was run: `cargo bench`, `wirewise measure`.
    pub program: String,
    /// The machine and the build.
    pub environment: Environment,
    /// Every cell that was planned: what has neither samples nor a failure is a hole.
    pub planned: Vec<Cell>,
}

impl Run {
    /// A run of this process that sets out to measure no cells of the registry.
    pub fn unplanned(program: &str, build: &Build) -> Self {
        let environment = Environment::of_this_process(build);
        Self { version: VERSION, program: program.to_owned(), environment, planned: Vec::new() }
    }
}

/// One cell of the tables: a case on a dataset of a size.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cell {
    /// The case.
    #[serde(flatten)]
    pub id: CaseId,
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.id, self.spec.members)
    }
}

/// A format, as the registry describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FormatRow {
    /// Its name.
    pub name: String,
    /// The layout of the bytes.
    pub wire_format: String,
    /// The library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// A remark; may be empty.
    pub note: String,
    /// When its access validates: `upfront`, `on-demand`, or nothing where there is no access.
    pub validation: Option<String>,
    /// The names of its operations.
    pub operations: Vec<String>,
}

/// A codec, as the registry describes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CodecRow {
    /// Its name, with the level.
    pub name: String,
    /// The layout of the compressed bytes.
    pub wire_format: String,
    /// The library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// Whether a run takes it that chooses no codecs by name.
    #[serde(default = "yes")]
    pub by_default: bool,
}

/// Records from before there were other codecs.
fn yes() -> bool {
    true
}

/// The bytes of a payload.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
    /// The dataset's name.
    pub dataset: String,
    /// The format.
    pub format: String,
    /// The codec, if compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// The bytes.
    pub bytes: u64,
    /// The bytes of the data without any layout; the same for all formats.
    pub data_bytes: u64,
}

/// The samples of a timed case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Time {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// The allocator.
    pub allocator: String,
    /// Whether the case was measured before in this run: the second of an A/A pair, for the noise floor.
    #[serde(default)]
    pub again: bool,
    /// Nanoseconds an iteration, one figure a sample, in the order taken; none left out.
    pub samples: Vec<f64>,
}

/// What one iteration of a case allocates.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Memory {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Calls of the allocator that return memory.
    pub allocations: u64,
    /// The bytes that they asked for.
    pub allocated_bytes: u64,
    /// The most that was allocated at once, above what stood before the iteration.
    pub peak_bytes: u64,
    /// The process's peak resident memory: dataset, payload and iteration together.
    pub resident_peak_bytes: u64,
    /// What a codec's own state takes outside Rust's allocator, by what its library tells; with `compress` alone.
    #[serde(default)]
    pub state_bytes: u64,
}

/// Two cases timed in turn, sample by sample, so that a drifting machine moves both.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ratio {
    /// What is judged.
    #[serde(flatten)]
    pub cell: Cell,
    /// What it is judged by.
    pub against: CaseId,
    /// The ratio that is not to be exceeded.
    pub at_most: f64,
    /// Nanoseconds an iteration: of the case, and of what it is judged by.
    pub pairs: Vec<(f64, f64)>,
    /// Where they are judged for each byte that they write: how many that are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<(u64, u64)>,
}

/// What a format does with one probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FidelityRow {
    /// The dataset that the probe belongs to.
    pub dataset: String,
    /// The format.
    pub format: String,
    /// The probe.
    pub probe: String,
    /// What became of it.
    pub outcome: Fidelity,
}

/// What a library says of a payload when its limits are left as they are by default.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DefaultLimits {
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
    /// The dataset's name.
    pub dataset: String,
    /// The format.
    pub format: String,
    /// The limit in words, with its default value.
    pub limit: String,
    /// The library's refusal; nothing where it read the payload.
    pub refused: Option<String>,
}

/// The peak of the measuring process itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Process {
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
    /// Its peak resident memory.
    pub resident_peak_bytes: u64,
    /// What the dataset takes in memory, as the allocator counted it.
    pub dataset_bytes: u64,
    /// The largest payload of the run.
    pub largest_payload_bytes: u64,
}

/// A cell that was planned and could not be measured.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// The cell.
    #[serde(flatten)]
    pub cell: Cell,
    /// Why.
    pub error: String,
}

/// A cell of the evolution matrix: a schema change, in a format and setting, in a direction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evolution {
    /// Its stable name, as in `EVO-R-01-fwd`.
    pub id: String,
    /// The change's number.
    pub number: u8,
    /// The change's name.
    pub change: String,
    /// The change in words.
    pub title: String,
    /// Which value every field has to come out with.
    pub intent: String,
    /// What the format's own rules are, and where they stand.
    pub rule: Option<String>,
    /// The format in its setting.
    pub format: String,
    /// `forward`, `backward` or `hop`.
    pub direction: String,
    /// The letters that documents lead one to expect, `|` between them, `?` behind what was inferred.
    pub documented: Option<String>,
    /// Whether the worst that was run is none of those.
    pub differs: bool,
    /// What came of it.
    pub verdict: EvolutionVerdict,
}

/// What came of a cell of the evolution matrix.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verdict", rename_all = "kebab-case")]
pub enum EvolutionVerdict {
    /// It was run.
    Ran {
        /// The worst outcome of any value.
        worst: String,
        /// The worst outcome's letter.
        letter: char,
        /// For a hop: `preserved`, `lost`, `refused` or `mutated`.
        hop: Option<String>,
        /// How many values were written and read.
        values: u32,
        /// How many of them came to the worst outcome.
        with_worst: u32,
        /// How many of them came out wrong without an error.
        silent: u32,
        /// How many values the writer's type could not hold, and which were therefore not written.
        unwritable: u32,
        /// The outcomes at each position.
        positions: Vec<EvolutionPosition>,
        /// The first value of the worst outcome.
        example: Option<Box<EvolutionExample>>,
        /// The smallest payload that came out wrong without an error.
        witness: Option<Box<EvolutionWitness>>,
    },
    /// The format has no such change.
    NotApplicable {
        /// Why.
        reason: String,
    },
    /// It could not be run.
    Failed {
        /// Why.
        reason: String,
    },
}

/// The outcomes at one position of the changed struct.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionPosition {
    /// `root`, `nested`, `element` or `payload`.
    pub position: String,
    /// Each outcome that there was, and of how many values.
    pub outcomes: Vec<(String, u32)>,
}

/// What came of one value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionExample {
    /// The position.
    pub position: String,
    /// The field that came out worst; empty for the whole.
    pub field: String,
    /// What had to come out.
    pub expected: String,
    /// What came out.
    pub got: String,
    /// The library's error.
    pub error: Option<String>,
}

/// The smallest payload found that comes out wrong without an error.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionWitness {
    /// The position.
    pub position: String,
    /// The value that was written.
    pub written: String,
    /// The payload in hexadecimal.
    pub payload: String,
    /// The old and the new schema, as far as the entry goes.
    pub schemas: [String; 2],
    /// Which of its bytes are which field's.
    pub marks: Vec<EvolutionMark>,
    /// The outcome.
    pub outcome: String,
    /// The field that came out wrong.
    pub field: String,
    /// What had to come out.
    pub expected: String,
    /// What came out.
    pub got: String,
}

impl EvolutionWitness {
    /// The witness as text: both schemas, what was written, expected and got, and the payload with a letter below the bytes of each field.
    pub fn dump(&self) -> String {
        let mut text = String::new();
        for (title, schema) in ["old", "new"].iter().zip(&self.schemas) {
            text.push_str(&format!("{title} schema\n"));
            for line in schema.trim_end().lines() {
                text.push_str(format!("    {line}").trim_end());
                text.push('\n');
            }
            text.push('\n');
        }
        let Self { position, written, field, expected, got, outcome, .. } = self;
        text.push_str(&format!(
            "position  {position}\nwritten   {written}\nfield     {field}\nexpected  {expected}\ngot       {got} ({outcome})\n\n"
        ));
        let mut names: Vec<&str> = Vec::new();
        for mark in &self.marks {
            if !names.contains(&mark.field.as_str()) {
                names.push(&mark.field);
            }
        }
        let sign = |name: &str| names.iter().position(|other| *other == name).map(|index| char::from(b'a' + (index % 26) as u8));
        let bytes: Vec<&str> = (0..self.payload.len()).step_by(2).map(|at| &self.payload[at..at + 2]).collect();
        for (row, chunk) in bytes.chunks(16).enumerate() {
            text.push_str(&format!("{:04x}  {}\n", row * 16, chunk.join(" ")));
            let marked = (row * 16..row * 16 + chunk.len()).map(|at| {
                let mark = self.marks.iter().find(|mark| (mark.offset..mark.offset + mark.length).contains(&at));
                mark.and_then(|mark| sign(&mark.field)).map_or_else(|| "  ".to_owned(), |letter| String::from_iter([letter; 2]))
            });
            let marked = marked.collect::<Vec<_>>().join(" ");
            if !marked.trim().is_empty() {
                text.push_str(&format!("      {}\n", marked.trim_end()));
            }
        }
        text.push('\n');
        for name in &names {
            text.push_str(&format!("{}  {name}\n", sign(name).unwrap_or(' ')));
        }
        text
    }
}

/// Bytes of a payload that change with a field's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EvolutionMark {
    /// The field.
    pub field: String,
    /// The first byte.
    pub offset: usize,
    /// How many.
    pub length: usize,
}

/// What a format costs in its setting, beside what it is worth when schemas change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvolutionPrice {
    /// The format in its setting.
    pub format: String,
    /// The setting in words.
    pub note: String,
    /// How to evolve a schema in this format, in one line.
    pub advice: String,
    /// Entries in the list that was written.
    pub entries: u32,
    /// Bytes of the list.
    pub bytes: u64,
    /// Nanoseconds to write an entry, from a neutral value.
    pub write_nanoseconds: f64,
    /// Nanoseconds to read an entry, to a neutral value.
    pub read_nanoseconds: f64,
    /// Schema changes that the format has.
    pub changes: u32,
    /// Those of them that were silent for no value in neither direction.
    pub never_silent: u32,
}

/// Why records could not be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The file could not be read.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A line is not a record of this version.
    #[error("{path}, line {line}: {reason}", path = path.display())]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The reason.
        reason: String,
    },
}

/// One file: a run and its records.
#[derive(Debug, Clone, PartialEq)]
pub struct RunRecords {
    /// The file's name without its extension.
    pub name: String,
    /// The first line.
    pub run: Run,
    /// All other lines, in their order.
    pub records: Vec<Record>,
}

impl RunRecords {
    /// The records of a kind, from the last run that has any.
    pub fn last<'r, T>(runs: &'r [Self], kind: impl Fn(&'r Record) -> Option<&'r T>) -> Vec<&'r T> {
        let found = |run: &'r Self| -> Vec<&'r T> { run.records.iter().filter_map(&kind).collect() };
        runs.iter().rev().map(found).find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Reads a file.
    ///
    /// # Errors
    ///
    /// It cannot be read, is of another version, or holds a line that is not a record.
    pub fn read(path: &Path) -> Result<Self, ReadError> {
        let io = |source| ReadError::Io { path: path.to_owned(), source };
        let mut records = Vec::new();
        for (index, line) in BufReader::new(File::open(path).map_err(io)?).lines().enumerate() {
            let wrong = |reason: String| ReadError::Line { path: path.to_owned(), line: index + 1, reason };
            let record = Record::from_json(&line.map_err(io)?).map_err(|error| wrong(error.to_string()))?;
            match (&record, index) {
                (Record::Run(run), 0) if run.version == VERSION => {}
                (Record::Run(run), 0) => return Err(wrong(format!("version {} where {VERSION} is read", run.version))),
                (Record::Run(_), _) => return Err(wrong("a second run in one file".into())),
                (_, 0) => return Err(wrong("the first record does not tell the run".into())),
                _ => {}
            }
            records.push(record);
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut records = records.into_iter();
        match records.next() {
            Some(Record::Run(run)) => Ok(Self { name, run: *run, records: records.collect() }),
            _ => Err(ReadError::Line { path: path.to_owned(), line: 1, reason: "an empty file".into() }),
        }
    }

    /// Reads every `.jsonl` file of a folder, in the order of their names.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    pub fn read_folder(folder: &Path) -> Result<Vec<Self>, ReadError> {
        let io = |source| ReadError::Io { path: folder.to_owned(), source };
        let mut paths = Vec::new();
        for entry in folder.read_dir().map_err(io)? {
            let path = entry.map_err(io)?.path();
            if path.extension().is_some_and(|extension| extension == "jsonl") {
                paths.push(path);
            }
        }
        paths.sort();
        paths.iter().map(|path| Self::read(path)).collect()
    }

    /// The planned cells that have neither samples nor a failure.
    pub fn holes(&self) -> Vec<&Cell> {
        let mut open: BTreeMap<&Cell, ()> = self.run.planned.iter().map(|cell| (cell, ())).collect();
        for record in &self.records {
            match record {
                Record::Time(Time { cell, .. }) | Record::Failure(Failure { cell, .. }) => {
                    open.remove(cell);
                }
                _ => {}
            }
        }
        open.into_keys().collect()
    }
}

/// Appends records to a writer, a line each.
pub struct Writer<W> {
    inner: W,
}

impl Writer<Box<dyn Write>> {
    /// Starts a file with the record of its run; a file that is there is replaced. The path `-` is standard output.
    ///
    /// # Errors
    ///
    /// The file or its folder cannot be written.
    pub fn create(path: &Path, run: Run) -> io::Result<Self> {
        if path == "-" {
            return Self::new(Box::new(io::stdout()), run);
        }
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        Self::new(Box::new(File::create(path)?), run)
    }
}

impl Writer<Box<dyn Write>> {
    /// Goes on with a file. A line that a killed run has left half written is removed.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written.
    pub fn append(path: &Path) -> io::Result<Self> {
        mend(path)?;
        Ok(Self { inner: Box::new(File::options().append(true).open(path)?) })
    }
}

/// Cuts a file behind its last whole line.
///
/// # Errors
///
/// The file cannot be read or written.
pub fn mend(path: &Path) -> io::Result<()> {
    let content = std::fs::read(path)?;
    let whole = content.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    if whole < content.len() { File::options().write(true).open(path)?.set_len(whole as u64) } else { Ok(()) }
}

/// Cuts so many whole lines off the end of a file.
///
/// # Errors
///
/// The file cannot be read or written.
pub fn cut_lines(path: &Path, lines: usize) -> io::Result<()> {
    let content = std::fs::read(path)?;
    let ends: Vec<usize> = content.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
    let kept = ends.len().checked_sub(lines + 1).map_or(0, |last| ends[last]);
    File::options().write(true).open(path)?.set_len(kept as u64)
}

impl<W: Write> Writer<W> {
    /// Starts with the record of the run.
    ///
    /// # Errors
    ///
    /// What the writer returns.
    pub fn new(inner: W, run: Run) -> io::Result<Self> {
        let mut writer = Self { inner };
        writer.write(&Record::Run(Box::new(run)))?;
        Ok(writer)
    }

    /// Appends a record, in one write.
    ///
    /// # Errors
    ///
    /// What the writer returns.
    pub fn write(&mut self, record: &Record) -> io::Result<()> {
        let mut line = record.to_json()?.into_bytes();
        line.push(b'\n');
        self.inner.write_all(&line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operation::Operation;

    fn cell(members: usize) -> Cell {
        Cell {
            id: CaseId { operation: Operation::Decode, dataset: "organization".into(), format: "json".into(), codec: None },
            spec: Spec { members, seed: 712, variant: "zh".into() },
        }
    }

    fn run() -> Run {
        Run {
            version: VERSION,
            program: "test".into(),
            environment: Environment::of_this_process(&Build::default()),
            planned: vec![cell(1), cell(2), cell(3)],
        }
    }

    fn time(members: usize) -> Record {
        Record::Time(Time { cell: cell(members), allocator: "system".into(), again: false, samples: vec![1.5, 0.1] })
    }

    #[test]
    fn records_come_back_from_a_file_and_holes_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/bench.jsonl");
        let mut writer = Writer::create(&path, run()).unwrap();
        let failure = Record::Failure(Failure { cell: cell(3), error: "no".into() });
        writer.write(&time(1)).unwrap();
        writer.write(&failure).unwrap();
        let read = RunRecords::read(&path).unwrap();
        assert_eq!(read.run, run());
        assert_eq!(read.records, [time(1), failure]);
        assert_eq!(read.holes(), [&cell(2)]);
        assert_eq!(RunRecords::read_folder(path.parent().unwrap()).unwrap(), [read]);
    }

    #[test]
    fn a_file_that_was_cut_in_a_line_goes_on_behind_the_last_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("full.jsonl");
        Writer::create(&path, run()).unwrap().write(&time(1)).unwrap();
        let whole = std::fs::read(&path).unwrap();
        std::fs::write(&path, [&whole[..], br#"{"kind":"time","oper"#].concat()).unwrap();
        RunRecords::read(&path).unwrap_err();
        Writer::append(&path).unwrap().write(&time(2)).unwrap();
        assert_eq!(RunRecords::read(&path).unwrap().records, [time(1), time(2)]);
    }

    #[test]
    fn what_is_not_a_record_is_refused_with_its_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.jsonl");
        let line = |record: &Record| serde_json::to_string(record).unwrap();
        let first = line(&Record::Run(Box::new(run())));
        let other_version = line(&Record::Run(Box::new(Run { version: VERSION + 1, ..run() })));
        for (content, at) in [
            (String::new(), "line 1: an empty file"),
            (line(&time(1)), "line 1: the first record"),
            (other_version, "line 1: version 2 where 1 is read"),
            (format!("{first}\n{first}"), "line 2: a second run"),
            (format!("{first}\n{{\"kind\":\"tim"), "line 2: EOF"),
        ] {
            std::fs::write(&path, content).unwrap();
            let error = RunRecords::read(&path).unwrap_err().to_string();
            assert!(error.contains(at), "{error}");
        }
    }
}
