//! The cells, and running them: change × setting × direction, each at four positions with many values.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::str::FromStr;

use super::change::{Change, Direction, Position, Side};
use super::formats::{Adapter, Setting, place};
use super::oracle::{Judgement, Rules, judge};
use super::outcome::{Hop, Outcome};
use super::sample::Sampler;
use super::value::{EDITED, Unwritable, Value};
use super::{change_numbered, changes, documented, witness};
use crate::payload::Payload;
use crate::record::{Evolution, EvolutionExample, EvolutionPosition, EvolutionVerdict};

/// The values of a cell at each position.
pub const VALUES: usize = 64;

/// What all values come from.
pub const SEED: u64 = 20_260_712;

/// The elements of a list that an entry stands in: the one in the middle is the one of the value's class.
const ELEMENTS: usize = 3;

/// A cell's name: `EVO-R-01-fwd` is rkyv, change 1, forward. The letter is the format's, small letters behind it the setting's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CellId {
    /// The format and setting.
    pub setting: Setting,
    /// The change's number.
    pub number: u8,
    /// Who writes and who reads.
    pub direction: Direction,
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EVO-{}-{:02}-{}", self.setting.letter(), self.number, self.direction.suffix())
    }
}

/// A text that is no cell's name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no cell; a cell is named as in EVO-R-01-fwd")]
pub struct UnknownCell(String);

impl FromStr for CellId {
    type Err = UnknownCell;

    fn from_str(text: &str) -> Result<Self, UnknownCell> {
        let mut parts = text.split('-');
        let mut find = || {
            if !parts.next()?.eq_ignore_ascii_case("EVO") {
                return None;
            }
            let letter = parts.next()?;
            let setting = Setting::ALL.iter().copied().find(|setting| setting.letter().eq_ignore_ascii_case(letter))?;
            let number = change_numbered(parts.next()?.parse().ok()?)?.number;
            let suffix = parts.next()?;
            let direction = Direction::ALL.into_iter().find(|direction| direction.suffix() == suffix)?;
            parts.next().is_none().then_some(Self { setting, number, direction })
        };
        find().ok_or_else(|| UnknownCell(text.to_owned()))
    }
}

/// Every cell, in the order of the changes.
pub fn cells() -> Vec<CellId> {
    let all = changes().iter().flat_map(|change| {
        Setting::ALL
            .iter()
            .flat_map(move |&setting| Direction::ALL.into_iter().map(move |direction| CellId { setting, number: change.number, direction }))
    });
    all.collect()
}

/// A cell that can be run.
pub(super) struct Cell {
    pub(super) id: CellId,
    pub(super) change: &'static Change,
    adapters: [Adapter; 2],
}

/// What came of one value.
pub(super) struct Attempt {
    pub(super) bytes: Vec<u8>,
    pub(super) judgement: Judgement,
    /// The library's words, where it refused the whole.
    pub(super) error: Option<String>,
}

