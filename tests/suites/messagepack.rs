//! msgpack-test-suite: values, each with all of its encodings. Every encoding must be read as the value, and what is written of the value
//! must be one of the encodings.

use std::path::Path;

use serde_json::Value as Json;

use super::{Asked, Came, Outcome};

/// A value of MessagePack. Numbers are what they are worth, whatever they were written as.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Nil,
    Bool(bool),
    Integer(i128),
    Float(f64),
    Text(String),
    Bytes(Vec<u8>),
    Array(Vec<Value>),
    Map(Vec<(Value, Value)>),
    Extension(i8, Vec<u8>),
}

impl Value {
    /// Whole numbers are integers, however they were written.
    fn number(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 2e18 { Self::Integer(value as i128) } else { Self::Float(value) }
    }
}

// Each outcome is there for its own feature alone.
#[allow(clippy::vec_init_then_push)]
pub fn run(folder: &Path) -> Vec<Outcome> {
    let path = folder.join("msgpack-test-suite/msgpack-test-suite.json");
    let suite: Json = serde_json::from_slice(&std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))).unwrap();
    let mut outcomes = Vec::new();
    #[cfg(feature = "messagepack")]
    outcomes.push(judge(&suite, "messagepack-array", rmp::read, rmp::write, &[]));
    #[cfg(feature = "messagepack-csharp")]
    outcomes.push(judge(&suite, "messagepack-csharp-array", csharp::read, csharp::write, &[]));
    outcomes
}

fn judge(
    suite: &Json,
    reader: &str,
    read: fn(&[u8]) -> Result<Value, String>,
    write: fn(&Value) -> Result<Vec<u8>, String>,
    exceptions: &'static [(&'static str, &'static str)],
) -> Outcome {
    let mut outcome = Outcome { suite: "msgpack-test-suite", reader: reader.into(), cases: Vec::new(), exceptions };
    for (group, values) in suite.as_object().unwrap() {
        for (index, case) in values.as_array().unwrap().iter().enumerate() {
            let expected = expected(case);
            let texts: Vec<&str> = case["msgpack"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect();
            for text in &texts {
                outcome.case(format!("{group} {index}: {text}"), Asked::Value, || match read(&bytes(text)) {
                    Ok(value) if value == expected => Came::Passed,
                    Ok(value) => Came::Differed(format!("{value:?} where {expected:?} was written")),
                    Err(error) => Came::Refused(error),
                });
            }
            outcome.case(format!("{group} {index}: written"), Asked::Value, || match write(&expected) {
                Ok(written) if texts.iter().any(|text| bytes(text) == written) => Came::Passed,
                Ok(written) => Came::Differed(format!("{written:02x?} is none of {texts:?}")),
                Err(error) => Came::Refused(error),
            });
        }
    }
    outcome
}

fn bytes(text: &str) -> Vec<u8> {
    text.split('-').filter(|byte| !byte.is_empty()).map(|byte| u8::from_str_radix(byte, 16).unwrap()).collect()
}

fn expected(case: &Json) -> Value {
    if let Some(digits) = case.get("bignum").and_then(Json::as_str) {
        return Value::Integer(digits.parse().unwrap());
    }
    let (kind, value) = case.as_object().unwrap().iter().find(|(key, _)| *key != "msgpack").unwrap();
    match kind.as_str() {
        "binary" => Value::Bytes(bytes(value.as_str().unwrap())),
        "ext" => Value::Extension(value[0].as_i64().unwrap() as i8, bytes(value[1].as_str().unwrap())),
        "timestamp" => {
            let (seconds, nanoseconds) = (value[0].as_i64().unwrap(), value[1].as_u64().unwrap() as u32);
            Value::Extension(-1, [&nanoseconds.to_be_bytes()[..], &seconds.to_be_bytes()[..]].concat())
        }
        _ => plain(value),
    }
}

fn plain(value: &Json) -> Value {
    match value {
        Json::Null => Value::Nil,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer.into()),
            None => Value::number(number.as_f64().unwrap()),
        },
        Json::String(text) => Value::Text(text.clone()),
        Json::Array(items) => Value::Array(items.iter().map(plain).collect()),
        Json::Object(members) => Value::Map(members.iter().map(|(key, value)| (Value::Text(key.clone()), plain(value))).collect()),
    }
}

