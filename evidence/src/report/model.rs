//! From records to readings: which run a table takes, what stands in a cell, and how large the noise is.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::table::{Cell, Missing};
use crate::case::{CaseId, NATIVE, Spec};
use crate::choice::Way;
use crate::operation::Operation;
use crate::record::{CodecRow, Failure, FormatRow, Noise, Record, RunRecords, Size, Time};
use crate::statistics::Summary;

/// How far below the memory's own time a reading may be before it is rejected: the scan is itself a measurement.
const TOLERANCE: f64 = 0.9;

/// Everything measured of one dataset at one size. Its times come from one run, which is never mixed with another.
pub(crate) struct Group<'r> {
    /// The dataset's name.
    pub(crate) dataset: &'r str,
    /// Its size, seed and variant.
    pub(crate) spec: &'r Spec,
    /// The run that the times come from.
    pub(crate) run: &'r RunRecords,
    /// The noise of that run at this size, or at all sizes where this one has no pairs.
    pub(crate) noise: Option<Noise>,
    /// The names of the formats, in the order in which they were declared.
    pub(crate) formats: Vec<&'r str>,
    runs: &'r [RunRecords],
    rows: BTreeMap<&'r str, &'r FormatRow>,
    times: BTreeMap<&'r CaseId, Summary>,
    failures: BTreeMap<&'r CaseId, &'r str>,
    sizes: BTreeMap<(&'r str, Option<&'r str>), &'r Size>,
    memory_bound: Option<f64>,
}

/// What stands in a cell.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Reading<'r> {
    /// Nanoseconds an iteration.
    Measured(Summary),
    /// Below what memory needs.
    Rejected,
    /// Planned and failed, with the reason.
    Failed(&'r str),
    /// Not planned by this run.
    NotRun,
    /// The format has no such operation.
    Absent,
}

impl Reading<'_> {
    /// The figure, where there is one.
    pub(crate) fn measured(self) -> Option<Summary> {
        match self {
            Self::Measured(summary) => Some(summary),
            _ => None,
        }
    }

    /// Why there is no figure.
    pub(crate) fn missing(self) -> Option<Missing> {
        match self {
            Self::Measured(_) => None,
            Self::Rejected => Some(Missing::Rejected),
            Self::Failed(_) => Some(Missing::Failed),
            Self::NotRun => Some(Missing::NotRun),
            Self::Absent => Some(Missing::Absent),
        }
    }

    /// One after the other: both medians and both intervals added. Without one of the figures there is no sum.
    pub(crate) fn then(self, next: Self) -> Self {
        match (self, next) {
            (Self::Measured(one), Self::Measured(other)) => Self::Measured(one + other),
            (Self::Measured(_), missing) | (missing, _) => missing,
        }
    }

    /// The cell of a table whose unit is `factor` of a nanosecond an iteration.
    pub(crate) fn cell(self, factor: f64) -> Cell {
        match self {
            Self::Measured(summary) => Cell::interval(scaled(&summary, factor)),
            other => Cell::missing(other.missing().unwrap_or(Missing::NotRun)),
        }
    }
}

/// A summary in another unit.
pub(crate) fn scaled(summary: &Summary, factor: f64) -> Summary {
    *summary * factor
}

/// A value that is known exactly.
pub(crate) fn exact(value: f64) -> Summary {
    Summary::exact(value)
}

impl<'r> Group<'r> {
    /// All groups of the runs, the largest first; behind them, those of which fewer than half of their dataset's cases of formats were timed. A
    /// few cases at ten times the size answer nothing but how a cost grows.
    pub(crate) fn all(runs: &'r [RunRecords]) -> Vec<Self> {
        let mut keys: BTreeSet<(&str, &Spec)> = BTreeSet::new();
        for run in runs {
            keys.extend(run.records.iter().filter_map(key));
        }
        let mut groups: Vec<Self> = keys.into_iter().map(|(dataset, spec)| Self::new(dataset, spec, runs)).collect();
        let mut most: BTreeMap<&str, usize> = BTreeMap::new();
        for group in &groups {
            let most = most.entry(group.dataset).or_default();
            *most = (*most).max(group.cases_of_formats());
        }
        let is_sparse = |group: &Self| group.cases_of_formats() * 2 < most[group.dataset];
        groups.sort_by_key(|group| (is_sparse(group), Reverse(group.spec.members), group.dataset, group.spec));
        groups
    }

