//! Both ends of a format, for running it as a whole: each is made where it is used, in a thread of its own.

use std::any::Any;

use crate::dataset::Spec;
use crate::error::Result;
use crate::operation::Operation;
use crate::payload::Payload;

/// Encodes a dataset that it holds into the sink.
pub type Encoder = Box<dyn FnMut(&mut Vec<u8>) -> Result<()>>;

/// Reads everything of a payload: gives the checksum, and what was decoded, so that dropping it is the caller's.
pub type Reader = Box<dyn FnMut(&Payload) -> Result<(u64, Box<dyn Any>)>>;

/// What makes the ends of a format for a dataset. All of it may go to another thread; what it makes may not.
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
    /// What reads everything, by the operation that opens the payload: `decode`, `borrow` or `access`.
    pub readers: Vec<(Operation, fn() -> Reader)>,
}

impl Ends {
    /// What reads a payload that is opened in this way.
    pub fn reader(&self, opens: Operation) -> Option<Reader> {
        self.readers.iter().find(|(operation, _)| *operation == opens).map(|(_, new)| new())
    }
}
