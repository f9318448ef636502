//! `wirewise cmp`: two runs side by side, and what differs by more than the noise of both.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::ensure;
use clap::Args;

use super::print_table;
use wirewise::dataset::Spec;
use wirewise::operation::Operation;
use wirewise::record::{Cell, Noise, Record, RunRecords, Time};
use wirewise::registry::CaseId;
use wirewise::report::number;
use wirewise::statistics::Summary;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The records before
    before: PathBuf,
    /// The records after
    after: PathBuf,
    /// Fail if anything got worse by more than this and by more than the noise, such as 5%
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    fail_above: Option<f64>,
    /// Show the ties too
    #[arg(long)]
    all: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (before, after) = (RunRecords::read(&arguments.before)?, RunRecords::read(&arguments.after)?);
    for difference in differences_of_circumstances(&before, &after) {
        println!("{difference}");
    }
    let comparison = Comparison::of(&before, &after);
    ensure!(!comparison.rows.is_empty(), "the two runs have no cell in common");
    comparison.print(arguments.all);
    let Some(at_most) = arguments.fail_above else { return Ok(ExitCode::SUCCESS) };
    let worse: Vec<&Row> = comparison.rows.iter().filter(|row| row.verdict == Verdict::Worse && row.change() > at_most).collect();
    if worse.is_empty() && comparison.lost.is_empty() {
        println!("Nothing is worse by more than {} and the noise.", number::percent(at_most));
        return Ok(ExitCode::SUCCESS);
    }
    println!("{} worse by more than {} and the noise, {} lost.", worse.len(), number::percent(at_most), comparison.lost.len());
    Ok(ExitCode::FAILURE)
}

/// `5%` as 0.05. The sign is asked for, because a bare 0.05 could mean either.
fn percent(text: &str) -> Result<f64, String> {
    let number = text.strip_suffix('%').and_then(|number| number.trim().parse::<f64>().ok());
    number
        .filter(|number| number.is_finite() && *number >= 0.0)
        .map(|number| number / 100.0)
        .ok_or_else(|| "a percentage such as 5%".into())
}

/// What is compared of a cell; less is better in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Quantity {
    Time,
    Size,
    Allocated,
}

