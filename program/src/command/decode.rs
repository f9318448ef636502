//! `wirewise decode`: a payload as JSON.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::payloads::{self, Classes, Content, Reading, Wanted, notation, output};
use wirewise::dataset::{Dataset, Organization};
use wirewise::graph::{View, write_json};
use wirewise::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The payload; "-" is standard input
    file: PathBuf,
    /// Its format; without it, the bytes are recognised as far as they can be, and guesses are called so
    #[arg(long)]
    format: Option<String>,
    /// The codec it is compressed with; a zstd frame is recognised
    #[arg(long)]
    codec: Option<String>,
    /// Which dataset it holds; a format that has graphs of objects shows the graph unless this is given [default: organization]
    #[arg(long)]
    dataset: Option<String>,
    /// Of a graph, show values alone, without ids and types
    #[arg(long)]
    plain: bool,
    #[command(flatten)]
    classes: Classes,
    /// What the payload's root is, with --model: a class, or list:CLASS for a list of its objects [default: the model's first class]
    #[arg(long, requires = "model", value_name = "CLASS")]
    root: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let dataset = arguments.dataset.as_deref().unwrap_or(Organization::NAME);
    let notation = notation(registry, dataset)?;
    let wanted = Wanted { format: arguments.format.as_deref(), codec: arguments.codec.as_deref(), dataset, path: &arguments.file };
    let modelled = arguments.classes.modelled(registry, &arguments.reading, wanted.format, arguments.root.as_deref())?;
    let value = match &modelled {
        Some((name, modelled)) => {
            // What is named is not guessed at, neither here nor by the codec's recognition.
            let wanted = Wanted { format: Some(name), ..wanted };
            Content::Graph(Box::new(payloads::read_modelled(registry, &arguments.reading, &wanted, (name, &**modelled))?))
        }
        None => payloads::read(registry, &arguments.reading, &wanted, arguments.dataset.is_none())?.value,
    };
    output("-".as_ref(), |out| {
        match &value {
            Content::Value(value) => notation.write(&**value, &mut *out)?,
            Content::Graph(graph) => write_json(graph, if arguments.plain { View::Plain } else { View::Typed }, &mut *out)?,
        }
        Ok(out.write_all(b"\n")?)
    })?;
    Ok(ExitCode::SUCCESS)
}
