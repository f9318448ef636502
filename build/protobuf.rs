//! Protocol Buffers: `organization.proto` becomes `wirewise.organization.rs`, by crates alone. The
//! file is named after the package, and lies in the folder that the schema has.

use std::fs;

use crate::Folders;
use crate::schema::Schema;

pub fn compile(folders: &Folders) -> Result<(), String> {
    let schemas = Schema::find_all(&folders.schemas, "proto").map_err(|error| format!("schemas: {error}"))?;
    for schema in schemas.into_iter().filter(crate::is_wanted) {
        compile_one(folders, &schema).map_err(|error| format!("schemas/{}: {error}", schema.name()))?;
    }
    Ok(())
}

fn compile_one(folders: &Folders, schema: &Schema) -> Result<(), Box<dyn std::error::Error>> {
    let descriptors = protox::compile([schema.name()], [&folders.schemas])?;
    let out = schema.folders().fold(folders.out.clone(), |out, folder| out.join(folder));
    fs::create_dir_all(&out)?;
    // Of a map in order there is one payload, of prost's own hash maps as many as there are orders.
    prost_build::Config::new().out_dir(out).btree_map(["."]).compile_fds(descriptors)?;
    Ok(())
}
