//! protobuf-net's and Google's messages beyond the dataset: presence, types that only .NET has, derived classes, one field of each kind.

use wirewise::format::contract::{self, Contract, Field, Kind, Object, Rule, Value, read_into, write};
use wirewise::format::dotnet_protobuf::Manner;
use wirewise::format::google_protobuf::SchemaFirst;
use wirewise::format::protobuf_net::CodeFirst;
use wirewise::{Limits, Problem, Result};

use crate::vectors::Vectors;

fn read<M: Manner>(contract: &Contract, payload: &[u8]) -> Result<Object> {
    contract::read::<M>(contract, payload, &Limits::for_payload(payload.len()))
}

fn contract(fields: impl IntoIterator<Item = (u32, Kind, Rule)>) -> Contract {
    let fields = fields.into_iter().map(|(number, kind, rule)| Field { number, kind, rule }).collect();
    Contract { fields, derived: Vec::new() }
}

fn object(values: impl IntoIterator<Item = Value>) -> Object {
    Object { values: values.into_iter().collect(), derived: None }
}

fn text(text: &str) -> Value {
    Value::Text(text.to_owned())
}

fn integers(items: &[i64]) -> Value {
    Value::List(items.iter().map(|&item| Value::Integer(item)).collect())
}

fn test_class() -> Contract {
    contract([(1, Kind::Int32, Rule::Plain), (2, Kind::Text, Rule::Plain)])
}

fn test(id: i64, name: Value) -> Value {
    Value::Object(object([Value::Integer(id), name]))
}

fn presence() -> Contract {
    use Kind::*;
    contract([
        (1, Bool, Rule::Plain),
        (2, Int32, Rule::Plain),
        (3, Int32, Rule::Plain),
        (4, Text, Rule::Plain),
        (5, Int32, Rule::List),
        (6, Bool, Rule::Nullable),
        (7, Int32, Rule::Nullable),
        (8, Text, Rule::List),
    ])
}

fn everything() -> Contract {
    use Kind::*;
    contract([
        (1, Bool, Rule::Plain),
        (2, Int32, Rule::Plain),
        (3, Int32, Rule::Plain),
        (4, ZigZag, Rule::Plain),
        (5, Fixed32, Rule::Plain),
        (6, Fixed64, Rule::Plain),
        (7, Unsigned, Rule::Plain),
        (8, Single, Rule::Plain),
        (9, Double, Rule::Plain),
        (10, Text, Rule::Plain),
        (11, Bytes, Rule::Plain),
        (12, Int32, Rule::Packed),
        (13, ZigZag, Rule::List),
        (14, Message(test_class()), Rule::List),
        (15, Int32, Rule::Map(Text)),
        (16, Message(test_class()), Rule::Nullable),
        (17, Int32, Rule::Nullable),
        (18, Text, Rule::Nullable),
        (19, Message(test_class()), Rule::Nullable),
    ])
}

fn everything_set() -> Object {
    object([
        Value::Bool(true),
        Value::Integer(2),
        Value::Integer(-1),
        Value::Integer(-2),
        Value::Unsigned(0xDEAD_BEEF),
        Value::Integer(-3),
        Value::Unsigned(u64::MAX),
        Value::Single(1.5),
        Value::Double(-0.0),
        text("复杂"),
        Value::Bytes(vec![0, 255]),
        integers(&[0, 1, -1, 300]),
        integers(&[0, -1, i64::MIN]),
        Value::List(vec![test(1, text("a")), test(0, text(""))]),
        Value::Map(vec![(text("one"), Value::Integer(1)), (text("zero"), Value::Integer(0))]),
        test(5, text("n")),
        Value::Integer(0),
        Value::Null,
        test(9, text("r")),
    ])
}

fn everything_empty() -> Object {
    let mut empty = everything().object();
    for (index, value) in [
        (9, text("")),
        (10, Value::Bytes(vec![])),
        (11, integers(&[])),
        (12, integers(&[])),
        (13, Value::List(vec![])),
        (14, Value::Map(vec![])),
        (15, test(0, Value::Null)),
        (17, text("")),
    ] {
        empty.values[index] = value;
    }
    empty
}

