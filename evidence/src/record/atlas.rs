//! Opening a payload and reading from it, apart and together: what break-even points are computed from and checked by.

use serde::{Deserialize, Serialize};

use crate::case::{Field, Spec};
use crate::operation::Operation;

/// The order in which members are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Order {
    /// One behind the other.
    Sequential,
    /// At random positions.
    Random,
}

/// What is read of a payload that is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Reading {
    /// How many members.
    pub members_read: usize,
    /// In which order.
    pub order: Order,
    /// Which of their fields.
    pub field: Field,
}

/// A payload of a format, and what opens it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct OpeningId {
    /// The dataset's name.
    pub dataset: String,
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
    /// The format.
    pub format: String,
    /// Decode, borrow, access or unvalidated access.
    pub opening: Operation,
}

/// The samples of an opening alone.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpeningTime {
    /// What was opened.
    #[serde(flatten)]
    pub id: OpeningId,
    /// Nanoseconds an iteration.
    pub samples: Vec<f64>,
}

/// The samples of a reading of what was opened before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReadingTime {
    /// What was opened.
    #[serde(flatten)]
    pub id: OpeningId,
    /// What was read.
    #[serde(flatten)]
    pub reading: Reading,
    /// Nanoseconds an iteration.
    pub samples: Vec<f64>,
}

/// An opening and so many readings run as one, beside what the two apart foretold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PassesTime {
    /// What was opened.
    #[serde(flatten)]
    pub id: OpeningId,
    /// What was read.
    #[serde(flatten)]
    pub reading: Reading,
    /// How many times it was read.
    pub passes: u32,
    /// The nanoseconds that were foretold.
    pub predicted: f64,
    /// Nanoseconds an iteration.
    pub samples: Vec<f64>,
}

/// An opening that failed, or read something else.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpeningFailure {
    /// What was opened.
    #[serde(flatten)]
    pub id: OpeningId,
    /// Why.
    pub error: String,
}
