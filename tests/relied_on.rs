//! Switches of libraries that another crate in the same build could turn, and that would change answers at a distance.

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
