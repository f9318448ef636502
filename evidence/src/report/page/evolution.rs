//! What becomes of data when the schema changes: which changes are safe where, the matrix, the price, and every change with its witnesses.

use std::collections::BTreeMap;

use super::super::chart::{Chart, Figure, Point, Scatter, pareto_front};
use super::super::document::{Block, Section, Text};
use super::super::number;
use super::super::table::{Cell, Mark, Missing, Table};
use super::{Page, plural};
use crate::record::{Evolution, EvolutionPrice, EvolutionVerdict, Record, RunRecords};

/// What the letters mean, from the best.
const LETTERS: [(&str, &str); 7] = [
    ("O", "works"),
    ("K", "an unknown variant kept by its number"),
    ("D", "defaulted"),
    ("X", "dropped"),
    ("E", "error"),
    ("S", "silently wrong"),
    ("!", "crash"),
];

/// The directions, and how the tables call them.
const DIRECTIONS: [(&str, &str); 3] = [
    ("forward", "Forward: the old reader, and new data"),
    ("backward", "Backward: the new reader, and old data"),
    ("hop", "Hop: the new schema writes, an old program reads, edits and writes, the new schema reads"),
];

/// The matrix of the last run that has one.
struct Matrix<'r> {
    cells: Vec<&'r Evolution>,
    prices: Vec<&'r EvolutionPrice>,
    formats: Vec<&'r str>,
    changes: BTreeMap<u8, &'r Evolution>,
}

impl<'r> Matrix<'r> {
    fn of(run: &'r RunRecords) -> Option<Self> {
        let cells: Vec<&Evolution> =
            run.records.iter().filter_map(|record| if let Record::Evolution(cell) = record { Some(&**cell) } else { None }).collect();
        let prices =
            run.records.iter().filter_map(|record| if let Record::EvolutionPrice(price) = record { Some(price) } else { None }).collect();
        let mut formats: Vec<&str> = Vec::new();
        for cell in &cells {
            if !formats.contains(&cell.format.as_str()) {
                formats.push(&cell.format);
            }
        }
        let changes = cells.iter().map(|cell| (cell.number, *cell)).collect();
        (!cells.is_empty()).then_some(Self { cells, prices, formats, changes })
    }

    fn cell(&self, number: u8, format: &str, direction: &str) -> Option<&'r Evolution> {
        self.cells.iter().copied().find(|cell| cell.number == number && cell.format == format && cell.direction == direction)
    }
}

pub(super) fn section(page: &Page) -> Option<Section> {
    let matrix = page.runs.iter().rev().find_map(Matrix::of)?;
    let mut blocks = vec![lead(&matrix), Block::Table(safe(&matrix))];
    let mut advice: Vec<&str> = matrix.prices.iter().map(|price| price.advice.as_str()).collect();
    advice.dedup();
    if !advice.is_empty() {
        blocks.extend([Block::Heading("Advice".into()), Block::List(advice.into_iter().map(Text::from).collect())]);
    }
    blocks.push(Block::Heading("The matrix".into()));
    blocks.push(legend());
    for (direction, title) in DIRECTIONS {
        blocks.push(Block::Table(heat(&matrix, direction, title)));
    }
    blocks.extend(price(&matrix));
    blocks.extend(differences(&matrix));
    blocks.push(Block::Heading("Every change".into()));
    for (number, change) in &matrix.changes {
        blocks.push(Block::Page {
            file: format!("evolution/{number:02}-{}.md", change.change),
            title: format!("{number} {}", change.title),
            blocks: details(&matrix, *number),
        });
    }
    Some(Section::new("evolution", "When the schema changes", blocks).in_file("evolution/index.md"))
}

fn lead(matrix: &Matrix) -> Block {
    let ran = matrix.cells.iter().filter(|cell| matches!(cell.verdict, EvolutionVerdict::Ran { .. })).count();
    let values: u64 =
        matrix.cells.iter().map(|cell| if let EvolutionVerdict::Ran { values, .. } = cell.verdict { values.into() } else { 0 }).sum();
    let silent = matrix.cells.iter().filter(|cell| is_silent(cell)).count();
    let differing = matrix.cells.iter().filter(|cell| cell.differs).count();
    Block::Prose(
        Text::from(format!(
            "{} of schema changes through {}, written with one schema and read with the other: {}, {} of them run with {} values. In ",
            plural(matrix.changes.len(), "kind"),
            plural(matrix.formats.len(), "format setting"),
            plural(matrix.cells.len(), "cell"),
            number::count(ran as u64),
            number::count(values),
        ))
        .strong(format!("{} a wrong value came out and nobody was told", plural(silent, "cell")))
        .plain(format!("; {differing} differ from what documents lead one to expect. ")),
    )
}

