//! What a figure belongs to: the dataset, the machine, the build, the run, and how to do it again.

use std::collections::BTreeSet;

use super::super::document::{Block, Section, Text};
use super::super::model::{failure, time};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, failures, join, noise_sentence, plural};
use crate::record::{Environment, RunRecords};

/// What was measured, on what, when; and how far to trust it.
pub(super) fn lead(page: &Page) -> Vec<Block> {
    let mut text = Text::from("Measured: ");
    for (index, (largest, others)) in page.leading().into_iter().enumerate() {
        let mut counts = vec![number::count(largest.spec.members as u64)];
        counts.extend(others.iter().map(|group| number::count(group.spec.members as u64)));
        counts.dedup();
        let spec = largest.spec;
        text = text.plain(if index == 0 { "the dataset " } else { "; the dataset " }).code(largest.dataset).plain(format!(
            " ({}, seed {}) with {} members",
            spec.variant,
            spec.seed,
            join(&counts, "and")
        ));
        let codecs: BTreeSet<&str> = others.iter().chain([&largest]).flat_map(|group| group.codecs()).collect();
        text = text.plain(format!(", through {} and {}", plural(largest.formats.len(), "format"), plural(codecs.len(), "codec")));
    }
    let Some(first) = page.groups.first() else { return vec![Block::prose("The records hold no figures.")] };
    let environment = &first.run.run.environment;
    text = text
        .plain(format!(". Machine: {}. Date: {}. Revision: ", machine(environment), environment.date))
        .code(&environment.revision)
        .plain(".");
    let mut blocks = vec![Block::Prose(text), Block::prose(noise_sentence(first))];
    blocks.extend(failures::lead(page));
    blocks
}

fn machine(environment: &Environment) -> String {
    let memory = match environment.memory_bytes {
        0 => "memory unknown".to_owned(),
        bytes => format!("{} of memory", number::bytes(bytes as f64)),
    };
    format!("{}, {}, {memory}, {}", environment.processor, plural(environment.cores, "core"), environment.system)
}

/// How the page is to be read.
pub(super) fn reading() -> Section {
    let points = [
        "One table is one run: figures of different runs are never mixed in a table of times. Where several runs measured the same \
         size, the one with the most cells is shown; on equal terms the later one. The environment table lists them all."
            .into(),
        "12.3 (12.1–12.6) is a median and the 95\u{a0}% interval of the median, from the samples' order; no sample is left out.".into(),
        "Floors are what handling everything once costs at the least: memcpy copies a payload's bytes and scan reads them, each once; \
         as rows they stand with the smallest payload, as columns with each format's own. Clone makes the native value anew. Only what \
         leaves bytes alone, such as an update or the reading of one field, can be below them."
            .into(),
        "Throughput counts members, the same for every format, never a format's own bytes. Only the table of codecs counts bytes: those of \
         the payload before compression."
            .into(),
        "first: the least of the main column, by more than the noise and with intervals apart. tie: not to be told from the least.".into(),
        Text::from("What each figure covers: ")
            .link("methodology", "../METHODOLOGY.md")
            .plain("; what the words mean: ")
            .link("glossary", "../GLOSSARY.md")
            .plain("; whose interests are at play: ")
            .link("bias", "../BIAS.md")
            .plain("."),
    ];
    Section::new("reading", "How to read this", vec![Block::List(points.into())])
}

/// A row of the environment table: its name, and what an environment says of it.
type Property = (&'static str, fn(&Environment) -> String);

const PROPERTIES: [Property; 11] = [
    ("date", |environment| environment.date.clone()),
    ("revision", |environment| environment.revision.clone()),
    ("processor", |environment| environment.processor.clone()),
    ("cores", |environment| environment.cores.to_string()),
    ("memory", |environment| if environment.memory_bytes == 0 { "unknown".into() } else { number::bytes(environment.memory_bytes as f64) }),
    ("system", |environment| environment.system.clone()),
    ("rustc", |environment| environment.rustc.clone()),
    ("target", |environment| environment.target.clone()),
    ("profile", |environment| environment.profile.clone()),
    ("allocator", |environment| environment.allocator.clone()),
    ("libraries", |environment| {
        environment.libraries.iter().map(|(name, version)| format!("{name} {version}")).collect::<Vec<_>>().join(", ")
    }),
];

/// What a row says of a run.
type Line<'p> = (&'p str, Box<dyn Fn(&RunRecords) -> String + 'p>);

/// All runs, a column each: also those that the tables do not show.
pub(super) fn environment(page: &Page) -> Section {
    let mut lines: Vec<Line> = vec![
        ("program", Box::new(|run| run.run.program.clone())),
        ("shown for", Box::new(|run| shown_for(page, run))),
        ("sizes timed", Box::new(sizes)),
        ("cells timed", Box::new(|run| number::count(run.records.iter().filter_map(time).filter(|time| !time.again).count() as u64))),
        ("cells failed", Box::new(|run| number::count(run.records.iter().filter_map(failure).count() as u64))),
        ("samples a cell", Box::new(samples)),
    ];
    lines.extend(PROPERTIES.map(|(name, property)| -> Line { (name, Box::new(move |run| property(&run.run.environment))) }));
    let mut table = Table::new("The runs in the records").words("");
    for run in page.runs {
        table = table.words(&run.name);
    }
    for (name, line) in lines {
        let cells = page.runs.iter().map(|run| Cell::text(line(run)));
        table.row(Mark::Plain, std::iter::once(Cell::text(name)).chain(cells).collect());
    }
    Section::new("environment", "Environment", vec![Block::Table(table)])
}

fn shown_for(page: &Page, run: &RunRecords) -> String {
    let groups = page.groups.iter().filter(|group| std::ptr::eq(group.run, run));
    let names: Vec<String> = groups.map(|group| page.heading(group)).collect();
    if names.is_empty() { "nothing: another run has more cells".to_owned() } else { names.join("; ") }
}

fn sizes(run: &RunRecords) -> String {
    let specs: BTreeSet<(usize, u64, &str)> = run
        .records
        .iter()
        .filter_map(time)
        .map(|time| &time.cell.spec)
        .map(|spec| (spec.members, spec.seed, spec.variant.as_str()))
        .collect();
    let size = |(members, seed, variant): &(usize, u64, &str)| format!("{} ({variant}, seed {seed})", plural(*members, "member"));
    specs.iter().rev().map(size).collect::<Vec<_>>().join("; ")
}

fn samples(run: &RunRecords) -> String {
    let counts = || run.records.iter().filter_map(time).map(|time| time.samples.len());
    match (counts().min(), counts().max()) {
        (Some(least), Some(most)) if least == most => most.to_string(),
        (Some(least), Some(most)) => format!("{least} to {most}"),
        _ => "none".to_owned(),
    }
}

/// The command lines that make the records and the page anew.
pub(super) fn reproduce(page: &Page, source: &str) -> Section {
    let mut lines: Vec<String> = Vec::new();
    for run in page.runs {
        let revision = run.run.environment.revision.trim_end_matches('+');
        let checkout = (revision != "unknown").then(|| format!("git checkout {revision}"));
        for line in checkout.into_iter().chain([run.run.program.clone()]) {
            // One checkout serves all runs of a revision.
            if !lines.contains(&line) {
                lines.push(line);
            }
        }
    }
    lines.push("wirewise report".to_owned());
    let about = Text::from("The first commands measure anew, the last makes this page from the records in ")
        .code(source)
        .plain(". A revision that ends in + was changed locally and cannot be had again exactly.");
    Section::new("reproduce", "Do it again", vec![Block::Prose(about), Block::Code(lines.join("\n"))])
}
