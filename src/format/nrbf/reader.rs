//! Records to a [`Graph`].

use super::bytes::Bytes;
use super::records::{self, Sink};
use crate::error::Result;
use crate::graph::{Array, Class, ClassId, Elements, Graph, Instance, Object, ObjectId, Run, Shape, Type, Value};
use crate::limits::Limits;

/// Reads a payload's graph, and tells how many bytes it took.
pub(super) fn read(payload: &[u8], limits: &Limits) -> Result<(Graph, usize)> {
    let mut sink = ToGraph::default();
    let contents = records::read(payload, limits, &mut sink)?;
    // Every place that was given out has its object by now.
    debug_assert_eq!(sink.objects.len(), contents.objects);
    Ok((Graph::from_parts(contents.root, sink.objects, contents.classes, contents.libraries), contents.used))
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