fn is_silent(cell: &Evolution) -> bool {
    matches!(cell.verdict, EvolutionVerdict::Ran { silent, .. } if silent > 0)
}

/// Which changes are safe in which format.
fn safe(matrix: &Matrix) -> Table {
    let mut table = Table::new("Which changes are safe in which format, by their numbers: in both directions, for every value")
        .words("format")
        .words("works: the value, a default, or dropped")
        .words("an error in one direction at least, never silent")
        .words("silently wrong for some value");
    for format in &matrix.formats {
        let mut columns = [const { Vec::new() }; 3];
        for number in matrix.changes.keys() {
            let letters: Vec<char> = ["forward", "backward"]
                .iter()
                .filter_map(|direction| matrix.cell(*number, format, direction))
                .filter_map(|cell| if let EvolutionVerdict::Ran { letter, .. } = cell.verdict { Some(letter) } else { None })
                .collect();
            let silent = ["forward", "backward"].iter().any(|direction| matrix.cell(*number, format, direction).is_some_and(is_silent));
            if letters.is_empty() {
                continue;
            }
            let column = if silent {
                2
            } else if letters.iter().any(|letter| "E!".contains(*letter)) {
                1
            } else {
                0
            };
            columns[column].push(number.to_string());
        }
        let mut cells = vec![Cell::text(*format)];
        cells.extend(columns.map(|numbers| Cell::text(numbers.join(" "))));
        table.row(Mark::Plain, cells);
    }
    table
}

fn legend() -> Block {
    let mut text = Text::from("The worst outcome of all values, and of how many of them where not of all: ");
    for (index, (letter, meaning)) in LETTERS.into_iter().enumerate() {
        text = text.plain(if index == 0 { "" } else { ", " }).outcome(letter).plain(format!(" {meaning}"));
    }
    Block::Prose(text.plain("; – where the format has no such change."))
}

fn heat(matrix: &Matrix, direction: &str, title: &str) -> Table {
    let mut table = Table::new(title).words("change");
    for format in &matrix.formats {
        table = table.words(*format);
    }
    for (number, change) in &matrix.changes {
        let mut cells = vec![Cell::text(format!("{number} {}", change.change))];
        cells.extend(matrix.formats.iter().map(|format| match matrix.cell(*number, format, direction).map(|cell| &cell.verdict) {
            Some(EvolutionVerdict::Ran { letter, values, with_worst, .. }) => {
                let text = Text::default().outcome(letter.to_string());
                Cell::text(if with_worst == values { text } else { text.plain(format!(" {with_worst}/{values}")) })
            }
            Some(EvolutionVerdict::NotApplicable { .. }) => Cell::text("–"),
            Some(EvolutionVerdict::Failed { .. }) => Cell::missing(Missing::Failed),
            None => Cell::missing(Missing::NotRun),
        }));
        table.row(Mark::Plain, cells);
    }
    table
}

/// What it costs to be able to change.
fn price(matrix: &Matrix) -> Vec<Block> {
    let Some(first) = matrix.prices.first() else { return Vec::new() };
    let each = |price: &EvolutionPrice| price.bytes as f64 / f64::from(price.entries);
    let share = |price: &EvolutionPrice| 100.0 * f64::from(price.changes - price.never_silent) / f64::from(price.changes.max(1));
    let positions: Vec<(f64, f64)> = matrix.prices.iter().map(|price| (each(price), share(price))).collect();
    let front = pareto_front(&positions);
    let points = matrix.prices.iter().zip(positions).zip(front);
    let points = points.map(|((price, (x, y)), on_front)| Point { label: price.format.clone(), x, y, on_front }).collect();
    let figure = Figure {
        id: "price-of-evolvability".into(),
        title: "Bytes against silent changes".into(),
        description:
            "Each format setting by the bytes of an entry and by the share of its schema changes that are silently wrong for some \
                      value. Nearer to the lower left is better in both."
                .into(),
        chart: Chart::Scatter(Scatter { x: "payload, bytes/entry".into(), y: "changes that are silent for some value, %".into(), points }),
    };
    let mut table = Table::new(format!(
        "The price: a list of {} entries. The times include a neutral value at the other end and compare settings; the formats' own speed is in the tables of times",
        first.entries
    ))
    .words("format")
    .numbers("payload", "bytes/entry")
    .numbers("write", "ns/entry")
    .numbers("read", "ns/entry")
    .words("changes never silent")
    .words("what it is");
    for price in &matrix.prices {
        table.row(
            Mark::Plain,
            vec![
                Cell::text(price.format.as_str()),
                Cell::number(each(price)),
                Cell::number(price.write_nanoseconds),
                Cell::number(price.read_nanoseconds),
                Cell::text(format!("{} of {}", price.never_silent, price.changes)),
                Cell::text(price.note.as_str()),
            ],
        );
    }
    vec![Block::Heading("The price of evolvability".into()), Block::Figure(figure), Block::Table(table)]
}

