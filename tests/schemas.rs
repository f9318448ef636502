//! What is committed in `schemas/generated` is what the compilers write, and the build script knows
//! what to do where there are none.
//!
//! `WIREWISE_SCHEMAS=refresh` has the committed files written instead of compared, for
//! `scripts/schemas refresh`. `WIREWISE_REQUIRE_COMPILERS=1` makes a missing compiler a failure
//! instead of a reason to skip, for CI.

#[allow(dead_code)]
#[path = "../build/compiler.rs"]
mod compiler;
#[path = "../build/decision.rs"]
mod decision;
#[allow(dead_code)]
#[path = "../build/schema.rs"]
mod schema;

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use compiler::{CAPNP, Compiler, FLATC, Lookup};
use decision::{Program, Source, decide};
use schema::{GENERATED, file_names, fingerprint};

const COMPILERS: [&Compiler; 2] = [&FLATC, &CAPNP];

/// Held by a test while it starts programs: a script that one test is still writing must not be
/// open in a process that another one starts, or the system refuses to run it.
static PROGRAMS: Mutex<()> = Mutex::new(());

#[test]
fn committed_files_are_what_the_compilers_write() {
    let _programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    for compiler in COMPILERS {
        match find_exact(compiler) {
            Ok(program) => {
                let wanted = compile_all(compiler, &program);
                if is_set("WIREWISE_SCHEMAS", "refresh") {
                    write_committed(compiler, &wanted);
                }
                compare(compiler, &wanted);
            }
            Err(reason) if is_set("WIREWISE_REQUIRE_COMPILERS", "1") => {
                panic!("{reason}; `scripts/schemas install` gets it")
            }
            Err(reason) => {
                let note = format!(
                    "SKIPPED: whether schemas/generated/**{} is up to date, because {reason}; \
                     `scripts/schemas check` finds out\n",
                    compiler.ending
                );
                // Not by eprintln!, which a test that passes keeps to itself.
                io::stderr().write_all(note.as_bytes()).expect("standard error takes a line");
            }
        }
    }
}

/// What can be told without a compiler.
#[test]
fn every_schema_has_its_output_and_a_fresh_stamp() {
    for compiler in COMPILERS {
        let mut names = Vec::new();
        for schema in compiler.schemas(&schemas()).expect("the schemas are listed") {
            let [output, stamp] = compiler.committed(&schema);
            let found = fs::read_to_string(schemas().join(&stamp)).unwrap_or_default();
            let wanted = compiler.stamp(&schemas(), &schema).expect("the schema is read");
            assert_eq!(found.replace('\r', ""), wanted, "schemas/{} was edited: run `scripts/schemas refresh`", schema.name());
            names.extend([output, stamp]);
        }
        assert!(!names.is_empty(), "no .{} below schemas/", compiler.extension);
        assert_eq!(committed_names(compiler), names, "left: what there is; right: what there should be");
    }
}

