//! protobuf-net 2's references and dynamic types: what release 2.0.0.668 wrote, and what it would refuse.

use proptest::prelude::*;
use wirewise::Limits;
use wirewise::Problem;
use wirewise::format::protobuf_net::references::{Holds, Model, ModelClass, ModelField, Root};
use wirewise::graph::{
    Array, Class, Elements, Graph, Instance, Member, Object, ObjectId, Primitive, Run, Shape, Type, Value, View, write_json,
};

use crate::vectors::Vectors;

const LIBRARY: &str = "pbn, Version=2.0.0.668, Culture=neutral, PublicKeyToken=null";

fn read(model: &Model, root: Root, payload: &[u8]) -> wirewise::Result<Graph> {
    model.read(root, payload, &Limits::for_payload(payload.len()))
}

fn field(number: u32, name: &str, holds: Holds) -> ModelField {
    ModelField { number, name: name.into(), holds, list: false, as_reference: false, dynamic_type: false }
}

fn reference(field: ModelField) -> ModelField {
    ModelField { as_reference: true, ..field }
}

fn dynamic(field: ModelField) -> ModelField {
    ModelField { dynamic_type: true, ..field }
}

fn list(field: ModelField) -> ModelField {
    ModelField { list: true, ..field }
}

fn class(name: &str, fields: impl Into<Vec<ModelField>>) -> ModelClass {
    ModelClass { name: name.into(), library: LIBRARY.into(), fields: fields.into() }
}

fn id() -> ModelField {
    field(1, "Id", Holds::Value(Primitive::I32))
}

fn test() -> ModelClass {
    class("Test", [id(), field(2, "Name", Holds::Text)])
}

/// Nodes that refer to each other, or hold each other.
fn nodes(as_reference: bool) -> Model {
    let held = |field| ModelField { as_reference, ..field };
    let next = held(field(3, "Next", Holds::Class(0)));
    let kids = held(list(field(4, "Kids", Holds::Class(0))));
    Model { classes: vec![class("Node", [id(), field(2, "Name", Holds::Text), next, kids])] }
}

/// The three types of a graph that points back: A holds a B and many C, each of which knows its A.
fn three() -> Model {
    let to = |number, name: &str, class| reference(field(number, name, Holds::Class(class)));
    Model {
        classes: vec![
            class("A", [id(), to(2, "B", 1), list(to(3, "Cs", 2))]),
            class("B", [id(), to(2, "A", 0), field(3, "Name", Holds::Text)]),
            class("C", [id(), to(2, "A", 0), to(3, "B", 1)]),
        ],
    }
}

fn dynamics() -> Model {
    let members = [
        dynamic(field(1, "One", Holds::Any)),
        dynamic(field(2, "Two", Holds::Any)),
        reference(field(3, "Text", Holds::Text)),
        reference(field(4, "SameText", Holds::Text)),
        dynamic(reference(field(5, "Shared", Holds::Any))),
        dynamic(reference(field(6, "SharedToo", Holds::Any))),
    ];
    Model { classes: vec![class("Dynamics", members), test()] }
}

