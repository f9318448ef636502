//! Tables as data: columns that know what they hold, rows that know what they stand for.

use super::document::Text;
use super::number;
use crate::statistics::Summary;

/// A table.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Table {
    /// What the table shows, in one line.
    pub(crate) caption: Text,
    /// The columns; the first names the row.
    pub(crate) columns: Vec<Column>,
    /// The rows, as many cells each as there are columns.
    pub(crate) rows: Vec<Row>,
    /// Remarks below the table. What the signs in the cells mean is added by [`footnotes`](Self::footnotes).
    pub(crate) notes: Vec<Text>,
}

/// A column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    /// Its heading, without the unit.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) kind: Kind,
}

/// What a column holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Words, set flush left.
    Text,
    /// One number.
    Number {
        /// Its unit; empty for a count.
        unit: String,
    },
    /// One number divided by another.
    Ratio,
    /// A median with its interval.
    Interval {
        /// The unit of all three.
        unit: String,
    },
}

impl Kind {
    /// Whether the column is set flush right.
    pub(crate) fn is_numeric(&self) -> bool {
        *self != Self::Text
    }

    /// The unit, where there is one.
    pub(crate) fn unit(&self) -> Option<&str> {
        match self {
            Self::Number { unit } | Self::Interval { unit } if !unit.is_empty() => Some(unit),
            _ => None,
        }
    }
}

/// A row.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Row {
    /// What it stands for.
    pub(crate) mark: Mark,
    /// Its cells.
    pub(crate) cells: Vec<Cell>,
}

/// What a row stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// One of many.
    Plain,
    /// What no row can beat: memcpy, clone, scan.
    Floor,
    /// The best of the main column, by more than the noise.
    Winner,
    /// Among the best, and not to be told apart from them.
    Tie,
    /// Its main cell could not be measured.
    Failed,
}

impl Mark {
    /// The word that stands beside the row's name, so that a mark does not depend on colour.
    pub(crate) fn label(self) -> Option<&'static str> {
        match self {
            Self::Plain => None,
            Self::Floor => Some("floor"),
            Self::Winner => Some("first"),
            Self::Tie => Some("tie"),
            Self::Failed => Some("failed"),
        }
    }
}

/// A cell.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Cell {
    /// What it holds.
    pub(crate) value: Value,
    /// Whether it is the best of its column.
    pub(crate) best: bool,
}

/// What a cell holds.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    /// Nothing, where nothing belongs.
    Empty,
    /// Words.
    Text(Text),
    /// A number, printed to three digits.
    Number(f64),
    /// A whole number, printed in full.
    Count(u64),
    /// A median with its interval.
    Interval(Summary),
    /// A figure printed with a unit of its own, in a column whose rows differ in theirs.
    Printed {
        /// The figure.
        figure: String,
        /// What stands behind it: interval, unit.
        behind: String,
    },
    /// No figure, and why.
    Missing(Missing),
}

/// Why a cell holds no figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Missing {
    /// The format does not implement the operation.
    Absent,
    /// The run did not plan it.
    NotRun,
    /// It was planned and failed.
    Failed,
    /// Its time was below what memory needs.
    Rejected,
}

impl Missing {
    /// What stands in the cell.
    pub(crate) fn sign(self) -> &'static str {
        match self {
            Self::Absent => "–",
            Self::NotRun => "·",
            Self::Failed => "failed",
            Self::Rejected => "rejected: faster than memory",
        }
    }

    /// What the sign means; nothing where it says so itself.
    fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Absent => Some("“–”: the format has no such operation."),
            Self::NotRun => Some("“·”: not part of this run."),
            Self::Failed => None,
            Self::Rejected => Some(
                "“rejected”: the reading took less time than fetching the bytes of the data from memory does (scan of the smallest \
                 payload, scaled to the data's bytes, less 10\u{a0}%), so it cannot have read them all. Its figure is not published.",
            ),
        }
    }
}

/// A cell as it is printed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shown {
    /// Running text.
    Text(Text),
    /// A figure, and behind it its interval or its unit, which steps back.
    Figure(String, Option<String>),
    /// The sign of a missing figure.
    Sign(&'static str),
}

impl Cell {
    /// Nothing, where nothing belongs.
    pub(crate) fn empty() -> Self {
        Self::of(Value::Empty)
    }

    /// Words.
    pub(crate) fn text(text: impl Into<Text>) -> Self {
        Self::of(Value::Text(text.into()))
    }

    /// A number, printed to three digits; nothing where there is none.
    pub(crate) fn number(value: impl Into<Option<f64>>) -> Self {
        Self::of(value.into().map_or(Value::Empty, Value::Number))
    }

    /// A whole number, printed in full.
    pub(crate) fn count(value: u64) -> Self {
        Self::of(Value::Count(value))
    }

    /// A median with its interval.
    pub(crate) fn interval(summary: Summary) -> Self {
        Self::of(Value::Interval(summary))
    }

    /// A figure with a unit of its own.
    pub(crate) fn printed(figure: impl Into<String>, behind: impl Into<String>) -> Self {
        Self::of(Value::Printed { figure: figure.into(), behind: behind.into() })
    }

    /// No figure, and why.
    pub(crate) fn missing(why: Missing) -> Self {
        Self::of(Value::Missing(why))
    }

    fn of(value: Value) -> Self {
        Self { value, best: false }
    }

