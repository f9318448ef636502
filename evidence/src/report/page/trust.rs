//! What becomes of damaged payloads: what each format promises and what that costs, the outcomes by the million, and test suites.

use std::collections::BTreeMap;

use super::super::document::{Block, Section, Text};
use super::super::number;
use super::super::table::{Cell, Mark, Missing, Table};
use super::{Page, plural};
use crate::operation::Operation;
use crate::record::{Record, RunRecords, Suite, Torture, TortureCounts, TortureKind};

/// The kinds of damage, as the tables call them.
const DAMAGES: [(&str, &str); 4] = [("cut", "cut short"), ("byte", "one byte changed"), ("bit", "one bit turned"), ("splice", "spliced")];

pub(super) fn section(page: &Page) -> Option<Section> {
    let torture = RunRecords::last(page.runs, |record| if let Record::Torture(torture) = record { Some(&**torture) } else { None });
    let suites = RunRecords::last(page.runs, |record| if let Record::Suite(suite) = record { Some(&**suite) } else { None });
    if torture.is_empty() && suites.is_empty() {
        return None;
    }
    let mut blocks = vec![lead(&torture)];
    if !torture.is_empty() {
        blocks.push(Block::Table(promises(page, &torture)));
        blocks.push(Block::Heading("Damaged payloads".into()));
        blocks.push(Block::prose(
            "Every way to read a payload that may come from anywhere, and every damage: refused with an error; equal, where the damage \
             hit bytes that carry nothing; silent, where another value was accepted and nobody was told. Every field of what was accepted \
             was read. The last column is the same damage, and every damage to the envelope, behind the envelope's checksum.",
        ));
        blocks.push(Block::Table(outcomes(&torture)));
        blocks.push(Block::Fold {
            summary: "What was silent, by the kind of damage".into(),
            blocks: vec![Block::Table(by_damage(&torture))],
        });
        blocks.push(Block::Table(bounds(&torture)));
        blocks.extend(failures(&torture));
    }
    if !suites.is_empty() {
        blocks.push(Block::Heading("Test suites of other projects".into()));
        blocks.push(Block::Table(suite_table(&suites)));
        blocks.extend(exceptions(&suites));
    }
    blocks.push(Block::Heading("What is not promised".into()));
    blocks.push(Block::List(NOT_PROMISED.iter().copied().map(Text::from).collect()));
    Some(Section::new("trust", "Hostile and damaged bytes", blocks).in_file("trust.md"))
}

/// What no table here says of a format, and what a reader might take for granted.
const NOT_PROMISED: [&str; 5] = [
    "That a damaged payload is noticed without a checksum around it: validation proves that reading is safe, not that the value is the one \
     that was written. The silent column is how often it is not.",
    "That the envelope's checksum stops an attacker: it finds accidents. Against somebody who changes bytes on purpose, sign the whole.",
    "That unvalidated access is safe: it is for bytes that were written or validated in the same process.",
    "That a file may change below a memory map: validation holds for the bytes that it saw.",
    "That a decoded value is sensible: an identifier or a time is whatever its bits say.",
];

fn lead(torture: &[&Torture]) -> Block {
    if torture.is_empty() {
        return Block::prose("Damaged payloads were not run; `wirewise torture --records` does.");
    }
    let mutations = torture.iter().map(|torture| torture.mutations).sum();
    let failed: u64 = torture.iter().map(|torture| torture.tally.failed).sum();
    let sealed: u64 = torture.iter().map(|torture| torture.tally.sealed.different).sum();
    let silent = torture.iter().filter(|torture| silent(torture) > 0).count();
    Block::Prose(
        Text::from(format!(
            "{} damaged payloads through {}, each a format with a dataset, or a codec: ",
            number::count(mutations),
            plural(torture.len(), "target")
        ))
        .strong(if failed == 0 {
            "no panic, crash or hang, and none took more memory or time than it may".to_owned()
        } else {
            format!("{} panics, crashes, hangs or excesses", number::count(failed))
        })
        .plain(format!(
            ". {} of them gave another value in silence for some damage; behind the envelope's checksum {}.",
            number::count(silent as u64),
            if sealed == 0 { "none did".to_owned() } else { format!("{} payloads did", number::count(sealed)) }
        )),
    )
}

/// The most silent of the readings of a format.
fn silent(torture: &Torture) -> u64 {
    torture.tally.operations().into_iter().map(|operation| torture.tally.of_operation(operation).different).max().unwrap_or_default()
}

/// Of the payloads that one reading got.
fn share(part: u64, counts: &TortureCounts) -> f64 {
    part as f64 * 100.0 / counts.total().max(1) as f64
}

