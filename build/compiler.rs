//! The schema compilers that are not Rust crates: finding one, asking its version, running it, and
//! doing without it.
//!
//! Standard library only: the build script and `tests/schemas.rs` both include this file, the one
//! to build, the other to renew what is committed, so both get their bytes from the same lines.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::decision::{Program, Requirement, Source, decide};
use crate::schema::{GENERATED, Schema, same_text};

/// Runs a program, in `schemas/` so that no path of this machine gets into its output: the program,
/// the folder `schemas/`, the schema, and a folder for files in passing.
type Run = fn(&Path, &Path, &Schema, &Path) -> Result<Vec<u8>, String>;

/// A program that turns one schema into one file, which is what gets committed.
pub struct Compiler {
    pub requirement: Requirement,
    /// How its schemas' names end.
    pub extension: &'static str,
    /// How the names of the files end that it makes of them.
    pub ending: &'static str,
    run: Run,
}

/// Writes Rust for the crate `flatbuffers`, which fits the crate of its own version and no other.
pub const FLATC: Compiler = Compiler {
    requirement: Requirement {
        compiler: "flatc",
        variable: "FLATC",
        version: "25.12.19",
        accepted: "25.12.19",
        accepts: |version| version == "25.12.19",
    },
    extension: "fbs",
    ending: "_generated.rs",
    run: |program, schemas, schema, scratch| {
        let output = Command::new(program)
            .current_dir(schemas)
            .arg("--rust")
            // Evolution writes and reads whole values, for which flatc makes plain structs where it is asked to.
            .args(schema.folders().next().filter(|folder| *folder == "evolution").map(|_| "--gen-object-api"))
            .arg("-o")
            .args([scratch.as_os_str(), OsStr::new(schema.name())])
            .output();
        finish(program, schema, output)?;
        let stem = Path::new(schema.name()).file_stem().unwrap_or_default().to_string_lossy();
        let written = scratch.join(format!("{stem}_generated.rs"));
        fs::read(&written).map_err(|error| format!("flatc left no {}: {error}", written.display()))
    },
};

/// Writes a CodeGeneratorRequest, from which the crate `capnpc` makes Rust. Releases 1.3 and 1.4
/// were tried and lead to the same code, though by different bytes.
pub const CAPNP: Compiler = Compiler {
    requirement: Requirement {
        compiler: "capnp",
        variable: "CAPNP",
        version: "1.3.0",
        accepted: "1.3 or 1.4",
        accepts: |version| version.starts_with("1.3.") || version.starts_with("1.4."),
    },
    extension: "capnp",
    ending: ".capnp.request",
    run: |program, schemas, schema, _| {
        let output = Command::new(program)
            .current_dir(schemas)
            .env_remove("PWD") // capnp complains where it names another folder
            .args(["compile", "--no-standard-import", "--src-prefix=.", "-o-", schema.name()])
            .output();
        finish(program, schema, output)
    },
};

/// Where to look for a compiler.
pub struct Lookup {
    /// The value of the variable that names one; empty is unset.
    pub variable: Option<OsString>,
    /// The folders to search otherwise, as PATH lists them.
    pub path: Option<OsString>,
}

impl Lookup {
    pub fn in_environment(requirement: &Requirement) -> Lookup {
        Lookup { variable: std::env::var_os(requirement.variable), path: std::env::var_os("PATH") }
    }

    /// The program that the variable names.
    pub fn named(&self) -> Option<&Path> {
        self.variable.as_deref().filter(|value| !value.is_empty()).map(Path::new)
    }

    fn search(&self, name: &Path) -> Option<PathBuf> {
        let mut file = name.as_os_str().to_owned();
        if name.extension().is_none() {
            file.push(std::env::consts::EXE_SUFFIX);
        }
        let mut candidates = std::env::split_paths(self.path.as_deref()?).map(|folder| folder.join(&file));
        candidates.find(|candidate| candidate.is_file())
    }
}

/// What a compiler made of every schema of its kind, whenever that was.
pub struct Outputs {
    pub files: Vec<(Schema, Vec<u8>)>,
    pub warning: Option<String>,
}

