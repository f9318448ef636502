//! The same data through many wire formats and compressors, measured, so that you can choose with evidence.
//!
//! The map, from the bottom up:
//!
//! - [`dataset`]: what is put through the formats, and the checksum that proves a reading;
//! - [`graph`]: values that only .NET has, shared by the formats which can write them;
//! - [`limits`]: how much a payload may ask for;
//! - [`payload`]: encoded bytes, aligned so that any format can be accessed in place;
//! - [`format`](mod@format): the wire formats, a trait for each thing that one can do;
//! - [`codec`]: the compressors;
//! - [`recognition`]: what bytes are, as far as they tell;
//! - [`stream`], and `file` (feature `file`): payloads from any `Read`, to any `Write`, in files that are whole or not there;
//! - [`operation`], [`case`] and [`registry`]: what can be measured, by what name, and how to run it;
//! - [`statistics`] and [`record`]: what a measurement is, in memory and in a file;
//! - `choice` (feature `report`): which format and codec to take for a wire, a way of reading and a number of cores;
//! - `report` (feature `report`): the pages that are made from records alone.
//!
//! The program is another crate, `wirewise-cli`, which offers its commands for a registry of your own too.

#![warn(missing_docs, clippy::missing_errors_doc, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]

/// The version of a package as Cargo.lock holds it, which the build script reads.
#[doc(hidden)]
#[macro_export]
macro_rules! version {
    ($package:literal) => {
        match option_env!(concat!("WIREWISE_LOCKED_", $package)) {
            Some(version) => version,
            None => "not locked",
        }
    };
}

#[cfg(feature = "bench")]
pub mod bench;
pub mod codec;
pub mod dataset;
pub mod envelope;
pub mod error;
#[cfg(feature = "evolution")]
pub mod evolution;
#[cfg(feature = "file")]
pub mod file;
pub mod format;
pub mod graph;
pub mod limits;
pub mod measure;
pub mod payload;
pub mod recognition;
pub mod registry;
pub mod stream;

pub use dataset::{Dataset, Read};
pub use error::{Error, Problem, Result};
pub use limits::Limits;
pub use payload::Payload;
pub use registry::Registry;
pub use wirewise_evidence::{case, operation, record, statistics};
#[cfg(feature = "report")]
pub use wirewise_evidence::{choice, report};
