//! `wirewise export`: a run's records in the layouts that other tools read.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value, json};

use wirewise::record::{Cell, Record, RunRecords, Time};
use wirewise::report::number;
use wirewise::statistics::Summary;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The records
    records: PathBuf,
    /// The layout
    #[arg(long, value_enum, default_value_t = Layout::Csv)]
    to: Layout,
    /// Where it goes: a file, or "-" for standard output
    #[arg(long, default_value = "-")]
    out: PathBuf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Layout {
    /// The columns of rebar's measurements, a failed cell with its error
    Csv,
    /// A table, nanoseconds an iteration and a member
    Markdown,
    /// The Bencher Metric Format: latency, payload size and allocations of each cell
    Bencher,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let records = RunRecords::read(&arguments.records)?;
    let cells = Measured::all(&records);
    ensure!(!cells.is_empty(), "{}: no cell was timed", arguments.records.display());
    let mut text = Vec::new();
    match arguments.to {
        Layout::Csv => write_csv(&records, &cells, &mut text)?,
        Layout::Markdown => write_markdown(&cells, &mut text)?,
        Layout::Bencher => write_bencher(&records, &cells, &mut text)?,
    }
    if arguments.out.as_os_str() == "-" {
        io::stdout().lock().write_all(&text)?;
    } else {
        std::fs::write(&arguments.out, text).with_context(|| arguments.out.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A cell and its samples, or why there are none.
struct Measured<'r> {
    cell: &'r Cell,
    outcome: Result<Vec<f64>, &'r str>,
}

impl<'r> Measured<'r> {
    /// Every cell of a run, in the order of its first record: the samples under the run's own allocator, of the first measurement.
    fn all(run: &'r RunRecords) -> Vec<Self> {
        let mut positions: BTreeMap<&Cell, usize> = BTreeMap::new();
        let mut all: Vec<Self> = Vec::new();
        for record in &run.records {
            match record {
                Record::Time(Time { cell, allocator, again: false, samples }) if *allocator == run.run.environment.allocator => {
                    let position = *positions.entry(cell).or_insert(all.len());
                    match all.get_mut(position) {
                        Some(Self { outcome: Ok(taken), .. }) => taken.extend(samples),
                        Some(failed) => failed.outcome = Ok(samples.clone()),
                        None => all.push(Self { cell, outcome: Ok(samples.clone()) }),
                    }
                }
                Record::Failure(failure) if !positions.contains_key(&failure.cell) => {
                    positions.insert(&failure.cell, all.len());
                    all.push(Self { cell: &failure.cell, outcome: Err(&failure.error) });
                }
                _ => {}
            }
        }
        all
    }

    /// The dataset and what tells its value from others of its name.
    fn dataset(&self) -> String {
        let (id, spec) = (&self.cell.id, &self.cell.spec);
        format!("{}-{}-{}/{}", id.dataset, spec.variant, spec.seed, spec.members)
    }
}

/// One line of a file that rebar reads: its columns, in its order.
#[derive(Serialize)]
struct Row<'r> {
    name: String,
    model: &'r str,
    rebar_version: String,
    engine: String,
    engine_version: String,
    err: &'r str,
    haystack_len: u64,
    iters: usize,
    total: String,
    median: String,
    mad: String,
    mean: String,
    stddev: String,
    min: String,
    max: String,
}

fn write_csv(run: &RunRecords, cells: &[Measured], out: &mut Vec<u8>) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    for measured in cells {
        let id = &measured.cell.id;
        let samples = measured.outcome.as_deref().unwrap_or_default();
        let spread = Spread::of(samples);
        writer.serialize(Row {
            name: format!("{}/{}", id.operation, measured.dataset()),
            model: id.operation.name(),
            rebar_version: format!("wirewise {} (rev {})", env!("CARGO_PKG_VERSION"), run.run.environment.revision),
            engine: id.pipeline(),
            engine_version: version(run, measured.cell),
            err: measured.outcome.as_ref().err().copied().unwrap_or_default(),
            haystack_len: payload_bytes(run, measured.cell),
            iters: samples.len(),
            total: short(samples.iter().fold(0.0, |total, sample| total + sample)),
            median: short(spread.median),
            mad: short(spread.deviation),
            mean: short(spread.mean),
            stddev: short(spread.standard_deviation),
            min: short(spread.least),
            max: short(spread.greatest),
        })?;
    }
    writer.flush()?;
    Ok(())
}

/// The versions of the format's library and, behind a plus sign, the codec's.
fn version(run: &RunRecords, cell: &Cell) -> String {
    let row = |record: &Record| match record {
        Record::Format(row) if row.name == cell.id.format => Some(row.version.clone()),
        Record::Codec(row) if Some(&row.name) == cell.id.codec.as_ref() => Some(row.version.clone()),
        _ => None,
    };
    run.records.iter().filter_map(row).collect::<Vec<_>>().join("+")
}

/// The bytes of the payload that the cell works on; nought where the run does not tell.
fn payload_bytes(run: &RunRecords, cell: &Cell) -> u64 {
    let payload = run.records.iter().find_map(|record| match record {
        Record::Size(size) if (&size.dataset, &size.format, &size.spec) == (&cell.id.dataset, &cell.id.format, &cell.spec) => {
            size.codec.is_none().then_some(size.bytes)
        }
        _ => None,
    });
    payload.unwrap_or_default()
}

