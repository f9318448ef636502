//! The report on records that were made up, a builder for which stands first.

use std::collections::BTreeMap;

use super::document::{Block, Document};
use super::table::{Mark, Shown, Table};
use super::*;
use crate::case::{CaseId, Fidelity, NATIVE, Spec};
use crate::operation::Operation;
use crate::record::{
    Cell, CodecRow, DefaultLimits, Environment, Failure, FidelityRow, FormatRow, Memory, Process, Ratio, Record, Run, Size, Time, VERSION,
};

/// A run in the making.
struct Made {
    name: String,
    members: usize,
    date: &'static str,
    variant: &'static str,
    records: Vec<Record>,
    planned: Vec<Cell>,
}

impl Made {
    fn new(name: &str, members: usize) -> Self {
        Self { name: name.into(), members, date: "2026-11-30", variant: "zh", records: Vec::new(), planned: Vec::new() }
    }

    fn spec(&self) -> Spec {
        Spec { members: self.members, seed: 712, variant: self.variant.into() }
    }

    /// What follows is of this variant of the data.
    fn variant(mut self, variant: &'static str) -> Self {
        self.variant = variant;
        self
    }

    fn cell(&self, operation: Operation, format: &str, codec: Option<&str>) -> Cell {
        let id = CaseId { operation, dataset: "organization".into(), format: format.into(), codec: codec.map(Into::into) };
        Cell { id, spec: self.spec() }
    }

    fn format(mut self, name: &str, operations: &[Operation]) -> Self {
        self.records.push(Record::Format(FormatRow {
            name: name.into(),
            wire_format: name.into(),
            library: format!("lib-{name}"),
            version: "1.0.0".into(),
            note: String::new(),
            validation: operations.contains(&Operation::Access).then(|| "upfront".into()),
            operations: operations.iter().map(|operation| operation.name().into()).collect(),
        }));
        self
    }

    fn size(mut self, format: &str, codec: Option<&str>, bytes_per_member: f64) -> Self {
        let bytes = (bytes_per_member * self.members as f64) as u64;
        let data_bytes = 70 * self.members as u64;
        let (spec, codec) = (self.spec(), codec.map(Into::into));
        self.records.push(Record::Size(Size { spec, dataset: "organization".into(), format: format.into(), codec, bytes, data_bytes }));
        self
    }

    /// Ten samples around so many nanoseconds a member, within 1 % of it.
    fn time(self, operation: Operation, format: &str, per_member: f64) -> Self {
        self.time_of(operation, format, None, per_member, "mimalloc", false)
    }

    fn again(self, operation: Operation, format: &str, per_member: f64) -> Self {
        self.time_of(operation, format, None, per_member, "mimalloc", true)
    }

    fn time_of(mut self, operation: Operation, format: &str, codec: Option<&str>, per_member: f64, allocator: &str, again: bool) -> Self {
        let cell = self.cell(operation, format, codec);
        let samples = (0..10).map(|index| per_member * self.members as f64 * (0.991 + 0.002 * f64::from(index))).collect();
        if !again && allocator == "mimalloc" {
            self.planned.push(cell.clone());
        }
        self.records.push(Record::Time(Time { cell, allocator: allocator.into(), again, samples }));
        self
    }

    fn failed(mut self, operation: Operation, format: &str, error: &str) -> Self {
        let cell = self.cell(operation, format, None);
        self.planned.push(cell.clone());
        self.records.push(Record::Failure(Failure { cell, error: error.into() }));
        self
    }

    fn hole(mut self, operation: Operation, format: &str) -> Self {
        self.planned.push(self.cell(operation, format, None));
        self
    }

    fn record(mut self, record: Record) -> Self {
        self.records.push(record);
        self
    }

    fn fidelity(self, format: &str, probe: &str, outcome: Fidelity) -> Self {
        let row = FidelityRow { dataset: "organization".into(), format: format.into(), probe: probe.into(), outcome };
        self.record(Record::Fidelity(row))
    }

