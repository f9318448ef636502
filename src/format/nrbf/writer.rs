//! Records as BinaryFormatter writes them: from a [`Graph`], and the pieces for writers of one dataset.
//!
//! What BinaryFormatter does, and so what is done here: the root has id 1; an object that is not in place is referred to where it is
//! held and written later, in the order in which it was met; a string is written where it is met first; a class is described once;
//! nulls that follow each other in an array are counted, in an instance they are not.

use std::collections::{HashMap, VecDeque};

use super::NAME;
use super::bytes::kind_byte;
use super::records::{MAX_LENGTH, MAX_RANK, allowed_for, declared, record};
use crate::error::{Error, Problem, Result};
use crate::format::seven_bits;
use crate::graph::{Array, Class, ClassId, Dimension, Elements, Graph, LibraryId, Object, ObjectId, Run, Shape, Type, Value};

#[cold]
pub(super) fn unrepresentable(what: impl Into<String>) -> Error {
    Error::new(NAME, Problem::Unrepresentable(what.into()))
}

/// The pieces of records.
pub(super) struct Output<'s>(pub(super) &'s mut Vec<u8>);

impl Output<'_> {
    #[inline]
    pub(super) fn bytes(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    #[inline]
    pub(super) fn u8(&mut self, byte: u8) {
        self.0.push(byte);
    }

    #[inline]
    pub(super) fn i32(&mut self, number: i32) {
        self.bytes(&number.to_le_bytes());
    }

    /// A kind of records and an id.
    #[inline]
    pub(super) fn record(&mut self, kind: u8, id: i32) {
        let mut bytes = [kind; 5];
        bytes[1..].copy_from_slice(&id.to_le_bytes());
        self.bytes(&bytes);
    }

    #[inline]
    pub(super) fn text(&mut self, text: &str) -> Result<()> {
        if text.len() > i32::MAX as usize {
            return Err(unrepresentable(format!("a string of {} bytes", text.len())));
        }
        let mut length = [0; 5];
        let size = seven_bits::size(text.len());
        seven_bits::put(text.len(), &mut length[..size]);
        self.bytes(&length[..size]);
        self.bytes(text.as_bytes());
        Ok(())
    }

    pub(super) fn count(&mut self, count: usize) -> Result<()> {
        let count = i32::try_from(count).map_err(|_| unrepresentable(format!("{count} of something")))?;
        self.i32(count);
        Ok(())
    }

    pub(super) fn header(&mut self) {
        self.record(record::HEADER, 1);
        self.i32(-1);
        self.i32(1);
        self.i32(0);
    }

    pub(super) fn library(&mut self, id: i32, name: &str) -> Result<()> {
        self.record(record::LIBRARY, id);
        self.text(name)
    }

    /// So many nulls in an array, in their shortest form.
    pub(super) fn nulls(&mut self, count: u32) {
        let mut left = count;
        // A count is an i32, and an array of several dimensions may have more elements than that.
        while left > i32::MAX as u32 {
            self.record(record::NULLS, i32::MAX);
            left -= i32::MAX as u32;
        }
        match left {
            0 => {}
            1 => self.u8(record::NULL),
            2..256 => self.bytes(&[record::NULLS_256, left as u8]),
            _ => self.record(record::NULLS, left as i32),
        }
    }

    /// A class without the record's kind and id, and without its library: its name, its members, their types.
    pub(super) fn class(&mut self, class: &Class, library: impl Fn(LibraryId) -> i32) -> Result<()> {
        self.text(&class.name)?;
        self.count(class.members.len())?;
        for member in &class.members {
            self.text(&member.name)?;
        }
        for member in &class.members {
            self.u8(type_byte(&member.declared));
        }
        for member in &class.members {
            self.rest_of_type(&member.declared, &library)?;
        }
        Ok(())
    }

    /// What stands behind the byte that names a type's kind.
    fn rest_of_type(&mut self, declared: &Type, library: impl Fn(LibraryId) -> i32) -> Result<()> {
        match declared {
            Type::Primitive(kind) | Type::PrimitiveArray(kind) => self.u8(kind_byte(*kind)),
            Type::Named { name, library: from } => {
                self.text(name)?;
                if let Some(from) = from {
                    self.i32(library(*from));
                }
            }
            Type::Text | Type::Object | Type::ObjectArray | Type::TextArray => {}
        }
        Ok(())
    }

    /// A single value; null and objects are records, and none.
    fn value(&mut self, value: Value) -> Result<()> {
        match value {
            Value::Bool(value) => self.u8(u8::from(value)),
            Value::U8(value) => self.u8(value),
            Value::I8(value) => self.bytes(&value.to_le_bytes()),
            Value::I16(value) => self.bytes(&value.to_le_bytes()),
            Value::U16(value) => self.bytes(&value.to_le_bytes()),
            Value::I32(value) => self.bytes(&value.to_le_bytes()),
            Value::U32(value) => self.bytes(&value.to_le_bytes()),
            Value::I64(value) => self.bytes(&value.to_le_bytes()),
            Value::U64(value) => self.bytes(&value.to_le_bytes()),
            Value::F32(value) => self.bytes(&value.to_le_bytes()),
            Value::F64(value) => self.bytes(&value.to_le_bytes()),
            Value::Decimal(value) => self.text(&value.to_string())?,
            Value::DateTime(value) => self.bytes(&value.to_bits().to_le_bytes()),
            Value::TimeSpan(value) => self.bytes(&value.0.to_le_bytes()),
            Value::Char(unit) => {
                let half = || unrepresentable("half of a character that takes two code units");
                let character = char::from_u32(u32::from(unit)).ok_or_else(half)?;
                self.bytes(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Value::Null | Value::Object(_) => return Err(unrepresentable("an object where its class has a single value")),
        }
        Ok(())
    }

    fn elements(&mut self, elements: &Elements) -> Result<()> {
        match elements {
            Elements::U8(bytes) => self.bytes(bytes),
            Elements::Char(units) => {
                let text = String::from_utf16(units).map_err(|_| unrepresentable("half of a character that takes two code units"))?;
                self.bytes(text.as_bytes());
            }
            _ => {
                for run in (0..elements.run_count()).filter_map(|at| elements.run(at)) {
                    if let Run::One(value) = run {
                        self.value(value)?;
                    }
                }
            }
        }
        Ok(())
    }
}

fn type_byte(declared: &Type) -> u8 {
    match declared {
        Type::Primitive(_) => declared::PRIMITIVE,
        Type::Text => declared::TEXT,
        Type::Object => declared::OBJECT,
        Type::Named { library: None, .. } => declared::SYSTEM_CLASS,
        Type::Named { library: Some(_), .. } => declared::CLASS,
        Type::ObjectArray => declared::OBJECT_ARRAY,
        Type::TextArray => declared::TEXT_ARRAY,
        Type::PrimitiveArray(_) => declared::PRIMITIVE_ARRAY,
    }
}

/// Gives out ids as BinaryFormatter does.
///
/// It counts on for each object that it meets, also for one that has its id already, unless that is the one it met just before.
pub(super) struct Numbers<K> {
    next: i32,
    last: Option<K>,
}

impl<K: Copy + PartialEq> Numbers<K> {
    pub(super) fn new() -> Self {
        Self { next: 1, last: None }
    }

    #[inline]
    fn step(&mut self) -> Result<i32> {
        let id = self.next;
        self.next = id.checked_add(1).ok_or_else(|| unrepresentable("a graph of more than 2^31 objects"))?;
        Ok(id)
    }

    /// The id of an object that is met for the first time.
    #[inline]
    pub(super) fn first(&mut self, object: K) -> Result<i32> {
        self.last = Some(object);
        self.step()
    }

    /// An object is met that has its id.
    #[inline]
    pub(super) fn again(&mut self, object: K) -> Result<()> {
        if self.last != Some(object) {
            self.first(object)?;
        }
        Ok(())
    }

    /// The negative id of what stands in place.
    fn in_place(&mut self) -> Result<i32> {
        Ok(-self.step()?)
    }
}

/// Something that an id is given to.
#[derive(Clone, Copy, PartialEq)]
enum Numbered {
    Object(ObjectId),
    Library(LibraryId),
}

/// Writes a graph as BinaryFormatter would have written it.
pub(super) fn write(graph: &Graph, sink: &mut Vec<u8>) -> Result<()> {
    sink.clear();
    let Value::Object(root) = graph.root() else {
        return Err(unrepresentable("a graph whose root is not an object"));
    };
    let mut writer = Writer {
        graph,
        output: Output(sink),
        numbers: Numbers::new(),
        ids: vec![0; graph.objects().len()],
        libraries: vec![0; graph.libraries().len()],
        described: vec![0; graph.classes().len()],
        classes: HashMap::new(),
        queue: VecDeque::new(),
        open: Vec::new(),
    };
    writer.output.header();
    writer.meet(root)?;
    writer.queue.push_back(root);
    while let Some(object) = writer.queue.pop_front() {
        let id = writer.ids[object.index()];
        writer.begin(object, id)?;
        while let Some((object, next)) = writer.open.pop() {
            writer.step(object, next)?;
        }
    }
    writer.output.u8(record::END);
    Ok(())
}

struct Writer<'g, 's> {
    graph: &'g Graph,
    output: Output<'s>,
    numbers: Numbers<Numbered>,
    /// Of each object, or 0 as long as it has none.
    ids: Vec<i32>,
    libraries: Vec<i32>,
    /// The id of the instance that described each class, or 0.
    described: Vec<i32>,
    /// The first class of a name, and the id of the instance that described it.
    classes: HashMap<&'g str, (ClassId, i32)>,
    queue: VecDeque<ObjectId>,
    /// What is being written, and which of its values is next: what stands in place stands behind what holds it.
    open: Vec<(ObjectId, usize)>,
}

impl<'g> Writer<'g, '_> {
    /// Whether an object that is not in place is met for the first time.
    fn meet(&mut self, object: ObjectId) -> Result<bool> {
        let id = &mut self.ids[object.index()];
        if *id != 0 {
            self.numbers.again(Numbered::Object(object))?;
            return Ok(false);
        }
        *id = self.numbers.first(Numbered::Object(object))?;
        Ok(true)
    }

    /// Writes a library when it is met first.
    fn library(&mut self, library: Option<LibraryId>) -> Result<()> {
        let Some(library) = library else { return Ok(()) };
        let id = &mut self.libraries[library.index()];
        if *id == 0 {
            *id = self.numbers.first(Numbered::Library(library))?;
            self.output.library(*id, self.graph.library(library))?;
        }
        Ok(())
    }

    /// The library of an object's type.
    fn library_of(&self, object: ObjectId) -> Option<LibraryId> {
        match self.graph.object(object) {
            Object::Text(_) => None,
            Object::Instance(instance) => self.graph.class(instance.class).library,
            Object::Array(array) => library_of_type(&array.element),
        }
    }

    /// Writes what stands before an object's values.
    fn begin(&mut self, object: ObjectId, id: i32) -> Result<()> {
        match self.graph.object(object) {
            Object::Text(text) => {
                self.output.record(record::TEXT, id);
                self.output.text(text)
            }
            Object::Instance(instance) => {
                let class = self.graph.class(instance.class);
                if class.members.len() != instance.values.len() {
                    return Err(unrepresentable(format!("an instance of {} with {} values", class.name, instance.values.len())));
                }
                self.library(class.library)?;
                for (member, value) in class.members.iter().zip(&instance.values) {
                    if let &Value::Object(held) = value {
                        self.library(self.library_of(held))?;
                    }
                    self.library(library_of_type(&member.declared))?;
                }
                self.begin_instance(instance.class, id)?;
                self.open.push((object, 0));
                Ok(())
            }
            Object::Array(array) => {
                self.library(library_of_type(&array.element))?;
                self.begin_array(array, id)?;
                self.open.push((object, 0));
                Ok(())
            }
        }
    }

    fn begin_instance(&mut self, id_of_class: ClassId, id: i32) -> Result<()> {
        let class = self.graph.class(id_of_class);
        if self.described[id_of_class.index()] == 0
            && let Some(&(known, described)) = self.classes.get(&*class.name)
            && self.graph.class(known).members == class.members
        {
            self.described[id_of_class.index()] = described;
        }
        let described = &mut self.described[id_of_class.index()];
        if *described != 0 {
            self.output.record(record::CLASS_WITH_ID, id);
            self.output.i32(*described);
            return Ok(());
        }
        *described = id;
        self.classes.entry(&class.name).or_insert((id_of_class, id));
        self.output.record(if class.library.is_some() { record::CLASS } else { record::SYSTEM_CLASS }, id);
        let libraries = &self.libraries;
        self.output.class(class, |library| libraries[library.index()])?;
        if let Some(library) = class.library {
            self.output.i32(self.libraries[library.index()]);
        }
        Ok(())
    }

    fn begin_array(&mut self, array: &Array, id: i32) -> Result<()> {
        let vector;
        let dimensions = match &array.shape {
            &Shape::Vector(len) => {
                vector = [Dimension { len, lower: 0 }];
                &vector[..]
            }
            Shape::Dimensions(dimensions) => dimensions,
        };
        let rank = i32::try_from(dimensions.len()).ok().filter(|rank| (1..=MAX_RANK).contains(rank));
        let len = dimensions.iter().try_fold(1u32, |len, dimension| len.checked_mul(dimension.len));
        let (Some(rank), Some(len)) = (rank, len) else {
            return Err(unrepresentable(format!("an array of {} dimensions and so many elements", dimensions.len())));
        };
        if u64::from(len) != array.elements.len() || dimensions.iter().any(|dimension| dimension.len > MAX_LENGTH) {
            return Err(unrepresentable(format!("an array of {} elements where its lengths come to {len}", array.elements.len())));
        }
        if let Some(kind) = array.elements.primitive()
            && array.element != Type::Primitive(kind)
        {
            return Err(unrepresentable(format!("an array of {} with elements of {}", array.element, kind.name())));
        }
        match (&array.shape, &array.element) {
            (&Shape::Vector(len), Type::Primitive(kind)) => {
                self.output.record(record::PRIMITIVE_ARRAY, id);
                self.output.i32(len as i32);
                self.output.u8(kind_byte(*kind));
            }
            (&Shape::Vector(len), Type::Object) => {
                self.output.record(record::OBJECT_ARRAY, id);
                self.output.i32(len as i32);
            }
            (&Shape::Vector(len), Type::Text) => {
                self.output.record(record::TEXT_ARRAY, id);
                self.output.i32(len as i32);
            }
            _ => {
                self.output.record(record::ARRAY, id);
                let has_lower = dimensions.iter().any(|dimension| dimension.lower != 0);
                let kind = if rank > 1 { 2 } else { u8::from(array.element.is_array()) };
                self.output.u8(kind + if has_lower { 3 } else { 0 });
                self.output.i32(rank);
                for dimension in dimensions {
                    self.output.i32(dimension.len as i32);
                }
                if has_lower {
                    for dimension in dimensions {
                        self.output.i32(dimension.lower);
                    }
                }
                self.output.u8(type_byte(&array.element));
                let libraries = &self.libraries;
                self.output.rest_of_type(&array.element, |library| libraries[library.index()])?;
            }
        }
        if array.elements.primitive().is_some() || matches!(array.element, Type::Primitive(_)) {
            self.output.elements(&array.elements)?;
        }
        Ok(())
    }

    /// Writes values of an object from `next` on, up to one that stands in place: that goes first.
    fn step(&mut self, object: ObjectId, mut next: usize) -> Result<()> {
        match self.graph.object(object) {
            Object::Text(_) => {}
            Object::Instance(instance) => {
                let members = &self.graph.class(instance.class).members;
                while let (Some(member), Some(&value)) = (members.get(next), instance.values.get(next)) {
                    next += 1;
                    if let Type::Primitive(kind) = member.declared {
                        if value.primitive() != Some(kind) {
                            return Err(unrepresentable(format!("another value than a {} in {}", kind.name(), member.name)));
                        }
                        self.output.value(value)?;
                    } else if self.item(value, &member.declared, (object, next))? {
                        return Ok(());
                    }
                }
            }
            Object::Array(array) => {
                let Elements::Values(runs) = &array.elements else { return Ok(()) };
                let mut nulls = 0u32;
                while let Some(&run) = runs.get(next) {
                    next += 1;
                    match run {
                        Run::Nulls(count) => nulls += count,
                        Run::One(Value::Null) => nulls += 1,
                        Run::One(value) => {
                            self.output.nulls(std::mem::take(&mut nulls));
                            if self.item(value, &array.element, (object, next))? {
                                return Ok(());
                            }
                        }
                    }
                }
                self.output.nulls(nulls);
            }
        }
        Ok(())
    }

    /// Writes a value as a record. True if it is an object in place, which has been begun; then `holder` goes on behind it.
    ///
    /// A graph may hold what its classes do not declare. That is referred to if it can be, as every kind of object may be.
    fn item(&mut self, value: Value, declared: &Type, holder: (ObjectId, usize)) -> Result<bool> {
        let fits = |record: u8| allowed_for(declared) >> record & 1 == 1;
        let held = match value {
            Value::Null => {
                self.output.u8(record::NULL);
                return Ok(false);
            }
            Value::Object(held) => held,
            _ => {
                if let Some(kind) = value.primitive() {
                    if !fits(record::PRIMITIVE) {
                        return Err(unrepresentable(format!("a {} where a {declared} is declared", kind.name())));
                    }
                    self.output.bytes(&[record::PRIMITIVE, kind_byte(kind)]);
                }
                self.output.value(value)?;
                return Ok(false);
            }
        };
        match self.graph.object(held) {
            Object::Instance(instance) if instance.in_place => {
                if self.ids[held.index()] != 0 {
                    return Err(unrepresentable(format!("a {} that is in two places", self.graph.type_name(held))));
                }
                let class = self.graph.class(instance.class);
                if !fits(if class.library.is_some() { record::CLASS } else { record::SYSTEM_CLASS }) {
                    return Err(unrepresentable(format!("a {} in place where a {declared} is declared", class.name)));
                }
                let id = self.numbers.in_place()?;
                self.ids[held.index()] = id;
                self.open.push(holder);
                self.begin(held, id)?;
                return Ok(true);
            }
            Object::Text(_) if fits(record::TEXT) => {
                if self.meet(held)? {
                    self.begin(held, self.ids[held.index()])?;
                    return Ok(false);
                }
            }
            Object::Text(_) | Object::Instance(_) | Object::Array(_) => {
                if self.meet(held)? {
                    self.queue.push_back(held);
                }
            }
        }
        self.output.record(record::REFERENCE, self.ids[held.index()]);
        Ok(false)
    }
}

fn library_of_type(declared: &Type) -> Option<LibraryId> {
    match declared {
        Type::Named { library, .. } => *library,
        _ => None,
    }
}
