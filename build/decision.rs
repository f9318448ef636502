//! Whether a build runs a schema compiler, takes what is committed, or stops and says why.
//!
//! Nothing here reads a file or a variable, so that `tests/schemas.rs` can go through every
//! situation in a table.

use std::path::PathBuf;

/// What a build asks of a compiler.
#[derive(Debug)]
pub struct Requirement {
    /// The program: `flatc`.
    pub compiler: &'static str,
    /// The environment variable that names one: `FLATC`.
    pub variable: &'static str,
    /// The version that writes what is committed.
    pub version: &'static str,
    /// The versions that a build accepts, in words.
    pub accepted: &'static str,
    /// The same as a test.
    pub accepts: fn(&str) -> bool,
}

/// A compiler that was found, suitable or not.
#[derive(Debug)]
pub struct Program {
    pub path: PathBuf,
    /// Named by the variable, and so meant to be used; otherwise come upon on PATH.
    pub named: bool,
    /// What it says its version is, or why it says nothing.
    pub version: Result<String, String>,
}

/// Where a build takes a compiler's output from.
#[derive(Debug, PartialEq, Eq)]
pub enum Source {
    Compiler,
    Committed { warning: Option<String> },
}

/// Decides for all schemas of one compiler. `stale` names those whose committed output is missing,
/// or was made from another text or by another version than it should be.
pub fn decide(requirement: &Requirement, program: Option<&Program>, stale: &[&str]) -> Result<Source, String> {
    let Requirement { compiler, variable, accepted, accepts, .. } = requirement;
    let Some(Program { path, named, version }) = program else {
        let reason = format!("there is no {compiler} on PATH and {variable} is not set");
        return match stale {
            [] => Ok(Source::Committed { warning: None }),
            _ => Err(needs_compiler(requirement, stale, &reason)),
        };
    };
    let state = match version {
        Ok(version) if accepts(version) => return Ok(Source::Compiler),
        Ok(version) => format!("is version {version}"),
        Err(reason) => format!("cannot be used ({reason})"),
    };
    let path = path.display();
    if *named {
        return Err(format!(
            "{variable} names {path}, which {state}, but {compiler} {accepted} is needed: name that \
             or unset {variable} to build from what is committed in schemas/generated"
        ));
    }
    let reason = format!("{path} {state}, not {accepted}");
    match stale {
        [] => Ok(Source::Committed { warning: Some(format!("{reason}; building from what is committed in schemas/generated")) }),
        _ => Err(needs_compiler(requirement, stale, &reason)),
    }
}

fn needs_compiler(requirement: &Requirement, stale: &[&str], reason: &str) -> String {
    let Requirement { compiler, variable, accepted, .. } = requirement;
    let schemas: Vec<String> = stale.iter().map(|name| format!("schemas/{name}")).collect();
    format!(
        "{}: nothing in schemas/generated was made from what this says now, so {compiler} \
         {accepted} is needed, but {reason}. Name one by {variable}, or run `scripts/schemas \
         refresh`: it installs one under target/ and brings schemas/generated up to date",
        schemas.join(", ")
    )
}
