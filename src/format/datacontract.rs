//! XML as .NET's DataContractSerializer writes it. Source: Microsoft's documentation of data contracts, XML 1.0, and what .NET 10 wrote
//! for the vectors of the tests. quick-xml reads; the layout that is written is ours.

use std::borrow::Cow;

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, NamespaceResolver, ResolveResult};
use quick_xml::reader::Reader as XmlReader;

use super::plain::{Plain, Source};
use super::sink::Sink;
use super::{Borrow, Decode, DecodePrefix, Encode, Format, Info};
use crate::dataset::{Member, Organization, OrganizationRef, Person};
use crate::error::{Error, Problem, Result};
use crate::limits::{Limits, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "datacontract";

const INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
const ARRAYS: &str = "http://schemas.microsoft.com/2003/10/Serialization/Arrays";

/// What a data contract calls the dataset's classes.
///
/// Without attributes a class has its own name, in a namespace that ends in that of the class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Names {
    /// The organization's element.
    pub organization: &'static str,
    /// A member's element.
    pub member: &'static str,
    /// The namespace of both.
    pub namespace: &'static str,
}

/// The classes of the program that wrote the vectors.
impl Default for Names {
    fn default() -> Self {
        Self { organization: "PlainOrganization", member: "PlainMember", namespace: "http://schemas.datacontract.org/2004/07/Peer" }
    }
}

/// XML in UTF-8 without a declaration, the members of a class in the order of their names.
#[derive(Debug, Default)]
pub struct DataContract(Names);

impl DataContract {
    /// The format for classes of other names.
    pub fn new(names: Names) -> Self {
        Self(names)
    }
}

impl Format for DataContract {
    const INFO: Info = Info {
        name: NAME,
        wire_format: "XML, data contract",
        library: "wirewise, quick-xml",
        version: crate::version!("QUICK_XML"),
        note: "text: characters that XML has no form for are refused",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry.declare::<DataContract, Organization>().encode().decode().decode_prefix().borrow();
    registry.declare::<DataContract, Person>().encode().decode().decode_prefix();
}

impl Encode<Organization> for DataContract {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let names = &self.0;
        let mut sink = Sink::new(sink);
        for part in ["<", names.organization, " xmlns=\"", names.namespace, "\" xmlns:i=\"", INSTANCE, "\"><Id>"] {
            sink.put_slice(part.as_bytes());
        }
        sink.integer(value.id);
        sink.put_slice(b"</Id><Members");
        match &value.members {
            None => sink.put_slice(b" i:nil=\"true\"/>"),
            Some(members) if members.is_empty() => sink.put_slice(b"/>"),
            Some(members) => {
                sink.put(*b">");
                let (open, close) = (format!("<{}>", names.member), format!("</{}>", names.member));
                for member in members {
                    sink.put_slice(open.as_bytes());
                    put_member(&mut sink, member)?;
                    sink.put_slice(close.as_bytes());
                }
                sink.put_slice(b"</Members>");
            }
        }
        sink.put_slice(b"<Tags");
        if value.tags.is_none() {
            sink.put_slice(b" i:nil=\"true\"");
        }
        for part in [" xmlns:a=\"", ARRAYS, "\""] {
            sink.put_slice(part.as_bytes());
        }
        match value.tags.as_deref() {
            None | Some([]) => sink.put_slice(b"/>"),
            Some(tags) => {
                sink.put(*b">");
                for tag in tags {
                    put_text(&mut sink, "a:string", Some(tag))?;
                }
                sink.put_slice(b"</Tags>");
            }
        }
        for part in ["</", names.organization, ">"] {
            sink.put_slice(part.as_bytes());
        }
        Ok(())
    }
}

fn put_member(sink: &mut Sink<'_>, member: &Member) -> Result<()> {
    put_text(sink, "Address", member.address.as_deref())?;
    put_text(sink, "Description", member.description.as_deref())?;
    sink.put_slice(b"<Id>");
    sink.integer(member.id);
    sink.put_slice(b"</Id>");
    put_text(sink, "Name", member.name.as_deref())?;
    sink.put_slice(b"<UpdateTime>");
    sink.integer(member.update_time);
    sink.put_slice(b"</UpdateTime><Value>");
    match member.value {
        value if value.is_nan() => sink.put_slice(b"NaN"),
        f64::INFINITY => sink.put_slice(b"INF"),
        f64::NEG_INFINITY => sink.put_slice(b"-INF"),
        value => sink.double(value),
    }
    sink.put_slice(b"</Value>");
    Ok(())
}

