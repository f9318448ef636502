//! What is put through the formats: plain values, how they are made, and how every reading of them is proven.

mod checksum;
mod edges;
pub mod organization;
pub mod person;
mod random;
pub mod shapes;

use std::ops::Range;

pub use crate::case::{Field, Spec};
pub use checksum::Checksum;
pub use organization::{Member, MemberRef, Organization, OrganizationRef, Text};
pub use person::Person;
pub use random::{Random, SplitMix64};

use crate::error::Result;

/// A value that formats can be measured on.
///
/// Implement it for a type of your own, and the traits of [`format`](crate::format) for the formats that shall carry it.
pub trait Dataset: Read + Clone + Sized + 'static {
    /// The name in tables and identifiers: lower case, no spaces.
    const NAME: &'static str;
    /// One line for people.
    const DESCRIPTION: &'static str;
    /// The kinds of values that can be made; the first is the default.
    const VARIANTS: &'static [&'static str] = &["default"];
    /// The default seed.
    const SEED: u64 = 1;

    /// Whether it is measured when no dataset is named; otherwise only when it is.
    const MEASURED: bool = true;

    /// A change of one fixed-size field of all records, see [`Update`](crate::format::Update).
    type Change;

    /// The default seed and variant, with `members` records.
    fn spec(members: usize) -> Spec {
        Spec { members, seed: Self::SEED, variant: Self::VARIANTS[0].to_owned() }
    }

    /// Makes the value that the specification names.
    ///
    /// # Errors
    ///
    /// The variant is not one of this dataset's.
    fn generate(spec: &Spec) -> Result<Self>;

    /// The number of records: what throughput is counted in, in every format.
    fn records(&self) -> usize;

    /// The bytes of the data itself, without any layout: its numbers at their width and its strings' bytes.
    fn data_size(&self) -> usize;

    /// The change that is measured, made from the value so that it does change it.
    fn change(&self) -> Self::Change;

    /// Makes the change on the value itself: what every update in place is compared with.
    fn apply(&mut self, change: &Self::Change);

    /// Whether [`part`](Self::part) gives something.
    const CAN_BE_CUT: bool = false;

    /// These records alone, as a value of their own, for storage in parts; nothing for a dataset that cannot be cut.
    fn part(&self, records: Range<usize>) -> Option<Self> {
        let _ = records;
        None
    }

    /// Values at the edges, each with a name: what becomes of them is the fidelity table.
    fn probes() -> Vec<(&'static str, Self)> {
        Vec::new()
    }

    /// What differs between this value and what came back of it, for the fidelity table.
    fn difference(&self, came_back: &Self) -> String {
        let _ = came_back;
        "another value".to_owned()
    }
}

/// A way to read a dataset: the value itself, a borrowed value, or a view of a payload.
///
/// All readers of one value return the same numbers. A reading whose numbers differ is not published.
pub trait Read {
    /// Sums every field of every record: each string's bytes and length, each number's bits.
    ///
    /// # Errors
    ///
    /// A view that validates on demand found the payload to be malformed.
    fn checksum(&self) -> Result<u64>;

    /// Sums one numeric field of every record, wrapping.
    ///
    /// # Errors
    ///
    /// As for [`checksum`](Self::checksum).
    fn sum_field(&self) -> Result<u64>;

    /// Sums every field of the records at these positions. The order of the positions does not change the sum, so that
    /// a layout without random access may visit them in its own.
    ///
    /// # Errors
    ///
    /// As for [`checksum`](Self::checksum).
    fn checksum_at(&self, positions: &[usize]) -> Result<u64>;

    /// Sums a part of the records at these positions, or of all in their order where there are none; nothing for a dataset that is not
    /// read in parts. The order of the positions does not change the sum.
    ///
    /// # Errors
    ///
    /// As for [`checksum`](Self::checksum).
    fn sum_of(&self, field: Field, positions: Option<&[usize]>) -> Result<Option<u64>> {
        let _ = (field, positions);
        Ok(None)
    }
}

/// `count` positions below `records`, drawn with a fixed generator (SplitMix64), in no order.
pub fn random_positions(records: usize, count: usize) -> Vec<usize> {
    if records == 0 {
        return Vec::new();
    }
    let mut random = SplitMix64::new(0x5EED);
    (0..count).map(|_| (random.next() % records as u64) as usize).collect()
}
