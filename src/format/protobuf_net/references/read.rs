//! A payload to a graph, without the call stack growing.

use std::collections::HashMap;

use super::super::CodeFirst;
use super::write::layout;
use super::{Holds, Model, Root, field};
use crate::error::{Error, Result};
use crate::format::contract::{self, read_value};
use crate::format::dotnet_protobuf::{self, LENGTH, VARINT};
use crate::graph::{
    Array, Class, ClassId, DateTime, DateTimeKind, Decimal, Elements, Graph, Instance, Object, ObjectId, Primitive, Run, Shape, TimeSpan,
    Type, Value,
};
use crate::limits::Limits;

type Reader<'p> = dotnet_protobuf::Reader<'p, CodeFirst>;

pub(super) fn read(model: &Model, root: Root, payload: &[u8], limits: &Limits) -> Result<Graph> {
    let (classes, libraries) = model.described();
    let mut reading = Reading {
        model,
        reader: Reader::new(payload, *limits),
        objects: Vec::new(),
        zeros: model.classes.iter().map(|class| class.fields.iter().map(|field| zero(field.holds, field.list)).collect()).collect(),
        lists: HashMap::new(),
        frames: Vec::new(),
        known: Vec::new(),
        root: None,
    };
    let place = match root {
        Root::Class(class) => {
            let place = reading.new_instance(class)?;
            reading.root = Some(place);
            reading.frames.push(Frame { outer: payload.len(), what: What::Instance { place, class } });
            place
        }
        Root::List(class) => {
            let place = reading.new_list(Holds::Class(class))?;
            reading.frames.push(Frame { outer: payload.len(), what: What::Roots { class, place } });
            place
        }
    };
    reading.run()?;
    for (place, (holds, runs)) in std::mem::take(&mut reading.lists) {
        reading.objects[place.index()] = array(holds, runs, &classes);
    }
    Ok(Graph::from_parts(place, reading.objects, classes, libraries))
}

/// What a member holds before anything is read of it.
fn zero(holds: Holds, list: bool) -> Value {
    match holds {
        Holds::Value(kind) if !list => from_contract(kind, layout(kind).zero()).unwrap_or(Value::Null),
        _ => Value::Null,
    }
}

/// A type that a payload names.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    Text,
    Class(usize),
}

/// What has a number.
#[derive(Clone, Copy)]
enum Known {
    Object(ObjectId),
    Type(Named),
}

/// A message that is being read, and where the one around it ends.
struct Frame {
    outer: usize,
    what: What,
}

enum What {
    /// A root list.
    Roots { class: usize, place: ObjectId },
    /// An object.
    Instance { place: ObjectId, class: usize },
    /// The message around what a member of the object below refers to.
    Around { class: usize, field: usize, new_object: Option<u32>, new_type: Option<u32>, named: Option<Named>, value: Value },
}

struct Reading<'p, 'm> {
    model: &'m Model,
    reader: Reader<'p>,
    objects: Vec<Object>,
    /// What the members of a new object of each class hold.
    zeros: Vec<Box<[Value]>>,
    /// What the lists hold so far, by the places that their arrays will have: a list may go on after other members.
    lists: HashMap<ObjectId, (Holds, Vec<Run>)>,
    frames: Vec<Frame>,
    /// What has the numbers from 1 on.
    known: Vec<Known>,
    root: Option<ObjectId>,
}

impl Reading<'_, '_> {
    fn run(&mut self) -> Result<()> {
        while let Some(frame) = self.frames.last() {
            let class = match frame.what {
                What::Instance { class, .. } => Some(class),
                What::Roots { .. } | What::Around { .. } => None,
            };
            match self.reader.field()? {
                None => self.close()?,
                Some((number, wire)) => match class {
                    Some(class) => self.member(class, number, wire)?,
                    None => self.other(number, wire)?,
                },
            }
        }
        Ok(())
    }

    #[cold]
    fn malformed(&self, reason: impl Into<String>) -> Error {
        self.reader.malformed(reason)
    }

    /// Puts an item into a list, if it is one.
    fn push(&mut self, list: ObjectId, value: Value) -> Result<()> {
        self.reader.list::<Run>(1)?;
        if let Some((_, runs)) = self.lists.get_mut(&list) {
            runs.push(Run::One(value));
        }
        Ok(())
    }

    /// An object whose members are zero: with a thousand of them it is two bytes of a payload.
    fn new_instance(&mut self, class: usize) -> Result<ObjectId> {
        self.reader.allocate(size_of::<Object>() + self.zeros[class].len() * size_of::<Value>())?;
        let instance = Instance { class: ClassId::new(class), in_place: false, values: self.zeros[class].clone() };
        Ok(self.add(Object::Instance(instance)))
    }