/// A class that a payload can be of.
pub trait Root {
    /// What its element is called.
    fn element(names: &Names) -> &'static str;
}

impl Root for Organization {
    fn element(names: &Names) -> &'static str {
        names.organization
    }
}

impl Root for OrganizationRef<'_> {
    fn element(names: &Names) -> &'static str {
        names.organization
    }
}

impl Root for Person {
    fn element(_: &Names) -> &'static str {
        "Person"
    }
}

impl Encode<Person> for DataContract {
    fn encode(&mut self, value: &Person, sink: &mut Vec<u8>) -> Result<()> {
        let mut sink = Sink::new(sink);
        for part in ["<Person xmlns=\"", self.0.namespace, "\" xmlns:i=\"", INSTANCE, "\">"] {
            sink.put_slice(part.as_bytes());
        }
        put_text(&mut sink, "Address", value.address.as_deref())?;
        for (open, number, close) in [("<Age>", value.age, "</Age>"), ("<Id>", value.id, "</Id>")] {
            sink.put_slice(open.as_bytes());
            sink.integer(number);
            sink.put_slice(close.as_bytes());
        }
        put_text(&mut sink, "Name", value.name.as_deref())?;
        sink.put_slice(b"</Person>");
        Ok(())
    }
}

/// What a byte of a text needs: nothing, its entity, or a look at what it starts.
const ESCAPES: [&str; 256] = {
    let mut escapes = [""; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escapes[byte] = "control";
        byte += 1;
    }
    escapes[b'\t' as usize] = "";
    escapes[b'\n' as usize] = "";
    escapes[b'\r' as usize] = "&#xD;";
    escapes[b'<' as usize] = "&lt;";
    escapes[b'>' as usize] = "&gt;";
    escapes[b'&' as usize] = "&amp;";
    escapes[0xEF] = "noncharacter";
    escapes
};

fn put_text(sink: &mut Sink<'_>, name: &str, text: Option<&str>) -> Result<()> {
    sink.put(*b"<");
    sink.put_slice(name.as_bytes());
    let text = match text {
        None => {
            sink.put_slice(b" i:nil=\"true\"/>");
            return Ok(());
        }
        Some("") => {
            sink.put_slice(b"/>");
            return Ok(());
        }
        Some(text) => text,
    };
    sink.put(*b">");
    let mut rest = text.as_bytes();
    while let Some(len) = rest.iter().position(|&byte| !ESCAPES[usize::from(byte)].is_empty()) {
        sink.put_slice(&rest[..len]);
        let escape = ESCAPES[usize::from(rest[len])];
        if escape.starts_with('&') {
            sink.put_slice(escape.as_bytes());
        } else if escape == "control" || matches!(rest[len..], [0xEF, 0xBF, 0xBE | 0xBF, ..]) {
            let character = String::from_utf8_lossy(&rest[len..]).chars().next().unwrap_or_default();
            return Err(Error::new(NAME, Problem::Unrepresentable(format!("the character {character:?}"))));
        } else {
            sink.put([rest[len]]);
        }
        rest = &rest[len + 1..];
    }
    sink.put_slice(rest);
    sink.put_slice(b"</");
    sink.put_slice(name.as_bytes());
    sink.put(*b">");
    Ok(())
}

impl<T: Root + for<'p> Plain<'p>> Decode<T> for DataContract {
    fn read(&mut self, payload: &Payload) -> Result<T> {
        read(&self.0, payload)
    }
}

