//! `wirewise convert`: a payload of one format as a payload of another.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::Args;

use super::payloads::{self, Classes, Content, Reading, Wanted, compressed, encoded, of_name, output, say, source};
use wirewise::dataset::{Dataset, Organization};
use wirewise::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The payload to read; "-" is standard input
    from: PathBuf,
    /// The payload to write; "-" is standard output
    to: PathBuf,
    /// The format to read; without it, the bytes are recognised, or the file's name says it: organization.rkyv
    #[arg(long = "from", value_name = "FORMAT")]
    from_format: Option<String>,
    /// The format to write; without it, the file's name says it: organization.rkyv, organization.rkyv.zstd-3
    #[arg(long = "to", value_name = "FORMAT")]
    to_format: Option<String>,
    /// The codec of what is read; a zstd frame is recognised
    #[arg(long, value_name = "CODEC")]
    from_codec: Option<String>,
    /// The codec of what is written
    #[arg(long, value_name = "CODEC")]
    to_codec: Option<String>,
    /// Which dataset it is
    #[arg(long, default_value = Organization::NAME)]
    dataset: String,
    #[command(flatten)]
    classes: Classes,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let (named_format, named_codec) = of_name(registry, &arguments.to);
    let format = arguments.to_format.clone().or(named_format);
    let format = format.with_context(|| format!("{}: which format? Name it with --to, or by the file's name", arguments.to.display()))?;
    let codec = arguments.to_codec.clone().or(named_codec);
    let modelled = arguments.classes.modelled(registry, &arguments.reading, Some(&format), None)?;
    let target = source(registry, &format, &arguments.dataset)?;
    let (_, from_codec) = of_name(registry, &arguments.from);
    let from_codec = arguments.from_codec.clone().or(from_codec);
    let wanted = Wanted {
        format: arguments.from_format.as_deref(),
        codec: from_codec.as_deref(),
        dataset: &arguments.dataset,
        path: &arguments.from,
    };
    let found = payloads::read(registry, &arguments.reading, &wanted, modelled.is_some())?;
    let payload = match (&found.value, &modelled) {
        (Content::Value(value), None) => encoded(target, value)?,
        (Content::Graph(graph), Some((_, modelled))) => {
            let mut sink = Vec::new();
            modelled.write(graph, &mut sink)?;
            sink
        }
        _ => bail!("--model: it describes a graph, and {} is read as the {} alone", found.format, arguments.dataset),
    };
    let payload = compressed(registry, codec.as_deref(), payload)?;
    output(&arguments.to, |out| Ok(out.write_all(&payload)?))?;
    say(format_args!("{} to {format}: {} bytes written", found.format, payload.len()));
    Ok(ExitCode::SUCCESS)
}
