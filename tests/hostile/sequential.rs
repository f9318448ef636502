use wirewise::dataset::{Member, Organization};
#[cfg(feature = "binary-writer")]
use wirewise::format::binary_writer::BinaryWriter;
#[cfg(feature = "custom")]
use wirewise::format::custom::Custom;

use super::{alone, check, encoded, limited, read, refused, small, trailing};

/// The id, the number of tags, and what follows.
fn tags(count: i32, rest: &[u8]) -> Vec<u8> {
    [&1i32.to_le_bytes(), &count.to_le_bytes(), rest].concat()
}

fn with_tag(tag: &str) -> Organization {
    Organization { id: 1, tags: Some(vec![tag.to_owned()]), members: None }
}

/// Null is not written, so that it comes back empty: to keep it needs a flag, which neither layout has.
fn without_null(mut value: Organization) -> Organization {
    for member in value.members.iter_mut().flatten() {
        for text in [&mut member.name, &mut member.description, &mut member.address] {
            text.get_or_insert_default();
        }
    }
    value
}

#[test]
#[cfg(feature = "custom")]
fn the_articles_own_layout() {
    let _alone = alone();
    let good = encoded::<Custom, _>(&small());
    let null = Organization { members: Some(vec![Member::default()]), ..Organization::default() };
    check::<Custom, Organization>([
        refused("nothing", [], "4 more bytes"),
        refused("2^31 - 1 tags", tags(i32::MAX, &[0; 8]), "at byte 8"),
        refused("2^31 - 1 members", [tags(0, &[]), i32::MAX.to_le_bytes().to_vec()].concat(), "at byte 12"),
        refused("a tag of 2^31 - 1 bytes", tags(1, &i32::MAX.to_le_bytes()), "2147483647 more bytes"),
        refused("no UTF-8 in a tag", tags(1, &[1, 0, 0, 0, 0xFF, 0, 0, 0, 0]), "at byte 12: invalid UTF-8"),
        read("a tag of negative length", tags(1, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]), with_tag("")),
        read("a negative number of tags", tags(-1, &[0; 4]), Organization { id: 1, tags: None, members: None }),
        read("null strings", encoded::<Custom, _>(&null), without_null(null)),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
    ]);
}

#[test]
#[cfg(feature = "binary-writer")]
fn binary_writers_layout() {
    let _alone = alone();
    let good = encoded::<BinaryWriter, _>(&small());
    let long = "x".repeat(200);
    let member = |text: &[u8]| [&tags(0, &1i32.to_le_bytes()), &[9, 0, 0, 0][..], text, &[0; 18]].concat();
    check::<BinaryWriter, Organization>([
        refused("nothing", [], "4 more bytes"),
        refused("2^31 - 1 tags", tags(i32::MAX, &[0; 8]), "at byte 8"),
        read("200 letters", tags(1, &[&[0xC8, 1], long.as_bytes(), &[0; 4]].concat()), with_tag(&long)),
        refused(
            "2^31 - 1 letters where 200 are",
            tags(1, &[&[0xFF, 0xFF, 0xFF, 0xFF, 0x07], long.as_bytes()].concat()),
            "2147483647 more bytes",
        ),
        refused("a length whose fifth byte is 0F", tags(1, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F]), "fifth byte is 0x0f"),
        refused("a length of six bytes", tags(1, &[0x80, 0x80, 0x80, 0x80, 0x80, 0]), "fifth byte is 0x80"),
        refused("a negative length", tags(1, &[0xFF, 0xFF, 0xFF, 0xFF, 0x0F, 0]), "no length of an i32"),
        refused("no UTF-8 in a member's name", member(&[1, 0xFF]), "members[0]: invalid UTF-8"),
        refused("half a character in each of two strings", [&member(&[1, 0xC3, 1, 0xA9])[..], &[0]].concat(), "members[0]: invalid UTF-8"),
        limited("a million tags of nothing", tags(1 << 20, &[0; (1 << 20) + 4]), "allocation"),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
    ]);
}
