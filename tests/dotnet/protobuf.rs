//! protobuf-net and Google.Protobuf: the dataset in both, and what stands around messages.

use wirewise::dataset::{Member, Organization};

use crate::common::{check_organizations, decoded, encoded, organizations};
use crate::vectors::Vectors;

/// What each makes of a value: a sign of zero is lost, and one of null and empty.
fn read_back(value: &Organization, code_first: bool) -> Organization {
    let text = |text: Option<String>| if code_first { text } else { Some(text.unwrap_or_default()) };
    let member = |member: &Member| {
        let Member { id, name, description, address, value, update_time } = member.clone();
        let value = if value == 0.0 { 0.0 } else { value };
        Member { id, name: text(name), description: text(description), address: text(address), value, update_time }
    };
    let (tags, members) = (value.tags.clone().unwrap_or_default(), value.members.iter().flatten().map(member).collect::<Vec<_>>());
    Organization {
        id: value.id,
        tags: (!code_first || !tags.is_empty()).then_some(tags),
        members: (!code_first || !members.is_empty()).then_some(members),
    }
}

#[cfg(feature = "protobuf-net")]
mod protobuf_net {
    use super::*;
    use wirewise::format::protobuf_net::*;
    use wirewise::{Problem, Read};

    #[test]
    fn every_organization() {
        check_organizations::<ProtobufNet>(&Vectors::open("dotnet"), "protobuf-net", |value| read_back(value, true));
    }

    #[test]
    fn cache_entries() {
        let vectors = Vectors::open("dotnet");
        for (name, class) in [("shape-circle", "Peer.Circle"), ("shape-square", "Peer.Square"), ("shape-base", "Peer.Shape")] {
            let payload = vectors.file(&format!("{name}.protobuf-net.bin"));
            let expected = vectors.file(&format!("{name}.protobuf-net-type-then-payload.bin"));
            let mut sink = vec![1, 2, 3];
            write_cache_entry(&format!("{class}, Peer"), payload, &mut sink).unwrap();
            assert_eq!(sink, expected, "{name}");
            assert_eq!(read_cache_entry(expected).unwrap(), (&*format!("{class}, Peer"), payload), "{name}");
            // A payload has no end mark: only a cut in the name can be told.
            for cut in 0..expected.len() - payload.len() {
                assert!(matches!(read_cache_entry(&expected[..cut]).unwrap_err().problem(), Problem::Truncated { .. }));
            }
        }
        read_cache_entry(&[0xFF; 10]).unwrap_err();
        assert_eq!(*read_cache_entry(&[1, 0, 0, 0, 0xFF]).unwrap_err().problem(), Problem::InvalidUtf8);
    }

    #[test]
    fn messages_behind_their_lengths() {
        let vectors = Vectors::open("dotnet");
        // {1, "a"}, {0, null} and {-1, ""}; Google's library leaves out an empty string.
        let minus_one = [0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x01, 0x12, 0x00];
        let messages = [&[0x08, 1, 0x12, 1, b'a'][..], &[], &minus_one];
        let google = [messages[0], messages[1], &minus_one[..11]];
        for (prefix, file, messages) in [
            (Prefix::Base128, "stream-base128-0.protobuf-net-length-prefixed.bin", messages),
            (Prefix::Base128, "stream-delimited.google-protobuf-length-prefixed.bin", google),
            (Prefix::Field(5), "stream-base128-5.protobuf-net-length-prefixed.bin", messages),
            (Prefix::Field(1), "root-list.protobuf-net.bin", messages),
            (Prefix::Field(1), "root-array.protobuf-net.bin", messages),
            (Prefix::Fixed32, "stream-fixed32-0.protobuf-net-length-prefixed.bin", messages),
            (Prefix::Fixed32BigEndian, "stream-fixed32bigendian-0.protobuf-net-length-prefixed.bin", messages),
        ] {
            let expected = vectors.file(file);
            let mut sink = Vec::new();
            let mut ends = vec![0];
            for message in messages {
                write_prefixed(prefix, message, &mut sink).unwrap();
                ends.push(sink.len());
            }
            assert_eq!(sink, expected, "{file}");
            let read: Vec<&[u8]> = read_prefixed(prefix, expected).collect::<Result<_, _>>().unwrap();
            assert_eq!(read, messages, "{file}");
            for cut in 0..expected.len() {
                let whole = read_prefixed(prefix, &expected[..cut]).all(|message| message.is_ok());
                assert_eq!(whole, ends.contains(&cut), "{file}, {cut}");
            }
        }
        assert!(write_prefixed(Prefix::Field(0), &[], &mut Vec::new()).is_err());
        for (prefix, bytes) in [(Prefix::Fixed32, &[0xFF; 8][..]), (Prefix::Base128, &[0xFF; 8]), (Prefix::Field(1), &[0x12, 0])] {
            assert!(read_prefixed(prefix, bytes).next().unwrap().is_err());
        }
    }

