//! Which value every field has to come out with, and what it means if it does not.
//!
//! A field is known by its logical name, whatever its name, number, place or type in a schema. The rules do not know any format, but for
//! what a format may put where nothing was written: see [`Fills`].

use super::outcome::Outcome;
use super::value::Value;

/// What a format puts where nothing was written.
///
/// A zero that a format without defaults returns was read from somewhere: it is a misreading, not a default.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fills {
    /// It never does.
    Nothing,
    /// Absence, where the type allows it.
    Absence,
    /// Zero and empty, or what the schema declares.
    Zero,
}

/// How a reading is judged.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// What the format puts where nothing was written.
    pub fills: Fills,
    /// The reader's own value where nothing was written, with its declared defaults.
    pub defaults: &'a Value,
    /// Absent, null and empty are three values.
    pub tells_absence: bool,
    /// The change is of a default: what was absent is not what it was, and a default is not what was written.
    pub moves_default: bool,
}

/// The worst of what came of a value's fields, and where.
#[derive(Debug, Clone, PartialEq)]
pub struct Judgement {
    /// The worst.
    pub outcome: Outcome,
    /// The field, with the names of those that it is in.
    pub field: String,
    /// What had to come out.
    pub expected: Value,
    /// What came out.
    pub got: Value,
}

impl Judgement {
    fn new(outcome: Outcome, path: &[&str], expected: &Value, got: &Value) -> Self {
        Self { outcome, field: path.join("."), expected: expected.clone(), got: got.clone() }
    }

    fn worse(self, other: Self) -> Self {
        if other.outcome > self.outcome { other } else { self }
    }
}

/// Judges what a reader got of what was written, which is given in the reader's logical fields.
pub fn judge(rules: &Rules<'_>, expected: &Value, got: &Value) -> Judgement {
    compare(rules, rules.defaults, expected, got, &mut Vec::new())
}

fn compare<'v>(rules: &Rules<'_>, defaults: &Value, expected: &'v Value, got: &'v Value, path: &mut Vec<&'static str>) -> Judgement {
    let simple = |outcome| Judgement::new(outcome, path, expected, got);
    match (expected, got) {
        (_, Value::Refused(_)) => simple(Outcome::FieldError),
        (Value::Record(written), Value::Record(read)) => {
            let mut worst = simple(Outcome::Exact);
            for (name, value) in written {
                path.push(name);
                let judgement = match read.iter().find(|(field, _)| field == name) {
                    Some((_, read)) => compare(rules, defaults.field(name), value, read, path),
                    // What was not there cannot be dropped.
                    None if *value == Value::Absent => Judgement::new(Outcome::Exact, path, value, &Value::Absent),
                    None => Judgement::new(Outcome::Dropped, path, value, &Value::Absent),
                };
                worst = worst.worse(judgement);
                path.pop();
            }
            for (name, value) in read.iter().filter(|(name, _)| !written.iter().any(|(field, _)| field == name)) {
                path.push(name);
                let outcome = match value {
                    Value::Refused(_) => Outcome::FieldError,
                    value if is_default(rules, defaults.field(name), value) => Outcome::Defaulted,
                    _ => Outcome::Misread,
                };
                worst = worst.worse(Judgement::new(outcome, path, &Value::Absent, value));
                path.pop();
            }
            worst
        }
        (Value::List(written), Value::List(read)) if written.len() == read.len() => {
            // Every element of a list has the same defaults, and the reader's own value has no element to tell them.
            let judgements = written.iter().zip(read).map(|(written, read)| compare(rules, element(defaults), written, read, path));
            let worst = judgements.reduce(Judgement::worse);
            worst.unwrap_or_else(|| Judgement::new(Outcome::Exact, path, expected, got))
        }
        (Value::Variant(written, payload), Value::Variant(read, read_payload)) if written == read => match (payload, read_payload) {
            (Some(payload), Some(read)) => compare(rules, element(defaults), payload, read, path),
            (None, None) => simple(Outcome::Exact),
            (Some(_), None) => simple(Outcome::Dropped),
            (None, Some(read)) if is_default(rules, &Value::Absent, read) => simple(Outcome::Defaulted),
            (None, Some(_)) => simple(Outcome::Misread),
        },
        (Value::Variant(..), Value::Raw(_)) => simple(Outcome::Opaque),
        (Value::Absent, Value::Absent) if rules.moves_default => simple(Outcome::Defaulted),
        _ if is_same(expected, got) => simple(Outcome::Exact),
        _ if is_converted(expected, got) => simple(Outcome::Converted),
        _ if rules.tells_absence && expected.is_zero() && got.is_zero() => simple(Outcome::Coerced),
        (Value::Absent, _) if is_default(rules, defaults, got) => simple(Outcome::Defaulted),
        // A plausible number in place of the one that was written is no sign of absence.
        // Where the default is what changed, the new one in place of the old is a plausible number and no sign of absence.
        _ if rules.moves_default && !got.is_zero() => simple(Outcome::Misread),
        _ if is_default(rules, defaults, got) => simple(Outcome::Defaulted),
        _ if is_derived(expected, got) => simple(Outcome::Coerced),
        _ => simple(Outcome::Misread),
    }
}

