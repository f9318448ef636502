//! Values at the edges: one probe for each thing that a format may not be able to keep.

use super::{Member, Organization};

/// What is probed, as the fidelity table prints it, and a value that differs from an ordinary one in that respect.
type Probe = (&'static str, Organization);

fn probe(name: &'static str, change: impl FnOnce(&mut Organization)) -> Probe {
    let member = |id| Member {
        id,
        name: Some(format!("name {id}")),
        description: Some("description".into()),
        address: Some("address".into()),
        value: 1.5,
        update_time: 1_702_220_473_712,
    };
    let mut value = Organization { id: 1, tags: Some(vec!["tag".into()]), members: Some(vec![member(0), member(1)]) };
    change(&mut value);
    (name, value)
}

fn with_member(name: &'static str, change: impl FnOnce(&mut Member)) -> Probe {
    probe(name, |organization| change(&mut organization.members.as_mut().expect("every probe starts with members")[0]))
}

fn with_text(name: &'static str, text: String) -> Probe {
    with_member(name, |member| member.description = Some(text))
}

fn with_value(name: &'static str, value: f64) -> Probe {
    with_member(name, |member| member.value = value)
}

/// Every probe, in the order of the fidelity table.
pub(super) fn probes() -> Vec<Probe> {
    let mut probes = vec![
        probe("an ordinary value", |_| ()),
        probe("the default value", |organization| *organization = Organization::default()),
        probe("null list of strings", |organization| organization.tags = None),
        probe("empty list of strings", |organization| organization.tags = Some(Vec::new())),
        probe("list of an empty string", |organization| organization.tags = Some(vec![String::new()])),
        probe("null list of members", |organization| organization.members = None),
        probe("empty list of members", |organization| organization.members = Some(Vec::new())),
        with_member("null string", |member| member.name = None),
        with_member("empty string", |member| member.name = Some(String::new())),
        with_text("NUL in a string", "a\0b".into()),
        with_text("control characters, quotes and backslashes", (0..=0x7F).map(char::from).collect()),
        with_text("beyond the basic multilingual plane", "a\u{1F600}\u{10FFFF}z".into()),
        with_text("line separators and a byte order mark", "\u{FEFF}\u{2028}\u{2029}\u{FFFD}".into()),
        with_member("least integers", |member| (member.id, member.update_time) = (i32::MIN, i64::MIN)),
        with_member("greatest integers", |member| (member.id, member.update_time) = (i32::MAX, i64::MAX)),
        with_member("minus one", |member| (member.id, member.update_time) = (-1, -1)),
        with_value("zero", 0.0),
        with_value("negative zero", -0.0),
        with_value("least subnormal", f64::from_bits(1)),
        with_value("greatest subnormal", f64::from_bits(0x000F_FFFF_FFFF_FFFF)),
        with_value("greatest double", f64::MAX),
        with_value("a double that needs 17 digits", f64::from_bits(0x3FF9_3E93_E93E_863B)),
        with_value("1 - 2^-53", 1.0 - f64::EPSILON / 2.0),
        with_value("positive infinity", f64::INFINITY),
        with_value("negative infinity", f64::NEG_INFINITY),
        with_value("NaN", f64::NAN),
        with_value("NaN with a payload", f64::from_bits(0x7FF8_0000_DEAD_BEEF)),
        with_value("signalling NaN", f64::from_bits(0xFFF0_0000_0000_0001)),
    ];
    for (name, len) in [
        ("string of 127 bytes", 127),
        ("string of 128 bytes", 128),
        ("string of 16,383 bytes", 16_383),
        ("string of 16,384 bytes", 16_384),
        ("string of 70,000 bytes", 70_000),
    ] {
        probes.push(with_text(name, "x".repeat(len)));
    }
    probes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Read;

    /// Two probes with one checksum could not be told apart after a round trip.
    #[test]
    fn every_probe_has_its_own_checksum() {
        let mut sums: Vec<u64> = probes().iter().map(|(_, value)| value.checksum().unwrap()).collect();
        let count = sums.len();
        sums.sort_unstable();
        sums.dedup();
        assert_eq!(sums.len(), count);
    }
}