/// What each format checks, what it misses, and what checking costs where there is a reading that leaves it out.
fn promises(page: &Page, torture: &[&Torture]) -> Table {
    let mut table = Table::new(
        "What each format promises: the damage that it notices by itself, what validation costs, and what a checksum around it would cost",
    )
    .words("format")
    .words("checks")
    .numbers("noticed", "%")
    .numbers("silent", "%")
    .numbers("validation", "ns a member")
    .numbers("reading all bytes once", "ns a member");
    let group = page.groups.first();
    for torture in torture.iter().filter(|torture| torture.target_kind == TortureKind::Format) {
        let name = torture.target.as_str();
        let Some(operation) = torture.tally.operations().into_iter().next_back() else { continue };
        let counts = torture.tally.of_operation(operation);
        let validation = group.and_then(|group| group.row(name)).and_then(|row| row.validation.clone());
        let checks = match validation.as_deref() {
            Some("upfront") => "structure and bounds, all of it before the view is given",
            Some(_) => "structure and bounds, each item when it is read",
            None => "structure, bounds and texts, while decoding",
        };
        let per_member = |operation| {
            let group = group?;
            Some(group.reading(operation, name).measured()?.median * group.per_member())
        };
        let difference = || Some((per_member(Operation::ReadAll)? - per_member(Operation::ReadAllUnchecked)?).max(0.0));
        table.row(
            Mark::Plain,
            vec![
                Cell::text(name),
                Cell::text(checks),
                Cell::number(share(counts.refused, &counts)),
                Cell::number(share(counts.different, &counts)),
                difference().map_or(Cell::missing(Missing::Absent), Cell::number),
                per_member(Operation::Scan).map_or(Cell::missing(Missing::NotRun), Cell::number),
            ],
        );
    }
    table.notes.push("Noticed: of all damaged payloads, those refused with an error. Validation: access and read all, less the same unvalidated. Reading all bytes once is the least that any checksum costs.".into());
    table
}

fn outcomes(torture: &[&Torture]) -> Table {
    let mut table = Table::new("What became of damaged payloads")
        .words("format")
        .words("reading")
        .numbers("refused", "")
        .numbers("equal", "")
        .numbers("silent", "")
        .numbers("silent", "%")
        .numbers("panics", "")
        .numbers("silent in the envelope", "");
    for torture in torture {
        for operation in torture.tally.operations() {
            let counts = torture.tally.of_operation(operation);
            let mark = if counts.panics > 0 { Mark::Failed } else { Mark::Plain };
            let mut cells = vec![Cell::text(torture.target.as_str()), Cell::text(operation)];
            cells.extend([counts.refused, counts.equal, counts.different].map(Cell::count));
            cells.extend([Cell::number(share(counts.different, &counts)), Cell::count(counts.panics)]);
            cells.push(Cell::count(torture.tally.sealed.different));
            table.row(mark, cells);
        }
    }
    table
}

fn by_damage(torture: &[&Torture]) -> Table {
    let mut table = Table::new("Silent, of the payloads of each kind of damage").words("format").words("reading");
    for (_, title) in DAMAGES {
        table = table.numbers(title, "%");
    }
    table = table.words("the first, to be made again");
    for torture in torture {
        for operation in torture.tally.operations() {
            let rows: BTreeMap<&str, _> = torture
                .tally
                .outcomes
                .iter()
                .filter(|outcome| outcome.operation == operation)
                .map(|outcome| (outcome.damage.as_str(), outcome))
                .collect();
            let mut cells = vec![Cell::text(torture.target.as_str()), Cell::text(operation)];
            cells.extend(DAMAGES.iter().map(|(damage, _)| match rows.get(damage) {
                Some(row) if row.counts.total() > 0 => Cell::number(share(row.counts.different, &row.counts)),
                _ => Cell::missing(Missing::NotRun),
            }));
            let first = rows.values().filter_map(|row| row.first_silent).min();
            cells.push(first.map_or_else(Cell::empty, |number| {
                let order = format!("--format {} --seed {} --mutations {}", torture.target, torture.seed, torture.mutations);
                Cell::text(Text::default().code(format!("wirewise torture {order} --only {number}")))
            }));
            table.row(Mark::Plain, cells);
        }
    }
    table
}

fn bounds(torture: &[&Torture]) -> Table {
    let mut table = Table::new("What the most expensive of the damaged payloads took")
        .words("format")
        .numbers("payloads", "")
        .numbers("every byte of", "payloads")
        .numbers("heap when refused", "KiB")
        .numbers("of an input of", "bytes")
        .numbers("heap when accepted", "KiB")
        .numbers("longest", "ms")
        .numbers("process", "MiB")
        .numbers("a second", "payloads");
    for torture in torture {
        let tally = &torture.tally;
        table.row(
            Mark::Plain,
            vec![
                Cell::text(torture.target.as_str()),
                Cell::count(torture.mutations),
                Cell::count(torture.every_byte_of),
                Cell::number(tally.refused_heap.value as f64 / 1024.0),
                Cell::count(tally.refused_heap.input),
                Cell::number(tally.accepted_heap.value as f64 / 1024.0),
                Cell::number(tally.longest.value as f64 / 1e6),
                Cell::number(tally.resident_peak_bytes as f64 / f64::from(1 << 20)),
                Cell::count(torture.mutations * 1000 / torture.milliseconds.max(1)),
            ],
        );
    }
    table.notes.push("Allowed: 8 times the input and 1 MiB for what is refused, 64 MiB for what is accepted, 1 s, and a stack of 2 MiB. The process counts what C libraries take as well. Every byte of: payloads of which each cut and each byte with all other values was tried.".into());
    table
}

