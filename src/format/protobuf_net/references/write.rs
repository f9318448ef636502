//! A graph to a payload, without the call stack growing.
//!
//! A message's length stands before it and is known behind it. What is written here goes into one buffer without lengths; where they
//! belong is noted, and they are put in between in the end, so that nothing is moved twice however deep a graph nests.

use std::collections::HashMap;

use super::super::{CodeFirst, NAME};
use super::{Holds, Model, ModelField, TEXT_TYPE, field};
use crate::error::{Error, Problem, Result};
use crate::format::contract::{self, put_key, write_value};
use crate::format::dotnet_protobuf::{LENGTH, VARINT, append_varint, varint_size};
use crate::graph::{Array, Graph, Instance, Object, ObjectId, Primitive, Run, Value};

#[cold]
fn unrepresentable(what: impl Into<String>) -> Error {
    Error::new(NAME, Problem::Unrepresentable(what.into()))
}

pub(super) fn write(model: &Model, graph: &Graph, sink: &mut Vec<u8>) -> Result<()> {
    sink.clear();
    let Value::Object(root) = graph.root() else {
        return Err(unrepresentable("a root that is no object"));
    };
    let mut writer = Writer {
        model,
        graph,
        root,
        plans: vec![None; graph.classes().len()],
        numbers: Numbers::default(),
        by_value: HashMap::new(),
        body: Vec::new(),
        lengths: Vec::new(),
        open: Vec::new(),
        stack: Vec::new(),
    };
    match graph.items(root) {
        Some((array, len)) => {
            for item in 0.. {
                match element(array, item, len)? {
                    Some(value) => writer.root_item(value)?,
                    None => break,
                }
                writer.run()?;
            }
        }
        None => {
            writer.push(root, None, Held::Root)?;
            writer.run()?;
        }
    }
    writer.assemble(sink);
    Ok(())
}

/// An element of a list of so many; none behind the last.
fn element(array: &Array, at: usize, len: u64) -> Result<Option<Value>> {
    // Lists have no counted nulls, so that a run is an element, up to the first null.
    if at as u64 >= len {
        return Ok(None);
    }
    match array.elements.run(at) {
        Some(Run::One(value)) if value != Value::Null => Ok(Some(value)),
        Some(Run::Nulls(0)) | None => Ok(None),
        Some(_) => Err(unrepresentable("null in a list")),
    }
}

/// What a class of the graph is in the model: its position there, and where each of the model's fields stands in an instance.
#[derive(Clone)]
struct Plan {
    class: usize,
    places: std::rc::Rc<[usize]>,
}

/// The numbers of what was met.
#[derive(Default)]
struct Numbers<'g> {
    objects: HashMap<ObjectId, u32>,
    texts: HashMap<&'g str, u32>,
    /// By a class's position in the model; none is a string.
    types: HashMap<Option<usize>, u32>,
    last: u32,
}

impl Numbers<'_> {
    /// The next number.
    fn next(&mut self) -> u32 {
        // There are fewer objects than a u32 counts: ids are u32.
        self.last += 1;
        self.last
    }
}

/// How an object is held that is begun.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Root,
    ByValue,
    Numbered,
}

/// An object that is being written.
struct Frame<'g> {
    id: ObjectId,
    instance: &'g Instance,
    plan: Plan,
    /// The field that is next, and its item, if it is a list.
    field: usize,
    list: Option<(&'g Array, u64, usize)>,
    /// How many messages end with it.
    messages: u8,
    held: Held,
    /// What [`Writer::by_value`] had for it.
    before: Option<u32>,
}

/// A length that is to be put in at a place of the body.
struct Length {
    at: usize,
    len: u64,
}

struct Writer<'g, 'm> {
    model: &'m Model,
    graph: &'g Graph,
    root: ObjectId,
    plans: Vec<Option<Plan>>,
    numbers: Numbers<'g>,
    /// The objects that are being written without a number, and the last number that was given out when they were begun.
    by_value: HashMap<ObjectId, u32>,
    body: Vec<u8>,
    lengths: Vec<Length>,
    /// The lengths that are not known yet, and how many bytes the lengths inside of them take.
    open: Vec<(usize, u64)>,
    stack: Vec<Frame<'g>>,
}

