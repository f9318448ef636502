use wirewise::Payload;
use wirewise::dataset::{Organization, Read};
use wirewise::format::capnp::{Capnp, Packed, Plain};
use wirewise::format::{Access, Decode, DecodePrefix};

use super::{Input, alone, check, encoded, limited, read, refused, small, trailing};

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// A message of one segment.
fn message(segment: &[u64]) -> Vec<u8> {
    [words(&[(segment.len() as u64) << 32]), words(segment)].concat()
}

/// A pointer to a struct so many words behind it, with words of data and pointers.
const fn structure(offset: i32, data: u64, pointers: u64) -> u64 {
    ((offset as u32) << 2) as u64 | data << 32 | pointers << 48
}

/// A pointer to a list so many words behind it.
const fn list(offset: i32, element: u64, count: u64) -> u64 {
    ((offset as u32) << 2 | 1) as u64 | element << 32 | count << 35
}

/// Another segment's word, where a pointer stands.
const fn far(double: bool, word: u64, segment: u64) -> u64 {
    2 | (double as u64) << 2 | word << 3 | segment << 32
}

#[test]
fn messages_that_are_no_organization() {
    let _alone = alone();
    let good = encoded::<Capnp<Plain>, _>(&small());
    // Both lists point to 2^29 - 1 items, of no bytes; a list of pointers is expected.
    let voids = |tag: u64| message(&[structure(0, 1, 2), 7, 0, list(0, 7, 0), tag]);
    let inputs: [Input<Organization>; 14] = [
        refused("nothing", [], "capnp"),
        refused("FFFFFFFF segments", [0xFF; 8], "capnp"),
        refused("512 segments that are not there", [&511u32.to_le_bytes()[..], &[0; 4]].concat(), "capnp"),
        refused("64 MiB claimed by eight bytes", words(&[(8u64 << 20) << 32]), "67108864 more bytes"),
        refused("a root in a segment that is not there", message(&[far(false, 0, 9)]), "capnp"),
        refused("a root far away, and again, and again", message(&[far(true, 1, 0), far(true, 1, 0), far(true, 1, 0)]), "capnp"),
        refused("a root that is a list", message(&[list(0, 2, 1), 0]), "capnp"),
        refused("a root outside of its segment", message(&[structure(1000, 1, 2)]), "capnp"),
        refused("a root that ends outside of its segment", message(&[structure(0, 1, 200), 0]), "capnp"),
        // The root's pointers lead back to the root. The dataset holds no type inside itself, so a loop is never what a pointer is to lead to.
        refused("a loop", message(&[structure(0, 1, 2), 7, structure(-3, 1, 2), structure(-3, 1, 2)]), "non-list pointer"),
        limited("2^29 - 1 members of no bytes", voids(((1u64 << 29) - 1) << 2), "traversed words"),
        refused("more members than their list has words", voids(5 << 2 | 1 << 32), "capnp"),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
        trailing("64 zeros behind it", [good.as_slice(), &[0; 64]].concat(), good.len()),
    ];
    check::<Capnp<Plain>, _>(inputs);
}

#[test]
fn packed_messages_that_are_no_organization() {
    let _alone = alone();
    let good = encoded::<Capnp<Packed>, _>(&small());
    let plain = encoded::<Capnp<Plain>, _>(&small());
    // 256 words of zeros in two bytes, behind a table that tells their number.
    let bomb = |runs: u8| [&[0x40, runs][..], &[0x00, 0xFF].repeat(usize::from(runs) << 8)].concat();
    check::<Capnp<Packed>, Organization>([
        refused("nothing", [], "capnp-packed"),
        limited("64 MiB claimed by two bytes", [0x40, 0x80], "bytes out"),
        limited("64 KiB that unpack to 64 MiB", bomb(127), "bytes out"),
        refused("a plain message", plain, "this is a Cap'n Proto message"),
        trailing("another behind it", [good.clone(), good.clone()].concat(), good.len()),
    ]);
    let error = Capnp::<Plain>::default().decode(&Payload::from(good)).unwrap_err();
    assert!(error.to_string().contains("this is capnp-packed"), "{error}");
}

/// Bytes anywhere are read: a payload stands at a multiple of 16, to which it copies what does not.
#[test]
fn an_odd_address_is_copied() {
    let bytes = [&[0][..], &encoded::<Capnp<Plain>, _>(&small())].concat();
    let payload = Payload::from(&bytes[1..]);
    assert_eq!(payload.as_ptr().addr() % 16, 0);
    let _alone = alone();
    check::<Capnp<Plain>, _>([read("at an odd address", &bytes[1..], small())]);
    let read = Capnp::<Plain>::default().decode_prefix(&Payload::from([&bytes[1..], &[0; 64]].concat())).unwrap();
    assert_eq!((read.value, read.used, read.left), (small(), bytes.len() - 1, 64));
}

/// What follows pointers whatever they lead to goes round and round, and ends at the depth that it is given.
#[test]
fn a_loop_that_is_followed_ends_at_the_nesting_limit() {
    use ::capnp::message::ReaderOptions;
    use ::capnp::{ErrorKind, any_pointer, serialize};

    // A struct of one pointer, which is the pointer that leads to it.
    let payload = Payload::from(message(&[structure(-1, 0, 1)]));
    for depth in [1, 128] {
        let options = ReaderOptions { nesting_limit: depth, ..ReaderOptions::new() };
        let reader = serialize::read_message_from_flat_slice(&mut payload.as_slice(), options).unwrap();
        let size = reader.get_root::<any_pointer::Reader<'_>>().and_then(|root| root.target_size());
        assert_eq!(size.map(|size| size.word_count).unwrap_err().kind, ErrorKind::MessageIsTooDeeplyNested, "{depth}");
    }
}

/// A view's budget is more than its message's size, as it may be read again; but it is one.
#[test]
fn what_is_pointed_to_without_end_ends() {
    // 100 texts that are all the same words, read until the budget is gone.
    let text = 10_000u64;
    let mut segment = vec![structure(0, 1, 2), 7, list(1, 6, 100), 0];
    segment.extend((0..100u64).map(|at| list(99 - at as i32, 2, text * 8)));
    segment.extend(std::iter::repeat_n(0x2020_2020_2020_2020, text as usize - 1));
    segment.push(0x0020_2020_2020_2020);
    let bytes = message(&segment);
    let _alone = alone();
    check::<Capnp<Plain>, Organization>([limited("100 texts that are one", bytes.clone(), "traversed words")]);
    let payload = Payload::from(bytes);
    let view = Capnp::<Plain>::default().access(&payload).unwrap();
    let readings = (0..1000).take_while(|_| view.checksum().is_ok()).count();
    assert!((1..1000).contains(&readings), "{readings}");
}
