//! Article 004: Protocol Buffers from a schema and from code, in memory and in files, against an XML baseline.
//!
//! The article compares two .NET libraries. Here both layouts are written and read by one implementation, so that what differs is what the
//! layouts differ in; how fast those libraries are is theirs to tell. No figure of the article is at hand.

use std::any::Any;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;

use super::{Arguments, Claim, NOT_AT_HAND, Verdict, exact, print_claims};
use crate::command::print_table;
use wirewise::dataset::{Dataset, Organization, Person};
use wirewise::payload::Payload;
use wirewise::registry::{Registry, Source};
use wirewise::report::number;
use wirewise::statistics::Summary;
use wirewise::stream;

const RUNS: u16 = 30;
const MEMBERS: usize = 100;
const LIMIT: u64 = 1 << 30;

const SCHEMA_FIRST: usize = 0;
const CODE_FIRST: usize = 1;
const XML: usize = 2;

/// The formats, in the order of the table.
const FORMATS: [(&str, &str); 3] = [("schema-first", "google-protobuf"), ("code-first", "protobuf-net"), ("XML baseline", "datacontract")];

/// What is timed, in the order of the table.
const WORKS: [&str; 4] = ["write, memory", "read, memory", "write, file", "read, file"];

/// A structure, and how to make it.
struct Structure {
    title: &'static str,
    dataset: &'static str,
    value: Box<dyn Any>,
}