    fn new_list(&mut self, holds: Holds) -> Result<ObjectId> {
        // The array that it becomes, and what it is collected in.
        self.reader.allocate(size_of::<Object>() + size_of::<Array>() + 2 * size_of::<(ObjectId, (Holds, Vec<Run>))>())?;
        let place = self.add(Object::Text(Box::default()));
        self.lists.insert(place, (holds, Vec::new()));
        Ok(place)
    }

    fn add(&mut self, object: Object) -> ObjectId {
        self.objects.push(object);
        ObjectId::new(self.objects.len() - 1)
    }

    /// Enters a message.
    fn enter(&mut self, wire: u8, what: What) -> Result<()> {
        if wire != LENGTH {
            return Err(self.malformed(format!("a message in wire type {wire}")));
        }
        let len = self.reader.length()?;
        let outer = self.reader.end;
        match self.reader.at.checked_add(len) {
            Some(end) if end <= outer => self.reader.end = end,
            _ => return Err(self.reader.truncated(len)),
        }
        self.frames.push(Frame { outer, what });
        Ok(())
    }

    /// Enters an object: the one that is there already, if it is of the class, or a new one.
    fn enter_instance(&mut self, wire: u8, class: usize, there: Value) -> Result<ObjectId> {
        let place = match there {
            Value::Object(id) if self.is_of(id, class) => id,
            _ => self.new_instance(class)?,
        };
        self.enter(wire, What::Instance { place, class })?;
        Ok(place)
    }

    fn is_of(&self, id: ObjectId, class: usize) -> bool {
        matches!(&self.objects[id.index()], Object::Instance(instance) if instance.class.index() == class)
    }

    /// What a member of the object that is being read holds.
    fn there(&self, field: usize) -> Value {
        let Some(Frame { what: What::Instance { place, .. }, .. }) = self.frames.last() else { return Value::Null };
        match &self.objects[place.index()] {
            Object::Instance(instance) => instance.values[field],
            _ => Value::Null,
        }
    }

    /// Gives a value to a member of the object that is being read, or to its list.
    fn set(&mut self, class: usize, field: usize, value: Value) -> Result<()> {
        let Some(&Frame { what: What::Instance { place, .. }, .. }) = self.frames.last() else { return Ok(()) };
        let member = &self.model.classes[class].fields[field];
        let mut value = value;
        if member.list {
            let list = match self.there(field) {
                Value::Object(list) => list,
                _ => self.new_list(member.holds)?,
            };
            self.push(list, value)?;
            value = Value::Object(list);
        }
        if let Object::Instance(instance) = &mut self.objects[place.index()] {
            instance.values[field] = value;
        }
        Ok(())
    }

    /// Reads a member of an object.
    fn member(&mut self, class: usize, number: u32, wire: u8) -> Result<()> {
        let Some(at) = self.model.classes[class].fields.iter().position(|field| field.number == number) else {
            return self.reader.skip(number, wire, 0);
        };
        let field = &self.model.classes[class].fields[at];
        if field.as_reference || field.dynamic_type {
            let value = if field.list { Value::Null } else { self.there(at) };
            let what = What::Around { class, field: at, new_object: None, new_type: None, named: None, value };
            return self.enter(wire, what);
        }
        match field.holds {
            Holds::Value(kind) => self.value(class, at, kind, wire),
            Holds::Text => {
                let text = self.text(wire)?;
                self.set(class, at, text)
            }
            Holds::Class(inner) => {
                let there = if field.list { Value::Null } else { self.there(at) };
                // The member is set before the object is read: nothing of it depends on what follows.
                let place = match there {
                    Value::Object(id) if self.is_of(id, inner) => id,
                    _ => self.new_instance(inner)?,
                };
                self.set(class, at, Value::Object(place))?;
                self.enter_instance(wire, inner, Value::Object(place)).map(drop)
            }
            Holds::Any => Err(self.malformed(format!("field {number}, whose type is neither known nor dynamic"))),
        }
    }

    /// Reads a value, or the packed values of a list.
    fn value(&mut self, class: usize, at: usize, kind: Primitive, wire: u8) -> Result<()> {
        let layout = layout(kind);
        let packed = self.model.classes[class].fields[at].list && wire == LENGTH && layout.wire() != LENGTH;
        if !packed {
            let value = self.one(kind, &layout, wire)?;
            return self.set(class, at, value);
        }
        let len = self.reader.length()?;
        let outer = self.reader.end;
        match self.reader.at.checked_add(len) {
            Some(end) if end <= outer => self.reader.end = end,
            _ => return Err(self.reader.truncated(len)),
        }
        while self.reader.at < self.reader.end {
            let value = self.one(kind, &layout, layout.wire())?;
            self.set(class, at, value)?;
        }
        self.reader.end = outer;
        Ok(())
    }

