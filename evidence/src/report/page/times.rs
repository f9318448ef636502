//! The tables of times. Each is described below as data; one function makes them all.

use super::super::document::Block;
use super::super::model::{Group, Reading};
use super::super::ranking::{Entry, Ranking, ratio};
use super::super::table::{Cell, Missing, Table};
use super::{add_floors, join, mark};
use crate::case::NATIVE;
use crate::choice::Way;
use crate::operation::Operation;

/// A table of times.
struct Timing {
    title: &'static str,
    about: &'static str,
    unit: Unit,
    /// The columns behind the format's name; the table is sorted by the first.
    columns: &'static [Column],
    /// What the native value does by itself, as a floor of this table.
    native: Option<Operation>,
}

/// What a time is shown in.
#[derive(Clone, Copy)]
enum Unit {
    Member,
    /// Microseconds in all: for an operation that does not touch every member.
    InAll,
}

/// A column of a table of times.
struct Column {
    name: &'static str,
    measure: Measure,
    show: Show,
}

/// What is looked up for a format.
#[derive(Clone, Copy)]
enum Measure {
    Time(Operation),
    /// Two operations, one after the other.
    Both(Operation, Operation),
    Read(Way),
    /// The fastest of the safe ways to read everything.
    Fastest,
}

/// What is shown of it.
enum Show {
    Interval,
    Ratio(Floor),
    Throughput,
    /// Which way was the fastest.
    Way,
    /// When access validates.
    Validation,
}

/// What a time is divided by.
enum Floor {
    /// An operation on the format's own payload.
    Own(Operation),
    /// An operation on the native value.
    Native(Operation),
}

const fn interval(name: &'static str, measure: Measure) -> Column {
    Column { name, measure, show: Show::Interval }
}

const fn over(name: &'static str, measure: Measure, floor: Floor) -> Column {
    Column { name, measure, show: Show::Ratio(floor) }
}

const fn throughput(measure: Measure) -> Column {
    Column { name: "throughput", measure, show: Show::Throughput }
}

const fn time(operation: Operation) -> Measure {
    Measure::Time(operation)
}

const MEMCPY: Column = interval("memcpy of its payload", time(Operation::Copy));
const SCAN: Column = interval("scan of its payload", time(Operation::Scan));
const VALIDATION: Column = Column { name: "access validates", measure: time(Operation::Access), show: Show::Validation };

