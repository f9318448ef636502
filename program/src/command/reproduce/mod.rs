//! `wirewise reproduce`: the articles' own runs, a file each: their tables, their published figures beside ours, and whether their claims
//! hold here.

#[cfg(all(feature = "nrbf", feature = "protobuf-net"))]
mod graph;
mod organization;
mod person;
mod structures;

use std::process::ExitCode;

use clap::{Args, ValueEnum};

use super::print_table;
use wirewise::registry::Registry;
use wirewise::statistics::Summary;

#[derive(Debug, Args)]
pub(super) struct Arguments {
    /// Which article
    #[arg(value_enum, default_value_t = Article::Organization)]
    article: Article,
    /// How many members the organization has [default: 1000000, as published, in 000; 100 in 004]
    #[arg(long)]
    members: Option<usize>,
    /// How often each row is run [default: 3 in 000, 100 in 001, 30 in 002 and 004]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    runs: Option<u16>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Article {
    /// A list of members through six formats
    #[value(name = "000")]
    Organization,
    /// One small object: MessagePack against JSON
    #[value(name = "001")]
    Person,
    /// A graph with cycles: BinaryFormatter against Protocol Buffers with references
    #[value(name = "002")]
    #[cfg(all(feature = "nrbf", feature = "protobuf-net"))]
    Graph,
    /// Protocol Buffers: schema-first against code-first, in memory and in files
    #[value(name = "004")]
    Structures,
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match arguments.article {
        Article::Organization => organization::run(registry, arguments),
        Article::Person => person::run(registry, arguments),
        #[cfg(all(feature = "nrbf", feature = "protobuf-net"))]
        Article::Graph => graph::run(arguments)?,
        Article::Structures => structures::run(registry, arguments)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// What stands where an article's figure would, if none is known here.
const NOT_AT_HAND: &str = "not at hand";

/// Whether a claim holds here, and the figure that decides.
struct Verdict {
    holds: bool,
    figure: String,
}

impl Verdict {
    /// Whether one figure is below another; each is its middle and the ends of its interval. Intervals that overlap bear out nothing.
    fn below(one: Summary, other: Summary) -> Self {
        let ratio = one.median / other.median;
        let tie = one.overlaps(&other);
        Self { holds: ratio < 1.0 && !tie, figure: if tie { format!("{ratio:.2}, a tie") } else { format!("{ratio:.2}") } }
    }
}

/// A figure without noise.
fn exact(figure: f64) -> Summary {
    Summary { median: figure, low: figure, high: figure }
}

/// A claim in words, what came of it here, unless it was not run, and the article's own figure.
type Claim = (String, Option<Verdict>, Option<String>);

fn print_claims(head: &str, figure: &str, claims: &[Claim]) {
    let rows: Vec<Vec<String>> = claims
        .iter()
        .map(|(text, verdict, published)| {
            let (word, figure) = match verdict {
                Some(Verdict { holds: true, figure }) => ("holds", figure.as_str()),
                Some(Verdict { holds: false, figure }) => ("does not hold", figure.as_str()),
                None => ("not run", "–"),
            };
            vec![text.clone(), word.to_owned(), figure.to_owned(), published.as_deref().unwrap_or(NOT_AT_HAND).to_owned()]
        })
        .collect();
    print_table(&[head, "here", figure, "published"], &rows, &[false, false, true, true]);
}