/// A timestamp in its longest form, so that the three forms of one moment are equal.
fn extension(code: i8, data: Vec<u8>) -> Value {
    let longest = |nanoseconds: u32, seconds: i64| [&nanoseconds.to_be_bytes()[..], &seconds.to_be_bytes()[..]].concat();
    let data = match (code, data.len()) {
        (-1, 4) => longest(0, u32::from_be_bytes(data.try_into().unwrap()).into()),
        (-1, 8) => {
            let both = u64::from_be_bytes(data.try_into().unwrap());
            longest((both >> 34) as u32, (both & ((1 << 34) - 1)) as i64)
        }
        _ => data,
    };
    Value::Extension(code, data)
}

/// The shortest form that holds a moment, as a writer chooses it.
fn shortest(code: i8, data: &[u8]) -> Vec<u8> {
    let (-1, Some(nanoseconds), Some(seconds)) = (code, data.first_chunk::<4>(), data.last_chunk::<8>()) else { return data.to_vec() };
    let (nanoseconds, seconds) = (u32::from_be_bytes(*nanoseconds), i64::from_be_bytes(*seconds));
    match (nanoseconds, u32::try_from(seconds)) {
        (0, Ok(seconds)) => seconds.to_be_bytes().to_vec(),
        _ if (0..1 << 34).contains(&seconds) => (u64::from(nanoseconds) << 34 | seconds as u64).to_be_bytes().to_vec(),
        _ => data.to_vec(),
    }
}

#[cfg(feature = "messagepack")]
mod rmp {
    use std::fmt;

    use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde::ser::{Serialize, SerializeMap, Serializer};
    use wirewise::Payload;
    use wirewise::format::messagepack::MessagePackArray;
    use wirewise::format::{Decode, Encode};

    use super::Value;

    pub fn read(bytes: &[u8]) -> Result<Value, String> {
        MessagePackArray.decode(&Payload::from(bytes)).map_err(|error| error.to_string())
    }

    pub fn write(value: &Value) -> Result<Vec<u8>, String> {
        let mut sink = Vec::new();
        MessagePackArray.encode(value, &mut sink).map_err(|error| error.to_string())?;
        Ok(sink)
    }

    struct Bytes(Vec<u8>);

    impl<'de> Deserialize<'de> for Bytes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            struct OfBytes;
            impl Visitor<'_> for OfBytes {
                type Value = Bytes;
                fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
                    f.write_str("bytes")
                }
                fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Bytes, E> {
                    Ok(Bytes(bytes.to_vec()))
                }
            }
            deserializer.deserialize_bytes(OfBytes)
        }
    }

    impl Serialize for Bytes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_bytes(&self.0)
        }
    }

    struct Any;

    impl<'de> Visitor<'de> for Any {
        type Value = Value;

        fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
            f.write_str("any value")
        }

        fn visit_unit<E: Error>(self) -> Result<Value, E> {
            Ok(Value::Nil)
        }

        fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
            Ok(Value::Bool(value))
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
            Ok(Value::Integer(value.into()))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
            Ok(Value::Integer(value.into()))
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
            Ok(Value::number(value))
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<Value, E> {
            Ok(Value::Text(text.to_owned()))
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Value, E> {
            Ok(Value::Bytes(bytes.to_vec()))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = items.next_element()? {
                values.push(value);
            }
            Ok(Value::Array(values))
        }

        fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
            let mut values = Vec::new();
            while let Some(entry) = entries.next_entry()? {
                values.push(entry);
            }
            Ok(Value::Map(values))
        }

        /// How the library gives an extension: a pair of its code and its bytes.
        fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
            let (code, Bytes(data)) = Deserialize::deserialize(deserializer)?;
            Ok(super::extension(code, data))
        }
    }

    impl<'de> Deserialize<'de> for Value {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
            deserializer.deserialize_any(Any)
        }
    }

    impl Serialize for Value {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match self {
                Self::Nil => serializer.serialize_unit(),
                Self::Bool(value) => serializer.serialize_bool(*value),
                Self::Integer(value) => match u64::try_from(*value) {
                    Ok(value) => serializer.serialize_u64(value),
                    Err(_) => serializer.serialize_i64(i64::try_from(*value).map_err(serde::ser::Error::custom)?),
                },
                Self::Float(value) => serializer.serialize_f64(*value),
                Self::Text(text) => serializer.serialize_str(text),
                Self::Bytes(bytes) => serializer.serialize_bytes(bytes),
                Self::Array(items) => serializer.collect_seq(items),
                Self::Map(entries) => {
                    let mut map = serializer.serialize_map(Some(entries.len()))?;
                    for (key, value) in entries {
                        map.serialize_entry(key, value)?;
                    }
                    map.end()
                }
                Self::Extension(code, data) => {
                    serializer.serialize_newtype_struct(rmp_serde::MSGPACK_EXT_STRUCT_NAME, &(code, Bytes(super::shortest(*code, data))))
                }
            }
        }
    }
}

