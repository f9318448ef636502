//! What cases are made of: datasets, their payloads, and the sums that prove a reading.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::rc::Rc;

use super::{CaseId, RANDOM_READS};
use crate::codec::Codec;
use crate::dataset::{Dataset, Spec, random_positions};
use crate::error::{Error, Problem, Result};
use crate::format::{Encode, Format, Populate};
use crate::limits::Limits;
use crate::payload::Payload;

/// A dataset and the sums that every reading of it must give.
pub struct Subject<T> {
    pub(super) value: T,
    checksum: u64,
    field: u64,
    pub(super) positions: Vec<usize>,
    random: u64,
}

impl<T: Dataset> Subject<T> {
    fn new(value: T) -> Result<Self> {
        let positions = random_positions(value.records(), RANDOM_READS);
        Ok(Self { checksum: value.checksum()?, field: value.sum_field()?, random: value.checksum_at(&positions)?, positions, value })
    }

    /// The dataset.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The sum over every field.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    pub(super) fn check<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.checksum, found)
    }

    pub(super) fn check_field<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.field, found)
    }

    pub(super) fn check_random<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.random, found)
    }
}

pub(super) fn check<F: Format>(expected: u64, found: u64) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::new(F::INFO.name, Problem::WrongReading { expected, found })) }
}

/// The dataset, the payload, the message and the compressed payload made last, so that cases that follow each other share them. At 1,000,000 members
/// they are large: one of each is kept.
#[derive(Default)]
pub struct Stock {
    sink: Rc<RefCell<Vec<u8>>>,
    message: Option<(TypeId, TypeId, Spec, Rc<dyn Any>)>,
    compressed: Option<(CaseId, Spec, Rc<Vec<u8>>)>,
    subject: Option<(TypeId, Spec, Rc<dyn Any>)>,
    payload: Option<(TypeId, TypeId, Spec, Rc<Payload>)>,
    /// That payload, to be read for long.
    for_long: Option<Rc<Payload>>,
}

impl Stock {
    /// The dataset of this specification.
    ///
    /// # Errors
    ///
    /// The dataset has no such variant.
    pub fn subject<T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<Subject<T>>> {
        if let Some((kind, made, subject)) = &self.subject
            && (*kind, made) == (TypeId::of::<T>(), spec)
            && let Ok(subject) = subject.clone().downcast()
        {
            return Ok(subject);
        }
        self.subject = None;
        let subject = Rc::new(Subject::new(T::generate(spec)?)?);
        self.subject = Some((TypeId::of::<T>(), spec.clone(), subject.clone()));
        Ok(subject)
    }

    /// That dataset as `F` writes it.
    ///
    /// # Errors
    ///
    /// The format refused.
    pub fn payload<F: Encode<T>, T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<Payload>> {
        let kind = (TypeId::of::<F>(), TypeId::of::<T>());
        if let Some((format, dataset, made, payload)) = &self.payload
            && ((*format, *dataset), made) == (kind, spec)
        {
            return Ok(payload.clone());
        }
        self.payload = None;
        self.for_long = None;
        self.compressed = None;
        // What it grew to for another format is not kept beside this one's payload.
        self.release_scratch();
        let subject = self.subject::<T>(spec)?;
        let mut sink = Vec::new();
        F::default().encode(&subject.value, &mut sink)?;
        let payload = Rc::new(Payload::from(sink));
        self.payload = Some((kind.0, kind.1, spec.clone(), payload.clone()));
        Ok(payload)
    }

    /// The same payload with a limit that no number of readings reaches: Cap'n Proto counts every reading of one view. It is the format's own.
    pub(super) fn payload_for_long<F: Encode<T>, T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<Payload>> {
        let payload = self.payload::<F, T>(spec)?;
        let copy = || {
            let mut copy = Payload::clone(&payload);
            copy.set_limits(Limits { allocation: usize::MAX, ..payload.limits() });
            Rc::new(copy)
        };
        Ok(self.for_long.get_or_insert_with(copy).clone())
    }

    /// Gives back the memory of what only cases of encoding use: the message, and the sink unless a case still writes into it.
    pub(super) fn release_scratch(&mut self) {
        self.message = None;
        if Rc::strong_count(&self.sink) == 1 {
            self.sink.take();
        }
    }

    /// The one reused sink: of two encoders that are held against each other, neither has the better memory.
    pub(super) fn sink(&self) -> Rc<RefCell<Vec<u8>>> {
        self.sink.clone()
    }

    /// The dataset as `F`'s own message, one for all cases that encode it, for the same reason.
    pub(super) fn message<F: Populate<T> + Encode<T>, T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<F::Message>> {
        let kind = (TypeId::of::<F>(), TypeId::of::<T>());
        if let Some((format, dataset, made, message)) = &self.message
            && ((*format, *dataset), made) == (kind, spec)
            && let Ok(message) = message.clone().downcast()
        {
            return Ok(message);
        }
        self.message = None;
        let subject = self.subject::<T>(spec)?;
        let message = Rc::new(F::default().populate(&subject.value)?);
        self.message = Some((kind.0, kind.1, spec.clone(), message.clone()));
        Ok(message)
    }

    pub(super) fn compressed(&mut self, id: &CaseId, spec: &Spec, codec: &mut dyn Codec, payload: &[u8]) -> Result<Rc<Vec<u8>>> {
        if let Some((made, of, compressed)) = &self.compressed
            && (made, of) == (id, spec)
        {
            return Ok(compressed.clone());
        }
        self.compressed = None;
        let mut sink = Vec::new();
        codec.compress(payload, &mut sink)?;
        // A codec makes room for the worst that can come of a payload, which would be kept beside it.
        sink.shrink_to_fit();
        let compressed = Rc::new(sink);
        self.compressed = Some((id.clone(), spec.clone(), compressed.clone()));
        Ok(compressed)
    }
}