impl Compiler {
    /// The schemas that are this compiler's.
    pub fn schemas(&self, schemas: &Path) -> Result<Vec<Schema>, String> {
        Schema::find_all(schemas, self.extension).map_err(|error| format!("{}: {error}", schemas.display()))
    }

    /// The output for every schema: from the program if there is a suitable one, or as committed.
    pub fn outputs(&self, schemas: &Path, scratch: &Path, lookup: &Lookup) -> Result<Outputs, String> {
        let all = self.schemas(schemas)?;
        let stale = all.iter().filter(|schema| !self.is_fresh(schemas, schema));
        let stale: Vec<&str> = stale.map(Schema::name).collect();
        let program = self.find(lookup);
        let source = decide(&self.requirement, program.as_ref(), &stale)?;
        let mut files = Vec::with_capacity(all.len());
        for schema in all {
            let output = match (&source, &program) {
                (Source::Compiler, Some(program)) => self.compile(program, schemas, &schema, scratch)?,
                _ => self.read_committed(schemas, &schema)?,
            };
            files.push((schema, output));
        }
        let warning = match source {
            Source::Compiler => None,
            Source::Committed { warning } => warning,
        };
        Ok(Outputs { files, warning })
    }

    /// What `program` makes of one schema.
    pub fn compile(&self, program: &Program, schemas: &Path, schema: &Schema, scratch: &Path) -> Result<Vec<u8>, String> {
        (self.run)(&program.path, schemas, schema, scratch)
    }

    /// The program that `lookup` leads to, whatever its version.
    pub fn find(&self, lookup: &Lookup) -> Option<Program> {
        let named = lookup.named();
        let path = match named {
            Some(path) if path.components().count() > 1 => path.to_path_buf(),
            Some(name) => lookup.search(name).unwrap_or_else(|| name.to_path_buf()),
            None => lookup.search(Path::new(self.requirement.compiler))?,
        };
        // Absolute, since it will not be run from here.
        let path = std::path::absolute(&path).unwrap_or(path);
        let named = named.is_some();
        let version = ask_version(&path);
        Some(Program { path, named, version })
    }

    /// The stamp that makes the committed output of `schema` count as fresh.
    pub fn stamp(&self, schemas: &Path, schema: &Schema) -> Result<String, String> {
        let Requirement { compiler, version, .. } = self.requirement;
        schema.stamp(schemas, compiler, version).map_err(|error| format!("{}: {error}", schema.name()))
    }

    /// The committed output's path, and its stamp's, below `schemas/`.
    pub fn committed(&self, schema: &Schema) -> [String; 2] {
        let output = format!("{GENERATED}/{}", schema.output(self.ending));
        let stamp = format!("{output}.stamp");
        [output, stamp]
    }

    fn is_fresh(&self, schemas: &Path, schema: &Schema) -> bool {
        let [output, stamp] = self.committed(schema).map(|path| schemas.join(path));
        match (self.stamp(schemas, schema), fs::read(stamp)) {
            (Ok(wanted), Ok(found)) => same_text(wanted.as_bytes(), &found) && output.is_file(),
            _ => false,
        }
    }

    fn read_committed(&self, schemas: &Path, schema: &Schema) -> Result<Vec<u8>, String> {
        let [output, _] = self.committed(schema);
        fs::read(schemas.join(&output)).map_err(|error| format!("schemas/{output}: {error}"))
    }
}

/// Both programs print their name first and their version last.
fn ask_version(program: &Path) -> Result<String, String> {
    let output = Command::new(program).arg("--version").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    match text.split_whitespace().next_back() {
        Some(version) if output.status.success() => Ok(version.to_owned()),
        _ => Err(format!("--version ended with {} and printed {:?}", output.status, text.trim())),
    }
}

/// What a compiler printed, or what it found wrong with the schema.
fn finish(program: &Path, schema: &Schema, output: std::io::Result<std::process::Output>) -> Result<Vec<u8>, String> {
    let output = output.map_err(|error| format!("{}: {error}", program.display()))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    // flatc writes its complaints to standard output, capnp to standard error.
    let said = [output.stdout, output.stderr].concat();
    Err(format!("{} on schemas/{}: {}", program.display(), schema.name(), String::from_utf8_lossy(&said).trim()))
}
