//! Protocol Buffers through prost, whose build half makes the messages of schemas/organization.proto.

use prost::Message;
use prost::encoding::{DecodeContext, decode_key};

use super::protobuf_wire::{self, Kind, Schema};
use super::{Convert, Decode, Encode, Finding, Format, Info, Inspect, Populate};
use crate::dataset::{Member, Organization};
use crate::error::{Error, Problem, Result};
use crate::limits::{self, Limits, Meter};
use crate::payload::Payload;
use crate::registry::Registry;

/// The messages that prost makes of the schema.
#[allow(missing_docs)]
pub mod message {
    include!(concat!(env!("OUT_DIR"), "/wirewise.organization.rs"));
}

/// Protocol Buffers, version 3: the bytes of protobuf-net for the article's classes.
///
/// A payload has no end mark. One that is cut between two fields, or followed by another, is a payload too: then its lists are
/// shorter, or longer, and its numbers are the last ones.
#[derive(Debug, Default)]
pub struct Protobuf;

impl Format for Protobuf {
    const INFO: Info = Info {
        name: "protobuf",
        wire_format: "Protocol Buffers",
        library: "prost",
        version: crate::version!("PROST"),
        note: "a list that is null comes back empty, -0.0 as 0.0; unknown fields and a varint's bits beyond its field are dropped",
    };
}

pub(super) fn register(registry: &mut Registry) {
    registry
        .declare::<Protobuf, Organization>()
        .encode()
        .populate()
        .decode()
        .convert()
        .inspect()
        .bare_encode_message(|message, sink| {
            sink.clear();
            message.encode(sink).map_err(|error| Error::malformed(Protobuf::INFO.name, error))
        })
        .bare_decode_message(|payload| {
            message::Organization::decode(payload.as_slice()).map_err(|error| Error::malformed(Protobuf::INFO.name, error))
        });
}

impl Populate<Organization> for Protobuf {
    type Message = message::Organization;

    fn populate(&mut self, value: &Organization) -> Result<message::Organization> {
        Ok(message::Organization {
            id: value.id,
            tags: value.tags.clone().unwrap_or_default(),
            members: value.members.iter().flatten().map(message_of).collect(),
        })
    }

    fn encode_message(&mut self, message: &message::Organization, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        message.encode(sink).map_err(|error| Error::new(Self::INFO.name, Problem::Unrepresentable(error.to_string())))
    }
}

impl Encode<Organization> for Protobuf {
    fn encode(&mut self, value: &Organization, sink: &mut Vec<u8>) -> Result<()> {
        let message = self.populate(value)?;
        self.encode_message(&message, sink)
    }
}

impl Convert<Organization> for Protobuf {
    /// prost's own loop over the fields, but for two things: what is read is held to the payload's limits, as an empty member is two bytes on
    /// the wire and nearly a hundred in memory, and an error tells at which field it stands.
    fn read_message(&mut self, payload: &Payload) -> Result<message::Organization> {
        let limits = payload.limits();
        if limits.depth < DEPTH {
            protobuf_wire::hold_depth(payload, &ORGANIZATION, limits.depth)
                .map_err(|(at, problem)| Error::at(Self::INFO.name, at, problem))?;
        }
        let mut meter = Meter::new(limits);
        let (mut tags, mut members) = (0, 0);
        let mut message = message::Organization::default();
        let mut rest = payload.as_slice();
        while !rest.is_empty() {
            let offset = payload.len() - rest.len();
            decode_key(&mut rest)
                .and_then(|(tag, wire_type)| message.merge_field(tag, wire_type, &mut rest, DecodeContext::default()))
                .map_err(|error| refused(offset, &error))?;
            let held = if message.members.len() > members {
                members += 1;
                meter.list::<message::Member>(1).and_then(|()| message.members[members - 1].hold_texts(&limits))
            } else if message.tags.len() > tags {
                tags += 1;
                meter.list::<String>(1).and_then(|()| limits.hold_text(message.tags[tags - 1].len()))
            } else {
                Ok(())
            };
            held.map_err(|problem| Error::at(Self::INFO.name, offset, problem))?;
        }
        Ok(message)
    }

    /// A list that is not there comes back empty: the format has no null for it.
    fn convert(&mut self, message: message::Organization) -> Result<Organization> {
        Ok(Organization { id: message.id, tags: Some(message.tags), members: Some(message.members.into_iter().map(member_of).collect()) })
    }
}

impl message::Member {
    fn hold_texts(&self, limits: &Limits) -> Result<(), Problem> {
        [&self.name, &self.description, &self.address].into_iter().flatten().try_for_each(|text| limits.hold_text(text.len()))
    }
}

/// The library's own bound of nesting.
const DEPTH: usize = 100;

