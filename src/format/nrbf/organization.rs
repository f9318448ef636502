//! The dataset organization, as BinaryFormatter writes the article's classes, without a graph in between.

use super::bytes::Bytes;
use super::records::{self, Sink, declared, record};
use super::writer::{Numbers, Output};
use super::{NAME, Nrbf};
use crate::dataset::{Dataset, Member, Organization};
use crate::error::{Error, Result};
use crate::format::{Decode, DecodePrefix, Encode, trailing};
use crate::graph::{self, Class, ClassId, Elements, LibraryId, ObjectId, Primitive, Shape, Type, Value};
use crate::limits::Meter;
use crate::payload::Payload;

/// The library that the classes are written as: the .NET program's that this is held against.
const LIBRARY: &str = "Peer, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null";
const ORGANIZATION: &str = "Peer.Organization";
const MEMBER: &str = "Peer.Member";
const LIST: &str = "System.Collections.Generic.List`1";

/// A class of which the library does not matter: there is one.
fn class<const N: usize>(name: &str, library: bool, members: [(&str, Type); N]) -> Class {
    let members = members.map(|(name, declared)| graph::Member { name: name.into(), declared });
    Class { name: name.into(), library: library.then(|| LibraryId::new(0)), members: members.into() }
}

/// The field of an automatic property.
macro_rules! property {
    ($name:literal) => {
        concat!("<", $name, ">k__BackingField")
    };
}

fn list_class() -> Class {
    let items = Type::Named { name: format!("{MEMBER}[]").into(), library: Some(LibraryId::new(0)) };
    let integer = Type::Primitive(Primitive::I32);
    let members = [("_items", items), ("_size", integer.clone()), ("_version", integer)];
    class(&format!("{LIST}[[{MEMBER}, {LIBRARY}]]"), false, members)
}

fn organization_class(list: &Class) -> Class {
    let members = [
        (property!("Id"), Type::Primitive(Primitive::I32)),
        (property!("Tags"), Type::TextArray),
        (property!("Members"), Type::Named { name: list.name.clone(), library: None }),
    ];
    // A list of .NET's own of members of a library is said to be of .NET's own.
    class(ORGANIZATION, true, members)
}

fn member_class() -> Class {
    let members = [
        (property!("Id"), Type::Primitive(Primitive::I32)),
        (property!("Name"), Type::Text),
        (property!("Description"), Type::Text),
        (property!("Address"), Type::Text),
        (property!("Value"), Type::Primitive(Primitive::F64)),
        (property!("UpdateTime"), Type::Primitive(Primitive::I64)),
    ];
    class(MEMBER, true, members)
}

/// What an id was last given to, as far as it matters.
#[derive(Clone, Copy, PartialEq)]
enum Met {
    EmptyText,
    Other,
}

struct Writer<'s> {
    output: Output<'s>,
    numbers: Numbers<Met>,
    empty: Option<i32>,
}

impl Writer<'_> {
    /// A string. A value has no identity here, so each is an object of its own, as they are in the article's data; but .NET has one empty
    /// string only.
    #[inline]
    fn text(&mut self, text: &str) -> Result<()> {
        let met = if text.is_empty() { Met::EmptyText } else { Met::Other };
        if let (Met::EmptyText, Some(id)) = (met, self.empty) {
            self.numbers.again(met)?;
            self.output.record(record::REFERENCE, id);
            return Ok(());
        }
        let id = self.numbers.first(met)?;
        if text.is_empty() {
            self.empty = Some(id);
        }
        self.output.record(record::TEXT, id);
        self.output.text(text)
    }

    #[inline]
    fn optional(&mut self, text: Option<&str>) -> Result<()> {
        match text {
            Some(text) => self.text(text),
            None => {
                self.output.u8(record::NULL);
                Ok(())
            }
        }
    }

    /// A reference to something new, or null.
    fn reference(&mut self, present: bool) -> Result<i32> {
        if !present {
            self.output.u8(record::NULL);
            return Ok(0);
        }
        let id = self.numbers.first(Met::Other)?;
        self.output.record(record::REFERENCE, id);
        Ok(id)
    }
}

impl Encode<Organization> for Nrbf {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        // A record for each member and each of its strings, and the length of that.
        sink.reserve(1024 + value.data_size() + value.records() * (5 + 9 + 3 * 6));
        let mut writer = Writer { output: Output(sink), numbers: Numbers::new(), empty: None };
        writer.output.header();
        let root = writer.numbers.first(Met::Other)?;
        let library = writer.numbers.first(Met::Other)?;
        writer.output.library(library, LIBRARY)?;

