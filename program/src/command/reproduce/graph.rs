//! Article 002: a graph of 90 objects of three types that point at each other, BinaryFormatter against Protocol Buffers with references.
//!
//! The article's table is not at hand, so that its column is empty, and the claims are worded here: that protobuf-net with references takes
//! fewer bytes and less time than BinaryFormatter, and keeps the graph.

use std::hint::black_box;
use std::time::Instant;

use anyhow::Context;

use super::{Arguments, Claim, NOT_AT_HAND, Verdict, exact, print_claims};
use crate::command::print_table;
use wirewise::dataset::SplitMix64;
use wirewise::format::nrbf::Nrbf;
use wirewise::format::protobuf_net::references::{Holds, Model, ModelClass, ModelField, Root};
use wirewise::format::{Decode, Encode};
use wirewise::graph::{
    Array, Class, ClassId, DateTime, DateTimeKind, Elements, Graph, Instance, LibraryId, Member, Object, ObjectId, Primitive, Run, Shape,
    Type, Value,
};
use wirewise::limits::Limits;
use wirewise::payload::Payload;
use wirewise::report::number;
use wirewise::statistics::Summary;

const RUNS: u16 = 30;
const LIBRARY: &str = "Peer, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null";
/// How many departments there are, and how many projects and employees each has: 90 objects.
const DEPARTMENTS: usize = 3;
const PROJECTS: usize = 10;
const EMPLOYEES: usize = 19;
const OBJECTS: usize = DEPARTMENTS * (1 + PROJECTS + EMPLOYEES);

/// Runs both, and prints the article's table and claims.
pub(super) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let runs = arguments.runs.unwrap_or(RUNS);
    let graph = company();
    let formatter = measure(runs, &graph, |graph, sink| Nrbf.encode(graph, sink), |payload| Nrbf.decode(payload))?;
    let (model, rooted) = (model(), with_root_object(&graph));
    let protobuf = measure(
        runs,
        &rooted,
        |graph, sink| model.write(graph, sink),
        |payload| model.read(Root::Class(COMPANY), payload, &Limits::for_payload(payload.len())),
    )?;
    let rows = [("BinaryFormatter", &formatter, "the same bytes as .NET's"), ("protobuf-net 2, AsReference", &protobuf, WITH_ROOT)];
    println!(
        "{OBJECTS} objects of three types with cycles, through the graph that both formats share; medians of {runs} runs. What comes \
         back was written again, as the same bytes: every object is there once, and is held where it was.\n"
    );
    let rows: Vec<Vec<String>> = rows
        .iter()
        .map(|(title, figures, remark)| {
            let time = |nanoseconds: Summary| format!("{:.1}", nanoseconds.median / 1e3);
            let unknown = || NOT_AT_HAND.to_owned();
            vec![
                (*title).to_owned(),
                time(figures.encode),
                unknown(),
                time(figures.decode),
                unknown(),
                number::count(figures.bytes.median as u64),
                unknown(),
                (*remark).to_owned(),
            ]
        })
        .collect();
    let head = ["", "encode µs", "published", "decode µs", "published", "bytes", "published", "remark"];
    print_table(&head, &rows, &[false, true, true, true, true, true, true, false]);
    println!(
        "\nThe article's figures and words are not at hand: nothing is held against its figures, and the claims are worded after what it compares.\n"
    );
    let below = |text: &str, ours: Summary, other: Summary| -> Claim { (text.to_owned(), Some(Verdict::below(ours, other)), None) };
    let claims = [
        below("protobuf with references: fewer bytes than BinaryFormatter", protobuf.bytes, formatter.bytes),
        below("protobuf with references: encode time below BinaryFormatter's", protobuf.encode, formatter.encode),
        below("protobuf with references: decode time below BinaryFormatter's", protobuf.decode, formatter.decode),
    ];
    print_claims("claim", "ratio", &claims);
    println!("\nThe ratio is protobuf's figure to BinaryFormatter's.");
    Ok(())
}

const WITH_ROOT: &str = "an object more: the elements of a root array have no numbers, so one that holds the array stands around it";