    fn done(self) -> RunRecords {
        let environment = Environment {
            date: self.date.into(),
            processor: "Example Processor 9000".into(),
            cores: 2,
            memory_bytes: 8_000_000_000,
            system: "linux x86_64".into(),
            rustc: "rustc 1.95.0".into(),
            target: "x86_64-unknown-linux-gnu".into(),
            profile: "bench: opt-level 3".into(),
            allocator: "mimalloc".into(),
            revision: "0123456789ab".into(),
            libraries: BTreeMap::from([("serde_json".into(), "1.0.154".into())]),
        };
        let program = if self.name.starts_with("bench") { "cargo bench" } else { "wirewise measure" };
        let run = Run { version: VERSION, program: program.into(), environment, planned: self.planned };
        RunRecords { name: self.name, run, records: self.records }
    }
}

use Operation::{
    Access, AccessUnchecked, Borrow, Clone as CloneValue, Compress, Convert, Copy as Memcpy, Decode, DecodeMessage, Decompress,
    Drop as DropValue, Encode, EncodeFresh, EncodeMessage, Populate, ReadAll, ReadAllBorrowed, ReadAllUnchecked, ReadField,
    ReadFieldUnchecked, ReadRandom, ReadRandomUnchecked, Scan, Update,
};

/// Two formats and their floors: `quick` encodes in 10 ns a member, `slow` in 30.
fn small() -> Made {
    Made::new("bench", 1000)
        .format("quick", &[Encode, EncodeFresh, Decode, DropValue])
        .format("slow", &[Encode, EncodeFresh, Decode, DropValue, Update])
        .size("quick", None, 100.0)
        .size("slow", None, 160.0)
        .time(CloneValue, NATIVE, 20.0)
        .time(ReadAll, NATIVE, 15.0)
        .time(Memcpy, "quick", 5.0)
        .time(Scan, "quick", 10.0)
        .time(Encode, "quick", 10.0)
        .time(Encode, "slow", 30.0)
        .time(Decode, "quick", 60.0)
        .time(Decode, "slow", 90.0)
}

