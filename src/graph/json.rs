//! A graph as JSON, for people and for programs that know no graphs.

use std::io::{self, Write};

use super::{Array, Class, Decimal, Dimension, Elements, Graph, Instance, Object, ObjectId, Primitive, Run, Shape, TimeSpan, Value};

/// What of a graph is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum View {
    /// Everything: each object with its `$id` and `$type`, fields by their own names, arrays as `$values`.
    ///
    /// An object that was shown already, or is being shown, is `{"$ref": id}`. A string that is held once is shown as a string.
    Typed,
    /// Values alone: properties by their names; lists, dictionaries, enumerations and single values without what .NET keeps around them.
    ///
    /// Only an object that is held more than once has an `$id`, and is `{"$ref": id}` from then on.
    Plain,
}

/// So many nulls that follow each other are written out; more are `{"$nulls": count}`, as few bytes can stand for 2^31 of them.
const NULLS_WRITTEN_OUT: u32 = 1000;

/// Writes a graph as one JSON value, without the call stack growing.
///
/// NaN and the infinities are strings, as are times and spans; decimals are numbers with all their digits. A graph that nests deeply gives
/// JSON that nests deeply, which not every reader takes.
///
/// # Errors
///
/// The writer's own.
pub fn write_json(graph: &Graph, view: View, out: impl Write) -> io::Result<()> {
    let mut printer = Printer { graph, view, out, often: held_often(graph), written: vec![false; graph.objects().len()], open: Vec::new() };
    printer.value(graph.root())?;
    while let Some(open) = printer.open.pop() {
        printer.step(open)?;
    }
    Ok(())
}

/// Which objects are held more than once.
fn held_often(graph: &Graph) -> Vec<bool> {
    let mut held = vec![false; graph.objects().len()];
    let mut often = held.clone();
    let mut hold = |value: Value| {
        if let Value::Object(id) = value {
            often[id.index()] |= held[id.index()];
            held[id.index()] = true;
        }
    };
    hold(graph.root());
    for object in graph.objects() {
        match object {
            Object::Text(_) => {}
            Object::Instance(instance) => instance.values.iter().copied().for_each(&mut hold),
            Object::Array(array) => {
                if let Elements::Values(runs) = &array.elements {
                    runs.iter().for_each(|run| {
                        if let Run::One(value) = run {
                            hold(*value);
                        }
                    });
                }
            }
        }
    }
    often
}

/// What has been begun, and how far it is.
enum Open<'g> {
    Members {
        instance: &'g Instance,
        next: usize,
        comma: bool,
    },
    Elements {
        elements: &'g Elements,
        next: usize,
        /// How many elements are still shown: a list shows fewer than its array has.
        left: u64,
        at: u64,
        /// How many elements each dimension but the last stands for, to close and open brackets between them.
        blocks: Vec<u64>,
    },
    Pairs {
        pairs: Vec<(Value, Value)>,
        next: usize,
    },
    Close(&'static str),
}

struct Printer<'g, W> {
    graph: &'g Graph,
    view: View,
    out: W,
    often: Vec<bool>,
    written: Vec<bool>,
    open: Vec<Open<'g>>,
}

impl<'g, W: Write> Printer<'g, W> {
    fn text(&mut self, text: &str) -> io::Result<()> {
        serde_json::to_writer(&mut self.out, text).map_err(io::Error::from)
    }

    /// Writes a value, or its beginning.
    fn value(&mut self, value: Value) -> io::Result<()> {
        match value {
            Value::Object(id) => self.object(id),
            _ => write_scalar(&mut self.out, value),
        }
    }

    fn object(&mut self, id: ObjectId) -> io::Result<()> {
        let shown = id.index() + 1;
        let graph = self.graph;
        let object = graph.object(id);
        let often = self.often[id.index()];
        if let Object::Text(text) = object
            && !(often && self.view == View::Typed)
        {
            return self.text(text);
        }
        if std::mem::replace(&mut self.written[id.index()], true) {
            return write!(self.out, "{{\"$ref\":{shown}}}");
        }
        match object {
            Object::Text(text) => {
                write!(self.out, "{{\"$id\":{shown},\"$value\":")?;
                self.text(text)?;
                self.out.write_all(b"}")
            }
            Object::Instance(instance) => {
                if self.view == View::Plain && self.unwrapped(id, instance)? {
                    return Ok(());
                }
                self.out.write_all(b"{")?;
                let comma = self.head(id)?;
                self.open.push(Open::Members { instance, next: 0, comma });
                Ok(())
            }
            Object::Array(array) => {
                let wrapped = self.wrap(id, Some(array))?;
                self.array(array, array.elements.len())?;
                self.unwrap_later(wrapped);
                Ok(())
            }
        }
    }

