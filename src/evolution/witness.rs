//! The smallest payload that shows what is silent in a cell, with the bytes of every field marked.

use super::change::{Change, Position, Side};
use super::formats::Setting;
use super::matrix::{Attempt, Cell, shortened};
use super::value::Value;
use crate::record::{EvolutionMark, EvolutionWitness};

/// A value that is smaller in some way, at most so often: shrinking ends even where it could go on.
const ROUNDS: usize = 200;

/// Shrinks a silent value, and shows the payload that is left.
pub(super) fn find(cell: &Cell, position: Position, value: Value) -> EvolutionWitness {
    let (value, attempt) = shrink(cell, position, value);
    EvolutionWitness {
        position: position.name().into(),
        written: shortened(&value),
        marks: marks(cell, position, &value, &attempt.bytes),
        payload: attempt.bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        schemas: Side::ALL.map(|side| schema(cell.change, cell.id.setting, side)),
        outcome: attempt.judgement.outcome.name().into(),
        field: attempt.judgement.field,
        expected: shortened(&attempt.judgement.expected),
        got: shortened(&attempt.judgement.got),
    }
}

/// The schema of one side as its users write it. What all schemas have around the entry is left out.
pub fn schema(change: &Change, setting: Setting, side: Side) -> String {
    let extension = match setting.format() {
        "protobuf" => "proto",
        "flatbuffers" => "fbs",
        "capnp" => "capnp",
        _ => return rust_types(change.types[side as usize]),
    };
    let text = change.schema(side, extension, setting == Setting::FlatBuffersIds).unwrap_or_default();
    let around = ["union Choice", "// The same entry one level down", "# The same entry one level down"];
    let end = around.iter().filter_map(|start| text.find(start)).min().unwrap_or(text.len());
    text[..end].trim_end().to_owned()
}

/// The declaration of the Rust types, a field a line.
fn rust_types(tokens: &str) -> String {
    let inner = tokens.trim().trim_start_matches('{').trim_end_matches('}');
    let mut text = String::new();
    let mut depth = 0;
    for letter in inner.trim().chars() {
        match letter {
            '{' => {
                text.push_str("{\n    ");
                depth += 1;
            }
            '}' => {
                text.truncate(text.trim_end().len());
                text.push_str(",\n}\n");
                depth -= 1;
            }
            ',' if depth > 0 => {
                // A comma between a map's types stays on its line.
                let open = text.rsplit('\n').next().is_some_and(|line| line.matches('<').count() > line.matches('>').count());
                text.push_str(if open { "," } else { ",\n    " });
            }
            ' ' | '\n' if text.ends_with(['\n', ' ']) || text.is_empty() => {}
            '\n' => text.push(' '),
            letter => text.push(letter),
        }
    }
    text.replace(" :", ":")
        .replace(" <", "<")
        .replace("< ", "<")
        .replace(" >", ">")
        .replace("record ", "struct ")
        .replace("choice ", "enum ")
        .replace("union ", "enum ")
}

/// Smaller first by the payload's bytes, then by what stands in it.
fn size(value: &Value, bytes: usize) -> (usize, usize) {
    (bytes, weight(value))
}

fn weight(value: &Value) -> usize {
    match value {
        Value::Absent | Value::Null => 0,
        Value::Int(number) => number.unsigned_abs().to_string().len() + usize::from(*number < 0),
        Value::Float(number) => format!("{number:?}").len(),
        Value::Double(number) => format!("{number:?}").len(),
        Value::Text(text) => 1 + text.len() + text.chars().filter(|letter| !letter.is_ascii_lowercase()).count(),
        Value::Bytes(bytes) => 1 + bytes.len(),
        Value::List(items) => 1 + items.iter().map(weight).sum::<usize>(),
        Value::Record(fields) => fields.iter().map(|(_, value)| weight(value)).sum(),
        Value::Variant(_, payload) => 1 + payload.as_deref().map_or(0, weight),
        Value::Raw(_) | Value::Refused(_) => 1,
    }
}

fn shrink(cell: &Cell, position: Position, mut value: Value) -> (Value, Attempt) {
    let attempt = |value: &Value| cell.attempt(position, value).ok().filter(|attempt| attempt.judgement.outcome.is_silent());
    // The value was silent before, and is again: nothing in a cell depends on anything but the value.
    let mut best = attempt(&value).expect("a silent value stays silent");
    for _ in 0..ROUNDS {
        let mut smaller = None;
        for candidate in candidates(&value) {
            if is_whole(&value, &candidate)
                && cell.has(position, &candidate)
                && let Some(attempt) = attempt(&candidate)
                && size(&candidate, attempt.bytes.len()) < size(&value, best.bytes.len())
            {
                smaller = Some((candidate, attempt));
                break;
            }
        }
        match smaller {
            Some((candidate, attempt)) => (value, best) = (candidate, attempt),
            None => break,
        }
    }
    (value, best)
}

/// Whether what holds the entries is still what it was: an entry may lose what its schema calls optional, its holder has nothing optional.
fn is_whole(value: &Value, candidate: &Value) -> bool {
    match (value, candidate) {
        (Value::Record(fields), Value::Record(others)) if fields.first().is_some_and(|(name, _)| *name == "before") => {
            fields.iter().zip(others).all(|((_, one), (_, other))| std::mem::discriminant(one) == std::mem::discriminant(other))
        }
        _ => true,
    }
}

