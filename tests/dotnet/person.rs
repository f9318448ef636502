//! The one small object, in every format that has it here and that .NET wrote it in.

use wirewise::Registry;
use wirewise::dataset::{Dataset, Person};
use wirewise::registry::Fidelity;

use crate::vectors::Vectors;

/// What .NET Core 3.1 wrote, whose namespace is the assembly's without a name.
#[cfg(feature = "datacontract")]
const XML: &str = concat!(
    r#"<Person xmlns="http://schemas.datacontract.org/2004/07/" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">"#,
    "<Address>北京市朝阳区</Address><Age>18</Age><Id>1</Id><Name>张三</Name></Person>"
);

fn person() -> Person {
    Person::generate(&Person::spec(1)).unwrap()
}

#[test]
fn every_vector_is_written_and_read() {
    let vectors = Vectors::open("dotnet");
    let mut checked = 0;
    for (format, vector) in [
        ("system-text-json", "person.json.bin"),
        ("messagepack-csharp-map", "person.msgpack-map.bin"),
        ("protobuf-net", "person.protobuf-net.bin"),
        // The layouts of both Protocol Buffers libraries are the same for an object whose strings are not empty.
        ("google-protobuf", "person.protobuf-net.bin"),
    ] {
        let registry = Registry::standard();
        let Some(source) = registry.source(format, Person::NAME) else {
            continue;
        };
        assert_eq!(source.encode(&person()).unwrap().unwrap(), vectors.file(vector), "{format}");
        let back = source.decode(&vectors.file(vector).into()).unwrap().unwrap();
        assert_eq!(*back.downcast::<Person>().unwrap(), person(), "{format}");
        checked += 1;
    }
    println!("{checked} vectors of the person written and read");
}

#[test]
#[cfg(feature = "datacontract")]
fn the_xml_is_that_of_a_class_without_a_namespace() {
    use wirewise::format::datacontract::{DataContract, Names};
    use wirewise::format::{Decode, Encode};

    let mut format = DataContract::new(Names { namespace: "http://schemas.datacontract.org/2004/07/", ..Names::default() });
    let mut sink = Vec::new();
    format.encode(&person(), &mut sink).unwrap();
    assert_eq!(String::from_utf8(sink).unwrap(), XML);
    let back: Person = format.decode(&XML.as_bytes().into()).unwrap();
    assert_eq!(back, person());
}

/// What null, empty and the least and greatest numbers come back as.
#[test]
fn edges_come_back_but_for_what_a_format_does_not_tell_apart() {
    let text = |text: &str| Some(text.to_owned());
    let edges = [
        Person::default(),
        Person { id: i32::MIN, name: text(""), age: i32::MAX, address: None },
        Person { id: -1, name: text("a\"<&😀"), age: 0, address: text(&"x".repeat(300)) },
    ];
    for source in Registry::standard().sources().iter().filter(|source| source.dataset == Person::NAME) {
        for edge in &edges {
            let kept = source.round_trip(edge).unwrap();
            // Strings that a schema made are never null.
            if source.format.name == "google-protobuf" && (edge.name.is_none() || edge.address.is_none()) {
                assert!(matches!(kept, Fidelity::Changed(_)), "{}: {edge:?}: {kept:?}", source.format.name);
            } else {
                assert_eq!(kept, Fidelity::Kept, "{}: {edge:?}", source.format.name);
            }
        }
    }
}