fn differences(matrix: &Matrix) -> Vec<Block> {
    let mut table = Table::new("“?” was inferred and not documented")
        .words("cell")
        .words("change")
        .words("documented")
        .words("measured")
        .words("values");
    for cell in matrix.cells.iter().filter(|cell| cell.differs) {
        let EvolutionVerdict::Ran { letter, values, with_worst, .. } = &cell.verdict else { continue };
        let documented = cell.documented.clone().unwrap_or_default();
        let measured = Cell::text(Text::default().outcome(letter.to_string()));
        let share = Cell::text(format!("{with_worst}/{values}"));
        table
            .row(Mark::Plain, vec![Cell::text(cell.id.as_str()), Cell::text(cell.title.as_str()), Cell::text(documented), measured, share]);
    }
    if table.rows.is_empty() {
        return Vec::new();
    }
    let summary = format!("Documented against measured: {} that differ", plural(table.rows.len(), "cell"));
    vec![Block::Fold { summary, blocks: vec![Block::Table(table)] }]
}

fn details(matrix: &Matrix, number: u8) -> Vec<Block> {
    let cells: Vec<&Evolution> = matrix.cells.iter().copied().filter(|cell| cell.number == number).collect();
    let mut blocks = Vec::new();
    if let Some(first) = cells.first() {
        blocks.push(Block::prose(format!("Intended: {}.", first.intent)));
    }
    let mut table =
        Table::new("The worst of each cell").words("cell").words("worst").words("values").words("documented").words("for example");
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    for cell in &cells {
        let (worst, share, example) = match &cell.verdict {
            EvolutionVerdict::NotApplicable { reason } => {
                match reasons.iter_mut().find(|(other, _)| other == reason) {
                    Some((_, formats)) => formats.push(&cell.format),
                    None => reasons.push((reason, vec![&cell.format])),
                }
                continue;
            }
            EvolutionVerdict::Failed { reason } => ("failed".to_owned(), String::new(), reason.clone()),
            EvolutionVerdict::Ran { worst, values, with_worst, hop, example, .. } => {
                let text = match example {
                    Some(example) if example.error.is_some() => example.error.clone().unwrap_or_default(),
                    Some(example) if worst != "exact" => format!("{}: {} for {}", example.field, example.got, example.expected),
                    _ => String::new(),
                };
                let worst = hop.as_ref().map_or_else(|| worst.clone(), |hop| format!("{worst}, {hop}"));
                (worst, format!("{with_worst}/{values}"), text.lines().next().unwrap_or_default().chars().take(140).collect())
            }
        };
        let documented = cell.documented.clone().unwrap_or_default();
        table.row(Mark::Plain, [cell.id.clone(), worst, share, documented, example].map(Cell::text).into());
    }
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    for (reason, mut formats) in reasons {
        formats.dedup();
        blocks.push(Block::prose(format!("Does not apply to {}: {reason}.", formats.join(", "))));
    }
    for cell in cells {
        if let EvolutionVerdict::Ran { witness: Some(witness), .. } = &cell.verdict {
            let summary = format!("{}: {} silently wrong, {}", cell.id, plural(witness.payload.len() / 2, "byte"), cell.format);
            let rule = cell.rule.as_deref().unwrap_or_default();
            let text = format!("{}\n# wirewise evolve {}", witness.dump(), cell.id);
            blocks.push(Block::Fold { summary, blocks: vec![Block::prose(format!("The rule: {rule}.")), Block::Code(text)] });
        }
    }
    blocks
}
