//! The schemas under `schemas/`, and the stamp that ties each to what was made from it.
//!
//! A schema is known by its path below `schemas/`, and what is made from it lies under the same
//! folders elsewhere: below `schemas/generated/` where it is committed, below `OUT_DIR` in a build.
//! So a new schema is a new file and nothing else. It has to stand alone: a stamp covers the text
//! of one file, and something that it imported could change unseen.
//!
//! Standard library only: the build script and `tests/schemas.rs` both include this file.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Where, below `schemas/`, the committed output of the compilers lies.
pub const GENERATED: &str = "generated";

/// A schema: `organization.fbs`, or `evolution/append/old.fbs`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    name: String,
}

impl Schema {
    /// Every schema below `schemas` with this extension, in the order of their names.
    pub fn find_all(schemas: &Path, extension: &str) -> io::Result<Vec<Schema>> {
        let generated = format!("{GENERATED}/");
        let is_wanted =
            |name: &String| !name.starts_with(&generated) && Path::new(name).extension().is_some_and(|found| found == extension);
        let names = file_names(schemas)?.into_iter().filter(is_wanted);
        Ok(names.map(|name| Schema { name }).collect())
    }

    /// The path below `schemas/`, with forward slashes on every system.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The folders in the name, outermost first.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let folders = self.name.rsplit_once('/').map(|(folders, _)| folders.split('/'));
        folders.into_iter().flatten()
    }

    /// The name with another ending: `evolution/append/old` and `_generated.rs`.
    pub fn output(&self, ending: &str) -> String {
        let stem = self.name.rsplit_once('.').map_or(self.name.as_str(), |(stem, _)| stem);
        format!("{stem}{ending}")
    }

    /// What the stamp beside an output has to say, to the letter, for that output to be fresh.
    pub fn stamp(&self, schemas: &Path, compiler: &str, version: &str) -> io::Result<String> {
        let text = fs::read(schemas.join(&self.name))?;
        let fingerprint = fingerprint(&text);
        Ok(format!("{}\nfnv1a-64 {fingerprint:016x}\n{compiler} {version}\n", self.name))
    }
}

/// The names of all files below `folder`, as [`Schema::name`] has them, sorted.
pub fn file_names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    let mut folders: Vec<(PathBuf, String)> = vec![(folder.to_path_buf(), String::new())];
    while let Some((path, prefix)) = folders.pop() {
        for entry in fs::read_dir(path)? {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                folders.push((entry.path(), format!("{name}/")));
            } else {
                names.push(name);
            }
        }
    }
    names.sort();
    Ok(names)
}

/// Whether two texts are the same but for line endings, which a checkout may change.
pub fn same_text(one: &[u8], other: &[u8]) -> bool {
    letters(one).eq(letters(other))
}

/// FNV-1a in 64 bits. It has to notice an edit, not to withstand an attack, and has to be the same
/// on every machine and toolchain, as the standard library's hasher is not. Ten lines of our own
/// spare every build a hash crate and what that depends on.
pub fn fingerprint(text: &[u8]) -> u64 {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    letters(text).fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME))
}

/// A text's bytes without the carriage returns.
fn letters(text: &[u8]) -> impl Iterator<Item = u8> {
    text.iter().copied().filter(|byte| *byte != b'\r')
}
