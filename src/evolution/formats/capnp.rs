//! Cap'n Proto through the crate's reflection, which goes by the schema that is in the generated code.
//!
//! Reflection reads and writes by the same layer as the generated getters and setters do; a test holds the two to each other. What differs
//! is a number that an enum or a union does not have: a getter returns the error `NotInSchema`, reflection returns nothing, which is told
//! here as the getter's error.

use capnp::introspect::TypeVariant;
use capnp::message::{Builder, ReaderOptions};
use capnp::schema::{EnumSchema, Field as SchemaField};
use capnp::schema_capnp::{field, node};
use capnp::traits::Owned;
use capnp::{dynamic_list, dynamic_struct, dynamic_value};

use super::{Adapter, Wire, held};
use crate::evolution::value::{EDITED, Unwritable, Value};
use crate::payload::Payload;

/// Names in these schemas whose logical name is another.
const RENAMED: [(&str, &str); 2] = [("fullName", "name"), ("lime", "green")];

/// How the names end of fields that were given up. They have to stay in a schema, since no number may be missing.
const GIVEN_UP: &str = "Gone";

fn logical(name: &'static str) -> Option<&'static str> {
    if name.ends_with(GIVEN_UP) {
        return None;
    }
    Some(RENAMED.iter().find(|(own, _)| *own == name).map_or(name, |(_, logical)| logical))
}

fn name_of(field: SchemaField) -> capnp::Result<&'static str> {
    Ok(field.get_proto().get_name()?.to_str()?)
}

pub(crate) struct Capnp<T>(std::marker::PhantomData<T>);

impl<T: Owned> Wire for Capnp<T>
where
    for<'a> T::Reader<'a>: Into<dynamic_value::Reader<'a>>,
    for<'a> T::Builder<'a>: Into<dynamic_value::Builder<'a>>,
{
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        let mut message = Builder::new_default();
        let root: dynamic_value::Builder<'_> = message.init_root::<T::Builder<'_>>().into();
        let dynamic_value::Builder::Struct(root) = root else { return Err(Unwritable("a root that is no struct".into())) };
        fill(root, value).map_err(|error| Unwritable(format!("{value}: {error}")))?;
        Ok(capnp::serialize::write_message_to_words(&message))
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        let read = || {
            let message = capnp::serialize::read_message_from_flat_slice(&mut payload.as_slice(), ReaderOptions::new())?;
            let root: dynamic_value::Reader<'_> = message.get_root::<T::Reader<'_>>()?.into();
            tell(root)
        };
        read().map_err(|error: capnp::Error| error.to_string())
    }

    /// A message copied as a whole keeps what the schema does not know.
    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let edit = || {
            let message = capnp::serialize::read_message_from_flat_slice(&mut payload.as_slice(), ReaderOptions::new())?;
            let mut copy = Builder::new_default();
            copy.set_root(message.get_root::<T::Reader<'_>>()?)?;
            let root: dynamic_value::Builder<'_> = copy.get_root::<T::Builder<'_>>()?.into();
            edit_any(root)?;
            Ok(capnp::serialize::write_message_to_words(&copy))
        };
        edit().map_err(|error: capnp::Error| error.to_string())
    }
}

/// Whether a struct is nothing but a union, as groups are here.
fn is_union(schema: capnp::schema::StructSchema) -> capnp::Result<bool> {
    match schema.get_proto().which()? {
        node::Struct(node) => Ok(node.get_discriminant_count() > 0),
        _ => Ok(false),
    }
}

fn fill(mut builder: dynamic_struct::Builder<'_>, value: &Value) -> capnp::Result<()> {
    if is_union(builder.get_schema())? {
        let Value::Variant(name, payload) = value else { return mismatch(value) };
        for field in builder.get_schema().get_union_fields()? {
            if logical(name_of(field)?) == Some(name) {
                return set(&mut builder, field, payload.as_deref().unwrap_or(&Value::Null));
            }
        }
        return mismatch(value);
    }
    for field in builder.get_schema().get_fields()? {
        let Some(name) = logical(name_of(field)?) else { continue };
        match value.field(name) {
            Value::Absent => {}
            Value::Null => return mismatch(&Value::Null),
            inner => set(&mut builder, field, inner)?,
        }
    }
    Ok(())
}

fn mismatch<T>(value: &Value) -> capnp::Result<T> {
    Err(capnp::Error::failed(format!("no place for {value}")))
}

