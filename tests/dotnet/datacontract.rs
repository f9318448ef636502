//! DataContractSerializer: its XML, and what it reads.

use wirewise::dataset::{Member, Organization};
use wirewise::format::datacontract::{DataContract, Names};
use wirewise::format::{Decode, Encode};
use wirewise::{Error, Payload, Problem, Read};

use crate::common::{decoded, encoded, equal, organizations};
use crate::vectors::Vectors;

/// The values of the XML vectors, which are not those of the other formats.
fn values() -> Vec<(&'static str, Organization)> {
    let edge = |name: Option<&str>, value, update_time| Member { name: name.map(str::to_owned), value, update_time, ..Member::default() };
    let members = vec![
        edge(Some(""), f64::NAN, i64::MIN),
        edge(Some(" a "), f64::NEG_INFINITY, 0),
        edge(None, -0.0, 0),
        edge(None, 1e21, 0),
        edge(None, 0.1, 0),
    ];
    let tags = ["", "<&>'\"", "\t\r\n ", "😀"].map(str::to_owned).to_vec();
    vec![
        ("organization-3-zh", organizations().swap_remove(0).1),
        ("organization-null", Organization { members: Some(vec![Member::default()]), ..Organization::default() }),
        ("organization-edges", Organization { id: i32::MIN, tags: Some(tags), members: Some(members) }),
    ]
}

#[test]
fn every_vector() {
    let vectors = Vectors::open("dotnet");
    for (name, value) in values() {
        let expected = vectors.file(&format!("{name}.datacontract.xml"));
        let written = encoded::<DataContract, _>(&value).unwrap();
        assert!(written == expected, "{name}: equal as far as {} of {}", equal(&written, expected), expected.len());
        let back: Organization = decoded::<DataContract, _>(expected).unwrap();
        assert_eq!(back.checksum().unwrap(), value.checksum().unwrap(), "{name}: {back:?}");
    }
    println!("3 organizations written byte for byte and read");
}

/// What .NET Core 3.1 wrote for classes of other names, and for a null among the tags, which the dataset has none of.
#[test]
fn other_names() {
    let mut format =
        DataContract::new(Names { organization: "Organization", member: "Member", namespace: "http://schemas.datacontract.org/2004/07/" });
    let line = |start: &str| {
        let vectors = Vectors::open("dotnet");
        let line = vectors.text("netcore31_stj_bw_nrbf_dcs.txt").lines().find(|line| line.starts_with(start)).unwrap().to_owned();
        line.split_once("] ").unwrap().1.to_owned()
    };
    let value = Organization::default();
    let mut sink = Vec::new();
    format.encode(&value, &mut sink).unwrap();
    assert_eq!(String::from_utf8(sink).unwrap(), line("dc_orgnull"));
    let with_null = line("dc_org ");
    let without = with_null.replace("<a:string i:nil=\"true\"/>", "");
    let read: Organization = format.decode(&Payload::from(without.as_bytes())).unwrap();
    assert_eq!(read.members.unwrap()[0].update_time, 5);
    let refused: wirewise::Result<Organization> = format.decode(&Payload::from(with_null.as_bytes()));
    assert!(refused.unwrap_err().to_string().contains("null"));
}

const HEAD: &str =
    "<PlainOrganization xmlns=\"http://schemas.datacontract.org/2004/07/Peer\" xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">";

fn read(content: &str) -> wirewise::Result<Organization> {
    decoded::<DataContract, _>(format!("{HEAD}{content}</PlainOrganization>").as_bytes())
}

fn refused(content: &str) -> Error {
    read(content).map(drop).expect_err(content)
}

#[test]
fn what_the_original_reads() {
    assert_eq!(read("").unwrap(), Organization::default());
    assert_eq!(read(" <!-- --> <Id> 7 </Id>\n<x><Id>1</Id></x>").unwrap().id, 7);
    // A property that comes after its place is passed over.
    assert_eq!(read("<Tags i:nil=\"true\"/><Id>7</Id>").unwrap().id, 0);
    assert_eq!(read("<Id>1</Id><Id>2</Id>").unwrap().id, 1);
    // So is one of another namespace, under whatever prefix.
    assert_eq!(read("<Id xmlns=\"x\">1</Id>").unwrap().id, 0);
    assert_eq!(read("<p:Id xmlns:p=\"http://schemas.datacontract.org/2004/07/Peer\">1</p:Id>").unwrap().id, 1);
    let tags = "<Tags xmlns:b=\"http://schemas.microsoft.com/2003/10/Serialization/Arrays\"><b:string>a<![CDATA[<b>]]>&#x63;&amp;\r\n</b:string><b:int>1</b:int></Tags>";
    assert_eq!(read(tags).unwrap().tags, Some(vec!["a<b>c&\n".to_owned()]));
    let declared = format!("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n{HEAD}</PlainOrganization>\n");
    assert_eq!(decoded::<DataContract, Organization>(declared.as_bytes()).unwrap(), Organization::default());
}

#[test]
fn hostile_texts() {
    for content in [
        "<Id></Id>",
        "<Id>1.0</Id>",
        "<Id>2147483648</Id>",
        "<Id i:nil=\"true\"/>",
        "<Id><x/></Id>",
        "<Id>&x;</Id>",
        "<Id>&#0;</Id>",
        "<Id>1",
        "</Id>",
        "x",
        "<q:Id/>",
        "<Members><PlainMember i:nil=\"true\"/></Members>",
        "<Members><PlainMember><Value>inf</Value></PlainMember></Members>",
        "<Members><PlainMember><Value>1e400</Value></PlainMember></Members>",
        "<Id a=\"1\" a=\"2\">1</Id>",
        "</PlainOrganization><x>",
    ] {
        refused(content);
    }
    for text in [
        "",
        " ",
        "x",
        "<PlainOrganization/>",
        "<!DOCTYPE x [<!ENTITY a \"b\">]>",
        "<x xmlns=\"http://schemas.datacontract.org/2004/07/Peer\"/>",
    ] {
        decoded::<DataContract, Organization>(text.as_bytes()).map(drop).expect_err(text);
    }
    let deep = format!("{}{}", "<x>".repeat(100_000), "</x>".repeat(100_000));
    assert!(matches!(refused(&deep).problem(), Problem::Limit { limit: "depth", .. }));
    let invalid = decoded::<DataContract, Organization>(&[HEAD.as_bytes(), b"<x>\xFF</x></PlainOrganization>"].concat()).unwrap_err();
    assert_eq!((invalid.problem(), invalid.offset()), (&Problem::InvalidUtf8, Some(HEAD.len() + 3)));
    for character in ['\0', '\u{1}', '\u{1f}', '\u{fffe}', '\u{ffff}'] {
        let value = Organization { tags: Some(vec![format!("a{character}")]), ..Organization::default() };
        assert!(matches!(encoded::<DataContract, _>(&value).unwrap_err().problem(), Problem::Unrepresentable(_)));
    }
    let value = Organization { tags: Some(vec!["\u{fffd}\u{ff00}\u{7f}\u{85}".to_owned()]), ..Organization::default() };
    assert_eq!(decoded::<DataContract, Organization>(&encoded::<DataContract, _>(&value).unwrap()).unwrap(), value);
}

#[test]
fn truncations() {
    for (name, value) in values() {
        let payload = encoded::<DataContract, _>(&value).unwrap();
        for cut in 0..payload.len() {
            decoded::<DataContract, Organization>(&payload[..cut]).map(drop).expect_err(name);
        }
    }
}
