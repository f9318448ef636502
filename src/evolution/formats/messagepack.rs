//! MessagePack through rmp-serde: structs as arrays or as maps. The reader takes either.

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{Adapter, Holder, Wire, held};
use crate::evolution::value::{Field, Unwritable, Value};
use crate::payload::Payload;

struct MessagePack<T, const NAMED: bool>(T);

impl<T: Field + Serialize + DeserializeOwned, const NAMED: bool> Wire for MessagePack<T, NAMED> {
    fn write(value: &Value) -> Result<Vec<u8>, Unwritable> {
        encode::<T, NAMED>(&T::of(value)?).map_err(Unwritable)
    }

    fn read(payload: &Payload) -> Result<Value, String> {
        decode::<T>(payload).map(|value| value.tell())
    }

    fn edit(payload: &Payload) -> Result<Vec<u8>, String> {
        let mut value = decode::<T>(payload)?;
        value.edit();
        encode::<T, NAMED>(&value)
    }
}

fn encode<T: Serialize, const NAMED: bool>(value: &T) -> Result<Vec<u8>, String> {
    let written = if NAMED { rmp_serde::to_vec_named(value) } else { rmp_serde::to_vec(value) };
    written.map_err(|error| error.to_string())
}

/// `from_slice` does not look behind the value, so what is left over is looked at here, as the crate's own format does.
fn decode<T: DeserializeOwned>(payload: &Payload) -> Result<T, String> {
    let mut rest = payload.as_slice();
    let value = rmp_serde::from_read(&mut rest).map_err(|error| error.to_string())?;
    if rest.is_empty() { Ok(value) } else { Err(format!("{} bytes are left over after the value", rest.len())) }
}

pub(crate) fn adapter<T: Field + Serialize + DeserializeOwned, const NAMED: bool>() -> Adapter {
    held::<MessagePack<T, NAMED>, MessagePack<Holder<T>, NAMED>>()
}

pub(super) const LIBRARY: (&str, &str) = ("rmp-serde", crate::version!("RMP_SERDE"));
