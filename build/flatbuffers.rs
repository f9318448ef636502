//! FlatBuffers: `organization.fbs` becomes `organization_generated.rs`, flatc's output as it is.

use std::fs;

use crate::Folders;
use crate::compiler::FLATC;

pub fn compile(folders: &Folders) -> Result<(), String> {
    for (schema, code) in folders.outputs(&FLATC)?.into_iter().filter(|(schema, _)| crate::is_wanted(schema)) {
        let path = folders.out.join(schema.output(FLATC.ending));
        fs::create_dir_all(path.parent().unwrap_or(&folders.out))
            .and_then(|()| fs::write(&path, code))
            .map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}
