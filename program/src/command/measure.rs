//! `wirewise measure`: everything about chosen formats at any member count.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use wirewise::case::{SHAPE_PREFIX, is_meant_for};
use wirewise::codec::CodecInfo;
use wirewise::measure::forecast::Forecast;
use wirewise::measure::session::{Course, Planned, Selection, Session, plan};
use wirewise::measure::{Budget, sample};
use wirewise::operation::Operation;
use wirewise::record::today;
use wirewise::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many members; several counts as a list [default: 1000000; with --shapes, 10000; with --full, 1 to 1000000]
    #[arg(long, value_delimiter = ',')]
    members: Vec<usize>,
    /// Only these datasets
    #[arg(long, value_delimiter = ',')]
    dataset: Vec<String>,
    /// Only these formats
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// Only these codecs; "none" for no codec at all [default: the usual ones but for zstd-9 and zstd-19; with --full, all]
    #[arg(long, value_delimiter = ',')]
    codec: Vec<String>,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    operation: Vec<Operation>,
    /// Only these variants of the datasets [default: each dataset's first]
    #[arg(long, value_delimiter = ',')]
    variant: Vec<String>,
    /// The whole atlas: every count, codec and block size, openings and readings. A run that was killed goes on where it stopped
    #[arg(long, conflicts_with_all = ["shapes", "variant"])]
    full: bool,
    /// Data of other shapes: strings of other lengths and letters, repeated strings, small and large numbers, nulls
    #[arg(long, conflicts_with = "variant")]
    shapes: bool,
    /// At least so many samples of each case [default: 7; with --full and --shapes, 5]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    samples: Option<u16>,
    /// Go on taking samples of a case for so many seconds [default: 1; with --full and --shapes, 0.05]
    #[arg(long)]
    seconds: Option<f64>,
    /// Leave out allocations, peak memory and the second allocator, which take a process a case
    #[arg(long)]
    times_only: bool,
    /// Measure openings and readings apart too: so much of the payload, in such an order, of such a field
    #[arg(long)]
    readings: bool,
    /// Where the records go: a file, or "-" for standard output [default: measure.jsonl, full.jsonl or shapes.jsonl in docs/records/<date>]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// How long each of the many readings is sampled, once it has its least number of samples.
const READING_TIME: Duration = Duration::from_millis(20);

/// Every how many cells one is measured again, for the noise floor.
const AGAIN: usize = 7;

pub(super) fn run(registry: &Registry, arguments: Arguments) -> anyhow::Result<ExitCode> {
    check_names(registry, &arguments)?;
    let seconds = Duration::try_from_secs_f64(arguments.seconds.unwrap_or(arguments.preset().seconds())).context("--seconds")?;
    let budget = Budget { samples: usize::from(arguments.samples.unwrap_or(arguments.preset().samples())), time: seconds };
    let (preset, members) = (arguments.preset(), arguments.members());
    let program = preset.program();
    let file = match &arguments.out {
        Some(file) => file.clone(),
        None => PathBuf::from("docs/records").join(today()).join(preset.file()),
    };
    let selection = arguments.selection(registry);
    let planned = arguments.plan(registry, &selection);
    ensure!(!planned.is_empty(), "no case is left of this choice; `wirewise list` shows what there is");

    let course = arguments.course(budget, &members);
    let mut session = match preset {
        Preset::Full => Session::resume(registry, selection, program, &file, &planned)?,
        Preset::Plain | Preset::Shapes => Session::start(registry, selection, program, &file, &planned)?,
    };
    let forecast = Forecast::of(&planned);
    let expected = |planned: &Planned| forecast.seconds(&planned.cell, budget.samples + 2).max(seconds.as_secs_f64());
    session.run(&planned, &course, &forecast, expected, |stock, planned, _| {
        let samples = planned.case.prepare(stock, &planned.cell.spec).and_then(|mut case| sample(&mut case, budget));
        samples.map_err(|error| error.to_string())
    })?;
    eprintln!("The records: {}. `wirewise report` makes the report of their folder.", file.display());
    Ok(ExitCode::SUCCESS)
}

/// A name that was misspelt must not choose nothing in silence.
fn check_names(registry: &Registry, arguments: &Arguments) -> anyhow::Result<()> {
    let known = |kind: &str, names: &[String], known: Vec<&str>| {
        for name in names {
            ensure!(known.contains(&name.as_str()), "no {kind} {name:?}; there are {}", known.join(", "));
        }
        Ok(())
    };
    known("dataset", &arguments.dataset, registry.datasets().iter().map(|info| info.name).collect())?;
    known("format", &arguments.format, registry.formats().iter().map(|info| info.name).collect())?;
    known("codec", &arguments.codec, registry.codecs().map(|info| info.name.as_str()).chain(["none"]).collect())?;
    known("variant", &arguments.variant, registry.datasets().iter().flat_map(|info| info.variants).copied().collect())
}

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Preset {
    Plain,
    Full,
    Shapes,
}