impl<'g> Writer<'g, '_> {
    fn root_item(&mut self, value: Value) -> Result<()> {
        let Value::Object(id) = value else {
            return Err(unrepresentable("a root list of values that are no objects"));
        };
        put_key(1, LENGTH, &mut self.body);
        self.begin()?;
        self.push(id, None, Held::ByValue)
    }

    /// Writes what is on the stack, to its end.
    fn run(&mut self) -> Result<()> {
        let model = self.model;
        while let Some(frame) = self.stack.last_mut() {
            let class = &model.classes[frame.plan.class];
            if let Some((array, len, at)) = &mut frame.list {
                let value = element(array, *at, *len)?;
                *at += 1;
                match value {
                    Some(value) => {
                        let field = &class.fields[frame.field];
                        self.member(field, value, true)?;
                    }
                    None => {
                        frame.list = None;
                        frame.field += 1;
                    }
                }
                continue;
            }
            let Some(field) = class.fields.get(frame.field) else {
                self.pop();
                continue;
            };
            let value = frame.instance.values.get(frame.plan.places[frame.field]).copied().unwrap_or(Value::Null);
            if field.list && value != Value::Null {
                let items = if let Value::Object(id) = value { self.graph.items(id) } else { None };
                let (array, len) = items.ok_or_else(|| unrepresentable(format!("{} of {}, which is no list,", field.name, class.name)))?;
                frame.list = Some((array, len, 0));
            } else {
                frame.field += 1;
                self.member(field, value, false)?;
            }
        }
        Ok(())
    }

    fn member(&mut self, field: &ModelField, value: Value, item: bool) -> Result<()> {
        if value == Value::Null {
            return Ok(());
        }
        if field.as_reference || field.dynamic_type {
            return self.around(field, value);
        }
        match (field.holds, value) {
            (Holds::Value(kind), value) => {
                let scalar = to_contract(kind, value)
                    .ok_or_else(|| unrepresentable(format!("{value:?} in {}, which is a {},", field.name, kind.name())))?;
                let layout = layout(kind);
                // The year 1 is not left out, and a sign of zero is.
                let zero = match &scalar {
                    contract::Value::Double(value) => *value == 0.0,
                    contract::Value::Single(value) => *value == 0.0,
                    scalar => *scalar == layout.zero() && kind != Primitive::DateTime,
                };
                if item || !zero {
                    put_key(field.number, layout.wire(), &mut self.body);
                    write_value::<CodeFirst>(&layout, &scalar, &mut self.body, 0)?;
                }
                Ok(())
            }
            (Holds::Text, Value::Object(id)) => {
                let Object::Text(text) = self.graph.object(id) else {
                    return Err(unrepresentable(format!("{} in {}, which is a string,", self.graph.type_name(id), field.name)));
                };
                put_key(field.number, LENGTH, &mut self.body);
                self.text(text)
            }
            (Holds::Class(class), Value::Object(id)) => {
                put_key(field.number, LENGTH, &mut self.body);
                self.begin()?;
                self.push(id, Some(class), Held::ByValue)
            }
            (Holds::Any, _) => Err(unrepresentable(format!("{}, whose type is neither known nor dynamic,", field.name))),
            (_, value) => Err(unrepresentable(format!("{value:?} in {}", field.name))),
        }
    }

    /// Writes the message around an object.
    fn around(&mut self, field: &ModelField, value: Value) -> Result<()> {
        let Value::Object(id) = value else {
            return Err(unrepresentable(format!("{value:?} in {}, which refers to objects,", field.name)));
        };
        let graph = self.graph;
        put_key(field.number, LENGTH, &mut self.body);
        self.begin()?;
        let object = graph.object(id);
        if field.as_reference {
            let known = match object {
                _ if id == self.root => Some(0),
                Object::Text(text) => self.numbers.texts.get(&**text).copied(),
                _ => self.numbers.objects.get(&id).copied(),
            };
            if let Some(number) = known {
                self.number(field::EXISTING_OBJECT, number);
                self.end();
                return Ok(());
            }
            let number = self.numbers.next();
            match object {
                Object::Text(text) => self.numbers.texts.insert(text, number),
                _ => self.numbers.objects.insert(id, number),
            };
            self.number(field::NEW_OBJECT, number);
        }
        let class = match object {
            Object::Text(_) => None,
            Object::Instance(instance) => Some(self.plan(instance)?.class),
            Object::Array(_) => return Err(unrepresentable(format!("an array in {}", field.name))),
        };
        if field.dynamic_type {
            match self.numbers.types.get(&class) {
                Some(&number) => self.number(field::EXISTING_TYPE, number),
                None => {
                    let number = self.numbers.next();
                    self.numbers.types.insert(class, number);
                    self.number(field::NEW_TYPE, number);
                    put_key(field::TYPE_NAME, LENGTH, &mut self.body);
                    match class.map(|class| &self.model.classes[class]) {
                        Some(class) => self.text(&format!("{}, {}", class.name, class.library))?,
                        None => self.text(TEXT_TYPE)?,
                    }
                }
            }
        }
        let declared = match field.holds {
            Holds::Text => Some(None),
            Holds::Class(class) => Some(Some(class)),
            Holds::Any => None,
            Holds::Value(_) => return Err(unrepresentable(format!("{}, a value, as a reference", field.name))),
        };
        if declared.is_some_and(|declared| declared != class) {
            return Err(unrepresentable(format!("{} in {}, which is declared as another type,", graph.type_name(id), field.name)));
        }
        put_key(field::OBJECT, LENGTH, &mut self.body);
        match object {
            Object::Text(text) => {
                self.text(text)?;
                self.end();
                Ok(())
            }
            _ => {
                self.begin()?;
                self.push(id, class, if field.as_reference { Held::Numbered } else { Held::ByValue })?;
                if let Some(frame) = self.stack.last_mut() {
                    frame.messages = 2;
                }
                Ok(())
            }
        }
    }

    fn number(&mut self, field: u32, number: u32) {
        put_key(field, VARINT, &mut self.body);
        append_varint(&mut self.body, number.into());
    }

    fn text(&mut self, text: &str) -> Result<()> {
        append_varint(&mut self.body, text.len() as u64);
        self.body.extend_from_slice(text.as_bytes());
        self.checked()
    }

    /// Lengths are i32 in the original. Objects that are shared but not referred to are written as often as they are held, so that this
    /// is also what ends such a doubling.
    fn checked(&self) -> Result<()> {
        match i32::try_from(self.body.len()) {
            Ok(_) => Ok(()),
            Err(_) => Err(unrepresentable("a payload of 2^31 bytes or more")),
        }
    }

    /// Begins a message.
    fn begin(&mut self) -> Result<()> {
        self.checked()?;
        self.open.push((self.lengths.len(), 0));
        self.lengths.push(Length { at: self.body.len(), len: 0 });
        Ok(())
    }

    /// Ends the message that was begun last.
    fn end(&mut self) {
        if let Some((at, inside)) = self.open.pop() {
            let length = &mut self.lengths[at];
            length.len = (self.body.len() - length.at) as u64 + inside;
            let takes = inside + varint_size(length.len) as u64;
            if let Some((_, outside)) = self.open.last_mut() {
                *outside += takes;
            }
        }
    }

    fn plan(&mut self, instance: &Instance) -> Result<Plan> {
        if let Some(plan) = &self.plans[instance.class.index()] {
            return Ok(plan.clone());
        }
        let class = self.graph.class(instance.class);
        let position = self.model.classes.iter().position(|known| known.name == class.name);
        let position =
            position.ok_or_else(|| unrepresentable(format!("an object of the class {}, which the model has not,", class.name)))?;
        let place = |field: &ModelField| {
            let place = class.members.iter().position(|member| member.name == field.name || member.plain_name() == &*field.name);
            place.ok_or_else(|| unrepresentable(format!("an object of the class {} without {}", class.name, field.name)))
        };
        let plan = Plan { class: position, places: self.model.classes[position].fields.iter().map(place).collect::<Result<_>>()? };
        self.plans[instance.class.index()] = Some(plan.clone());
        Ok(plan)
    }

    /// Begins an object; what is declared is a class's position in the model.
    fn push(&mut self, id: ObjectId, declared: Option<usize>, held: Held) -> Result<()> {
        let Object::Instance(instance) = self.graph.object(id) else {
            return Err(unrepresentable(format!("{} as an object of a class", self.graph.type_name(id))));
        };
        let plan = self.plan(instance)?;
        if declared.is_some_and(|declared| declared != plan.class) {
            return Err(unrepresentable(format!("{} in a member that is declared as another class", self.graph.type_name(id))));
        }
        let mut before = None;
        if held != Held::Numbered {
            let last = self.numbers.last;
            before = self.by_value.insert(id, last);
            // Nothing was given a number since it was begun, so that it would be begun again and again.
            if before == Some(last) {
                return Err(unrepresentable(format!("a cycle of objects without references, through {},", self.graph.type_name(id))));
            }
        }
        self.stack.push(Frame { id, instance, plan, field: 0, list: None, messages: u8::from(held != Held::Root), held, before });
        Ok(())
    }

    fn pop(&mut self) {
        if let Some(frame) = self.stack.pop() {
            for _ in 0..frame.messages {
                self.end();
            }
            match frame.before {
                _ if frame.held == Held::Numbered => {}
                Some(before) => drop(self.by_value.insert(frame.id, before)),
                None => drop(self.by_value.remove(&frame.id)),
            }
        }
    }

    /// Puts the lengths in.
    fn assemble(&self, sink: &mut Vec<u8>) {
        let lengths: usize = self.lengths.iter().map(|length| varint_size(length.len)).sum();
        sink.reserve(self.body.len() + lengths);
        let mut done = 0;
        for length in &self.lengths {
            sink.extend_from_slice(&self.body[done..length.at]);
            append_varint(sink, length.len);
            done = length.at;
        }
        sink.extend_from_slice(&self.body[done..]);
    }
}