impl Cell {
    pub(super) fn new(id: CellId) -> Result<Self, &'static str> {
        let change = change_numbered(id.number).ok_or("no such change")?;
        Ok(Self { id, change, adapters: change.adapters(id.setting)? })
    }

    fn adapter(&self, side: Side) -> &Adapter {
        &self.adapters[side as usize]
    }

    /// The bytes of a writer's value.
    pub(super) fn write(&self, position: Position, value: &Value) -> Result<Vec<u8>, Unwritable> {
        (self.adapter(self.id.direction.writer()).write)(position, value)
    }

    /// Writes, has the other side read (on a hop: edit, write, and the writer read), and judges.
    pub(super) fn attempt(&self, position: Position, value: &Value) -> Result<Attempt, Unwritable> {
        let bytes = self.write(position, value)?;
        let outcome = catch_unwind(AssertUnwindSafe(|| self.read(position, value, &bytes)));
        let (judgement, error) = outcome.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().cloned().or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
            (whole(Outcome::Crash, value), Some(format!("panicked: {}", text.unwrap_or_default())))
        });
        Ok(Attempt { bytes, judgement, error })
    }

    fn read(&self, position: Position, value: &Value, bytes: &[u8]) -> (Judgement, Option<String>) {
        let (writer, reader) = (self.id.direction.writer(), self.id.direction.reader());
        let mut expected = value.clone();
        let mut payload = Payload::from(bytes);
        if self.id.direction == Direction::Hop {
            match (self.adapter(Side::Old).edit)(position, &payload) {
                Ok(edited) => payload = Payload::from(edited),
                Err(error) => return (whole(Outcome::MessageError, value), Some(format!("the old program: {error}"))),
            }
            expected = self.edited(position, &expected);
        }
        let reading = match (self.adapter(reader).read)(position, &payload) {
            Ok(reading) => reading,
            Err(error) => return (whole(Outcome::MessageError, value), Some(error)),
        };
        // A reader that goes by the payload's version reads it with the writer's schema: what is done with an old value then is plain code.
        let by = reading.by.unwrap_or(reader);
        if by != writer {
            let translate = self.change.translate;
            expected = each_entry(position, &expected, &|entry| translate(entry.clone(), writer));
        }
        let defaults = around(position, (self.change.defaults[by as usize])());
        let rules = Rules {
            fills: self.id.setting.fills(),
            defaults: &defaults,
            tells_absence: self.change.tells_absence,
            moves_default: self.change.moves_default && by != writer,
        };
        (judge(&rules, &expected, &reading.value), None)
    }

    /// The value after the old program's edit, as far as the new schema has the field that it edits.
    fn edited(&self, position: Position, value: &Value) -> Value {
        let Value::Record(old) = (self.change.defaults[Side::Old as usize])() else { return value.clone() };
        let Some((edited, _)) = old.first() else { return value.clone() };
        each_entry(position, value, &|entry| match entry {
            Value::Record(fields) => {
                let edit =
                    |(name, value): &(&'static str, Value)| (*name, if name == edited { Value::Int(EDITED.into()) } else { value.clone() });
                Value::Record(fields.iter().map(edit).collect())
            }
            other => other.clone(),
        })
    }

    /// Whether a value is one that the writer's own types have.
    pub(super) fn has(&self, position: Position, value: &Value) -> bool {
        let held = std::cell::Cell::new(true);
        each_entry(position, value, &|entry| {
            held.set(held.get() && (self.change.holds[self.id.direction.writer() as usize])(entry));
            Value::Absent
        });
        held.get()
    }

    /// The values that the cell's writer writes at a position.
    pub(super) fn values(&self, position: Position) -> impl Iterator<Item = Value> + '_ {
        (0..VALUES).map(move |index| {
            let draw = |extra: usize| {
                let seed = SEED ^ u64::from(self.id.number) << 8 ^ position as u64 ^ (extra as u64) << 40;
                let index = if extra == 0 { index } else { index + VALUES };
                (self.change.sample[self.id.direction.writer() as usize])(&mut Sampler::new(seed, index))
            };
            match position {
                Position::Root => draw(0),
                Position::Nested => held(position, draw(0)),
                Position::Element => held(position, Value::List((0..ELEMENTS).map(|place| draw([1, 0, 2][place])).collect())),
                Position::Payload => held(position, Value::Variant("held".into(), Some(Box::new(draw(0))))),
            }
        })
    }
}

/// A judgement of the whole.
fn whole(outcome: Outcome, value: &Value) -> Judgement {
    Judgement { outcome, field: String::new(), expected: value.clone(), got: Value::Absent }
}

fn held(position: Position, inner: Value) -> Value {
    let after = Value::Text("after".into());
    Value::Record(vec![("before", Value::Int(0xB4B4)), (place(position), inner), ("after", after)])
}

/// The reader's defaults of an entry where the position has it.
fn around(position: Position, entry: Value) -> Value {
    let inner = match position {
        Position::Root => return entry,
        Position::Nested => entry,
        Position::Element => Value::List(vec![entry]),
        Position::Payload => Value::Variant("held".into(), Some(Box::new(entry))),
    };
    Value::Record(vec![(place(position), inner)])
}