/// Nanoseconds to encode and to decode, and bytes.
struct Figures {
    encode: Summary,
    decode: Summary,
    bytes: Summary,
}

/// Proves that a graph which comes back is the one that was written, and times both ways.
fn measure(
    runs: u16,
    graph: &Graph,
    encode: impl Fn(&Graph, &mut Vec<u8>) -> wirewise::Result<()>,
    decode: impl Fn(&Payload) -> wirewise::Result<Graph>,
) -> anyhow::Result<Figures> {
    let mut sink = Vec::new();
    encode(graph, &mut sink)?;
    let payload = Payload::from(sink.as_slice());
    encode(&decode(&payload)?, &mut sink)?;
    anyhow::ensure!(sink == payload.as_slice(), "the graph that came back is written as other bytes");
    let timed = |work: &mut dyn FnMut() -> wirewise::Result<()>| -> anyhow::Result<Summary> {
        let mut times = Vec::new();
        for _ in 0..runs {
            let start = Instant::now();
            for _ in 0..REPEATS {
                work()?;
            }
            times.push(start.elapsed().as_secs_f64() * 1e9 / f64::from(REPEATS));
        }
        Summary::of(&times).context("no runs")
    };
    let encode = timed(&mut || encode(graph, &mut sink))?;
    let decode = timed(&mut || decode(black_box(&payload)).map(|graph| drop(black_box(graph))))?;
    Ok(Figures { encode, decode, bytes: exact(payload.len() as f64) })
}

/// How often a run repeats what takes microseconds.
const REPEATS: u32 = 200;

/// The positions of the classes in the model.
const DEPARTMENT: usize = 0;
const EMPLOYEE: usize = 1;
const PROJECT: usize = 2;
const COMPANY: usize = 3;

/// The three classes with their attributes, and the one that holds the departments.
fn model() -> Model {
    let value = |number, name: &str, kind| ModelField {
        number,
        name: name.into(),
        holds: Holds::Value(kind),
        list: false,
        as_reference: false,
        dynamic_type: false,
    };
    let text = |number, name: &str| ModelField { holds: Holds::Text, ..value(number, name, Primitive::I32) };
    let one = |number, name: &str, class| ModelField { holds: Holds::Class(class), as_reference: true, ..text(number, name) };
    let many = |number, name: &str, class| ModelField { list: true, ..one(number, name, class) };
    let class = |name: &str, fields| ModelClass { name: name.into(), library: LIBRARY.into(), fields };
    Model {
        classes: vec![
            class(
                "Peer.Department",
                vec![value(1, "Id", Primitive::I32), text(2, "Name"), many(3, "Employees", EMPLOYEE), many(4, "Projects", PROJECT)],
            ),
            class(
                "Peer.Employee",
                vec![
                    value(1, "Id", Primitive::I32),
                    text(2, "Name"),
                    value(3, "Salary", Primitive::F64),
                    value(4, "Hired", Primitive::DateTime),
                    one(5, "Department", DEPARTMENT),
                    one(6, "Manager", EMPLOYEE),
                    many(7, "Projects", PROJECT),
                ],
            ),
            class(
                "Peer.Project",
                vec![
                    value(1, "Id", Primitive::I32),
                    text(2, "Title"),
                    value(3, "Active", Primitive::Bool),
                    one(4, "Owner", DEPARTMENT),
                    many(5, "Members", EMPLOYEE),
                ],
            ),
            class("Peer.Company", vec![many(1, "Departments", DEPARTMENT)]),
        ],
    }
}

/// The graph with an object around the array that is its root.
fn with_root_object(graph: &Graph) -> Graph {
    let mut rooted = graph.clone();
    let library = Some(LibraryId::new(0));
    let departments = Member { name: "Departments".into(), declared: Type::Named { name: "Peer.Department[]".into(), library } };
    let class = rooted.add_class(Class { name: "Peer.Company".into(), library, members: [departments].into() });
    let holder = rooted.add(Object::Instance(Instance { class, in_place: false, values: [graph.root()].into() }));
    rooted.set_root(Value::Object(holder));
    rooted
}

