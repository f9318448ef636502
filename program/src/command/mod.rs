//! The program's commands, one file each.

mod choose;
mod cmp;
mod convert;
mod decode;
mod encode;
#[cfg(feature = "evolution")]
mod evolve;
mod export;
mod list;
mod measure;
mod payloads;
mod report;
mod reproduce;
mod torture;
mod transfer;
mod units;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::{Parser, Subcommand};

use wirewise::measure::isolated;
use wirewise::registry::Registry;

/// Puts the same data through many wire formats and compressors, and tells which to choose.
#[derive(Debug, Parser)]
#[command(version, propagate_version = true)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show the formats, codecs, datasets and operations, and which format can do what
    List(list::Arguments),
    /// Show a payload as JSON
    Decode(decode::Arguments),
    /// Write JSON as a payload of any format
    Encode(encode::Arguments),
    /// Read a payload of one format and write it in another
    Convert(convert::Arguments),
    /// Measure sizes, times, allocations and peak memory, and write them as JSON lines
    Measure(measure::Arguments),
    /// Make the report from records, or check that it is what they give
    Report(report::Arguments),
    /// Rank formats, codecs and ways of reading for a link, a machine and a use, from records
    Choose(choose::Arguments),
    /// Run pipelines over real links, beside what the model of `choose` says of them
    Transfer(transfer::Arguments),
    /// Hold one run against another, and tell what differs by more than the noise
    Cmp(cmp::Arguments),
    /// Write a run's records as CSV, Markdown or Bencher's JSON
    Export(export::Arguments),
    /// Run every kind of schema change through every format, or show one cell of that matrix happening
    #[cfg(feature = "evolution")]
    Evolve(evolve::Arguments),
    /// Repeat the article's own run, and hold its published figures and claims against it
    Reproduce(reproduce::Arguments),
    /// Read damaged payloads by the million, and count what is refused, what is read as if nothing had happened, and what is wrong in silence
    Torture(torture::Arguments),
}

/// Does what the command line of this process asks for.
pub fn main(registry: &Registry) -> ExitCode {
    run(registry, std::env::args_os())
}

/// Does what these arguments ask for; the first is the program's name.
pub fn run(registry: &Registry, arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    isolated::serve(registry);
    crate::torture::isolated::serve(registry);
    #[cfg(feature = "evolution")]
    wirewise::evolution::isolated::serve();
    let command = Arguments::parse_from(arguments).command;
    if matches!(command, Command::List(_) | Command::Choose(_) | Command::Cmp(_) | Command::Export(_) | Command::Reproduce(_)) {
        end_with_the_reader();
    }
    let outcome = match command {
        Command::List(arguments) => list::run(registry, &arguments),
        Command::Decode(arguments) => decode::run(registry, &arguments),
        Command::Encode(arguments) => encode::run(registry, &arguments),
        Command::Convert(arguments) => convert::run(registry, &arguments),
        Command::Measure(arguments) => measure::run(registry, arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Choose(arguments) => choose::run(&arguments),
        Command::Transfer(arguments) => transfer::run(registry, &arguments),
        Command::Cmp(arguments) => cmp::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        #[cfg(feature = "evolution")]
        Command::Evolve(arguments) => evolve::run(&arguments),
        Command::Reproduce(arguments) => reproduce::run(registry, &arguments),
        Command::Torture(arguments) => torture::run(registry, &arguments),
    };
    match outcome {
        Ok(code) => code,
        Err(error) => {
            eprintln!("wirewise: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Has the process end when nobody reads its output any more, as with `| head`. Only for commands that print and are done: who talks to
/// sockets or other processes has to live on.
fn end_with_the_reader() {
    // SAFETY: this sets how a signal is handled to what the system does by itself, before any other thread is started.
    #[cfg(unix)]
    unsafe {
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
    }
}

/// The newest folder of docs/records: the folders are named by their date, so it is the last name.
fn newest_records() -> anyhow::Result<PathBuf> {
    let folder = Path::new("docs/records");
    let missing =
        || format!("no records in {}: run `cargo bench` or `wirewise measure` first, or name a folder with --records", folder.display());
    let entries = folder.read_dir().with_context(missing)?;
    let folders = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_dir());
    folders.max().with_context(missing)
}

/// Prints a table whose columns are as wide as their widest cell; `right` says which are aligned to the right.
fn print_table(head: &[&str], rows: &[Vec<String>], right: &[bool]) {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).chain([head[column].chars().count()]).max().unwrap_or(0);
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &mut dyn Iterator<Item = &str>| {
        let padded = cells.enumerate().map(|(column, cell)| {
            let width = widths[column];
            if right[column] { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        println!("{}", padded.collect::<Vec<_>>().join("  ").trim_end());
    };
    line(&mut head.iter().copied());
    for row in rows {
        line(&mut row.iter().map(String::as_str));
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_arguments_are_consistent() {
        super::Arguments::command().debug_assert();
    }
}
