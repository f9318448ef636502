//! Opening a payload and reading from it: from how many passes on decoding once is cheaper, and what a member costs at every count.

use std::collections::BTreeMap;

use super::super::chart::{Chart, Dots, Figure};
use super::super::document::{Block, Section};
use super::super::model::{Group, exact, opening, opening_failure, passes, reading};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, plural, slug};
use crate::case::{Field, MESSAGES, NATIVE};
use crate::choice::Way;
use crate::operation::Operation;
use crate::record::{Order, PassesTime, Reading};
use crate::statistics::Summary;

/// The ways to open a payload, and what they are called with the reading that follows.
const WAYS: [(Operation, &str); 4] = [
    (Operation::Decode, "decode, then read"),
    (Operation::Borrow, "borrow, then read"),
    (Operation::Access, "access, then read"),
    (Operation::AccessUnchecked, "unvalidated access, then read"),
];

/// Many small messages: what a fixed cost is when it comes anew with each.
const MANY: [(&str, Operation); 3] = [
    ("encode, 1,000 messages in turn", Operation::EncodeMany),
    ("decode, 1,000 messages in turn", Operation::DecodeMany),
    ("read everything, 1,000 messages in turn", Operation::ReadAllMany),
];

/// A count table needs so many counts to say anything.
const LEAST_COUNTS: usize = 4;
/// Where the cost a member is held against: large enough that fixed costs are gone, small enough for a core's own cache.
const SMALL: usize = 10_000;

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    for group in &page.groups {
        let atlas = Atlas::of(group);
        if !atlas.opens.is_empty() {
            blocks.push(Block::Heading(format!("Break-even points: {}", page.heading(group))));
            blocks.extend(atlas.blocks(page, group));
        }
    }
    blocks.extend(counts(page));
    (!blocks.is_empty()).then(|| Section::new("crossovers", "Decode once or access in place", blocks))
}

