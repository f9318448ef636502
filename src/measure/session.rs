//! One run: what is planned, what is recorded beside the times, and how far it has come.

use std::collections::HashMap;
use std::fmt::Display;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::forecast::Forecast;
use super::progress::{Progress, minutes};
use super::resume::{Done, Of, difference, unfinished};
use super::{Budget, allocator, atlas, build, isolated, isolated::Task, pairs, sample};
use crate::codec::CodecInfo;
use crate::dataset::Spec;
use crate::format::{Info, Validation};
use crate::operation::{Operation, SMALL_MESSAGE};
use crate::record::{
    Cell, CodecRow, DefaultLimits, Environment, Failure, FidelityRow, FormatRow, Process, Ratio, ReadError, Record, Run, RunRecords, Size,
    Speed, Time, VERSION, Writer, cut_lines, mend, resident_peak_bytes,
};
use crate::registry::{Case, CaseId, DatasetInfo, NATIVE, Registry, Source, Stock};

/// What is chosen of a registry; an empty list chooses all.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Names of datasets.
    pub datasets: Vec<String>,
    /// Names of formats. The floors of the value itself are always chosen.
    pub formats: Vec<String>,
    /// Names of codecs; an empty list chooses those that a run takes by default.
    pub codecs: Vec<String>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// Variants of the datasets; an empty list chooses each dataset's default.
    pub variants: Vec<String>,
}

impl Selection {
    /// The same, with the codecs that an empty list stands for.
    fn with_codecs_of(&self, registry: &Registry) -> Self {
        let mut selection = self.clone();
        if selection.codecs.is_empty() {
            selection.codecs = registry.codecs().filter(|info| info.by_default).map(|info| info.name.clone()).collect();
        }
        selection
    }

    fn takes(&self, id: &CaseId) -> bool {
        self.takes_source(&id.dataset, &id.format)
            && id.codec.as_ref().is_none_or(|codec| self.takes_codec(codec))
            && (self.operations.is_empty() || self.operations.contains(&id.operation))
    }

    fn takes_source(&self, dataset: &str, format: &str) -> bool {
        chooses(&self.datasets, dataset) && (format == NATIVE || chooses(&self.formats, format))
    }

    /// Of datasets that are not named, those that are measured by default.
    fn takes_dataset(&self, dataset: &DatasetInfo) -> bool {
        chooses(&self.datasets, dataset.name) && (dataset.measured || !self.datasets.is_empty())
    }

    fn takes_codec(&self, codec: &str) -> bool {
        chooses(&self.codecs, codec)
    }
}

/// The specifications of a dataset that a selection takes at so many members.
fn specs(selection: &Selection, dataset: &DatasetInfo, members: usize) -> Vec<Spec> {
    let default = dataset.spec(members);
    if selection.variants.is_empty() {
        return vec![default];
    }
    let chosen = dataset.variants.iter().filter(|variant| selection.variants.iter().any(|chosen| chosen == *variant));
    chosen.map(|variant| Spec { variant: (*variant).to_owned(), ..default.clone() }).collect()
}

fn chooses(names: &[String], name: &str) -> bool {
    names.is_empty() || names.iter().any(|chosen| chosen == name)
}

/// A case on a dataset of a size.
pub struct Planned {
    /// The case.
    pub case: Case,
    /// The case's name and the dataset.
    pub cell: Cell,
}

impl Planned {
    /// Whether what the cell allocates says something: floors and yardsticks do not.
    pub fn is_counted(&self) -> bool {
        use Operation::*;
        let yardstick = matches!(
            self.cell.id.operation,
            Copy | Scan | Drop | EncodeBare | EncodeMessageBare | DecodeBare | DecodeMessageBare | AccessBare
        );
        !yardstick
    }

    /// Whether the cell is one of those that the allocator decides.
    pub fn is_the_allocators(&self) -> bool {
        use Operation::*;
        let native = self.cell.id.format == NATIVE;
        matches!(self.cell.id.operation, EncodeFresh | Decode | Drop) && !native || (native && self.cell.id.operation == Clone)
    }
}