/// The classes of the graph, and its lists.
struct Classes {
    department: ClassId,
    employee: ClassId,
    project: ClassId,
    employees: ClassId,
    projects: ClassId,
}

/// A `List<T>` as it grows: its array has room for 4 items at first, and then for twice as many.
const LEAST_CAPACITY: usize = 4;

/// The objects: 3 departments, each with 10 projects and 19 employees, who know their department, their manager and their projects.
fn company() -> Graph {
    let mut graph = Graph::default();
    let library = graph.add_library(LIBRARY);
    let classes = classes(&mut graph, library);
    // The generator that the .NET program draws from, so that both have the same graph.
    let mut draws = SplitMix64::new(7);
    let mut departments = Vec::new();
    for department in 0..DEPARTMENTS {
        let own = placeholder(&mut graph);
        let projects: Vec<ObjectId> = (0..PROJECTS).map(|_| placeholder(&mut graph)).collect();
        let employees: Vec<ObjectId> = (0..EMPLOYEES).map(|_| placeholder(&mut graph)).collect();
        for (at, &place) in employees.iter().enumerate() {
            let id = department * EMPLOYEES + at;
            let salary = f64::from(next_int(&mut draws)) / 100.0;
            let hired = HIRED_FROM + draws.next() % 5000 * TICKS_A_DAY;
            let values = vec![
                Value::I32(id as i32),
                text(&mut graph, format!("employee {id}")),
                Value::F64(salary),
                DateTime::new(hired, DateTimeKind::Utc).map_or(Value::Null, Value::DateTime),
                Value::Object(own),
                if at == 0 { Value::Null } else { Value::Object(employees[0]) },
                list(&mut graph, classes.projects, named("Peer.Project", library), &[projects[at % PROJECTS]]),
            ];
            graph.replace(place, instance(classes.employee, values));
        }
        for (at, &place) in projects.iter().enumerate() {
            let id = department * PROJECTS + at;
            let members: Vec<ObjectId> = employees.iter().copied().skip(at).step_by(PROJECTS).collect();
            let values = vec![
                Value::I32(id as i32),
                text(&mut graph, format!("project {id}")),
                Value::Bool(at % 2 == 0),
                Value::Object(own),
                list(&mut graph, classes.employees, named("Peer.Employee", library), &members),
            ];
            graph.replace(place, instance(classes.project, values));
        }
        let values = vec![
            Value::I32(department as i32),
            text(&mut graph, format!("department {department}")),
            list(&mut graph, classes.employees, named("Peer.Employee", library), &employees),
            list(&mut graph, classes.projects, named("Peer.Project", library), &projects),
        ];
        graph.replace(own, instance(classes.department, values));
        departments.push(Run::One(Value::Object(own)));
    }
    let root = Array {
        element: named("Peer.Department", library),
        shape: Shape::Vector(DEPARTMENTS as u32),
        elements: Elements::Values(departments.into()),
    };
    let root = graph.add(Object::Array(Box::new(root)));
    graph.set_root(Value::Object(root));
    graph
}

/// The ticks of 2010-01-01, and of a day.
const HIRED_FROM: u64 = 633_979_008_000_000_000;
const TICKS_A_DAY: u64 = 864_000_000_000;

fn named(name: &str, library: LibraryId) -> Type {
    Type::Named { name: name.into(), library: Some(library) }
}