/// The medians of a group's openings and readings.
struct Atlas<'r> {
    opens: BTreeMap<(&'r str, Operation), f64>,
    reads: BTreeMap<(&'r str, Operation, Reading), Summary>,
    formats: Vec<&'r str>,
}

/// What a way costs to open, and to read in each pass.
#[derive(Debug, Clone, Copy)]
struct Cost {
    open: f64,
    read: Summary,
}

impl Cost {
    fn of_one_pass(&self) -> f64 {
        self.open + self.read.median
    }
}

/// From how many passes on decoding once costs less.
#[derive(Debug, Clone, Copy, PartialEq)]
enum BreakEven {
    /// From the first.
    Always,
    /// From this number on; a number of passes is whole, the point need not be.
    From(f64),
    /// Up to this number, and no longer.
    UpTo(f64),
    /// For no number.
    Never,
}

impl BreakEven {
    /// Of one way against another. Readings whose intervals overlap count as equal: then it is the opening that decides.
    fn of(one: Cost, other: Cost) -> Self {
        let passes = (one.open - other.open) / (other.read.median - one.read.median);
        let (first, other_first) = (one.open + one.read.median, other.open + other.read.median);
        if one.read.overlaps(&other.read) {
            return if one.open < other.open { Self::Always } else { Self::Never };
        }
        match (one.read.median < other.read.median, first < other_first) {
            (true, true) => Self::Always,
            (true, false) => Self::From(passes),
            (false, true) => Self::UpTo(passes),
            (false, false) => Self::Never,
        }
    }

    fn cell(self) -> Cell {
        match self {
            Self::Always => Cell::text("from the first"),
            Self::From(passes) => Cell::printed(number::count(passes.ceil() as u64), "passes on"),
            Self::UpTo(passes) => Cell::printed(number::count(passes.floor() as u64), "passes at most"),
            Self::Never => Cell::text("never"),
        }
    }
}

impl<'r> Atlas<'r> {
    fn of(group: &Group<'r>) -> Self {
        let median = |samples: &[f64]| Summary::of(samples).map(|summary| summary.median);
        let opens: BTreeMap<_, _> =
            group.most(opening).filter_map(|time| Some(((time.id.format.as_str(), time.id.opening), median(&time.samples)?))).collect();
        let reads = group
            .most(reading)
            .filter_map(|time| Some(((time.id.format.as_str(), time.id.opening, time.reading), Summary::of(&time.samples)?)))
            .collect();
        let mut formats: Vec<&str> = group.formats.clone();
        formats.retain(|format| opens.keys().any(|(known, _)| known == format));
        // A run of nothing but openings has no other cells that tell the formats.
        for (format, _) in opens.keys() {
            if !formats.contains(format) {
                formats.push(format);
            }
        }
        Self { opens, reads, formats }
    }

    fn cost(&self, format: &'r str, way: Operation, reading: Reading) -> Option<Cost> {
        Some(Cost { open: *self.opens.get(&(format, way))?, read: *self.reads.get(&(format, way, reading))? })
    }

    fn readings(&self, order: Order, field: Field) -> Vec<Reading> {
        let mut readings: Vec<Reading> = self.reads.keys().map(|(_, _, reading)| *reading).collect();
        // One member has no order, and stands in both.
        readings.retain(|reading| reading.field == field && (reading.order == order || reading.members_read == 1));
        readings.sort_unstable();
        readings.dedup();
        readings
    }

    fn blocks(&self, page: &Page, group: &Group<'r>) -> Vec<Block> {
        let mut blocks = vec![Block::prose(
            "The cost of so many passes is the cost to open the payload once and that of reading, so many times. Both were measured apart; \
             where two ways cross, decoding once becomes the cheaper of them. A number of passes holds for the payload in memory and trusts \
             the library's own validation: unvalidated access is for payloads of one's own.",
        )];
        blocks.extend(self.claims(group));
        blocks.push(Block::Table(self.table(group, Order::Sequential, Field::All)));
        let mut others = Vec::new();
        for (order, field) in [
            (Order::Random, Field::All),
            (Order::Sequential, Field::Number),
            (Order::Random, Field::Number),
            (Order::Sequential, Field::Text),
            (Order::Random, Field::Text),
        ] {
            others.push(Block::Table(self.table(group, order, field)));
        }
        blocks.push(Block::Fold { summary: "The same at random positions, and for one number or one string".to_owned(), blocks: others });
        blocks.extend(self.figure(page, group));
        blocks.extend(checks(group));
        blocks.extend(
            group
                .most(opening_failure)
                // Another run may have opened it.
                .filter(|failure| !self.opens.contains_key(&(failure.id.format.as_str(), failure.id.opening)))
                .map(|failure| Block::prose(format!("{} of {} failed: {}", failure.id.opening, failure.id.format, failure.error))),
        );
        blocks
    }

    fn table(&self, group: &Group, order: Order, field: Field) -> Table {
        let readings = self.readings(order, field);
        let words = format!("{}, {}", field_words(field), order_words(order));
        let mut table = Table::new(format!("From how many passes on decoding once costs less: {words}")).words("format").words("against");
        for reading in &readings {
            table = table.words(share(group, reading));
        }
        for format in &self.formats {
            for (way, name) in WAYS.iter().skip(1).filter(|(way, _)| self.opens.contains_key(&(*format, *way))) {
                let mut cells = vec![Cell::text(*format), Cell::text(*name)];
                cells.extend(readings.iter().map(|reading| {
                    let costs = self.cost(format, Operation::Decode, *reading).zip(self.cost(format, *way, *reading));
                    costs.map_or(Cell::text("–"), |(decode, other)| BreakEven::of(decode, other).cell())
                }));
                table.row(Mark::Plain, cells);
            }
        }
        table
    }

    /// The claims that one takes away: every field of everything, by the cheapest decoder there is, against each validated access.
    fn claims(&self, group: &Group<'r>) -> Option<Block> {
        let all = Reading { members_read: group.spec.members, order: Order::Sequential, field: Field::All };
        let decoders = self.formats.iter().filter_map(|format| Some((*format, self.cost(format, Operation::Decode, all)?)));
        let (fastest, cheapest) = decoders.min_by(|one, other| one.1.of_one_pass().total_cmp(&other.1.of_one_pass()))?;
        let mut claims = Vec::new();
        for format in &self.formats {
            let Some(access) = self.cost(format, Operation::Access, all) else { continue };
            let own = self.cost(format, Operation::Decode, all).map(|decode| BreakEven::of(decode, access));
            let claim = |who: String, point: BreakEven| match point {
                BreakEven::Always => Some(format!("{who} is cheaper from the first pass")),
                BreakEven::From(passes) => Some(format!("{who} is cheaper from {} passes on", number::count(passes.ceil() as u64))),
                BreakEven::UpTo(_) => None,
                BreakEven::Never => Some(format!("{who} is never cheaper")),
            };
            let own = own.and_then(|point| claim("decoding it once".to_owned(), point));
            let other =
                (fastest != *format).then(|| claim(format!("decoding {fastest} instead"), BreakEven::of(cheapest, access))).flatten();
            let said: Vec<String> = own.into_iter().chain(other).collect();
            if !said.is_empty() {
                claims.push(
                    format!("Against validated access to {format}, with every field of every member read: {}.", said.join("; ")).into(),
                );
            }
        }
        (!claims.is_empty()).then_some(Block::List(claims))
    }

    /// What one pass over so much costs, each way by the format that does it best.
    fn figure(&self, page: &Page, group: &Group<'r>) -> Option<Block> {
        let readings = self.readings(Order::Random, Field::All);
        let best = |way: Operation, reading: Reading| {
            let costs = self.formats.iter().filter_map(|format| self.cost(format, way, reading)).map(|cost| cost.of_one_pass());
            costs.min_by(f64::total_cmp).map(|cost| cost * 1e-3)
        };
        let rows = readings.iter().map(|reading| (share(group, reading), WAYS.map(|(way, _)| best(way, *reading)).to_vec())).collect();
        let heading = page.heading(group);
        (!readings.is_empty()).then(|| {
            Block::Figure(Figure {
                id: format!("cost-against-share-read-{}", slug(&heading)),
                title: format!("What one pass costs, against the share that is read: {heading}"),
                description: "A row for each share of the members, read at random positions with every field; a mark for each way to open \
                              the payload, by the format that does it best. Decoding costs the same however little is read; unvalidated \
                              access costs what is read."
                    .to_owned(),
                chart: Chart::Dots(Dots {
                    axis: "µs, opening and one pass".to_owned(),
                    series: WAYS.map(|(_, name)| name.to_owned()).to_vec(),
                    rows,
                    lines: Vec::new(),
                }),
            })
        })
    }
}

fn share(group: &Group, reading: &Reading) -> String {
    match reading.members_read {
        1 => "one member".to_owned(),
        all if all == group.spec.members => "all".to_owned(),
        part => format!("{} of the members", number::percent(part as f64 / group.spec.members.max(1) as f64)),
    }
}

fn field_words(field: Field) -> &'static str {
    match field {
        Field::Number => "one number of each member",
        Field::Text => "one string of each member",
        Field::All => "every field of each member",
    }
}

