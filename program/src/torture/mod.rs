//! Damaged payloads by the million: what becomes of each, in every format and codec, and behind the envelope's checksum.
//!
//! A `Target` is a format on a dataset, or a codec, with payloads and every way to read one. A `Plan` numbers the mutations of these
//! payloads: all of some kinds, and random ones behind them, so that a number and a seed are enough to make any of them again. A run
//! reads every mutated payload to its last field and counts what comes of it; it is done in processes of its own (`isolated`), because a
//! reader that overflows its stack or takes all memory would end the program.

pub mod isolated;
mod mutation;
mod plan;
mod run;
mod target;

use serde::{Deserialize, Serialize};

pub use mutation::Kind;
pub use run::reproduce;
pub use target::names;

/// Mutated payloads of a format, if nothing else is asked for.
pub const MUTATIONS: u64 = 1_000_000;

/// The seed of the random mutations, if nothing else is asked for.
pub const SEED: u64 = 1;

/// The heap that a refused payload of so many bytes may have taken at most.
pub const fn most_heap_when_refused(input: u64) -> u64 {
    8 * input + (1 << 20)
}

/// The heap that an accepted payload may have taken at most; no input here is longer than 1 MiB.
pub const MOST_HEAP: u64 = 64 << 20;

/// The nanoseconds that one payload may take at most.
pub const MOST_NANOSECONDS: u64 = 1_000_000_000;

/// What is put through one target.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// The target, by its name.
    pub target: String,
    /// The seed of the random mutations.
    pub seed: u64,
    /// How many mutations there are, from number 0.
    pub mutations: u64,
}
