//! The circumstances that a figure belongs to.

use std::collections::BTreeMap;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// The machine and the build that made a figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Environment {
    /// The day, UTC: `2026-11-30`.
    pub date: String,
    /// The processor's name.
    pub processor: String,
    /// How many of its threads this process may use.
    pub cores: usize,
    /// The machine's memory in bytes; 0 where the system does not tell.
    pub memory_bytes: u64,
    /// The operating system.
    pub system: String,
    /// The compiler.
    pub rustc: String,
    /// The target, and the flags that change what is compiled for it.
    pub target: String,
    /// The profile's settings.
    pub profile: String,
    /// The allocator of the timed runs.
    pub allocator: String,
    /// The revision of the sources; `+` behind it where files were changed.
    pub revision: String,
    /// The libraries that were measured, and their versions.
    pub libraries: BTreeMap<String, String>,
}

/// How the program was built that measures: what only it can tell of itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Build {
    /// See [`Environment::rustc`].
    pub rustc: &'static str,
    /// See [`Environment::target`].
    pub target: &'static str,
    /// See [`Environment::profile`].
    pub profile: &'static str,
    /// See [`Environment::allocator`].
    pub allocator: &'static str,
}

impl Default for Build {
    /// A build that tells nothing.
    fn default() -> Self {
        Self { rustc: "unknown", target: "unknown", profile: "unknown", allocator: "unknown" }
    }
}

impl Environment {
    /// Asks the system for all but what `build` tells.
    pub fn of_this_process(build: &Build) -> Self {
        Self {
            date: today(),
            processor: processor(),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory_bytes: memory_bytes(),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            rustc: build.rustc.to_owned(),
            target: build.target.to_owned(),
            profile: build.profile.to_owned(),
            allocator: build.allocator.to_owned(),
            revision: revision(),
            libraries: BTreeMap::new(),
        }
    }
}

/// The day, UTC, as records tell it.
pub fn today() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    date((seconds / 86_400) as i64)
}

/// Days since 1970 to a date, by the civil-calendar arithmetic of eras of 400 years that start in March.
fn date(days: i64) -> String {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

/// The value behind `key:` in one of the kernel's tables.
fn proc_value(file: &str, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.split(':').next().is_some_and(|name| name.trim() == key))?;
    Some(line.split_once(':')?.1.trim().to_owned())
}

fn processor() -> String {
    proc_value("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned())
}

fn memory_bytes() -> u64 {
    kibibytes(proc_value("/proc/meminfo", "MemTotal"))
}

/// The peak resident memory of this process in bytes; 0 where the system does not tell.
pub fn resident_peak_bytes() -> u64 {
    kibibytes(proc_value("/proc/self/status", "VmHWM"))
}

fn kibibytes(value: Option<String>) -> u64 {
    value.and_then(|value| value.strip_suffix(" kB")?.trim().parse::<u64>().ok()).unwrap_or(0) * 1024
}

fn revision() -> String {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    match git(&["rev-parse", "--short=12", "HEAD"]) {
        None => "unknown".to_owned(),
        // What a run itself writes does not change what was run.
        Some(revision) => match git(&["status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs"]) {
            Some(changes) if changes.is_empty() => revision,
            _ => format!("{revision}+"),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::date;

    #[test]
    fn days_are_dates() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (59, "1970-03-01"),
            (11_016, "2000-02-29"),
            (19_701, "2023-12-10"),
            (20_787, "2026-11-30"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(date(days), expected);
        }
    }
}