fn order_words(order: Order) -> &'static str {
    match order {
        Order::Sequential => "members one behind the other",
        Order::Random => "members at random positions",
    }
}

/// How far direct runs lie from what was foretold.
fn checks(group: &Group) -> Vec<Block> {
    let runs: Vec<(&PassesTime, f64)> =
        group.most(passes).filter_map(|run| Some((run, Summary::of(&run.samples)?.median / run.predicted - 1.0))).collect();
    let mut errors: Vec<f64> = runs.iter().map(|(_, error)| error.abs()).collect();
    errors.sort_by(f64::total_cmp);
    let at = |part: f64| errors.get(((errors.len() - 1) as f64 * part).round() as usize).copied().unwrap_or_default();
    if errors.is_empty() {
        return Vec::new();
    }
    let text = format!(
        "Checked by running it: {} of opening and passes together lie {} from the sum of their parts at the median, {} or less in nine of \
         ten, and {} at most.",
        plural(errors.len(), "run"),
        number::percent(at(0.5)),
        number::percent(at(0.9)),
        number::percent(at(1.0))
    );
    let mut table = Table::new("Foretold and measured: opening and so many passes")
        .words("format")
        .words("way")
        .words("read")
        .numbers("passes", "")
        .numbers("foretold", "µs")
        .intervals("measured", "µs")
        .numbers("measured ÷ foretold − 1", "%");
    for (run, error) in runs {
        let way = WAYS.iter().find(|(way, _)| *way == run.id.opening).map_or("", |(_, name)| *name);
        let read = format!("{}: {}, {}", share(group, &run.reading), field_words(run.reading.field), order_words(run.reading.order));
        let measured = Summary::of(&run.samples).unwrap_or_else(|| exact(0.0));
        let cells = vec![
            Cell::text(&run.id.format),
            Cell::text(way),
            Cell::text(read),
            Cell::count(run.passes.into()),
            Cell::number(run.predicted * 1e-3),
            Cell::interval(super::super::model::scaled(&measured, 1e-3)),
            Cell::number(error * 100.0),
        ];
        table.row(Mark::Plain, cells);
    }
    vec![Block::prose(text), Block::Fold { summary: "Every run that was foretold".to_owned(), blocks: vec![Block::Table(table)] }]
}