const TABLES: [Timing; 6] = [
    Timing {
        title: "Encode",
        about: "From the native value to bytes. A format with messages of its own is shown both ways: from the native value (populate \
                and encode), and from its message alone",
        unit: Unit::Member,
        columns: &[
            interval("encode, reused sink", time(Operation::Encode)),
            over("× memcpy", time(Operation::Encode), Floor::Own(Operation::Copy)),
            throughput(time(Operation::Encode)),
            interval("encode, fresh sink", time(Operation::EncodeFresh)),
            interval("populate", time(Operation::Populate)),
            interval("encode from message", time(Operation::EncodeMessage)),
            MEMCPY,
        ],
        native: None,
    },
    Timing {
        title: "Decode",
        about: "From bytes to the native value. The drop is timed apart",
        unit: Unit::Member,
        columns: &[
            interval("decode", time(Operation::Decode)),
            over("× clone", time(Operation::Decode), Floor::Native(Operation::Clone)),
            throughput(time(Operation::Decode)),
            interval("drop", time(Operation::Drop)),
            interval("decode + drop", Measure::Both(Operation::Decode, Operation::Drop)),
            interval("decode into a used value", time(Operation::DecodeInto)),
            interval("decode to message", time(Operation::DecodeMessage)),
            interval("convert", time(Operation::Convert)),
            MEMCPY,
        ],
        native: None,
    },
    Timing {
        title: "Read everything once",
        about: "Every field of every member read, in each way that the format has. Sorted by the fastest way that is safe for any payload",
        unit: Unit::Member,
        columns: &[
            interval("fastest safe way", Measure::Fastest),
            Column { name: "which is", measure: Measure::Fastest, show: Show::Way },
            over("× scan", Measure::Fastest, Floor::Own(Operation::Scan)),
            throughput(Measure::Fastest),
            interval("decode + read", Measure::Read(Way::Decode)),
            interval("borrow alone", time(Operation::Borrow)),
            interval("borrow + read", Measure::Read(Way::Borrow)),
            VALIDATION,
            interval("access alone", time(Operation::Access)),
            interval("access + read", Measure::Read(Way::Access)),
            interval("unvalidated access alone", time(Operation::AccessUnchecked)),
            interval("unvalidated access + read", Measure::Read(Way::Unchecked)),
            SCAN,
        ],
        native: Some(Operation::ReadAll),
    },
    Timing {
        title: "Read one field of all members",
        about: "Access included: what access validates upfront is paid here as well",
        unit: Unit::Member,
        columns: &[
            interval("read field", time(Operation::ReadField)),
            over("× native", time(Operation::ReadField), Floor::Native(Operation::ReadField)),
            throughput(time(Operation::ReadField)),
            interval("unvalidated", time(Operation::ReadFieldUnchecked)),
            VALIDATION,
            SCAN,
        ],
        native: Some(Operation::ReadField),
    },
    Timing {
        title: "Read 1,000 members at random positions",
        about: "Access included, in microseconds for all 1,000: what access validates upfront, it validates of the whole payload",
        unit: Unit::InAll,
        columns: &[
            interval("read random", time(Operation::ReadRandom)),
            over("× native", time(Operation::ReadRandom), Floor::Native(Operation::ReadRandom)),
            interval("unvalidated", time(Operation::ReadRandomUnchecked)),
            VALIDATION,
            SCAN,
        ],
        native: Some(Operation::ReadRandom),
    },
    Timing {
        title: "Update in place",
        about: "One fixed-size field of every member changed in the payload's bytes",
        unit: Unit::Member,
        columns: &[
            interval("update", time(Operation::Update)),
            over("× memcpy", time(Operation::Update), Floor::Own(Operation::Copy)),
            throughput(time(Operation::Update)),
            MEMCPY,
        ],
        native: None,
    },
];

pub(super) fn blocks(group: &Group) -> Vec<Block> {
    let with_heading = |timing: &Timing| Some([Block::Heading(timing.title.into()), Block::Table(timing.table(group)?)]);
    TABLES.iter().filter_map(with_heading).flatten().collect()
}

impl Unit {
    fn factor(self, group: &Group) -> f64 {
        match self {
            Self::Member => group.per_member(),
            Self::InAll => 1e-3,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Member => "ns/member",
            Self::InAll => "µs",
        }
    }
}

impl Timing {
    /// The table; nothing where no format has anything to show.
    fn table(&self, group: &Group) -> Option<Table> {
        let main = self.columns[0].measure;
        let able = |format: &&str| self.own_measures().any(|measure| measure.reading(group, format) != Reading::Absent);
        let seen =
            |format: &&str| self.own_measures().any(|measure| !matches!(measure.reading(group, format), Reading::Absent | Reading::NotRun));
        let (able, unable): (Vec<&str>, Vec<&str>) = group.formats.iter().copied().partition(able);
        if !able.iter().any(seen) {
            return None;
        }
        let entry = |format: &&str| {
            Some(Entry { label: (*format).to_owned(), ours: group.is_ours(format), value: main.reading(group, format).measured()? })
        };
        let ranking = Ranking::of(able.iter().filter_map(entry).collect(), group.tie_threshold());
        let mut table = self.head();
        add_floors(&mut table, group, self.native, 1, self.unit.factor(group));
        for format in able {
            let cells = std::iter::once(Cell::text(format)).chain(self.columns.iter().map(|column| column.cell(group, format, self.unit)));
            table.row(mark(ranking.as_ref(), format, main.reading(group, format)), cells.collect());
        }
        table.sort_by(1);
        self.add_notes(group, &unable, &mut table);
        Some(table)
    }