/// Values with one thing in them made smaller. Zero and empty come last: a field that holds something shows better where it went.
fn candidates(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(number) if *number > 9 || *number < 0 => {
            let halves = [1, 2, 3, 5, 7, number / 2, number / 16].map(Value::Int);
            halves.into_iter().filter(|half| half != value).collect()
        }
        Value::Float(number) if *number != 1.5 => vec![Value::Float(1.5)],
        Value::Double(number) if *number != 1.5 => vec![Value::Double(1.5), Value::Double(0.1)],
        Value::Text(text) if text.len() > 1 => {
            let mut shorter = vec![Value::Text("a".into()), Value::Text("bc".into())];
            shorter.extend(text.char_indices().nth(text.chars().count() / 2).map(|(middle, _)| Value::Text(text[..middle].into())));
            shorter.extend(text.char_indices().next_back().map(|(last, _)| Value::Text(text[..last].into())));
            if text.len() > 9 {
                shorter.push(Value::Text("longer than".into()));
            }
            shorter.push(Value::Text(String::new()));
            shorter
        }
        Value::Bytes(bytes) if bytes.len() > 1 => vec![Value::Bytes(vec![b'a']), Value::Bytes(bytes[..bytes.len() / 2].to_vec())],
        Value::List(items) => {
            let without = (0..items.len()).map(|index| {
                let kept = items.iter().enumerate().filter(|(other, _)| *other != index).map(|(_, item)| item.clone());
                Value::List(kept.collect())
            });
            let changed = items.iter().enumerate().flat_map(|(index, item)| {
                candidates(item).into_iter().map(move |candidate| {
                    let mut items = items.clone();
                    items[index] = candidate;
                    Value::List(items)
                })
            });
            without.chain(changed).collect()
        }
        Value::Record(fields) => {
            let changed = fields.iter().enumerate().flat_map(|(index, (name, field))| {
                let absent = (*field != Value::Absent).then_some(Value::Absent);
                absent.into_iter().chain(candidates(field)).map(move |candidate| {
                    let mut fields = fields.clone();
                    fields[index] = (name, candidate);
                    Value::Record(fields)
                })
            });
            changed.collect()
        }
        Value::Variant(name, Some(payload)) => {
            candidates(payload).into_iter().map(|candidate| Value::Variant(name.clone(), Some(Box::new(candidate)))).collect()
        }
        _ => Vec::new(),
    }
}

/// Which bytes belong to which field: those that change with its value. So it is found for every format alike, without knowing any.
fn marks(cell: &Cell, position: Position, value: &Value, bytes: &[u8]) -> Vec<EvolutionMark> {
    let mut marks = Vec::new();
    for (field, changed) in changed(value) {
        let Ok(other) = cell.write(position, &changed) else { continue };
        if other.len() != bytes.len() {
            continue;
        }
        let differing: Vec<usize> = (0..bytes.len()).filter(|index| bytes[*index] != other[*index]).collect();
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for index in differing {
            match runs.last_mut() {
                Some((start, length)) if *start + *length == index => *length += 1,
                _ => runs.push((index, 1)),
            }
        }
        marks.extend(runs.into_iter().map(|(offset, length)| EvolutionMark { field: field.clone(), offset, length }));
    }
    marks.sort_by_key(|mark| mark.offset);
    marks
}

/// For every field that holds something: its name, and the whole value with another value of the same length there.
fn changed(value: &Value) -> Vec<(String, Value)> {
    let join = |name: &str, field: String| if field.is_empty() { name.to_owned() } else { format!("{name}.{field}") };
    match value {
        // All bytes of the number change, but for the sign, which decides how many bytes some formats write.
        Value::Int(number) if *number > 0 => {
            let bits = 128 - number.leading_zeros();
            let mask = if bits > 1 { (1_i128 << (bits - 1)) - 1 } else { 2 };
            vec![(String::new(), Value::Int(number ^ mask))]
        }
        Value::Int(0) => vec![(String::new(), Value::Int(1))],
        Value::Int(number) => vec![(String::new(), Value::Int(number ^ 1))],
        Value::Float(number) => vec![(String::new(), Value::Float(f32::from_bits(number.to_bits() ^ 0x000F_0F0F)))],
        Value::Double(number) => vec![(String::new(), Value::Double(f64::from_bits(number.to_bits() ^ 0x000F_0F0F_0F0F_0F0F)))],
        Value::Text(text) if !text.is_empty() => {
            let other = |letter: char| {
                if letter == 'x' {
                    'y'
                } else if letter.is_ascii() {
                    'x'
                } else {
                    letter
                }
            };
            vec![(String::new(), Value::Text(text.chars().map(other).collect()))]
        }
        Value::Bytes(bytes) if !bytes.is_empty() => vec![(String::new(), Value::Bytes(bytes.iter().map(|byte| byte ^ 0x15).collect()))],
        Value::List(items) => {
            let each = items.iter().enumerate().flat_map(|(index, item)| {
                changed(item).into_iter().map(move |(field, changed)| {
                    let mut items = items.clone();
                    items[index] = changed;
                    (join(&format!("[{index}]"), field), Value::List(items))
                })
            });
            each.collect()
        }
        Value::Record(fields) => {
            let each = fields.iter().enumerate().flat_map(|(index, (name, field))| {
                changed(field).into_iter().map(move |(path, changed)| {
                    let mut fields = fields.clone();
                    fields[index] = (name, changed);
                    (join(name, path), Value::Record(fields))
                })
            });
            each.collect()
        }
        Value::Variant(name, Some(payload)) => {
            let each = changed(payload).into_iter();
            each.map(|(field, changed)| (join(name, field), Value::Variant(name.clone(), Some(Box::new(changed))))).collect()
        }
        _ => Vec::new(),
    }
}