/// The cells of a selection: every format at each of `members`, every codec at each of `codec_members`. Cells of one format at one size
/// follow each other, so that they share the payload.
pub fn plan(registry: &Registry, selection: &Selection, members: &[usize], codec_members: &[usize]) -> Vec<Planned> {
    let selection = selection.with_codecs_of(registry);
    let mut planned = Vec::new();
    let mut plan = |members: &[usize], with_codec: bool| {
        let chosen = registry.datasets().iter().filter(|dataset| selection.takes_dataset(dataset));
        for (dataset, members) in chosen.flat_map(|dataset| members.iter().map(move |members| (dataset, *members))) {
            for spec in specs(&selection, dataset, members) {
                for case in registry.cases() {
                    let too_large = case.id.operation.is_of_many() && members > SMALL_MESSAGE;
                    let chosen = case.id.dataset == dataset.name && case.id.codec.is_some() == with_codec && selection.takes(&case.id);
                    if chosen && !too_large {
                        let cell = Cell { id: case.id.clone(), spec: spec.clone() };
                        planned.push(Planned { case, cell });
                    }
                }
            }
        }
    };
    plan(members, false);
    plan(codec_members, true);
    planned
}

/// What a run does with its cells beside timing each of them once.
#[derive(Debug, Clone)]
pub struct Course {
    /// Every how many cells one is measured again, for the noise floor.
    pub again: usize,
    /// The member counts at which ratios are held to their bounds, and default limits tried.
    pub ratios: Vec<usize>,
    /// How long a pair of cases is timed.
    pub ratio_budget: Budget,
    /// The member counts at which allocations are counted.
    pub counted: Vec<usize>,
    /// The member counts at which the system's allocator is tried.
    pub other_allocator: Vec<usize>,
    /// With how many samples.
    pub other_allocator_samples: usize,
    /// Whether the peak of the measuring process is recorded.
    pub process: bool,
    /// The member counts at which openings and readings are measured apart.
    pub readings: Vec<usize>,
    /// How long each of them is timed.
    pub reading_budget: Budget,
}

/// About what starting a process takes, in seconds.
const PROCESS_SECONDS: f64 = 0.05;

/// The record that a run starts with.
fn run_of(registry: &Registry, program: &str, planned: &[Planned]) -> Run {
    let mut environment = Environment::of_this_process(&build());
    for info in registry.formats() {
        environment.libraries.insert(info.library.to_owned(), info.version.to_owned());
    }
    for info in registry.codecs() {
        environment.libraries.insert(info.library.to_owned(), info.version.to_owned());
    }
    let planned = planned.iter().map(|planned| planned.cell.clone()).collect();
    Run { version: VERSION, program: program.to_owned(), environment, planned }
}

/// A run that is being recorded.
pub struct Session<'r> {
    registry: &'r Registry,
    selection: Selection,
    writer: Writer<Box<dyn Write>>,
    /// The dataset and payload made last.
    stock: Stock,
    /// How far the run has come.
    progress: Progress,
    largest_payload: HashMap<String, u64>,
    done: Done,
}

/// Why a run cannot start, or go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The file cannot be written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The file that is there cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The file that is there is of another run.
    #[error("{path} is of another run: {difference}; choose another file, or remove it", path = path.display())]
    Other {
        /// The file.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
}

