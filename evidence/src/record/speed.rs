use serde::{Deserialize, Serialize};

use super::Cell;

/// A case that is held to so many bytes of its payload a second.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Speed {
    /// What is judged.
    #[serde(flatten)]
    pub cell: Cell,
    /// The bytes of the payload.
    pub bytes: u64,
    /// Megabytes (10⁶ bytes) a second.
    pub at_least: f64,
    /// Nanoseconds an iteration, one figure a sample.
    pub samples: Vec<f64>,
}