    fn new(dataset: &'r str, spec: &'r Spec, runs: &'r [RunRecords]) -> Self {
        let run = run_of_times(dataset, spec, runs);
        let mut group = Self {
            dataset,
            spec,
            run,
            noise: None,
            formats: Vec::new(),
            runs,
            rows: format_rows(run, runs),
            times: BTreeMap::new(),
            failures: BTreeMap::new(),
            sizes: BTreeMap::new(),
            memory_bound: None,
        };
        group.times = medians(group.own_times(false));
        group.failures = group.own(failure).map(|failure| (&failure.cell.id, failure.error.as_str())).collect();
        group.sizes = group.most(size).map(|size| ((size.format.as_str(), size.codec.as_deref()), size)).collect();
        group.noise = group.measure_noise();
        group.formats = group.names();
        group.memory_bound = group.measure_memory();
        group
    }

    fn cases_of_formats(&self) -> usize {
        self.times.keys().filter(|id| id.codec.is_none()).count()
    }

    /// What the run holds for this group.
    fn own<T: 'r>(&self, of: fn(&'r Record) -> Option<T>) -> impl Iterator<Item = T> {
        in_group(self.run, self.dataset, self.spec).filter_map(of)
    }

    /// The records of a kind for this group, from the run that has the most of them; on equal terms, from the run of the times.
    pub(crate) fn most<T: 'r>(&self, of: fn(&'r Record) -> Option<T>) -> impl Iterator<Item = T> {
        let count = |run| in_group(run, self.dataset, self.spec).filter_map(of).count();
        let best = self.runs.iter().max_by_key(|run| (count(run), std::ptr::eq(*run, self.run))).unwrap_or(self.run);
        in_group(best, self.dataset, self.spec).filter_map(of)
    }

    /// The samples under the run's own allocator: of the first time a case was measured, or of the second.
    fn own_times(&self, again: bool) -> impl Iterator<Item = &'r Time> {
        let allocator = &self.run.run.environment.allocator;
        self.own(time).filter(move |time| time.again == again && time.allocator == *allocator)
    }

    /// The samples under any other allocator.
    pub(crate) fn times_of_other_allocators(&self) -> impl Iterator<Item = &'r Time> {
        let allocator = &self.run.run.environment.allocator;
        self.own(time).filter(move |time| !time.again && time.allocator != *allocator)
    }

    fn measure_noise(&self) -> Option<Noise> {
        let allocator = &self.run.run.environment.allocator;
        let of_the_run = self.run.records.iter().filter_map(time).filter(|time| time.allocator == *allocator);
        Noise::of(self.own_times(false).chain(self.own_times(true))).or_else(|| Noise::of(of_the_run))
    }

    fn names(&self) -> Vec<&'r str> {
        let cases = self.times.keys().chain(self.failures.keys()).map(|id| id.format.as_str());
        let mut names: BTreeSet<&str> = cases.chain(self.sizes.keys().map(|(format, _)| *format)).collect();
        names.remove(NATIVE);
        let declared = self.run.records.iter().chain(self.runs.iter().flat_map(|run| &run.records)).filter_map(format);
        let mut ordered: Vec<&str> = declared.filter_map(|row| names.take(row.name.as_str())).collect();
        ordered.extend(names);
        ordered
    }

    /// The least time in which the bytes of the data can be fetched: the scan of the smallest payload, for as many bytes.
    fn measure_memory(&self) -> Option<f64> {
        let scan = |size: &&Size| self.times.iter().find(|(id, _)| id.operation == Operation::Scan && id.format == size.format);
        let raw = self.sizes.values().filter(|size| size.codec.is_none() && size.bytes > 0);
        let (size, time) = raw.filter_map(|size| Some((size, scan(size)?.1))).min_by_key(|(size, _)| size.bytes)?;
        Some(time.median / size.bytes as f64 * size.data_bytes as f64 * TOLERANCE)
    }

    /// Nanoseconds an iteration to nanoseconds a member.
    pub(crate) fn per_member(&self) -> f64 {
        1.0 / self.spec.members.max(1) as f64
    }

    /// How far two figures may differ and still be called a tie.
    pub(crate) fn tie_threshold(&self) -> f64 {
        self.noise.map_or(0.0, |noise| noise.largest)
    }

    /// How a format describes itself.
    pub(crate) fn row(&self, format: &str) -> Option<&'r FormatRow> {
        self.rows.get(format).copied()
    }

    /// Whether a format is a layout of this crate's own rather than a library's.
    pub(crate) fn is_ours(&self, format: &str) -> bool {
        self.row(format).is_some_and(|row| row.library == "wirewise")
    }

    /// An operation of a format, or of the native value.
    pub(crate) fn reading(&self, operation: Operation, format: &str) -> Reading<'r> {
        self.reading_of(operation, format, None)
    }

    /// An operation of a format through a codec.
    pub(crate) fn reading_of(&self, operation: Operation, format: &str, codec: Option<&str>) -> Reading<'r> {
        let is = |id: &CaseId| id.operation == operation && id.format == format && id.codec.as_deref() == codec;
        if let Some((_, summary)) = self.times.iter().find(|(id, _)| is(id)) {
            let too_fast = operation.reads_everything() && self.memory_bound.is_some_and(|bound| summary.median < bound);
            return if too_fast { Reading::Rejected } else { Reading::Measured(*summary) };
        }
        if let Some((_, reason)) = self.failures.iter().find(|(id, _)| is(id)) {
            return Reading::Failed(reason);
        }
        // Every payload can be copied, scanned and compressed, whatever its format declares.
        let for_all = codec.is_some() || matches!(operation, Operation::Copy | Operation::Scan);
        match self.rows.get(format) {
            Some(row) if !for_all && row.operations.iter().all(|name| name != operation.name()) => Reading::Absent,
            _ => Reading::NotRun,
        }
    }

    /// Every field of every member read once, in one of the ways.
    pub(crate) fn read_all(&self, format: &str, way: Way) -> Reading<'r> {
        let reading = self.reading(way.reads_all(), format);
        if way == Way::Decode { reading.then(self.reading(Operation::ReadAll, NATIVE)) } else { reading }
    }

    /// The fastest safe way to read everything.
    pub(crate) fn fastest_way(&self, format: &str) -> Option<(Way, Summary)> {
        let measured = Way::SAFE.into_iter().filter_map(|way| Some((way, self.read_all(format, way).measured()?)));
        measured.min_by(|one, other| one.1.median.total_cmp(&other.1.median))
    }

    /// The bytes of a format's payload, as encoded or through a codec.
    pub(crate) fn size(&self, format: &str, codec: Option<&str>) -> Option<&'r Size> {
        self.sizes.get(&(format, codec)).copied()
    }

    /// The payload with the fewest bytes, as encoded.
    pub(crate) fn smallest(&self) -> Option<&'r Size> {
        self.sizes.values().filter(|size| size.codec.is_none()).min_by_key(|size| size.bytes).copied()
    }

    /// All sizes.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = &'r Size> {
        self.sizes.values().copied()
    }

    /// The codecs that this group was put through, in the order in which they were declared.
    pub(crate) fn codecs(&self) -> Vec<&'r str> {
        let cases = self.times.keys().chain(self.failures.keys()).filter_map(|id| id.codec.as_deref());
        let mut names: BTreeSet<&str> = cases.chain(self.sizes.keys().filter_map(|(_, codec)| *codec)).collect();
        let declared = self.run.records.iter().chain(self.runs.iter().flat_map(|run| &run.records)).filter_map(codec);
        let mut ordered: Vec<&str> = declared.filter_map(|row| names.take(row.name.as_str())).collect();
        ordered.extend(names);
        ordered
    }

    /// Those of them that a run takes which chooses none.
    pub(crate) fn usual_codecs(&self) -> Vec<&'r str> {
        let rows: BTreeMap<&str, &CodecRow> =
            self.runs.iter().flat_map(|run| &run.records).filter_map(codec).map(|row| (row.name.as_str(), row)).collect();
        self.codecs().into_iter().filter(|name| rows.get(name).is_none_or(|row| row.by_default)).collect()
    }

    /// The reasons of the failed cells among these operations, as `decode of json: reason`.
    pub(crate) fn reasons(&self, operations: &[Operation]) -> Vec<String> {
        let failed = self.failures.iter().filter(|(id, _)| operations.contains(&id.operation) && !self.times.contains_key(*id));
        failed.map(|(id, reason)| format!("{} of {} failed: {reason}", id.operation, id.pipeline())).collect()
    }

    /// The cells whose time was below what memory needs.
    pub(crate) fn rejected(&self) -> Vec<&'r CaseId> {
        let rejected = |id: &&CaseId| self.reading_of(id.operation, &id.format, id.codec.as_deref()) == Reading::Rejected;
        self.times.keys().copied().filter(rejected).collect()
    }
}

