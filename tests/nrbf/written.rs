//! Read and written again, a payload is the same: the graph loses nothing, and the writer does as BinaryFormatter does.

use wirewise::dataset::{Dataset, Organization, Spec};
use wirewise::format::nrbf::Nrbf;
use wirewise::format::{Decode, Encode};
use wirewise::graph::{Class, Graph, Instance, Member, Object, Type, Value, View};
use wirewise::{Payload, Read};

use crate::vectors::Vectors;
use crate::{json, read, write};

fn payloads(vectors: &Vectors) -> impl Iterator<Item = &str> {
    vectors.names().filter(|name| name.ends_with(".bin"))
}

#[test]
fn every_vector_comes_back_byte_for_byte() {
    let vectors = Vectors::open("nrbf");
    let mut count = 0;
    let mut differ = Vec::new();
    for name in payloads(&vectors) {
        let bytes = vectors.file(name);
        let graph = read(bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
        let written = write(&graph).unwrap_or_else(|error| panic!("{name}: {error}"));
        if written != bytes {
            let equal = written.iter().zip(bytes).take_while(|(one, other)| one == other).count();
            differ.push(format!("{name}: equal as far as {equal} of {}", bytes.len()));
        }
        count += 1;
    }
    println!("{count} payloads read and written byte for byte");
    assert!(differ.is_empty(), "{differ:#?}");
}

#[test]
fn the_datasets_are_dotnets_byte_for_byte() {
    let vectors = Vectors::open("nrbf");
    let generated =
        |members, variant: &str| Organization::generate(&Spec { variant: variant.to_owned(), ..Organization::spec(members) }).unwrap();
    for (name, value) in [
        ("organization-3-zh", generated(3, "zh")),
        ("organization-3-ja", generated(3, "ja")),
        ("organization-1000-zh", generated(1000, "zh")),
        ("organization-empty", Organization { id: 7, tags: Some(vec![]), members: Some(vec![]) }),
        ("organization-null", Organization::default()),
    ] {
        let expected = vectors.file(&format!("{name}.binaryformatter.bin"));
        let mut bytes = Vec::new();
        Nrbf.encode(&value, &mut bytes).unwrap();
        let equal = bytes.iter().zip(expected).take_while(|(one, other)| one == other).count();
        assert!(bytes == expected, "{name}: {} bytes of {}, equal as far as {equal}", bytes.len(), expected.len());
        let back: Organization = Nrbf.decode(&Payload::from(expected)).unwrap();
        assert_eq!(back, value, "{name}");
    }
}

/// A graph need not come from a payload: here is the node that points at itself, made by hand.
#[test]
fn a_graph_made_by_hand_is_written_as_dotnet_writes_it() {
    let mut graph = Graph::default();
    let name = "Peer, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null";
    let library = Some(graph.add_library(name));
    let node = || Type::Named { name: "Peer.Node".into(), library };
    let list = Type::Named { name: format!("System.Collections.Generic.List`1[[Peer.Node, {name}]]").into(), library: None };
    let members = [("Name", Type::Text), ("Next", node()), ("Other", node()), ("Children", list)];
    let members = members.map(|(name, declared)| Member { name: name.into(), declared }).into();
    let class = graph.add_class(Class { name: "Peer.Node".into(), library, members });
    let text = graph.add(Object::Text("self".into()));
    let itself = graph.add(Object::Text("until it is made".into()));
    let values = [Value::Object(text), Value::Object(itself), Value::Null, Value::Null].into();
    graph.replace(itself, Object::Instance(Instance { class, in_place: false, values }));
    graph.set_root(Value::Object(itself));
    assert_eq!(write(&graph).unwrap(), Vectors::open("nrbf").file("node-self.binaryformatter.bin"));

    // What stands in place has one holder, and no value holds itself.
    let values = [Value::Object(text), Value::Object(itself), Value::Null, Value::Null].into();
    graph.replace(itself, Object::Instance(Instance { class, in_place: true, values }));
    assert!(write(&graph).unwrap_err().to_string().contains("in two places"));
    graph.replace(itself, Object::Instance(Instance { class, in_place: false, values: [Value::Null].into() }));
    assert!(write(&graph).unwrap_err().to_string().contains("with 1 values"));
    graph.set_root(Value::I32(1));
    assert!(write(&graph).unwrap_err().to_string().contains("root"));
}

/// Two of .NET's payloads share strings that a value does not say are shared, and count other changes of their lists. They are read as
/// what they are, and what is written of that is read the same.
#[test]
fn strings_that_dotnet_shared_are_read() {
    let vectors = Vectors::open("nrbf");
    for (name, members) in [("organization-edges", 9), ("organization-nonfinite", 5)] {
        let value: Organization = Nrbf.decode(&Payload::from(vectors.file(&format!("{name}.binaryformatter.bin")))).unwrap();
        assert_eq!(value.records(), members);
        let mut bytes = Vec::new();
        Nrbf.encode(&value, &mut bytes).unwrap();
        let back: Organization = Nrbf.decode(&Payload::from(bytes)).unwrap();
        assert_eq!(back.checksum().unwrap(), value.checksum().unwrap(), "{name}");
    }
}

#[test]
fn nothing_is_lost_of_a_value_at_the_edges() {
    for (name, value) in Organization::probes() {
        let mut bytes = Vec::new();
        Nrbf.encode(&value, &mut bytes).unwrap();
        let payload = Payload::from(bytes);
        let back: Organization = Nrbf.decode(&payload).unwrap();
        assert_eq!(back.checksum().unwrap(), value.checksum().unwrap(), "{name}");
        let graph = read(&payload).unwrap();
        assert_eq!(write(&graph).unwrap(), payload.as_slice(), "{name}");
    }
}

#[test]
fn graphs_are_shown_as_json() {
    let vectors = Vectors::open("nrbf");
    let shown = |name: &str, view| json(&read(vectors.file(&format!("{name}.binaryformatter.bin"))).unwrap(), view);
    for (name, expected) in [
        ("node-self", r#"{"$id":1,"Name":"self","Next":{"$ref":1},"Other":null,"Children":null}"#),
        (
            "node-shared",
            r#"{"Name":"a","Next":{"$id":3,"Name":"shared","Next":null,"Other":null,"Children":null},"Other":{"$ref":3},"Children":null}"#,
        ),
        ("people-array-nulls", &format!("[{}]", ["null"; 300].join(","))),
        ("nrbf-int32", "42"),
        ("nrbf-string", r#""héllo 😀""#),
        ("nrbf-int-array", "[1,-2,2147483647]"),
        ("nrbf-double-array", r#"[1.5,-0.0,"NaN"]"#),
        ("nrbf-string-array-nulls", r#"["a",null,null,null,"a","b"]"#),
        ("nrbf-object-array", r#"[1,"two",3.0,null,true,"c",4,5,6,"2020-01-02T03:04:05Z","00:00:07"]"#),
        ("nrbf-jagged-array", "[[1,2],[3]]"),
        ("nrbf-rank2-array", "[[1,2,3],[4,5,6]]"),
        ("nrbf-list-string", r#"["x","y"]"#),
        ("nrbf-dictionary", r#"{"one":1,"two":2}"#),
        ("nrbf-enum", "2"),
        ("nrbf-guid", r#""00112233-4455-6677-8899-aabbccddeeff""#),
        ("person", r#"{"Id":1,"Name":"张三","Age":18,"Address":"北京市朝阳区"}"#),
        (
            "people-list",
            r#"[{"Id":1,"Name":"a","Age":0,"Address":null},{"Id":2,"Name":"b","Age":0,"Address":null},{"Id":3,"Name":null,"Age":0,"Address":null}]"#,
        ),
    ] {
        assert_eq!(shown(name, View::Plain), expected, "{name}");
    }
    for (name, expected) in [
        ("node-self", r#"{"$id":1,"$type":"Peer.Node, Peer","Name":"self","Next":{"$ref":1},"Other":null,"Children":null}"#),
        ("nrbf-rank2-array", r#"{"$id":1,"$type":"System.Int32[,]","$lengths":[2,3],"$values":[1,2,3,4,5,6]}"#),
        (
            "nrbf-string-array-nulls",
            r#"{"$id":1,"$type":"System.String[]","$values":[{"$id":2,"$value":"a"},null,null,null,{"$ref":2},"b"]}"#,
        ),
    ] {
        assert_eq!(shown(name, View::Typed), expected, "{name}");
    }
    for name in payloads(&vectors) {
        for view in [View::Typed, View::Plain] {
            let text = json(&read(vectors.file(name)).unwrap(), view);
            // A reader's own limit on nesting is all that it may object to.
            if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(&text) {
                assert!(error.to_string().contains("recursion limit"), "{name}: {error}: {text}");
            }
        }
    }
}
