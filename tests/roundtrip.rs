//! Every format and codec, from the registry: what goes in comes out, bit for bit, or the test says which value does not and how.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use wirewise::case::{DICTIONARY, SHAPE_PREFIX};
use wirewise::dataset::{Dataset, Member, Organization, Spec};
use wirewise::operation::Operation;
use wirewise::registry::{CaseId, Fidelity, Registry, Source, Stock};
use wirewise::{Limits, Payload};

fn organizations(registry: &Registry) -> impl Iterator<Item = &Source> {
    registry.sources().iter().filter(|source| source.dataset == Organization::NAME)
}

/// Preparing a case proves its reading, and running it once goes through its loop.
#[test]
fn every_case_gives_the_datasets_checksum() {
    let registry = Registry::standard();
    let usual: Vec<&str> = registry.codecs().filter(|info| info.by_default).map(|info| info.name.as_str()).collect();
    let first = registry.sources().first().map(|source| source.format.name);
    // To a codec all payloads are bytes: those that are many go through one format, and one of them reads members of all.
    let mut read: Vec<String> = Vec::new();
    let mut is_taken = |id: &CaseId| {
        let unusual = id.codec.as_ref().is_some_and(|codec| !usual.contains(&codec.as_str()));
        let reads = id.operation == Operation::ReadMember && !read.contains(&id.format);
        if reads {
            read.push(id.format.clone());
        }
        !unusual || reads || Some(id.format.as_str()) == first
    };
    for members in [1, 100] {
        let spec = Organization::spec(members);
        let mut stock = Stock::default();
        // A thousand messages in turn, and the dictionaries that are trained for such, are of small messages.
        let is_small = |id: &CaseId| id.operation.is_of_many() || id.codec.as_ref().is_some_and(|codec| codec.ends_with(DICTIONARY));
        for case in registry.cases().into_iter().filter(|case| is_taken(&case.id) && (members == 1 || !is_small(&case.id))) {
            let mut work = case.prepare(&mut stock, &spec).unwrap_or_else(|error| panic!("{} at {members} members: {error}", case.id));
            work(3).unwrap_or_else(|error| panic!("{} at {members} members: {error}", case.id));
        }
    }
}

#[test]
fn every_variant_of_the_dataset_comes_back() {
    let registry = Registry::standard();
    let mut stock = Stock::default();
    for variant in Organization::VARIANTS {
        let is_shape = variant.starts_with(SHAPE_PREFIX);
        let (members, seeds) = if is_shape { (50, &[1][..]) } else { (1_000, &[712, 1][..]) };
        for &seed in seeds {
            let spec = Spec { members, seed, variant: (*variant).to_owned() };
            for source in organizations(&registry) {
                let name = source.format.name;
                let payload = source.payload(&mut stock, &spec).unwrap();
                let outcome = source.verify(&mut stock, &spec, &payload);
                // A layout that has no null cannot carry the shapes that have: that is known, and found out.
                let has_no_null = losses(name).iter().any(|(probe, _)| *probe == "null string");
                assert_eq!(outcome.is_ok(), !(variant.contains("nulls") && has_no_null), "{name} of {variant}: {outcome:?}");
            }
        }
    }
}