/// The value from which the defaults of a list's elements or a variant's payload are taken: told by the writer of the rules as a list of
/// one, or as itself.
fn element(defaults: &Value) -> &Value {
    match defaults {
        Value::List(items) => items.first().unwrap_or(&Value::Absent),
        Value::Variant(_, Some(payload)) => payload,
        _ => &Value::Absent,
    }
}

fn is_default(rules: &Rules<'_>, default: &Value, got: &Value) -> bool {
    match rules.fills {
        Fills::Nothing => false,
        Fills::Absence => matches!(got, Value::Absent | Value::Null),
        Fills::Zero => got.is_zero() || is_same(default, got) && *default != Value::Absent,
    }
}

/// Bit by bit, so that a float's sign and its payload count.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Float(one), Value::Float(other)) => one.to_bits() == other.to_bits(),
        (Value::Double(one), Value::Double(other)) => one.to_bits() == other.to_bits(),
        _ => one == other,
    }
}

/// A number, whatever its type.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Float(number) => Some(f64::from(*number)),
        Value::Double(number) => Some(*number),
        Value::Int(number) => Some(*number as f64),
        _ => None,
    }
}

/// The same value in another type or shape.
fn is_converted(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Int(whole), Value::Float(_) | Value::Double(_)) | (Value::Float(_) | Value::Double(_), Value::Int(whole)) => {
            let float = if matches!(got, Value::Int(_)) { expected } else { got };
            number(float).is_some_and(|float| float.fract() == 0.0 && float as i128 == *whole)
        }
        (Value::Float(_), Value::Double(_)) | (Value::Double(_), Value::Float(_)) => number(expected) == number(got),
        (Value::Text(text), Value::Bytes(bytes)) | (Value::Bytes(bytes), Value::Text(text)) => text.as_bytes() == bytes,
        (Value::Int(number), Value::Text(text)) | (Value::Text(text), Value::Int(number)) => text.parse() == Ok(*number),
        // A list of one for a value, a struct of one field for a value.
        (Value::List(items), value) | (value, Value::List(items)) if !matches!(value, Value::List(_)) => {
            matches!(&items[..], [item] if is_same(item, value) || is_converted(item, value))
        }
        (Value::Record(fields), value) | (value, Value::Record(fields)) if !matches!(value, Value::Record(_)) => {
            matches!(&fields[..], [(_, field)] if is_same(field, value))
        }
        (Value::List(one), Value::List(other)) if one.len() == other.len() => {
            one.iter().zip(other).all(|(one, other)| is_same(one, other) || is_converted(one, other))
        }
        _ => false,
    }
}

