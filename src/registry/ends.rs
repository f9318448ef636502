//! Both ends of a format, behind which the types end: what encodes a dataset, and every way to read a payload that may come from anywhere.
//! What makes them goes to any thread, so that each is made where it is used; what is made may not.

use std::any::Any;

use crate::dataset::Spec;
use crate::error::Result;
use crate::operation::Operation;
use crate::payload::Payload;

/// Encodes a dataset that it holds into the sink.
pub type Encoder = Box<dyn FnMut(&mut Vec<u8>) -> Result<()>>;

/// Reads one payload after the other, each to its end: gives the checksum over every field, and what was decoded, so that dropping it is the
/// caller's.
pub type Reader = Box<dyn FnMut(&Payload) -> Result<(u64, Box<dyn Any>)>>;

/// A way to read a payload.
#[derive(Clone, Copy)]
pub struct Reading {
    /// The operation that it is.
    pub operation: Operation,
    pub(super) new: fn() -> Reader,
}

impl Reading {
    /// A reader with fresh state, such as scratch space.
    pub fn start(&self) -> Reader {
        (self.new)()
    }

    /// Reads one payload with fresh state, and gives the checksum over every field.
    ///
    /// # Errors
    ///
    /// What the operation's own are.
    pub fn checksum(&self, payload: &Payload) -> Result<u64> {
        self.start()(payload).map(|(checksum, _)| checksum)
    }
}

/// What makes the ends of a format for a dataset.
#[derive(Clone)]
pub struct Ends {
    /// The format's name.
    pub format: &'static str,
    /// The dataset's name.
    pub dataset: &'static str,
    /// Makes the dataset and what encodes it.
    pub encoder: fn(&Spec) -> Result<Encoder>,
    /// The checksum that every reader has to give.
    pub checksum: fn(&Spec) -> Result<u64>,
    /// Every way to read everything.
    pub readings: Vec<Reading>,
}

impl Ends {
    /// What reads a payload by this operation.
    pub fn reader(&self, operation: Operation) -> Option<Reader> {
        self.readings.iter().find(|reading| reading.operation == operation).map(Reading::start)
    }
}