    /// Writes an object's id and type, as far as they are shown. True if there are any.
    fn head(&mut self, id: ObjectId) -> io::Result<bool> {
        let shown = self.view == View::Typed || self.often[id.index()];
        if shown {
            write!(self.out, "\"$id\":{}", id.index() + 1)?;
        }
        if self.view == View::Typed {
            self.out.write_all(b",\"$type\":")?;
            let name = self.graph.type_name(id);
            self.text(&name)?;
        }
        Ok(shown)
    }

    /// Begins the object that stands around a list of values which has an id. True if it has.
    fn wrap(&mut self, id: ObjectId, array: Option<&Array>) -> io::Result<bool> {
        if self.view == View::Plain && !self.often[id.index()] {
            return Ok(false);
        }
        self.out.write_all(b"{")?;
        self.head(id)?;
        if let Some(Shape::Dimensions(dimensions)) = array.map(|array| &array.shape) {
            let list = |number: fn(&Dimension) -> i64| dimensions.iter().map(|of| number(of).to_string()).collect::<Vec<_>>().join(",");
            write!(self.out, ",\"$lengths\":[{}]", list(|dimension| i64::from(dimension.len)))?;
            if dimensions.iter().any(|dimension| dimension.lower != 0) {
                write!(self.out, ",\"$lowerBounds\":[{}]", list(|dimension| i64::from(dimension.lower)))?;
            }
        }
        self.out.write_all(b",\"$values\":")?;
        Ok(true)
    }

    /// What was wrapped is closed behind what was begun after it.
    fn unwrap_later(&mut self, wrapped: bool) {
        if wrapped {
            let at = self.open.len() - 1;
            self.open.insert(at, Open::Close("}"));
        }
    }

    /// Begins an array of which so many elements are shown.
    fn array(&mut self, array: &'g Array, len: u64) -> io::Result<()> {
        let mut blocks = Vec::new();
        if self.view == View::Plain
            && let Shape::Dimensions(dimensions) = &array.shape
            && len > 0
            && !has_long_runs(&array.elements)
        {
            let mut block = 1;
            for dimension in dimensions.iter().skip(1).rev() {
                block *= u64::from(dimension.len);
                blocks.push(block);
            }
        }
        self.out.write_all(b"[")?;
        self.open.push(Open::Elements { elements: &array.elements, next: 0, left: len, at: 0, blocks });
        Ok(())
    }

    /// Goes on with what was begun last.
    fn step(&mut self, open: Open<'g>) -> io::Result<()> {
        match open {
            Open::Close(text) => self.out.write_all(text.as_bytes()),
            Open::Members { instance, next, comma } => {
                let members = &self.graph.class(instance.class).members;
                let (Some(member), Some(&value)) = (members.get(next), instance.values.get(next)) else {
                    return self.out.write_all(b"}");
                };
                if comma {
                    self.out.write_all(b",")?;
                }
                let name = if self.view == View::Plain { member.plain_name() } else { &member.name };
                // What is added here starts with one dollar sign.
                match name.starts_with('$') {
                    true => self.text(&format!("${name}"))?,
                    false => self.text(name)?,
                }
                self.out.write_all(b":")?;
                self.open.push(Open::Members { instance, next: next + 1, comma: true });
                self.value(value)
            }
            Open::Elements { elements, next, left, at, blocks } => self.element(elements, next, left, at, blocks),
            Open::Pairs { pairs, next } => {
                let Some(&(key, value)) = pairs.get(next) else {
                    return self.out.write_all(b"}");
                };
                if next > 0 {
                    self.out.write_all(b",")?;
                }
                self.key(key)?;
                self.out.write_all(b":")?;
                self.open.push(Open::Pairs { pairs, next: next + 1 });
                self.value(value)
            }
        }
    }

