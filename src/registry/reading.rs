//! The ways to read a payload that may come from anywhere, behind which the types end: what hostile bytes are put through.

use std::rc::Rc;

use crate::error::Result;
use crate::operation::Operation;
use crate::payload::Payload;

/// Reads one payload after the other, each to its end, and gives the checksum over every field.
pub type ReadPayload = Box<dyn FnMut(&Payload) -> Result<u64>>;

/// A way to read a payload.
#[derive(Clone)]
pub struct Reading {
    /// The operation that it is.
    pub operation: Operation,
    new: Rc<dyn Fn() -> ReadPayload>,
}

impl Reading {
    pub(super) fn new<R: FnMut(&Payload) -> Result<u64> + 'static>(operation: Operation, new: impl Fn() -> R + 'static) -> Self {
        Self { operation, new: Rc::new(move || Box::new(new())) }
    }

    /// A reader with fresh state, such as scratch space.
    pub fn start(&self) -> ReadPayload {
        (self.new)()
    }
}
