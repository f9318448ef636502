//! Payloads that were exchanged with the libraries of other languages, and their times beside ours.

use super::super::document::{Block, Section, Text};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, plural};
use crate::record::{Interop, InteropSkipped, InteropSmall, InteropTime, InteropWriter, Record, RunRecords};

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    for run in page.runs {
        blocks.extend(of_run(run));
    }
    (!blocks.is_empty()).then(|| Section::new("interop", "Exchanged with other languages", blocks))
}

fn of_run(run: &RunRecords) -> Vec<Block> {
    let (mut exchanges, mut times, mut skipped): (Vec<&Interop>, Vec<&InteropTime>, Vec<&InteropSkipped>) = Default::default();
    let mut small: Vec<&InteropSmall> = Vec::new();
    for record in &run.records {
        match record {
            Record::Interop(exchange) => exchanges.push(exchange),
            Record::InteropTime(time) => times.push(time),
            Record::InteropSmall(figures) => small.push(figures),
            Record::InteropSkipped(what) => skipped.push(what),
            _ => {}
        }
    }
    let mut blocks = Vec::new();
    if !exchanges.is_empty() {
        let sum = |count: fn(&Interop) -> u64| exchanges.iter().map(|exchange| count(exchange)).sum::<u64>();
        let total = |count| number::count(sum(count));
        blocks.push(Block::prose(format!(
            "On {}, {} were exchanged; {} came out as the same value, {} as another, {} of them for a reason that is known, and {} were refused. Payloads of the other side \
             that could be written again byte for byte had to be.",
            run.run.environment.date,
            plural(sum(|exchange| exchange.payloads) as usize, "payload"),
            total(|exchange| exchange.equal),
            total(|exchange| exchange.differed),
            total(|exchange| exchange.known),
            total(|exchange| exchange.refused),
        )));
        blocks.push(Block::Table(exchange_table(&exchanges)));
        let said: Vec<Text> = exchanges
            .iter()
            .flat_map(|exchange| {
                exchange.examples.iter().map(|example| Text::from(format!("{}, {}: {example}", exchange.library, exchange.format)))
            })
            .collect();
        if !said.is_empty() {
            blocks.push(Block::Fold { summary: "What was not equal".into(), blocks: vec![Block::List(said)] });
        }
    }
    if !times.is_empty() {
        blocks.push(Block::prose(faster(&times)));
        blocks.push(Block::Table(time_table(&times)));
    }
    if !small.is_empty() {
        blocks.push(Block::prose(
            "The originals' own figures for the small objects of articles 001, 002 and 004, on this machine. `wirewise reproduce` gives this \
             crate's; one run of each says little of the other's noise, so no ratio is made of them.",
        ));
        blocks.push(Block::Table(small_table(&small)));
    }
    if !skipped.is_empty() {
        let line = |skipped: &&InteropSkipped| Text::from(format!("Not exchanged: {}, because {}", skipped.what, skipped.reason));
        blocks.push(Block::List(skipped.iter().map(line).collect()));
    }
    blocks
}

/// In how many rows this crate is faster, and which the others are.
fn faster(times: &[&InteropTime]) -> String {
    let directions = |time: &InteropTime| [("encode", time.encode), ("decode", time.decode)];
    let slower: Vec<String> = times
        .iter()
        .flat_map(|time| directions(time).map(|(direction, (there, here))| (here >= there).then(|| format!("{} {direction}", time.format))))
        .flatten()
        .collect();
    let all = times.len() * 2;
    let ratios = times.iter().flat_map(|time| directions(time).map(|(_, (there, here))| there / here));
    let (least, most) = ratios.fold((f64::INFINITY, 0.0f64), |(least, most), ratio| (least.min(ratio), most.max(ratio)));
    let verdict = if slower.is_empty() {
        format!("This crate is faster than the original in every row, to encode and to decode: {least:.1} to {most:.1} times as fast.")
    } else {
        format!("This crate is faster than the original in {} of {all} rows, but not in: {}.", all - slower.len(), slower.join(", "))
    };
    format!(
        "{verdict} Both sides ran in turn on this machine, format by format, with the same dataset and the payload in memory; a figure is \
         the median of {} runs, after two that are not counted.",
        times.iter().map(|time| time.runs).min().unwrap_or(0),
    )
}

fn exchange_table(exchanges: &[&Interop]) -> Table {
    let mut table = Table::new("Payloads exchanged with the libraries of other languages")
        .words("language")
        .words("library")
        .words("format")
        .words("written")
        .numbers("payloads", "")
        .numbers("equal", "")
        .numbers("differed", "")
        .numbers("refused", "");
    for exchange in exchanges {
        let written = match exchange.written_by {
            InteropWriter::Here => "here, read there",
            InteropWriter::There => "there, read here",
        };
        let mut cells =
            [&exchange.language, &format!("{} {}", exchange.library, exchange.version), &exchange.format].map(Cell::text).to_vec();
        cells.push(Cell::text(written));
        cells.extend([exchange.payloads, exchange.equal, exchange.differed, exchange.refused].map(Cell::count));
        table.row(if exchange.equal + exchange.known == exchange.payloads { Mark::Plain } else { Mark::Failed }, cells);
    }
    table
}

fn small_table(small: &[&InteropSmall]) -> Table {
    let mut table = Table::new("The originals on the small objects of the articles")
        .words("language")
        .words("article, object, library, operation")
        .numbers("mean", "ns")
        .numbers("deviation", "ns")
        .numbers("allocated", "B");
    for figures in small {
        let mut cells = [&figures.language, &figures.what].map(Cell::text).to_vec();
        cells.extend([figures.mean, figures.deviation].map(Cell::number));
        cells.push(Cell::count(figures.allocated));
        table.row(Mark::Plain, cells);
    }
    table
}

fn time_table(times: &[&InteropTime]) -> Table {
    let mut table = Table::new("The originals' times and this crate's, in one run; the ratio says how many times as fast this crate is")
        .words("language")
        .words("library")
        .words("format")
        .numbers("members", "")
        .numbers("encode there", "ms")
        .numbers("encode here", "ms")
        .ratios("ratio")
        .numbers("decode there", "ms")
        .numbers("decode here", "ms")
        .ratios("ratio")
        .words("faster here")
        .words("bytes");
    for time in times {
        let mut cells = [&time.language, &format!("{} {}", time.library, time.version), &time.format].map(Cell::text).to_vec();
        cells.push(Cell::count(time.members));
        for (there, here) in [time.encode, time.decode] {
            cells.extend([there, here, there / here].map(Cell::number));
        }
        cells.push(Cell::text(match [time.encode, time.decode].map(|(there, here)| here < there) {
            [true, true] => "both",
            [true, false] => "encode",
            [false, true] => "decode",
            [false, false] => "neither",
        }));
        cells.push(Cell::text(if time.same_size { "as many" } else { "others" }));
        table.row(Mark::Plain, cells);
    }
    table
}