fn failures(torture: &[&Torture]) -> Option<Block> {
    let mut table = Table::new("Promises that were broken").words("format").numbers("mutation", "").words("damage").words("what happened");
    for torture in torture {
        for failure in &torture.tally.failures {
            let cells = vec![
                Cell::text(torture.target.as_str()),
                Cell::count(failure.mutation),
                Cell::text(failure.damage.as_str()),
                Cell::text(failure.what.as_str()),
            ];
            table.row(Mark::Failed, cells);
        }
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

fn suite_table(suites: &[&Suite]) -> Table {
    let mut table = Table::new("Every file of every suite: read with the right value, refused, or neither")
        .words("suite")
        .words("reader")
        .numbers("cases", "")
        .numbers("passed", "")
        .numbers("refused", "")
        .numbers("differed", "")
        .numbers("exceptions", "");
    for suite in suites {
        let mut cells = vec![Cell::text(suite.suite.as_str()), Cell::text(suite.reader.as_str())];
        cells.extend([suite.cases, suite.passed, suite.refused, suite.differed, suite.exceptions.len() as u64].map(Cell::count));
        table.row(Mark::Plain, cells);
    }
    table.notes.push("A case that a suite wants refused counts as refused when all is well. All files: each file of each suite, as if it were the dataset.".into());
    table
}

fn exceptions(suites: &[&Suite]) -> Option<Block> {
    let mut table = Table::new("Cases that do not get what their suite asks for").words("suite").words("reader").words("case").words("why");
    for suite in suites {
        for exception in &suite.exceptions {
            let cells = [&suite.suite, &suite.reader, &exception.case, &exception.reason].map(|text| Cell::text(text.as_str()));
            table.row(Mark::Plain, cells.into());
        }
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}

#[cfg(test)]
mod tests {
    use super::super::super::table::Shown;
    use super::*;
    use crate::record::{Build, Environment, Run, TortureFailure, TortureOutcome, TortureTally, VERSION};

    fn records(counts: TortureCounts, failures: Vec<TortureFailure>) -> RunRecords {
        let outcome = TortureOutcome { operation: "decode".into(), damage: "byte".into(), counts, first_silent: Some(7) };
        let tally = TortureTally { outcomes: vec![outcome], failed: failures.len() as u64, failures, ..TortureTally::default() };
        let torture = Torture {
            target: "plain".into(),
            target_kind: TortureKind::Format,
            dataset: "organization".into(),
            seed: 3,
            mutations: counts.total(),
            every_byte_of: 1,
            tally,
            milliseconds: 1,
        };
        let environment = Environment::of_this_process(&Build::default());
        let run = Run { version: VERSION, program: "test".into(), environment, planned: Vec::new() };
        RunRecords { name: "torture".into(), run, records: vec![Record::Torture(Box::new(torture))] }
    }

    fn tables(runs: &[RunRecords]) -> Vec<Table> {
        fn collect(blocks: Vec<Block>, tables: &mut Vec<Table>) {
            for block in blocks {
                match block {
                    Block::Table(table) => tables.push(table),
                    Block::Fold { blocks, .. } => collect(blocks, tables),
                    _ => {}
                }
            }
        }
        let mut tables = Vec::new();
        collect(section(&Page { runs, groups: Vec::new(), shapes: Vec::new() }).expect("there are records").blocks, &mut tables);
        tables
    }

    #[test]
    fn the_shares_are_of_what_was_read_and_a_broken_promise_is_marked() {
        let counts = TortureCounts { refused: 70, equal: 5, different: 25, panics: 0 };
        let runs = [records(counts, Vec::new())];
        let shown = |cell: &Cell| match cell.shown() {
            Shown::Figure(figure, _) => figure,
            other => format!("{other:?}"),
        };
        let found = tables(&runs);
        let figures: Vec<String> = found[1].rows[0].cells[2..6].iter().map(shown).collect();
        assert_eq!(figures, ["70", "5", "25", "25.0"]);
        assert!(found.iter().flat_map(|table| &table.rows).all(|row| row.mark == Mark::Plain));

        let failure = TortureFailure { mutation: 9, damage: "byte 3 plus 1".into(), what: "decode: a panic".into() };
        let runs = [records(TortureCounts { panics: 1, ..counts }, vec![failure])];
        let failed = tables(&runs).iter().flat_map(|table| table.rows.clone()).filter(|row| row.mark == Mark::Failed).count();
        assert_eq!(failed, 2);
    }
}
