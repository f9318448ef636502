//! Any class as .NET's Protocol Buffers libraries write it: what a field is said to be decides what is left out.
//!
//! Source: the encoding that Google documents, protobuf-net's bcl.proto, and the vectors of the tests. What only protobuf-net 2 has
//! (`AsReference`, `DynamicType`) needs a graph: see `protobuf_net::references`.

use super::dotnet_protobuf::{DEPTH, FIXED32, FIXED64, GROUP, LENGTH, Manner, Reader, VARINT, append_varint};
use crate::error::{Error, Problem, Result};
use crate::limits::Limits;

/// A class: its fields, and the classes that are derived from it by the number of the field that holds what they add.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Contract {
    /// The fields, in the order of their numbers.
    pub fields: Vec<Field>,
    /// The derived classes.
    pub derived: Vec<(u32, Contract)>,
}

/// A field of a class.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// Its number.
    pub number: u32,
    /// What it holds.
    pub kind: Kind,
    /// When it is written, and how often.
    pub rule: Rule,
}

/// What a field holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// True or false.
    Bool,
    /// An integer of 32 bits, or an enum: a negative one takes ten bytes.
    Int32,
    /// An integer of 64 bits.
    Int64,
    /// An integer of 64 bits or fewer without a sign, or a `char`.
    Unsigned,
    /// An integer whose sign is its lowest bit.
    ZigZag,
    /// Four bytes of an integer.
    Fixed32,
    /// Eight bytes of an integer.
    Fixed64,
    /// A number of 32 bits.
    Single,
    /// A number of 64 bits.
    Double,
    /// A string, or a `Uri`.
    Text,
    /// Bytes.
    Bytes,
    /// A `DateTime`, as ticks of 100 ns since the year 1; its kind is lost.
    DateTime,
    /// A `TimeSpan`, as ticks.
    TimeSpan,
    /// A `Guid`, as .NET's `ToByteArray` gives it.
    Guid,
    /// A `decimal`.
    Decimal,
    /// An object of a class.
    Message(Contract),
}

/// When a field is written, and how often.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Left out if it is zero or null. A schema's string or bytes are left out if they are empty, too.
    Plain,
    /// Left out if it is null: a nullable number, an optional field, a field of a choice.
    Nullable,
    /// Always written.
    Required,
    /// Left out if it is this.
    Unless(Value),
    /// A key for each item.
    List,
    /// One key for all items. Code-first, an empty list is written, too, and a single item as in [`List`](Self::List).
    Packed,
    /// A message for each entry, whose key is field 1, of this kind, and whose value is field 2.
    Map(Kind),
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Bool(bool),
    /// An integer, or ticks.
    Integer(i64),
    /// An integer without a sign.
    Unsigned(u64),
    /// A number of 32 bits.
    Single(f32),
    /// A number of 64 bits.
    Double(f64),
    /// A string.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// A `Guid`.
    Guid([u8; 16]),
    /// A `decimal`: ±(`high`·2⁶⁴ + `low`) / 10^`scale`.
    Decimal {
        /// The lower 64 bits.
        low: u64,
        /// The upper 32 bits.
        high: u32,
        /// The digits behind the point.
        scale: u8,
        /// The sign.
        negative: bool,
    },
    /// The items of a list.
    List(Vec<Value>),
    /// The entries of a dictionary.
    Map(Vec<(Value, Value)>),
    /// An object.
    Object(Object),
}

/// An object of a class.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Object {
    /// The values, in the order of the class's fields.
    pub values: Vec<Value>,
    /// What the derived class of this number adds.
    pub derived: Option<(u32, Box<Object>)>,
}

impl Contract {
    /// An object whose values are zero or null.
    pub fn object(&self) -> Object {
        Object { values: self.fields.iter().map(|field| field.initial()).collect(), derived: None }
    }
}

impl Field {
    fn initial(&self) -> Value {
        match self.rule {
            Rule::Plain | Rule::Required | Rule::Unless(_) => self.kind.zero(),
            Rule::Nullable | Rule::List | Rule::Packed | Rule::Map(_) => Value::Null,
        }
    }
}

impl Kind {
    pub(super) fn zero(&self) -> Value {
        match self {
            Self::Bool => Value::Bool(false),
            Self::Int32 | Self::Int64 | Self::ZigZag | Self::Fixed64 | Self::DateTime | Self::TimeSpan => Value::Integer(0),
            Self::Unsigned | Self::Fixed32 => Value::Unsigned(0),
            Self::Single => Value::Single(0.0),
            Self::Double => Value::Double(0.0),
            Self::Guid => Value::Guid([0; 16]),
            Self::Decimal => Value::Decimal { low: 0, high: 0, scale: 0, negative: false },
            Self::Text | Self::Bytes | Self::Message(_) => Value::Null,
        }
    }