#[cfg(feature = "messagepack-csharp")]
mod csharp {
    use wirewise::Payload;
    use wirewise::format::messagepack_csharp::{ArrayPlain, Timestamp, Value as Csharp};
    use wirewise::format::{Decode, Encode};

    use super::Value;

    pub fn read(bytes: &[u8]) -> Result<Value, String> {
        let value: Csharp = ArrayPlain::default().decode(&Payload::from(bytes)).map_err(|error| error.to_string())?;
        Ok(from(value))
    }

    pub fn write(value: &Value) -> Result<Vec<u8>, String> {
        let mut sink = Vec::new();
        ArrayPlain::default().encode(&to(value)?, &mut sink).map_err(|error| error.to_string())?;
        Ok(sink)
    }

    fn from(value: Csharp) -> Value {
        match value {
            Csharp::Nil => Value::Nil,
            Csharp::Bool(value) => Value::Bool(value),
            Csharp::Integer(value) => Value::Integer(value.into()),
            Csharp::Unsigned(value) => Value::Integer(value.into()),
            Csharp::Single(value) => Value::number(value.into()),
            Csharp::Double(value) => Value::number(value),
            Csharp::Text(text) => Value::Text(text),
            Csharp::Bytes(bytes) => Value::Bytes(bytes),
            Csharp::Array(items) => Value::Array(items.into_iter().map(from).collect()),
            Csharp::Map(entries) => Value::Map(entries.into_iter().map(|(key, value)| (from(key), from(value))).collect()),
            Csharp::Timestamp(Timestamp { seconds, nanoseconds }) => {
                super::extension(-1, [&nanoseconds.to_be_bytes()[..], &seconds.to_be_bytes()[..]].concat())
            }
            Csharp::Extension(code, data) => super::extension(code, data),
        }
    }

    fn to(value: &Value) -> Result<Csharp, String> {
        Ok(match value {
            Value::Nil => Csharp::Nil,
            Value::Bool(value) => Csharp::Bool(*value),
            Value::Integer(value) => match i64::try_from(*value) {
                Ok(value) => Csharp::Integer(value),
                Err(_) => Csharp::Unsigned(u64::try_from(*value).map_err(|error| error.to_string())?),
            },
            Value::Float(value) => Csharp::Double(*value),
            Value::Text(text) => Csharp::Text(text.clone()),
            Value::Bytes(bytes) => Csharp::Bytes(bytes.clone()),
            Value::Array(items) => Csharp::Array(items.iter().map(to).collect::<Result<_, _>>()?),
            Value::Map(entries) => {
                Csharp::Map(entries.iter().map(|(key, value)| Ok((to(key)?, to(value)?))).collect::<Result<_, String>>()?)
            }
            Value::Extension(code, data) => Csharp::Extension(*code, super::shortest(*code, data)),
        })
    }
}