fn bcl() -> Contract {
    use Kind::*;
    contract([
        (1, DateTime, Rule::Plain),
        (2, TimeSpan, Rule::Plain),
        (3, Guid, Rule::Plain),
        (4, Decimal, Rule::Plain),
        (5, DateTime, Rule::Nullable),
        (6, Unsigned, Rule::Plain),
        (7, Text, Rule::Plain),
    ])
}

fn decimal(low: u64, high: u32, scale: u8, negative: bool) -> Value {
    Value::Decimal { low, high, scale, negative }
}

/// The ticks of 2023-12-10.
const DAY: i64 = 638_377_632_000_000_000;

fn initialised() -> Contract {
    use Kind::*;
    contract([
        (1, Bool, Rule::Plain),
        (2, Int32, Rule::Plain),
        (3, Int32, Rule::List),
        (4, Int32, Rule::Required),
        (5, Int32, Rule::Unless(Value::Integer(5))),
    ])
}

fn initialised_as_is() -> Object {
    object([Value::Bool(true), Value::Integer(7), integers(&[1, 2]), Value::Integer(0), Value::Integer(5)])
}

fn shape() -> Contract {
    let side = contract([(1, Kind::Double, Rule::Plain)]);
    Contract { derived: vec![(10, side.clone()), (11, side)], ..contract([(1, Kind::Text, Rule::Plain)]) }
}

fn derived(number: u32, size: f64, label: &str) -> Object {
    Object { derived: Some((number, Box::new(object([Value::Double(size)])))), ..object([text(label)]) }
}

/// Each vector of protobuf-net: its class, its value, and what comes back of it if that is another one.
fn cases() -> Vec<(&'static str, Contract, Object, Option<Object>)> {
    let presence_set = object([
        Value::Bool(true),
        Value::Integer(2),
        Value::Integer(-1),
        text("x"),
        integers(&[0, 1, -1, i32::MAX.into(), i32::MIN.into()]),
        Value::Bool(true),
        Value::Integer(i32::MIN.into()),
        Value::List(vec![text(""), text("a")]),
    ]);
    let zero = || Value::Integer(0);
    let presence_empty =
        |list: Value| object([Value::Bool(false), zero(), zero(), text(""), list.clone(), Value::Bool(false), zero(), list]);
    let person = contract([
        (1, Kind::Int32, Rule::Plain),
        (2, Kind::Text, Rule::Plain),
        (3, Kind::Int32, Rule::Plain),
        (4, Kind::Text, Rule::Plain),
    ]);
    let positive_zero = |mut object: Object| {
        object.values[8] = Value::Double(0.0);
        object
    };
    let without_lists = |mut object: Object| {
        (11..15).for_each(|index| object.values[index] = Value::Null);
        object
    };
    let bcl_value = |when, long, id, price, maybe: Option<i64>, letter, link| {
        object([
            Value::Integer(when),
            Value::Integer(long),
            Value::Guid(id),
            price,
            maybe.map_or(Value::Null, Value::Integer),
            Value::Unsigned(letter),
            link,
        ])
    };
    let guid = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF];
    let last = 3_155_378_975_999_999_999;
    let moment = DAY + (15 * 3600 + 60 + 13) * 10_000_000 + 7_120_003;
    vec![
        ("test-1", test_class(), object([Value::Integer(1), text("测试 protobuf-net")]), None),
        ("test-2", test_class(), object([Value::Integer(2), text("测试 Google.ProtoBuf")]), None),
        ("test-default", test_class(), object([zero(), text("")]), None),
        ("test-null", test_class(), object([zero(), Value::Null]), None),
        ("person", person, object([Value::Integer(1), text("张三"), Value::Integer(18), text("北京市朝阳区")]), None),
        ("presence-unset", presence(), presence().object(), None),
        ("presence-empty", presence(), presence_empty(Value::List(vec![])), Some(presence_empty(Value::Null))),
        ("presence-set", presence(), presence_set, None),
        ("everything-set", everything(), everything_set(), Some(positive_zero(everything_set()))),
        ("everything-empty", everything(), everything_empty(), Some(without_lists(everything_empty()))),
        ("everything-unset", everything(), everything().object(), None),
        ("bcl-unset", bcl(), bcl().object(), None),
        (
            "bcl-set",
            bcl(),
            bcl_value(moment, 54_000_000_000, guid, decimal(110, 0, 2, false), Some(DAY), '测' as u64, text("http://localhost/a?b=c")),
            None,
        ),
        (
            "bcl-extremes",
            bcl(),
            bcl_value(last, i64::MIN, [0; 16], decimal(u64::MAX, u32::MAX, 0, true), Some(0), 0xFFFF, Value::Null),
            None,
        ),
        // A second before 1970.
        (
            "bcl-negative",
            bcl(),
            bcl_value(621_355_968_000_000_000 - 10_000_000, -1, [0; 16], decimal(1, 0, 28, true), None, 0, Value::Null),
            None,
        ),
        ("shape-circle", shape(), derived(10, 1.5, "c"), None),
        ("shape-square", shape(), derived(11, 0.0, "s"), None),
        ("shape-base", shape(), object([text("b")]), None),
    ]
}

