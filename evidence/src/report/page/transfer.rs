//! How far the model of the choice is from transfers that were really run.

use std::collections::BTreeMap;

use super::super::document::{Block, Section, Text};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, plural};
use crate::record::{Link, Record, RunRecords, Transfer};
use crate::statistics::Summary;

/// A transfer, and its measured time.
struct Checked<'r> {
    transfer: &'r Transfer,
    measured: Summary,
}

impl Checked<'_> {
    fn predicted(&self) -> f64 {
        self.transfer.predicted[0]
    }

    /// How far the model is off, as a part of the measured median.
    fn error(&self) -> f64 {
        (self.predicted() / self.measured.median - 1.0).abs()
    }

    fn name(&self) -> String {
        let codec = self.transfer.codec.as_ref().map_or(String::new(), |codec| format!(".{codec}"));
        format!("{}{codec}, {}", self.transfer.format, self.transfer.opens)
    }

    /// The link and the plan: what competes with each other.
    fn situation(&self) -> String {
        let plan = if self.transfer.blocks { ", in blocks" } else { ", in sequence" };
        match self.transfer.link {
            Link::Tcp { bandwidth } => format!("TCP at {}{plan}", number::bandwidth(bandwidth)),
            link => link.label().to_owned(),
        }
    }
}

pub(super) fn section(page: &Page) -> Option<Section> {
    let transfers = RunRecords::last(page.runs, |record| if let Record::Transfer(transfer) = record { Some(transfer) } else { None });
    let checked: Vec<Checked> =
        transfers.into_iter().filter_map(|transfer| Some(Checked { transfer, measured: Summary::of(&transfer.samples)? })).collect();
    let noise =
        Summary::of(&checked.iter().map(|one| (one.measured.high - one.measured.low) / one.measured.median).collect::<Vec<_>>())?.median;
    let mut situations: BTreeMap<String, Vec<&Checked>> = BTreeMap::new();
    for one in &checked {
        situations.entry(one.situation()).or_default().push(one);
    }
    let errors = |cells: &mut dyn Iterator<Item = &Checked>| {
        Summary::of(&cells.map(Checked::error).collect::<Vec<_>>()).map(|summary| summary.median)
    };
    let (winners, all) = situations
        .values()
        .map(|cells| winner(cells, noise))
        .fold((0, 0), |(right, all), verdict| (right + usize::from(verdict.right), all + 1));
    let lead = Text::from(format!(
        "{} of {} were run over real links, from the writer's value to everything read, each {} times; the model had been asked before. It is off by ",
        plural(checked.len(), "transfer"),
        plural(checked[0].transfer.spec.members, "member"),
        checked[0].transfer.samples.len()
    ))
    .strong(errors(&mut checked.iter()).map_or_else(String::new, number::percent))
    .plain(" at the median, and what it puts first is first, or a tie with what is first, in ")
    .strong(format!("{winners} of {all}"))
    .plain(format!(
        " situations. A tie: the samples' ranges overlap, or the gap is within {}, the median range of these runs. TCP goes through this machine and is held to a speed by a token bucket; \
         both ends share its cores. The speeds of files were measured once, with other bytes, before all of them.",
        number::percent(noise)
    ));
    let mut table = Table::new("By link: how far the model is off, and whether what it puts first is first")
        .words("link")
        .numbers("transfers", "")
        .words("median error")
        .words("largest error")
        .words("put first")
        .words("first, or a tie")
        .ratios("× the least")
        .words("the least");
    for (situation, cells) in &situations {
        let verdict = winner(cells, noise);
        let largest = cells.iter().map(|one| one.error()).fold(0.0, f64::max);
        table.row(
            Mark::Plain,
            vec![
                Cell::text(situation.as_str()),
                Cell::count(cells.len() as u64),
                Cell::text(errors(&mut cells.iter().copied()).map_or_else(String::new, number::percent)),
                Cell::text(number::percent(largest)),
                Cell::text(verdict.predicted),
                Cell::text(if verdict.right { "yes" } else { "no" }),
                Cell::number(Some(verdict.ratio)),
                Cell::text(verdict.real),
            ],
        );
    }
    let mut every = Table::new("Every transfer, the largest error first")
        .words("pipeline")
        .words("link")
        .numbers("bytes", "")
        .numbers("predicted", "ms")
        .intervals("measured", "ms")
        .ratios("predicted ÷ measured");
    let mut sorted: Vec<&Checked> = checked.iter().collect();
    sorted.sort_by(|one, other| other.error().total_cmp(&one.error()));
    for one in sorted {
        every.row(
            Mark::Plain,
            vec![
                Cell::text(one.name()),
                Cell::text(one.situation()),
                Cell::count(one.transfer.bytes),
                Cell::number(one.predicted() / 1e6),
                Cell::interval(one.measured * 1e-6),
                Cell::number(one.predicted() / one.measured.median),
            ],
        );
    }
    let every = Block::Page { file: "transfers.md".into(), title: "Every transfer".into(), blocks: vec![Block::Table(every)] };
    Some(Section::new("transfers", "How far the model is off", vec![Block::Prose(lead), Block::Table(table), every]))
}

/// What the model put first among cells, and whether it is.
struct Winner {
    predicted: String,
    real: String,
    ratio: f64,
    right: bool,
}

fn winner(cells: &[&Checked], noise: f64) -> Winner {
    let least = |by: &dyn Fn(&Checked) -> f64| cells.iter().copied().min_by(|one, other| by(one).total_cmp(&by(other)));
    let (Some(predicted), Some(real)) = (least(&|one| one.predicted()), least(&|one| one.measured.median)) else {
        return Winner { predicted: String::new(), real: String::new(), ratio: 1.0, right: true };
    };
    let ratio = predicted.measured.median / real.measured.median;
    Winner {
        predicted: predicted.name(),
        real: real.name(),
        ratio,
        right: ratio - 1.0 <= noise || predicted.measured.overlaps(&real.measured),
    }
}
