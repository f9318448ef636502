//! The program of [wirewise](https://docs.rs/wirewise), see `wirewise --help`. A program of your own can offer its commands for a registry of
//! its own, with the [`main`] or [`run`] of this crate.
//!
//! Beside the commands it holds what only they run: [`torture`], damaged payloads and what comes of each, and [`transfer`], pipelines over
//! real links.

#![warn(missing_docs, clippy::missing_errors_doc, clippy::missing_safety_doc, clippy::undocumented_unsafe_blocks)]

mod command;
pub mod torture;
pub mod transfer;

pub use command::{main, run};