#[test]
fn protobuf_net() {
    let vectors = Vectors::open("dotnet");
    let mut count = 0;
    for (name, contract, value, back) in cases() {
        let expected = vectors.file(&format!("{name}.protobuf-net.bin"));
        let mut sink = Vec::new();
        write::<CodeFirst>(&contract, &value, &mut sink).unwrap();
        assert_eq!(sink, expected, "{name}");
        assert_eq!(read::<CodeFirst>(&contract, expected).unwrap(), back.unwrap_or(value), "{name}");
        // A cut is refused, or falls between two fields of the outermost message.
        for cut in 0..expected.len() {
            let _ = read::<CodeFirst>(&contract, &expected[..cut]);
        }
        count += 1;
    }
    println!("{count} messages of protobuf-net written byte for byte and read");
}

/// A dictionary and a list that stand by themselves are field 1 of a message.
#[test]
fn roots_that_are_no_classes() {
    let vectors = Vectors::open("dotnet");
    let dictionary = contract([(1, Kind::Text, Rule::Map(Kind::Int32))]);
    let value = object([Value::Map(vec![(Value::Integer(1), text("one")), (Value::Integer(0), text("zero"))])]);
    let expected = vectors.file("root-dictionary.protobuf-net.bin");
    let mut sink = Vec::new();
    write::<CodeFirst>(&dictionary, &value, &mut sink).unwrap();
    assert_eq!((sink.as_slice(), read::<CodeFirst>(&dictionary, expected).unwrap()), (expected, value));

    let list = contract([(1, Kind::Message(test_class()), Rule::List)]);
    let value = object([Value::List(vec![test(1, text("a")), test(0, Value::Null), test(-1, text(""))])]);
    let expected = vectors.file("root-list.protobuf-net.bin");
    write::<CodeFirst>(&list, &value, &mut sink).unwrap();
    assert_eq!((sink.as_slice(), read::<CodeFirst>(&list, expected).unwrap()), (expected, value));
    assert_eq!(read::<CodeFirst>(&list, vectors.file("root-list-empty.protobuf-net.bin")).unwrap(), list.object());

    // The graph of article 002 without its references: 3 departments, 57 employees, 30 projects.
    use Kind::*;
    let employee = contract([(1, Int32, Rule::Plain), (2, Text, Rule::Plain), (3, Double, Rule::Plain), (4, DateTime, Rule::Plain)]);
    let project = contract([(1, Int32, Rule::Plain), (2, Text, Rule::Plain), (3, Bool, Rule::Plain)]);
    let department =
        contract([(1, Int32, Rule::Plain), (2, Text, Rule::Plain), (3, Message(employee), Rule::List), (4, Message(project), Rule::List)]);
    let departments = contract([(1, Message(department), Rule::List)]);
    let expected = vectors.file("graph-90-tree.protobuf-net.bin");
    let tree = read::<CodeFirst>(&departments, expected).unwrap();
    let Value::List(items) = &tree.values[0] else { panic!("{tree:?}") };
    let len = |value: &Value| if let Value::List(items) = value { items.len() } else { 0 };
    let counts: Vec<_> = items
        .iter()
        .map(|item| if let Value::Object(item) = item { [len(&item.values[2]), len(&item.values[3])] } else { [0; 2] })
        .collect();
    assert_eq!(counts, [[19, 10]; 3]);
    write::<CodeFirst>(&departments, &tree, &mut sink).unwrap();
    assert_eq!(sink, expected);
}

