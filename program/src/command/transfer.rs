//! `wirewise transfer`: runs pipelines over real links, beside what the model of the choice says of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use super::{print_table, units};
use crate::transfer::{Disk, Message, Pipeline, Speeds, predict};
use wirewise::choice::{Plan, Way};
use wirewise::measure::{Budget, build};
use wirewise::record::{Cell, Failure, Link, Record, Run, Transfer, Writer, today};
use wirewise::registry::{CaseId, Registry, Source, Stock};
use wirewise::report::number;
use wirewise::statistics::Summary;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many members a message has
    #[arg(long, default_value_t = 50_000)]
    members: usize,
    /// The speeds that the connection is held to
    #[arg(long, value_delimiter = ',', default_value = "100Mbit,500Mbit,1Gbit,2Gbit,5Gbit", value_parser = units::bandwidth)]
    bandwidth: Vec<f64>,
    /// Only these formats
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// These codecs; "none" for no codec at all
    #[arg(long, value_delimiter = ',', default_value = "none,lz4,zstd-1")]
    codec: Vec<String>,
    /// Leave out files
    #[arg(long)]
    no_files: bool,
    /// So many runs of each, after one that warms up
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u16).range(1..))]
    samples: u16,
    /// Where the records go: a file, or "-" for standard output [default: docs/records/<date>/transfer.jsonl]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// What the model needs is measured for so long, a case.
const INGREDIENT: Budget = Budget { samples: 5, time: Duration::from_millis(100) };

/// Runs of the disk with bytes that mean nothing.
const DISK_RUNS: usize = 15;

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let pipelines = pipelines(registry, arguments)?;
    let file = match &arguments.out {
        Some(file) => file.clone(),
        None => Path::new("docs/records").join(today()).join("transfer.jsonl"),
    };
    let run = Run::unplanned("wirewise transfer", &build());
    let mut writer = Writer::create(&file, run).with_context(|| file.display().to_string())?;
    let mut stock = Stock::default();
    let disk = if arguments.no_files { None } else { Some(disk(registry, &mut stock, &pipelines, arguments.members)?) };
    let mut errors: Vec<f64> = Vec::new();
    let mut failed = 0;
    for (index, pipeline) in pipelines.iter().enumerate() {
        eprintln!("{} of {}: {}", index + 1, pipelines.len(), label(pipeline));
        match transfers(registry, &mut stock, pipeline, disk.as_ref(), arguments) {
            Ok(transfers) => {
                for transfer in transfers {
                    errors.extend(error(&transfer));
                    writer.write(&Record::Transfer(transfer))?;
                }
            }
            Err(reason) => {
                failed += 1;
                eprintln!("{}: {reason:#}", label(pipeline));
                writer.write(&Record::Failure(failure(registry, pipeline, arguments, &format!("{reason:#}"))?))?;
            }
        }
    }
    if let Some(summary) = Summary::of(&errors) {
        let within = errors.iter().filter(|error| **error <= 0.15).count();
        let rows = vec![
            vec!["transfers".into(), errors.len().to_string()],
            vec!["median error of the model".into(), number::percent(summary.median)],
            vec!["within 15 %".into(), number::percent(within as f64 / errors.len() as f64)],
        ];
        // Standard output may be where the records go.
        if arguments.out.as_ref().is_none_or(|out| out != Path::new("-")) {
            print_table(&["", ""], &rows, &[false, true]);
        }
    }
    eprintln!("The records: {}. `wirewise report` makes the report of their folder.", file.display());
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn pipelines(registry: &Registry, arguments: &Arguments) -> anyhow::Result<Vec<Pipeline>> {
    let dataset = registry.datasets().first().context("the registry has no dataset")?.name;
    let sources = || registry.sources().iter().filter(|source| source.dataset == dataset);
    let names: Vec<&str> = sources().map(|source| source.format.name).collect();
    for format in &arguments.format {
        ensure!(names.contains(&format.as_str()), "no format {format:?}; there are {}", names.join(", "));
    }
    let codecs: Vec<&str> = registry.codecs().map(|info| info.name.as_str()).collect();
    for codec in &arguments.codec {
        ensure!(codec == "none" || codecs.contains(&codec.as_str()), "no codec {codec:?}; there are none, {}", codecs.join(", "));
    }
    let chosen = |format: &str| arguments.format.is_empty() || arguments.format.iter().any(|name| name == format);
    let mut pipelines = Vec::new();
    for ends in sources().map(Source::ends).filter(|ends| chosen(ends.format)) {
        for way in Way::SAFE.into_iter().filter(|way| ends.reader(way.reads_all()).is_some()) {
            for codec in &arguments.codec {
                pipelines.push(Pipeline { ends: ends.clone(), codec: (codec != "none").then(|| codec.clone()), way });
            }
        }
    }
    Ok(pipelines)
}

