//! `wirewise list`: the table of capabilities, from the registry.

use std::process::ExitCode;

use clap::Args;

use super::print_table;
use wirewise::measure::session::{codec_row, format_row};
use wirewise::operation::Operation;
use wirewise::record::Record;
use wirewise::registry::Registry;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Print the formats and codecs as JSON lines
    #[arg(long)]
    json: bool,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    if arguments.json {
        let formats = registry.formats().iter().map(|info| Record::Format(format_row(registry, info)));
        for record in formats.chain(registry.codecs().map(|info| Record::Codec(codec_row(info)))) {
            println!("{}", record.to_json()?);
        }
        return Ok(ExitCode::SUCCESS);
    }

    println!("FORMATS\n");
    let formats: Vec<_> = registry.formats().iter().map(|info| format_row(registry, info)).collect();
    let rows: Vec<Vec<String>> = formats
        .iter()
        .map(|row| {
            let library = format!("{} {}", row.library, row.version);
            vec![row.name.clone(), row.wire_format.clone(), library, row.validation.clone().unwrap_or_default(), row.note.clone()]
        })
        .collect();
    print_table(&["name", "wire format", "library", "access validates", "note"], &rows, &[false; 5]);

    println!("\nOPERATIONS, and which format has them\n");
    let mut head = vec!["operation"];
    head.extend(formats.iter().map(|row| row.name.as_str()));
    let used =
        Operation::ALL.iter().filter(|operation| formats.iter().any(|row| row.operations.iter().any(|name| name == operation.name())));
    let rows: Vec<Vec<String>> = used
        .map(|operation| {
            let has = formats.iter().map(|row| if row.operations.iter().any(|name| name == operation.name()) { "yes" } else { "–" });
            [operation.name()].into_iter().chain(has).map(str::to_owned).collect()
        })
        .collect();
    print_table(&head, &rows, &vec![false; head.len()]);
    println!();
    let rows: Vec<Vec<String>> =
        Operation::ALL.iter().map(|operation| vec![operation.to_string(), operation.covers().to_owned()]).collect();
    print_table(&["operation", "what the timer covers"], &rows, &[false; 2]);

    println!("\nCODECS, each for every format\n");
    let rows: Vec<Vec<String>> = registry
        .codecs()
        .map(|info| vec![info.name.clone(), info.wire_format.clone(), format!("{} {}", info.library, info.version)])
        .collect();
    print_table(&["name", "wire format", "library"], &rows, &[false; 3]);

    println!("\nDATASETS\n");
    let rows: Vec<Vec<String>> = registry
        .datasets()
        .iter()
        .map(|dataset| vec![dataset.name.to_owned(), dataset.variants.join(", "), dataset.seed.to_string(), dataset.description.to_owned()])
        .collect();
    print_table(&["name", "variants", "seed", "description"], &rows, &[false; 4]);
    Ok(ExitCode::SUCCESS)
}
