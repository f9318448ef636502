//! Graphs as protobuf-net 2 writes them: objects that are shared and point back (`AsReference`), and objects whose type the payload
//! names (`DynamicType`). Release 3 refuses both.
//!
//! Such a member is a message around the object: 1 the number of an object that was there before, or 2 the number of a new one; 3 the
//! number of a type that was there before, or 4 that of a new one and 8 its name; 10 the object. Objects, strings and types count
//! together, from 1; the root is number 0. Strings are one if they are equal. The elements of a root list have no numbers.
//!
//! Source: the payloads that release 2.0.0.668 wrote (see the tests), and its documentation of these attributes. Classes that are
//! derived from others, and groups, are absent here.

mod notation;
mod read;
mod write;

use serde::Deserialize;

use crate::error::Result;
use crate::graph::{Class, Graph, LibraryId, Member, Primitive, Type};
use crate::limits::Limits;
use crate::payload::Payload;
use crate::registry::Modelled;

/// The classes of a graph, as their attributes describe them. The payload has numbers only, so nothing is read or written without one.
///
/// As JSON: `{"library": …, "classes": [{"name": …, "fields": [{"number": 1, "name": …, "type": …}]}]}`. A type is one of these classes or,
/// by its full name, a kind of value, `System.String` or `System.Object`; a field that is `"list"`, `"as_reference"` or `"dynamic_type"`
/// says so with `true`.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(try_from = "notation::Written")]
pub struct Model {
    /// The classes; a [`Holds::Class`] names one by its position.
    pub classes: Vec<ModelClass>,
}

/// A class that is a contract.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelClass {
    /// The full name.
    pub name: Box<str>,
    /// The library, with version and key: behind the name, it is what a dynamic type is called.
    pub library: Box<str>,
    /// The members, in the order of their numbers.
    pub fields: Vec<ModelField>,
}

/// A member that has a number.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelField {
    /// The number.
    pub number: u32,
    /// The name.
    pub name: Box<str>,
    /// What it holds, or what each of its items is.
    pub holds: Holds,
    /// Whether it is a list.
    pub list: bool,
    /// `AsReference`: what it holds has a number, so that it may be held elsewhere too.
    pub as_reference: bool,
    /// `DynamicType`: the payload names the type.
    pub dynamic_type: bool,
}

/// What a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Holds {
    /// A value that is no object.
    Value(Primitive),
    /// A string.
    Text,
    /// An object of the class at this position.
    Class(usize),
    /// A string or an object of any class, which only a dynamic type can tell.
    Any,
}

/// What a payload starts with: it does not tell itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// An object of the class at this position.
    Class(usize),
    /// A list of such objects.
    List(usize),
}

/// The message's own fields.
mod field {
    pub(super) const EXISTING_OBJECT: u32 = 1;
    pub(super) const NEW_OBJECT: u32 = 2;
    pub(super) const EXISTING_TYPE: u32 = 3;
    pub(super) const NEW_TYPE: u32 = 4;
    pub(super) const TYPE_NAME: u32 = 8;
    pub(super) const OBJECT: u32 = 10;
}

/// What a string is called where its type is dynamic.
const TEXT_TYPE: &str = "System.String, mscorlib, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089";

impl Model {
    /// Writes a graph whose root is an object of one of the classes, or a list of such. The content of `sink` is replaced.
    ///
    /// A class of the graph is the model's of the same name, a member that of the same name or of the property that it was made for; lists
    /// may be arrays or `List<T>`.
    ///
    /// # Errors
    ///
    /// An object is of no class of the model, or a member is missing or holds something else; a list holds null; objects that are not held
    /// as references form a cycle; the payload would be longer than 2,147,483,647 bytes.
    pub fn write(&self, graph: &Graph, sink: &mut Vec<u8>) -> Result<()> {
        write::write(self, graph, sink)
    }

    /// Reads a graph under limits: [`Limits::for_payload`] if nothing else is known of the bytes. What is held by reference is one object,
    /// wherever it is held. Lists become arrays.
    ///
    /// # Errors
    ///
    /// The payload is malformed; it refers to what it has not brought yet, names a type that the model has not, or holds an object of
    /// another class than the member; its objects ask for more than a limit allows. Objects are told from each other without the call stack,
    /// so depth is limited only where nobody asked for what nests.
    pub fn read(&self, root: Root, payload: &[u8], limits: &Limits) -> Result<Graph> {
        read::read(self, root, payload, limits)
    }

    /// The classes and libraries of a graph that is read.
    fn described(&self) -> (Vec<Class>, Vec<Box<str>>) {
        let mut libraries: Vec<Box<str>> = Vec::new();
        for class in &self.classes {
            if !libraries.contains(&class.library) {
                libraries.push(class.library.clone());
            }
        }
        let library = |class: &ModelClass| libraries.iter().position(|library| *library == class.library).map(LibraryId::new);
        let declared = |field: &ModelField| match (field.holds, field.list) {
            (Holds::Value(kind), false) => Type::Primitive(kind),
            (Holds::Value(kind), true) => Type::PrimitiveArray(kind),
            (Holds::Text, false) => Type::Text,
            (Holds::Text, true) => Type::TextArray,
            (Holds::Any, false) => Type::Object,
            (Holds::Any, true) => Type::ObjectArray,
            (Holds::Class(at), list) => {
                let class = &self.classes[at];
                let name = if list { format!("{}[]", class.name).into() } else { class.name.clone() };
                Type::Named { name, library: library(class) }
            }
        };
        let member = |field: &ModelField| Member { name: field.name.clone(), declared: declared(field) };
        let class = |class: &ModelClass| Class {
            name: class.name.clone(),
            library: library(class),
            members: class.fields.iter().map(member).collect(),
        };
        (self.classes.iter().map(class).collect(), libraries)
    }
}

/// Takes a model, as JSON, and the name of its root; the first class without one.
pub(super) fn modelled(json: &[u8], root: Option<&str>) -> std::result::Result<Box<dyn Modelled>, String> {
    let model: Model = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    let names = || model.classes.iter().map(|class| &*class.name).collect::<Vec<_>>().join(", ");
    let first = model.classes.first().map(|class| class.name.clone()).ok_or("it has no class")?;
    let root = root.unwrap_or(&first);
    let root = model.root(root).ok_or_else(|| format!("it has no class {root:?}; there are {}, and list:NAME for a list", names()))?;
    Ok(Box::new(Rooted { model, root }))
}

/// A model, and what the root of a payload is.
struct Rooted {
    model: Model,
    root: Root,
}

impl Modelled for Rooted {
    fn read(&self, payload: &Payload) -> Result<Graph> {
        self.model.read(self.root, payload, &payload.limits())
    }

    fn write(&self, graph: &Graph, sink: &mut Vec<u8>) -> Result<()> {
        self.model.write(graph, sink)
    }
}