impl<T: Root + for<'p> Plain<'p>> DecodePrefix<T> for DataContract {
    fn read_prefix(&mut self, payload: &Payload) -> Result<(T, usize)> {
        // What follows may be anything.
        let (text, invalid) = match utf8(payload) {
            Ok(text) => (text, None),
            Err(error) => (str::from_utf8(&payload[..error.offset().unwrap_or(0)]).unwrap_or_default(), Some(error)),
        };
        match read_root(&self.0, text, payload.limits()) {
            Ok((value, reader)) => Ok((value, reader.offset())),
            Err(error) => Err(invalid.unwrap_or(error)),
        }
    }
}

impl Borrow<Organization> for DataContract {
    type Borrowed<'p> = OrganizationRef<'p>;

    fn read_borrowed<'p>(&mut self, payload: &'p Payload) -> Result<OrganizationRef<'p>> {
        read(&self.0, payload)
    }
}

fn read<'p, T: Root + Plain<'p>>(names: &Names, payload: &'p Payload) -> Result<T> {
    let (value, mut reader) = read_root(names, utf8(payload)?, payload.limits())?;
    reader.end()?;
    Ok(value)
}

fn utf8(payload: &[u8]) -> Result<&str> {
    simdutf8::compat::from_utf8(payload).map_err(|error| Error::at(NAME, error.valid_up_to(), Problem::InvalidUtf8))
}

/// The value, and the reader behind the end of its element.
fn read_root<'n, 'p, T: Root + Plain<'p>>(names: &'n Names, text: &'p str, limits: Limits) -> Result<(T, Reader<'n, 'p>)> {
    let mut xml = XmlReader::from_str(text);
    xml.config_mut().expand_empty_elements = true;
    let mut reader = Reader {
        names,
        xml,
        resolver: NamespaceResolver::default(),
        scopes: Vec::new(),
        unprefixed: None,
        len: text.len(),
        depth: 0,
        meter: Meter::new(limits),
        nil: false,
    };
    reader.root(T::element(names))?;
    if reader.nil {
        return Err(reader.malformed("null where an object is expected"));
    }
    let value = T::read(&mut reader)?;
    Ok((value, reader))
}

/// Reads elements. It stands behind an element's start when it is asked for a value, and behind its end when it has given one.
struct Reader<'n, 'p> {
    names: &'n Names,
    xml: XmlReader<&'p [u8]>,
    /// The namespaces that are declared here. quick-xml's own reader with namespaces asks every element for declarations; most have no
    /// attribute at all.
    resolver: NamespaceResolver,
    /// The depths of the open elements that have attributes, and so a scope in the resolver.
    scopes: Vec<usize>,
    /// What elements without a prefix are in the innermost scope, once it was asked for.
    unprefixed: Option<Kind>,
    len: usize,
    depth: usize,
    meter: Meter,
    /// The element that was entered last says that it is null.
    nil: bool,
}

/// What an element holds between two elements or at its end.
enum Next<'p> {
    /// An element starts: its namespace, and its start tag.
    Start(Kind, BytesStart<'p>),
    /// The element ends.
    End,
}

/// The namespace of an element, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Contract,
    Arrays,
    Other,
}

