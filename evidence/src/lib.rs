//! What [wirewise](https://docs.rs/wirewise) measured, and what follows from it. Nothing here measures, and nothing knows a format but by its name.
//!
//! The map, from the bottom up:
//!
//! - [`operation`] and [`case`]: what is measured, by name;
//! - [`statistics`] and [`record`]: what a measurement is, in memory and in a file;
//! - `choice` (feature `report`): which format and codec to take for a wire, a way of reading and a number of cores;
//! - `report` (feature `report`): the pages that are made from records alone.
//!
//! It is a crate of its own because it is not measured: it is compiled once, whatever formats are enabled, and without the optimisation that
//! takes most of a first build. `wirewise` hands on all of it.

#![warn(missing_docs, clippy::missing_errors_doc, clippy::missing_safety_doc)]
#![forbid(unsafe_code)]

pub mod case;
#[cfg(feature = "report")]
pub mod choice;
pub mod operation;
pub mod record;
#[cfg(feature = "report")]
pub mod report;
pub mod statistics;
