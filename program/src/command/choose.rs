//! `wirewise choose`: which format, which codec, which way of reading, for what the user has.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, ensure};
use clap::Args;
use serde::Serialize;

use super::{newest_records, print_table, units};
use wirewise::choice::{Answer, Choice, Facts, Sensitivity, Wish};
use wirewise::record::RunRecords;
use wirewise::report::number;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// The link's speed: bits as 100Mbit or 2.5Gbit, bytes as 550MB, a second
    #[arg(long, default_value = "1Gbit", value_parser = units::bandwidth)]
    bandwidth: f64,
    /// A round trip, of which each reading takes one: 20ms, 150us
    #[arg(long, default_value = "0", value_parser = units::duration)]
    round_trip: f64,
    /// Store the payload first, at this speed: it is written once, and fetched for each reading
    #[arg(long, value_name = "BANDWIDTH", value_parser = units::bandwidth)]
    stored_at: Option<f64>,
    /// How often what is written is fetched and read; below 1 for what is hardly read
    #[arg(long, default_value = "1", value_parser = units::count)]
    reads_per_write: f64,
    /// The share of the data that a reading uses
    #[arg(long, default_value = "100%", value_parser = units::share)]
    fields_read: f64,
    /// Cores at each end that may work on blocks of one message
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    cores: u16,
    /// Memory at each end: 512MB, 2GiB
    #[arg(long, value_parser = units::bytes)]
    memory: Option<f64>,
    /// The bytes may be anyone's: nothing that reads without validation, nor what damaged payloads made fail
    #[arg(long)]
    untrusted: bool,
    /// Fields will be added while old programs run
    #[arg(long)]
    must_evolve: bool,
    /// Leave out the layouts of this crate, which are written by hand for one type
    #[arg(long)]
    libraries_only: bool,
    /// Members in a message [default: as many as were measured]
    #[arg(long, value_parser = units::count)]
    members: Option<f64>,
    /// Which dataset [default: the one that was measured with the most members]
    #[arg(long)]
    dataset: Option<String>,
    /// How many pipelines to print
    #[arg(long, default_value_t = 10)]
    top: usize,
    /// The folder of the records [default: the newest of docs/records]
    #[arg(long)]
    records: Option<PathBuf>,
    /// One JSON object with the wish, the whole ranking, what is left out, and the sensitivity
    #[arg(long)]
    json: bool,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    wish: &'a Wish,
    dataset: &'a str,
    measured_members: usize,
    noise: f64,
    #[serde(flatten)]
    answer: &'a Answer,
    sensitivity: &'a [Sensitivity],
}

pub(super) fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let folder = arguments.records.clone().map_or_else(newest_records, Ok)?;
    let runs = RunRecords::read_folder(&folder)?;
    let all = Facts::all(&runs);
    let facts = nearest(&all, arguments).with_context(|| {
        let named = arguments.dataset.as_ref().map_or(String::new(), |dataset| format!(" of the dataset {dataset}"));
        let mut datasets: Vec<&str> = all.iter().map(|facts| facts.dataset.as_str()).collect();
        datasets.dedup();
        let there = if datasets.is_empty() { "nothing".to_owned() } else { datasets.join(", ") };
        format!("{}: no format was measured both ways{named}; there is {there}. `wirewise measure` measures", folder.display())
    })?;
    let wish = Wish {
        members: arguments.members.unwrap_or(facts.members as f64),
        bandwidth: arguments.bandwidth,
        round_trip: arguments.round_trip,
        stored_at: arguments.stored_at,
        reads_per_write: arguments.reads_per_write,
        fields_read: arguments.fields_read,
        cores: f64::from(arguments.cores),
        memory: arguments.memory,
        untrusted: arguments.untrusted,
        must_evolve: arguments.must_evolve,
        libraries_only: arguments.libraries_only,
        ..Wish::default()
    };
    let answer = Answer::of(facts, &wish);
    let sensitivity = answer.sensitivity(facts, &wish);
    if arguments.json {
        let printed = Printed {
            wish: &wish,
            dataset: &facts.dataset,
            measured_members: facts.members,
            noise: facts.noise,
            answer: &answer,
            sensitivity: &sensitivity,
        };
        println!("{}", serde_json::to_string(&printed)?);
        return Ok(ExitCode::SUCCESS);
    }
    println!(
        "From {}: {} ({}) measured with {} members; the noise is {}.\n",
        folder.display(),
        facts.dataset,
        facts.variant,
        number::count(facts.members as u64),
        number::percent(facts.noise)
    );
    ensure!(!answer.ranking.is_empty(), "nothing is left: {}", left_out(&answer));
    print_ranking(facts, &wish, &answer, arguments.top);
    print_sensitivity(&sensitivity);
    Ok(ExitCode::SUCCESS)
}

