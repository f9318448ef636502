//! How a dataset's values stand in JSON, for a program that knows neither their types nor what format they come from.

use std::any::Any;
use std::io::{self, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::dataset::Dataset;

/// A value of some dataset, its type erased.
pub type AnyValue = Box<dyn Any>;

/// What one dataset's values look like as JSON.
#[derive(Clone, Copy)]
pub struct Notation {
    /// The dataset's name.
    pub dataset: &'static str,
    write: fn(&dyn Any, &mut dyn Write) -> serde_json::Result<()>,
    read: fn(&[u8]) -> serde_json::Result<AnyValue>,
}

impl Notation {
    pub(super) fn of<T: Dataset + Serialize + DeserializeOwned>() -> Self {
        Self {
            dataset: T::NAME,
            write: |value, out| match value.downcast_ref::<T>() {
                Some(value) => serde_json::to_writer(out, value),
                None => Err(serde_json::Error::io(io::Error::new(io::ErrorKind::InvalidInput, "a value of another dataset"))),
            },
            read: |json| Ok(Box::new(serde_json::from_slice::<T>(json)?)),
        }
    }

    /// Writes a value as one line of JSON, without the line's end.
    ///
    /// # Errors
    ///
    /// The writer's own, or JSON has no form for the value (NaN, the infinities), or the value is of another dataset.
    pub fn write(&self, value: &dyn Any, mut out: impl Write) -> serde_json::Result<()> {
        (self.write)(value, &mut out)
    }

    /// Reads a value that fills `json` to its end.
    ///
    /// # Errors
    ///
    /// It is not JSON, or not of this dataset.
    pub fn read(&self, json: &[u8]) -> serde_json::Result<AnyValue> {
        (self.read)(json)
    }
}