fn set(builder: &mut dynamic_struct::Builder<'_>, field: SchemaField, value: &Value) -> capnp::Result<()> {
    match field.get_type().which() {
        TypeVariant::Struct(_) => match builder.reborrow().init(field)? {
            dynamic_value::Builder::Struct(inner) => fill(inner, value),
            _ => mismatch(value),
        },
        TypeVariant::List(element) => {
            let Value::List(items) = value else { return mismatch(value) };
            let dynamic_value::Builder::List(mut list) = builder.reborrow().initn(field, items.len() as u32)? else {
                return mismatch(value);
            };
            for (index, item) in items.iter().enumerate() {
                match element.which() {
                    TypeVariant::Struct(_) => match list.reborrow().get(index as u32)? {
                        dynamic_value::Builder::Struct(inner) => fill(inner, item)?,
                        _ => return mismatch(item),
                    },
                    scalar_type => list.set(index as u32, scalar(scalar_type, item)?)?,
                }
            }
            Ok(())
        }
        scalar_type => builder.set(field, scalar(scalar_type, value)?),
    }
}

fn scalar(scalar_type: TypeVariant, value: &Value) -> capnp::Result<dynamic_value::Reader<'_>> {
    fn whole<N: TryFrom<i128>>(value: &Value, number: i128) -> capnp::Result<N> {
        N::try_from(number).or_else(|_| mismatch(value))
    }
    Ok(match (scalar_type, value) {
        (TypeVariant::Void, _) => dynamic_value::Reader::Void,
        (TypeVariant::UInt32, Value::Int(number)) => whole::<u32>(value, *number)?.into(),
        (TypeVariant::Int32, Value::Int(number)) => whole::<i32>(value, *number)?.into(),
        (TypeVariant::UInt64, Value::Int(number)) => whole::<u64>(value, *number)?.into(),
        (TypeVariant::Int64, Value::Int(number)) => whole::<i64>(value, *number)?.into(),
        (TypeVariant::Float32, Value::Float(number)) => (*number).into(),
        (TypeVariant::Float64, Value::Double(number)) => (*number).into(),
        (TypeVariant::Text, Value::Text(text)) => dynamic_value::Reader::Text(text.as_str().into()),
        (TypeVariant::Data, Value::Bytes(bytes)) => dynamic_value::Reader::Data(bytes),
        (TypeVariant::Enum(raw), Value::Variant(name, None)) => {
            let schema = EnumSchema::new(raw);
            for enumerant in schema.get_enumerants()? {
                if logical(enumerant.get_proto().get_name()?.to_str()?) == Some(name) {
                    return Ok(dynamic_value::Enum::new(enumerant.get_ordinal(), schema).into());
                }
            }
            return mismatch(value);
        }
        _ => return mismatch(value),
    })
}

fn tell(value: dynamic_value::Reader<'_>) -> capnp::Result<Value> {
    use dynamic_value::Reader;
    Ok(match value {
        Reader::Void => Value::Null,
        Reader::UInt32(number) => Value::Int(number.into()),
        Reader::Int32(number) => Value::Int(number.into()),
        Reader::UInt64(number) => Value::Int(number.into()),
        Reader::Int64(number) => Value::Int(number.into()),
        Reader::Float32(number) => Value::Float(number),
        Reader::Float64(number) => Value::Double(number),
        Reader::Text(text) => Value::Text(text.to_str()?.to_owned()),
        Reader::Data(bytes) => Value::Bytes(bytes.to_vec()),
        Reader::Enum(number) => match number.get_enumerant()? {
            Some(enumerant) => variant(enumerant.get_proto().get_name()?.to_str()?, None),
            None => Value::Refused(capnp::NotInSchema(number.get_value()).to_string()),
        },
        Reader::List(list) => Value::List((0..list.len()).map(|index| tell(list.get(index)?)).collect::<capnp::Result<_>>()?),
        Reader::Struct(fields) => tell_struct(fields)?,
        _ => return Err(capnp::Error::failed("a type that no schema here has".into())),
    })
}

fn variant(name: &'static str, payload: Option<Value>) -> Value {
    Value::Variant(logical(name).unwrap_or(name).to_owned(), payload.map(Box::new))
}

/// An error in one field is that field's: all others can still be read.
fn tell_struct(reader: dynamic_struct::Reader<'_>) -> capnp::Result<Value> {
    if is_union(reader.get_schema())? {
        return Ok(match reader.which()? {
            None => Value::Refused("the union has a member that is not in the schema".into()),
            Some(member) => match (name_of(member)?, tell_field(reader, member)) {
                // The holder's empty choice; and what an entry's union is where nothing was written: its first member, null.
                ("nothing", _) => Value::Absent,
                (_, Value::Absent) if member.get_proto().get_discriminant_value() == 0 => Value::Absent,
                (name, payload) => variant(name, Some(payload)),
            },
        });
    }
    let mut fields = Vec::new();
    for field in reader.get_schema().get_fields()? {
        if let Some(name) = logical(name_of(field)?) {
            fields.push((name, tell_field(reader, field)));
        }
    }
    Ok(Value::Record(fields))
}