    fn one(&mut self, kind: Primitive, layout: &contract::Kind, wire: u8) -> Result<Value> {
        let value = read_value::<CodeFirst>(layout, wire, &mut self.reader, 0)?;
        from_contract(kind, value).ok_or_else(|| self.malformed(format!("a value that no {} has", kind.name())))
    }

    fn text(&mut self, wire: u8) -> Result<Value> {
        if wire != LENGTH {
            return Err(self.malformed(format!("a string in wire type {wire}")));
        }
        let text = self.reader.text()?;
        self.reader.allocate(size_of::<Object>() + text.len())?;
        Ok(Value::Object(self.add(Object::Text(text.into()))))
    }

    /// Reads a field of a root list, or of the message around an object.
    fn other(&mut self, number: u32, wire: u8) -> Result<()> {
        match self.frames.last() {
            Some(&Frame { what: What::Roots { class, place: list }, .. }) => {
                if number != 1 {
                    return self.reader.skip(number, wire, 0);
                }
                let place = self.enter_instance(wire, class, Value::Null)?;
                self.push(list, Value::Object(place))
            }
            Some(Frame { what: What::Around { .. }, .. }) => self.around(number, wire),
            _ => Ok(()),
        }
    }

    /// Reads a number of the message around an object.
    fn number(&mut self, wire: u8) -> Result<u32> {
        match wire {
            VARINT => self.reader.varint32(),
            _ => Err(self.malformed(format!("a number of an object in wire type {wire}"))),
        }
    }

    fn find(&self, number: u32) -> Result<Known> {
        let known = match number.checked_sub(1) {
            None => self.root.map(Known::Object),
            Some(at) => self.known.get(at as usize).copied(),
        };
        known.ok_or_else(|| self.malformed(format!("a reference to number {number}, which nothing has yet")))
    }

    /// Numbers are given out in turn, so that none is looked for.
    fn give(&mut self, number: u32, known: Known) -> Result<()> {
        if number as usize != self.known.len() + 1 {
            return Err(self.malformed(format!("number {number} is given out where {} is next", self.known.len() + 1)));
        }
        self.known.push(known);
        Ok(())
    }

    /// What a name stands for: a class of the model, whatever its library's version, or a string.
    fn resolve(&self, name: &str) -> Result<Named> {
        let mut parts = name.split(", ");
        let (class, library) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if class == "System.String" {
            return Ok(Named::Text);
        }
        let known = |known: &super::ModelClass| *known.name == *class && known.library.split(", ").next() == Some(library);
        let position = self.model.classes.iter().position(known);
        position.map(Named::Class).ok_or_else(|| self.malformed(format!("a type {name:.100} that the model has not")))
    }

    /// Reads a field of the message around an object.
    fn around(&mut self, number: u32, wire: u8) -> Result<()> {
        let Some(Frame { what: What::Around { class, field: at, new_object, new_type, named, value }, .. }) = self.frames.last() else {
            return Ok(());
        };
        let (class, at, new_object, new_type, named, value) = (*class, *at, *new_object, *new_type, *named, *value);
        let field = &self.model.classes[class].fields[at];
        match number {
            field::EXISTING_OBJECT => {
                let number = self.number(wire)?;
                let Known::Object(id) = self.find(number)? else {
                    return Err(self.malformed(format!("a reference to number {number}, which is a type")));
                };
                self.note(|_, _, _, value| *value = Value::Object(id));
            }
            field::NEW_OBJECT => {
                if !field.as_reference {
                    return Err(self.malformed("a number of an object where none is referred to"));
                }
                let number = self.number(wire)?;
                self.note(|object, _, _, _| *object = Some(number));
            }
            field::EXISTING_TYPE => {
                let number = self.number(wire)?;
                let Known::Type(known) = self.find(number)? else {
                    return Err(self.malformed(format!("a type of number {number}, which is an object")));
                };
                self.note(|_, _, named, _| *named = Some(known));
            }
            field::NEW_TYPE => {
                let number = self.number(wire)?;
                self.note(|_, kind, _, _| *kind = Some(number));
            }
            field::TYPE_NAME => {
                if wire != LENGTH {
                    return Err(self.malformed(format!("a type's name in wire type {wire}")));
                }
                let name = self.reader.text()?;
                let resolved = self.resolve(name)?;
                self.note(|_, _, named, _| *named = Some(resolved));
            }
            field::OBJECT => {
                let holds = match (named, field.holds) {
                    (Some(named), _) => named,
                    (None, Holds::Text) => Named::Text,
                    (None, Holds::Class(class)) => Named::Class(class),
                    (None, _) => return Err(self.malformed("an object whose type is not told")),
                };
                match holds {
                    Named::Text => {
                        let text = self.text(wire)?;
                        if let (Some(number), Value::Object(id)) = (new_object, text) {
                            self.give(number, Known::Object(id))?;
                        }
                        if let Some(number) = new_type {
                            self.give(number, Known::Type(holds))?;
                        }
                        self.note(|object, kind, _, value| (*object, *kind, *value) = (None, None, text));
                    }
                    Named::Class(inner) => {
                        let place = match value {
                            Value::Object(id) if self.is_of(id, inner) => id,
                            _ => self.new_instance(inner)?,
                        };
                        // What is inside may point back, so the numbers are given out before it is read.
                        if let Some(number) = new_object {
                            self.give(number, Known::Object(place))?;
                        }
                        if let Some(number) = new_type {
                            self.give(number, Known::Type(holds))?;
                        }
                        self.note(|object, kind, _, value| (*object, *kind, *value) = (None, None, Value::Object(place)));
                        self.enter_instance(wire, inner, Value::Object(place))?;
                    }
                }
            }
            _ => self.reader.skip(number, wire, 0)?,
        }
        Ok(())
    }

