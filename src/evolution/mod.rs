//! Schema evolution, run and not quoted: every kind of change, through every format, in both directions and as a hop, on many values.
//!
//! The map:
//!
//! - [`change`]: what a change is; all are declared in `changes.rs`, once each, with their schemas in `schemas/evolution`;
//! - [`value`] and [`sample`]: values by logical field, and the seeded ones that are written;
//! - [`formats`]: a file for each format, which writes and reads with the library and the code that its compiler generates;
//! - [`oracle`] and [`outcome`]: which value every field has to come out with, and what it is called if it does not;
//! - [`matrix`]: the cells, and running one; [`isolated`]: running all, in processes that may fail;
//! - [`witness`]: the smallest payload that shows what is silent;
//! - [`documented`]: what is expected, beside what was run;
//! - [`price`]: what it costs in bytes and time to be able to change.

#[macro_use]
pub mod change;
#[macro_use]
// What serves several formats is idle where only some are enabled.
#[cfg_attr(
    not(all(feature = "json", feature = "custom", feature = "protobuf", feature = "flatbuffers", feature = "capnp", feature = "rkyv")),
    allow(dead_code, unused_macros)
)]
pub mod formats;
mod changes;
pub mod documented;
#[cfg(feature = "allocator")]
pub mod isolated;
pub mod matrix;
pub mod oracle;
pub mod outcome;
pub mod price;
pub mod sample;
pub mod value;
pub mod witness;

use change::Change;

// The code that Cap'n Proto's compiler makes names itself by these paths.
#[cfg(feature = "capnp")]
pub(crate) use changes::*;

/// Every change, in the order of the numbers.
pub fn changes() -> &'static [&'static Change] {
    &changes::ALL
}

/// The change of this number.
pub fn change_numbered(number: u8) -> Option<&'static Change> {
    changes().iter().copied().find(|change| change.number == number)
}

/// The change of this name.
pub fn change_named(name: &str) -> Option<&'static Change> {
    changes().iter().copied().find(|change| change.name == name)
}
