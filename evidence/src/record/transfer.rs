//! A transfer that was really run, beside what the model of the choice had said.

use serde::{Deserialize, Serialize};

use crate::case::Spec;
use crate::operation::Operation;

/// One pipeline over one link, from the writer's value to everything read at the reader's.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Transfer {
    /// The dataset.
    #[serde(flatten)]
    pub spec: Spec,
    /// The dataset's name.
    pub dataset: String,
    /// The format.
    pub format: String,
    /// The codec, if compressed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
    /// The operation that opens the payload: `decode`, `borrow` or `access`.
    pub opens: Operation,
    /// What was between the two.
    pub link: Link,
    /// Whether blocks were encoded, sent and read at the same time; else each step waited for the one before it.
    pub blocks: bool,
    /// Bytes over the link, in all.
    pub bytes: u64,
    /// What the model said before the run: nanoseconds, the median and the ends of its interval.
    pub predicted: [f64; 3],
    /// Nanoseconds of each run, none left out.
    pub samples: Vec<f64>,
}

/// What is between writer and reader.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(tag = "over", rename_all = "kebab-case")]
pub enum Link {
    /// TCP on this machine, held to so many bits a second.
    Tcp {
        /// Bits a second.
        bandwidth: f64,
    },
    /// A file, written and synced, and read by `read`.
    File {
        /// Bits a second to write and sync, as measured with other bytes.
        write: f64,
        /// Bits a second to read, as measured with other bytes.
        read: f64,
        /// Whether its pages were dropped from the cache between the two.
        cold: bool,
    },
    /// A file, written and synced, and mapped into memory.
    Map {
        /// Bits a second to write and sync, as measured with other bytes.
        write: f64,
        /// Bits a second to read through a map, as measured with other bytes.
        read: f64,
        /// Whether its pages were dropped from the cache between the two.
        cold: bool,
    },
}

impl Link {
    /// Its name.
    pub fn label(&self) -> &'static str {
        match self {
            Self::Tcp { .. } => "TCP",
            Self::File { cold: true, .. } => "file, cold",
            Self::File { cold: false, .. } => "file, cached",
            Self::Map { cold: true, .. } => "mapped file, cold",
            Self::Map { cold: false, .. } => "mapped file, cached",
        }
    }
}
