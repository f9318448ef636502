//! A value through a format and a codec, and back in two ways: decoded, and read where it stands.
//!
//! `cargo run --release --example round_trip`

use wirewise::codec::Codec;
use wirewise::codec::zstd::Zstd;
use wirewise::dataset::organization::{MemberView, OrganizationView};
use wirewise::dataset::{Dataset, Organization, Read};
use wirewise::format::rkyv::Rkyv;
use wirewise::format::{Access, Decode, Encode};
use wirewise::{Limits, Payload};

fn main() -> wirewise::Result<()> {
    let organization = Organization::generate(&Organization::spec(1_000))?;

    let mut encoded = Vec::new();
    Rkyv::default().encode(&organization, &mut encoded)?;
    let mut codec = Zstd::new(3);
    let mut compressed = Vec::new();
    codec.compress(&encoded, &mut compressed)?;
    println!("{} members: {} bytes, {} compressed", organization.records(), encoded.len(), compressed.len());

    // Decompressed into aligned memory, no matter where the bytes came from, and never to more than their number can bear.
    let mut payload = Payload::default();
    codec.decompress(&compressed, &Limits::for_payload(compressed.len()), &mut payload)?;

    let mut rkyv = Rkyv::default();
    let decoded: Organization = rkyv.decode(&payload)?;
    assert_eq!(decoded, organization);

    // Bytes from elsewhere are validated before they are read in place.
    let view = rkyv.access(&payload)?;
    assert_eq!(view.checksum()?, organization.checksum()?);
    view.visit_at(&[999], |position, member| {
        println!("member {position} is {:?}", member.name()?);
        Ok(())
    })
}
