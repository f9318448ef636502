//! System.Text.Json: its escapes, its numbers, and what it reads.

use std::collections::BTreeMap;

use wirewise::dataset::{Member, Organization};
use wirewise::format::system_text_json::SystemTextJson;
use wirewise::{Error, Problem};

use crate::common::{check_organizations, decoded, encoded};
use crate::vectors::Vectors;

fn read(text: impl AsRef<[u8]>) -> wirewise::Result<Organization> {
    decoded::<SystemTextJson, _>(text.as_ref())
}

fn refused(text: impl AsRef<[u8]>) -> Error {
    read(&text).expect_err(&String::from_utf8_lossy(text.as_ref()))
}

fn written<T: serde::Serialize>(value: &T) -> String {
    String::from_utf8(encoded::<SystemTextJson, _>(value).unwrap()).unwrap()
}

#[test]
fn organizations() {
    // The vectors have no JSON of numbers that are not finite: the original refuses them too.
    check_organizations::<SystemTextJson>(&Vectors::open("dotnet"), "json", Clone::clone);
}

#[test]
fn every_character_that_is_special() {
    let vectors = Vectors::open("dotnet");
    let lines: Vec<(&str, &str)> = vectors.text("json-escapes.tsv").lines().map(|line| line.split_once('\t').unwrap()).collect();
    for (code, expected) in &lines {
        let character = char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap();
        assert_eq!(written(&character), *expected, "U+{code}");
        let back = read(format!("{{\"Tags\":[{expected}]}}")).unwrap();
        assert_eq!(back.tags, Some(vec![character.to_string()]), "U+{code}");
    }
    println!("{} characters written and read", lines.len());
    // All in one string, which is longer than what is written at once.
    let all: String = lines.iter().map(|(code, _)| char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap()).collect();
    let long = all.repeat(20);
    let expected: String = lines.iter().map(|(_, text)| &text[1..text.len() - 1]).collect();
    assert_eq!(written(&long), format!("\"{}\"", expected.repeat(20)));
}

#[test]
fn doubles() {
    let vectors = Vectors::open("dotnet");
    let mut count = 0;
    for line in vectors.text("json-doubles.tsv").lines() {
        let (bits, expected) = line.split_once('\t').unwrap();
        let value = f64::from_bits(u64::from_str_radix(bits, 16).unwrap());
        assert_eq!(written(&value), expected, "{bits}");
        let back = read(format!("{{\"Members\":[{{\"Value\":{expected}}}]}}")).unwrap();
        assert_eq!(back.members.unwrap()[0].value.to_bits(), value.to_bits(), "{expected}");
        count += 1;
    }
    println!("{count} doubles written and read");
}

#[test]
fn other_kinds_of_values() {
    assert_eq!(written(&f32::MAX), "3.4028235E+38");
    assert_eq!(written(&1e8f32), "100000000");
    assert_eq!(written(&1e9f32), "1E+09");
    assert_eq!(written(&0.1f32), "0.1");
    assert_eq!(written(&(u64::MAX, i64::MIN, true, ())), "[18446744073709551615,-9223372036854775808,true,null]");
    assert_eq!(written(&BTreeMap::from([(-1, "a"), (2, "b")])), r#"{"-1":"a","2":"b"}"#);
    assert_eq!(written(&BTreeMap::from([("é", Some(1)), ("o", None)])), r#"{"o":null,"\u00E9":1}"#);
    for value in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(encoded::<SystemTextJson, _>(&value).unwrap_err().problem(), Problem::Unrepresentable(_)));
        let member = Member { value, ..Member::default() };
        assert!(encoded::<SystemTextJson, _>(&member).is_err());
    }
    assert!(encoded::<SystemTextJson, _>(&BTreeMap::from([(vec![1], 2)])).is_err());
}