/// The probes that each format does not keep. What is not listed must come back bit for bit.
fn losses(format: &str) -> &'static [(&'static str, &'static str)] {
    const SEQUENTIAL: &[(&str, &str)] = &[
        ("empty list of strings", "tags: 0 items → null"),
        ("empty list of members", "members: 0 items → null"),
        ("null string", "name: null → \"\""),
    ];
    match format {
        "json" | "system-text-json" => &[
            ("positive infinity", "the number inf cannot be written"),
            ("negative infinity", "the number -inf cannot be written"),
            ("NaN", "the number NaN cannot be written"),
            ("NaN with a payload", "the number NaN cannot be written"),
            ("signalling NaN", "the number NaN cannot be written"),
        ],
        "custom" | "binary-writer" => SEQUENTIAL,
        "protobuf-net" => &[
            ("empty list of strings", "tags: 0 items → null"),
            ("empty list of members", "members: 0 items → null"),
            ("negative zero", "value: -0.0 (8000000000000000) → 0.0 (0000000000000000)"),
        ],
        "google-protobuf" => &[
            ("the default value", "tags: null → 0 items; members: null → 0 items"),
            ("null list of strings", "tags: null → 0 items"),
            ("null list of members", "members: null → 0 items"),
            ("null string", "name: null → \"\""),
            ("negative zero", "value: -0.0 (8000000000000000) → 0.0 (0000000000000000)"),
        ],
        "datacontract" => &[
            ("NUL in a string", "cannot be written"),
            ("control characters, quotes and backslashes", "cannot be written"),
            ("NaN with a payload", "value: NaN (7FF80000DEADBEEF) → NaN (7FF8000000000000)"),
            ("signalling NaN", "value: NaN (FFF0000000000001) → NaN (7FF8000000000000)"),
        ],
        "protobuf" => &[
            ("the default value", "tags: null → 0 items; members: null → 0 items"),
            ("null list of strings", "tags: null → 0 items"),
            ("null list of members", "members: null → 0 items"),
            ("negative zero", "value: -0.0 (8000000000000000) → 0.0 (0000000000000000)"),
        ],
        _ => &[],
    }
}

#[test]
fn every_probe_comes_back_or_its_loss_is_known() {
    for source in organizations(&Registry::standard()) {
        let losses = losses(source.format.name);
        let mut seen = 0;
        for (probe, outcome) in source.fidelity() {
            let expected = losses.iter().find(|(name, _)| *name == probe).map(|(_, text)| *text);
            match (&outcome, expected) {
                (Fidelity::Kept, None) => {}
                (Fidelity::Changed(text) | Fidelity::Refused(text), Some(expected)) if text.contains(expected) => seen += 1,
                _ => panic!("{}, {probe}: {outcome:?}, where {expected:?} was expected", source.format.name),
            }
        }
        assert_eq!(seen, losses.len(), "{}: a loss that is listed does not happen", source.format.name);
    }
}

fn text() -> impl Strategy<Value = Option<String>> {
    let length = prop_oneof![8 => 0..40usize, 1 => 120..140usize, 1 => 250..260usize];
    option::weighted(0.9, length.prop_flat_map(|length| vec(any::<char>(), length)).prop_map(String::from_iter))
}

fn member() -> impl Strategy<Value = Member> {
    (any::<i32>(), text(), text(), text(), any::<u64>(), any::<i64>()).prop_map(|(id, name, description, address, value, update_time)| {
        Member { id, name, description, address, value: f64::from_bits(value), update_time }
    })
}

fn organization() -> impl Strategy<Value = Organization> {
    let tags = option::of(vec(text().prop_map(Option::unwrap_or_default), 0..4));
    (any::<i32>(), tags, option::of(vec(member(), 0..70))).prop_map(|(id, tags, members)| Organization { id, tags, members })
}