    fn element(&mut self, elements: &'g Elements, next: usize, left: u64, mut at: u64, blocks: Vec<u64>) -> io::Result<()> {
        let run = if left > 0 { elements.run(next) } else { None };
        let Some(run) = run else {
            for _ in &blocks {
                self.out.write_all(b"]")?;
            }
            return self.out.write_all(b"]");
        };
        let count = run.len().min(left);
        match run {
            Run::One(value) => {
                self.between(at, &blocks)?;
                self.open.push(Open::Elements { elements, next: next + 1, left: left - 1, at: at + 1, blocks });
                return self.value(value);
            }
            Run::Nulls(_) if count > u64::from(NULLS_WRITTEN_OUT) => {
                self.between(at, &blocks)?;
                write!(self.out, "{{\"$nulls\":{count}}}")?;
                at += count;
            }
            Run::Nulls(_) => {
                for _ in 0..count {
                    self.between(at, &blocks)?;
                    self.out.write_all(b"null")?;
                    at += 1;
                }
            }
        }
        self.open.push(Open::Elements { elements, next: next + 1, left: left - count, at, blocks });
        Ok(())
    }

    /// The comma before an element, and the brackets of the dimensions that end and begin before it.
    fn between(&mut self, at: u64, blocks: &[u64]) -> io::Result<()> {
        let at_edge = blocks.iter().filter(|&&block| at.is_multiple_of(block)).count();
        if at > 0 {
            for _ in 0..at_edge {
                self.out.write_all(b"]")?;
            }
            self.out.write_all(b",")?;
        }
        for _ in 0..at_edge {
            self.out.write_all(b"[")?;
        }
        Ok(())
    }

    /// A dictionary's key, which JSON wants to be a string.
    fn key(&mut self, key: Value) -> io::Result<()> {
        if let Value::Object(id) = key
            && let Object::Text(text) = self.graph.object(id)
        {
            return self.text(text);
        }
        let mut text = Vec::new();
        write_scalar(&mut text, key)?;
        match text.first() {
            Some(b'"') => self.out.write_all(&text),
            _ => {
                self.out.write_all(b"\"")?;
                self.out.write_all(&text)?;
                self.out.write_all(b"\"")
            }
        }
    }

    /// Shows an instance of one of .NET's own classes, or an enumeration, as what it means. False if it is none of those.
    fn unwrapped(&mut self, id: ObjectId, instance: &'g Instance) -> io::Result<bool> {
        let class = self.graph.class(instance.class);
        if let [member] = &class.members[..]
            && &*member.name == "value__"
            && let [value] = instance.values[..]
        {
            write_scalar(&mut self.out, value)?;
            return Ok(true);
        }
        if class.library.is_some() {
            return Ok(false);
        }
        if let Some(text) = scalar_text(class, &instance.values) {
            self.out.write_all(text.as_bytes())?;
            return Ok(true);
        }
        if class.name.starts_with("System.Collections.Generic.List`1[")
            && let Some((array, size)) = self.list(instance)
        {
            let wrapped = self.wrap(id, None)?;
            self.array(array, size)?;
            self.unwrap_later(wrapped);
            return Ok(true);
        }
        if class.name.starts_with("System.Collections.Generic.Dictionary`2[")
            && !self.often[id.index()]
            && let Some(pairs) = self.pairs(instance)
        {
            self.out.write_all(b"{")?;
            self.open.push(Open::Pairs { pairs, next: 0 });
            return Ok(true);
        }
        Ok(false)
    }

    /// An array that nothing else holds: it is shown as a part of its holder, and never again.
    fn own_array(&self, value: Value) -> Option<&'g Array> {
        let graph = self.graph;
        match value {
            Value::Object(id) if !self.often[id.index()] => match graph.object(id) {
                Object::Array(array) => Some(array),
                _ => None,
            },
            _ => None,
        }
    }

    /// A list's array, and how much of it is the list.
    fn list(&self, list: &Instance) -> Option<(&'g Array, u64)> {
        let array = self.own_array(self.graph.field(list, "_items")?)?;
        let Some(Value::I32(size)) = self.graph.field(list, "_size") else { return None };
        let size = u64::try_from(size).ok()?;
        (size <= array.elements.len() && matches!(array.shape, Shape::Vector(_))).then_some((array, size))
    }

    /// A dictionary's keys and values, if the keys can be JSON's.
    fn pairs(&self, dictionary: &Instance) -> Option<Vec<(Value, Value)>> {
        let Some(pairs) = self.graph.field(dictionary, "KeyValuePairs") else {
            // An empty dictionary has no pairs.
            let empty = matches!(self.graph.field(dictionary, "HashSize"), Some(Value::I32(_)));
            return empty.then(Vec::new);
        };
        let array = self.own_array(pairs)?;
        let Elements::Values(runs) = &array.elements else { return None };
        let pair = |run: &Run| {
            let Run::One(Value::Object(id)) = *run else { return None };
            let Object::Instance(pair) = self.graph.object(id) else { return None };
            let (key, value) = (self.graph.field(pair, "key")?, self.graph.field(pair, "value")?);
            let fits = match key {
                Value::Null => false,
                Value::Object(key) => matches!(self.graph.object(key), Object::Text(_)),
                _ => true,
            };
            (fits && pair.in_place).then_some((key, value))
        };
        runs.iter().map(pair).collect()
    }
}