#[test]
fn the_build_decides_by_what_it_finds() {
    const RIGHT: Result<&str, &str> = Ok("25.12.19");
    const WRONG: Result<&str, &str> = Ok("2.0.8");
    const BROKEN: Result<&str, &str> = Err("no such file");
    const ON_PATH: bool = false;
    const NAMED: bool = true;
    const FRESH: &[&str] = &[];
    const EDITED: &[&str] = &["organization.fbs", "evolution/append/new.fbs"];

    /// What comes of it, and what its message has to say.
    enum Then {
        Compile,
        Committed,
        Warn(&'static [&'static str]),
        Fail(&'static [&'static str]),
    }
    use Then::{Committed, Compile, Fail, Warn};

    const BOTH_SCHEMAS_AND_THE_WAY_OUT: &[&str] =
        &["schemas/organization.fbs", "schemas/evolution/append/new.fbs", "flatc 25.12.19 is needed", "FLATC", "`scripts/schemas refresh`"];

    let table = [
        ("no flatc, fresh", None, FRESH, Committed),
        ("no flatc, edited", None, EDITED, Fail(BOTH_SCHEMAS_AND_THE_WAY_OUT)),
        ("right on PATH, fresh", Some((ON_PATH, RIGHT)), FRESH, Compile),
        ("right on PATH, edited", Some((ON_PATH, RIGHT)), EDITED, Compile),
        ("right and named, fresh", Some((NAMED, RIGHT)), FRESH, Compile),
        ("right and named, edited", Some((NAMED, RIGHT)), EDITED, Compile),
        (
            "wrong on PATH, fresh",
            Some((ON_PATH, WRONG)),
            FRESH,
            Warn(&["/tools/flatc is version 2.0.8, not 25.12.19", "schemas/generated"]),
        ),
        ("wrong on PATH, edited", Some((ON_PATH, WRONG)), EDITED, Fail(BOTH_SCHEMAS_AND_THE_WAY_OUT)),
        ("wrong on PATH, edited: both versions", Some((ON_PATH, WRONG)), EDITED, Fail(&["2.0.8"])),
        (
            "wrong and named, fresh",
            Some((NAMED, WRONG)),
            FRESH,
            Fail(&["FLATC names /tools/flatc", "version 2.0.8", "flatc 25.12.19 is needed"]),
        ),
        (
            "wrong and named, edited",
            Some((NAMED, WRONG)),
            EDITED,
            Fail(&["FLATC names /tools/flatc", "version 2.0.8", "flatc 25.12.19 is needed"]),
        ),
        ("broken on PATH, fresh", Some((ON_PATH, BROKEN)), FRESH, Warn(&["/tools/flatc cannot be used (no such file)"])),
        (
            "broken and named, fresh",
            Some((NAMED, BROKEN)),
            FRESH,
            Fail(&["FLATC names /tools/flatc", "cannot be used (no such file)", "25.12.19"]),
        ),
    ];

    for (situation, found, stale, then) in table {
        let program = found.map(|(named, version)| Program {
            path: PathBuf::from("/tools/flatc"),
            named,
            version: version.map(String::from).map_err(String::from),
        });
        let decision = decide(&FLATC.requirement, program.as_ref(), stale);
        let (message, parts) = match (&decision, then) {
            (Ok(Source::Compiler), Compile) => continue,
            (Ok(Source::Committed { warning: None }), Committed) => continue,
            (Ok(Source::Committed { warning: Some(message) }), Warn(parts)) => (message, parts),
            (Err(message), Fail(parts)) => (message, parts),
            _ => panic!("{situation}: {decision:?}"),
        };
        for part in parts {
            assert!(message.contains(part), "{situation}: no {part:?} in {message:?}");
        }
    }
}

#[test]
fn a_build_accepts_the_versions_that_were_tried() {
    let table = [
        (&FLATC, "25.12.19", true),
        (&FLATC, "25.12.190", false),
        (&FLATC, "2.0.8", false),
        (&CAPNP, "1.3.0", true),
        (&CAPNP, "1.4.0", true),
        (&CAPNP, "1.1.0", false),
        (&CAPNP, "1.30.0", false),
        (&CAPNP, "2.0-dev", false),
    ];
    for (compiler, version, accepted) in table {
        let requirement = &compiler.requirement;
        assert_eq!((requirement.accepts)(version), accepted, "{} {version}", requirement.compiler);
        assert!((requirement.accepts)(requirement.version), "{} refreshes", requirement.compiler);
    }
}