    pub(super) fn wire(&self) -> u8 {
        match self {
            Self::Bool | Self::Int32 | Self::Int64 | Self::Unsigned | Self::ZigZag => VARINT,
            Self::Fixed32 | Self::Single => FIXED32,
            Self::Fixed64 | Self::Double => FIXED64,
            _ => LENGTH,
        }
    }
}

/// Writes an object in a library's manner. The content of `sink` is replaced.
///
/// # Errors
///
/// A value is not of its field's kind, or objects stand inside each other more than a hundred times, as in a cycle.
pub fn write<M: Manner>(contract: &Contract, object: &Object, sink: &mut Vec<u8>) -> Result<()> {
    sink.clear();
    write_object::<M>(contract, object, sink, 0)
}

fn unrepresentable<M: Manner>(what: impl Into<String>) -> Error {
    Error::new(M::INFO.name, Problem::Unrepresentable(what.into()))
}

fn write_object<M: Manner>(contract: &Contract, object: &Object, sink: &mut Vec<u8>, depth: usize) -> Result<()> {
    if depth > DEPTH {
        return Err(unrepresentable::<M>(format!("objects inside each other more than {DEPTH} times, possibly a cycle,")));
    }
    if object.values.len() != contract.fields.len() {
        return Err(unrepresentable::<M>(format!("{} values for {} fields", object.values.len(), contract.fields.len())));
    }
    // What a derived class adds comes first.
    if let Some((number, added)) = &object.derived {
        let Some((_, derived)) = contract.derived.iter().find(|(known, _)| known == number) else {
            return Err(unrepresentable::<M>(format!("a derived class of number {number}")));
        };
        let mut nested = Vec::new();
        write_object::<M>(derived, added, &mut nested, depth + 1)?;
        put_nested(*number, &nested, sink);
    }
    for (field, value) in contract.fields.iter().zip(&object.values) {
        write_field::<M>(field, value, sink, depth)?;
    }
    Ok(())
}

pub(super) fn put_key(number: u32, wire: u8, sink: &mut Vec<u8>) {
    append_varint(sink, u64::from(number) << 3 | u64::from(wire));
}

fn put_nested(number: u32, nested: &[u8], sink: &mut Vec<u8>) {
    put_key(number, LENGTH, sink);
    append_varint(sink, nested.len() as u64);
    sink.extend_from_slice(nested);
}

fn write_field<M: Manner>(field: &Field, value: &Value, sink: &mut Vec<u8>, depth: usize) -> Result<()> {
    let left_out = match (&field.rule, value) {
        (_, Value::Null) => true,
        (Rule::Plain, Value::Text(text)) => !M::CODE_FIRST && text.is_empty(),
        (Rule::Plain, Value::Bytes(bytes)) => !M::CODE_FIRST && bytes.is_empty(),
        // The year 1 is not left out, and a sign of zero is.
        (Rule::Plain, Value::Double(value)) => *value == 0.0,
        (Rule::Plain, Value::Single(value)) => *value == 0.0,
        (Rule::Plain, value) => *value == field.kind.zero() && field.kind != Kind::DateTime,
        (Rule::Unless(default), value) => value == default,
        _ => false,
    };
    if left_out {
        return Ok(());
    }
    match (&field.rule, value) {
        // A single item takes less without a length before it, and so has none.
        (Rule::Packed, Value::List(items)) if M::CODE_FIRST && items.len() == 1 => {
            put_key(field.number, field.kind.wire(), sink);
            write_value::<M>(&field.kind, &items[0], sink, depth)
        }
        (Rule::List, Value::List(items)) => items.iter().try_for_each(|item| {
            put_key(field.number, field.kind.wire(), sink);
            write_value::<M>(&field.kind, item, sink, depth)
        }),
        (Rule::Packed, Value::List(items)) => {
            if items.is_empty() && !M::CODE_FIRST {
                return Ok(());
            }
            let mut packed = Vec::new();
            items.iter().try_for_each(|item| write_value::<M>(&field.kind, item, &mut packed, depth))?;
            put_nested(field.number, &packed, sink);
            Ok(())
        }
        (Rule::Map(key_kind), Value::Map(entries)) => entries.iter().try_for_each(|(key, value)| {
            let mut entry = Vec::new();
            write_field::<M>(&Field { number: 1, kind: key_kind.clone(), rule: Rule::Plain }, key, &mut entry, depth)?;
            write_field::<M>(&Field { number: 2, kind: field.kind.clone(), rule: Rule::Plain }, value, &mut entry, depth)?;
            put_nested(field.number, &entry, sink);
            Ok(())
        }),
        _ => {
            put_key(field.number, field.kind.wire(), sink);
            write_value::<M>(&field.kind, value, sink, depth)
        }
    }
}

