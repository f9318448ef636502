//! The article's own layout and BinaryWriter's: written as .NET writes them, read as it reads them.

use wirewise::dataset::Organization;

use crate::common::{check_organizations, decoded, without_null};
use crate::vectors::Vectors;

#[cfg(feature = "custom")]
#[test]
fn custom() {
    use wirewise::format::custom::Custom;
    check_organizations::<Custom>(&Vectors::open("dotnet"), "custom", without_null);
    // Negative counts and lengths are none.
    let payload = [&[7, 0, 0, 0, 1, 0, 0, 0][..], &[0xFF; 4], &[0, 0, 0, 0x80]].concat();
    let value: Organization = decoded::<Custom, _>(&payload).unwrap();
    assert_eq!(value, Organization { id: 7, tags: Some(vec![String::new()]), members: None });
}

#[cfg(feature = "binary-writer")]
#[test]
fn binary_writer() {
    use wirewise::format::binary_writer::BinaryWriter;
    check_organizations::<BinaryWriter>(&Vectors::open("dotnet"), "binary", without_null);
    let value: Organization = decoded::<BinaryWriter, _>(&[7, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x80]).unwrap();
    assert_eq!(value, Organization { id: 7, ..Organization::default() });
}