/// The value with what the format cannot keep replaced by what it makes of it.
fn as_kept(format: &str, mut value: Organization) -> Organization {
    let no_empty_list = matches!(format, "custom" | "binary-writer" | "protobuf-net");
    let no_null_list = matches!(format, "protobuf" | "google-protobuf");
    let no_null_text = matches!(format, "custom" | "binary-writer" | "google-protobuf");
    if no_empty_list {
        value.tags = value.tags.filter(|tags| !tags.is_empty());
        value.members = value.members.filter(|members| !members.is_empty());
    } else if no_null_list {
        value.tags.get_or_insert_default();
        value.members.get_or_insert_default();
    }
    if format == "datacontract" {
        let texts = value.members.iter_mut().flatten().flat_map(|member| [&mut member.name, &mut member.description, &mut member.address]);
        for text in texts.flatten().chain(value.tags.iter_mut().flatten()) {
            text.retain(|character| !matches!(character, '\0'..='\x08' | '\x0B' | '\x0C' | '\x0E'..='\x1F' | '\u{FFFE}' | '\u{FFFF}'));
        }
    }
    for member in value.members.iter_mut().flatten() {
        if no_null_text {
            for text in [&mut member.name, &mut member.description, &mut member.address] {
                text.get_or_insert_default();
            }
        }
        match format {
            "protobuf" | "protobuf-net" | "google-protobuf" if member.value == 0.0 => member.value = 0.0,
            "json" | "system-text-json" if !member.value.is_finite() => member.value = 0.0,
            "datacontract" if member.value.is_nan() => member.value = f64::NAN,
            _ => {}
        }
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_value_comes_back(value in organization()) {
        for source in organizations(&Registry::standard()) {
            let value = as_kept(source.format.name, value.clone());
            prop_assert_eq!(source.round_trip(&value), Some(Fidelity::Kept), "{}", source.format.name);
        }
    }

    /// Whatever the bytes are, and however many of them are the same.
    #[test]
    fn any_bytes_come_back_from_every_codec(bytes in vec(any::<u8>(), 0..2000), repeated in 0..20usize) {
        let bytes = bytes.repeat(repeated);
        let registry = Registry::standard();
        // The strongest levels prepare much for little: their blocks and dictionaries are what the others' are.
        let quick = |name: &str| !name.starts_with("zstd-12-") && !name.starts_with("zstd-19-");
        for info in registry.codecs().filter(|info| quick(&info.name)) {
            let mut codec = registry.new_codec(&info.name).unwrap();
            let (mut compressed, mut payload) = (Vec::new(), Payload::default());
            codec.compress(&bytes, &mut compressed).unwrap();
            let limits = Limits { bytes_out: bytes.len(), ..Limits::for_payload(compressed.len()) };
            codec.decompress(&compressed, &limits, &mut payload).unwrap();
            prop_assert_eq!(payload.as_slice(), bytes.as_slice(), "{}", info.name);
            if let Some(less) = bytes.len().checked_sub(1) {
                let limits = Limits { bytes_out: less, ..limits };
                prop_assert!(codec.decompress(&compressed, &limits, &mut payload).is_err(), "{} goes beyond its limit", info.name);
            }
        }
    }
}

/// A payload that is cut short, or has a byte more, is not read as the whole: where a format cannot tell, it is said here.
#[test]
fn cut_short_or_longer_is_not_the_same_value() {
    let registry = Registry::standard();
    let spec = Organization::spec(3);
    let mut stock = Stock::default();
    for source in organizations(&registry) {
        let name = source.format.name;
        let payload = source.payload(&mut stock, &spec).unwrap();
        // A FlatBuffer has no end, and its last bytes may be padding.
        let padding = if name == "flatbuffers" { 3 } else { 0 };
        for len in 0..payload.len() {
            let cut = Payload::from(&payload[..len]);
            let same = source.verify(&mut stock, &spec, &cut).is_ok();
            assert!(!same || len >= payload.len() - padding, "{name} at {len} of {} bytes", payload.len());
        }
        let longer = Payload::from([&payload[..], &[0xC1]].concat());
        assert!(source.verify(&mut stock, &spec, &longer).is_err(), "{name} with a byte more");
    }
}

/// Nothing panics, whichever byte is changed to whatever; what is accepted is walked over every field.
#[test]
fn changed_bytes_are_refused_or_read_as_something() {
    let registry = Registry::standard();
    let spec = Organization::spec(2);
    let mut stock = Stock::default();
    for source in organizations(&registry) {
        let original = source.payload(&mut stock, &spec).unwrap();
        let mut changed = Payload::clone(&original);
        for at in 0..original.len() {
            for value in [0x00, 0x01, 0x7F, 0x80, 0xC1, 0xFF, original[at] ^ 0x01, original[at] ^ 0x80] {
                changed[at] = value;
                let _ = source.verify(&mut stock, &spec, &changed);
            }
            changed[at] = original[at];
        }
    }
}