    /// What the table is about, its floors apart: a format that has none of these has no row.
    fn own_measures(&self) -> impl Iterator<Item = Measure> {
        let intervals = self.columns.iter().filter(|column| matches!(column.show, Show::Interval));
        intervals.map(|column| column.measure).filter(|measure| !matches!(measure, Measure::Time(Operation::Copy | Operation::Scan)))
    }

    fn head(&self) -> Table {
        self.columns.iter().fold(Table::new(self.about).words("format"), |table, column| match column.show {
            Show::Interval => table.intervals(column.name, self.unit.name()),
            Show::Ratio(_) => table.ratios(column.name),
            Show::Throughput => table.numbers(column.name, "M members/s"),
            Show::Way | Show::Validation => table.words(column.name),
        })
    }

    fn add_notes(&self, group: &Group, unable: &[&str], table: &mut Table) {
        let mut operations: Vec<Operation> = self.columns.iter().flat_map(|column| column.measure.operations()).collect();
        operations.sort_unstable();
        operations.dedup();
        table.notes.extend(group.reasons(&operations).into_iter().map(Into::into));
        if !unable.is_empty() {
            table.notes.push(format!("No such operation at all: {}.", join(unable, "and")).into());
        }
    }
}

impl Measure {
    fn reading<'r>(self, group: &Group<'r>, format: &str) -> Reading<'r> {
        match self {
            Self::Time(operation) => group.reading(operation, format),
            Self::Both(one, other) => group.reading(one, format).then(group.reading(other, format)),
            Self::Read(way) => group.read_all(format, way),
            Self::Fastest => match group.fastest_way(format) {
                Some((_, summary)) => Reading::Measured(summary),
                // Without any figure, what went wrong with one of the ways says more than that another does not exist.
                None => {
                    let readings = Way::SAFE.map(|way| group.read_all(format, way));
                    readings.into_iter().max_by_key(|reading| reading.missing()).unwrap_or(Reading::Absent)
                }
            },
        }
    }

    fn operations(self) -> Vec<Operation> {
        match self {
            Self::Time(operation) => vec![operation],
            Self::Both(one, other) => vec![one, other],
            Self::Read(way) => vec![way.reads_all()],
            Self::Fastest => Vec::new(),
        }
    }
}

impl Column {
    fn cell(&self, group: &Group, format: &str, unit: Unit) -> Cell {
        let reading = self.measure.reading(group, format);
        match &self.show {
            Show::Interval => reading.cell(unit.factor(group)),
            Show::Way => Cell::text(group.fastest_way(format).map_or("", |(way, _)| way.label())),
            Show::Validation => match group.row(format).and_then(|row| row.validation.as_deref()) {
                Some(validation) => Cell::text(validation.replace('-', " ")),
                None => Cell::missing(Missing::Absent),
            },
            Show::Ratio(floor) => derived(reading, floor.reading(group, format), |time, floor| ratio(&time, &floor)),
            // Members a nanosecond are a thousand million members a second.
            Show::Throughput => derived(reading, reading, |time, _| group.spec.members as f64 / time.median * 1e3),
        }
    }
}

impl Floor {
    fn reading<'r>(&self, group: &Group<'r>, format: &str) -> Reading<'r> {
        match self {
            Self::Own(operation) => group.reading(*operation, format),
            Self::Native(operation) => group.reading(*operation, NATIVE),
        }
    }
}

/// A figure computed from two others. What is missing is told where the figures stand; only what does not exist is told again.
fn derived(one: Reading, other: Reading, compute: impl Fn(crate::statistics::Summary, crate::statistics::Summary) -> f64) -> Cell {
    match (one, other) {
        (Reading::Measured(one), Reading::Measured(other)) => Cell::number(compute(one, other)),
        (Reading::Absent, _) => Cell::missing(Missing::Absent),
        _ => Cell::empty(),
    }
}