/// Nanoseconds a member at every count of a dataset that was measured at several.
fn counts(page: &Page) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (largest, groups) in page.leading() {
        let mut groups: Vec<&Group> = groups
            .into_iter()
            .chain([largest])
            .filter(|group| (&group.spec.variant, group.spec.seed) == (&largest.spec.variant, largest.spec.seed))
            .collect();
        groups.sort_by_key(|group| group.spec.members);
        if groups.len() >= LEAST_COUNTS {
            blocks.push(Block::Heading(format!("What a member costs at each count: {}", largest.dataset)));
            blocks.extend(of_counts(&groups));
        }
    }
    blocks
}

fn of_counts(groups: &[&Group]) -> Vec<Block> {
    let small = groups.iter().find(|group| group.spec.members >= SMALL);
    let largest = groups.last().filter(|group| small.is_some_and(|small| small.spec.members < group.spec.members));
    let mut table = Table::new(
        "Nanoseconds a member against the number of members: fixed costs on the left, what does not fit the caches on the right",
    )
    .words("operation")
    .words("format");
    for group in groups {
        table = table.numbers(plural(group.spec.members, "member"), "ns/member");
    }
    if let (Some(small), Some(largest)) = (small, largest) {
        table = table.ratios(format!("{} ÷ {}", number::count(largest.spec.members as u64), number::count(small.spec.members as u64)));
    }
    let mut formats: Vec<&str> = groups.iter().flat_map(|group| group.formats.iter().copied()).collect();
    formats.sort_unstable();
    formats.dedup();
    let floors = [("clone of the value", NATIVE, Operation::Clone), ("read of the value", NATIVE, Operation::ReadAll)];
    let mut add = |mark, name: &str, format: &str, figure: &dyn Fn(&Group) -> Option<f64>| {
        let figures: Vec<Option<f64>> = groups.iter().map(|group| Some(figure(group)? * group.per_member())).collect();
        if figures.iter().all(Option::is_none) {
            return;
        }
        let mut cells = vec![Cell::text(name), Cell::text(format)];
        cells.extend(figures.iter().map(|figure| Cell::number(*figure)));
        if let (Some(small), Some(largest)) = (small, largest) {
            cells.push(Cell::number(
                figure(largest).zip(figure(small)).map(|(large, little)| (large * largest.per_member()) / (little * small.per_member())),
            ));
        }
        table.row(mark, cells);
    };
    for (name, format, operation) in floors {
        add(Mark::Floor, name, format, &|group| Some(group.reading(operation, format).measured()?.median));
    }
    for (name, operation) in [("encode", Operation::Encode), ("decode", Operation::Decode)] {
        for format in &formats {
            add(Mark::Plain, name, format, &|group| Some(group.reading(operation, format).measured()?.median));
        }
    }
    for (name, operation) in MANY {
        for format in &formats {
            add(Mark::Plain, name, format, &|group| Some(group.reading(operation, format).measured()?.median / MESSAGES as f64));
        }
    }
    for format in &formats {
        let fastest =
            |group: &Group| Way::SAFE.iter().filter_map(|way| Some(group.read_all(format, *way).measured()?.median)).min_by(f64::total_cmp);
        add(Mark::Plain, "read everything, safely", format, &fastest);
    }
    let why = "Where a member costs more at the largest count, so does the clone of the value, which has no format in it: the dataset and the \
               payload no longer fit the caches, and the memory that a decoder asks for comes as fresh pages.";
    vec![Block::prose(why), Block::Table(table)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn break_even_points_are_told_from_always_and_never() {
        let cost = |open, read| Cost { open, read: Summary { median: read, low: read * 0.9, high: read * 1.1 } };
        for (decode, other, point) in [
            (cost(100.0, 1.0), cost(10.0, 10.0), BreakEven::From(10.0)),
            (cost(10.0, 1.0), cost(10.0, 10.0), BreakEven::Always),
            (cost(10.0, 10.0), cost(100.0, 1.0), BreakEven::UpTo(10.0)),
            (cost(100.0, 10.0), cost(10.0, 10.0), BreakEven::Never),
            (cost(100.0, 9.5), cost(10.0, 10.0), BreakEven::Never),
            (cost(10.0, 10.0), cost(100.0, 9.5), BreakEven::Always),
        ] {
            assert_eq!(BreakEven::of(decode, other), point, "{decode:?} {other:?}");
        }
    }
}