/// The disk, measured with files as large as the largest payload.
fn disk(registry: &Registry, stock: &mut Stock, pipelines: &[Pipeline], members: usize) -> anyhow::Result<Disk> {
    let mut largest = 0;
    for pipeline in pipelines {
        let info = registry.dataset(pipeline.ends.dataset).context("no such dataset")?;
        let source = registry.source(pipeline.ends.format, pipeline.ends.dataset).context("no such format")?;
        largest = largest.max(source.payload(stock, &info.spec(members))?.len());
    }
    eprintln!("the disk, with files of up to {} bytes", number::count(largest as u64));
    Ok(Disk::measure(largest, DISK_RUNS)?)
}

/// One pipeline over every link, the model's word first.
fn transfers(
    registry: &Registry,
    stock: &mut Stock,
    pipeline: &Pipeline,
    disk: Option<&Disk>,
    arguments: &Arguments,
) -> anyhow::Result<Vec<Transfer>> {
    let info = registry.dataset(pipeline.ends.dataset).context("no such dataset")?;
    let spec = info.spec(arguments.members);
    let facts = pipeline.facts(registry, stock, &spec, INGREDIENT)?;
    let mut transfers = Vec::new();
    let mut links: Vec<(Link, Plan)> = Vec::new();
    for &bandwidth in &arguments.bandwidth {
        links.extend([Plan::Sequence, Plan::Blocks].map(|plan| (Link::Tcp { bandwidth }, plan)));
    }
    if let Some(disk) = disk {
        let format = facts.formats.first().context("no facts")?;
        let bytes = format.codecs.first().map_or(format.bytes, |codec| codec.bytes) * facts.members as f64;
        let Speeds { write, read: [cold, cached], map: [cold_map, cached_map] } = disk.speeds(bytes);
        links.extend([
            (Link::File { write, read: cold, cold: true }, Plan::Sequence),
            (Link::File { write, read: cached, cold: false }, Plan::Sequence),
            (Link::Map { write, read: cold_map, cold: true }, Plan::Sequence),
            (Link::Map { write, read: cached_map, cold: false }, Plan::Sequence),
        ]);
    }
    for (link, plan) in links {
        let message = Message::of(&spec, plan, facts.data_bytes);
        let mut predicted = facts.clone();
        // Blocks of equal size may leave a few members over.
        predicted.members = message.members();
        let estimate = predict(&predicted, &link, plan).context("no facts")?;
        let (times, bytes) = pipeline.run(registry, &message, &link, usize::from(arguments.samples))?;
        transfers.push(Transfer {
            spec: spec.clone(),
            dataset: pipeline.ends.dataset.to_owned(),
            format: pipeline.ends.format.to_owned(),
            codec: pipeline.codec.clone(),
            opens: pipeline.way.opens(),
            link,
            blocks: plan == Plan::Blocks,
            bytes,
            predicted: estimate.time.into(),
            samples: times.iter().map(|time| time.as_secs_f64() * 1e9).collect(),
        });
    }
    Ok(transfers)
}

/// How far the model is off, as a part of the measured median.
fn error(transfer: &Transfer) -> Option<f64> {
    let measured = Summary::of(&transfer.samples)?.median;
    Some((transfer.predicted[0] / measured - 1.0).abs())
}

fn failure(registry: &Registry, pipeline: &Pipeline, arguments: &Arguments, error: &str) -> anyhow::Result<Failure> {
    let info = registry.dataset(pipeline.ends.dataset).context("no such dataset")?;
    let id = CaseId {
        operation: pipeline.way.opens(),
        dataset: pipeline.ends.dataset.to_owned(),
        format: pipeline.ends.format.to_owned(),
        codec: pipeline.codec.clone(),
    };
    Ok(Failure { cell: Cell { id, spec: info.spec(arguments.members) }, error: format!("transfer: {error}") })
}

fn label(pipeline: &Pipeline) -> String {
    let codec = pipeline.codec.as_deref().map_or(String::new(), |codec| format!(".{codec}"));
    format!("{}{codec}, {}", pipeline.ends.format, pipeline.way.name())
}