/// What rebar tells of a distribution.
#[derive(Default)]
struct Spread {
    median: f64,
    /// The median of the distances from the median.
    deviation: f64,
    mean: f64,
    standard_deviation: f64,
    least: f64,
    greatest: f64,
}

impl Spread {
    fn of(samples: &[f64]) -> Self {
        let Some(Summary { median, .. }) = Summary::of(samples) else { return Self::default() };
        let distances: Vec<f64> = samples.iter().map(|sample| (sample - median).abs()).collect();
        let mean = samples.iter().sum::<f64>() / samples.len() as f64;
        let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / samples.len() as f64;
        Self {
            median,
            deviation: Summary::of(&distances).map_or(0.0, |summary| summary.median),
            mean,
            standard_deviation: variance.sqrt(),
            least: samples.iter().copied().fold(f64::INFINITY, f64::min),
            greatest: samples.iter().copied().fold(0.0, f64::max),
        }
    }
}

/// Nanoseconds as rebar writes and reads a duration: two decimals, and a unit of ASCII letters without a space.
fn short(nanoseconds: f64) -> String {
    match nanoseconds {
        0.0..1e3 => format!("{nanoseconds:.2}ns"),
        1e3..1e6 => format!("{:.2}us", nanoseconds / 1e3),
        1e6..1e9 => format!("{:.2}ms", nanoseconds / 1e6),
        _ => format!("{:.2}s", nanoseconds / 1e9),
    }
}

fn write_markdown(cells: &[Measured], out: &mut Vec<u8>) -> anyhow::Result<()> {
    writeln!(out, "| operation | dataset | format and codec | median | 95 % interval | ns/member |\n|---|---|---|---:|---:|---:|")?;
    for measured in cells {
        let id = &measured.cell.id;
        write!(out, "| {} | {} | {} | ", id.operation, measured.dataset(), id.pipeline())?;
        match measured.outcome.as_deref().map(Summary::of) {
            Ok(Some(Summary { median, low, high })) => {
                let [shown, low, high] = [median, low, high].map(number::duration);
                let per_member = number::figure(median / measured.cell.spec.members.max(1) as f64);
                writeln!(out, "{shown} | {low}–{high} | {per_member} |")?;
            }
            Ok(None) => writeln!(out, "no samples | | |")?,
            Err(error) => writeln!(out, "failed: {} | | |", error.replace('|', "\\|").replace('\n', " "))?,
        }
    }
    Ok(())
}

fn write_bencher(run: &RunRecords, cells: &[Measured], out: &mut Vec<u8>) -> anyhow::Result<()> {
    let mut benchmarks: BTreeMap<String, Map<String, Value>> = BTreeMap::new();
    let name = |cell: &Cell| format!("{}/{}/{}", cell.id, cell.spec.variant, cell.spec.members);
    // Bencher has no word for a failure: a benchmark that is missing is one that failed, and `cmp` and the report say why.
    for measured in cells {
        if let Some(Summary { median, low, high }) = measured.outcome.as_deref().ok().and_then(Summary::of) {
            let latency = json!({ "value": median, "lower_value": low, "upper_value": high });
            benchmarks.entry(name(measured.cell)).or_default().insert("latency".into(), latency);
        }
    }
    for record in &run.records {
        match record {
            Record::Memory(memory) => {
                let measures = benchmarks.entry(name(&memory.cell)).or_default();
                measures.insert("allocations".into(), json!({ "value": memory.allocations as f64 }));
                measures.insert("allocated-bytes".into(), json!({ "value": memory.allocated_bytes as f64 }));
                measures.insert("peak-allocated-bytes".into(), json!({ "value": memory.peak_bytes as f64 }));
            }
            Record::Size(size) => {
                let pipeline = size.codec.as_ref().map_or_else(|| size.format.clone(), |codec| format!("{}.{codec}", size.format));
                let name = format!("payload/{}/{pipeline}/{}/{}", size.dataset, size.spec.variant, size.spec.members);
                benchmarks.entry(name).or_default().insert("file-size".into(), json!({ "value": size.bytes as f64 }));
            }
            _ => {}
        }
    }
    serde_json::to_writer_pretty(&mut *out, &benchmarks)?;
    writeln!(out)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_as_rebar_reads_them() {
        for (nanoseconds, text) in
            [(0.0, "0.00ns"), (999.0, "999.00ns"), (180_570.0, "180.57us"), (933_940_000.0, "933.94ms"), (5.72e9, "5.72s")]
        {
            assert_eq!(short(nanoseconds), text);
        }
    }

    #[test]
    fn a_spread_is_that_of_its_samples() {
        let spread = Spread::of(&[1.0, 2.0, 3.0, 4.0, 100.0]);
        assert_eq!((spread.median, spread.deviation, spread.mean), (3.0, 1.0, 22.0));
        assert_eq!((spread.least, spread.greatest), (1.0, 100.0));
        assert!((spread.standard_deviation - 39.013).abs() < 0.001);
    }
}
