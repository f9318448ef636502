//! `wirewise encode`: JSON as a payload.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use super::payloads::{Reading, compressed, encoded, notation, output, say, source};
use wirewise::dataset::{Dataset, Organization};
use wirewise::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The JSON; "-" is standard input
    #[arg(default_value = "-")]
    file: PathBuf,
    /// The format to write
    #[arg(long)]
    format: String,
    /// The codec to compress it with
    #[arg(long)]
    codec: Option<String>,
    /// Which dataset the JSON is of
    #[arg(long, default_value = Organization::NAME)]
    dataset: String,
    /// Where the payload goes; "-" is standard output
    #[arg(long, default_value = "-")]
    out: PathBuf,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let notation = notation(registry, &arguments.dataset)?;
    let source = source(registry, &arguments.format, &arguments.dataset)?;
    let json = arguments.reading.input(&arguments.file)?;
    let value = notation.read(&json).with_context(|| format!("{}: the JSON of {}", arguments.file.display(), arguments.dataset))?;
    let payload = compressed(registry, arguments.codec.as_deref(), encoded(source, &value)?)?;
    output(&arguments.out, |out| Ok(out.write_all(&payload)?))?;
    say(format_args!("{}: {} bytes written", arguments.format, payload.len()));
    Ok(ExitCode::SUCCESS)
}
