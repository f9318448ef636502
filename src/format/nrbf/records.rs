//! The records of a payload, one after the other: what may follow what, and which ids they have.
//!
//! [`Records`] reads each byte once and keeps its place in a list of its own, not on the call stack. What becomes of what it reads is a
//! [`Sink`]'s matter: a graph, or a dataset without one.

use std::collections::HashMap;

use super::NAME;
use super::bytes::{Bytes, memory_of};
use crate::error::{Error, Problem, Result};
use crate::graph::{Class, ClassId, Dimension, Elements, LibraryId, Member, ObjectId, Primitive, Shape, Type, Value};
use crate::limits::{self, Limits, Meter};

/// The kinds of records.
pub(super) mod record {
    pub(crate) const HEADER: u8 = 0;
    pub(crate) const CLASS_WITH_ID: u8 = 1;
    pub(crate) const SYSTEM_CLASS: u8 = 4;
    pub(crate) const CLASS: u8 = 5;
    pub(crate) const TEXT: u8 = 6;
    pub(crate) const ARRAY: u8 = 7;
    pub(crate) const PRIMITIVE: u8 = 8;
    pub(crate) const REFERENCE: u8 = 9;
    pub(crate) const NULL: u8 = 10;
    pub(crate) const END: u8 = 11;
    pub(crate) const LIBRARY: u8 = 12;
    pub(crate) const NULLS_256: u8 = 13;
    pub(crate) const NULLS: u8 = 14;
    pub(crate) const PRIMITIVE_ARRAY: u8 = 15;
    pub(crate) const OBJECT_ARRAY: u8 = 16;
    pub(crate) const TEXT_ARRAY: u8 = 17;
}

/// The kinds of declared types.
pub(super) mod declared {
    pub(crate) const PRIMITIVE: u8 = 0;
    pub(crate) const TEXT: u8 = 1;
    pub(crate) const OBJECT: u8 = 2;
    pub(crate) const SYSTEM_CLASS: u8 = 3;
    pub(crate) const CLASS: u8 = 4;
    pub(crate) const OBJECT_ARRAY: u8 = 5;
    pub(crate) const TEXT_ARRAY: u8 = 6;
    pub(crate) const PRIMITIVE_ARRAY: u8 = 7;
}

/// The most elements of one dimension, as .NET has it.
pub(super) const MAX_LENGTH: u32 = 0x7FFF_FFC7;
/// The most dimensions, as .NET has it.
pub(super) const MAX_RANK: i32 = 32;

/// Sets of kinds of records, a bit each.
mod allowed {
    use super::record::*;

    const fn set(records: &[u8]) -> u32 {
        let mut set = 0;
        let mut at = 0;
        while at < records.len() {
            set |= 1 << records[at];
            at += 1;
        }
        set
    }

    const NULL_OR_REFERENCE: u32 = set(&[NULL, REFERENCE]);
    pub(super) const RUNS: u32 = set(&[NULLS, NULLS_256]);
    pub(super) const OBJECT: u32 =
        NULL_OR_REFERENCE | set(&[PRIMITIVE, OBJECT_ARRAY, PRIMITIVE_ARRAY, TEXT_ARRAY, ARRAY, CLASS_WITH_ID, CLASS, SYSTEM_CLASS, TEXT]);
    pub(super) const TOP: u32 = OBJECT | set(&[LIBRARY, END]);
    pub(super) const TEXTS: u32 = NULL_OR_REFERENCE | set(&[TEXT]);
    pub(super) const CLASSES: u32 = NULL_OR_REFERENCE | set(&[CLASS_WITH_ID, LIBRARY, CLASS]);
    /// What implements one of .NET's own interfaces may be a single value or a string.
    pub(super) const SYSTEM_CLASSES: u32 = NULL_OR_REFERENCE | set(&[CLASS_WITH_ID, LIBRARY, SYSTEM_CLASS, TEXT, PRIMITIVE]);
    pub(super) const OBJECT_ARRAYS: u32 = NULL_OR_REFERENCE | set(&[OBJECT_ARRAY]);
    pub(super) const TEXT_ARRAYS: u32 = NULL_OR_REFERENCE | set(&[TEXT_ARRAY]);
    pub(super) const PRIMITIVE_ARRAYS: u32 = NULL_OR_REFERENCE | set(&[PRIMITIVE_ARRAY]);
}

