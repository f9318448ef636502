//! 638 streams that .NET Core and .NET Framework wrote, and a few of other projects: read where they are, as they are not ours to copy.
//!
//! `WIREWISE_VECTORS` names the folder of vectors; `../shared/vectors` is looked at without it. Each stream has the C# expression of what
//! was written, and where that is made of literals and constructors its value is compared.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use serde_json::{Map, Value, json};
use wirewise::graph::View;

use crate::{json as shown, read, write};

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("WIREWISE_VECTORS").map(PathBuf::from);
    let folder = given.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/vectors")).join("nrbf");
    if folder.is_dir() {
        return Some(folder);
    }
    // Not by eprintln!, which a test that passes keeps to itself.
    io::stderr()
        .write_all(b"SKIPPED: 638 streams and 17 of others, as there is no folder of vectors\n")
        .expect("standard error takes a line");
    None
}

#[test]
fn the_streams_of_dotnets_own_tests() {
    let Some(folder) = folder().map(|folder| folder.join("corefx")) else { return };
    let index = fs::read_to_string(folder.join("index.tsv")).unwrap();
    let (mut streams, mut compared, mut same, mut unequal) = (0, 0, 0, Vec::new());
    for line in index.lines().skip(1) {
        let columns: Vec<&str> = line.split('\t').collect();
        let (file, expression) = (columns[0], columns[4]);
        let bytes = fs::read(folder.join(file)).unwrap();
        let graph = read(&bytes).unwrap_or_else(|error| panic!("{file}: {expression}: {error}"));
        let typed = shown(&graph, View::Typed);
        assert!(serde_json::from_str::<serde::de::IgnoredAny>(&typed).is_ok(), "{file}: {typed}");
        let plain: Value = serde_json::from_str(&shown(&graph, View::Plain)).unwrap_or_else(|error| panic!("{file}: {error}"));
        streams += 1;
        if let Some(expected) = evaluate(expression) {
            compared += 1;
            if !holds(&plain, &expected) {
                unequal.push(format!("{file}: {expression}: {expected} expected, {plain} read"));
            }
        }
        // What is written of the graph is the graph again, and nearly always the same bytes.
        let written = write(&graph).unwrap_or_else(|error| panic!("{file}: {expression}: {error}"));
        let again = read(&written).unwrap_or_else(|error| panic!("{file}: written again: {error}"));
        assert_eq!(serde_json::from_str::<Value>(&shown(&again, View::Plain)).unwrap(), plain, "{file}");
        if written == bytes {
            same += 1;
        } else {
            let equal = written.iter().zip(&bytes).take_while(|(one, other)| one == other).count();
            println!("{file}: written otherwise from byte {equal} of {} on: {expression}", bytes.len());
        }
    }
    println!("{streams} streams read, {compared} values compared, {same} written byte for byte");
    assert!(unequal.is_empty(), "{unequal:#?}");
    assert_eq!(streams, 638);
    assert!(compared >= 100, "{compared}");
}

#[test]
fn the_streams_of_others() {
    let Some(folder) = folder() else { return };
    let mut read_streams = 0;
    for (of, refused) in [("nrbf-rs", &["method_call.nrbf", "method_return.nrbf"][..]), ("tvarney", &["LICENSE"])] {
        for entry in fs::read_dir(folder.join(of)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            let bytes = fs::read(&path).unwrap();
            match wirewise::format::nrbf::read(&bytes) {
                // Some files go on behind their first stream.
                Ok((graph, used)) => {
                    assert_eq!(write(&graph).unwrap_or_else(|error| panic!("{name}: {error}")).len(), used, "{name}");
                    read_streams += 1;
                }
                Err(error) => assert!(refused.contains(&name), "{name}: {error}"),
            }
        }
    }
    println!("{read_streams} streams of other projects read, 2 remoting calls refused");
    for entry in fs::read_dir(folder.join("runtime_fuzz")).unwrap() {
        let path = entry.unwrap().path();
        match read(&fs::read(&path).unwrap()) {
            Ok(_) => println!("{}: read", path.display()),
            Err(error) => println!("{}: {error}", path.display()),
        }
    }
}