    /// The number that a table is sorted by.
    pub(crate) fn sort_key(&self) -> Option<f64> {
        match &self.value {
            Value::Number(value) => Some(*value),
            Value::Count(value) => Some(*value as f64),
            Value::Interval(summary) => Some(summary.median),
            Value::Empty | Value::Text(_) | Value::Printed { .. } | Value::Missing(_) => None,
        }
    }

    /// How it is printed, in every renderer.
    pub(crate) fn shown(&self) -> Shown {
        match &self.value {
            Value::Empty => Shown::Text(Text::default()),
            Value::Text(text) => Shown::Text(text.clone()),
            Value::Number(value) => Shown::Figure(number::figure(*value), None),
            Value::Count(value) => Shown::Figure(number::count(*value), None),
            Value::Interval(summary) => {
                let (median, range) = number::interval(summary);
                Shown::Figure(median, range)
            }
            Value::Printed { figure, behind } => Shown::Figure(figure.clone(), Some(behind.clone())),
            Value::Missing(why) => Shown::Sign(why.sign()),
        }
    }
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(caption: impl Into<Text>) -> Self {
        Self { caption: caption.into(), columns: Vec::new(), rows: Vec::new(), notes: Vec::new() }
    }

    /// Adds a column of words.
    pub(crate) fn words(self, name: impl Into<String>) -> Self {
        self.column(name, Kind::Text)
    }

    /// Adds a column of numbers.
    pub(crate) fn numbers(self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        self.column(name, Kind::Number { unit: unit.into() })
    }

    /// Adds a column of medians with intervals.
    pub(crate) fn intervals(self, name: impl Into<String>, unit: impl Into<String>) -> Self {
        self.column(name, Kind::Interval { unit: unit.into() })
    }

    /// Adds a column of ratios.
    pub(crate) fn ratios(self, name: impl Into<String>) -> Self {
        self.column(name, Kind::Ratio)
    }

    /// Adds a column.
    pub(crate) fn column(mut self, name: impl Into<String>, kind: Kind) -> Self {
        self.columns.push(Column { name: name.into(), kind });
        self
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, mark: Mark, cells: Vec<Cell>) {
        debug_assert_eq!(cells.len(), self.columns.len(), "a row of another width: {cells:?}");
        self.rows.push(Row { mark, cells });
    }

    /// Sorts by a column, ascending: floors first, then figures, then rows without a figure there, each in the order they had.
    pub(crate) fn sort_by(&mut self, column: usize) {
        let key = |row: &Row| (row.mark != Mark::Floor, row.cells[column].sort_key().unwrap_or(f64::INFINITY));
        self.rows.sort_by(|one, other| {
            let (one, other) = (key(one), key(other));
            // Floors keep the order in which they were given: it goes from bytes to values.
            one.0.cmp(&other.0).then_with(|| if one.0 { one.1.total_cmp(&other.1) } else { std::cmp::Ordering::Equal })
        });
    }

    /// Marks the least figure of a column, floors apart.
    pub(crate) fn mark_least(&mut self, column: usize) {
        let figures = || self.rows.iter().filter(|row| row.mark != Mark::Floor).filter_map(|row| row.cells[column].sort_key());
        let Some(least) = figures().min_by(f64::total_cmp) else { return };
        for row in self.rows.iter_mut().filter(|row| row.mark != Mark::Floor) {
            let cell = &mut row.cells[column];
            cell.best = cell.sort_key() == Some(least);
        }
    }

    /// The remarks, then the meaning of every sign that the cells use.
    pub(crate) fn footnotes(&self) -> Vec<Text> {
        let mut signs: Vec<Missing> = self.rows.iter().flat_map(|row| &row.cells).filter_map(missing).collect();
        signs.sort_unstable();
        signs.dedup();
        let meanings = signs.into_iter().filter_map(Missing::meaning).map(Text::from);
        self.notes.iter().cloned().chain(meanings).collect()
    }
}

fn missing(cell: &Cell) -> Option<Missing> {
    match cell.value {
        Value::Missing(why) => Some(why),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_first_then_figures_then_what_has_none() {
        let mut table = Table::new("").words("format").numbers("time", "ns");
        for (name, mark, cell) in [
            ("failed", Mark::Failed, Cell::missing(Missing::Failed)),
            ("slow", Mark::Plain, Cell::number(9.0)),
            ("clone", Mark::Floor, Cell::number(4.0)),
            ("quick", Mark::Winner, Cell::number(3.0)),
            ("read", Mark::Floor, Cell::number(1.0)),
        ] {
            table.row(mark, vec![Cell::text(name), cell]);
        }
        table.sort_by(1);
        table.mark_least(1);
        let names: Vec<Shown> = table.rows.iter().map(|row| row.cells[0].shown()).collect();
        assert_eq!(names, ["clone", "read", "quick", "slow", "failed"].map(|name| Shown::Text(name.into())));
        assert_eq!(table.rows.iter().map(|row| row.cells[1].best).collect::<Vec<_>>(), [false, false, true, false, false]);
    }

    #[test]
    fn only_signs_that_are_used_are_explained() {
        let mut table = Table::new("").words("format");
        table.row(Mark::Plain, vec![Cell::missing(Missing::Absent)]);
        table.row(Mark::Plain, vec![Cell::missing(Missing::Absent)]);
        table.notes.push("remark".into());
        assert_eq!(table.footnotes(), ["remark", "“–”: the format has no such operation."].map(Text::from));
    }
}