fn tell_field(reader: dynamic_struct::Reader<'_>, field: SchemaField) -> Value {
    let read = || {
        let is_group = matches!(field.get_proto().which()?, field::Group(_));
        if !is_group && !reader.has(field)? { Ok(Value::Absent) } else { tell(reader.get(field)?) }
    };
    read().unwrap_or_else(|error: capnp::Error| Value::Refused(error.to_string()))
}

/// Changes the first number of every entry.
fn edit_any(value: dynamic_value::Builder<'_>) -> capnp::Result<()> {
    match value {
        dynamic_value::Builder::Struct(builder) => edit_struct(builder),
        dynamic_value::Builder::List(list) => edit_list(list),
        _ => Ok(()),
    }
}

fn edit_list(mut list: dynamic_list::Builder<'_>) -> capnp::Result<()> {
    (0..list.len()).try_for_each(|index| edit_any(list.reborrow().get(index)?))
}

fn edit_struct(mut builder: dynamic_struct::Builder<'_>) -> capnp::Result<()> {
    if is_union(builder.get_schema())? {
        return match builder.which()? {
            Some(member) => edit_any(builder.get(member)?),
            None => Ok(()),
        };
    }
    let schema = builder.get_schema();
    if schema.find_field_by_name("before")?.is_none() {
        let first = schema.get_fields()?.get(0);
        return builder.set(first, EDITED.into());
    }
    for place in ["inner", "items", "choice"] {
        let field = schema.get_field_by_name(place)?;
        if builder.has(field)? {
            edit_any(builder.reborrow().get(field)?)?;
        }
    }
    Ok(())
}

pub(crate) fn adapter<T: Owned, H: Owned>() -> Adapter
where
    for<'a> T::Reader<'a>: Into<dynamic_value::Reader<'a>>,
    for<'a> T::Builder<'a>: Into<dynamic_value::Builder<'a>>,
    for<'a> H::Reader<'a>: Into<dynamic_value::Reader<'a>>,
    for<'a> H::Builder<'a>: Into<dynamic_value::Builder<'a>>,
{
    held::<Capnp<T>, Capnp<H>>()
}

pub(super) const LIBRARY: (&str, &str) = ("capnp", crate::version!("CAPNP"));

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evolution::{append_enum_variant, change_default};

    fn open(payload: &Payload) -> capnp::message::Reader<capnp::serialize::BufferSegments<&[u8]>> {
        capnp::serialize::read_message_from_flat_slice(&mut payload.as_slice(), ReaderOptions::new()).unwrap()
    }

    /// A variant that the reader does not know, and all that stands beside it.
    #[test]
    fn reflection_writes_and_reads_what_setters_and_getters_do() {
        use append_enum_variant::{new_capnp, old_capnp};
        let mut message = Builder::new_default();
        let mut entry = message.init_root::<new_capnp::entry::Builder<'_>>();
        entry.set_id(7);
        entry.set_kind(new_capnp::Color::Blue);
        entry.set_name("a");
        let bytes = capnp::serialize::write_message_to_words(&message);
        let blue = Value::Variant("blue".into(), None);
        let value = Value::Record(vec![("id", Value::Int(7)), ("kind", blue), ("name", Value::Text("a".into()))]);
        assert_eq!(Capnp::<new_capnp::entry::Owned>::write(&value).unwrap(), bytes);

        let payload = Payload::from(bytes);
        let message = open(&payload);
        let entry = message.get_root::<old_capnp::entry::Reader<'_>>().unwrap();
        let told = Capnp::<old_capnp::entry::Owned>::read(&payload).unwrap();
        assert_eq!(*told.field("id"), Value::Int(entry.get_id().into()));
        assert_eq!(*told.field("name"), Value::Text(entry.get_name().unwrap().to_string().unwrap()));
        assert_eq!(*told.field("kind"), Value::Refused(entry.get_kind().unwrap_err().to_string()));
    }

    /// A field is stored XORed with its default, so another default is another value.
    #[test]
    fn reflection_applies_defaults_as_getters_do() {
        use change_default::{new_capnp, old_capnp};
        let value = Value::Record(vec![("id", Value::Int(7)), ("name", Value::Text("a".into())), ("level", Value::Int(9))]);
        let payload = Payload::from(Capnp::<old_capnp::entry::Owned>::write(&value).unwrap());
        let message = open(&payload);
        let told = Capnp::<new_capnp::entry::Owned>::read(&payload).unwrap();
        assert_eq!(*told.field("level"), Value::Int(message.get_root::<new_capnp::entry::Reader<'_>>().unwrap().get_level().into()));
        assert_eq!(*told.field("level"), Value::Int(9 ^ 5 ^ 7));
    }
}