        let list = list_class();
        writer.output.record(record::CLASS, root);
        writer.output.class(&organization_class(&list), |_| library)?;
        writer.output.i32(library);
        writer.output.i32(value.id);
        let tags_id = writer.reference(value.tags.is_some())?;
        let list_id = writer.reference(value.members.is_some())?;
        if let Some(tags) = &value.tags {
            writer.output.record(record::TEXT_ARRAY, tags_id);
            writer.output.count(tags.len())?;
            for tag in tags {
                writer.text(tag)?;
            }
        }
        if let Some(members) = &value.members {
            writer.output.record(record::SYSTEM_CLASS, list_id);
            writer.output.class(&list, |_| library)?;
            let items = writer.reference(true)?;
            writer.output.count(members.len())?;
            // A list counts its changes: each member was added.
            writer.output.count(members.len())?;
            write_members(&mut writer, members, items, library)?;
        }
        writer.output.u8(record::END);
        Ok(())
    }
}

fn write_members(writer: &mut Writer<'_>, members: &[Member], items: i32, library: i32) -> Result<()> {
    writer.output.record(record::ARRAY, items);
    writer.output.u8(0);
    writer.output.i32(1);
    writer.output.count(members.len())?;
    writer.output.u8(declared::CLASS);
    writer.output.text(MEMBER)?;
    writer.output.i32(library);
    let mut first = 0;
    for at in 0..members.len() {
        let id = writer.reference(true)?;
        if at == 0 {
            first = id;
        }
    }
    for (id, member) in (first..).zip(members) {
        if id == first {
            writer.output.record(record::CLASS, id);
            writer.output.class(&member_class(), |_| library)?;
            writer.output.i32(library);
        } else {
            writer.output.record(record::CLASS_WITH_ID, id);
            writer.output.i32(first);
        }
        writer.output.i32(member.id);
        for text in [&member.name, &member.description, &member.address] {
            writer.optional(text.as_deref())?;
        }
        let mut numbers = [0; 16];
        numbers[..8].copy_from_slice(&member.value.to_le_bytes());
        numbers[8..].copy_from_slice(&member.update_time.to_le_bytes());
        writer.output.bytes(&numbers);
    }
    Ok(())
}

impl Decode<Organization> for Nrbf {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let (value, used) = self.read_prefix(payload)?;
        trailing(NAME, payload, used)?;
        Ok(value)
    }
}

impl DecodePrefix<Organization> for Nrbf {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(Organization, usize)> {
        let mut sink = ToOrganization::new(payload);
        let contents = records::read(payload, &payload.limits(), &mut sink)?;
        Ok((sink.finish(contents.root)?, contents.used))
    }
}

/// The least bytes of a member's record: its ids, its number, three nulls, and 16 bytes more.
const LEAST_MEMBER: usize = 9 + 4 + 3 + 16;

/// What a member of one of the classes is.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    OrganizationId,
    Tags,
    Members,
    Items,
    Size,
    Version,
    MemberId,
    Name,
    Description,
    Address,
    Value,
    UpdateTime,
}

/// The fields that each class has, with what they are called and declared to be; none says that the type may be any.
const ORGANIZATION_FIELDS: &[(Field, &str, Option<Type>)] =
    &[(Field::OrganizationId, "Id", Some(Type::Primitive(Primitive::I32))), (Field::Tags, "Tags", None), (Field::Members, "Members", None)];
const LIST_FIELDS: &[(Field, &str, Option<Type>)] = &[
    (Field::Items, "_items", None),
    (Field::Size, "_size", Some(Type::Primitive(Primitive::I32))),
    (Field::Version, "_version", Some(Type::Primitive(Primitive::I32))),
];
const MEMBER_FIELDS: &[(Field, &str, Option<Type>)] = &[
    (Field::MemberId, "Id", Some(Type::Primitive(Primitive::I32))),
    (Field::Name, "Name", Some(Type::Text)),
    (Field::Description, "Description", Some(Type::Text)),
    (Field::Address, "Address", Some(Type::Text)),
    (Field::Value, "Value", Some(Type::Primitive(Primitive::F64))),
    (Field::UpdateTime, "UpdateTime", Some(Type::Primitive(Primitive::I64))),
];

/// What stands at a place, and where it is kept.
#[derive(Clone, Copy)]
enum Found {
    Nothing,
    /// A string, whose length stands at this byte of the payload.
    Text(u32),
    Organization(u32),
    List(u32),
    Array(u32),
    Member(u32),
}

/// An organization or a list, its parts by their places.
#[derive(Default)]
struct Parts {
    id: i32,
    tags: Option<ObjectId>,
    members: Option<ObjectId>,
    items: Option<ObjectId>,
    size: i32,
}