/// The member counts of `--full`: from one message to the article's size, and that of the codecs.
const FULL_MEMBERS: [usize; 8] = [1, 10, 100, 1_000, 10_000, 30_000, 100_000, 1_000_000];
/// Every codec goes through a small message, and through payloads of about three megabytes: several of the largest blocks. Ten megabytes
/// would take the strongest level, whole and in three sizes of blocks, more than an hour.
const FULL_CODEC_MEMBERS: [usize; 2] = [1, 30_000];
/// Openings and readings are measured apart where little fits a cache, and where all does.
const FULL_READINGS: [usize; 2] = [1_000, 1_000_000];
/// The size of every shape: strings of 4 KiB then come to 120 MB.
const SHAPE_MEMBERS: usize = 10_000;
/// What of the usual codecs takes a minute or more for the 120 MB of the article's size, and of the longest strings.
const SLOW_CODECS: [&str; 2] = ["zstd-9", "zstd-19"];

impl Preset {
    fn program(self) -> &'static str {
        match self {
            Self::Plain => "wirewise measure",
            Self::Full => "wirewise measure --full",
            Self::Shapes => "wirewise measure --shapes",
        }
    }

    fn file(self) -> &'static str {
        match self {
            Self::Plain => "measure.jsonl",
            Self::Full => "full.jsonl",
            Self::Shapes => "shapes.jsonl",
        }
    }

    /// Thousands of cells leave less time for each.
    fn seconds(self) -> f64 {
        if self == Self::Plain { 1.0 } else { 0.05 }
    }

    fn samples(self) -> u16 {
        if self == Self::Plain { 7 } else { 5 }
    }
}

impl Arguments {
    fn preset(&self) -> Preset {
        match self {
            Self { full: true, .. } => Preset::Full,
            Self { shapes: true, .. } => Preset::Shapes,
            _ => Preset::Plain,
        }
    }

    fn members(&self) -> Vec<usize> {
        match self.preset() {
            _ if !self.members.is_empty() => self.members.clone(),
            Preset::Plain => vec![1_000_000],
            Preset::Full => FULL_MEMBERS.to_vec(),
            Preset::Shapes => vec![SHAPE_MEMBERS],
        }
    }

    fn selection(&self, registry: &Registry) -> Selection {
        let variants = registry.datasets().iter().flat_map(|info| info.variants).filter(|name| name.starts_with(SHAPE_PREFIX));
        let codecs = |chosen: fn(&CodecInfo) -> bool| {
            // "none" first: no codec at all is chosen by name, where an empty list would choose the usual ones.
            let codecs = registry.codecs().filter(|info| chosen(info)).map(|info| info.name.clone());
            std::iter::once("none".to_owned()).chain(codecs).collect()
        };
        Selection {
            datasets: self.dataset.clone(),
            formats: self.format.clone(),
            codecs: match self.preset() {
                _ if !self.codec.is_empty() => self.codec.clone(),
                Preset::Full => codecs(|_| true),
                Preset::Shapes | Preset::Plain => codecs(|info| info.by_default && !SLOW_CODECS.contains(&info.name.as_str())),
            },
            operations: self.operation.clone(),
            variants: if self.shapes { variants.map(|name| (*name).to_owned()).collect() } else { self.variant.clone() },
        }
    }

    fn plan(&self, registry: &Registry, selection: &Selection) -> Vec<Planned> {
        let members = self.members();
        let codec_members = if self.full && self.members.is_empty() { FULL_CODEC_MEMBERS.to_vec() } else { members.clone() };
        let mut planned = plan(registry, selection, &members, &codec_members);
        if self.full && self.codec.is_empty() {
            planned.retain(|Planned { cell, .. }| cell.id.codec.as_ref().is_none_or(|codec| is_meant_for(codec, cell.spec.members)));
        }
        planned
    }

    fn course(&self, budget: Budget, members: &[usize]) -> Course {
        let only = |chosen: bool| if chosen { members.to_vec() } else { Vec::new() };
        let preset = self.preset();
        let (plain, full) = (preset == Preset::Plain, preset == Preset::Full);
        let small = if self.members.is_empty() { FULL_CODEC_MEMBERS.to_vec() } else { members.to_vec() };
        let counted = if full && !self.times_only { small } else { only(plain && !self.times_only) };
        let readings = if full && self.members.is_empty() { FULL_READINGS.to_vec() } else { only(full || self.readings) };
        Course {
            again: AGAIN,
            ratios: only(plain),
            ratio_budget: budget,
            counted,
            other_allocator: only(plain && !self.times_only),
            other_allocator_samples: budget.samples,
            process: plain,
            readings,
            reading_budget: Budget { time: READING_TIME.min(budget.time), ..budget },
        }
    }
}