/// Writes a value behind its key.
pub(super) fn write_value<M: Manner>(kind: &Kind, value: &Value, sink: &mut Vec<u8>, depth: usize) -> Result<()> {
    let mut nested = Vec::new();
    match (kind, value) {
        (Kind::Bool, Value::Bool(value)) => sink.push(u8::from(*value)),
        (Kind::Int32 | Kind::Int64, Value::Integer(value)) => append_varint(sink, *value as u64),
        (Kind::Unsigned, Value::Unsigned(value)) => append_varint(sink, *value),
        (Kind::ZigZag, Value::Integer(value)) => append_varint(sink, zigzag(*value)),
        (Kind::Fixed32, Value::Unsigned(value)) => sink.extend_from_slice(&(*value as u32).to_le_bytes()),
        (Kind::Fixed64, Value::Integer(value)) => sink.extend_from_slice(&value.to_le_bytes()),
        (Kind::Single, Value::Single(value)) => sink.extend_from_slice(&value.to_le_bytes()),
        (Kind::Double, Value::Double(value)) => sink.extend_from_slice(&value.to_le_bytes()),
        (Kind::Text, Value::Text(text)) => nested.extend_from_slice(text.as_bytes()),
        (Kind::Bytes, Value::Bytes(bytes)) => nested.extend_from_slice(bytes),
        (Kind::DateTime, Value::Integer(ticks)) => put_span(*ticks, Some(EPOCH), &mut nested),
        (Kind::TimeSpan, Value::Integer(ticks)) => put_span(*ticks, None, &mut nested),
        (Kind::Guid, Value::Guid(bytes)) => {
            for (number, half) in [(1, &bytes[..8]), (2, &bytes[8..])] {
                put_key(number, FIXED64, &mut nested);
                nested.extend_from_slice(half);
            }
        }
        (Kind::Decimal, &Value::Decimal { low, high, scale, negative }) => {
            for (number, part) in [(1, low), (2, high.into()), (3, u64::from(scale) << 1 | u64::from(negative))] {
                if part != 0 {
                    put_key(number, VARINT, &mut nested);
                    append_varint(&mut nested, part);
                }
            }
        }
        (Kind::Message(contract), Value::Object(object)) => write_object::<M>(contract, object, &mut nested, depth + 1)?,
        // An item of a list of objects, or a nullable one, that is null.
        (_, Value::Null) => return Err(unrepresentable::<M>("null in a list")),
        _ => return Err(unrepresentable::<M>(format!("{value:.60?} in a field of kind {kind:.60?}"))),
    }
    if kind.wire() == LENGTH {
        append_varint(sink, nested.len() as u64);
        sink.extend_from_slice(&nested);
    }
    Ok(())
}

fn zigzag(value: i64) -> u64 {
    (value << 1 ^ value >> 63) as u64
}