    /// A cut between two fields of the organization is a payload too; any other is refused.
    #[test]
    fn truncations() {
        let value = organizations().swap_remove(0).1;
        let good = encoded::<ProtobufNet, _>(&value).unwrap();
        let mut ends = vec![0, 2];
        let mut at = 2;
        while at < good.len() {
            at += 2 + usize::from(good[at + 1]);
            ends.push(at);
        }
        let accepted: Vec<usize> = (0..=good.len()).filter(|&cut| decoded::<ProtobufNet, Organization>(&good[..cut]).is_ok()).collect();
        assert_eq!(accepted, ends);
    }

    #[test]
    fn hostile_payloads() {
        for bytes in [
            &[0x00][..],
            &[0x0F],
            &[0x0E],
            &[0x0C],
            &[0x1A, 5, 1],
            &[0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F],
            &[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2],
            &[0x10, 1],
            &[0x23],
            &[0x23, 0x2C],
            &[0x08, 0x80, 0x80, 0x80, 0x80, 0x10],
            &[0x20, 0x80],
            &[0x1A, 2, 0x12, 1, b'a'],
        ] {
            decoded::<ProtobufNet, Organization>(bytes).map(drop).expect_err(&format!("{bytes:02X?}"));
        }
        let many = [0x1A, 0].repeat(1_000_000);
        assert!(matches!(decoded::<ProtobufNet, Organization>(&many).unwrap_err().problem(), Problem::Limit { .. }));
        let deep = [0x23].repeat(1_000_000);
        assert!(matches!(decoded::<ProtobufNet, Organization>(&deep).unwrap_err().problem(), Problem::Limit { limit: "depth", .. }));
        // A group is a message too, and a number may stand in another wire type.
        let group = [0x1B, 0x0D, 7, 0, 0, 0, 0x2D, 0, 0, 0xC0, 0x3F, 0x31, 9, 0, 0, 0, 0, 0, 0, 0, 0x1C];
        let read: Organization = decoded::<ProtobufNet, _>(&group).unwrap();
        assert_eq!(read.members, Some(vec![Member { id: 7, value: 1.5, update_time: 9, ..Member::default() }]));
    }

    #[cfg(feature = "google-protobuf")]
    #[test]
    fn each_reads_the_others_payloads() {
        use wirewise::format::google_protobuf::GoogleProtobuf;
        for (name, value) in organizations() {
            let (code_first, schema_first) = (encoded::<ProtobufNet, _>(&value).unwrap(), encoded::<GoogleProtobuf, _>(&value).unwrap());
            let read: Organization = decoded::<GoogleProtobuf, _>(&code_first).unwrap();
            assert_eq!(read.checksum().unwrap(), read_back(&value, false).checksum().unwrap(), "{name}");
            // An empty string that was left out is null to protobuf-net.
            let mut expected = read_back(&value, true);
            for member in expected.members.iter_mut().flatten() {
                for text in [&mut member.name, &mut member.description, &mut member.address] {
                    text.take_if(|text| text.is_empty());
                }
            }
            let read: Organization = decoded::<ProtobufNet, _>(&schema_first).unwrap();
            assert_eq!(read.checksum().unwrap(), expected.checksum().unwrap(), "{name}");
        }
    }
}

#[cfg(feature = "google-protobuf")]
#[test]
fn google_protobuf() {
    use wirewise::format::google_protobuf::GoogleProtobuf;
    check_organizations::<GoogleProtobuf>(&Vectors::open("dotnet"), "google-protobuf", |value| read_back(value, false));
    // A number is cut to its field, and a field of another wire type is unknown.
    let read: Organization =
        decoded::<GoogleProtobuf, _>(&[0x08, 0x81, 0x80, 0x80, 0x80, 0x10, 0x0D, 7, 0, 0, 0, 0x10, 3, 0x23, 0x0B, 0x0C, 0x24]).unwrap();
    assert_eq!(read, Organization { id: 1, tags: Some(vec![]), members: Some(vec![]) });
    for bytes in [&[0x00][..], &[0x0C], &[0x23, 0x1C], &[0x12, 1, 0xFF]] {
        decoded::<GoogleProtobuf, Organization>(bytes).map(drop).expect_err(&format!("{bytes:02X?}"));
    }
}