/// A row of the prototype: name, bytes, encode, decode, read safely (with access?), read unvalidated, bytes after zstd-3 and LZ4.
type Prototype = (&'static str, f64, f64, f64, Option<f64>, bool, Option<f64>, f64, f64);

const PROTOTYPE: [Prototype; 10] = [
    ("json", 163.2, 150.0, 308.0, Some(258.0), false, None, 26.8, 51.5),
    ("custom-rows", 92.9, 13.9, 73.0, Some(50.0), true, Some(12.4), 29.4, 42.2),
    ("custom-columns", 92.9, 16.1, 43.0, Some(14.4), true, Some(11.5), 29.8, 50.1),
    ("binary-writer", 83.9, 16.5, 75.0, Some(51.0), true, Some(13.1), 29.2, 42.1),
    ("protobuf", 88.8, 67.0, 166.0, None, false, None, 29.8, 41.3),
    ("messagepack-array", 87.7, 33.0, 147.0, Some(86.0), false, None, 30.1, 42.7),
    ("messagepack-map", 133.7, 44.0, 188.0, Some(153.0), false, None, 31.1, 46.9),
    ("flatbuffers", 123.9, 84.0, 238.0, Some(200.0), true, Some(16.0), 36.9, 53.5),
    ("capnp", 120.0, 30.0, 116.0, Some(79.0), true, Some(38.0), 31.7, 56.5),
    ("rkyv", 108.9, 21.0, 92.0, Some(65.0), true, Some(1.6), 31.9, 54.3),
];

/// A whole run with the prototype's figures; rkyv's unvalidated reading is faster than memory, and JSON's drop failed.
fn full(name: &str, members: usize) -> RunRecords {
    let mut made = Made::new(name, members)
        .time(CloneValue, NATIVE, 30.0)
        .time(ReadAll, NATIVE, 11.2)
        .time(ReadField, NATIVE, 1.1)
        .time(ReadRandom, NATIVE, 0.02);
    for row in PROTOTYPE {
        made = with_format(made, row);
    }
    for codec in ["zstd-3", "lz4"] {
        made = made.record(Record::Codec(CodecRow {
            name: codec.into(),
            wire_format: codec.into(),
            library: codec.into(),
            version: "1.0".into(),
            by_default: true,
        }));
    }
    made = made
        .failed(DropValue, "json", "out of <memory> | no more")
        .again(Encode, "json", 151.1)
        .again(Decode, "rkyv", 94.0)
        .again(Decode, "custom-columns", 43.2)
        .time_of(Decode, "json", None, 435.0, "system", false)
        .time_of(Decode, "rkyv", None, 174.0, "system", false);
    for (format, probe, outcome) in [
        ("json", "NaN", Fidelity::Refused("NaN is not | JSON".into())),
        ("rkyv", "NaN", Fidelity::Kept),
        ("json", "null tags", Fidelity::Kept),
        ("rkyv", "null tags", Fidelity::Kept),
        ("protobuf", "null tags", Fidelity::Changed("tags: null → 0 items".into())),
        ("protobuf", "NaN", Fidelity::Kept),
        ("json", "empty", Fidelity::Kept),
        ("rkyv", "empty", Fidelity::Kept),
        ("protobuf", "empty", Fidelity::Kept),
    ] {
        made = made.fidelity(format, probe, outcome);
    }
    let (spec, dataset) = (made.spec(), "organization".to_owned());
    let limits = |format: &str, limit: &str, refused: Option<&str>| {
        let (spec, dataset, refused) = (spec.clone(), dataset.clone(), refused.map(Into::into));
        Record::DefaultLimits(DefaultLimits { spec, dataset, format: format.into(), limit: limit.into(), refused })
    };
    let ratio = |cell: Cell, against: Cell, at_most: f64, ratio: f64| {
        let pairs = (0..10).map(|index| (ratio * (100.0 + f64::from(index)), 104.5)).collect();
        Record::Ratio(Ratio { cell, against: against.id, at_most, pairs, bytes: None })
    };
    let memory = Memory {
        cell: made.cell(Decode, "json", None),
        allocations: 4 * members as u64,
        allocated_bytes: 120 * members as u64,
        peak_bytes: 118 * members as u64,
        resident_peak_bytes: 412_000_000,
        state_bytes: 0,
    };
    let cells = [Encode, Memcpy, Decode].map(|operation| made.cell(operation, "custom-rows", None));
    let clone = made.cell(CloneValue, NATIVE, None);
    made.record(limits("flatbuffers", "1,000,000 tables", Some("TooManyTables")))
        .record(limits("capnp", "64 MiB read", None))
        .record(ratio(cells[0].clone(), cells[1].clone(), 2.0, 1.7))
        .record(ratio(cells[2].clone(), clone, 1.8, 2.4))
        .record(Record::Memory(memory))
        .record(Record::Process(Process {
            spec,
            resident_peak_bytes: 700_000_000,
            dataset_bytes: 160_000_000,
            largest_payload_bytes: 163_200_000,
        }))
        .done()
}

fn with_format(made: Made, (name, bytes, encode, decode, read, accessed, unchecked, zstd, lz4): Prototype) -> Made {
    let mut operations = vec![Memcpy, Scan, Encode, EncodeFresh, Decode, DropValue];
    let mut made = made
        .size(name, None, bytes)
        .size(name, Some("zstd-3"), zstd)
        .size(name, Some("lz4"), lz4)
        .time(Memcpy, name, bytes * 0.08)
        .time(Scan, name, bytes * 0.075)
        .time(Encode, name, encode)
        .time(EncodeFresh, name, encode * 1.1)
        .time(Decode, name, decode);
    if name != "json" {
        made = made.time(DropValue, name, 14.0);
    }
    for (codec, compress, decompress) in [("zstd-3", 3.1, 1.1), ("lz4", 1.6, 0.4)] {
        made = made.time_of(Compress, name, Some(codec), bytes * compress, "mimalloc", false);
        made = made.time_of(Decompress, name, Some(codec), bytes * decompress, "mimalloc", false);
    }
    if name == "protobuf" {
        operations.extend([Populate, EncodeMessage, DecodeMessage, Convert]);
        made = made.time(Populate, name, 30.0).time(EncodeMessage, name, 37.0).time(DecodeMessage, name, 136.0).time(Convert, name, 30.0);
    }
    if let (Some(read), false) = (read, accessed) {
        operations.extend([Borrow, ReadAllBorrowed]);
        made = made.time(Borrow, name, read * 0.9).time(ReadAllBorrowed, name, read);
    }
    if let (Some(read), true, Some(unchecked)) = (read, accessed, unchecked) {
        operations.extend([
            Access,
            ReadAll,
            ReadField,
            ReadRandom,
            AccessUnchecked,
            ReadAllUnchecked,
            ReadFieldUnchecked,
            ReadRandomUnchecked,
        ]);
        made = made.time(Access, name, read * 0.8).time(ReadAll, name, read).time(ReadField, name, read * 0.82).time(
            ReadRandom,
            name,
            read * 0.81,
        );
        made = made.time(AccessUnchecked, name, 0.000_003).time(ReadAllUnchecked, name, unchecked).time(
            ReadFieldUnchecked,
            name,
            unchecked * 0.2,
        );
        made = made.time(ReadRandomUnchecked, name, 0.03);
    }
    if name.starts_with("custom") || name == "rkyv" {
        operations.push(Update);
        made = made.time(Update, name, encode * 0.2);
    }
    made.format(name, &operations)
}

fn document(runs: &[RunRecords]) -> Document {
    page::document(runs, "docs/records/now")
}

fn report(runs: Vec<RunRecords>) -> Report {
    Report::from_runs(runs, "docs/records/now".into()).unwrap()
}

fn markdown(runs: Vec<RunRecords>) -> String {
    report(runs).files()[0].1.clone()
}

fn tables(blocks: &[Block]) -> Vec<&Table> {
    let mut found = Vec::new();
    for block in blocks {
        match block {
            Block::Table(table) => found.push(table),
            Block::Fold { blocks, .. } => found.extend(tables(blocks)),
            _ => {}
        }
    }
    found
}

/// The table with a column of this name, in the section of this anchor.
fn table(document: &Document, section: &str, column: &str) -> Table {
    let section = document.sections.iter().find(|found| found.id == section).unwrap();
    let found = tables(&section.blocks).into_iter().find(|table| table.columns.iter().any(|found| found.name == column));
    found.unwrap_or_else(|| panic!("no table with a column {column:?}")).clone()
}

fn shown(table: &Table, row: &str, column: &str) -> String {
    let row = table.rows.iter().find(|found| words(&found.cells[0].shown()) == row).unwrap_or_else(|| panic!("no row {row:?}"));
    words(&row.cells[table.columns.iter().position(|found| found.name == column).unwrap()].shown())
}

fn words(shown: &Shown) -> String {
    use super::document::Span;
    match shown {
        Shown::Figure(figure, None) => figure.clone(),
        Shown::Figure(figure, Some(range)) => format!("{figure} {range}"),
        Shown::Sign(sign) => (*sign).to_owned(),
        Shown::Text(text) => text
            .spans()
            .iter()
            .map(|span| match span {
                Span::Plain(text) | Span::Strong(text) | Span::Code(text) | Span::Outcome(text) | Span::Link { text, .. } => text.as_str(),
            })
            .collect(),
    }
}

fn marks(table: &Table) -> Vec<(String, Mark)> {
    table.rows.iter().map(|row| (words(&row.cells[0].shown()), row.mark)).collect()
}

#[test]
fn a_winner_is_named_with_its_gap() {
    let document = document(&[small().again(Encode, "quick", 10.2).done()]);
    let answer = table(&document, "answer", "take");
    let row = |column| shown(&answer, "encode", column);
    assert_eq!(
        ["take", "figure", "in all", "next", "next is × the first"].map(row),
        ["quick", "10.0 (9.9–10.1) ns/member", "10.0 µs", "slow", "3.00"]
    );
    assert_eq!(row("is that more than noise?"), "yes");
    let encode = table(&document, "1000-members", "encode, reused sink");
    let floors = ["memcpy, quick", "scan, quick", "clone of the value"];
    let expected =
        floors.map(|name| (name.to_owned(), Mark::Floor)).into_iter().chain([("quick".into(), Mark::Winner), ("slow".into(), Mark::Plain)]);
    assert_eq!(marks(&encode), expected.collect::<Vec<_>>());
    assert_eq!(shown(&encode, "quick", "× memcpy"), "2.00");
}

#[test]
fn a_gap_within_the_noise_is_a_tie_of_the_named() {
    // The same case came out 250 % slower the second time: nothing can be told apart.
    let document = document(&[small().again(Encode, "quick", 35.0).done()]);
    let answer = table(&document, "answer", "take");
    assert_eq!(shown(&answer, "encode", "take"), "quick or slow");
    assert_eq!(shown(&answer, "encode", "is that more than noise?"), "no: a tie of 2");
    assert_eq!(shown(&answer, "smallest payload", "take"), "quick", "bytes have no noise");
    let encode = table(&document, "1000-members", "encode, reused sink");
    assert!(marks(&encode).contains(&("quick".into(), Mark::Tie)) && marks(&encode).contains(&("slow".into(), Mark::Tie)));
}

#[test]
fn a_failed_cell_is_shown_with_its_reason() {
    let document = document(&[small().failed(EncodeFresh, "quick", "out of memory").done()]);
    let encode = table(&document, "1000-members", "encode, fresh sink");
    assert_eq!(shown(&encode, "quick", "encode, fresh sink"), "failed");
    assert_eq!(encode.notes, ["encode-fresh of quick failed: out of memory".into()]);
    assert_eq!(shown(&table(&document, "failed", "why"), "encode-fresh/organization/quick", "why"), "failed: out of memory");
}

#[test]
fn a_shape_that_a_format_does_not_carry_is_no_failed_cell_of_the_answer() {
    let nulls = small().variant("shape-nulls-10").failed(Decode, "quick", "another checksum").failed(Borrow, "quick", "why");
    let nulls = nulls.done();
    let of_shape = document(std::slice::from_ref(&nulls));
    let failed = table(&of_shape, "failed", "shape");
    assert_eq!(shown(&failed, "quick", "shape"), "nulls-10");
    assert_eq!(shown(&failed, "quick", "cells failed"), "2");
    assert_eq!(shown(&failed, "quick", "the first of them"), "decode: another checksum");
    let page = markdown(vec![nulls]);
    assert!(page.contains("Not every other shape of the data comes through quick unchanged."));
    assert!(!page.contains("failed and"));
    let both = small().failed(Borrow, "slow", "why").variant("shape-nulls-10").failed(Borrow, "quick", "why").done();
    assert_eq!(shown(&table(&document(std::slice::from_ref(&both)), "failed", "cell"), "borrow/organization/slow", "why"), "failed: why");
    assert!(markdown(vec![both]).contains("**1 cell failed and 0 rejected**"));
}

#[test]
fn what_is_not_there_says_why() {
    let document = document(&[small().time(Update, "slow", 3.0).done()]);
    let encode = table(&document, "1000-members", "populate");
    assert_eq!(shown(&encode, "quick", "populate"), "–");
    assert_eq!(shown(&encode, "quick", "encode, fresh sink"), "·");
    assert!(encode.footnotes().contains(&"“–”: the format has no such operation.".into()));
    let update = table(&document, "1000-members", "update");
    assert_eq!(update.notes, ["No such operation at all: quick.".into()]);
}

#[test]
fn a_hole_fails_and_names_its_cell() {
    let error = Report::from_runs(vec![small().hole(Populate, "slow").done()], String::new()).unwrap_err();
    assert!(matches!(&error, ReportError::Holes { cells, .. } if cells == &["populate/organization/slow/1000"]));
    assert!(error.to_string().contains("populate/organization/slow/1000"));
    assert!(Report::from_runs(vec![small().failed(Populate, "slow", "why").done()], String::new()).is_ok());
    assert!(matches!(Report::from_runs(Vec::new(), "here".into()), Err(ReportError::Empty(_))));
}

#[test]
fn a_reading_faster_than_memory_is_not_published() {
    // The scan takes 10 ns for 100 bytes, the data is 70 bytes: 7 ns, less 10 %.
    let made = |per_member| {
        document(&[small()
            .format("view", &[Encode, ReadAllUnchecked])
            .size("view", None, 200.0)
            .time(ReadAllUnchecked, "view", per_member)
            .done()])
    };
    let read = |document: &Document| table(document, "1000-members", "unvalidated access + read");
    assert_eq!(shown(&read(&made(6.4)), "view", "unvalidated access + read"), "6.40 (6.36–6.44)");
    let rejected = made(6.2);
    assert_eq!(shown(&read(&rejected), "view", "unvalidated access + read"), "rejected: faster than memory");
    assert_eq!(shown(&table(&rejected, "failed", "why"), "read-all-unchecked/organization/view", "why"), "rejected: faster than memory");
    let answer = table(&rejected, "answer", "take");
    assert!(!marks(&answer).iter().any(|(question, _)| question == "read everything once, payload trusted"));
}

#[test]
fn decode_and_read_is_the_sum_of_both() {
    let read = table(&document(&[small().done()]), "1000-members", "decode + read");
    assert_eq!(shown(&read, "quick", "decode + read"), "75.0 (74.5–75.5)");
    assert_eq!(shown(&read, "quick", "which is"), "decode + read");
}

#[test]
fn a_table_takes_one_run_and_other_allocators_stand_apart() {
    let poor = Made::new("bench-poor", 1000).time(Encode, "quick", 1.0).done();
    let rich = small().time_of(Encode, "quick", None, 20.0, "system", false).done();
    let document = document(&[poor, rich]);
    let encode = table(&document, "1000-members", "encode, reused sink");
    assert_eq!(shown(&encode, "quick", "encode, reused sink"), "10.0 (9.9–10.1)");
    let allocators = table(&document, "allocators", "other ÷ own");
    assert_eq!(shown(&allocators, "encode quick", "other ÷ own"), "2.00");
    let environment = table(&document, "environment", "bench-poor");
    assert_eq!(shown(&environment, "shown for", "bench-poor"), "nothing: another run has more cells");
    assert_eq!(shown(&environment, "shown for", "bench"), "1,000 members");
}

#[test]
fn sizes_of_datasets_stand_apart_the_largest_first() {
    let document = document(&[full("bench", 1000), full("measure", 1_000_000)]);
    let ids: Vec<&str> = document.sections.iter().map(|section| section.id.as_str()).collect();
    assert_eq!(ids[..6], ["choose", "answer", "pictures", "failed", "1000000-members", "1000-members"]);
    let by_size = table(&document, "answer", "1,000 members");
    assert_eq!(shown(&by_size, "smallest payload", "1,000 members"), "binary-writer");
    assert_eq!(document.figures().len(), 8);
}

/// What was only encoded at ten times the size does not answer for the dataset.
#[test]
fn a_size_of_few_cases_does_not_lead() {
    let few = Made::new("large", 10_000_000).format("quick", &[Encode]).time(Encode, "quick", 10.0).done();
    let document = document(&[full("measure", 1_000_000), few]);
    let ids: Vec<&str> = document.sections.iter().map(|section| section.id.as_str()).collect();
    let place = |id| ids.iter().position(|found| *found == id).unwrap();
    assert!(place("1000000-members") < place("10000000-members"), "{ids:?}");
}

#[test]
fn figures_held_and_limits_are_judged() {
    let document = document(&[full("measure", 1_000_000)]);
    let held = table(&document, "held", "verdict");
    assert_eq!(held.rows.iter().map(|row| words(&row.cells[5].shown())).collect::<Vec<_>>(), ["does not hold", "holds"]);
    for (members, verdict) in [(1_000_000, "holds"), (999_999, "not judged")] {
        let peaks = table(&page::document(&[full("measure", members)], ""), "held", "peak");
        assert_eq!(words(&peaks.rows[0].cells[6].shown()), verdict);
    }
    let page = markdown(vec![full("measure", 1_000_000)]);
    assert!(page.contains("a limit of flatbuffers stops this dataset"));
    assert!(page.contains("Every format keeps 1 probe: empty."));
    assert!(page.contains("tags: null → 0 items"));
}

#[test]
fn the_same_records_give_the_same_bytes() {
    let make = || report(vec![full("bench", 100), full("measure", 1_000_000)]);
    assert_eq!(make(), make());
    let names: Vec<String> = make().files().iter().map(|(name, _)| name.clone()).collect();
    let pictures = [
        "transfer-against-bandwidth",
        "transfer-relative",
        "break-even",
        "levels-against-decode",
        "size-against-decode",
        "encode-and-decode",
    ];
    let pictures = pictures.into_iter().chain(["access-against-decode", "allocations"]).map(|name| format!("{name}.svg"));
    let expected: Vec<String> = ["index.md", "index.html"].into_iter().map(str::to_owned).chain(pictures).collect();
    assert_eq!(names, expected);
}

#[test]
fn text_of_records_cannot_become_markup() {
    let report = report(vec![full("measure", 1000)]);
    let [(_, markdown), (_, html), ..] = report.files() else { panic!("no pages") };
    assert!(markdown.contains("out of &lt;memory&gt; \\| no more"));
    assert!(html.contains("out of &lt;memory&gt; | no more"));
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        assert!(line.ends_with(" |"), "{line}");
    }
}

