//! Records to a [`Graph`].

use super::NAME;
use super::bytes::Bytes;
use super::records::{self, Sink};
use crate::error::{Error, Result};
use crate::graph::{Array, Class, ClassId, Elements, Graph, Instance, Object, ObjectId, Run, Shape, Type, Value};
use crate::limits::{Limits, Meter};

/// Reads a payload's graph, and tells how many bytes it took.
///
/// The payload is read twice. The first time nothing is made of it, and what a graph of it takes is counted: so a payload that is refused
/// has cost little more than the ids of its objects, whatever it describes, and one that is accepted has its list of objects at once.
pub(super) fn read(payload: &[u8], limits: &Limits) -> Result<(Graph, usize)> {
    let mut count = Count { meter: Meter::new(*limits), in_nulls: false };
    let objects = records::read(payload, limits, &mut count)?.objects;
    let mut sink = ToGraph { objects: Vec::with_capacity(objects), ..ToGraph::default() };
    let contents = records::read(payload, limits, &mut sink)?;
    // Every place that was given out has its object by now.
    debug_assert_eq!(sink.objects.len(), contents.objects);
    Ok((Graph::from_parts(contents.root, sink.objects, contents.classes, contents.libraries), contents.used))
}

/// Counts the memory that a graph takes, to the byte but for its classes, which [`records`] counts.
struct Count {
    meter: Meter,
    /// Whether nulls of one array were last: more of them are part of the same run.
    in_nulls: bool,
}

impl Count {
    #[inline]
    fn take(&mut self, memory: usize, offset: usize) -> Result<()> {
        self.in_nulls = false;
        self.meter.allocate(memory).map_err(|problem| Error::at(NAME, offset, problem))
    }
}

impl<'p> Sink<'p> for Count {
    fn class(&mut self, _: &[Class], _: &Bytes<'p>) -> Result<()> {
        self.in_nulls = false;
        Ok(())
    }

    fn instance(&mut self, _: ObjectId, _: ClassId, _: bool, bytes: &Bytes<'p>) -> Result<()> {
        self.take(size_of::<Object>(), bytes.offset())
    }

    fn array(&mut self, _: ObjectId, _: Type, _: Shape, bytes: &Bytes<'p>) -> Result<()> {
        self.take(size_of::<Object>() + size_of::<Array>(), bytes.offset())
    }

    fn primitives(&mut self, _: ObjectId, _: Type, _: Shape, elements: Elements, bytes: &Bytes<'p>) -> Result<()> {
        self.take(size_of::<Object>() + size_of::<Array>() + elements.memory(), bytes.offset())
    }

    fn text(&mut self, _: ObjectId, text: &'p str, offset: usize) -> Result<()> {
        self.take(size_of::<Object>() + text.len(), offset)
    }

    fn value(&mut self, _: Value, bytes: &Bytes<'p>) -> Result<()> {
        self.take(size_of::<Run>(), bytes.offset())
    }

    fn nulls(&mut self, _: u32, bytes: &Bytes<'p>) -> Result<()> {
        if !self.in_nulls {
            self.take(size_of::<Run>(), bytes.offset())?;
        }
        self.in_nulls = true;
        Ok(())
    }

    fn end(&mut self, _: &Bytes<'p>) -> Result<()> {
        self.in_nulls = false;
        Ok(())
    }
}

/// What holds the values that come next.
enum Open {
    Instance { place: ObjectId, class: ClassId, in_place: bool, start: usize },
    Array { place: ObjectId, element: Type, shape: Shape, start: usize },
}

/// The values of all that is open stand in one list each, those of the innermost last: so what is complete is cut off to its exact size,
/// and nothing is reserved for what a payload only announces.
#[derive(Default)]
struct ToGraph {
    objects: Vec<Object>,
    open: Vec<Open>,
    values: Vec<Value>,
    runs: Vec<Run>,
}

impl ToGraph {
    fn put(&mut self, place: ObjectId, object: Object) {
        if place.index() >= self.objects.len() {
            self.objects.resize_with(place.index() + 1, || Object::Text(Box::default()));
        }
        self.objects[place.index()] = object;
    }
}

impl<'p> Sink<'p> for ToGraph {
    fn class(&mut self, _: &[Class], _: &Bytes<'p>) -> Result<()> {
        Ok(())
    }

    fn instance(&mut self, place: ObjectId, class: ClassId, in_place: bool, _: &Bytes<'p>) -> Result<()> {
        self.open.push(Open::Instance { place, class, in_place, start: self.values.len() });
        Ok(())
    }

    fn array(&mut self, place: ObjectId, element: Type, shape: Shape, _: &Bytes<'p>) -> Result<()> {
        self.open.push(Open::Array { place, element, shape, start: self.runs.len() });
        Ok(())
    }

    fn primitives(&mut self, place: ObjectId, element: Type, shape: Shape, elements: Elements, _: &Bytes<'p>) -> Result<()> {
        self.put(place, Object::Array(Box::new(Array { element, shape, elements })));
        Ok(())
    }

    fn text(&mut self, place: ObjectId, text: &'p str, _: usize) -> Result<()> {
        self.put(place, Object::Text(text.into()));
        Ok(())
    }

    fn value(&mut self, value: Value, _: &Bytes<'p>) -> Result<()> {
        match self.open.last() {
            Some(Open::Array { .. }) => self.runs.push(Run::One(value)),
            _ => self.values.push(value),
        }
        Ok(())
    }

    fn nulls(&mut self, count: u32, _: &Bytes<'p>) -> Result<()> {
        let start = match self.open.last() {
            Some(&Open::Array { start, .. }) => start,
            _ => 0,
        };
        match self.runs[start..].last_mut() {
            // An array has fewer elements than a u32 counts, so its nulls together do not overflow.
            Some(Run::Nulls(before)) => *before += count,
            _ => self.runs.push(Run::Nulls(count)),
        }
        Ok(())
    }

    fn end(&mut self, _: &Bytes<'p>) -> Result<()> {
        match self.open.pop() {
            Some(Open::Instance { place, class, in_place, start }) => {
                let values = self.values.drain(start..).collect();
                self.put(place, Object::Instance(Instance { class, in_place, values }));
            }
            Some(Open::Array { place, element, shape, start }) => {
                let elements = Elements::Values(self.runs.drain(start..).collect());
                self.put(place, Object::Array(Box::new(Array { element, shape, elements })));
            }
            None => {}
        }
        Ok(())
    }
}
