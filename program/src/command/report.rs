//! `wirewise report`: records to docs/report.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;

use super::newest_records;
use wirewise::report::Report;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The folder of the records [default: with --check, the one that the report names; otherwise the newest of docs/records]
    #[arg(long)]
    records: Option<PathBuf>,
    /// The folder of the report
    #[arg(long, default_value = "docs/report")]
    out: PathBuf,
    /// Write nothing, and fail if the report is not what the records give
    #[arg(long)]
    check: bool,
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let records = match &arguments.records {
        Some(records) => records.clone(),
        None if arguments.check => Report::source_of(&arguments.out)?,
        None => newest_records()?,
    };
    let report = Report::from_folder(&records)?;
    if arguments.check {
        report.check(&arguments.out)?;
        println!("{} is what {} gives.", arguments.out.display(), records.display());
    } else {
        report.write(&arguments.out)?;
        println!(
            "The report: {}, and the same as {}.",
            arguments.out.join("index.html").display(),
            arguments.out.join("index.md").display()
        );
    }
    Ok(ExitCode::SUCCESS)
}