/// Another value, but made of the one that was written.
fn is_derived(expected: &Value, got: &Value) -> bool {
    match (expected, got) {
        (Value::Int(written), Value::Int(read)) => [32, 64].iter().any(|bits| written & ((1 << bits) - 1) == read & ((1 << bits) - 1)),
        (Value::Int(_) | Value::Float(_) | Value::Double(_), Value::Int(_) | Value::Float(_) | Value::Double(_)) => {
            let (Some(written), Some(read)) = (number(expected), number(got)) else { return false };
            read.is_infinite() && written.abs() > f64::from(f32::MAX) || (written - read).abs() <= written.abs() / f64::from(1 << 22)
        }
        (Value::List(items), value) if !matches!(value, Value::List(_)) => items.last().is_some_and(|last| is_same(last, value)),
        (Value::List(items), Value::List(read)) => {
            read.len() < items.len() && !read.is_empty() && read.iter().all(|item| items.contains(item))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(fields: &[(&'static str, Value)]) -> Value {
        Value::Record(fields.to_vec())
    }

    fn text(text: &str) -> Value {
        Value::Text(text.into())
    }

    /// Every outcome but a crash, which no reading returns, from the smallest case that has it.
    #[test]
    fn every_outcome_has_its_case() {
        let fills = [Fills::Nothing, Fills::Absence, Fills::Zero];
        let [never, absence, zero] = fills;
        let level = |value: Value| record(&[("level", value)]);
        let table = [
            ("as written", zero, level(Value::Int(5)), level(Value::Int(5)), Outcome::Exact),
            ("a zero that was written", never, level(Value::Int(0)), level(Value::Int(0)), Outcome::Exact),
            ("absent, and the reader does not have it", zero, level(Value::Absent), record(&[]), Outcome::Exact),
            ("an integer as a float", zero, level(Value::Int(5)), level(Value::Double(5.0)), Outcome::Converted),
            ("a string as its bytes", zero, level(text("a")), level(Value::Bytes(b"a".to_vec())), Outcome::Converted),
            ("a value as a list of one", zero, level(text("a")), level(Value::List(vec![text("a")])), Outcome::Converted),
            ("a variant by its number", zero, level(Value::Variant("blue".into(), None)), level(Value::Raw(2)), Outcome::Opaque),
            ("not written, zero", zero, record(&[]), level(Value::Int(0)), Outcome::Defaulted),
            ("not written, declared default", zero, record(&[]), level(Value::Int(7)), Outcome::Defaulted),
            ("not written, absent", absence, record(&[]), level(Value::Absent), Outcome::Defaulted),
            ("written and lost", zero, level(Value::Int(5)), level(Value::Int(0)), Outcome::Defaulted),
            ("not in the reader", zero, level(Value::Int(5)), record(&[]), Outcome::Dropped),
            ("a field refused", zero, level(Value::Int(5)), level(Value::Refused("no".into())), Outcome::FieldError),
            ("the low half", zero, level(Value::Int(0x5_0000_0003)), level(Value::Int(3)), Outcome::Coerced),
            ("the sign", zero, level(Value::Int(-1)), level(Value::Int(u32::MAX.into())), Outcome::Coerced),
            ("the last of two", zero, level(Value::List(vec![text("a"), text("b")])), level(text("b")), Outcome::Coerced),
            ("rounded", zero, level(Value::Double(0.1)), level(Value::Float(0.1)), Outcome::Coerced),
            ("not written, and a value", zero, record(&[]), level(Value::Int(3)), Outcome::Misread),
            ("a zero from a format without defaults", never, level(Value::Int(5)), level(Value::Int(0)), Outcome::Misread),
            ("a zero from a format that fills in absence only", absence, record(&[]), level(text("")), Outcome::Misread),
            ("another string", zero, level(text("a")), level(text("b")), Outcome::Misread),
            (
                "another variant",
                zero,
                level(Value::Variant("blue".into(), None)),
                level(Value::Variant("red".into(), None)),
                Outcome::Misread,
            ),
            ("the declared default for a value that was lost", zero, level(Value::Int(5)), level(Value::Int(7)), Outcome::Defaulted),
            ("another number", zero, level(Value::Int(5)), level(Value::Int(6)), Outcome::Misread),
        ];
        let defaults = level(Value::Int(7));
        for (name, fills, expected, got, outcome) in table {
            let rules = Rules { fills, defaults: &defaults, tells_absence: false, moves_default: false };
            assert_eq!(judge(&rules, &expected, &got).outcome, outcome, "{name}");
        }
    }

    #[test]
    fn a_moved_default_is_no_sign_of_absence() {
        let defaults = record(&[("level", Value::Int(7))]);
        let rules = Rules { fills: Fills::Zero, defaults: &defaults, tells_absence: false, moves_default: true };
        for (written, read, outcome) in [
            (Value::Int(5), Value::Int(5), Outcome::Exact),
            (Value::Int(5), Value::Int(7), Outcome::Misread),
            (Value::Absent, Value::Absent, Outcome::Defaulted),
        ] {
            assert_eq!(compare(&rules, &Value::Int(7), &written, &read, &mut Vec::new()).outcome, outcome);
        }
    }

    #[test]
    fn the_worst_field_is_named() {
        let defaults = record(&[]);
        let rules = Rules { fills: Fills::Zero, defaults: &defaults, tells_absence: false, moves_default: false };
        let expected = record(&[("inner", record(&[("id", Value::Int(1)), ("name", text("a")), ("gone", text("b"))]))]);
        let got = record(&[("inner", record(&[("id", Value::Int(1)), ("name", text("c"))]))]);
        let judgement = judge(&rules, &expected, &got);
        assert_eq!((judgement.outcome, judgement.field.as_str()), (Outcome::Misread, "inner.name"));
    }

    #[test]
    fn absence_is_told_from_emptiness_where_that_is_the_question() {
        let defaults = record(&[]);
        for (tells_absence, outcome) in [(true, Outcome::Coerced), (false, Outcome::Defaulted)] {
            let rules = Rules { fills: Fills::Zero, defaults: &defaults, tells_absence, moves_default: false };
            assert_eq!(judge(&rules, &Value::Absent, &Value::List(vec![])).outcome, outcome);
        }
    }
}