/// The same decisions with files, variables and a program that is run, as in a build.
#[cfg(unix)]
#[test]
fn a_build_takes_what_the_decision_says() {
    use std::os::unix::fs::PermissionsExt;

    const COMMITTED: Result<&str, &str> = Ok("committed\n");
    const COMPILED: Result<&str, &str> = Ok("compiled organization.fbs\n");

    let table = [
        // Edited after it was committed; flatc on PATH; flatc named by FLATC; what comes of it.
        (false, None, None, COMMITTED),
        (true, None, None, Err("there is no flatc on PATH")),
        (false, Some("25.12.19"), None, COMPILED),
        (true, Some("25.12.19"), None, COMPILED),
        (false, Some("2.0.8"), None, COMMITTED),
        (true, Some("2.0.8"), None, Err("is version 2.0.8")),
        (true, Some("2.0.8"), Some("25.12.19"), COMPILED),
        (false, Some("25.12.19"), Some("2.0.8"), Err("is version 2.0.8, but flatc 25.12.19")),
        (false, None, Some("(nothing)"), Err("cannot be used")),
    ];

    let _programs = PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner);
    for situation @ (edited, on_path, named, then) in table {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let place = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            fs::write(&path, text).expect("a file");
            path
        };
        let fake = |place_name: &str, version: &str| {
            let script = format!(
                "#!/bin/sh\n\
                 if [ \"$1\" = --version ]; then echo flatc version {version}; exit; fi\n\
                 echo compiled \"$4\" > \"$3/organization_generated.rs\"\n"
            );
            let path = place(place_name, &script);
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("may be run");
            path
        };

        let schemas = folder.path().join("schemas");
        place("schemas/organization.fbs", "table Organization {}\n");
        let [schema] = &FLATC.schemas(&schemas).expect("listed")[..] else { panic!("one schema") };
        let [output, stamp] = FLATC.committed(schema).map(|name| format!("schemas/{name}"));
        place(&output, "committed\n");
        place(&stamp, &FLATC.stamp(&schemas, schema).expect("read").replace('\n', "\r\n"));
        // Other line endings are no edit.
        place("schemas/organization.fbs", "table Organization {}\r\n");
        if edited {
            place("schemas/organization.fbs", "table Organization { id: int; }\n");
        }
        let on_path = on_path.map(|version| fake("path/flatc", version));
        let named = named.map(|version| match version {
            "(nothing)" => folder.path().join("nothing"),
            version => fake("named/flatc", version),
        });
        let lookup = Lookup {
            variable: Some(named.unwrap_or_default().into()),
            path: on_path.and_then(|program| Some(program.parent()?.as_os_str().to_owned())),
        };

        match (FLATC.outputs(&schemas, folder.path(), &lookup), then) {
            (Ok(outputs), Ok(text)) => {
                let [(_, output)] = &outputs.files[..] else { panic!("{situation:?}: one output") };
                assert_eq!(String::from_utf8_lossy(output), text, "{situation:?}");
                let warns = lookup.path.is_some() && then == COMMITTED;
                assert_eq!(outputs.warning.is_some(), warns, "{situation:?}");
            }
            (Err(message), Err(part)) => {
                assert!(message.contains(part), "{situation:?}: {message}");
            }
            (Ok(_), Err(_)) => panic!("{situation:?}: built"),
            (Err(message), Ok(_)) => panic!("{situation:?}: {message}"),
        }
    }
}

/// flatc's code fits the crate of its own version only.
#[test]
fn flatc_is_of_the_version_of_the_crate() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest is read");
    let pin = format!("flatbuffers = {{ version = \"={}\"", FLATC.requirement.version);
    assert!(manifest.contains(&pin), "no {pin} in Cargo.toml");
}