/// Each vector: its classes, its root, and the graph.
fn cases() -> Vec<(&'static str, Model, Root, &'static str)> {
    let own_reference = Model { classes: vec![class("Node", [id(), reference(field(2, "Next", Holds::Class(0)))])] };
    let loop_of_two = r#"{"$id":1,"Id":1,"Name":"a","Next":{"Id":2,"Name":"a","Next":{"$ref":1},"Kids":null},"Kids":null}"#;
    let tests = Model { classes: vec![test()] };
    vec![
        ("cycle2", nodes(true), Root::Class(0), loop_of_two),
        ("badcycle", nodes(true), Root::Class(0), loop_of_two),
        (
            "kids",
            nodes(true),
            Root::Class(0),
            r#"{"Id":1,"Name":null,"Next":null,"Kids":[{"$id":2,"Id":9,"Name":null,"Next":null,"Kids":null},{"$ref":2}]}"#,
        ),
        ("self", nodes(true), Root::Class(0), r#"{"$id":1,"Id":5,"Name":null,"Next":{"$ref":1},"Kids":null}"#),
        ("rd", own_reference, Root::Class(0), r#"{"$id":1,"Id":3,"Next":{"$ref":1}}"#),
        (
            "dyn",
            dynamics(),
            Root::Class(0),
            r#"{"One":{"Id":1,"Name":null},"Two":{"Id":2,"Name":null},"Text":"s","SameText":"s","Shared":null,"SharedToo":null}"#,
        ),
        ("dynstr", dynamics(), Root::Class(0), r#"{"One":"hi","Two":null,"Text":null,"SameText":null,"Shared":null,"SharedToo":null}"#),
        (
            "dynref",
            dynamics(),
            Root::Class(0),
            r#"{"One":null,"Two":null,"Text":null,"SameText":null,"Shared":{"$id":2,"Id":7,"Name":null},"SharedToo":{"$ref":2}}"#,
        ),
        (
            "dynref2",
            dynamics(),
            Root::Class(0),
            r#"{"One":null,"Two":null,"Text":null,"SameText":null,"Shared":{"Id":7,"Name":null},"SharedToo":{"Id":8,"Name":null}}"#,
        ),
        (
            "graph3",
            three(),
            Root::Class(0),
            r#"{"$id":1,"Id":1,"B":{"$id":2,"Id":2,"A":{"$ref":1},"Name":"b"},"Cs":[{"Id":3,"A":{"$ref":1},"B":{"$ref":2}},{"Id":4,"A":{"$ref":1},"B":{"$ref":2}}]}"#,
        ),
        // The array holds one object twice, as a value, so that it is there three times: twice as an element, and once as what is referred to.
        (
            "arrroot",
            three(),
            Root::List(0),
            r#"[{"Id":1,"B":{"$id":3,"Id":2,"A":{"$id":4,"Id":1,"B":{"$ref":3},"Cs":[{"$id":5,"Id":3,"A":{"$ref":4},"B":{"$ref":3}},{"$id":7,"Id":4,"A":{"$ref":4},"B":{"$ref":3}}]},"Name":"b"},"Cs":[{"$ref":5},{"$ref":7}]},{"Id":1,"B":{"$ref":3},"Cs":[{"$ref":5},{"$ref":7}]}]"#,
        ),
        ("listroot", tests, Root::List(0), r#"[{"Id":1,"Name":null},{"Id":0,"Name":null}]"#),
    ]
}

fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// A payload of the legacy lists: `name [length] HEX` a line.
fn line(vectors: &Vectors, name: &str) -> Vec<u8> {
    let lines = ["protobufnet_r668.txt", "protobufnet_r668_b.txt"].map(|file| vectors.text(file).lines());
    let mut found = lines.into_iter().flatten().filter(|line| line.split(' ').next() == Some(name) && line.contains('['));
    hex(found.next().unwrap_or_else(|| panic!("{name}")).rsplit(' ').next().unwrap())
}

fn json(graph: &Graph) -> String {
    let mut text = Vec::new();
    write_json(graph, View::Plain, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn written(model: &Model, graph: &Graph) -> wirewise::Result<Vec<u8>> {
    let mut sink = vec![1, 2, 3];
    model.write(graph, &mut sink).map(|()| sink)
}

#[test]
fn every_graph_comes_back_byte_for_byte_and_no_cut_is_taken_for_another() {
    let vectors = Vectors::open("dotnet");
    let (mut count, mut cuts) = (0, 0);
    for (name, model, root, expected) in cases() {
        let payload = line(&vectors, name);
        let graph = read(&model, root, &payload).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(json(&graph), expected, "{name}");
        assert_eq!(written(&model, &graph).unwrap(), payload, "{name}");
        for cut in 0..payload.len() {
            // A message has no end mark: a cut between two members of the root is a payload, of just the first ones.
            if let Ok(graph) = read(&model, root, &payload[..cut]) {
                assert_eq!(written(&model, &graph).unwrap(), payload[..cut], "{name}, cut at {cut}");
            }
            cuts += 1;
        }
        count += 1;
    }
    println!("{count} graphs of protobuf-net 2 read and written byte for byte, and cut in {cuts} places");
}

#[test]
fn what_is_refused_says_why() {
    let (node, three, dynamics, root) = (nodes(true), three(), dynamics(), Root::Class(0));
    for (what, model, payload, reason) in [
        ("a number that nothing has", &node, "1A020801", "number 1, which nothing has"),
        ("a number that nothing has yet", &node, "1A0A1001520622040802 1A00", "nothing"),
        ("a number out of turn", &node, "1A0410035200", "number 3 is given out where 1 is next"),
        ("a number given twice", &node, "22041001520022041001 5200", "number 1 is given out where 2 is next"),
        ("a number without its object", &node, "1A021001", "without its object"),
        ("nothing", &node, "1A00", "is not what it holds"),
        ("an object of another class", &three, "12020800", "is not what it holds"),
        ("a type that is an object", &dynamics, "0A0418005200", "which is an object"),
        ("no type", &dynamics, "0A025200", "whose type is not told"),
        ("a type that nobody has", &dynamics, "0A0720014201585200", "a type X that the model has not"),
        ("an object where text is", &node, "1800", "wire type 0"),
        ("more than there is", &node, "1A7F10", "127 more bytes are needed, 1 are left"),
        ("more than is around it", &node, "1A0410015203 0801", "3 more bytes are needed, 0 are left"),
        ("a name that is not UTF-8", &node, "1201FF", "UTF-8"),
        ("2^31 bytes", &node, "1AFFFFFFFF0F", "a length of"),
    ] {
        let payload = hex(&payload.replace(' ', ""));
        let error = read(model, root, &payload).unwrap_err();
        assert!(error.to_string().contains(reason), "{what}: {error}");
        assert!(error.offset().is_some_and(|offset| offset <= payload.len()), "{what}: {error}");
    }
}

/// A mebibyte of objects of two bytes each, of a class of many members.
#[test]
fn small_objects_do_not_add_up_to_much_memory() {
    let many = (2..1000).map(|number| field(number, &format!("M{number}"), Holds::Value(Primitive::Decimal)));
    let wide =
        Model { classes: vec![class("Wide", [list(field(1, "Same", Holds::Class(0)))].into_iter().chain(many).collect::<Vec<_>>())] };
    let payload = [0x0A, 0].repeat(1 << 19);
    let error = read(&wide, Root::Class(0), &payload).unwrap_err();
    assert!(matches!(error.problem(), Problem::Limit { limit: "allocation", .. }), "{error}");
    // What takes more than its share is read where it may.
    let few = &payload[..200];
    let base = Limits { allocation: 1 << 20, ..Limits::for_payload(few.len()) };
    let error = wide.read(Root::Class(0), few, &base).unwrap_err();
    assert!(matches!(error.problem(), Problem::Limit { limit: "allocation", allowed: 0x10_0000, .. }), "{error}");
    assert_eq!(wide.read(Root::Class(0), few, &Limits { allocation: 2 << 20, ..base }).unwrap().objects().len(), 102);
}

/// Each limit that these readers have is the caller's.
#[test]
fn limits_are_lowered_and_raised() {
    let model =
        Model { classes: vec![class("Listing", [list(field(1, "Numbers", Holds::Value(Primitive::I32))), field(2, "Text", Holds::Text)])] };
    // A packed list of ten, a text of ten letters, and a field that nobody asked for, ten groups deep.
    let payload = [&[0x0A, 10][..], &[1; 10], &[0x12, 10], b"ten lettrs", &[0x1B; 10], &[0x1C; 10]].concat();
    let enough = Limits { depth: 10, elements: 10, text: 10, ..Limits::for_payload(payload.len()) };
    assert_eq!(model.read(Root::Class(0), &payload, &enough).unwrap().objects().len(), 3);
    for (limit, limits) in [
        ("depth", Limits { depth: 9, ..enough }),
        ("elements", Limits { elements: 9, ..enough }),
        ("string length", Limits { text: 9, ..enough }),
        ("allocation", Limits { allocation: 100, ..enough }),
    ] {
        let error = model.read(Root::Class(0), &payload, &limits).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: found, .. } if *found == limit), "{limit}: {error}");
    }
}

/// A graph of nodes, by what each of them points at.
fn graph(nodes: &[(Option<usize>, Option<usize>)]) -> Graph {
    let mut graph = Graph::default();
    let library = Some(graph.add_library(LIBRARY));
    let node = || Type::Named { name: "Node".into(), library };
    let members =
        [("Id", Type::Primitive(Primitive::I32)), ("<Name>k__BackingField", Type::Text), ("Next", node()), ("Kids", Type::Object)];
    let members = members.map(|(name, declared)| Member { name: name.into(), declared }).into();
    let class = graph.add_class(Class { name: "Node".into(), library, members });
    let places: Vec<ObjectId> = nodes.iter().map(|_| graph.add(Object::Text("until it is made".into()))).collect();
    for (at, (next, text)) in nodes.iter().enumerate() {
        let name = text.map_or(Value::Null, |text| Value::Object(graph.add(Object::Text(format!("text {text}").into()))));
        let next = next.map_or(Value::Null, |next| Value::Object(places[next]));
        let values = [Value::I32(at as i32), name, next, Value::Null].into();
        graph.replace(places[at], Object::Instance(Instance { class, in_place: false, values }));
    }
    graph.set_root(Value::Object(places[0]));
    graph
}

#[test]
fn a_cycle_without_references_is_an_error() {
    for nodes_of_cycle in [vec![(Some(0), None)], vec![(Some(1), None), (Some(2), None), (Some(1), None)]] {
        let error = written(&nodes(false), &graph(&nodes_of_cycle)).unwrap_err();
        assert!(
            matches!(error.problem(), Problem::Unrepresentable(reason) if reason.contains("cycle") && reason.contains("Node, pbn")),
            "{error}"
        );
        written(&nodes(true), &graph(&nodes_of_cycle)).unwrap();
    }
    // Twice the same is no cycle.
    let mut shared = graph(&[(Some(1), None), (Some(2), None), (None, None)]);
    let expected = written(&nodes(false), &shared).unwrap();
    let Object::Instance(first) = shared.objects()[0].clone() else { panic!() };
    assert_eq!(expected.len(), 8);
    // The root list holds its first element twice.
    let element = Type::Named { name: "Node".into(), library: None };
    let items = [first.values[2]; 2].map(Run::One);
    let array = Array { element, shape: Shape::Vector(2), elements: Elements::Values(items.into()) };
    let list = shared.add(Object::Array(Box::new(array)));
    shared.set_root(Value::Object(list));
    assert_eq!(written(&nodes(false), &shared).unwrap(), hex("0A0608011A0208020A0608011A020802"));
}

#[test]
fn what_cannot_be_written_is_an_error() {
    let model = nodes(true);
    let whole = graph(&[(None, Some(1))]);
    let Object::Instance(first) = &whole.objects()[0] else { panic!() };
    for root in [Value::I32(1), Value::Null, whole.field(first, "Name").unwrap()] {
        let mut graph = whole.clone();
        graph.set_root(root);
        assert!(matches!(written(&model, &graph).unwrap_err().problem(), Problem::Unrepresentable(_)), "{root:?}");
    }
    for (what, model) in [
        ("another class", Model { classes: vec![test()] }),
        ("another type", Model { classes: vec![class("Node", [field(1, "Id", Holds::Text)])] }),
        ("a member more", Model { classes: vec![class("Node", [field(1, "More", Holds::Text)])] }),
        ("no dynamic type", Model { classes: vec![class("Node", [field(1, "Name", Holds::Any)])] }),
        ("no list", Model { classes: vec![class("Node", [list(field(1, "Name", Holds::Text))])] }),
        ("a reference to a value", Model { classes: vec![class("Node", [reference(field(1, "Id", Holds::Value(Primitive::I32)))])] }),
    ] {
        assert!(matches!(written(&model, &whole).unwrap_err().problem(), Problem::Unrepresentable(_)), "{what}");
    }
}

#[test]
fn depth_is_not_the_call_stack() {
    let chain: Vec<_> = (1..=100_000).map(|next| ((next < 100_000).then_some(next), None)).collect();
    let run = move || {
        for as_reference in [true, false] {
            let (model, graph) = (nodes(as_reference), graph(&chain));
            let payload = written(&model, &graph).unwrap();
            // Nodes that do not say whose they are are nine bytes each, and more than eight times that in memory.
            let back = model.read(Root::Class(0), &payload, &Limits::trusted()).unwrap();
            assert_eq!(back.objects().len(), chain.len());
            assert_eq!(written(&model, &back).unwrap(), payload);
        }
    };
    std::thread::Builder::new().stack_size(256 << 10).spawn(run).unwrap().join().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_graph_keeps_its_identities(nodes_of in proptest::collection::vec((proptest::option::of(0..20usize), proptest::option::of(0..3usize)), 20)) {
        let (model, graph) = (nodes(true), graph(&nodes_of));
        let payload = written(&model, &graph).unwrap();
        let back = read(&model, Root::Class(0), &payload).unwrap();
        // As many nodes come back as can be reached from the root, and they point where they did.
        let mut at = Some(0);
        let mut seen = Vec::new();
        let mut place = back.root();
        while let (Some(node), Value::Object(id)) = (at, place) {
            let Object::Instance(instance) = back.object(id) else { panic!() };
            prop_assert_eq!(back.field(instance, "Id"), Some(Value::I32(node as i32)));
            if let Some((_, before)) = seen.iter().find(|(known, _)| *known == node) {
                prop_assert_eq!(*before, id);
                break;
            }
            seen.push((node, id));
            (at, place) = (nodes_of[node].0, back.field(instance, "Next").unwrap());
        }
        prop_assert_eq!(back.objects().iter().filter(|object| matches!(object, Object::Instance(_))).count(), seen.len());
        prop_assert_eq!(written(&model, &back).unwrap(), payload);
    }
}