/// What protobuf-net 2.0 wrote, as far as it needs no references: `name [length] HEX` a line.
#[test]
fn what_release_2_wrote() {
    let vectors = Vectors::open("dotnet");
    let line = |name: &str| {
        let line = vectors.text("protobufnet_r668.txt").lines().find(|line| line.split(' ').next() == Some(name)).unwrap().to_owned();
        let hex = line.rsplit(' ').next().unwrap().to_owned();
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect::<Vec<u8>>()
    };
    let check = |name: &str, contract: &Contract, value: Object| {
        let (expected, mut sink) = (line(name), Vec::new());
        write::<CodeFirst>(contract, &value, &mut sink).unwrap();
        assert_eq!(sink, expected, "{name}");
        assert_eq!(read::<CodeFirst>(contract, &expected).unwrap(), value, "{name}");
    };
    check("test1", &test_class(), object([Value::Integer(1), text("测试 protobuf-net")]));
    check("test0", &test_class(), object([Value::Integer(0), text("")]));
    let four = Contract { fields: bcl().fields[..4].to_vec(), derived: Vec::new() };
    let guid = [0x33, 0x22, 0x11, 0x00, 0x55, 0x44, 0x77, 0x66, 0x88, 0x99, 0xAA, 0xBB, 0xCC, 0xDD, 0xEE, 0xFF];
    let value = |when, long, guid, price| object([Value::Integer(when), Value::Integer(long), Value::Guid(guid), price]);
    check("bcl", &four, value(DAY, 54_000_000_000, guid, decimal(110, 0, 2, false)));
    check("bcl0", &four, four.object());
    check("bclneg", &four, value(621_355_968_000_000_000 + 10_000_000, 1, [0; 16], decimal(5, 0, 0, true)));
}

/// protobuf-net leaves the length out where a packed list has one item, as it did for a list of one −40; Google's library does not.
#[test]
fn one_item_of_a_packed_list() {
    let list = contract([(12, Kind::Int32, Rule::Packed)]);
    let value = object([integers(&[-40])]);
    let number = [0xD8, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01];
    let (mut code_first, mut schema_first) = (Vec::new(), Vec::new());
    write::<CodeFirst>(&list, &value, &mut code_first).unwrap();
    write::<SchemaFirst>(&list, &value, &mut schema_first).unwrap();
    assert_eq!(code_first, [&[0x60], &number[..]].concat());
    assert_eq!(schema_first, [&[0x62, 10], &number[..]].concat());
    for bytes in [code_first, schema_first] {
        assert_eq!(read::<CodeFirst>(&list, &bytes).unwrap(), value);
        assert_eq!(read::<SchemaFirst>(&list, &bytes).unwrap(), value);
    }
}

/// A list that starts with items gets more of them, and a false that is left out does not come back.
#[test]
fn properties_that_do_not_start_at_zero() {
    let vectors = Vectors::open("dotnet");
    let zeroed = object([Value::Bool(false), Value::Integer(0), integers(&[]), Value::Integer(0), Value::Integer(0)]);
    let mut nulled = initialised_as_is();
    nulled.values[2] = Value::Null;
    let doubled = |five: i64, numbers: &[i64]| {
        object([Value::Bool(true), Value::Integer(7), integers(numbers), Value::Integer(0), Value::Integer(five)])
    };
    for (name, value, back) in [
        ("initialised-as-is", initialised_as_is(), doubled(5, &[1, 2, 1, 2])),
        ("initialised-zeroed", zeroed, doubled(0, &[1, 2])),
        ("initialised-nulled", nulled, doubled(5, &[1, 2])),
    ] {
        let expected = vectors.file(&format!("{name}.protobuf-net.bin"));
        let mut sink = Vec::new();
        write::<CodeFirst>(&initialised(), &value, &mut sink).unwrap();
        assert_eq!(sink, expected, "{name}");
        let mut read = initialised_as_is();
        read_into::<CodeFirst>(&initialised(), expected, &Limits::for_payload(expected.len()), &mut read).unwrap();
        assert_eq!(read, back, "{name}");
    }
}

