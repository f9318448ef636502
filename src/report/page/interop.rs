//! Payloads that were exchanged with the libraries of other languages, and their times beside ours.

use super::super::document::{Block, Section, Text};
use super::super::table::{Cell, Mark, Table};
use super::{Page, plural};
use crate::record::{Interop, InteropSkipped, InteropTime, InteropWriter, Record, RunRecords};

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    for run in page.runs {
        blocks.extend(of_run(run));
    }
    (!blocks.is_empty()).then(|| Section::new("interop", "Exchanged with other languages", blocks))
}

fn of_run(run: &RunRecords) -> Vec<Block> {
    let (mut exchanges, mut times, mut skipped): (Vec<&Interop>, Vec<&InteropTime>, Vec<&InteropSkipped>) = Default::default();
    for record in &run.records {
        match record {
            Record::Interop(exchange) => exchanges.push(exchange),
            Record::InteropTime(time) => times.push(time),
            Record::InteropSkipped(what) => skipped.push(what),
            _ => {}
        }
    }
    let mut blocks = Vec::new();
    if !exchanges.is_empty() {
        let total = |count: fn(&Interop) -> u64| exchanges.iter().map(|exchange| count(exchange)).sum::<u64>();
        let (payloads, equal) = (total(|exchange| exchange.payloads), total(|exchange| exchange.equal));
        blocks.push(Block::prose(format!(
            "On {}, {} were exchanged; {equal} came out as the same value, {} as another, {} of them for a reason that is known, and {} were refused. Payloads of the other side \
             that could be written again byte for byte had to be.",
            run.run.environment.date,
            plural(payloads as usize, "payload"),
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
        blocks.push(Block::Table(time_table(&times)));
    }
    if !skipped.is_empty() {
        let line = |skipped: &&InteropSkipped| Text::from(format!("Not exchanged: {}, because {}", skipped.what, skipped.reason));
        blocks.push(Block::List(skipped.iter().map(line).collect()));
    }
    blocks
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

fn time_table(times: &[&InteropTime]) -> Table {
    let mut table = Table::new("Both sides' own times in one run, at the median; the ratio is theirs to ours")
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
        .words("bytes");
    for time in times {
        let mut cells = [&time.language, &format!("{} {}", time.library, time.version), &time.format].map(Cell::text).to_vec();
        cells.push(Cell::count(time.members));
        for (there, here) in [time.encode, time.decode] {
            cells.extend([there, here, there / here].map(Cell::number));
        }
        cells.push(Cell::text(if time.same_size { "as many" } else { "others" }));
        table.row(Mark::Plain, cells);
    }
    table
}