impl<'r> Session<'r> {
    /// Starts the file at `path` with the circumstances, the plan and the table of capabilities. A file that is there is replaced.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn start(registry: &'r Registry, selection: Selection, program: &str, path: &Path, planned: &[Planned]) -> io::Result<Self> {
        let selection = selection.with_codecs_of(registry);
        let mut writer = Writer::create(path, run_of(registry, program, planned))?;
        for info in registry.formats().iter().filter(|info| chooses(&selection.formats, info.name)) {
            writer.write(&Record::Format(format_row(registry, info)))?;
        }
        for info in registry.codecs().filter(|info| selection.takes_codec(&info.name)) {
            writer.write(&Record::Codec(codec_row(info)))?;
        }
        Ok(Self::new(registry, selection, writer, Done::default(), planned.len()))
    }

    /// The same, but goes on with a file that is there: what it holds is not measured again.
    ///
    /// # Errors
    ///
    /// The file cannot be read or written, or is of another run.
    pub fn resume(
        registry: &'r Registry,
        selection: Selection,
        program: &str,
        path: &Path,
        planned: &[Planned],
    ) -> Result<Self, StartError> {
        // A run that was killed before its first line is whole has nothing to go on with.
        if !path.exists() || (mend(path).is_ok() && path.metadata()?.len() == 0) {
            return Ok(Self::start(registry, selection, program, path, planned)?);
        }
        let mut before = RunRecords::read(path)?;
        if let Some(difference) = difference(&before.run, &run_of(registry, program, planned)) {
            return Err(StartError::Other { path: path.to_owned(), difference });
        }
        let unfinished = unfinished(&before);
        if unfinished > 0 {
            cut_lines(path, unfinished)?;
            before.records.truncate(before.records.len() - unfinished);
        }
        let selection = selection.with_codecs_of(registry);
        Ok(Self::new(registry, selection, Writer::append(path)?, Done::of(&before), planned.len()))
    }

    fn new(registry: &'r Registry, selection: Selection, writer: Writer<Box<dyn Write>>, done: Done, steps: usize) -> Self {
        let (stock, progress) = (Stock::default(), Progress::new(steps));
        Self { registry, selection, writer, stock, progress, largest_payload: HashMap::new(), done }
    }

    /// Does all of a run, and returns what it took. `time` takes the samples of a cell, the second time with `true`; `seconds` guesses
    /// what it takes for that, and `forecast` what everything else takes.
    ///
    /// # Errors
    ///
    /// The file cannot be written.
    pub fn run(
        &mut self,
        planned: &[Planned],
        course: &Course,
        forecast: &Forecast,
        seconds: impl Fn(&Planned) -> f64,
        mut time: impl FnMut(&mut Stock, &Planned, bool) -> Result<Vec<f64>, String>,
    ) -> io::Result<Duration> {
        let done = std::mem::take(&mut self.done);
        let timed = |planned: &Planned, again, allocator: &str| done.has(&Of::Time(planned.cell.clone(), again, allocator.to_owned()));
        let at = |members: &[usize], chosen: fn(&Planned) -> bool| -> Vec<&Planned> {
            planned.iter().filter(|planned| members.contains(&planned.cell.spec.members) && chosen(planned)).collect()
        };
        let mut again: Vec<&Planned> = planned.iter().step_by(course.again).filter(|planned| planned.cell.id.codec.is_none()).collect();
        again.retain(|planned| !timed(planned, true, allocator::name()));
        let mut counted = at(&course.counted, Planned::is_counted);
        counted.retain(|planned| !done.has(&Of::Memory(planned.cell.clone())));
        let mut other_allocator = at(&course.other_allocator, Planned::is_the_allocators);
        other_allocator.retain(|planned| !timed(planned, false, allocator::SYSTEM_NAME));
        let planned: Vec<&Planned> = planned.iter().filter(|planned| !timed(planned, false, allocator::name())).collect();
        if !done.is_empty() {
            self.progress.say(format_args!("wirewise: {} records are there already", done.len()));
        }
        let ratios = self.registry.comparisons().iter().filter(|comparison| self.selection.takes(&comparison.case)).count();
        let ratio_seconds = |members| {
            let Budget { samples, time } = course.ratio_budget;
            2.0 * ratios as f64 * time.as_secs_f64().max(Forecast::of_format(members, samples + 2))
        };
        let counting = |planned: &Planned| forecast.seconds(&planned.cell, 3) + PROCESS_SECONDS;
        let with_other = |planned: &Planned| forecast.seconds(&planned.cell, course.other_allocator_samples + 4) + PROCESS_SECONDS;
        let readings = self.readings_left(course, &done);
        let reading = |(source, spec): &(&Source, Spec)| Forecast::of_openings(self.registry, source, spec, course.reading_budget);
        let expected = planned.iter().chain(&again).copied().map(&seconds).sum::<f64>()
            + course.ratios.iter().copied().map(ratio_seconds).sum::<f64>()
            + readings.iter().map(reading).sum::<f64>()
            + counted.iter().copied().map(counting).sum::<f64>()
            + other_allocator.iter().copied().map(with_other).sum::<f64>();
        let steps = planned.len() + again.len() + course.ratios.len() + readings.len() + counted.len() + other_allocator.len();
        self.progress.expect(steps, expected);
        self.progress.say(format_args!("wirewise: {} cells, about {}", planned.len(), minutes(expected)));

        for planned in planned {
            self.progress.step(&planned.cell, seconds(planned));
            let samples = time(&mut self.stock, planned, false);
            self.size(&planned.cell)?;
            self.write_time(&planned.cell, false, samples)?;
        }
        for planned in again {
            self.progress.step(format_args!("again, {}", planned.cell), seconds(planned));
            let samples = time(&mut self.stock, planned, true);
            self.write_time(&planned.cell, true, samples)?;
        }
        for &members in &course.ratios {
            self.progress.step(format_args!("ratios at {members} members"), ratio_seconds(members));
            if !done.has(&Of::Rest("limits", members)) {
                self.default_limits(members)?;
            }
            self.ratios(members, course.ratio_budget, &done)?;
        }
        for planned @ (source, spec) in &readings {
            let name = format_args!("openings and readings of {} at {} members", source.format.name, spec.members);
            self.progress.step(name, reading(planned));
            self.readings(source, spec, course.reading_budget)?;
        }
        if !done.has(&Of::Rest("fidelity", 0)) {
            self.fidelity()?;
        }
        // The dataset's memory is given back: the processes below need their own.
        self.stock = Stock::default();
        if course.process {
            for &members in course.ratios.iter().filter(|members| !done.has(&Of::Rest("process", **members))) {
                self.process(members)?;
            }
        }
        for planned in counted {
            self.progress.step(format_args!("allocations of {}", planned.cell), counting(planned));
            self.isolated(Task::Count, &planned.cell)?;
        }
        for planned in other_allocator {
            self.progress.step(format_args!("with the system's allocator, {}", planned.cell), with_other(planned));
            self.isolated(Task::TimeWithSystemAllocator(course.other_allocator_samples), &planned.cell)?;
        }
        Ok(self.progress.end())
    }

    /// Records samples, or the reason why there are none.
    fn write_time(&mut self, cell: &Cell, again: bool, samples: Result<Vec<f64>, impl Display>) -> io::Result<()> {
        let cell = cell.clone();
        self.writer.write(&match samples {
            Ok(samples) => Record::Time(Time { cell, allocator: allocator::name().to_owned(), again, samples }),
            Err(error) => Record::Failure(Failure { cell, error: error.to_string() }),
        })
    }

    /// Records the bytes of the payload of a cell of `encode` or `compress`; other cells have none of their own.
    fn size(&mut self, cell: &Cell) -> io::Result<()> {
        if !matches!(cell.id.operation, Operation::Encode | Operation::Compress) {
            return Ok(());
        }
        let Cell { id, spec } = cell;
        let source = self.registry.source(&id.format, &id.dataset);
        let Some(source) = source else { return Ok(()) };
        let stock = &mut self.stock;
        let bytes = match &id.codec {
            None => source.payload(stock, spec).map(|payload| payload.len()),
            Some(codec) => self.registry.compressed_size(stock, spec, source, codec),
        };
        // A payload that cannot be made is the failure of the cell itself, which is recorded when it is timed.
        let (Ok(bytes), Ok(data_bytes)) = (bytes, source.data_size(stock, spec)) else { return Ok(()) };
        let largest = self.largest_payload.entry(id.dataset.clone()).or_default();
        *largest = (*largest).max(bytes as u64);
        self.writer.write(&Record::Size(Size {
            spec: spec.clone(),
            dataset: id.dataset.clone(),
            format: id.format.clone(),
            codec: id.codec.clone(),
            bytes: bytes as u64,
            data_bytes: data_bytes as u64,
        }))
    }

    /// Records what every chosen format does with the probes of its dataset.
    fn fidelity(&mut self) -> io::Result<()> {
        for source in self.registry.sources().iter().filter(|source| self.selection.takes_source(source.dataset, source.format.name)) {
            for (probe, outcome) in source.fidelity() {
                self.writer.write(&Record::Fidelity(FidelityRow {
                    dataset: source.dataset.to_owned(),
                    format: source.format.name.to_owned(),
                    probe: probe.to_owned(),
                    outcome,
                }))?;
            }
        }
        Ok(())
    }

    /// Records which libraries' default limits stop a dataset of this size.
    fn default_limits(&mut self, members: usize) -> io::Result<()> {
        for limits in self.registry.default_limits().iter().filter(|limits| self.selection.takes_source(limits.dataset, limits.format)) {
            let Some(dataset) = self.registry.dataset(limits.dataset) else { continue };
            let source = self.registry.source(limits.format, limits.dataset);
            let spec = dataset.spec(members);
            let Some(Ok(payload)) = source.map(|source| source.payload(&mut self.stock, &spec)) else { continue };
            self.writer.write(&Record::DefaultLimits(DefaultLimits {
                spec,
                dataset: limits.dataset.to_owned(),
                format: limits.format.to_owned(),
                limit: limits.limit.to_owned(),
                refused: (limits.read)(&payload).err().map(|error| error.to_string()),
            }))?;
        }
        Ok(())
    }

    /// Records the ratios that are held to a bound, each pair of cases timed in turn.
    fn ratios(&mut self, members: usize, budget: Budget, done: &Done) -> io::Result<()> {
        for comparison in self.registry.comparisons().iter().filter(|comparison| self.selection.takes(&comparison.case)) {
            let Some(dataset) = self.registry.dataset(&comparison.case.dataset) else { continue };
            let cell = Cell { id: comparison.case.clone(), spec: dataset.spec(members) };
            if done.has(&Of::Ratio(cell.clone(), comparison.against.clone())) {
                continue;
            }
            self.progress.say(format_args!("{cell} against {}", comparison.against.operation));
            let mut prepare = |id| match self.registry.case(id) {
                Some(case) => case.prepare(&mut self.stock, &cell.spec),
                None => Err(crate::Error::malformed("registry", format_args!("no case {id}"))),
            };
            let taken = prepare(&comparison.case)
                .and_then(|case| Ok((case, prepare(&comparison.against)?)))
                .and_then(|(mut case, mut against)| pairs(&mut case, &mut against, budget))
                .and_then(|pairs| Ok((pairs, comparison.bytes.as_ref().map(|bytes| bytes(&mut self.stock, &cell.spec)).transpose()?)));
            self.writer.write(&match taken {
                Ok((pairs, bytes)) => {
                    Record::Ratio(Ratio { cell, against: comparison.against.clone(), at_most: comparison.at_most, pairs, bytes })
                }
                Err(error) => Record::Failure(Failure { cell, error: error.to_string() }),
            })?;
        }
        self.speeds(members, budget)
    }

    /// Records the speeds that are held to a bound.
    fn speeds(&mut self, members: usize, budget: Budget) -> io::Result<()> {
        for speed in self.registry.speeds().iter().filter(|speed| self.selection.takes(&speed.case)) {
            let id = &speed.case;
            let Some(dataset) = self.registry.dataset(&id.dataset) else { continue };
            let source = self.registry.source(&id.format, &id.dataset);
            let (Some(source), Some(case)) = (source, self.registry.case(id)) else { continue };
            let cell = Cell { id: id.clone(), spec: dataset.spec(members) };
            let taken = source.payload(&mut self.stock, &cell.spec).and_then(|payload| {
                let mut case = case.prepare(&mut self.stock, &cell.spec)?;
                Ok((payload.len() as u64, sample(&mut case, budget)?))
            });
            self.writer.write(&match taken {
                Ok((bytes, samples)) => Record::Speed(Speed { cell, bytes, at_least: speed.at_least, samples }),
                Err(error) => Record::Failure(Failure { cell, error: error.to_string() }),
            })?;
        }
        Ok(())
    }

    /// The payloads whose openings and readings are still to be measured.
    fn readings_left(&self, course: &Course, done: &Done) -> Vec<(&'r Source, Spec)> {
        let registry = self.registry;
        let chosen = |source: &&Source| self.selection.takes_source(source.dataset, source.format.name);
        let mut left = Vec::new();
        for &members in &course.readings {
            for source in registry.sources().iter().filter(chosen) {
                let Some(dataset) = registry.dataset(source.dataset) else { continue };
                let spec = dataset.spec(members);
                if !self.selection.takes_dataset(dataset) || atlas::openings(registry, source).next().is_none() {
                    continue;
                }
                if !done.has(&Of::openings(&atlas::id(source, &spec, Operation::Decode))) {
                    left.push((source, spec));
                }
            }
        }
        left
    }

    /// Records what it costs to open each payload, what it costs to read from it, and whether the sum foretells a run of both.
    fn readings(&mut self, source: &Source, spec: &Spec, budget: Budget) -> io::Result<()> {
        for record in atlas::of_source(self.registry, &mut self.stock, source, spec, budget) {
            self.writer.write(&record)?;
        }
        Ok(())
    }

    /// Does a task for a cell in a process of its own, and records what comes of it.
    fn isolated(&mut self, task: Task, cell: &Cell) -> io::Result<()> {
        let record = isolated::run(task, cell).unwrap_or_else(|error| Record::Failure(Failure { cell: cell.clone(), error }));
        self.writer.write(&record)
    }

    /// Records the peak of this process, and what it is held against: the dataset in memory and the largest payload.
    fn process(&mut self, members: usize) -> io::Result<()> {
        let resident_peak_bytes = resident_peak_bytes();
        let chosen = self.registry.datasets().iter().filter(|dataset| self.selection.takes_dataset(dataset));
        for dataset in chosen {
            let spec = dataset.spec(members);
            let id = CaseId { operation: Operation::Clone, dataset: dataset.name.to_owned(), format: NATIVE.to_owned(), codec: None };
            let Ok(Record::Memory(clone)) = isolated::run(Task::Count, &Cell { id, spec: spec.clone() }) else { continue };
            let largest_payload_bytes = self.largest_payload.get(dataset.name).copied().unwrap_or(0);
            let dataset_bytes = clone.peak_bytes;
            self.writer.write(&Record::Process(Process { spec, resident_peak_bytes, dataset_bytes, largest_payload_bytes }))?;
        }
        Ok(())
    }
}

/// A format as records hold it.
pub fn format_row(registry: &Registry, info: &Info) -> FormatRow {
    let mut operations: Vec<String> = Vec::new();
    for case in registry.cases() {
        let name = case.id.operation.name();
        if case.id.format == info.name && case.id.codec.is_none() && !operations.iter().any(|known| known == name) {
            operations.push(name.to_owned());
        }
    }
    FormatRow {
        name: info.name.to_owned(),
        wire_format: info.wire_format.to_owned(),
        library: info.library.to_owned(),
        version: info.version.to_owned(),
        note: info.note.to_owned(),
        validation: registry.validation(info.name).map(|validation| {
            match validation {
                Validation::Upfront => "upfront",
                Validation::OnDemand => "on-demand",
            }
            .to_owned()
        }),
        operations,
    }
}

/// A codec as records hold it.
pub fn codec_row(info: &CodecInfo) -> CodecRow {
    CodecRow {
        name: info.name.clone(),
        wire_format: info.wire_format.clone(),
        library: info.library.to_owned(),
        version: info.version.to_owned(),
        by_default: info.by_default,
    }
}
