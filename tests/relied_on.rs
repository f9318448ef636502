//! Switches of libraries that another crate in the same build could turn, and that would change answers at a distance; and the least
//! versions that are safe with bytes from strangers.

#[test]
#[cfg(feature = "json")]
fn serde_json_keeps_every_double_and_no_digits_beyond() {
    let bits = 0x3FF9_3E93_E93E_863B_u64;
    let text = serde_json::to_string(&f64::from_bits(bits)).unwrap();
    let back: f64 = serde_json::from_str(&text).unwrap();
    assert_eq!(back.to_bits(), bits, "float_roundtrip is off");
    // With arbitrary_precision a number is kept as its digits.
    let number: serde_json::Value = serde_json::from_str("100000000000000000000000001").unwrap();
    assert_eq!(number.to_string(), "1e+26", "arbitrary_precision is on");
}

#[test]
#[cfg(feature = "rkyv")]
fn rkyv_writes_little_endian_with_pointers_of_four_bytes() {
    let archive = rkyv::to_bytes::<rkyv::rancor::Error>(&(1u32, vec![7u8])).unwrap();
    assert_eq!(archive.len(), 16, "the pointer width is not 32 bits");
    assert_eq!(archive[4..8], [1, 0, 0, 0], "the endianness is not little, or the alignment is not the native one");
}

/// Below these versions bytes from a stranger can read or write where they must not.
#[test]
fn no_library_is_below_its_least_safe_version() {
    const LEAST: [(&str, [u64; 3], &str); 3] = [
        ("rkyv", [0, 8, 18], "use after free and reads out of bounds from crafted archives"),
        ("bytes", [1, 11, 1], "an overflow when a buffer reserves"),
        ("lz4_flex", [0, 12, 1], "what stood in memory came out in a block"),
    ];
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
    for (name, least, why) in LEAST {
        let mut found = 0;
        for package in lock.split("[[package]]").filter(|package| package.contains(&format!("\nname = \"{name}\"\n"))) {
            let version = package.lines().find_map(|line| line.strip_prefix("version = \"")?.strip_suffix('"')).expect("a version");
            let numbers: Vec<u64> = version.split(['.', '-', '+']).map_while(|part| part.parse().ok()).collect();
            assert!(numbers.as_slice() >= least.as_slice(), "{name} {version} is locked; below {least:?}: {why}");
            found += 1;
        }
        assert!(found > 0, "{name} is not in Cargo.lock: this test holds nothing");
    }
}