/// What an array holds before its first null, and if there is one.
#[derive(Default)]
struct Items {
    places: Vec<ObjectId>,
    nulls: bool,
}

/// A class of the payload, and the fields of its members in their order.
struct Known {
    found: fn(u32) -> Found,
    fields: Box<[Field]>,
}

/// What is being read: where it is kept, and which field is next.
struct Open {
    found: Found,
    class: usize,
    next: usize,
}

struct ToOrganization<'p> {
    payload: &'p [u8],
    classes: Vec<Known>,
    found: Vec<Found>,
    open: Vec<Open>,
    parts: Vec<Parts>,
    arrays: Vec<Items>,
    members: Vec<Member>,
    /// The string that was read last: most are held just once, and right where they are read.
    last: Option<(ObjectId, &'p str)>,
    /// Strings of members that are referred to before they are read.
    later: Vec<(u32, Field, ObjectId)>,
    /// Of what grows with the records, and of what is copied because it is held again.
    meter: Meter,
}

impl<'p> ToOrganization<'p> {
    fn new(payload: &'p Payload) -> Self {
        Self {
            payload,
            classes: Vec::new(),
            found: Vec::new(),
            open: Vec::new(),
            parts: Vec::new(),
            arrays: Vec::new(),
            members: Vec::new(),
            last: None,
            later: Vec::new(),
            meter: Meter::new(payload.limits()),
        }
    }

    #[inline]
    fn put(&mut self, place: ObjectId, found: Found) -> Result<()> {
        // Places are given out one after the other.
        while place.index() >= self.found.len() {
            push(&mut self.meter, &mut self.found, Found::Nothing)?;
        }
        self.found[place.index()] = found;
        Ok(())
    }

    fn at(&self, place: ObjectId) -> Found {
        self.found.get(place.index()).copied().unwrap_or(Found::Nothing)
    }

    /// A payload of shared strings or members can hold far less than its value does without sharing.
    fn copy(&mut self, bytes: usize) -> Result<()> {
        self.meter.allocate(bytes).map_err(|problem| Error::new(NAME, problem))
    }

    /// A string that was read before.
    fn text_at(&mut self, offset: u32) -> Result<&'p str> {
        let text = Bytes::new(self.payload.get(offset as usize..).unwrap_or_default(), self.meter.limits()).text()?;
        self.copy(text.len())?;
        Ok(text)
    }

    /// Sets a string of a member.
    #[inline]
    fn set_text(&mut self, member: u32, field: Field, value: Value) -> Result<()> {
        let text = match value {
            Value::Object(place) => match self.last {
                Some((last, text)) if last == place => text,
                _ => match self.at(place) {
                    Found::Text(offset) => self.text_at(offset)?,
                    Found::Nothing => {
                        return push(&mut self.meter, &mut self.later, (member, field, place));
                    }
                    _ => return Err(other("no string where one is held")),
                },
            },
            // Every text is null until it is set.
            _ => return Ok(()),
        };
        // The next time that it is held it is a copy.
        self.last = None;
        self.write_text(member, field, text);
        Ok(())
    }

    #[inline]
    fn write_text(&mut self, member: u32, field: Field, text: &str) {
        if let Some(member) = self.members.get_mut(member as usize) {
            let to = match field {
                Field::Name => &mut member.name,
                Field::Description => &mut member.description,
                _ => &mut member.address,
            };
            *to = Some(text.to_owned());
        }
    }

    /// What a list or an array holds, which ends before its capacity does.
    fn sequence(&mut self, place: ObjectId) -> Result<Vec<ObjectId>> {
        let (array, size) = match self.at(place) {
            Found::List(list) => {
                let list = &self.parts[list as usize];
                match list.items.map(|items| self.at(items)) {
                    Some(Found::Array(array)) => (array, Some(list.size)),
                    _ => return Err(other("a list without an array")),
                }
            }
            Found::Array(array) => (array, None),
            _ => return Err(other("no list or array where one is held")),
        };
        let Items { mut places, nulls } = std::mem::take(&mut self.arrays[array as usize]);
        match size.map(usize::try_from) {
            Some(Ok(size)) if size <= places.len() => places.truncate(size),
            None if !nulls => {}
            _ => return Err(other("a null where a tag or a member is held")),
        }
        Ok(places)
    }

    fn finish(mut self, root: ObjectId) -> Result<Organization> {
        for (member, field, place) in std::mem::take(&mut self.later) {
            let Found::Text(offset) = self.at(place) else { return Err(other("no string where one is held")) };
            let text = self.text_at(offset)?;
            self.write_text(member, field, text);
        }
        let Found::Organization(root) = self.at(root) else { return Err(other("a root that is no Organization")) };
        let Parts { id, tags, members, .. } = std::mem::take(&mut self.parts[root as usize]);
        let tags = tags.map(|place| self.tags(place)).transpose()?;
        let members = members.map(|place| self.members(place)).transpose()?;
        Ok(Organization { id, tags, members })
    }

    fn tags(&mut self, place: ObjectId) -> Result<Vec<String>> {
        let places = self.sequence(place)?;
        let mut tags = room(&mut self.meter, places.len())?;
        for place in places {
            let Found::Text(offset) = self.at(place) else { return Err(other("no string where a tag is held")) };
            tags.push(self.text_at(offset)?.to_owned());
        }
        Ok(tags)
    }

    fn members(&mut self, place: ObjectId) -> Result<Vec<Member>> {
        let places = self.sequence(place)?;
        let mut indices = room(&mut self.meter, places.len())?;
        for place in places {
            let Found::Member(index) = self.at(place) else { return Err(other("no Member where one is held")) };
            indices.push(index);
        }
        let mut members = std::mem::take(&mut self.members);
        // BinaryFormatter writes them in the order in which the list holds them, so that they stand right already.
        if indices.len() == members.len() && indices.iter().enumerate().all(|(at, &index)| at == index as usize) {
            return Ok(members);
        }
        let mut first: Vec<Option<usize>> = room(&mut self.meter, members.len())?;
        first.resize(members.len(), None);
        let mut ordered: Vec<Member> = room(&mut self.meter, indices.len())?;
        for index in indices {
            let index = index as usize;
            let member = match first[index] {
                None => {
                    first[index] = Some(ordered.len());
                    std::mem::take(&mut members[index])
                }
                Some(at) => {
                    let member: &Member = &ordered[at];
                    let texts = [&member.name, &member.description, &member.address];
                    self.copy(texts.into_iter().flatten().map(String::len).sum())?;
                    ordered[at].clone()
                }
            };
            ordered.push(member);
        }
        Ok(ordered)
    }
}

