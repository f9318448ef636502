//! `wirewise torture`: damaged payloads of every format and codec, read to their last field, and what came of each.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;

use super::print_table;
use crate::torture::{MUTATIONS, Order, SEED, isolated, names, reproduce};
use wirewise::measure::build;
use wirewise::record::{Record, Run, Torture, Writer};
use wirewise::registry::Registry;
use wirewise::report::number;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Only these formats and codecs
    #[arg(long, value_delimiter = ',')]
    format: Vec<String>,
    /// Damaged payloads of each
    #[arg(long, default_value_t = MUTATIONS, value_parser = clap::value_parser!(u64).range(1..))]
    mutations: u64,
    /// The seed of the random damages
    #[arg(long, default_value_t = SEED)]
    seed: u64,
    /// Make only the damaged payload of this number, of the one format asked for, and tell what each reading says of it
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["json", "records"])]
    only: Option<u64>,
    /// Print the results as JSON lines
    #[arg(long)]
    json: bool,
    /// Write the results as records to this file as well
    #[arg(long, value_name = "FILE")]
    records: Option<PathBuf>,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let known = names(registry);
    for name in &arguments.format {
        ensure!(known.contains(name), "no format or codec {name:?}; there are {}", known.join(", "));
    }
    let is_wanted = |name: &String| arguments.format.is_empty() || arguments.format.contains(name);
    let order = |target: &String| Order { target: target.clone(), seed: arguments.seed, mutations: arguments.mutations };
    let orders: Vec<Order> = known.iter().filter(|name| is_wanted(name)).map(order).collect();
    if let Some(number) = arguments.only {
        return show(registry, &orders, number);
    }
    let results = isolated::run_all(&orders, |result| {
        eprintln!("{}: {} in {:.1} s", result.target, number::count(result.mutations), result.milliseconds as f64 / 1e3);
    })
    .context("the processes of the formats")?;
    if let Some(path) = &arguments.records {
        let run = Run::unplanned("wirewise torture", &build());
        let mut writer = Writer::create(path, run).with_context(|| path.display().to_string())?;
        for result in &results {
            writer.write(&Record::Torture(Box::new(result.clone())))?;
        }
    }
    if arguments.json {
        for result in &results {
            println!("{}", Record::Torture(Box::new(result.clone())).to_json()?);
        }
    } else {
        print(&results);
    }
    Ok(if results.iter().any(is_broken) { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Whether a promise was broken: a panic, a crash, a hang, too much memory or time, or a wrong value behind the envelope's checksum.
fn is_broken(result: &Torture) -> bool {
    result.tally.failed > 0 || result.tally.sealed.different + result.tally.sealed.panics > 0
}

fn show(registry: &Registry, orders: &[Order], number: u64) -> anyhow::Result<ExitCode> {
    let [order] = orders else { anyhow::bail!("--only is for one --format") };
    ensure!(number < order.mutations, "the mutations end before {number}");
    let (damage, bytes, lines) = reproduce(registry, order, number)?;
    let mut output = std::io::stdout().lock();
    writeln!(output, "{damage}\n{} bytes", bytes.len())?;
    for row in bytes.chunks(32) {
        let hex: Vec<String> = row.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(output, "{}", hex.join(" "))?;
    }
    for line in lines {
        writeln!(output, "{line}")?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(results: &[Torture]) {
    let mut rows = Vec::new();
    for result in results {
        for (index, operation) in result.tally.operations().into_iter().enumerate() {
            let counts = result.tally.of_operation(operation);
            let once = |text: String| if index == 0 { text } else { String::new() };
            rows.push(vec![
                once(result.target.clone()),
                operation.to_owned(),
                number::count(counts.refused),
                number::count(counts.equal),
                number::count(counts.different),
                number::count(counts.panics),
                once(number::count(result.tally.sealed.different)),
                once(number::count(result.tally.failed)),
                once(number::count(result.tally.refused_heap.value / 1024)),
                once(number::count(result.tally.accepted_heap.value / 1024)),
                once(format!("{:.1}", result.tally.longest.value as f64 / 1e6)),
                once(number::count(result.tally.resident_peak_bytes >> 20)),
            ]);
        }
    }
    let head = [
        "format",
        "reading",
        "refused",
        "equal",
        "silent",
        "panics",
        "sealed silent",
        "failures",
        "refused KiB",
        "accepted KiB",
        "longest ms",
        "process MiB",
    ];
    print_table(&head, &rows, &[false, false, true, true, true, true, true, true, true, true, true, true]);
    println!("\nSilent: accepted, and another value than was written. Sealed silent: the same behind the envelope's checksum.");
    for result in results {
        for failure in &result.tally.failures {
            println!("{}, mutation {}, {}: {}", result.target, number::count(failure.mutation), failure.damage, failure.what);
        }
    }
    let sum: u64 = results.iter().map(|result| result.mutations).sum();
    println!("{} damaged payloads of {} targets, each a format with a dataset, or a codec.", number::count(sum), results.len());
}