#[test]
fn a_fingerprint_is_fnv_1a_of_the_text_without_carriage_returns() {
    // The first three are published test vectors of the function.
    let table: [(&[u8], u64); 4] = [
        (b"", 0xcbf2_9ce4_8422_2325),
        (b"a", 0xaf63_dc4c_8601_ec8c),
        (b"foobar", 0x8594_4171_f739_67e8),
        (b"foo\rbar\r", 0x8594_4171_f739_67e8),
    ];
    for (text, wanted) in table {
        assert_eq!(fingerprint(text), wanted, "{text:?}");
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn schemas() -> PathBuf {
    root().join("schemas")
}

fn is_set(variable: &str, wanted: &str) -> bool {
    env::var_os(variable).is_some_and(|value| value == wanted)
}

/// The compiler of exactly the version that writes what is committed: the one that its variable
/// names, the one that `scripts/schemas install` got, or one on PATH.
fn find_exact(compiler: &Compiler) -> Result<Program, String> {
    let requirement = &compiler.requirement;
    let mut lookup = Lookup::in_environment(requirement);
    let mut folders = vec![root().join("target/schema-compilers/bin")];
    folders.extend(lookup.path.iter().flat_map(env::split_paths));
    lookup.path = Some(env::join_paths(folders).expect("PATH is put together as it was taken apart"));
    let wanted = format!("{} {}", requirement.compiler, requirement.version);
    match compiler.find(&lookup) {
        None => Err(format!("there is no {wanted}")),
        Some(program) if program.version.as_deref() == Ok(requirement.version) => Ok(program),
        Some(program) => {
            let path = program.path.display();
            Err(format!("there is no {wanted}, only {path} with {:?}", program.version))
        }
    }
}

/// Every file that should be committed, by its path below `schemas/`.
fn compile_all(compiler: &Compiler, program: &Program) -> BTreeMap<String, Vec<u8>> {
    let scratch = tempfile::tempdir().expect("a temporary folder");
    let mut files = BTreeMap::new();
    for schema in compiler.schemas(&schemas()).expect("the schemas are listed") {
        let made = compiler.compile(program, &schemas(), &schema, scratch.path());
        let stamped = compiler.stamp(&schemas(), &schema);
        let [output, stamp] = compiler.committed(&schema);
        files.insert(output, made.unwrap_or_else(|error| panic!("{error}")));
        files.insert(stamp, stamped.unwrap_or_else(|error| panic!("{error}")).into_bytes());
    }
    files
}

/// The committed files that are this compiler's, by their paths below `schemas/`.
fn committed_names(compiler: &Compiler) -> Vec<String> {
    let names = file_names(&schemas().join(GENERATED)).unwrap_or_default();
    let is_ours = |name: &String| name.trim_end_matches(".stamp").ends_with(compiler.ending);
    names.into_iter().filter(is_ours).map(|name| format!("{GENERATED}/{name}")).collect()
}

fn write_committed(compiler: &Compiler, wanted: &BTreeMap<String, Vec<u8>>) {
    for name in committed_names(compiler).iter().filter(|name| !wanted.contains_key(*name)) {
        let path = schemas().join(name);
        fs::remove_file(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
        // And its folders, up to the first in which something is left.
        let _ = path.ancestors().skip(1).try_for_each(fs::remove_dir);
    }
    for (name, bytes) in wanted {
        let path = schemas().join(name);
        // Left alone where it is right, so that the next build has nothing to do.
        if fs::read(&path).ok().as_ref() != Some(bytes) {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::create_dir_all(folder).and_then(|()| fs::write(&path, bytes)).unwrap_or_else(|error| panic!("{name}: {error}"));
        }
    }
}

fn compare(compiler: &Compiler, wanted: &BTreeMap<String, Vec<u8>>) {
    let mut different: Vec<String> = Vec::new();
    for (name, bytes) in wanted {
        match fs::read(schemas().join(name)) {
            Ok(found) if found == *bytes => {}
            Ok(_) => different.push(format!("schemas/{name} differs")),
            Err(error) => different.push(format!("schemas/{name}: {error}")),
        }
    }
    for name in committed_names(compiler).iter().filter(|name| !wanted.contains_key(*name)) {
        different.push(format!("schemas/{name} belongs to no schema"));
    }
    assert!(different.is_empty(), "{}: run `scripts/schemas refresh`", different.join(", "));
}
