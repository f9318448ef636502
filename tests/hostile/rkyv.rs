use wirewise::dataset::Organization;
use wirewise::format::rkyv::Rkyv;
use wirewise::format::{Access, Decode};
use wirewise::{Limits, Payload};

use super::{alone, check, encoded, patched, read, refused, small};

/// The root stands at the end: its id, then the list of tags and that of members, each a mark, a pointer and a length.
const ROOT: usize = 28;

#[test]
fn archives_that_are_no_organization() {
    let _alone = alone();
    let good = encoded::<Rkyv, _>(&small());
    let root = good.len() - ROOT;
    let (tags, members) = (root + 4, root + 16);
    let pointer = |at: usize| i32::from_le_bytes(good[at + 4..at + 8].try_into().unwrap());
    // A pointer counts from where it stands.
    let shared = pointer(tags) + tags as i32 - members as i32;
    check::<Rkyv, Organization>([
        refused("nothing", [], "overran"),
        refused("less than a root", [0; ROOT - 1], "rkyv"),
        refused("a list before the archive", patched(&good, tags + 4, &i32::MIN.to_le_bytes()), "rkyv"),
        refused("a list behind the archive", patched(&good, tags + 4, &i32::MAX.to_le_bytes()), "rkyv"),
        refused("a list at itself", patched(&good, tags + 4, &[0; 4]), "rkyv"),
        refused("a list of 2^32 - 1", patched(&good, tags + 8, &[0xFF; 4]), "rkyv"),
        refused("two lists at one place", patched(&good, members + 4, &shared.to_le_bytes()), "rkyv"),
        refused("a mark that is none", patched(&good, tags, &[7]), "rkyv"),
        refused("bytes behind it", [good.as_slice(), &[9; 5]].concat(), "rkyv"),
        read("at an odd address", [&[0][..], &good].concat()[1..].to_vec(), small()),
    ]);
}

/// The library's own check has no limit of depth; ours is the payload's.
#[test]
fn depth_is_held() {
    let good = encoded::<Rkyv, _>(&small());
    let at = |depth: usize| {
        let mut payload = Payload::from(good.as_slice());
        payload.set_limits(Limits { depth, ..payload.limits() });
        payload
    };
    let needed = (1..10).find(|&depth| Rkyv::default().access(&at(depth)).is_ok());
    assert_eq!(needed, Some(4));
    let error = Rkyv::default().decode(&at(3)).unwrap_err();
    assert!(error.to_string().contains("depth"), "{error}");
}
