//! The .NET formats against what .NET itself wrote and read: `tests/vectors/dotnet.zst`, which `scripts/vectors` packs.

#![allow(missing_docs)]
// Each format's tests use a part of this; with one feature alone the rest is idle.
#![allow(dead_code)]

#[path = "../support/vectors.rs"]
mod vectors;

mod common;
#[cfg(all(feature = "protobuf-net", feature = "google-protobuf"))]
mod contract;
#[cfg(feature = "datacontract")]
mod datacontract;
#[cfg(feature = "messagepack-csharp")]
mod messagepack_csharp;
mod person;
#[cfg(any(feature = "protobuf-net", feature = "google-protobuf"))]
mod protobuf;
#[cfg(feature = "protobuf-net")]
mod references;
#[cfg(any(feature = "custom", feature = "binary-writer"))]
mod sequential;
mod sizes;
#[cfg(feature = "system-text-json")]
mod system_text_json;
#[cfg(feature = "system-text-json")]
mod verdicts;