impl<'p> Reader<'_, 'p> {
    fn offset(&self) -> usize {
        usize::try_from(self.xml.buffer_position()).unwrap_or(self.len)
    }

    #[cold]
    fn malformed(&self, reason: impl std::fmt::Display) -> Error {
        Error::at(NAME, self.offset(), Problem::Malformed(reason.to_string()))
    }

    #[cold]
    fn library(&self, error: &quick_xml::Error) -> Error {
        let offset = usize::try_from(self.xml.error_position()).unwrap_or(self.len);
        Error::at(NAME, offset, Problem::Malformed(error.to_string()))
    }

    #[cold]
    fn truncated(&self) -> Error {
        Error::at(NAME, self.len, Problem::Truncated { needed: 1, left: 0 })
    }

    fn event(&mut self) -> Result<Event<'p>> {
        match self.xml.read_event() {
            Ok(event) => Ok(event),
            Err(error) => Err(self.library(&error)),
        }
    }

    /// Takes note of an element that starts.
    fn enter(&mut self, start: &BytesStart<'_>) -> Result<Kind> {
        self.depth += 1;
        let check = self.meter.limits().hold_depth(self.depth);
        check.map_err(|problem| Error::at(NAME, self.offset(), problem))?;
        self.nil = false;
        if !start.attributes_raw().is_empty() {
            self.attributes(start)?;
        }
        let prefixed = start.name().prefix().is_some();
        if let (false, Some(kind)) = (prefixed, self.unprefixed) {
            return Ok(kind);
        }
        let kind = match self.resolver.resolve_element(start.name()).0 {
            ResolveResult::Bound(Namespace(namespace)) if namespace == self.names.namespace => Kind::Contract,
            ResolveResult::Bound(Namespace(ARRAYS)) => Kind::Arrays,
            ResolveResult::Unknown(prefix) => return Err(self.malformed(format!("the prefix {prefix:.40}, which is not declared"))),
            _ => Kind::Other,
        };
        if !prefixed {
            self.unprefixed = Some(kind);
        }
        Ok(kind)
    }

    /// Takes note of what the attributes of an element that starts declare and say.
    fn attributes(&mut self, start: &BytesStart<'_>) -> Result<()> {
        self.resolver.push(start).map_err(|error| self.library(&error.into()))?;
        self.scopes.push(self.depth);
        self.unprefixed = None;
        for attribute in start.attributes() {
            let attribute = attribute.map_err(|error| self.malformed(error))?;
            let (namespace, local) = self.resolver.resolve_attribute(attribute.key);
            if namespace == ResolveResult::Bound(Namespace(INSTANCE)) && local.as_ref() == "nil" {
                self.nil = matches!(attribute.value.trim(), "true" | "1");
            }
        }
        Ok(())
    }

    /// Takes note of an element that ends.
    fn leave(&mut self) {
        if self.scopes.pop_if(|depth| *depth == self.depth).is_some() {
            self.resolver.pop();
            self.unprefixed = None;
        }
        self.depth -= 1;
    }

    /// Moves behind the root's start.
    fn root(&mut self, name: &str) -> Result<()> {
        loop {
            match self.event()? {
                Event::Start(start) => {
                    if self.enter(&start)? == Kind::Contract && start.local_name().as_ref() == name {
                        return Ok(());
                    }
                    return Err(self.malformed(format!("the root {name} is expected, in its namespace")));
                }
                Event::Text(text) if is_space(&text.xml10_content()) => {}
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return Err(self.truncated()),
                _ => return Err(self.malformed("an element is expected")),
            }
        }
    }

    /// The next element in the one that is open, or its end.
    fn next(&mut self) -> Result<Next<'p>> {
        loop {
            match self.event()? {
                Event::Start(start) => {
                    let kind = self.enter(&start)?;
                    return Ok(Next::Start(kind, start));
                }
                Event::End(_) => {
                    self.leave();
                    return Ok(Next::End);
                }
                Event::Text(text) if is_space(&text.xml10_content()) => {}
                Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return Err(self.truncated()),
                _ => return Err(self.malformed("an element or an end is expected")),
            }
        }
    }

    /// Moves behind the end of the element that is open, whatever it holds.
    fn skip(&mut self) -> Result<()> {
        let outside = self.depth - 1;
        while self.depth > outside {
            match self.event()? {
                Event::Start(start) => {
                    self.enter(&start)?;
                }
                Event::End(_) => self.leave(),
                Event::GeneralRef(reference) => {
                    self.resolve(&reference)?;
                }
                Event::DocType(_) => return Err(self.malformed("a document type")),
                Event::Eof => return Err(self.truncated()),
                _ => {}
            }
        }
        Ok(())
    }

    fn resolve(&self, reference: &quick_xml::events::BytesRef<'_>) -> Result<char> {
        if let Some(character) = reference.resolve_char_ref().map_err(|error| self.library(&error))? {
            return Ok(character);
        }
        Ok(match &*reference.xml10_content() {
            "lt" => '<',
            "gt" => '>',
            "amp" => '&',
            "apos" => '\'',
            "quot" => '"',
            other => return Err(self.malformed(format!("the entity {other:.40}, which is not declared"))),
        })
    }

    /// The text of the element that is open; it holds no others.
    fn content(&mut self) -> Result<Cow<'p, str>> {
        let mut content = Cow::Borrowed("");
        loop {
            let part = match self.event()? {
                Event::Text(text) => text.xml10_content(),
                Event::CData(text) => text.xml10_content(),
                Event::GeneralRef(reference) => Cow::Owned(self.resolve(&reference)?.to_string()),
                Event::Comment(_) | Event::PI(_) => continue,
                Event::End(_) => {
                    self.leave();
                    return Ok(content);
                }
                Event::Eof => return Err(self.truncated()),
                _ => return Err(self.malformed("text is expected")),
            };
            if content.is_empty() { content = part } else { content.to_mut().push_str(&part) }
        }
    }

    /// What is behind the root: nothing but space and comments.
    fn end(&mut self) -> Result<()> {
        loop {
            let before = self.offset();
            match self.event()? {
                Event::Eof => return Ok(()),
                Event::Text(text) if is_space(&text.xml10_content()) => {}
                Event::Comment(_) | Event::PI(_) => {}
                _ => return Err(Error::at(NAME, before, Problem::Trailing { left: (self.len - before) as u64 })),
            }
        }
    }
}

