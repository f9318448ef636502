//! What the tests of several formats share.

use sha2::{Digest, Sha256};
use wirewise::dataset::{Dataset, Member, Organization, Spec};
use wirewise::format::{Decode, Encode};
use wirewise::{Payload, Read, Result};

pub fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub fn encoded<F: Encode<T>, T>(value: &T) -> Result<Vec<u8>> {
    let mut sink = Vec::new();
    F::default().encode(value, &mut sink)?;
    Ok(sink)
}

pub fn decoded<F: Decode<T>, T>(bytes: &[u8]) -> Result<T> {
    F::default().decode(&Payload::from(bytes))
}

/// The values of the vectors by their names, as the program that wrote them makes them.
pub fn organizations() -> Vec<(&'static str, Organization)> {
    let generated =
        |members, variant: &str| Organization::generate(&Spec { variant: variant.to_owned(), ..Organization::spec(members) }).unwrap();
    vec![
        ("organization-3-zh", generated(3, "zh")),
        ("organization-3-ja", generated(3, "ja")),
        ("organization-1000-zh", generated(1000, "zh")),
        ("organization-empty", Organization { id: 7, tags: Some(vec![]), members: Some(vec![]) }),
        ("organization-null", Organization::default()),
        ("organization-edges", edges()),
        ("organization-nonfinite", nonfinite()),
    ]
}

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn edges() -> Organization {
    let tags = ["", "a", "\0", "\u{7f}\u{80}\u{7ff}\u{800}\u{ffff}", "😀", "\"\\/<>&'+`\u{8}\u{c}\n\r\t\u{2028}\u{2029}"];
    let long = [("x", 127), ("y", 128), ("é", 8192), ("z", 70_000)];
    let members = vec![
        Member { id: -1, name: None, description: text(""), address: None, value: 0.0, update_time: 0 },
        Member { id: i32::MAX, name: text(""), description: text("d"), address: text(""), value: -0.0, update_time: i64::MIN },
        Member { id: 0, name: text("n"), description: None, address: text("a"), value: 5e-324, update_time: i64::MAX },
    ];
    let rest = [
        (127, f64::MAX, -1),
        (128, 0.1, 4_294_967_296),
        (-32, 1e21, 9_007_199_254_740_993),
        (-33, 1.0 / 3.0, -2_147_483_649),
        (32_768, 123_456_789_012_345_680.0, 32_767),
        (65_536, 5e-324, 65_535),
    ];
    let rest = rest.map(|(id, value, update_time)| Member { id, name: text("n"), value, update_time, ..Member::default() });
    Organization {
        id: i32::MIN,
        tags: Some(tags.map(str::to_owned).into_iter().chain(long.map(|(letter, count)| letter.repeat(count))).collect()),
        members: Some(members.into_iter().chain(rest).collect()),
    }
}

/// .NET prints every NaN as "NaN" and the infinities as "Infinity", which are the members' names.
fn nonfinite() -> Organization {
    let values = [
        (0x7FF8_0000_0000_0000 | 1 << 63, "NaN"),
        (0x7FF8_0000_0000_0001, "NaN"),
        (0x7FF0_0000_0000_0001, "NaN"),
        (f64::INFINITY.to_bits(), "Infinity"),
        (f64::NEG_INFINITY.to_bits(), "-Infinity"),
    ];
    let members = values.into_iter().zip(0..).map(|((bits, name), id)| Member {
        id,
        name: text(name),
        value: f64::from_bits(bits),
        ..Member::default()
    });
    Organization { id: 1, tags: None, members: Some(members.collect()) }
}

/// What BinaryWriter and the article's layout make of a value: no null string, no empty list.
pub fn without_null(value: &Organization) -> Organization {
    let text = |text: &Option<String>| Some(text.clone().unwrap_or_default());
    let members = value.members.clone().filter(|members| !members.is_empty());
    Organization {
        id: value.id,
        tags: value.tags.clone().filter(|tags| !tags.is_empty()),
        members: members.map(|members| {
            let changed = |m: Member| Member { name: text(&m.name), description: text(&m.description), address: text(&m.address), ..m };
            members.into_iter().map(changed).collect()
        }),
    }
}

/// Every organization of the vectors as `F` writes it and reads it; `reads` says what comes back of a value.
pub fn check_organizations<F>(vectors: &crate::vectors::Vectors, format: &str, reads: impl Fn(&Organization) -> Organization)
where
    F: Encode<Organization> + Decode<Organization>,
{
    let mut count = 0;
    for (name, value) in organizations() {
        let Some(expected) = vectors.find(&format!("{name}.{format}.bin")) else { continue };
        let bytes = encoded::<F, _>(&value).unwrap();
        assert!(
            bytes == expected,
            "{name}.{format}: {} bytes, {} expected, equal as far as {}",
            bytes.len(),
            expected.len(),
            equal(&bytes, expected)
        );
        let back: Organization = decoded::<F, _>(expected).unwrap_or_else(|error| panic!("{name}.{format}: {error}"));
        assert_eq!(back.checksum().unwrap(), reads(&value).checksum().unwrap(), "{name}.{format}");
        count += 1;
    }
    println!("{format}: {count} organizations written byte for byte and read");
    assert!(count >= 6, "{count}");
}

pub fn equal(one: &[u8], other: &[u8]) -> usize {
    one.iter().zip(other).take_while(|(one, other)| one == other).count()
}