#[test]
fn both_pages_hold_the_same_tables_and_pictures() {
    let report = report(vec![full("measure", 1_000_000), full("bench", 1000)]);
    let [(_, markdown), (_, html), pictures @ ..] = report.files() else { panic!("no pages") };
    let rows = markdown.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---")).count();
    assert_eq!(html.matches("<tr").count(), rows);
    assert_eq!(html.matches("<svg").count(), pictures.len());
    for (name, content) in pictures {
        assert!(markdown.contains(&format!("({name})")), "{name}");
        assert!(content.contains("<title") && content.contains("<desc") && content.contains("prefers-color-scheme"), "{name}");
    }
}

#[test]
fn the_first_line_tells_the_records_and_nothing_else_does() {
    let source = "docs/records/a--b";
    let report = Report::from_runs(vec![small().done()], source.into()).unwrap();
    for (name, content) in report.files() {
        let first = content.lines().next().unwrap();
        assert!(first.contains("`wirewise report`") && first.matches("--").count() == 2, "{name}: {first}");
        assert_eq!(source_in(content).as_deref(), Some(source));
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Report::source_of(folder.path()), Err(Stale::Unreadable { .. })));
    report.write(folder.path()).unwrap();
    assert_eq!(Report::source_of(folder.path()).unwrap(), Path::new(source));
    fs::write(folder.path().join("index.md"), "# Hello\n").unwrap();
    assert!(matches!(Report::source_of(folder.path()), Err(Stale::NotGenerated { .. })));
}