#[test]
fn what_the_original_reads() {
    let member = |text: &str| read(format!("{{\"Members\":[{text}]}}")).unwrap().members.unwrap().remove(0);
    assert_eq!(read(" { } \n").unwrap(), Organization::default());
    assert_eq!(read(r#"{"Id":1,"Id":2,"id":3,"ID":4}"#).unwrap().id, 2);
    assert_eq!(read(r#"{"Id":-0}"#).unwrap().id, 0);
    assert_eq!(read(r#"{"\u0049d":3,"Tags":null}"#).unwrap().id, 3);
    assert_eq!(read(r#"{"x":[{"y":[1e999999,"\ud800",true,false,null,-0.5e-3]}],"Id":3}"#).unwrap().id, 3);
    assert!(member(r#"{"Value":-0}"#).value.is_sign_negative());
    assert_eq!(member(r#"{"Value":9007199254740993}"#).value, 9_007_199_254_740_992.0);
    assert_eq!(member(r#"{"Name":"\ud83d\ude00é\/"}"#).name.as_deref(), Some("😀é/"));
    let deep = |depth: usize| format!("{{\"x\":{}1{}}}", "[".repeat(depth - 1), "]".repeat(depth - 1));
    read(deep(64)).unwrap();
    assert!(matches!(refused(deep(65)).problem(), Problem::Limit { limit: "depth", .. }));
    assert!(matches!(refused(deep(1_000_000)).problem(), Problem::Limit { limit: "depth", .. }));
}

#[test]
fn what_the_original_refuses() {
    for text in [
        "",
        " ",
        "{",
        "null",
        "[]",
        "1",
        "{,}",
        "{\"Id\":1,}",
        "{\"Id\" 1}",
        "{Id:1}",
        "{'Id':1}",
        "{\"Id\":1}}",
        "{\"Id\":1}{}",
        "/**/{}",
        "{}//",
        "\u{feff}{}",
        "{\"Id\":\"1\"}",
        "{\"Id\":null}",
        "{\"Id\":1.0}",
        "{\"Id\":1e1}",
        "{\"Id\":01}",
        "{\"Id\":+1}",
        "{\"Id\":2147483648}",
        "{\"Id\":-2147483649}",
        "{\"Id\":1x}",
        "{\"Id\":\"x\",\"Id\":1}",
        "{\"Tags\":{}}",
        "{\"Tags\":[1]}",
        "{\"Tags\":[\"a\",]}",
        "{\"Tags\":[\"\u{1}\"]}",
        "{\"Tags\":[\"\\x\"]}",
        "{\"Tags\":[\"\\ud800\"]}",
        "{\"Tags\":[\"\\ud800\\u0041\"]}",
        "{\"Tags\":[\"\\udc00\"]}",
        "{\"\\ud800\":1}",
        "{\"x\":\"\u{1}\"}",
        "{\"x\":01}",
        "{\"x\":nul}",
        "{\"x\":1.}",
        "{\"x\":.5}",
        "{\"x\":1e}",
        "{\"Members\":[{\"Value\":\"NaN\"}]}",
        "{\"Members\":[{\"Value\":null}]}",
        "{\"Members\":[{\"UpdateTime\":9223372036854775808}]}",
    ] {
        let error = refused(text);
        assert!(error.offset().is_some_and(|offset| offset <= text.len()), "{text}: {error}");
    }
    // Here we are stricter: the original reads infinity, puts null into the lists, and looks at no bytes of what it skips.
    for text in
        [&b"{\"Members\":[{\"Value\":1e400}]}"[..], b"{\"Tags\":[null]}", b"{\"Members\":[null]}", b"{\"\xFF\":1}", b"{\"x\":\"\xFF\"}"]
    {
        refused(text);
    }
    assert_eq!(*refused(b"{\"Tags\":[\"ab\xFF\"]}").problem(), Problem::InvalidUtf8);
    assert_eq!(refused(b"{} x").offset(), Some(3));
}

#[test]
fn objects_that_are_empty_do_not_outgrow_their_payload() {
    let text = format!("{{\"Members\":[{}{{}}]}}", "{},".repeat(400_000));
    assert!(matches!(refused(text).problem(), Problem::Limit { limit: "allocation", .. }));
}

#[test]
fn a_person() {
    #[derive(serde::Serialize)]
    #[serde(rename_all = "PascalCase")]
    struct Person {
        id: i32,
        name: &'static str,
        age: i32,
        address: &'static str,
    }
    let person = Person { id: 1, name: "张三", age: 18, address: "北京市朝阳区" };
    assert_eq!(written(&person).as_bytes(), Vectors::open("dotnet").file("person.json.bin"));
}

/// No cut of a text is one, and borrowed strings are those of the owned value.
#[test]
fn truncations() {
    use wirewise::format::Borrow;
    use wirewise::{Payload, Read};
    let vectors = Vectors::open("dotnet");
    for name in ["organization-3-zh", "organization-3-ja", "organization-empty", "organization-null"] {
        let text = vectors.file(&format!("{name}.json.bin"));
        for cut in 0..text.len() {
            refused(&text[..cut]);
        }
        let payload = Payload::from(text);
        let borrowed = SystemTextJson.borrow(&payload).unwrap();
        assert_eq!(borrowed.checksum().unwrap(), read(text).unwrap().checksum().unwrap(), "{name}");
    }
}