impl Quantity {
    fn shown(self, value: f64) -> String {
        match self {
            Self::Time => number::duration(value),
            Self::Size => number::bytes(value),
            Self::Allocated => format!("{} allocated", number::bytes(value)),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Worse,
    Better,
    Tie,
}

impl Verdict {
    /// `noise` is how far two measurements of the same thing may lie apart; nought for what is counted.
    fn of(before: &Summary, after: &Summary, noise: f64) -> Self {
        let distance = (after.median / before.median).max(before.median / after.median) - 1.0;
        if before.overlaps(after) || distance <= noise {
            Self::Tie
        } else if after.median > before.median {
            Self::Worse
        } else {
            Self::Better
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Better => "better",
            Self::Tie => "tie",
        }
    }
}

struct Row {
    cell: Cell,
    quantity: Quantity,
    before: Summary,
    after: Summary,
    noise: f64,
    verdict: Verdict,
}

impl Row {
    fn change(&self) -> f64 {
        self.after.median / self.before.median - 1.0
    }
}

struct Comparison {
    rows: Vec<Row>,
    /// Cells that were measured before and failed after, with the reason.
    lost: Vec<(Cell, String)>,
    /// How many figures only one of the runs has: before, and after.
    alone: [usize; 2],
}

impl Comparison {
    fn of(before: &RunRecords, after: &RunRecords) -> Self {
        let mut noises: BTreeMap<(String, Spec), f64> = BTreeMap::new();
        let (old, mut new) = (figures(before), figures(after));
        let alone = old.keys().filter(|key| !new.contains_key(key)).count();
        let mut rows: Vec<Row> = Vec::new();
        for ((cell, quantity), before_summary) in old {
            let Some(after_summary) = new.remove(&(cell.clone(), quantity)) else { continue };
            let noise = if quantity == Quantity::Time {
                let group = (cell.id.dataset.clone(), cell.spec.clone());
                *noises.entry(group).or_insert_with(|| noise_of(before, &cell).max(noise_of(after, &cell)))
            } else {
                0.0
            };
            let verdict = Verdict::of(&before_summary, &after_summary, noise);
            rows.push(Row { cell, quantity, before: before_summary, after: after_summary, noise, verdict });
        }
        rows.sort_by(|one, other| other.change().total_cmp(&one.change()));
        let failed = after.records.iter().filter_map(|record| match record {
            Record::Failure(failure) => Some((failure.cell.clone(), failure.error.clone())),
            _ => None,
        });
        let measured = |cell: &Cell| own_times(before).any(|time| time.cell == *cell);
        let lost = failed.filter(|(cell, _)| measured(cell)).collect();
        Self { rows, lost, alone: [alone, new.len()] }
    }

    fn print(&self, all: bool) {
        let shown: Vec<Vec<String>> = self.rows.iter().filter(|row| all || row.verdict != Verdict::Tie).map(cells).collect();
        if !shown.is_empty() {
            let head = ["cell", "before", "after", "change", "noise", "verdict"];
            print_table(&head, &shown, &[false, true, true, true, true, false]);
            println!();
        }
        for (cell, error) in &self.lost {
            println!("{cell} was measured before and fails now: {error}");
        }
        let count = |verdict| self.rows.iter().filter(|row| row.verdict == verdict).count();
        println!(
            "{} figures in both: {} worse, {} better, {} within the noise. Only before: {}; only after: {}.",
            self.rows.len(),
            count(Verdict::Worse),
            count(Verdict::Better),
            count(Verdict::Tie),
            self.alone[0],
            self.alone[1]
        );
    }
}

fn cells(row: &Row) -> Vec<String> {
    let noise = if row.quantity == Quantity::Time { format!("±{}", number::percent(row.noise)) } else { "exact".to_owned() };
    let sign = if row.change() > 0.0 { "+" } else { "" };
    vec![
        row.cell.to_string(),
        row.quantity.shown(row.before.median),
        row.quantity.shown(row.after.median),
        format!("{sign}{}", number::percent(row.change())),
        noise,
        row.verdict.word().to_owned(),
    ]
}

/// The times under the run's own allocator.
fn own_times(run: &RunRecords) -> impl Iterator<Item = &Time> {
    run.records.iter().filter_map(|record| match record {
        Record::Time(time) if time.allocator == run.run.environment.allocator => Some(time),
        _ => None,
    })
}

/// The noise of the cell's own dataset and size, or of the whole run where that size has no pairs.
fn noise_of(run: &RunRecords, cell: &Cell) -> f64 {
    let near = |time: &&Time| time.cell.id.dataset == cell.id.dataset && time.cell.spec == cell.spec;
    Noise::of(own_times(run).filter(near)).or_else(|| Noise::of(own_times(run))).map_or(0.0, |noise| noise.largest)
}

fn figures(run: &RunRecords) -> BTreeMap<(Cell, Quantity), Summary> {
    let exact = |value: u64| Summary { median: value as f64, low: value as f64, high: value as f64 };
    let mut samples: BTreeMap<&Cell, Vec<f64>> = BTreeMap::new();
    for time in own_times(run).filter(|time| !time.again) {
        samples.entry(&time.cell).or_default().extend(&time.samples);
    }
    let times = samples.into_iter().filter_map(|(cell, samples)| Some(((cell.clone(), Quantity::Time), Summary::of(&samples)?)));
    let counted = run.records.iter().filter_map(|record| match record {
        Record::Size(size) => {
            let operation = if size.codec.is_some() { Operation::Compress } else { Operation::Encode };
            let id = CaseId { operation, dataset: size.dataset.clone(), format: size.format.clone(), codec: size.codec.clone() };
            Some(((Cell { id, spec: size.spec.clone() }, Quantity::Size), exact(size.bytes)))
        }
        Record::Memory(memory) => Some(((memory.cell.clone(), Quantity::Allocated), exact(memory.allocated_bytes))),
        _ => None,
    });
    // A figure of nought has no ratio.
    times.chain(counted).filter(|(_, summary)| summary.median > 0.0).collect()
}

/// What makes the two runs hard to compare, a line each.
fn differences_of_circumstances(before: &RunRecords, after: &RunRecords) -> Vec<String> {
    let (before, after) = (&before.run.environment, &after.run.environment);
    let pairs = [
        ("processor", &before.processor, &after.processor),
        ("system", &before.system, &after.system),
        ("compiler", &before.rustc, &after.rustc),
        ("target", &before.target, &after.target),
        ("profile", &before.profile, &after.profile),
        ("allocator", &before.allocator, &after.allocator),
    ];
    let differs = pairs.into_iter().filter(|(_, before, after)| before != after);
    differs.map(|(what, before, after)| format!("The {what} differs: {before} before, {after} after.")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_counts_when_it_is_beyond_the_noise_and_the_intervals_part() {
        let summary = |low, median, high| Summary { median, low, high };
        for (before, after, noise, verdict) in [
            (summary(9.0, 10.0, 11.0), summary(12.0, 13.0, 14.0), 0.1, Verdict::Worse),
            (summary(9.0, 10.0, 11.0), summary(12.0, 13.0, 14.0), 0.4, Verdict::Tie),
            (summary(9.0, 10.0, 11.0), summary(11.0, 13.0, 14.0), 0.1, Verdict::Tie),
            (summary(12.0, 13.0, 14.0), summary(9.0, 10.0, 11.0), 0.1, Verdict::Better),
            (summary(12.0, 13.0, 14.0), summary(9.0, 10.0, 11.0), 0.31, Verdict::Tie),
            (summary(8.0, 8.0, 8.0), summary(9.0, 9.0, 9.0), 0.0, Verdict::Worse),
            (summary(8.0, 8.0, 8.0), summary(8.0, 8.0, 8.0), 0.0, Verdict::Tie),
        ] {
            assert_eq!(Verdict::of(&before, &after, noise), verdict, "{before:?} {after:?} {noise}");
        }
    }

    #[test]
    fn a_percentage_has_its_sign() {
        assert_eq!(["5%", "0%", "12.5 %"].map(percent), [Ok(0.05), Ok(0.0), Ok(0.125)]);
        for wrong in ["5", "0.05", "%", "-1%", "inf%", "five%"] {
            percent(wrong).unwrap_err();
        }
    }
}