/// The run with the most cells for this group; then the later one; then the one whose name comes first.
fn run_of_times<'r>(dataset: &str, spec: &Spec, runs: &'r [RunRecords]) -> &'r RunRecords {
    let cells = |run: &RunRecords| in_group(run, dataset, spec).filter_map(cell_id).collect::<BTreeSet<_>>().len();
    let rank = |index: usize, run: &'r RunRecords| (cells(run), run.run.environment.date.as_str(), usize::MAX - index);
    let best = runs.iter().enumerate().max_by_key(|(index, run)| rank(*index, run));
    // A group was found in one of the runs, so there is one.
    best.map_or(&runs[0], |(_, run)| run)
}

fn format_rows<'r>(run: &'r RunRecords, runs: &'r [RunRecords]) -> BTreeMap<&'r str, &'r FormatRow> {
    let mut rows = BTreeMap::new();
    for row in run.records.iter().chain(runs.iter().flat_map(|run| &run.records)).filter_map(format) {
        rows.entry(row.name.as_str()).or_insert(row);
    }
    rows
}

/// The dataset and the size that a record of times or sizes belongs to: what makes a group.
fn key(record: &Record) -> Option<(&str, &Spec)> {
    match record {
        Record::Time(_) | Record::Failure(_) | Record::Size(_) => belongs(record),
        _ => None,
    }
}

