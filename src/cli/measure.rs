//! `wirewise measure`: everything about chosen formats at any member count.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, ensure};
use clap::Args;

use crate::measure::Budget;
use crate::measure::isolated::Task;
use crate::measure::session::{Planned, Selection, Session, plan};
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

    let again: Vec<&Planned> = planned.iter().step_by(AGAIN).filter(|planned| planned.cell.id.codec.is_none()).collect();
    let processes: Vec<&Planned> = if arguments.times_only { Vec::new() } else { planned.iter().collect() };
    let counted: Vec<&Planned> = processes.iter().copied().filter(|planned| planned.is_counted()).collect();
    let other_allocator: Vec<&Planned> = processes.iter().copied().filter(|planned| planned.is_the_allocators()).collect();

    let mut session = Session::start(registry, selection, "wirewise measure", &file, &planned)?;
    let cost = |planned: &Planned| planned.expected_seconds(budget.samples + 3).max(arguments.seconds);
    let of_a_process = |planned: &Planned, iterations: usize| planned.expected_seconds(iterations) + 0.05;
    let expected = planned.iter().chain(again.iter().copied()).map(cost).sum::<f64>()
        + counted.iter().map(|planned| of_a_process(planned, 5)).sum::<f64>()
        + other_allocator.iter().map(|planned| of_a_process(planned, budget.samples + 4)).sum::<f64>();
    session.progress.expect(planned.len() + again.len() + counted.len() + other_allocator.len(), expected);

    for planned in &planned {
        session.progress.step(&planned.cell, cost(planned));
        session.time(planned, false, budget)?;
        session.size(&planned.cell)?;
    }
    for planned in again {
        session.progress.step(format_args!("again, {}", planned.cell), cost(planned));
        session.time(planned, true, budget)?;
    }
    for &members in &arguments.members {
        session.default_limits(members)?;
        session.ratios(members, budget)?;
        session.process(members)?;
    }
    session.fidelity()?;
    // The dataset's memory is given back first: the processes below need their own.
    session.stock = Default::default();
    for planned in counted {
        session.progress.step(format_args!("allocations of {}", planned.cell), of_a_process(planned, 5));
        session.isolated(Task::Count, &planned.cell)?;
    }
    for planned in other_allocator {
        session.progress.step(format_args!("with the system's allocator, {}", planned.cell), of_a_process(planned, budget.samples + 4));
        session.isolated(Task::TimeWithSystemAllocator(budget.samples), &planned.cell)?;
    }
    session.progress.end();
    eprintln!("The records: {}. `wirewise report` makes the report of their folder.", file.display());
    Ok(ExitCode::SUCCESS)
}
