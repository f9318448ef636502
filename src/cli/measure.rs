//! `wirewise measure`: everything about chosen formats at any member count.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use crate::measure::session::{Course, Planned, Selection, Session, plan};
use crate::measure::{Budget, sample};
use crate::operation::Operation;
use crate::record::Environment;
use crate::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// How many members; several counts as a list
    #[arg(long, value_delimiter = ',', default_value = "1000000")]
    members: Vec<usize>,
    /// Only these datasets
    #[arg(long, value_delimiter = ',')]
    dataset: Vec<String>,
    /// Only these formats
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// Only these codecs; "none" for no codec at all
    #[arg(long, value_delimiter = ',')]
    codec: Vec<String>,
    /// Only these operations
    #[arg(long, value_delimiter = ',')]
    operation: Vec<Operation>,
    /// At least so many samples of each case
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    samples: u16,
    /// Go on taking samples of a case for so many seconds
    #[arg(long, default_value_t = 1.0)]
    seconds: f64,
    /// Leave out allocations, peak memory and the second allocator, which take a process a case
    #[arg(long)]
    times_only: bool,
    /// Where the records go: a file, or "-" for standard output [default: docs/records/<date>/measure.jsonl]
    #[arg(long)]
    out: Option<PathBuf>,
}

/// Every how many cells one is measured again, for the noise floor.
const AGAIN: usize = 7;

pub(super) fn run(registry: &Registry, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let known = |kind: &str, names: &[String], known: Vec<String>| {
        for name in names {
            ensure!(known.contains(name), "no {kind} {name:?}; there are {}", known.join(", "));
        }
        Ok(())
    };
    known("dataset", &arguments.dataset, registry.datasets().iter().map(|info| info.name.to_owned()).collect())?;
    known("format", &arguments.format, registry.formats().iter().map(|info| info.name.to_owned()).collect())?;
    let codecs = registry.codecs().map(|info| info.name.clone()).chain(["none".to_owned()]).collect();
    known("codec", &arguments.codec, codecs)?;
    let seconds = Duration::try_from_secs_f64(arguments.seconds).context("--seconds")?;
    let budget = Budget { samples: usize::from(arguments.samples), time: seconds };

    let file = match arguments.out {
        Some(file) => file,
        None => PathBuf::from("docs/records").join(Environment::of_this_process("").date).join("measure.jsonl"),
    };
    let selection =
        Selection { datasets: arguments.dataset, formats: arguments.format, codecs: arguments.codec, operations: arguments.operation };
    let planned = plan(registry, &selection, &arguments.members, &arguments.members);
    ensure!(!planned.is_empty(), "no case is left of this choice; `wirewise list` shows what there is");

    let processes = if arguments.times_only { Vec::new() } else { arguments.members.clone() };
    let course = Course {
        again: AGAIN,
        ratios: arguments.members,
        ratio_budget: budget,
        counted: processes.clone(),
        other_allocator: processes,
        other_allocator_samples: budget.samples,
        process: true,
    };
    let mut session = Session::start(registry, selection, "wirewise measure", &file, &planned)?;
    let seconds = |planned: &Planned| planned.expected_seconds(budget.samples + 3).max(arguments.seconds);
    session.run(&planned, &course, seconds, |stock, planned, _| {
        let samples = planned.case.prepare(stock, &planned.cell.spec).and_then(|mut case| sample(&mut case, budget));
        samples.map_err(|error| error.to_string())
    })?;
    eprintln!("The records: {}. `wirewise report` makes the report of their folder.", file.display());
    Ok(ExitCode::SUCCESS)
}