    /// Changes what is known of the message around an object: the object's number, its type's, its type, the object.
    fn note(&mut self, change: impl FnOnce(&mut Option<u32>, &mut Option<u32>, &mut Option<Named>, &mut Value)) {
        if let Some(Frame { what: What::Around { new_object, new_type, named, value, .. }, .. }) = self.frames.last_mut() {
            change(new_object, new_type, named, value);
        }
    }

    /// Leaves the message that was entered last.
    fn close(&mut self) -> Result<()> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        self.reader.end = frame.outer;
        match frame.what {
            What::Roots { .. } | What::Instance { .. } => Ok(()),
            What::Around { class, field: at, new_object, new_type, value, .. } => {
                if new_object.is_some() || new_type.is_some() {
                    return Err(self.malformed("a number without its object"));
                }
                let field = &self.model.classes[class].fields[at];
                let fits = match (value, field.holds) {
                    (Value::Object(_), Holds::Any) => true,
                    (Value::Object(id), Holds::Text) => matches!(self.objects[id.index()], Object::Text(_)),
                    (Value::Object(id), Holds::Class(inner)) => self.is_of(id, inner),
                    _ => false,
                };
                if !fits {
                    return Err(self.malformed(format!("what {} refers to is not what it holds", field.name)));
                }
                self.set(class, at, value)
            }
        }
    }
}

/// The array of a list's items.
fn array(holds: Holds, runs: Vec<Run>, classes: &[Class]) -> Object {
    // An item takes a byte of the payload at least, and a payload's lengths are i32.
    let shape = Shape::Vector(u32::try_from(runs.len()).unwrap_or(u32::MAX));
    let element = match holds {
        Holds::Value(kind) => Type::Primitive(kind),
        Holds::Text => Type::Text,
        Holds::Any => Type::Object,
        Holds::Class(class) => Type::Named { name: classes[class].name.clone(), library: classes[class].library },
    };
    let elements = match holds {
        Holds::Value(kind) => Elements::of(kind, &runs),
        _ => None,
    };
    let elements = elements.unwrap_or_else(|| Elements::Values(runs.into()));
    Object::Array(Box::new(Array { element, shape, elements }))
}

/// A value of the kind, if it has one.
fn from_contract(kind: Primitive, value: contract::Value) -> Option<Value> {
    use contract::Value::{Bool, Double, Integer, Single, Unsigned};
    Some(match (kind, value) {
        (Primitive::Bool, Bool(value)) => Value::Bool(value),
        (Primitive::I8, Integer(value)) => Value::I8(value.try_into().ok()?),
        (Primitive::I16, Integer(value)) => Value::I16(value.try_into().ok()?),
        (Primitive::I32, Integer(value)) => Value::I32(value.try_into().ok()?),
        (Primitive::I64, Integer(value)) => Value::I64(value),
        (Primitive::U8, Unsigned(value)) => Value::U8(value.try_into().ok()?),
        (Primitive::U16, Unsigned(value)) => Value::U16(value.try_into().ok()?),
        (Primitive::Char, Unsigned(value)) => Value::Char(value.try_into().ok()?),
        (Primitive::U32, Unsigned(value)) => Value::U32(value.try_into().ok()?),
        (Primitive::U64, Unsigned(value)) => Value::U64(value),
        (Primitive::F32, Single(value)) => Value::F32(value),
        (Primitive::F64, Double(value)) => Value::F64(value),
        (Primitive::DateTime, Integer(ticks)) => Value::DateTime(DateTime::new(ticks.try_into().ok()?, DateTimeKind::Unspecified)?),
        (Primitive::TimeSpan, Integer(ticks)) => Value::TimeSpan(TimeSpan(ticks)),
        (Primitive::Decimal, contract::Value::Decimal { low, high, scale, negative }) => {
            Value::Decimal(Decimal::new(negative, u128::from(high) << 64 | u128::from(low), scale)?)
        }
        _ => return None,
    })
}
