//! The one small object of the articles.

use super::{DotnetProtobuf, LENGTH, Manner, Reader, VARINT, checked, put_text, put_varint, wide, written};
use crate::dataset::Person;
use crate::error::Result;
use crate::format::sink::Sink;
use crate::format::{Decode, Encode};
use crate::payload::Payload;

impl<M: Manner> Encode<Person> for DotnetProtobuf<M> {
    fn encode(&mut self, value: &Person, sink: &mut Vec<u8>) -> Result<()> {
        let mut sink = Sink::new(sink);
        let fields = [(1, Ok(value.id)), (2, Err(&value.name)), (3, Ok(value.age)), (4, Err(&value.address))];
        for (field, content) in fields {
            let size = match content {
                Ok(0) => 0,
                Ok(number) => {
                    let room = sink.room(11);
                    room[0] = field << 3 | VARINT;
                    put_varint(room, 1, wide(number))
                }
                Err(text) => match written::<M>(text.as_deref()) {
                    Some(text) => put_text(sink.room(checked::<M>(text.len())? + 11), 0, field, text),
                    None => 0,
                },
            };
            sink.advance(size);
        }
        Ok(())
    }
}

impl<M: Manner> Decode<Person> for DotnetProtobuf<M> {
    fn read(&mut self, payload: &Payload) -> Result<Person> {
        let mut reader = Reader::<M>::new(payload, payload.limits());
        let mut value = Person::default();
        if !M::CODE_FIRST {
            (value.name, value.address) = (Some(String::new()), Some(String::new()));
        }
        while let Some((number, wire)) = reader.field()? {
            match (number, wire) {
                (1 | 3, _) if wire == VARINT || M::CODE_FIRST => {
                    let field = if number == 1 { &mut value.id } else { &mut value.age };
                    *field = reader.number32(wire)?;
                }
                (2 | 4, LENGTH) => {
                    let field = if number == 2 { &mut value.name } else { &mut value.address };
                    *field = Some(reader.text()?.to_owned());
                }
                (2 | 4, _) if M::CODE_FIRST => return Err(reader.malformed(format!("field {number} in wire type {wire}"))),
                _ => reader.skip(number, wire, 0)?,
            }
        }
        Ok(value)
    }
}