/// The library says at which field it was, message by message, and then what it was.
#[cold]
fn refused(offset: usize, error: &prost::DecodeError) -> Error {
    let text = error.to_string();
    let mut reason = text.strip_prefix("failed to decode Protobuf message: ").unwrap_or(&text);
    let mut path = Vec::new();
    while let Some((place, rest)) = reason.split_once(": ")
        && let Some((message, field)) = place.split_once('.')
        && message.chars().chain(field.chars()).all(|character| character.is_ascii_alphanumeric() || character == '_')
    {
        path.push(field);
        reason = rest;
    }
    let problem = match reason {
        "buffer underflow" => Problem::Truncated { needed: 1, left: 0 },
        "recursion limit reached" => limits::exceeded("depth", DEPTH, DEPTH + 1),
        reason if reason.contains("not UTF-8 encoded") => Problem::InvalidUtf8,
        reason => Problem::Malformed(reason.to_owned()),
    };
    // The innermost comes first.
    path.reverse();
    Error::at(Protobuf::INFO.name, offset, problem).in_field(path.join("."))
}

/// The schema, as far as the wire format has to do with it.
const MEMBER: Schema = Schema {
    fields: &[
        ("id", Kind::Int32),
        ("name", Kind::Length),
        ("description", Kind::Length),
        ("address", Kind::Length),
        ("value", Kind::Fixed64),
        ("update_time", Kind::Int64),
    ],
};
const ORGANIZATION: Schema = Schema { fields: &[("id", Kind::Int32), ("tags", Kind::Lengths), ("members", Kind::Messages(&MEMBER))] };

impl Inspect<Organization> for Protobuf {
    fn inspect(payload: &Payload) -> Vec<Finding> {
        protobuf_wire::inspect(payload, &ORGANIZATION)
    }
}

impl Decode<Organization> for Protobuf {
    fn read(&mut self, payload: &Payload) -> Result<Organization> {
        let message = self.read_message(payload)?;
        self.convert(message)
    }
}

fn message_of(member: &Member) -> message::Member {
    message::Member {
        id: member.id,
        name: member.name.clone(),
        description: member.description.clone(),
        address: member.address.clone(),
        value: member.value,
        update_time: member.update_time,
    }
}

fn member_of(message::Member { id, name, description, address, value, update_time }: message::Member) -> Member {
    Member { id, name, description, address, value, update_time }
}

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;
    use crate::dataset::Dataset;

    fn encoded(value: &Organization) -> Vec<u8> {
        let mut sink = Vec::new();
        Protobuf.encode(value, &mut sink).unwrap();
        sink
    }

    fn decoded(bytes: &[u8]) -> Result<Organization> {
        Protobuf.decode(&Payload::from(bytes))
    }

    /// What protobuf-net 3 and Google's own library write in .NET 10 for the same value.
    #[test]
    fn the_bytes_are_those_of_dotnet() {
        let expected = [
            (0, 77, "ef5b4b95d0389aa28e92272f3402440bceec7694fcb218d5a26d7424f593e109"),
            (1, 158, "331ebc0fcf56ae5658ef5fab64ad198c7aa771646b62576a25c3ee62c7bfffc9"),
            (1000, 84_784, "2b7b7d7607f362e5157e4a11abf216d5336a852093322f866f8193bf9eadf6cd"),
        ];
        for (members, len, sha256) in expected {
            let bytes = encoded(&Organization::generate(&Organization::spec(members)).unwrap());
            let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
            assert_eq!((bytes.len(), digest.as_str()), (len, sha256), "{members} members");
        }
    }

    #[test]
    fn a_cut_is_refused_except_between_two_fields_of_the_organization() {
        let value = Organization::generate(&Organization::spec(3)).unwrap();
        let good = encoded(&value);
        // The identifier takes two bytes, each tag two bytes before its text, and so does each member.
        let mut ends = vec![0, 2];
        let members = value.members.as_ref().unwrap().iter().map(|member| message_of(member).encoded_len());
        for len in value.tags.as_ref().unwrap().iter().map(String::len).chain(members) {
            ends.push(ends[ends.len() - 1] + 2 + len);
        }
        let accepted: Vec<usize> = (0..=good.len()).filter(|&cut| decoded(&good[..cut]).is_ok()).collect();
        assert_eq!(accepted, ends);
    }

    #[test]
    fn an_error_stands_at_its_field() {
        let good = encoded(&Organization::generate(&Organization::spec(0)).unwrap());
        for bad in [&[0x1A, 5, 1][..], &[0x00], &[0x0F], &[0x12, 1, 0xFF], &[0x08, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 2]]
        {
            let error = decoded(&[good.as_slice(), bad].concat()).unwrap_err();
            assert_eq!(error.offset(), Some(good.len()), "{error}");
        }
    }

    #[test]
    fn empty_members_do_not_outgrow_their_payload() {
        let error = decoded(&[0x1A, 0].repeat(1_000_000)).unwrap_err();
        assert!(matches!(error.problem(), Problem::Limit { limit: "allocation", .. }), "{error}");
        let few = Organization { members: Some(vec![Member::default(); 10_000]), tags: Some(Vec::new()), id: 0 };
        assert_eq!(decoded(&encoded(&few)).unwrap(), few);
    }
}
