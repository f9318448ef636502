//! JSON through serde_json: as derived, with serde's defaults, and with unknown fields kept.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Adapter, Holder, Wire, held};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

struct Json<T>(T);

impl<T: Field + Serialize + DeserializeOwned> Wire for Json<T> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        encode(&T::of(value)?).map_err(Unwritable)
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        decode::<T>(payload).map(|value| value.tell())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = decode::<T>(payload)?;
        value.edit();
        encode(&value)
    }
}

fn encode<T: Serialize>(value: &T) -> Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}

fn decode<T: DeserializeOwned>(payload: &Payload) -> Result<T, String> {
    serde_json::from_slice(payload).map_err(|error| error.to_string())
}

pub(crate) fn adapter<T: Field + Serialize + DeserializeOwned>() -> Adapter {
    held::<Json<T>, Json<Holder<T>>>()
}

pub(super) const LIBRARY: (&str, &str) = ("serde_json", crate::version!("SERDE_JSON"));