/// The value with every entry in it changed.
pub(super) fn each_entry(position: Position, value: &Value, change: &dyn Fn(&Value) -> Value) -> Value {
    if position == Position::Root {
        return change(value);
    }
    let Value::Record(fields) = value else { return value.clone() };
    let inner = |value: &Value| match value {
        Value::List(entries) => Value::List(entries.iter().map(change).collect()),
        Value::Variant(name, Some(entry)) => Value::Variant(name.clone(), Some(Box::new(change(entry)))),
        entry => change(entry),
    };
    let field = |(name, value): &(&'static str, Value)| (*name, if *name == place(position) { inner(value) } else { value.clone() });
    Value::Record(fields.iter().map(field).collect())
}

/// Runs a cell with all its values, and finds the witness of what is silent in it.
pub fn run(id: CellId) -> Evolution {
    let verdict = match Cell::new(id) {
        Ok(cell) => run_cell(&cell),
        Err(reason) => EvolutionVerdict::NotApplicable { reason: reason.to_owned() },
    };
    record(id, verdict)
}

/// What a cell comes to that could not be run to its end.
pub fn crashed(id: CellId, how: &str) -> Evolution {
    record(
        id,
        EvolutionVerdict::Ran {
            worst: Outcome::Crash.name().into(),
            letter: Outcome::Crash.letter(),
            hop: None,
            values: 1,
            with_worst: 1,
            silent: 0,
            unwritable: 0,
            positions: Vec::new(),
            example: Some(Box::new(EvolutionExample { error: Some(how.to_owned()), ..EvolutionExample::default() })),
            witness: None,
        },
    )
}

fn record(id: CellId, verdict: EvolutionVerdict) -> Evolution {
    let change = change_numbered(id.number);
    let documented = documented::documented(id.number, id.setting, id.direction);
    let worst = match &verdict {
        EvolutionVerdict::Ran { worst, .. } => Outcome::ALL.into_iter().find(|outcome| outcome.name() == worst),
        _ => None,
    };
    Evolution {
        id: id.to_string(),
        number: id.number,
        change: change.map_or("", |change| change.name).to_owned(),
        title: change.map_or("", |change| change.title).to_owned(),
        intent: change.map_or("", |change| change.intent).to_owned(),
        rule: Some(documented::rule(id.setting.format()).to_owned()).filter(|_| matches!(verdict, EvolutionVerdict::Ran { .. })),
        format: id.setting.name().to_owned(),
        direction: id.direction.to_string(),
        documented: documented.map(str::to_owned),
        differs: documented.zip(worst).is_some_and(|(documented, worst)| !documented::agrees(documented, worst)),
        verdict,
    }
}

fn run_cell(cell: &Cell) -> EvolutionVerdict {
    let mut total = [0_u32; Outcome::ALL.len()];
    let mut unwritable = 0;
    let mut worst: Option<(Position, Attempt)> = None;
    let mut silent: Option<(Position, Value, usize)> = None;
    let mut positions = Vec::new();
    for position in Position::ALL {
        let mut counts = [0_u32; Outcome::ALL.len()];
        for value in cell.values(position) {
            let Ok(attempt) = cell.attempt(position, &value) else {
                unwritable += 1;
                continue;
            };
            let outcome = attempt.judgement.outcome;
            counts[outcome as usize] += 1;
            if outcome.is_silent() && silent.as_ref().is_none_or(|(_, _, least)| attempt.bytes.len() < *least) {
                silent = Some((position, value, attempt.bytes.len()));
            }
            if worst.as_ref().is_none_or(|(_, other)| outcome > other.judgement.outcome) {
                worst = Some((position, attempt));
            }
        }
        let seen = Outcome::ALL.into_iter().filter(|outcome| counts[*outcome as usize] > 0);
        positions.push(EvolutionPosition {
            position: position.name().into(),
            outcomes: seen.map(|outcome| (outcome.name().to_owned(), counts[outcome as usize])).collect(),
        });
        total.iter_mut().zip(counts).for_each(|(total, count)| *total += count);
    }
    let Some((position, attempt)) = worst else {
        return EvolutionVerdict::Failed { reason: "the writer's types hold none of the values".into() };
    };
    let outcome = attempt.judgement.outcome;
    EvolutionVerdict::Ran {
        worst: outcome.name().into(),
        letter: outcome.letter(),
        hop: (cell.id.direction == Direction::Hop).then(|| Hop::of(outcome).name().to_owned()),
        values: total.iter().sum(),
        with_worst: total[outcome as usize],
        silent: Outcome::ALL.into_iter().filter(|outcome| outcome.is_silent()).map(|outcome| total[outcome as usize]).sum(),
        unwritable,
        positions,
        example: Some(Box::new(EvolutionExample {
            position: position.name().into(),
            field: attempt.judgement.field,
            expected: shortened(&attempt.judgement.expected),
            got: shortened(&attempt.judgement.got),
            error: attempt.error,
        })),
        witness: silent.map(|(position, value, _)| Box::new(witness::find(cell, position, value))),
    }
}

/// A value as text, without the middle of what is long.
pub(super) fn shortened(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 200 {
        return text;
    }
    let start: String = text.chars().take(190).collect();
    format!("{start}…")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells_come_back() {
        for cell in cells() {
            assert_eq!(cell.to_string().parse(), Ok(cell));
        }
        for wrong in ["", "EVO-R-01", "EVO-R-99-fwd", "EVO-Z-01-fwd", "EVO-R-01-fwd-x", "R-01-fwd"] {
            assert!(wrong.parse::<CellId>().is_err(), "{wrong}");
        }
    }
}
