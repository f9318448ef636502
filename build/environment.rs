//! Tells the crate what it was built of: the locked version of each package, the compiler, the target and the profile. A record carries
//! them, because a figure belongs to all of them.

use std::env;
use std::path::Path;
use std::process::Command;

/// Sets the variables that `version!` and `Environment` read.
pub fn tell(manifest: &Path) {
    let lock = manifest.join("Cargo.lock");
    // A published crate that another one builds has no lock file of its own: its versions are then told as not locked.
    if let Ok(text) = std::fs::read_to_string(&lock) {
        println!("cargo::rerun-if-changed={}", lock.display());
        for (name, version) in locked(&text) {
            println!("cargo::rustc-env=WIREWISE_LOCKED_{}={version}", name.to_uppercase().replace('-', "_"));
        }
    }
    println!("cargo::rustc-env=WIREWISE_RUSTC={}", compiler());
    println!("cargo::rustc-env=WIREWISE_TARGET={}", target());
    println!("cargo::rustc-env=WIREWISE_PROFILE=opt-level {}, debug {}", variable("OPT_LEVEL"), variable("DEBUG"));
}

/// The packages of a lock file. Its layout is cargo's own and simple: a `name` line, and the `version` line behind it.
fn locked(text: &str) -> Vec<(&str, &str)> {
    let mut packages = Vec::new();
    let mut name = None;
    for line in text.lines() {
        match line.split_once(" = ").map(|(key, value)| (key, value.trim_matches('"'))) {
            Some(("name", value)) => name = Some(value),
            Some(("version", value)) => packages.extend(name.take().map(|name| (name, value))),
            _ => {}
        }
    }
    packages
}

fn compiler() -> String {
    let output = Command::new(variable("RUSTC")).arg("--version").output();
    output.map_or_else(|_| "unknown".to_owned(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

fn target() -> String {
    let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default().replace('\u{1f}', " ");
    let target = variable("TARGET");
    if flags.is_empty() { format!("{target}, no flags") } else { format!("{target}, {flags}") }
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|_| "unknown".to_owned())
}
