//! Schema evolution, run: every kind of change, through every format, in both directions and as a hop, on many values.
#[macro_use]
pub mod change;
#[macro_use]
pub mod formats;
mod changes;
pub mod oracle;
pub mod outcome;
pub mod sample;
pub mod value;

// The code that Cap'n Proto's compiler makes names itself by these paths.
#[cfg(feature = "capnp")]
pub(crate) use changes::*;
