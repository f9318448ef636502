//! The .NET formats against what .NET itself wrote and read: `tests/vectors/dotnet.zst`, which `scripts/vectors` packs.

#![allow(missing_docs)]
// Each format's tests use a part of this; with one feature alone the rest is idle.
#![allow(dead_code)]

#[path = "../support/vectors.rs"]
mod vectors;

mod common;
mod sizes;
#[cfg(feature = "system-text-json")]
mod system_text_json;