/// How a value is laid out.
pub(super) fn layout(kind: Primitive) -> contract::Kind {
    match kind {
        Primitive::Bool => contract::Kind::Bool,
        Primitive::I8 | Primitive::I16 | Primitive::I32 => contract::Kind::Int32,
        Primitive::I64 => contract::Kind::Int64,
        Primitive::U8 | Primitive::U16 | Primitive::U32 | Primitive::U64 | Primitive::Char => contract::Kind::Unsigned,
        Primitive::F32 => contract::Kind::Single,
        Primitive::F64 => contract::Kind::Double,
        Primitive::Decimal => contract::Kind::Decimal,
        Primitive::DateTime => contract::Kind::DateTime,
        Primitive::TimeSpan => contract::Kind::TimeSpan,
    }
}

/// A value that is of the kind, as the contract's writer takes it.
fn to_contract(kind: Primitive, value: Value) -> Option<contract::Value> {
    use contract::Value::{Bool, Double, Integer, Single, Unsigned};
    if value.primitive() != Some(kind) {
        return None;
    }
    Some(match value {
        Value::Null | Value::Object(_) => return None,
        Value::Bool(value) => Bool(value),
        Value::I8(value) => Integer(value.into()),
        Value::I16(value) => Integer(value.into()),
        Value::I32(value) => Integer(value.into()),
        Value::I64(value) => Integer(value),
        Value::U8(value) => Unsigned(value.into()),
        Value::U16(value) | Value::Char(value) => Unsigned(value.into()),
        Value::U32(value) => Unsigned(value.into()),
        Value::U64(value) => Unsigned(value),
        Value::F32(value) => Single(value),
        Value::F64(value) => Double(value),
        Value::DateTime(value) => Integer(value.ticks() as i64),
        Value::TimeSpan(value) => Integer(value.0),
        Value::Decimal(value) => contract::Value::Decimal {
            low: value.mantissa() as u64,
            high: (value.mantissa() >> 64) as u32,
            scale: value.scale(),
            negative: value.is_negative(),
        },
    })
}