/// The facts of the size nearest to that of the message; of the largest where none was named.
fn nearest<'f>(all: &'f [Facts], arguments: &Arguments) -> Option<&'f Facts> {
    let first = all.iter().find(|facts| arguments.dataset.as_ref().is_none_or(|dataset| facts.dataset == *dataset))?;
    let Some(members) = arguments.members else { return Some(first) };
    let same = |facts: &&Facts| facts.dataset == first.dataset && facts.variant == first.variant;
    let distance = |facts: &&Facts| (facts.members.max(1) as f64 / members).ln().abs();
    all.iter().filter(same).min_by(|one, other| distance(one).total_cmp(&distance(other)))
}

fn left_out(answer: &Answer) -> String {
    let reasons = answer.excluded.iter().map(|excluded| format!("{} ({})", excluded.reason, excluded.formats.join(", ")));
    reasons.collect::<Vec<_>>().join("; ")
}

fn print_ranking(facts: &Facts, wish: &Wish, answer: &Answer, top: usize) {
    let rows: Vec<Vec<String>> = answer.ranking.iter().take(top.max(1)).enumerate().map(|(index, choice)| row(index, choice)).collect();
    let head = ["", "format", "codec", "read by", "time", "interval", "plan", "decides", "bytes", "memory"];
    print_table(&head, &rows, &[true, false, false, false, true, false, false, false, true, true]);
    println!();
    let first = &answer.ranking[0];
    let tied = answer.ranking.iter().skip(1).filter(|choice| choice.tie).count();
    let (term, share) = first.decides();
    println!(
        "Take {}: {} for one write and {}, most of it to {term} ({}).",
        first.label(),
        number::duration(first.estimate.time.median),
        if wish.reads_per_write == 1.0 { "one reading".to_owned() } else { format!("{} readings", wish.reads_per_write) },
        number::percent(share)
    );
    match (tied, answer.ranking.get(1)) {
        (0, Some(second)) => println!(
            "The next, {}, takes {} times as long.",
            second.label(),
            number::figure(second.estimate.time.median / first.estimate.time.median)
        ),
        (0, None) => println!("There is nothing else to compare."),
        _ => println!("A tie: it cannot be told from {tied} more, which are marked with =1."),
    }
    if let Some(library) = answer.of_libraries() {
        println!(
            "Its layout is this crate's own, written by hand for one type. The best of a library: {}, {} times as long.",
            library.label(),
            number::figure(library.estimate.time.median / first.estimate.time.median)
        );
    }
    if wish.untrusted {
        match first.damaged {
            Some(damaged) => println!(
                "Of {} damaged payloads of {}, {} were read as other values without an error: {}.",
                number::count(damaged.payloads),
                first.format,
                number::count(damaged.silent),
                if damaged.silent > 0 { "only a checksum finds those" } else { "all that changed a value was found" }
            ),
            None => println!("What becomes of damaged payloads was not measured of {}.", first.format),
        }
    }
    if wish.must_evolve {
        let unknown = facts.formats.iter().filter(|format| format.evolves.is_none()).count();
        match first.silent {
            Some((silent, changes)) => {
                println!("Of {changes} kinds of schema change, {silent} give {} wrong values without an error.", first.format);
            }
            None => println!("What becomes of schema changes was not measured of {}.", first.format),
        }
        if unknown > 0 {
            println!("Without a record of schema changes, and therefore not left out: {unknown} of {} formats.", facts.formats.len());
        }
    }
    if !answer.excluded.is_empty() {
        println!("Left out: {}.", left_out(answer));
    }
}

fn row(index: usize, choice: &Choice) -> Vec<String> {
    let place = if choice.tie { "=1".to_owned() } else { (index + 1).to_string() };
    let (term, share) = choice.decides();
    let time = &choice.estimate.time;
    vec![
        place,
        choice.format.clone(),
        choice.codec.clone().unwrap_or_else(|| "–".to_owned()),
        choice.way.name().to_owned(),
        number::duration(time.median),
        format!("{} to {}", number::duration(time.low), number::duration(time.high)),
        choice.estimate.plan.label().to_owned(),
        format!("{term} {}", number::percent(share)),
        number::bytes(choice.estimate.bytes),
        choice.estimate.memory.map_or_else(|| "?".to_owned(), number::bytes),
    ]
}

fn print_sensitivity(sensitivity: &[Sensitivity]) {
    let name = |one: &Sensitivity| format!("{} × {}", one.assumption, if one.factor < 1.0 { "½" } else { "2" });
    let (holds, changes): (Vec<_>, Vec<_>) = sensitivity.iter().partition(|one| one.holds);
    if !holds.is_empty() {
        println!("\nThe answer stays with: {}.", holds.into_iter().map(name).collect::<Vec<_>>().join(", "));
    }
    if changes.is_empty() {
        println!("No assumption changes it by being off by two.");
    }
    for one in changes {
        let regret = if one.regret.is_finite() {
            format!("staying costs {} times as much", number::figure(one.regret))
        } else {
            "the answer above is ruled out".to_owned()
        };
        println!("With {}: {}; {regret}.", name(one), one.first);
    }
}
