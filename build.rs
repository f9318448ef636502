//! Compiles what is under `schemas/` into `OUT_DIR`, for the formats that are switched on.
//!
//! A format with schemas is one file in `build/` and one line in [`FORMATS`]. Neither protoc nor
//! flatc nor capnp has to be installed; `build/decision.rs` says what happens where one is, and
//! when one is needed after all.

// These three serve several formats and tests/schemas.rs: what one has no use for is not dead.
#[allow(dead_code)]
#[path = "build/compiler.rs"]
mod compiler;
#[allow(dead_code)]
#[path = "build/decision.rs"]
mod decision;
#[allow(dead_code)]
#[path = "build/schema.rs"]
mod schema;

#[path = "build/environment.rs"]
mod environment;

#[cfg(feature = "capnp")]
#[path = "build/capnp.rs"]
mod capnp;
#[cfg(feature = "flatbuffers")]
#[path = "build/flatbuffers.rs"]
mod flatbuffers;
#[cfg(feature = "protobuf")]
#[path = "build/protobuf.rs"]
mod protobuf;

use std::env;
use std::path::PathBuf;

type Compile = fn(&Folders) -> Result<(), String>;

const FORMATS: &[Compile] = &[
    #[cfg(feature = "capnp")]
    capnp::compile,
    #[cfg(feature = "flatbuffers")]
    flatbuffers::compile,
    #[cfg(feature = "protobuf")]
    protobuf::compile,
];

fn main() {
    println!("cargo::rerun-if-changed=schemas");
    let manifest = folder("CARGO_MANIFEST_DIR");
    environment::tell(&manifest);
    let folders = Folders { schemas: manifest.join("schemas"), out: folder("OUT_DIR") };
    if cfg!(feature = "evolution") {
        list_evolution(&folders).expect("the list of schemas is written to OUT_DIR");
    }
    for compile in FORMATS {
        if let Err(message) = compile(&folders) {
            // Cargo fails the build and shows each such line as an error of this package.
            message.lines().for_each(|line| println!("cargo::error={line}"));
        }
    }
}

/// Has the texts of the schemas below `schemas/evolution` compiled into the crate, so that a finding can show them.
fn list_evolution(folders: &Folders) -> std::io::Result<()> {
    let evolution = folders.schemas.join("evolution");
    let mut list = String::from("const SCHEMAS: &[(&str, &str)] = &[\n");
    for name in schema::file_names(&evolution)? {
        list.push_str(&format!("    ({name:?}, include_str!({:?})),\n", evolution.join(&name)));
    }
    list.push_str("];\n");
    std::fs::write(folders.out.join("evolution_schemas.rs"), list)
}

/// The schemas below `schemas/evolution` are many, and only their own feature reads them.
#[allow(dead_code)]
fn is_wanted(schema: &schema::Schema) -> bool {
    cfg!(feature = "evolution") || schema.folders().next() != Some("evolution")
}

fn folder(variable: &str) -> PathBuf {
    let value = env::var_os(variable).expect("cargo sets its variables for a build script");
    PathBuf::from(value)
}

/// Where the schemas are, and where what they become has to be.
#[allow(dead_code)]
struct Folders {
    schemas: PathBuf,
    out: PathBuf,
}

/// What the formats whose compiler is a program have in common.
#[cfg(any(feature = "capnp", feature = "flatbuffers"))]
impl Folders {
    /// What `compiler` makes of every schema of its kind, with the path of each below `schemas/`.
    fn outputs(&self, compiler: &compiler::Compiler) -> Result<Vec<(schema::Schema, Vec<u8>)>, String> {
        let lookup = compiler::Lookup::in_environment(&compiler.requirement);
        // PATH is not watched. A compiler that turns up there makes what is committed already, and
        // an editor and a terminal, whose PATHs differ, would rebuild each other's work for ever.
        println!("cargo::rerun-if-env-changed={}", compiler.requirement.variable);
        if let Some(program) = lookup.named().filter(|program| program.is_file()) {
            println!("cargo::rerun-if-changed={}", program.display());
        }
        let scratch = self.out.join("scratch");
        std::fs::create_dir_all(&scratch).map_err(|error| format!("{}: {error}", scratch.display()))?;
        let outputs = compiler.outputs(&self.schemas, &scratch, &lookup)?;
        if let Some(warning) = outputs.warning {
            println!("cargo::warning={warning}");
        }
        Ok(outputs.files)
    }
}