fn is_space(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'))
}

impl<'p> Source<'p> for Reader<'_, 'p> {
    fn null(&mut self) -> Result<bool> {
        let nil = self.nil;
        if nil {
            self.skip()?;
            self.nil = false;
        }
        Ok(nil)
    }

    fn int32(&mut self) -> Result<i32> {
        let content = self.content()?;
        content.trim_matches(is_space_char).parse().map_err(|_| self.malformed(format!("{content:.40} in a field of 32 bits")))
    }

    fn int64(&mut self) -> Result<i64> {
        let content = self.content()?;
        content.trim_matches(is_space_char).parse().map_err(|_| self.malformed(format!("{content:.40} in a field of 64 bits")))
    }

    fn double(&mut self) -> Result<f64> {
        let content = self.content()?;
        match content.trim_matches(is_space_char) {
            "NaN" => Ok(f64::NAN),
            "INF" => Ok(f64::INFINITY),
            "-INF" => Ok(f64::NEG_INFINITY),
            // Rust knows other names for these, which XML does not.
            number if number.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) => match number.parse::<f64>() {
                Ok(value) if value.is_finite() => Ok(value),
                _ => Err(self.malformed(format!("{number:.40} is no double"))),
            },
            other => Err(self.malformed(format!("{other:.40} is no double"))),
        }
    }

    fn text(&mut self) -> Result<Cow<'p, str>> {
        if self.nil {
            return Err(self.malformed("null where a string is expected"));
        }
        let content = self.content()?;
        let check = self.meter.limits().hold_text(content.len());
        check.map_err(|problem| Error::at(NAME, self.offset(), problem))?;
        Ok(content)
    }

    /// The items have one name, the class's or `string`; elements of other names are passed over, as in the original.
    fn list<T>(&mut self, mut item: impl FnMut(&mut Self) -> Result<T>) -> Result<Vec<T>> {
        let mut items = Vec::new();
        while let Next::Start(kind, start) = self.next()? {
            let wanted = match kind {
                Kind::Contract => self.names.member,
                Kind::Arrays => "string",
                Kind::Other => "",
            };
            if start.local_name().as_ref() != wanted {
                self.skip()?;
                continue;
            }
            if self.nil && wanted == self.names.member {
                return Err(self.malformed("null in a list"));
            }
            let check = self.meter.list::<T>(1);
            check.map_err(|problem| Error::at(NAME, self.offset(), problem))?;
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// Properties are expected in the order of their names: one that comes later is passed over, as in the original.
    fn object(&mut self, names: &[&str], mut property: impl FnMut(&mut Self, usize) -> Result<()>) -> Result<()> {
        let mut passed = "";
        while let Next::Start(kind, start) = self.next()? {
            let local = start.local_name();
            match names.iter().position(|&known| known == local.as_ref()) {
                Some(index) if kind == Kind::Contract && names[index] > passed => {
                    passed = names[index];
                    property(self, index)?;
                }
                _ => self.skip()?,
            }
        }
        Ok(())
    }
}

fn is_space_char(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\n' | '\r')
}
