//! Readings apart from what opens the payload: so much of it, in such an order, of such a field.
//!
//! What it costs to open a payload (decode, borrow, access) and what it costs to read from what was opened are measured apart, so that
//! every number of passes can be computed; a few are then run as a whole, to see whether the sum holds.

use std::hint::black_box;
use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Loop, Registry, Stock};
use crate::dataset::{Field, Read, Spec, random_positions};
use crate::error::{Error, Problem, Result};
use crate::operation::Operation;
use crate::record::{Order, Reading};

/// The parts of a dataset that are read: a thousandth, a hundredth, a tenth, all. One member alone is read beside these.
const DIVISORS: [usize; 4] = [1000, 100, 10, 1];

/// Which members are visited, in which order, and which of their fields: a [`Reading`] of a dataset of a known size.
#[derive(Debug, Clone)]
pub struct Visit {
    /// What it is.
    pub reading: Reading,
    /// Nothing where all members are visited in their order.
    positions: Option<Vec<usize>>,
}

impl Visit {
    /// Every reading of a dataset of so many members.
    pub fn all(members: usize) -> Vec<Self> {
        Self::readings(members).into_iter().map(|reading| Self::of(reading, members)).collect()
    }

    /// The names of them.
    pub fn readings(members: usize) -> Vec<Reading> {
        let mut counts: Vec<usize> = DIVISORS.iter().map(|divisor| members / divisor).filter(|count| *count > 1).collect();
        counts.insert(0, 1.min(members));
        let mut readings = Vec::new();
        for members_read in counts {
            for order in [Order::Sequential, Order::Random] {
                // One member has no order.
                if members_read > 1 || order == Order::Sequential {
                    readings.extend(Field::ALL.map(|field| Reading { members_read, order, field }));
                }
            }
        }
        readings
    }

    /// A reading of a dataset of so many members. Those that are read in sequence stand in its middle.
    pub fn of(reading: Reading, members: usize) -> Self {
        let Reading { members_read, order, .. } = reading;
        let positions = match order {
            Order::Random => Some(random_positions(members, members_read)),
            Order::Sequential if members_read >= members => None,
            Order::Sequential => Some((0..members_read).map(|at| (members - members_read) / 2 + at).collect()),
        };
        Self { reading, positions }
    }
}

/// Something that a payload was opened to.
pub trait Opened {
    /// Reads once; nothing for a dataset that is not read in parts.
    ///
    /// # Errors
    ///
    /// The payload was malformed after all.
    fn read(&self, visit: &Visit) -> Result<Option<u64>>;

    /// Times so many readings.
    ///
    /// # Errors
    ///
    /// As for [`read`](Self::read).
    fn time(&self, visit: &Visit, iterations: u64) -> Result<Duration>;
}

impl<R: Read> Opened for R {
    fn read(&self, visit: &Visit) -> Result<Option<u64>> {
        self.sum_of(visit.reading.field, visit.positions.as_deref())
    }

    fn time(&self, visit: &Visit, iterations: u64) -> Result<Duration> {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(black_box(self).sum_of(visit.reading.field, visit.positions.as_deref())?);
        }
        Ok(start.elapsed())
    }
}

/// What is done with something opened.
pub type Use<'u> = dyn FnMut(&dyn Opened) -> Result<()> + 'u;
type Open = Rc<dyn Fn(&mut Stock, &Spec, &mut Use) -> Result<()>>;
type Expected = Rc<dyn Fn(&mut Stock, &Spec, &Visit) -> Result<Option<u64>>>;
type Passes = Rc<dyn Fn(&mut Stock, &Spec, &Visit, u32) -> Result<Loop>>;

/// A way to open a format's payload for reading.
#[derive(Clone)]
pub struct Opening {
    /// The dataset's name.
    pub dataset: &'static str,
    /// The format's name.
    pub format: &'static str,
    /// Which call opens it: decode, borrow, access or unvalidated access.
    pub operation: Operation,
    pub(super) open: Open,
    pub(super) passes: Passes,
    pub(super) expected: Expected,
}

impl Opening {
    /// Opens the payload, and hands out what it was opened to.
    ///
    /// # Errors
    ///
    /// It cannot be opened, or what `take` returns.
    pub fn open(&self, stock: &mut Stock, spec: &Spec, take: &mut Use) -> Result<()> {
        (self.open)(stock, spec, take)
    }

    /// The loop that opens the payload and then reads it so many times; with no passes, it opens it only. What was opened is dropped
    /// outside the timer.
    ///
    /// # Errors
    ///
    /// As for [`open`](Self::open).
    pub fn passes(&self, stock: &mut Stock, spec: &Spec, visit: &Visit, passes: u32) -> Result<Loop> {
        (self.passes)(stock, spec, visit, passes)
    }

    /// What a reading has to give, by the dataset itself; nothing for a dataset that is not read in parts.
    ///
    /// # Errors
    ///
    /// The dataset has no such variant.
    pub fn expected(&self, stock: &mut Stock, spec: &Spec, visit: &Visit) -> Result<Option<u64>> {
        (self.expected)(stock, spec, visit)
    }

    /// Holds what was read to what was expected. Returns false where there is nothing to read.
    ///
    /// # Errors
    ///
    /// Another value was read.
    pub fn holds(&self, expected: Option<u64>, found: Option<u64>) -> Result<bool> {
        match (expected, found) {
            (Some(expected), Some(found)) if expected != found => Err(Error::new(self.format, Problem::WrongReading { expected, found })),
            (expected, found) => Ok(expected.is_some() && found.is_some()),
        }
    }
}

impl Registry {
    /// Every way to open a payload of every format.
    pub fn openings(&self) -> &[Opening] {
        &self.openings
    }
}