#[test]
fn check_finds_a_changed_byte_and_write_removes_only_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("new/report");
    let report = report(vec![full("measure", 1000)]);
    assert!(matches!(report.check(&path), Err(Stale::Unreadable { file, .. }) if file == "index.md"));
    report.write(&path).unwrap();
    report.check(&path).unwrap();

    let html = path.join("index.html");
    let content = fs::read_to_string(&html).unwrap();
    fs::write(&html, content.replacen("<h1>", "<h2>", 1)).unwrap();
    let line = content.lines().position(|line| line.contains("<h1>")).unwrap() + 1;
    assert!(matches!(report.check(&path), Err(Stale::Differs { file, line: at, .. }) if file == "index.html" && at == line));
    fs::write(&html, content.trim_end()).unwrap();
    assert!(matches!(report.check(&path), Err(Stale::Differs { line: at, .. }) if at == content.lines().count() + 1));
    fs::write(&html, &content).unwrap();

    fs::write(path.join("old.svg"), &report.files()[2].1).unwrap();
    fs::write(path.join("other.svg"), "<svg/>").unwrap();
    assert!(matches!(report.check(&path), Err(Stale::Left { file }) if file == "old.svg"));
    report.write(&path).unwrap();
    report.check(&path).unwrap();
    assert!(path.join("other.svg").exists() && !path.join("old.svg").exists());
}

#[test]
fn a_folder_of_records_is_read() {
    let folder = tempfile::tempdir().unwrap();
    assert!(matches!(Report::from_folder(folder.path()), Err(ReportError::Empty(_))));
    let made = small().done();
    let mut writer = crate::record::Writer::create(&folder.path().join("bench.jsonl"), made.run.clone()).unwrap();
    for record in &made.records {
        writer.write(record).unwrap();
    }
    let source = folder.path().to_string_lossy().into_owned();
    assert_eq!(Report::from_folder(folder.path()).unwrap(), Report::from_runs(vec![made], source).unwrap());
}

#[test]
fn a_run_without_anything_still_makes_a_page() {
    let page = markdown(vec![Made::new("bench", 0).done()]);
    assert!(page.contains("The records hold no figures."));
    markdown(vec![Made::new("bench", 0).time(Encode, "quick", 0.0).done()]);
}
