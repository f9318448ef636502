//! The figures that are held to a bound, and whether they hold.

use super::super::document::{Block, Section};
use super::super::model::{process, ratio, speed};
use super::super::table::{Cell, Mark, Table};
use super::Page;
use crate::record::{Process, Ratio, Speed};
use crate::statistics::Summary;

/// The peak of the measuring process may be this many times the dataset and the largest payload together.
const PEAK_AT_MOST: f64 = 3.0;
/// From so many members on: below, the program itself outweighs the data.
const PEAK_FROM: usize = 1_000_000;

/// What a bound says of a figure.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Broken,
    WithinNoise,
    Holds,
}

impl Verdict {
    fn of(figure: &Summary, at_most: f64) -> Self {
        match figure {
            figure if figure.high <= at_most => Self::Holds,
            figure if figure.low > at_most => Self::Broken,
            _ => Self::WithinNoise,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Broken => "does not hold",
            Self::WithinNoise => "within noise",
            Self::Holds => "holds",
        }
    }
}

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut ratios: Vec<(Verdict, &Ratio, Summary)> = page.groups.iter().flat_map(|group| group.most(ratio)).filter_map(judged).collect();
    let speeds: Vec<&Speed> = page.groups.iter().flat_map(|group| group.most(speed)).collect();
    let processes: Vec<&Process> = page.runs.iter().flat_map(|run| &run.records).filter_map(process).collect();
    if ratios.is_empty() && speeds.is_empty() && processes.is_empty() {
        return None;
    }
    // What does not hold comes first; within a verdict, the order of the groups and the records stays.
    ratios.sort_by_key(|(verdict, ..)| *verdict);
    let mut blocks = Vec::new();
    if !ratios.is_empty() {
        let count = |wanted| ratios.iter().filter(|(verdict, ..)| *verdict == wanted).count();
        blocks.push(Block::prose(format!(
            "{} hold, {} within noise, {} do not hold. A bound holds when the whole interval is within it, does not hold when the whole \
             interval is beyond it, and is within noise when the interval straddles it.",
            count(Verdict::Holds),
            count(Verdict::WithinNoise),
            count(Verdict::Broken)
        )));
        blocks.push(Block::Table(ratio_table(&ratios)));
    }
    if !speeds.is_empty() {
        blocks.push(Block::Table(speed_table(&speeds)));
    }
    if !processes.is_empty() {
        blocks.push(Block::Table(process_table(&processes)));
    }
    Some(Section::new("held", "Figures held to a bound", blocks))
}

fn judged(ratio: &Ratio) -> Option<(Verdict, &Ratio, Summary)> {
    let bytes = ratio.bytes.map_or(1.0, |(case, against)| against as f64 / case as f64);
    let ratios: Vec<f64> = ratio.pairs.iter().map(|(case, against)| case / against * bytes).collect();
    let summary = Summary::of(&ratios)?;
    Some((Verdict::of(&summary, ratio.at_most), ratio, summary))
}

fn ratio_table(ratios: &[(Verdict, &Ratio, Summary)]) -> Table {
    let mut table =
        Table::new("Two cases timed in turn, sample by sample: the median of the ratios of the pairs, and its 95\u{a0}% interval")
            .words("case")
            .words("against")
            .numbers("members", "")
            .intervals("ratio", "")
            .ratios("at most")
            .words("verdict");
    for (verdict, ratio, summary) in ratios {
        let cells = vec![
            Cell::text(ratio.cell.id.to_string()),
            Cell::text(match ratio.bytes {
                Some(_) => format!("{}, for each byte written", ratio.against),
                None => ratio.against.to_string(),
            }),
            Cell::count(ratio.cell.spec.members as u64),
            Cell::interval(*summary),
            Cell::number(ratio.at_most),
            Cell::text(verdict.words()),
        ];
        table.row(Mark::Plain, cells);
    }
    table
}

fn speed_table(speeds: &[&Speed]) -> Table {
    let mut table = Table::new("Bytes of payload a second, at the median")
        .words("case")
        .numbers("members", "")
        .numbers("speed", "MB/s")
        .numbers("at least", "MB/s")
        .words("verdict");
    for speed in speeds {
        let Some(time) = Summary::of(&speed.samples) else { continue };
        // A bound on the speed from below is one on the time from above.
        let verdict = Verdict::of(&time, speed.bytes as f64 * 1e3 / speed.at_least);
        let cells = vec![
            Cell::text(speed.cell.id.to_string()),
            Cell::count(speed.cell.spec.members as u64),
            Cell::number(speed.bytes as f64 * 1e3 / time.median),
            Cell::number(speed.at_least),
            Cell::text(verdict.words()),
        ];
        table.row(Mark::Plain, cells);
    }
    table
}

fn process_table(processes: &[&Process]) -> Table {
    let mut table = Table::new("Peak resident memory of the measuring process, against the dataset and the largest payload together")
        .numbers("members", "")
        .numbers("dataset", "MB")
        .numbers("largest payload", "MB")
        .numbers("peak", "MB")
        .ratios("ratio")
        .ratios("at most")
        .words("verdict");
    for process in processes {
        let [dataset, payload, peak] =
            [process.dataset_bytes, process.largest_payload_bytes, process.resident_peak_bytes].map(|bytes| bytes as f64 / 1e6);
        let ratio = peak / (dataset + payload);
        let verdict = match process.spec.members {
            members if members < PEAK_FROM => "not judged",
            _ if ratio <= PEAK_AT_MOST => Verdict::Holds.words(),
            _ => Verdict::Broken.words(),
        };
        let mut cells = vec![Cell::count(process.spec.members as u64)];
        cells.extend([dataset, payload, peak, ratio, PEAK_AT_MOST].map(Cell::number));
        cells.push(Cell::text(verdict));
        table.row(Mark::Plain, cells);
    }
    if processes.iter().any(|process| process.spec.members < PEAK_FROM) {
        let note = "Not judged below 1,000,000 members: there the program itself takes more than the data.";
        table.notes.push(note.into());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_within_the_interval_is_within_noise() {
        for ((low, high), words) in
            [((0.9, 1.0), "holds"), ((0.9, 1.1), "within noise"), ((1.1, 1.2), "does not hold"), ((1.0, 1.1), "within noise")]
        {
            assert_eq!(Verdict::of(&Summary { median: low, low, high }, 1.0).words(), words);
        }
    }
}