fn classes(graph: &mut Graph, library: LibraryId) -> Classes {
    let list_name = |of: &str| format!("System.Collections.Generic.List`1[[{of}, {LIBRARY}]]");
    let list_of = |of: &str| Type::Named { name: list_name(of).into(), library: None };
    let int = || Type::Primitive(Primitive::I32);
    let mut list_class = |of: &str| {
        let members = [("_items", named(&format!("{of}[]"), library)), ("_size", int()), ("_version", int())];
        let members = members.map(|(name, declared)| Member { name: name.into(), declared }).into();
        graph.add_class(Class { name: list_name(of).into(), library: None, members })
    };
    let (employees, projects) = (list_class("Peer.Employee"), list_class("Peer.Project"));
    let mut class = |name: &str, properties: Vec<(&str, Type)>| {
        let member = |(name, declared): (&str, Type)| Member { name: format!("<{name}>k__BackingField").into(), declared };
        let members = properties.into_iter().map(member).collect();
        graph.add_class(Class { name: name.into(), library: Some(library), members })
    };
    Classes {
        department: class(
            "Peer.Department",
            vec![("Id", int()), ("Name", Type::Text), ("Employees", list_of("Peer.Employee")), ("Projects", list_of("Peer.Project"))],
        ),
        employee: class(
            "Peer.Employee",
            vec![
                ("Id", int()),
                ("Name", Type::Text),
                ("Salary", Type::Primitive(Primitive::F64)),
                ("Hired", Type::Primitive(Primitive::DateTime)),
                ("Department", named("Peer.Department", library)),
                ("Manager", named("Peer.Employee", library)),
                ("Projects", list_of("Peer.Project")),
            ],
        ),
        project: class(
            "Peer.Project",
            vec![
                ("Id", int()),
                ("Title", Type::Text),
                ("Active", Type::Primitive(Primitive::Bool)),
                ("Owner", named("Peer.Department", library)),
                ("Members", list_of("Peer.Employee")),
            ],
        ),
        employees,
        projects,
    }
}

/// A place for an object that others point at before it is made.
fn placeholder(graph: &mut Graph) -> ObjectId {
    graph.add(Object::Text(Box::default()))
}

fn instance(class: ClassId, values: Vec<Value>) -> Object {
    Object::Instance(Instance { class, in_place: false, values: values.into() })
}

fn text(graph: &mut Graph, text: String) -> Value {
    Value::Object(graph.add(Object::Text(text.into())))
}

/// A `List<T>` to which the items were added one by one.
fn list(graph: &mut Graph, class: ClassId, element: Type, items: &[ObjectId]) -> Value {
    let capacity = items.len().next_power_of_two().max(LEAST_CAPACITY);
    let mut runs: Vec<Run> = items.iter().map(|&item| Run::One(Value::Object(item))).collect();
    if capacity > items.len() {
        runs.push(Run::Nulls((capacity - items.len()) as u32));
    }
    let array = Array { element, shape: Shape::Vector(capacity as u32), elements: Elements::Values(runs.into()) };
    let array = graph.add(Object::Array(Box::new(array)));
    let count = Value::I32(items.len() as i32);
    Value::Object(graph.add(instance(class, vec![Value::Object(array), count, count])))
}

/// As .NET's `Random.Next(1, int.MaxValue)`: from 1 on.
fn next_int(draws: &mut SplitMix64) -> i32 {
    (1 + draws.next() % 2_147_483_646) as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The graph is the one that .NET wrote, and comes back through both formats with every object once.
    #[test]
    fn the_graph_is_dotnets_and_keeps_its_identities() {
        let graph = company();
        let (mut formatter, mut protobuf) = (Vec::new(), Vec::new());
        Nrbf.encode(&graph, &mut formatter).unwrap();
        assert_eq!(formatter.len(), 12_422, "what .NET wrote is so long");
        let back: Graph = Nrbf.decode(&Payload::from(formatter.as_slice())).unwrap();
        let mut again = Vec::new();
        Nrbf.encode(&back, &mut again).unwrap();
        assert_eq!(again, formatter);

        let model = model();
        model.write(&with_root_object(&graph), &mut protobuf).unwrap();
        // What was read of BinaryFormatter's payload is the same graph.
        model.write(&with_root_object(&back), &mut again).unwrap();
        assert_eq!(again, protobuf);
        let back = model.read(Root::Class(COMPANY), &protobuf, &Limits::for_payload(protobuf.len())).unwrap();
        assert_eq!(back.objects().iter().filter(|object| matches!(object, Object::Instance(_))).count(), OBJECTS + 1);
        model.write(&back, &mut again).unwrap();
        assert_eq!(again, protobuf);
    }
}