/// The dataset and the size that a record belongs to, if it belongs to any.
fn belongs(record: &Record) -> Option<(&str, &Spec)> {
    match record {
        Record::Time(time) => Some((&time.cell.id.dataset, &time.cell.spec)),
        Record::Failure(failure) => Some((&failure.cell.id.dataset, &failure.cell.spec)),
        Record::Memory(memory) => Some((&memory.cell.id.dataset, &memory.cell.spec)),
        Record::Ratio(ratio) => Some((&ratio.cell.id.dataset, &ratio.cell.spec)),
        Record::Speed(speed) => Some((&speed.cell.id.dataset, &speed.cell.spec)),
        Record::Size(size) => Some((&size.dataset, &size.spec)),
        Record::DefaultLimits(limits) => Some((&limits.dataset, &limits.spec)),
        Record::Run(_) | Record::Format(_) | Record::Codec(_) | Record::Fidelity(_) | Record::Process(_) => None,
        Record::Torture(_) | Record::Suite(_) => None,
        Record::Opening(time) => Some((&time.id.dataset, &time.id.spec)),
        Record::Reading(time) => Some((&time.id.dataset, &time.id.spec)),
        Record::Passes(time) => Some((&time.id.dataset, &time.id.spec)),
        Record::OpeningFailure(failure) => Some((&failure.id.dataset, &failure.id.spec)),
        Record::Interop(_) | Record::InteropTime(_) | Record::InteropSmall(_) | Record::InteropSkipped(_) => None,
        Record::Evolution(_) | Record::EvolutionPrice(_) | Record::Transfer(_) => None,
    }
}

fn in_group<'r>(run: &'r RunRecords, dataset: &str, spec: &Spec) -> impl Iterator<Item = &'r Record> {
    run.records.iter().filter(move |record| belongs(record) == Some((dataset, spec)))
}

fn cell_id(record: &Record) -> Option<&CaseId> {
    match record {
        Record::Time(time) => Some(&time.cell.id),
        Record::Failure(failure) => Some(&failure.cell.id),
        _ => None,
    }
}

/// Declares the functions that pick one kind of records.
macro_rules! pickers {
    ($($name:ident: $variant:ident -> $type:ty,)*) => {
        $(
            pub(crate) fn $name(record: &Record) -> Option<&$type> {
                match record { Record::$variant(inner) => Some(inner), _ => None }
            }
        )*
    };
}

pickers! {
    time: Time -> Time,
    size: Size -> Size,
    failure: Failure -> Failure,
    format: Format -> FormatRow,
    codec: Codec -> CodecRow,
    memory: Memory -> crate::record::Memory,
    ratio: Ratio -> crate::record::Ratio,
    speed: Speed -> crate::record::Speed,
    fidelity: Fidelity -> crate::record::FidelityRow,
    limits: DefaultLimits -> crate::record::DefaultLimits,
    process: Process -> crate::record::Process,
    opening: Opening -> crate::record::OpeningTime,
    reading: Reading -> crate::record::ReadingTime,
    passes: Passes -> crate::record::PassesTime,
    opening_failure: OpeningFailure -> crate::record::OpeningFailure,
}

fn medians<'r>(times: impl Iterator<Item = &'r Time>) -> BTreeMap<&'r CaseId, Summary> {
    let mut samples: BTreeMap<&CaseId, Vec<f64>> = BTreeMap::new();
    for time in times {
        samples.entry(&time.cell.id).or_default().extend(&time.samples);
    }
    samples.into_iter().filter_map(|(id, samples)| Some((id, Summary::of(&samples)?))).collect()
}
