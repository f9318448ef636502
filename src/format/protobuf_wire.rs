//! Protocol Buffers' wire, walked without the library: for what its readers pass over in silence.

use super::{Finding, Silent};
use crate::error::Problem;
use crate::limits;

/// A message's fields, numbered from 1 on.
pub(super) struct Schema {
    pub(super) fields: &'static [(&'static str, Kind)],
}

/// How a field stands on the wire.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Int32,
    Int64,
    Fixed64,
    Length,
    /// A list of what stands behind its length.
    Lengths,
    /// A list of messages.
    Messages(&'static Schema),
}

const VARINT: u8 = 0;
const FIXED64: u8 = 1;
const LENGTH: u8 = 2;
const GROUP: u8 = 3;
const END_GROUP: u8 = 4;
const FIXED32: u8 = 5;

impl Kind {
    fn wire_type(self) -> u8 {
        match self {
            Self::Int32 | Self::Int64 => VARINT,
            Self::Fixed64 => FIXED64,
            Self::Length | Self::Lengths | Self::Messages(_) => LENGTH,
        }
    }

    fn is_list(self) -> bool {
        matches!(self, Self::Lengths | Self::Messages(_))
    }
}

/// More findings than this are not listed.
const MOST: usize = 1000;

/// What a reader passes over, as far as the payload can be read.
pub(super) fn inspect(payload: &[u8], schema: &Schema) -> Vec<Finding> {
    let mut walk = Walk { payload, findings: Vec::new() };
    walk.message(0, payload.len(), schema, "");
    walk.findings
}

struct Walk<'p> {
    payload: &'p [u8],
    findings: Vec<Finding>,
}

impl Walk<'_> {
    fn find(&mut self, offset: usize, path: String, what: Silent) {
        if self.findings.len() < MOST {
            self.findings.push(Finding { offset, path, what });
        }
    }

    fn message(&mut self, mut at: usize, end: usize, schema: &Schema, path: &str) -> Option<()> {
        let mut last = 0;
        let mut counts = vec![0; schema.fields.len()];
        while at < end {
            let start = at;
            let key = varint(self.payload, &mut at, end)?;
            let (number, wire) = (key.value >> 3, key.value as u8 & 7);
            let Some(&(name, kind)) = usize::try_from(number).ok().and_then(|number| schema.fields.get(number.checked_sub(1)?)) else {
                self.find(start, path.to_owned(), Silent::UnknownField(number));
                skip(self.payload, &mut at, end, wire)?;
                continue;
            };
            let index = number as usize - 1;
            let path = match kind.is_list() {
                true => format!("{path}{name}[{}]", counts[index]),
                false => format!("{path}{name}"),
            };
            if wire != kind.wire_type() {
                // The library refuses it.
                return None;
            }
            if number < last || (counts[index] > 0 && !kind.is_list()) {
                self.find(start, path.clone(), Silent::Again);
            }
            last = number;
            counts[index] += 1;
            if key.overlong {
                self.find(start, path.clone(), Silent::Overlong);
            }
            match kind {
                Kind::Int32 | Kind::Int64 => {
                    let number = varint(self.payload, &mut at, end)?;
                    if matches!(kind, Kind::Int32) && i32::try_from(number.value as i64).is_err() {
                        self.find(start, path.clone(), Silent::Cut(number.value));
                    }
                    if number.overlong {
                        self.find(start, path, Silent::Overlong);
                    }
                }
                Kind::Messages(schema) => {
                    let from = at;
                    skip(self.payload, &mut at, end, wire)?;
                    let mut inner = from;
                    varint(self.payload, &mut inner, end)?;
                    self.message(inner, at, schema, &format!("{path}."))?;
                }
                Kind::Fixed64 | Kind::Length | Kind::Lengths => skip(self.payload, &mut at, end, wire)?,
            }
        }
        Some(())
    }
}

struct Varint {
    value: u64,
    /// A shorter one has the same value.
    overlong: bool,
}

fn varint(payload: &[u8], at: &mut usize, end: usize) -> Option<Varint> {
    let mut value = 0;
    for index in 0..10 {
        let byte = *payload.get(*at..end)?.first()?;
        *at += 1;
        value |= u64::from(byte & 0x7F).checked_shl(7 * index).unwrap_or(0);
        if byte < 0x80 {
            return Some(Varint { value, overlong: byte == 0 && index > 0 });
        }
    }
    None
}

/// Moves behind a field's value; groups are counted and not entered, so that this takes no stack.
fn skip(payload: &[u8], at: &mut usize, end: usize, wire: u8) -> Option<()> {
    let mut depth = 0usize;
    let mut wire = wire;
    loop {
        match wire {
            VARINT => varint(payload, at, end).map(drop)?,
            FIXED64 => *at += 8,
            FIXED32 => *at += 4,
            LENGTH => *at = usize::try_from(varint(payload, at, end)?.value).ok()?.checked_add(*at)?,
            GROUP => depth += 1,
            END_GROUP => depth = depth.checked_sub(1)?,
            _ => return None,
        }
        if *at > end {
            return None;
        }
        if depth == 0 {
            return Some(());
        }
        wire = varint(payload, at, end)?.value as u8 & 7;
    }
}

/// Whether messages and groups stand no deeper inside each other than allowed; what is malformed is left to the library.
pub(super) fn hold_depth(payload: &[u8], schema: &Schema, allowed: usize) -> Result<(), (usize, Problem)> {
    fn message(payload: &[u8], mut at: usize, end: usize, schema: &Schema, depth: usize, allowed: usize) -> Result<(), (usize, Problem)> {
        let mut groups = 0;
        while at < end {
            let start = at;
            let Some(key) = varint(payload, &mut at, end) else { return Ok(()) };
            let wire = key.value as u8 & 7;
            let known = usize::try_from(key.value >> 3).ok().and_then(|number| schema.fields.get(number.checked_sub(1)?));
            match (wire, known) {
                (GROUP, _) => groups += 1,
                (END_GROUP, _) => groups = groups.max(1) - 1,
                (LENGTH, Some(&(_, Kind::Messages(inner)))) if groups == 0 => {
                    let mut from = at;
                    if varint(payload, &mut from, end).is_none() || skip(payload, &mut at, end, wire).is_none() {
                        return Ok(());
                    }
                    message(payload, from, at, inner, depth + 1, allowed)?;
                }
                _ => {
                    if skip(payload, &mut at, end, wire).is_none() {
                        return Ok(());
                    }
                }
            }
            limits::hold("depth", allowed, depth + groups).map_err(|problem| (start, problem))?;
        }
        Ok(())
    }
    message(payload, 0, payload.len(), schema, 1, allowed)
}
