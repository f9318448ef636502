use wirewise::dataset::Organization;
use wirewise::format::flatbuffers::FlatBuffers;
use wirewise::format::{Access, Decode};
use wirewise::{Payload, Problem};

use super::{alone, check, encoded, patched, position, refused, small, trailing};

fn u32_at(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize
}

#[test]
fn buffers_that_are_no_organization() {
    let _alone = alone();
    let good = encoded::<FlatBuffers, _>(&small());
    let table = u32_at(&good, 0);
    let vtable = table - u32_at(&good, table);
    let tag = position(&good, b"another") - 4;
    let at = |at: usize, with: &[u8]| patched(&good, at, with);
    check::<FlatBuffers, Organization>([
        refused("nothing", [], "WWOR"),
        refused("another identifier", at(4, b"MONS"), "the file identifier \"WWOR\" is expected, not \"MONS\""),
        refused("no identifier", [4, 0, 0, 0, 4, 0, 4, 0, 4, 0, 0, 0], "identifier"),
        refused("behind its size", [&(good.len() as u32).to_le_bytes()[..], &good].concat(), "this is a size-prefixed FlatBuffer"),
        refused("a root at offset 0", at(0, &[0; 4]), "flatbuffers"),
        refused("a root beyond the end", at(0, &[0xFF; 4]), "flatbuffers"),
        refused("a root at an odd offset", at(0, &(table as u32 + 1).to_le_bytes()), "align"),
        refused("a layout before the buffer", at(table, &0x7FFF_FFFFi32.to_le_bytes()), "flatbuffers"),
        refused("a layout behind the buffer", at(table, &(-0x7FFF_0000i32).to_le_bytes()), "flatbuffers"),
        refused("a layout at an odd offset", at(table, &((table - vtable) as i32 + 1).to_le_bytes()), "flatbuffers"),
        refused("a layout of an odd size", at(vtable, &[7, 0]), "flatbuffers"),
        refused("a layout that reaches beyond the end", at(vtable, &[0xFE, 0xFF]), "flatbuffers"),
        refused("a field beyond the end", at(vtable + 6, &[0xFC, 0xFF]), "flatbuffers"),
        refused("a string that is longer than the buffer", at(tag, &[0xFF, 0xFF, 0xFF, 0x7F]), "tags[1]"),
        refused("a string without its NUL", at(tag + 4 + 7, b"x"), "tags[1]"),
        refused("no UTF-8 in a string", at(tag + 4, &[0xFF]), "tags[1]: invalid UTF-8"),
        trailing("bytes behind it", [good.as_slice(), &[9; 5]].concat(), good.len()),
        trailing("zeros behind it", [good.as_slice(), &[0; 100]].concat(), good.len() + 7 - padding(&good)),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
    ]);
}

/// The zeros at the end that belong to the last object.
fn padding(good: &[u8]) -> usize {
    // The first tag was written first, and stands last.
    let end = position(good, b"tag\0") + 4;
    good.len() - end
}

/// A view looks at what is reached, and at nothing else: bytes behind that go unnoticed.
#[test]
fn a_view_does_not_notice_what_is_behind() {
    let good = encoded::<FlatBuffers, _>(&small());
    let payload = Payload::from([good.as_slice(), &[9; 5]].concat());
    FlatBuffers::default().access(&payload).map(drop).unwrap();
    let error = FlatBuffers::default().decode(&payload).unwrap_err();
    assert_eq!(*error.problem(), Problem::Trailing { left: 5 });
}