/// Takes what the records say, in their order.
///
/// Places of objects are given out from 0 as their ids are first met, in a reference or as the object itself. Every call's
/// [`offset`](Bytes::offset) is behind what was read.
pub(super) trait Sink<'p> {
    /// A class was described; it is the last of `classes`.
    fn class(&mut self, classes: &[Class], bytes: &Bytes<'p>) -> Result<()>;

    /// An instance begins; its values follow, one for each member of its class, and then its end.
    fn instance(&mut self, place: ObjectId, class: ClassId, in_place: bool, bytes: &Bytes<'p>) -> Result<()>;

    /// An array begins; its elements follow as values and nulls, and then its end.
    fn array(&mut self, place: ObjectId, element: Type, shape: Shape, bytes: &Bytes<'p>) -> Result<()>;

    /// An array of values that are no objects, whole.
    fn primitives(&mut self, place: ObjectId, element: Type, shape: Shape, elements: Elements, bytes: &Bytes<'p>) -> Result<()>;

    /// A string, and the offset of its length.
    fn text(&mut self, place: ObjectId, text: &'p str, offset: usize) -> Result<()>;

    /// The next value of what has begun last and not ended. Not a null of an array.
    fn value(&mut self, value: Value, bytes: &Bytes<'p>) -> Result<()>;

    /// So many nulls in an array.
    fn nulls(&mut self, count: u32, bytes: &Bytes<'p>) -> Result<()>;

    /// What has begun last is complete.
    fn end(&mut self, bytes: &Bytes<'p>) -> Result<()>;
}

/// What a payload says besides its objects.
pub(super) struct Contents {
    pub(super) root: ObjectId,
    pub(super) objects: usize,
    pub(super) classes: Vec<Class>,
    pub(super) libraries: Vec<Box<str>>,
    pub(super) used: usize,
}

/// What is not yet complete.
enum Open {
    Instance { class: ClassId, next: usize },
    Array { left: u64, allowed: u32 },
}

/// What a kind of record came to.
enum Read {
    Item,
    Library,
    End,
}

/// The reader of all records.
struct Records<'p, 's, S> {
    bytes: Bytes<'p>,
    sink: &'s mut S,
    ids: Ids,
    /// Of what is kept while reading: ids, classes, and what is open. What becomes of the objects is for the sink to count.
    meter: Meter,
    classes: Vec<Class>,
    libraries: Vec<Box<str>>,
    open: Vec<Open>,
}

/// The longest payload: in one of 4 GiB every place, every class and every offset is a number of 32 bits or less.
const MAX_PAYLOAD: u64 = u32::MAX as u64;

/// Reads a payload's records up to the one that says that it is the last.
pub(super) fn read<'p, S: Sink<'p>>(payload: &'p [u8], limits: &Limits, sink: &mut S) -> Result<Contents> {
    if payload.len() as u64 > MAX_PAYLOAD {
        let limit = Problem::Limit { limit: "bytes of a payload", allowed: MAX_PAYLOAD, wanted: payload.len() as u64 };
        return Err(Error::new(NAME, limit));
    }
    let ids = Ids::new(payload.len());
    let bytes = Bytes::new(payload, limits);
    Records { bytes, sink, ids, meter: Meter::new(*limits), classes: Vec::new(), libraries: Vec::new(), open: Vec::new() }.read()
}

impl<'p, S: Sink<'p>> Records<'p, '_, S> {
    fn read(mut self) -> Result<Contents> {
        let root = self.header()?;
        loop {
            match self.open.last_mut() {
                None => {
                    if let Read::End = self.record(allowed::TOP)? {
                        break;
                    }
                }
                Some(&mut Open::Instance { class, next }) => self.instance(class, next)?,
                Some(&mut Open::Array { left: 0, .. }) => self.close()?,
                Some(&mut Open::Array { allowed, .. }) => self.item(allowed)?,
            }
        }
        let unknown =
            |id: i32| Error::at(NAME, self.bytes.offset(), Problem::Malformed(format!("no object with the id {id}, which is referred to")));
        if let Some(id) = self.ids.missing() {
            return Err(unknown(id));
        }
        let root = match self.ids.get(root) {
            Some((place, what)) if !matches!(what, What::Library(_)) => place,
            _ => return Err(unknown(root)),
        };
        Ok(Contents { root, objects: self.ids.places, classes: self.classes, libraries: self.libraries, used: self.bytes.offset() })
    }

    /// Reads values of the innermost instance from `next` on, up to one that begins something of its own.
    fn instance(&mut self, class: ClassId, mut next: usize) -> Result<()> {
        let depth = self.open.len();
        while let Some(member) = self.classes[class.index()].members.get(next) {
            next += 1;
            if let Type::Primitive(kind) = member.declared {
                let value = self.bytes.value(kind)?;
                self.sink.value(value, &self.bytes)?;
                continue;
            }
            let allowed = allowed_for(&member.declared);
            self.item(allowed)?;
            if self.open.len() > depth {
                self.open[depth - 1] = Open::Instance { class, next };
                return Ok(());
            }
        }
        self.close()
    }

    fn header(&mut self) -> Result<i32> {
        let kind = self.bytes.u8()?;
        if kind != record::HEADER {
            return Err(self.bytes.malformed(format!("record {kind} where the header should be")));
        }
        let root = self.id()?;
        let _header: i32 = self.bytes.i32()?;
        let version = (self.bytes.i32()?, self.bytes.i32()?);
        if version != (1, 0) {
            return Err(self.bytes.malformed(format!("version {}.{} where 1.0 is the only one", version.0, version.1)));
        }
        Ok(root)
    }

    /// The id of an object, which is never zero.
    fn id(&mut self) -> Result<i32> {
        match self.bytes.i32()? {
            0 => Err(self.bytes.malformed("an id of 0")),
            id => Ok(id),
        }
    }

    fn close(&mut self) -> Result<()> {
        self.open.pop();
        self.sink.end(&self.bytes)
    }

    /// Reads one value or run of what is open. Any number of libraries may stand before it.
    #[inline]
    fn item(&mut self, allowed: u32) -> Result<()> {
        while let Read::Library = self.record(allowed)? {}
        Ok(())
    }

    /// Reads one record, if it is of an allowed kind.
    #[inline]
    fn record(&mut self, allowed: u32) -> Result<Read> {
        let kind = self.bytes.u8()?;
        if kind >= 32 || allowed >> kind & 1 == 0 {
            return Err(self.bytes.malformed(format!("record {kind} where it cannot stand")));
        }
        match kind {
            record::TEXT => {
                let id = self.id()?;
                let offset = self.bytes.offset();
                let text = self.bytes.text()?;
                let place = self.define(id, What::Text)?;
                self.sink.text(place, text, offset)?;
                self.hold(Value::Object(place))?;
            }
            record::REFERENCE => {
                let id = self.id()?;
                if id < 0 {
                    return Err(self.bytes.malformed(format!("a reference to {id}: what stands in place is not referred to")));
                }
                // A library is no object; that one stands at this id is seen now or when it comes.
                let place = self.ids.refer(id, &mut self.meter).map_err(|problem| self.refused(problem))?;
                self.hold(Value::Object(place))?;
            }
            record::CLASS_WITH_ID => {
                let id = self.id()?;
                let like = self.id()?;
                let Some((_, What::Instance(class))) = self.ids.get(like) else {
                    return Err(self.bytes.malformed(format!("an instance of the class of {like}, which is no instance")));
                };
                self.begin_instance(id, class)?;
            }
            record::CLASS | record::SYSTEM_CLASS => self.described_instance(kind == record::CLASS)?,
            record::NULL => self.nulls(1)?,
            record::NULLS_256 => {
                let count = u32::from(self.bytes.u8()?);
                self.nulls(count)?;
            }
            record::NULLS => {
                let count = self.bytes.count()?;
                self.nulls(count)?;
            }
            record::PRIMITIVE => {
                let kind = self.bytes.kind()?;
                let value = self.bytes.value(kind)?;
                self.hold(value)?;
            }
            record::LIBRARY => {
                let id = self.id()?;
                let name = self.bytes.library_name()?;
                self.allocate(name.len())?;
                let pushed = self.meter.push(&mut self.libraries, name.into());
                pushed.map_err(|problem| self.refused(problem))?;
                self.define(id, What::Library(LibraryId::new(self.libraries.len() - 1)))?;
                return Ok(Read::Library);
            }
            record::PRIMITIVE_ARRAY => {
                let id = self.id()?;
                let len = self.length()?;
                let kind = self.bytes.kind()?;
                self.begin_primitives(id, kind, Shape::Vector(len), u64::from(len))?;
            }
            record::OBJECT_ARRAY => self.begin_vector(Type::Object)?,
            record::TEXT_ARRAY => self.begin_vector(Type::Text)?,
            record::ARRAY => self.array()?,
            _ => return Ok(Read::End),
        }
        Ok(Read::Item)
    }

    /// Gives an object its place.
    #[inline]
    fn define(&mut self, id: i32, what: What) -> Result<ObjectId> {
        let place = self.ids.define(id, what, &mut self.meter).map_err(|problem| self.refused(problem))?;
        limits::hold("elements", self.meter.limits().elements, self.ids.places).map_err(|problem| self.refused(problem))?;
        Ok(place)
    }

    #[cold]
    fn refused(&self, problem: Problem) -> Error {
        Error::at(NAME, self.bytes.offset(), problem)
    }

    fn allocate(&mut self, bytes: usize) -> Result<()> {
        self.meter.allocate(bytes).map_err(|problem| self.refused(problem))
    }

    #[inline]
    fn open(&mut self, open: Open) -> Result<()> {
        self.meter.push(&mut self.open, open).map_err(|problem| Error::at(NAME, self.bytes.offset(), problem))
    }

    /// Hands a value to what is open; outside of everything it has no holder.
    #[inline]
    fn hold(&mut self, value: Value) -> Result<()> {
        match self.open.last_mut() {
            None => return Ok(()),
            Some(Open::Array { left, .. }) => *left -= 1,
            Some(Open::Instance { .. }) => {}
        }
        self.sink.value(value, &self.bytes)
    }

    fn nulls(&mut self, count: u32) -> Result<()> {
        match self.open.last_mut() {
            None => Ok(()),
            Some(Open::Instance { .. }) => self.sink.value(Value::Null, &self.bytes),
            Some(Open::Array { left, .. }) => match left.checked_sub(u64::from(count)) {
                Some(less) if count > 0 => {
                    *left = less;
                    self.sink.nulls(count, &self.bytes)
                }
                _ => {
                    let left = *left;
                    Err(self.bytes.malformed(format!("{count} nulls where {left} elements are left")))
                }
            },
        }
    }

    /// What is about to be opened is a value of what is open now.
    #[inline]
    fn begin_instance(&mut self, id: i32, class: ClassId) -> Result<()> {
        let place = self.define(id, What::Instance(class))?;
        self.hold(Value::Object(place))?;
        self.sink.instance(place, class, id < 0, &self.bytes)?;
        self.open(Open::Instance { class, next: 0 })
    }

    /// An instance that describes its class.
    fn described_instance(&mut self, has_library: bool) -> Result<()> {
        let id = self.id()?;
        let name = if has_library { self.bytes.text()? } else { self.bytes.type_name()? };
        let count = self.bytes.count()?;
        let mut names = Vec::new();
        for _ in 0..count {
            let name = self.bytes.text()?;
            self.meter.push(&mut names, name).map_err(|problem| Error::at(NAME, self.bytes.offset(), problem))?;
        }
        self.allocate(names.len() * (size_of::<&str>() + size_of::<Member>()))?;
        let mut sorted = names.clone();
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(self.bytes.malformed(format!("two members named {:?}", pair[0])));
        }
        drop(sorted);
        let kinds = self.bytes.slice(names.len())?;
        let mut members = Vec::with_capacity(names.len());
        for (&name, &kind) in names.iter().zip(kinds) {
            let declared = self.declared(kind)?;
            self.allocate(name.len() + if let Type::Named { name, .. } = &declared { name.len() } else { 0 })?;
            members.push(Member { name: name.into(), declared });
        }
        self.meter.release(names.len() * size_of::<&str>() + names.capacity() * size_of::<&str>());
        drop(names);
        let library = if has_library { Some(self.library()?) } else { None };
        if has_library && !super::type_name::is_type(name) {
            return Err(self.bytes.malformed(format!("{name:?} is not the name of a type")));
        }
        self.allocate(name.len())?;
        let class = Class { name: name.into(), library, members: members.into() };
        self.meter.push(&mut self.classes, class).map_err(|problem| Error::at(NAME, self.bytes.offset(), problem))?;
        self.sink.class(&self.classes, &self.bytes)?;
        self.begin_instance(id, ClassId::new(self.classes.len() - 1))
    }

    fn library(&mut self) -> Result<LibraryId> {
        let id = self.id()?;
        match self.ids.get(id) {
            Some((_, What::Library(library))) => Ok(library),
            _ => Err(self.bytes.malformed(format!("a class of the library {id}, which is none"))),
        }
    }

    /// The rest of a declared type whose kind is known.
    fn declared(&mut self, kind: u8) -> Result<Type> {
        Ok(match kind {
            declared::PRIMITIVE => Type::Primitive(self.bytes.kind()?),
            declared::TEXT => Type::Text,
            declared::OBJECT => Type::Object,
            declared::SYSTEM_CLASS => Type::Named { name: self.bytes.type_name()?.into(), library: None },
            declared::CLASS => Type::Named { name: self.bytes.type_name()?.into(), library: Some(self.library()?) },
            declared::OBJECT_ARRAY => Type::ObjectArray,
            declared::TEXT_ARRAY => Type::TextArray,
            declared::PRIMITIVE_ARRAY => Type::PrimitiveArray(self.bytes.kind()?),
            _ => return Err(self.bytes.malformed(format!("{kind} is no kind of types"))),
        })
    }

    fn length(&mut self) -> Result<u32> {
        let len = self.bytes.count()?;
        if len > MAX_LENGTH {
            let limit = Problem::Limit { limit: "length of an array", allowed: u64::from(MAX_LENGTH), wanted: u64::from(len) };
            return Err(Error::at(NAME, self.bytes.offset(), limit));
        }
        Ok(len)
    }

    fn begin_vector(&mut self, element: Type) -> Result<()> {
        let id = self.id()?;
        let len = self.length()?;
        self.begin_array(id, element, Shape::Vector(len), u64::from(len))
    }

    fn begin_array(&mut self, id: i32, element: Type, shape: Shape, len: u64) -> Result<()> {
        let place = self.define(id, What::Array)?;
        self.hold(Value::Object(place))?;
        let allowed = allowed_for(&element) | allowed::RUNS;
        self.sink.array(place, element, shape, &self.bytes)?;
        self.open(Open::Array { left: len, allowed })
    }

    fn begin_primitives(&mut self, id: i32, kind: Primitive, shape: Shape, len: u64) -> Result<()> {
        let memory = memory_of(kind, self.bytes.size_of_elements(kind, len)?);
        self.allocate(memory)?;
        let elements = self.bytes.elements(kind, len)?;
        // From here on it is the sink's.
        self.meter.release(memory);
        let place = self.define(id, What::Array)?;
        self.hold(Value::Object(place))?;
        self.sink.primitives(place, Type::Primitive(kind), shape, elements, &self.bytes)
    }

    /// An array of any kind: single, of arrays, or with several dimensions, each with first indices of their own or without.
    fn array(&mut self) -> Result<()> {
        let id = self.id()?;
        let kind = self.bytes.u8()?;
        let rank = self.bytes.i32()?;
        let several = kind % 3 == 2;
        if kind > 5 || !(1..=MAX_RANK).contains(&rank) || several != (rank > 1) {
            return Err(self.bytes.malformed(format!("an array of kind {kind} with {rank} dimensions")));
        }
        let mut dimensions = Vec::new();
        let mut len = 1u64;
        for _ in 0..rank {
            let of_dimension = self.length()?;
            len = len.saturating_mul(u64::from(of_dimension));
            if len > u64::from(u32::MAX) {
                let limit = Problem::Limit { limit: "elements of an array", allowed: u64::from(u32::MAX), wanted: len };
                return Err(Error::at(NAME, self.bytes.offset(), limit));
            }
            dimensions.push(Dimension { len: of_dimension, lower: 0 });
        }
        if kind >= 3 {
            for dimension in &mut dimensions {
                dimension.lower = self.bytes.i32()?;
                if i64::from(dimension.lower) + i64::from(dimension.len) > i64::from(i32::MAX) {
                    return Err(self.bytes.malformed(format!("{} elements from index {} on", dimension.len, dimension.lower)));
                }
            }
        }
        let shape = match dimensions[..] {
            [Dimension { len, lower: 0 }] => Shape::Vector(len),
            _ => Shape::Dimensions(dimensions.into()),
        };
        let kind_of_elements = self.bytes.u8()?;
        let element = self.declared(kind_of_elements)?;
        if kind % 3 == 1 && !element.is_array() {
            return Err(self.bytes.malformed(format!("an array of arrays whose elements are {element}")));
        }
        match element {
            Type::Primitive(kind) => self.begin_primitives(id, kind, shape, len),
            element => self.begin_array(id, element, shape, len),
        }
    }
}

/// The records that may stand where something of a type is, a bit each.
pub(super) fn allowed_for(declared: &Type) -> u32 {
    match declared {
        Type::Primitive(_) => 0,
        Type::Text => allowed::TEXTS,
        Type::Object => allowed::OBJECT,
        Type::Named { library: Some(_), .. } => allowed::CLASSES,
        Type::Named { library: None, .. } => allowed::SYSTEM_CLASSES,
        Type::ObjectArray => allowed::OBJECT_ARRAYS,
        Type::TextArray => allowed::TEXT_ARRAYS,
        Type::PrimitiveArray(_) => allowed::PRIMITIVE_ARRAYS,
    }
}

/// What stands at an id.
#[derive(Clone, Copy)]
enum What {
    /// Nothing yet: it is referred to.
    Missing,
    Text,
    Array,
    Instance(ClassId),
    Library(LibraryId),
}

/// An id's object, in eight bytes: there is one for each object, and they are looked at all over.
#[derive(Clone, Copy, Default)]
struct Entry {
    place: u32,
    /// The kind in the lowest three bits, 0 for nothing at all, and the class or library above.
    what: u32,
}

impl Entry {
    fn new(place: ObjectId, what: What) -> Self {
        // A class or a library takes more than eight bytes of a payload, whose length is a u32.
        let index = |index: usize| (index as u32) << 3;
        let what = match what {
            What::Missing => 1,
            What::Text => 2,
            What::Array => 3,
            What::Instance(class) => 4 | index(class.index()),
            What::Library(library) => 5 | index(library.index()),
        };
        Self { place: place.index() as u32, what }
    }

    fn place(self) -> ObjectId {
        ObjectId::new(self.place as usize)
    }

    #[inline]
    fn what(self) -> Option<What> {
        let index = (self.what >> 3) as usize;
        Some(match self.what & 7 {
            1 => What::Missing,
            2 => What::Text,
            3 => What::Array,
            4 => What::Instance(ClassId::new(index)),
            5 => What::Library(LibraryId::new(index)),
            _ => return None,
        })
    }
}

/// Which object has which id.
///
/// .NET counts ids up, one for every record that has one and for every reference that repeats one. So a list by id is as long as there
/// are such records; ids that cannot come about that way are kept in a map.
struct Ids {
    listed: Vec<Entry>,
    limit: usize,
    others: HashMap<i32, Entry>,
    /// The bytes that the map takes.
    table: usize,
    places: usize,
    missing: usize,
}

impl Ids {
    fn new(payload: usize) -> Self {
        // A record with an id takes five bytes at least, a reference does too.
        Self { listed: Vec::new(), limit: payload / 5 + 1, others: HashMap::new(), table: 0, places: 0, missing: 0 }
    }

    fn slot(&self, id: i32) -> Option<usize> {
        usize::try_from(id).ok().filter(|&id| id <= self.limit)
    }

    /// Where an id's object is, and what.
    #[inline]
    fn get(&self, id: i32) -> Option<(ObjectId, What)> {
        let entry = match self.slot(id) {
            Some(slot) => self.listed.get(slot),
            None => self.others.get(&id),
        };
        entry.and_then(|entry| Some((entry.place(), entry.what()?)))
    }

    #[inline]
    fn set(&mut self, id: i32, place: ObjectId, what: What, meter: &mut Meter) -> Result<(), Problem> {
        let entry = Entry::new(place, what);
        match self.slot(id) {
            Some(slot) => {
                if slot >= self.listed.len() {
                    let more = slot + 1 - self.listed.len();
                    meter.reserve(&mut self.listed, more)?;
                    self.listed.resize(slot + 1, Entry::default());
                }
                self.listed[slot] = entry;
            }
            None => {
                if self.others.len() == self.others.capacity() {
                    // A power of two of places, of which one in eight stays free, and a byte beside each.
                    let places = (self.others.len() + 4).saturating_mul(8) / 7;
                    let table = places.next_power_of_two().saturating_mul(size_of::<(i32, Entry)>() + 1);
                    meter.allocate(table)?;
                    self.others.reserve(1);
                    meter.release(self.table);
                    self.table = table;
                }
                self.others.insert(id, entry);
            }
        }
        Ok(())
    }

    fn place(&mut self) -> ObjectId {
        self.places += 1;
        ObjectId::new(self.places - 1)
    }

    /// The place of what is referred to, which is no library.
    #[inline]
    fn refer(&mut self, id: i32, meter: &mut Meter) -> Result<ObjectId, Problem> {
        match self.get(id) {
            Some((_, What::Library(_))) => Err(Problem::Malformed(format!("a reference to {id}, which is a library"))),
            Some((place, _)) => Ok(place),
            None => {
                let place = self.place();
                self.missing += 1;
                self.set(id, place, What::Missing, meter)?;
                Ok(place)
            }
        }
    }

    /// The place of a new object; the error is the reason why it cannot have the id.
    #[inline]
    fn define(&mut self, id: i32, what: What, meter: &mut Meter) -> Result<ObjectId, Problem> {
        let place = match (self.get(id), what) {
            (Some((_, What::Missing)), What::Library(_)) => {
                return Err(Problem::Malformed(format!("a library with the id {id}, which is referred to")));
            }
            (Some((place, What::Missing)), _) => {
                self.missing -= 1;
                place
            }
            // What stands in place is not referred to, so that .NET may give the same negative id twice.
            (Some(_), _) if id > 0 => return Err(Problem::Malformed(format!("a second object with the id {id}"))),
            // A library is no object.
            (_, What::Library(_)) => ObjectId::new(0),
            _ => self.place(),
        };
        self.set(id, place, what, meter)?;
        Ok(place)
    }

    /// An id that is referred to and has no object.
    fn missing(&self) -> Option<i32> {
        if self.missing == 0 {
            return None;
        }
        let is_missing = |entry: &Entry| matches!(entry.what(), Some(What::Missing));
        let listed = self.listed.iter().position(is_missing);
        listed.and_then(|id| i32::try_from(id).ok()).or_else(|| self.others.iter().find(|(_, entry)| is_missing(entry)).map(|(&id, _)| id))
    }
}