#[test]
fn google_protobuf() {
    let vectors = Vectors::open("dotnet");
    let test = |id, name: &str| object([Value::Integer(id), text(name)]);
    for (name, contract, value) in [
        ("test-1", test_class(), test(1, "测试 protobuf-net")),
        ("test-2", test_class(), test(2, "测试 Google.ProtoBuf")),
        ("test-default", test_class(), test(0, "")),
        ("test-null", test_class(), test(0, "")),
        ("everything-set", everything(), everything_set()),
        ("everything-empty", everything(), everything_empty()),
        ("everything-unset", everything(), everything().object()),
    ] {
        let expected = vectors.file(&format!("{name}.google-protobuf.bin"));
        let mut sink = Vec::new();
        write::<SchemaFirst>(&contract, &value, &mut sink).unwrap();
        assert_eq!(sink, expected, "{name}");
        read::<SchemaFirst>(&contract, expected).unwrap();
        // The code-first library reads it too, and so the other way round.
        read::<CodeFirst>(&contract, expected).unwrap();
        read::<SchemaFirst>(&contract, vectors.file(&format!("{name}.protobuf-net.bin"))).unwrap();
    }
}

#[test]
fn what_is_refused() {
    let mut sink = Vec::new();
    let node = |child: Contract| contract([(1, Kind::Message(child), Rule::Plain)]);
    let (mut class, mut value) = (contract([]), object([]));
    for _ in 0..150 {
        (class, value) = (node(class), object([Value::Object(value)]));
    }
    assert!(write::<CodeFirst>(&class, &value, &mut sink).unwrap_err().to_string().contains("cycle"));
    assert!(write::<CodeFirst>(&presence(), &object([]), &mut sink).is_err());
    let null = object([Value::Integer(0), Value::List(vec![Value::Null])]);
    assert!(write::<CodeFirst>(&contract([(1, Kind::Int32, Rule::Plain), (2, Kind::Text, Rule::List)]), &null, &mut sink).is_err());
    for bytes in [
        &[0x0A, 2, 0x08][..],
        &[0x0A, 3, 0x08, 1, 0x10],
        &[0x08, 1],
        &[0x0A, 4, 0x08, 1, 0x10, 9],
        &[0x22, 2, 0x18, 0x3A],
        &[0x32, 0],
        &[0x3A, 1, 0xFF],
    ] {
        assert!(read::<CodeFirst>(&bcl(), bytes).is_err(), "{bytes:02X?}");
    }
    let deep = (0..100_000u32).fold(Vec::new(), |mut bytes, _| {
        bytes.extend_from_slice(&[0x0A, 0x7F]);
        bytes
    });
    assert!(read::<CodeFirst>(&class, &deep).is_err());
}

/// Each limit that these readers have is the caller's.
#[test]
fn limits_are_lowered_and_raised() {
    let inner = || contract([(1, Kind::Int32, Rule::List), (2, Kind::Text, Rule::Plain), (3, Kind::Bytes, Rule::Plain)]);
    let outer = contract([(1, Kind::Message(inner()), Rule::List), (2, Kind::Text, Rule::Map(Kind::Int32))]);
    // An object with a list of seven, a text and ten bytes; another of nothing; and an entry: ten items in all.
    let message = [&[0x0A, 7][..], &[1; 7], &[0x12, 4], b"text", &[0x1A, 10], &[0; 10]].concat();
    let payload = [&[0x0A, message.len() as u8][..], &message, &[0x0A, 0, 0x12, 0]].concat();
    let enough = Limits { depth: 1, elements: 10, text: 10, ..Limits::for_payload(payload.len()) };
    contract::read::<CodeFirst>(&outer, &payload, &enough).unwrap();
    for (limit, limits) in [
        ("depth", Limits { depth: 0, ..enough }),
        ("elements", Limits { elements: 9, ..enough }),
        ("string length", Limits { text: 9, ..enough }),
        ("allocation", Limits { allocation: 500, ..enough }),
    ] {
        let error = contract::read::<CodeFirst>(&outer, &payload, &limits).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: found, .. } if *found == limit), "{limit}: {error}");
    }
    // Half a mebibyte of objects of nothing takes tens of times its bytes, and has to be trusted.
    let objects = [0x0A, 0].repeat(1 << 18);
    let error = read::<CodeFirst>(&outer, &objects).unwrap_err();
    assert!(matches!(error.problem(), Problem::Limit { limit: "allocation", .. }), "{error}");
    let Value::List(list) = &contract::read::<CodeFirst>(&outer, &objects, &Limits::trusted()).unwrap().values[0] else { panic!("a list") };
    assert_eq!(list.len(), 1 << 18);
}