/// A list with room for so many items, if they are allowed.
fn room<T>(meter: &mut Meter, count: usize) -> Result<Vec<T>> {
    meter.list::<T>(count).map_err(|problem| Error::new(NAME, problem))?;
    Ok(Vec::with_capacity(count))
}

/// Adds to a list. One whose room is used up moves to twice as much and is there twice meanwhile, so that is when its memory is counted.
///
/// Unlike `Meter::push` this gives nothing back once a list has moved: the records below are counted by a meter of their own, and what both
/// allow together has to stay within one allocation.
#[inline]
fn push<T>(meter: &mut Meter, list: &mut Vec<T>, item: T) -> Result<()> {
    if list.len() == list.capacity() {
        let more = list.capacity().max(4);
        meter.allocate(2 * more * size_of::<T>()).map_err(|problem| Error::new(NAME, problem))?;
        list.reserve_exact(more);
    }
    list.push(item);
    Ok(())
}

#[cold]
fn other(reason: &str) -> Error {
    Error::malformed(NAME, reason)
}

/// Which of the dataset's classes a class is, whatever namespace or library it is from.
fn known(class: &Class) -> Option<Known> {
    let unqualified = class.name.rsplit(['.', '+']).next();
    type Fields = &'static [(Field, &'static str, Option<Type>)];
    let (found, expected): (fn(u32) -> Found, Fields) = match unqualified {
        _ if class.name.strip_prefix(LIST).is_some_and(|rest| rest.starts_with('[')) => (Found::List, LIST_FIELDS),
        Some("Organization") => (Found::Organization, ORGANIZATION_FIELDS),
        Some("Member") => (Found::Member, MEMBER_FIELDS),
        _ => return None,
    };
    let field = |member: &graph::Member| {
        let (field, _, declared) = expected.iter().find(|(_, name, _)| *name == member.plain_name())?;
        declared.as_ref().is_none_or(|declared| *declared == member.declared).then_some(*field)
    };
    let fields = class.members.iter().map(field).collect::<Option<Box<[_]>>>()?;
    let has_all = fields.len() == expected.len() && expected.iter().all(|(field, ..)| fields.contains(field));
    has_all.then_some(Known { found, fields })
}

