//! Cap'n Proto: `organization.capnp` becomes `organization_capnp.rs`, by way of the compiler's
//! CodeGeneratorRequest.

use capnpc::codegen::CodeGenerationCommand;

use crate::Folders;
use crate::compiler::CAPNP;
use crate::schema::Schema;

pub fn compile(folders: &Folders) -> Result<(), String> {
    for (schema, request) in requests(folders)? {
        if !crate::is_wanted(&schema) {
            continue;
        }
        // The request names the schema by its path below schemas/, so that the code lands in the
        // same folder below OUT_DIR.
        CodeGenerationCommand::new()
            .output_directory(&folders.out)
            .default_parent_module(parent_module(&schema))
            .run(&request[..])
            .map_err(|error| format!("schemas/{}: {error}", schema.name()))?;
    }
    Ok(())
}

/// Where in the crate the code has to be included, since it names its own types by their full
/// paths: `crate::format::capnp::organization_capnp`, and for a schema in folders those folders,
/// as in `crate::evolution::append_optional_field::old_capnp`.
fn parent_module(schema: &Schema) -> Vec<String> {
    let folders: Vec<String> = schema.folders().map(|folder| folder.replace('-', "_")).collect();
    if folders.is_empty() { ["format", "capnp"].map(String::from).to_vec() } else { folders }
}

#[cfg(not(feature = "capnp-embedded"))]
fn requests(folders: &Folders) -> Result<Vec<(Schema, Vec<u8>)>, String> {
    folders.outputs(&CAPNP)
}

#[cfg(feature = "capnp-embedded")]
use embedded::requests;

/// The compiler that is a crate: WebAssembly, interpreted in this process.
#[cfg(feature = "capnp-embedded")]
mod embedded {
    use std::fs;
    use std::io;

    use super::{CAPNP, Folders, Schema};
    use crate::compiler::Lookup;

    /// Only a program that is named outright goes before the crate.
    pub fn requests(folders: &Folders) -> Result<Vec<(Schema, Vec<u8>)>, String> {
        println!("cargo::rerun-if-env-changed={}", CAPNP.requirement.variable);
        if Lookup::in_environment(&CAPNP.requirement).named().is_some() {
            return folders.outputs(&CAPNP);
        }
        let mut requests = Vec::new();
        for schema in CAPNP.schemas(&folders.schemas)? {
            let request = request(folders, &schema).map_err(|error| format!("schemas/{}: {error}", schema.name()))?;
            requests.push((schema, request));
        }
        Ok(requests)
    }

    /// Loading the compiler takes a good part of a second for every schema, so a request is kept
    /// for the next build and made again only when its schema changes.
    fn request(folders: &Folders, schema: &Schema) -> io::Result<Vec<u8>> {
        let kept = folders.out.join("embedded").join(schema.output(".request"));
        let stamp = kept.with_extension("stamp");
        let wanted = schema.stamp(&folders.schemas, "capnpc-embedded", "0.2.0")?;
        if fs::read_to_string(&stamp).is_ok_and(|found| found == wanted) {
            return fs::read(kept);
        }
        let request = capnpc_embedded::CompileCommand::new()
            .no_standard_import()
            .src_prefix(&folders.schemas)
            .file(folders.schemas.join(schema.name()))
            .compile()
            .map_err(|error| {
                // It writes what is wrong with a schema to standard error, which cargo keeps back.
                io::Error::other(format!("{error}; `cargo build -vv` shows what it wrote"))
            })?;
        fs::create_dir_all(kept.parent().unwrap_or(&folders.out))?;
        fs::write(&kept, &request)?;
        fs::write(&stamp, wanted)?;
        Ok(request)
    }
}