fn unzigzag(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

/// The ticks of 1970-01-01.
const EPOCH: i64 = 621_355_968_000_000_000;
/// The ticks of the last moment of the year 9999.
const LAST: i64 = 3_155_378_975_999_999_999;
/// What a span is counted in, by the number that says so, the longest first: days, hours, minutes, seconds, milliseconds, ticks.
const SCALES: [i64; 6] = [864_000_000_000, 36_000_000_000, 600_000_000, 10_000_000, 10_000, 1];
/// The number that says that it is the least or the greatest value.
const EXTREME: u64 = 15;

/// A span of time in the longest unit that counts it; a moment is the span since 1970.
fn put_span(ticks: i64, epoch: Option<i64>, nested: &mut Vec<u8>) {
    let (least, greatest) = if epoch.is_some() { (0, LAST) } else { (i64::MIN, i64::MAX) };
    let (value, scale) = match ticks {
        ticks if ticks == least => (-1, EXTREME),
        ticks if ticks == greatest => (1, EXTREME),
        ticks => {
            let span = ticks.wrapping_sub(epoch.unwrap_or(0));
            let (scale, unit) = SCALES.into_iter().enumerate().find(|(_, unit)| span % unit == 0).unwrap_or((5, 1));
            (span / unit, scale as u64)
        }
    };
    for (number, part) in [(1, zigzag(value)), (2, scale)] {
        if part != 0 {
            put_key(number, VARINT, nested);
            append_varint(nested, part);
        }
    }
}

/// Reads an object in a library's manner, under limits: [`Limits::for_payload`] if nothing else is known of the bytes.
///
/// # Errors
///
/// The payload is malformed, or asks for more than a limit allows: a value takes tens of bytes of memory, and may be one of a payload.
pub fn read<M: Manner>(contract: &Contract, payload: &[u8], limits: &Limits) -> Result<Object> {
    let mut object = contract.object();
    read_into::<M>(contract, payload, limits, &mut object)?;
    Ok(object)
}

/// Reads an object into one that is there, as the library does with one whose properties start at something else than zero: lists are
/// longer then, and what the payload leaves out stays.
///
/// # Errors
///
/// As for [`read`].
pub fn read_into<M: Manner>(contract: &Contract, payload: &[u8], limits: &Limits, object: &mut Object) -> Result<()> {
    let mut reader = Reader::<M>::new(payload, *limits);
    object.values.resize(contract.fields.len(), Value::Null);
    read_object(contract, &mut reader, object, 0)
}

fn read_object<M: Manner>(contract: &Contract, reader: &mut Reader<'_, M>, object: &mut Object, depth: usize) -> Result<()> {
    reader.hold_depth(depth)?;
    while let Some((number, wire)) = reader.field()? {
        if let Some((_, derived)) = contract.derived.iter().find(|(known, _)| *known == number) {
            let mut added = match object.derived.take() {
                Some((known, added)) if known == number => *added,
                _ => new_object(derived, reader)?,
            };
            inside(reader, wire, |reader| read_object(derived, reader, &mut added, depth + 1))?;
            object.derived = Some((number, Box::new(added)));
            continue;
        }
        let Some(index) = contract.fields.iter().position(|field| field.number == number) else {
            reader.skip(number, wire, 0)?;
            continue;
        };
        read_field(&contract.fields[index], wire, reader, &mut object.values[index], depth)?;
    }
    Ok(())
}

/// An object whose values are zero or null, and whose memory is counted: all of them may stand in two bytes of a payload.
fn new_object<M: Manner>(contract: &Contract, reader: &mut Reader<'_, M>) -> Result<Object> {
    reader.allocate(size_of::<Object>() + contract.fields.len() * size_of::<Value>())?;
    Ok(contract.object())
}

/// Reads what stands behind a length, to its end.
fn inside<'p, M: Manner, T>(reader: &mut Reader<'p, M>, wire: u8, read: impl FnOnce(&mut Reader<'p, M>) -> Result<T>) -> Result<T> {
    if wire != LENGTH {
        let group = if wire == GROUP { ", a group," } else { "" };
        return Err(reader.malformed(format!("a message in wire type {wire}{group}")));
    }
    let len = reader.length()?;
    let outer = reader.end;
    match reader.at.checked_add(len) {
        Some(end) if end <= outer => reader.end = end,
        _ => return Err(reader.truncated(len)),
    }
    let value = read(reader)?;
    reader.end = outer;
    Ok(value)
}

fn read_field<M: Manner>(field: &Field, wire: u8, reader: &mut Reader<'_, M>, value: &mut Value, depth: usize) -> Result<()> {
    match &field.rule {
        Rule::List | Rule::Packed => {
            if !matches!(value, Value::List(_)) {
                *value = Value::List(Vec::new());
            }
            let Value::List(items) = value else { return Ok(()) };
            // Whatever the contract says, both forms are read.
            if wire == LENGTH && field.kind.wire() != LENGTH {
                inside(reader, wire, |reader| {
                    while reader.at < reader.end {
                        reader.list::<Value>(1)?;
                        items.push(read_value(&field.kind, field.kind.wire(), reader, depth)?);
                    }
                    Ok(())
                })?;
                // To the code-first library a list without items is none.
                if items.is_empty() {
                    *value = Value::Null;
                }
            } else {
                reader.list::<Value>(1)?;
                items.push(read_value(&field.kind, wire, reader, depth)?);
            }
        }
        Rule::Map(key_kind) => {
            reader.list::<(Value, Value)>(1)?;
            let mut entry = (key_kind.zero(), field.kind.zero());
            inside(reader, wire, |reader| {
                while let Some((number, wire)) = reader.field()? {
                    match number {
                        1 => entry.0 = read_value(key_kind, wire, reader, depth)?,
                        2 => entry.1 = read_value(&field.kind, wire, reader, depth)?,
                        _ => reader.skip(number, wire, 0)?,
                    }
                }
                Ok(())
            })?;
            match value {
                Value::Map(entries) => entries.push(entry),
                other => *other = Value::Map(vec![entry]),
            }
        }
        Rule::Plain | Rule::Nullable | Rule::Required | Rule::Unless(_) => *value = read_value(&field.kind, wire, reader, depth)?,
    }
    Ok(())
}

pub(super) fn read_value<M: Manner>(kind: &Kind, wire: u8, reader: &mut Reader<'_, M>, depth: usize) -> Result<Value> {
    if wire != kind.wire() {
        return Err(reader.malformed(format!("wire type {wire} for a field of wire type {}", kind.wire())));
    }
    Ok(match kind {
        Kind::Bool => Value::Bool(reader.varint()? != 0),
        Kind::Int32 => Value::Integer(reader.number32(wire)?.into()),
        Kind::Int64 => Value::Integer(reader.varint()? as i64),
        Kind::Unsigned => Value::Unsigned(reader.varint()?),
        Kind::ZigZag => Value::Integer(unzigzag(reader.varint()?)),
        Kind::Fixed32 => Value::Unsigned(u32::from_le_bytes(reader.fixed()?).into()),
        Kind::Fixed64 => Value::Integer(i64::from_le_bytes(reader.fixed()?)),
        Kind::Single => Value::Single(f32::from_le_bytes(reader.fixed()?)),
        Kind::Double => Value::Double(f64::from_le_bytes(reader.fixed()?)),
        Kind::Text => {
            let text = reader.text()?;
            reader.allocate(text.len())?;
            Value::Text(text.to_owned())
        }
        Kind::Bytes => {
            let len = reader.length()?;
            let bytes = reader.take(len)?;
            reader.meter.text(len).map_err(|problem| reader.error(problem))?;
            Value::Bytes(bytes.to_vec())
        }
        Kind::DateTime => Value::Integer(inside(reader, wire, |reader| read_span(reader, Some(EPOCH)))?),
        Kind::TimeSpan => Value::Integer(inside(reader, wire, |reader| read_span(reader, None))?),
        Kind::Guid => {
            let mut bytes = [0; 16];
            inside(reader, wire, |reader| {
                while let Some((number, wire)) = reader.field()? {
                    match (number, wire) {
                        (1, FIXED64) => bytes[..8].copy_from_slice(&reader.fixed::<8>()?),
                        (2, FIXED64) => bytes[8..].copy_from_slice(&reader.fixed::<8>()?),
                        _ => reader.skip(number, wire, 0)?,
                    }
                }
                Ok(())
            })?;
            Value::Guid(bytes)
        }
        Kind::Decimal => inside(reader, wire, |reader| {
            let (mut low, mut high, mut sign_scale) = (0, 0, 0);
            while let Some((number, wire)) = reader.field()? {
                match (number, wire) {
                    (1, VARINT) => low = reader.varint()?,
                    (2, VARINT) => high = reader.varint32()?,
                    (3, VARINT) => sign_scale = reader.varint32()?,
                    _ => reader.skip(number, wire, 0)?,
                }
            }
            match u8::try_from(sign_scale >> 1) {
                Ok(scale @ 0..=28) => Ok(Value::Decimal { low, high, scale, negative: sign_scale & 1 == 1 }),
                _ => Err(reader.malformed(format!("a decimal of {} digits behind the point", sign_scale >> 1))),
            }
        })?,
        Kind::Message(contract) => {
            let mut object = new_object(contract, reader)?;
            inside(reader, wire, |reader| read_object(contract, reader, &mut object, depth + 1))?;
            Value::Object(object)
        }
    })
}

fn read_span<M: Manner>(reader: &mut Reader<'_, M>, epoch: Option<i64>) -> Result<i64> {
    let (mut value, mut scale) = (0, 0);
    while let Some((number, wire)) = reader.field()? {
        match (number, wire) {
            (1, VARINT) => value = unzigzag(reader.varint()?),
            (2, VARINT) => scale = reader.varint()?,
            _ => reader.skip(number, wire, 0)?,
        }
    }
    let (least, greatest) = if epoch.is_some() { (0, LAST) } else { (i64::MIN, i64::MAX) };
    let ticks = match (scale, value) {
        (EXTREME, -1) => Some(least),
        (EXTREME, 1) => Some(greatest),
        _ => usize::try_from(scale)
            .ok()
            .and_then(|scale| SCALES.get(scale))
            .and_then(|unit| value.checked_mul(*unit)?.checked_add(epoch.unwrap_or(0)))
            .filter(|ticks| (least..=greatest).contains(ticks)),
    };
    ticks.ok_or_else(|| reader.malformed(format!("{value} in unit {scale} as a span of time")))
}