fn has_long_runs(elements: &Elements) -> bool {
    match elements {
        Elements::Values(runs) => runs.iter().any(|run| matches!(run, Run::Nulls(count) if *count > NULLS_WRITTEN_OUT)),
        _ => false,
    }
}

fn write_scalar(out: &mut impl Write, value: Value) -> io::Result<()> {
    match value {
        Value::Null | Value::Object(_) => out.write_all(b"null"),
        Value::Bool(value) => write!(out, "{value}"),
        Value::U8(value) => write!(out, "{value}"),
        Value::I8(value) => write!(out, "{value}"),
        Value::I16(value) => write!(out, "{value}"),
        Value::U16(value) => write!(out, "{value}"),
        Value::I32(value) => write!(out, "{value}"),
        Value::U32(value) => write!(out, "{value}"),
        Value::I64(value) => write!(out, "{value}"),
        Value::U64(value) => write!(out, "{value}"),
        Value::F32(value) if value.is_finite() => serde_json::to_writer(out, &value).map_err(io::Error::from),
        Value::F64(value) if value.is_finite() => serde_json::to_writer(out, &value).map_err(io::Error::from),
        Value::F32(value) => not_finite(out, f64::from(value)),
        Value::F64(value) => not_finite(out, value),
        Value::Char(unit) => match char::from_u32(u32::from(unit)) {
            Some(character) => serde_json::to_writer(out, &character).map_err(io::Error::from),
            None => write!(out, "\"\\u{unit:04x}\""),
        },
        Value::Decimal(value) => write!(out, "{value}"),
        Value::DateTime(value) => write!(out, "\"{value}\""),
        Value::TimeSpan(value) => write!(out, "\"{value}\""),
    }
}

fn not_finite(out: &mut impl Write, value: f64) -> io::Result<()> {
    out.write_all(match value {
        f64::INFINITY => b"\"Infinity\"",
        f64::NEG_INFINITY => b"\"-Infinity\"",
        _ => b"\"NaN\"",
    })
}

/// A single value for which .NET has a class, as JSON: what an array of interfaces holds, and what is written alone.
fn scalar_text(class: &Class, values: &[Value]) -> Option<String> {
    let field = |name: &str| values.get(class.members.iter().position(|member| &*member.name == name)?).copied();
    let integer = |name: &str| match field(name) {
        Some(Value::I32(value)) => Some(value as u32),
        _ => None,
    };
    let json = |value: Value| {
        let mut text = Vec::new();
        write_scalar(&mut text, value).ok()?;
        String::from_utf8(text).ok()
    };
    match &*class.name {
        "System.TimeSpan" => match field("_ticks")? {
            Value::I64(ticks) => json(Value::TimeSpan(TimeSpan(ticks))),
            _ => None,
        },
        "System.DateTime" => match field("dateData")? {
            Value::U64(bits) => json(Value::DateTime(super::DateTime::from_bits(bits)?)),
            _ => None,
        },
        "System.Decimal" => {
            let (low, mid, high, flags) = (integer("lo")?, integer("mid")?, integer("hi")?, integer("flags")?);
            let mantissa = u128::from(low) | u128::from(mid) << 32 | u128::from(high) << 64;
            json(Value::Decimal(Decimal::new(flags >> 31 == 1, mantissa, (flags >> 16) as u8)?))
        }
        "System.Guid" => {
            let small = |name| match field(name)? {
                Value::I16(value) => Some(value as u16),
                _ => None,
            };
            let mut text = format!("\"{:08x}-{:04x}-{:04x}-", integer("_a")?, small("_b")?, small("_c")?);
            for (at, name) in ["_d", "_e", "_f", "_g", "_h", "_i", "_j", "_k"].into_iter().enumerate() {
                let Value::U8(byte) = field(name)? else { return None };
                text += &format!("{byte:02x}");
                if at == 1 {
                    text.push('-');
                }
            }
            text.push('"');
            Some(text)
        }
        "System.IntPtr" | "System.UIntPtr" => json(field("value")?),
        name => {
            let [value] = values else { return None };
            let is_own = field("m_value").is_some() && value.primitive().map(Primitive::name) == Some(name);
            is_own.then(|| json(*value)).flatten()
        }
    }
}