impl<'p> Sink<'p> for ToOrganization<'p> {
    fn class(&mut self, classes: &[Class], bytes: &Bytes<'p>) -> Result<()> {
        let class = classes.last();
        match class.and_then(known) {
            Some(class) => self.classes.push(class),
            None => {
                let name = class.map(|class| &*class.name).unwrap_or_default();
                return Err(bytes.malformed(format!("the class {name} is none of the dataset's")));
            }
        }
        Ok(())
    }

    #[inline]
    fn instance(&mut self, place: ObjectId, class: ClassId, in_place: bool, bytes: &Bytes<'p>) -> Result<()> {
        if in_place {
            return Err(bytes.malformed("a class of the dataset that stands in place"));
        }
        let found = (self.classes[class.index()].found)(0);
        let found = match found {
            Found::Member(_) => {
                push(&mut self.meter, &mut self.members, Member::default())?;
                Found::Member(self.members.len() as u32 - 1)
            }
            _ => {
                push(&mut self.meter, &mut self.parts, Parts::default())?;
                (self.classes[class.index()].found)(self.parts.len() as u32 - 1)
            }
        };
        self.put(place, found)?;
        push(&mut self.meter, &mut self.open, Open { found, class: class.index(), next: 0 })
    }

    fn array(&mut self, place: ObjectId, _: Type, shape: Shape, bytes: &Bytes<'p>) -> Result<()> {
        if !matches!(shape, Shape::Vector(_)) {
            return Err(bytes.malformed("an array of several dimensions"));
        }
        // Nothing is reserved for its length: arrays can stand in arrays, each with a length of its own.
        push(&mut self.meter, &mut self.arrays, Items::default())?;
        let found = Found::Array(self.arrays.len() as u32 - 1);
        self.put(place, found)?;
        push(&mut self.meter, &mut self.open, Open { found, class: 0, next: 0 })
    }

    fn primitives(&mut self, _: ObjectId, _: Type, _: Shape, _: Elements, bytes: &Bytes<'p>) -> Result<()> {
        Err(bytes.malformed("an array of values, which the dataset has not"))
    }

    #[inline]
    fn text(&mut self, place: ObjectId, text: &'p str, offset: usize) -> Result<()> {
        self.put(place, Found::Text(offset as u32))?;
        self.last = Some((place, text));
        Ok(())
    }

    #[inline]
    fn value(&mut self, value: Value, bytes: &Bytes<'p>) -> Result<()> {
        let Some(open) = self.open.last_mut() else { return Ok(()) };
        let place = match value {
            Value::Object(place) => Some(place),
            _ => None,
        };
        match open.found {
            Found::Member(member) => {
                let field = self.classes[open.class].fields[open.next];
                open.next += 1;
                let at = member as usize;
                match (field, value) {
                    (Field::MemberId, Value::I32(id)) => self.members[at].id = id,
                    (Field::Value, Value::F64(value)) => self.members[at].value = value,
                    (Field::UpdateTime, Value::I64(time)) => self.members[at].update_time = time,
                    _ => self.set_text(member, field, value)?,
                }
            }
            Found::Array(array) => {
                let items = &mut self.arrays[array as usize];
                match place {
                    Some(place) if !items.nulls => push(&mut self.meter, &mut items.places, place)?,
                    Some(_) => {}
                    None => return Err(bytes.malformed("a value that is no object in an array of the dataset")),
                }
            }
            Found::Organization(parts) | Found::List(parts) => {
                let field = self.classes[open.class].fields[open.next];
                open.next += 1;
                let parts = &mut self.parts[parts as usize];
                match (field, value) {
                    (Field::OrganizationId, Value::I32(id)) => parts.id = id,
                    (Field::Size, Value::I32(size)) => parts.size = size,
                    (Field::Tags, Value::Null | Value::Object(_)) => parts.tags = place,
                    (Field::Members, Value::Null | Value::Object(_)) => parts.members = place,
                    (Field::Items, Value::Null | Value::Object(_)) => parts.items = place,
                    (Field::Version, _) => {}
                    _ => return Err(bytes.malformed("a value that its field cannot hold")),
                }
            }
            Found::Nothing | Found::Text(_) => {}
        }
        Ok(())
    }

    fn nulls(&mut self, _: u32, _: &Bytes<'p>) -> Result<()> {
        if let Some(Open { found: Found::Array(array), .. }) = self.open.last() {
            self.arrays[*array as usize].nulls = true;
        }
        Ok(())
    }

    #[inline]
    fn end(&mut self, bytes: &Bytes<'p>) -> Result<()> {
        if let Some(Open { found: Found::Array(array), .. }) = self.open.pop() {
            // What it holds may be members that follow, as far as there are bytes for them.
            let announced = self.arrays[array as usize].places.len().min(bytes.left() / LEAST_MEMBER);
            if self.members.is_empty() && announced > self.members.capacity() {
                self.members = room(&mut self.meter, announced)?;
            }
        }
        Ok(())
    }
}