/// Of one format: bytes, and nanoseconds for each of the works.
struct Figures {
    bytes: usize,
    times: [Summary; WORKS.len()],
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<()> {
    let (members, runs) = (arguments.members.unwrap_or(MEMBERS), arguments.runs.unwrap_or(RUNS));
    let organization = Organization::generate(&Organization::spec(members))?;
    let structures = [
        Structure { title: "simple", dataset: Person::NAME, value: Box::new(Person::generate(&Person::spec(1))?) },
        Structure { title: "complex", dataset: Organization::NAME, value: Box::new(organization) },
    ];
    let folder = tempfile::tempdir().context("a folder for the files")?;
    let (mut rows, mut claims): (Vec<Vec<String>>, Vec<Claim>) = (Vec::new(), Vec::new());
    for structure in &structures {
        let sources = FORMATS.map(|(_, format)| registry.source(format, structure.dataset));
        let mut figures = [None, None, None];
        for (which, source) in sources.iter().enumerate() {
            let path = folder.path().join(format!("{}.{}", structure.title, FORMATS[which].1));
            figures[which] = source.map(|source| measure(source, &*structure.value, &path, runs)).transpose()?;
            rows.push(row(structure.title, which, figures[which].as_ref()));
        }
        claims.extend(judge(structure, &figures));
        for (writer, reader) in [(SCHEMA_FIRST, CODE_FIRST), (CODE_FIRST, SCHEMA_FIRST)] {
            let path = folder.path().join(format!("{}.{}", structure.title, FORMATS[writer].1));
            let text = format!("{}: {} reads {}'s file", structure.title, FORMATS[reader].0, FORMATS[writer].0);
            let verdict = match (sources[writer], sources[reader]) {
                (Some(writer), Some(reader)) => Some(reads(reader, writer, &path, &*structure.value)?),
                _ => None,
            };
            claims.push((text, verdict, None));
        }
    }
    println!(
        "Simple: a Person. Complex: an organization of {} members. Medians of {runs} samples, in microseconds.\n",
        number::count(members as u64)
    );
    let mut head = vec!["structure", "", "format", "bytes"];
    head.extend(WORKS);
    head.push("published");
    print_table(&head, &rows, &[false, false, false, true, true, true, true, true, true]);
    println!(
        "\nThe article's structures are its own classes, its libraries .NET's, its files another machine's, and its figures not at hand."
    );
    println!("Both Protocol Buffers layouts have one implementation here: their times tell of the layouts, not of the two libraries.");
    println!(
        "A file is created, written through a buffer and closed each time; it is read from the system's cache. Where intervals overlap, it is a tie.\n"
    );
    print_claims("the comparison", "figure", &claims);
    Ok(())
}

fn row(structure: &str, which: usize, figures: Option<&Figures>) -> Vec<String> {
    let (title, format) = FORMATS[which];
    let mut cells = vec![structure.to_owned(), title.to_owned(), format.to_owned()];
    match figures {
        Some(figures) => {
            cells.push(number::count(figures.bytes as u64));
            cells.extend(figures.times.map(|time| format!("{:.2}", time.median / 1e3)));
        }
        None => cells.extend(["its feature is not enabled".to_owned()].into_iter().chain(WORKS.map(|_| "–".to_owned()))),
    }
    cells.push(NOT_AT_HAND.to_owned());
    cells
}

/// What is put against each other within a structure.
fn judge(structure: &Structure, figures: &[Option<Figures>; FORMATS.len()]) -> Vec<Claim> {
    let below = |text: String, one: Option<Summary>, other: Option<Summary>| {
        let verdict = one.zip(other).map(|(one, other)| Verdict::below(one, other));
        (format!("{}: {text}", structure.title), verdict, None)
    };
    let time = |format: usize, work: usize| figures[format].as_ref().map(|figures| figures.times[work]);
    let bytes = |format: usize| figures[format].as_ref().map(|figures| exact(figures.bytes as f64));
    let mut claims = Vec::new();
    for (work, name) in WORKS.iter().enumerate() {
        claims.push(below(format!("schema-first is faster than code-first ({name})"), time(SCHEMA_FIRST, work), time(CODE_FIRST, work)));
    }
    for format in [SCHEMA_FIRST, CODE_FIRST] {
        let title = FORMATS[format].0;
        for (memory, file, word) in [(0, 2, "writing"), (1, 3, "reading")] {
            claims.push(below(format!("{title}: {word} memory is faster than a file"), time(format, memory), time(format, file)));
        }
        claims.push(below(format!("{title} is smaller than XML"), bytes(format), bytes(XML)));
        for work in [0, 1] {
            claims.push(below(format!("{title} is faster than XML ({})", WORKS[work]), time(format, work), time(XML, work)));
        }
    }
    claims
}

/// Whether one format reads from a file of the other what it would read of its own: the same value, as either writes it.
fn reads(reader: &Source, writer: &Source, path: &Path, value: &dyn Any) -> anyhow::Result<Verdict> {
    let payload = stream::read(File::open(path)?, LIMIT)?;
    let encode = |source: &Source, value: &dyn Any| source.encode(value).context("a value of another dataset");
    let (holds, figure) = match reader.decode(&payload).context("the format does not decode")? {
        Ok(back) => {
            let same = encode(writer, &*back)?? == payload.as_slice() && encode(reader, &*back)?? == encode(reader, value)??;
            (same, if same { "the same value".to_owned() } else { "another value".to_owned() })
        }
        Err(error) => (false, error.to_string()),
    };
    Ok(Verdict { holds, figure })
}

fn measure(source: &Source, value: &dyn Any, path: &Path, runs: u16) -> anyhow::Result<Figures> {
    let encode =
        || source.encode(value).unwrap_or_else(|| Err(wirewise::Error::malformed(source.format.name, "a value of another dataset")));
    let decode = |payload: &Payload| {
        source.decode(payload).unwrap_or_else(|| Err(wirewise::Error::malformed(source.format.name, "the format does not decode")))
    };
    let payload = Payload::from(encode()?);
    let to_file = || -> Result<(), stream::Error> {
        let mut file = BufWriter::new(File::create(path)?);
        file.write_all(&encode()?)?;
        file.flush()?;
        Ok(())
    };
    to_file()?;
    let times = [
        timed(runs, || encode().map(drop))?,
        timed(runs, || decode(&payload).map(drop))?,
        timed(runs, to_file)?,
        timed(runs, || -> Result<(), stream::Error> {
            decode(&stream::read(File::open(path)?, LIMIT)?)?;
            Ok(())
        })?,
    ];
    Ok(Figures { bytes: payload.len(), times })
}

/// The median of so many samples, with its interval, in nanoseconds. A work that fails in a sample is no figure.
fn timed<E: std::error::Error + Send + Sync + 'static>(runs: u16, mut work: impl FnMut() -> Result<(), E>) -> anyhow::Result<Summary> {
    let budget = usize::from(runs);
    let mut samples = Vec::with_capacity(budget);
    work()?;
    let mut iterations = 1_u32;
    loop {
        let start = Instant::now();
        for _ in 0..iterations {
            work()?;
        }
        let elapsed = start.elapsed();
        if elapsed < Duration::from_micros(50) && iterations < 1 << 20 {
            iterations *= 2;
            continue;
        }
        samples.push(elapsed.as_nanos() as f64 / f64::from(iterations));
        if samples.len() == budget {
            break;
        }
    }
    Summary::of(&samples).context("no samples")
}