/// Whether what was read is what was expected; an object may have more members than those expected of it.
fn holds(found: &Value, expected: &Value) -> bool {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            expected.iter().all(|(name, expected)| found.get(name).is_some_and(|found| holds(found, expected)))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len() && found.iter().zip(expected).all(|(found, expected)| holds(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => found.as_f64() == expected.as_f64(),
        _ => found == expected,
    }
}

/// The value of a C# expression, if it is made of what is known here.
fn evaluate(expression: &str) -> Option<Value> {
    let mut parser = Parser { rest: expression };
    let value = parser.sum()?;
    parser.rest.trim().is_empty().then_some(value)
}

struct Parser<'e> {
    rest: &'e str,
}

impl<'e> Parser<'e> {
    fn take(&mut self, token: &str) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(token)?;
        Some(())
    }

    fn has(&mut self, token: &str) -> bool {
        self.take(token).is_some()
    }

    fn next(&self) -> Option<char> {
        self.rest.trim_start().chars().next()
    }

    /// A name with its full stops, and generic arguments behind it.
    fn name(&mut self) -> Option<&'e str> {
        let text = self.rest.trim_start();
        let mut end = text.find(|c: char| !(c.is_alphanumeric() || c == '.' || c == '_')).unwrap_or(text.len());
        let name = &text[..end];
        if text[end..].starts_with('<') {
            let mut depth = 0;
            for (at, c) in text[end..].char_indices() {
                depth += i32::from(c == '<') - i32::from(c == '>');
                if depth == 0 {
                    end += at + 1;
                    break;
                }
            }
        }
        self.rest = &text[end..];
        (!name.is_empty()).then_some(name)
    }

    fn sum(&mut self) -> Option<Value> {
        let mut value = self.value()?;
        while self.has("+") {
            value = json!(format!("{}{}", value.as_str()?, self.value()?.as_str()?));
        }
        Some(value)
    }

    fn value(&mut self) -> Option<Value> {
        match self.next()? {
            '"' => Some(json!(self.quoted('"')?)),
            '\'' => Some(json!(self.quoted('\'')?)),
            '-' | '0'..='9' => self.number(),
            '(' => {
                self.take("(int?)")?;
                self.value()
            }
            _ if self.has("new ") || self.has("new[") => self.new_value(),
            _ => {
                let name = self.name()?;
                if self.next() == Some('(') {
                    let arguments = self.arguments('(', ')')?;
                    return self.called(name, arguments);
                }
                constant(name)
            }
        }
    }

    fn quoted(&mut self, quote: char) -> Option<String> {
        let text = self.rest.trim_start();
        let mut characters = text.char_indices().skip(1);
        let mut value = String::new();
        loop {
            match characters.next()? {
                (at, c) if c == quote => {
                    self.rest = &text[at + 1..];
                    return Some(value);
                }
                (_, '\\') => match characters.next()?.1 {
                    '0' => value.push('\0'),
                    'u' => {
                        let digits: String = characters.by_ref().take(4).map(|(_, c)| c).collect();
                        value.push(char::from_u32(u32::from_str_radix(&digits, 16).ok()?)?);
                    }
                    c @ ('"' | '\'' | '\\') => value.push(c),
                    _ => return None,
                },
                (_, c) => value.push(c),
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let text = self.rest.trim_start();
        let end = text.find(|c: char| !matches!(c, '-' | '.' | '0'..='9')).unwrap_or(text.len());
        let (digits, rest) = text.split_at(end);
        self.rest = rest.strip_prefix(['u', 'L', 'm', 'f']).unwrap_or(rest);
        if rest.starts_with('f') {
            return Some(float(digits.parse().ok()?));
        }
        serde_json::from_str(digits.trim_start_matches('0'))
            .or_else(|_| serde_json::from_str(digits))
            .or_else(|_| Ok::<_, ()>(json!(digits.parse::<i64>().ok())))
            .ok()
    }

    /// Values between brackets, with commas between them.
    fn arguments(&mut self, open: char, close: char) -> Option<Vec<Value>> {
        self.take(open.encode_utf8(&mut [0; 4]))?;
        let close = close.to_string();
        let mut arguments = Vec::new();
        while !self.has(&close) {
            arguments.push(if self.next() == Some('{') { Value::Array(self.arguments('{', '}')?) } else { self.sum()? });
            if !self.has(",") && self.next()? != close.chars().next()? {
                return None;
            }
        }
        Some(arguments)
    }

    /// What stands behind `new`.
    fn new_value(&mut self) -> Option<Value> {
        if self.has("]") {
            return self.arguments('{', '}').map(Value::Array);
        }
        let name = self.name()?;
        if self.has("[") {
            if let Some(count @ '0'..='9') = self.next() {
                let _ = count;
                let count = self.number()?.as_u64()? as usize;
                self.take("]")?;
                return Some(json!(vec![Value::Null; count]));
            }
            while self.has(",") {}
            self.take("]")?;
            return self.arguments('{', '}').map(Value::Array);
        }
        let arguments = if self.next() == Some('(') { self.arguments('(', ')')? } else { Vec::new() };
        if self.next() == Some('{') {
            return self.initialised(name, &arguments);
        }
        made(name, arguments)
    }

    /// What braces behind a constructor hold: elements, pairs, or members.
    fn initialised(&mut self, name: &str, arguments: &[Value]) -> Option<Value> {
        if !arguments.is_empty() {
            return None;
        }
        if name == "List" {
            return self.arguments('{', '}').map(Value::Array);
        }
        if name == "Dictionary" {
            let mut pairs = Map::new();
            for pair in self.arguments('{', '}')? {
                let [key, value] = pair.as_array()?.as_slice() else { return None };
                pairs.insert(key.as_str()?.to_owned(), value.clone());
            }
            return Some(Value::Object(pairs));
        }
        self.take("{")?;
        let mut members = Map::new();
        while !self.has("}") {
            let name = self.name()?;
            self.take("=")?;
            members.insert(name.to_owned(), self.sum()?);
            self.take(",").or_else(|| (self.next() == Some('}')).then_some(()))?;
        }
        Some(Value::Object(members))
    }

    fn called(&mut self, name: &str, arguments: Vec<Value>) -> Option<Value> {
        match (name, &arguments[..]) {
            ("Enumerable.Range", [first, count]) => {
                let (first, count) = (first.as_i64()?, count.as_i64()?);
                for step in [".Select(i => (byte)i)", ".Select(i => (object)i)", ".ToArray()", ".ToList()"] {
                    self.has(step);
                }
                Some(json!((first..first + count).collect::<Vec<_>>()))
            }
            ("TimeSpan.FromDays", [days]) => Some(json!(format!("{days}.00:00:00"))),
            ("Tuple.Create" | "ValueTuple.Create", arguments) => {
                let prefix = if name.starts_with('V') { "" } else { "m_" };
                let member = |(at, value): (usize, &Value)| match at {
                    7 => (format!("{prefix}Rest"), json!({ format!("{prefix}Item1"): value })),
                    _ => (format!("{prefix}Item{}", at + 1), value.clone()),
                };
                Some(Value::Object(arguments.iter().enumerate().map(member).collect()))
            }
            _ => None,
        }
    }
}

/// A float as it is printed, which is not the double of the same value.
fn float(value: f32) -> Value {
    serde_json::from_str(&serde_json::to_string(&value).unwrap()).unwrap()
}

fn constant(name: &str) -> Option<Value> {
    Some(match name {
        "true" => json!(true),
        "false" => json!(false),
        "null" => Value::Null,
        "byte.MinValue" | "ushort.MinValue" | "uint.MinValue" | "ulong.MinValue" => json!(0),
        "byte.MaxValue" => json!(u8::MAX),
        "sbyte.MinValue" => json!(i8::MIN),
        "sbyte.MaxValue" => json!(i8::MAX),
        "short.MinValue" => json!(i16::MIN),
        "short.MaxValue" => json!(i16::MAX),
        "ushort.MaxValue" => json!(u16::MAX),
        "int.MinValue" => json!(i32::MIN),
        "int.MaxValue" => json!(i32::MAX),
        "uint.MaxValue" => json!(u32::MAX),
        "long.MinValue" => json!(i64::MIN),
        "long.MaxValue" => json!(i64::MAX),
        "ulong.MaxValue" => json!(u64::MAX),
        "char.MinValue" => json!("\0"),
        "char.MaxValue" => json!("\u{FFFF}"),
        "float.MinValue" => float(f32::MIN),
        "float.MaxValue" => float(f32::MAX),
        "double.MinValue" => json!(f64::MIN),
        "double.MaxValue" => json!(f64::MAX),
        "decimal.MinValue" => json!(-79_228_162_514_264_337_593_543_950_335.0),
        "decimal.MaxValue" => json!(79_228_162_514_264_337_593_543_950_335.0),
        "decimal.MinusOne" => json!(-1),
        "DayOfWeek.Monday" => json!(1),
        "DayOfWeek.Tuesday" => json!(2),
        "DayOfWeek.Wednesday" => json!(3),
        "DayOfWeek.Thursday" => json!(4),
        "DayOfWeek.Friday" => json!(5),
        "DateTimeKind.Utc" => json!(1),
        "DateTimeKind.Local" => json!(2),
        "IntPtr.Zero" | "UIntPtr.Zero" => json!(0),
        "GraphicsUnit.Pixel" => json!(2),
        "FontStyle.Bold" => json!(1),
        _ => return None,
    })
}

/// What a constructor makes, as the members that hold it.
fn made(name: &str, arguments: Vec<Value>) -> Option<Value> {
    let named = |names: &[&str]| {
        let or_zero = |at: usize| arguments.get(at).cloned().unwrap_or(json!(0));
        Value::Object(names.iter().enumerate().map(|(at, name)| ((*name).to_owned(), or_zero(at))).collect())
    };
    Some(match (name, &arguments[..]) {
        ("List", [Value::Array(items)]) => json!(items),
        ("List", [] | [Value::Number(_)]) => json!([]),
        ("Dictionary", [] | [Value::Number(_)]) => json!({}),
        ("Guid", [Value::String(text)]) => json!(text.to_lowercase()),
        ("KeyValuePair", [_, _]) => named(&["key", "value"]),
        ("System.Collections.DictionaryEntry", [_, _]) => named(&["_key", "_value"]),
        ("DateTime", [year, month, day, rest @ ..]) => {
            let (times, kind) = rest.split_at(rest.len().min(3));
            let time = |at: usize| times.get(at).and_then(Value::as_i64).unwrap_or(0);
            let kind = kind.first().map_or("", |kind| if kind == &json!(1) { "Z" } else { " local" });
            let number = |value: &Value| value.as_i64();
            let (year, month, day) = (number(year)?, number(month)?, number(day)?);
            json!(format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}{kind}", time(0), time(1), time(2)))
        }
        ("Version", [_, _, _, _]) => named(&["_Major", "_Minor", "_Build", "_Revision"]),
        ("Complex", [] | [_, _]) => named(&["m_real", "m_imaginary"]),
        ("System.Drawing.Point" | "PointF", [] | [_, _]) => named(&["x", "y"]),
        ("Size" | "SizeF", [_, _]) => named(&["width", "height"]),
        ("Rectangle" | "RectangleF", [_, _, _, _]) => named(&["x", "y", "width", "height"]),
        ("BigInteger", [] | [Value::Number(_)]) => {
            json!({ "_sign": arguments.first().cloned().unwrap_or(json!(0)), "_bits": null })
        }
        ("SqlByte" | "SqlInt16" | "SqlInt32" | "SqlInt64" | "SqlDouble", [] | [_]) => {
            json!({ "m_fNotNull": !arguments.is_empty(), "m_value": arguments.first().cloned().unwrap_or(json!(0)) })
        }
        ("ArraySegment", [Value::Array(items)]) => json!({ "_array": items, "_offset": 0, "_count": items.len() }),
        ("ArraySegment", [Value::Array(items), offset, count]) => json!({ "_array": items, "_offset": offset, "_count": count }),
        ("ValueTuple" | "EmptyStruct" | "TypeWithoutNamespace", []) => json!({}),
        _ => return None,
    })
}
