//! Article 000: a list of members through six formats.
//!
//! Source of the published figures: the first article's table, for its runs of 1,000,000 members on its author's machine and .NET. Its
//! claims are taken as what that table says: which row is least, which is greatest, which is below which.

use super::{Arguments, Verdict, print_claims};
use crate::command::print_table;
use wirewise::dataset::{Dataset, Organization};
use wirewise::operation::Operation;
use wirewise::registry::{CaseId, Registry, Stock};
use wirewise::report::number;
use wirewise::statistics::Summary;

const PUBLISHED_MEMBERS: usize = 1_000_000;
const RUNS: u16 = 3;

/// A row of the article's table, and what stands for it here.
struct Row {
    title: &'static str,
    format: &'static str,
    codec: Option<&'static str>,
    published: Figures,
    remark: &'static str,
}

/// Milliseconds to encode and to decode, and bytes.
#[derive(Clone, Copy)]
struct Figures {
    encode: f64,
    decode: f64,
    bytes: f64,
}

const fn published(encode: u32, decode: u32, bytes: u32) -> Figures {
    Figures { encode: encode as f64, decode: decode as f64, bytes: bytes as f64 }
}

const ONE_BLOCK: &str = "its LZ4 compresses segment by segment, ours one block";

const ROWS: [Row; 6] = [
    Row {
        title: "JSON",
        format: "json",
        codec: None,
        published: published(2767, 2064, 196_225_803),
        remark: "its library escapes every character beyond ASCII, ours writes UTF-8",
    },
    Row { title: "Custom", format: "custom", codec: None, published: published(793, 662, 92_853_782), remark: "the same bytes" },
    Row {
        title: "BinaryWriter",
        format: "binary-writer",
        codec: None,
        published: published(258, 815, 83_853_767),
        remark: "the same bytes",
    },
    Row { title: "ProtoBuf", format: "protobuf", codec: None, published: published(542, 1058, 88_837_248), remark: "the same bytes" },
    Row {
        title: "MessagePack, contractless, LZ4",
        format: "messagepack-map",
        codec: Some("lz4"),
        published: published(917, 1403, 43_583_878),
        remark: ONE_BLOCK,
    },
    Row {
        title: "MessagePack, keyed, LZ4",
        format: "messagepack-array",
        codec: Some("lz4"),
        published: published(681, 986, 38_706_475),
        remark: ONE_BLOCK,
    },
];

#[derive(Clone, Copy)]
enum Column {
    Encode,
    Decode,
    Bytes,
}

impl Column {
    fn of(self, figures: Figures) -> f64 {
        match self {
            Self::Encode => figures.encode,
            Self::Decode => figures.decode,
            Self::Bytes => figures.bytes,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Encode => "encode time",
            Self::Decode => "decode time",
            Self::Bytes => "bytes",
        }
    }
}

/// What the article's table says, as a relation between its rows.
enum Claim {
    Least(&'static str, Column),
    Greatest(&'static str, Column),
    Below(&'static str, &'static str, Column),
}

use Claim::{Below, Greatest, Least};
use Column::{Bytes, Decode, Encode};

const CLAIMS: [Claim; 11] = [
    Greatest("JSON", Bytes),
    Greatest("JSON", Encode),
    Greatest("JSON", Decode),
    Least("BinaryWriter", Encode),
    Least("Custom", Decode),
    Least("MessagePack, keyed, LZ4", Bytes),
    Below("BinaryWriter", "ProtoBuf", Bytes),
    Below("ProtoBuf", "Custom", Encode),
    Below("BinaryWriter", "ProtoBuf", Decode),
    Below("MessagePack, keyed, LZ4", "ProtoBuf", Decode),
    Below("MessagePack, keyed, LZ4", "MessagePack, contractless, LZ4", Decode),
];

impl Claim {
    /// The claim in words, whether the figures bear it out, and the ratio that decides. Nothing where a row was not run.
    fn judge(&self, figures: &[(&'static str, Figures)]) -> Option<(String, bool, f64)> {
        let find = |title: &str, column: Column| Some(column.of(figures.iter().find(|(row, _)| *row == title)?.1));
        let others = |title: &'static str, column: Column| {
            let other = |row: &&Row| row.title != title;
            ROWS.iter().filter(other).map(|row| find(row.title, column)).collect::<Option<Vec<f64>>>()
        };
        Some(match *self {
            Least(title, column) => {
                let next = others(title, column)?.into_iter().fold(f64::INFINITY, f64::min);
                let ratio = find(title, column)? / next;
                (format!("{title}: the least {}", column.name()), ratio < 1.0, ratio)
            }
            Greatest(title, column) => {
                let next = others(title, column)?.into_iter().fold(0.0, f64::max);
                let ratio = find(title, column)? / next;
                (format!("{title}: the greatest {}", column.name()), ratio > 1.0, ratio)
            }
            Below(title, other, column) => {
                let ratio = find(title, column)? / find(other, column)?;
                (format!("{title}: {} below that of {other}", column.name()), ratio < 1.0, ratio)
            }
        })
    }
}

pub(super) fn run(registry: &Registry, arguments: &Arguments) {
    let (members, runs) = (arguments.members.unwrap_or(PUBLISHED_MEMBERS), arguments.runs.unwrap_or(RUNS));
    let mut stock = Stock::default();
    let mut figures: Vec<(&'static str, Figures)> = Vec::new();
    let mut rows = Vec::new();
    for row in &ROWS {
        eprintln!("{} …", row.title);
        match measure(registry, &mut stock, row, members, runs) {
            Ok(measured) => {
                let ours = [measured.encode, measured.decode].map(|time| format!("{time:.0}"));
                rows.push(table_row(row, ours, &number::count(measured.bytes as u64), &number::count(members as u64), row.remark));
                figures.push((row.title, measured));
            }
            Err(reason) => rows.push(table_row(row, ["–".into(), "–".into()], "–", "–", &reason)),
        }
    }
    println!(
        "{} members, seed {}, medians of {} runs; the sums over all fields of what was decoded agree.\n",
        number::count(members as u64),
        Organization::SEED,
        runs
    );
    let head = ["", "encode ms", "published", "decode ms", "published", "bytes", "published", "count", "remark"];
    print_table(&head, &rows, &[false, true, true, true, true, true, true, true, false]);
    println!("\nThe published times are another machine's and another runtime's: compare rows with rows, not times with times.\n");
    let of_article: Vec<(&'static str, Figures)> = ROWS.iter().map(|row| (row.title, row.published)).collect();
    let claims: Vec<_> = CLAIMS
        .iter()
        .filter_map(|claim| {
            let (text, _, published) = claim.judge(&of_article)?;
            let verdict = claim.judge(&figures).map(|(_, holds, ratio)| Verdict { holds, figure: format!("{ratio:.2}") });
            Some((text, verdict, Some(format!("{published:.2}"))))
        })
        .collect();
    print_claims("the article's table says", "ratio", &claims);
    println!("\nThe ratio is to the next row of the table, or to the row that is named.");
}

fn table_row(row: &Row, [encode, decode]: [String; 2], bytes: &str, count: &str, remark: &str) -> Vec<String> {
    let published = |figure: f64| number::count(figure as u64);
    let Figures { encode: published_encode, decode: published_decode, bytes: published_bytes } = row.published;
    vec![
        row.title.to_owned(),
        encode,
        published(published_encode),
        decode,
        published(published_decode),
        bytes.to_owned(),
        published(published_bytes),
        count.to_owned(),
        remark.to_owned(),
    ]
}

/// Encodes and decodes as the article did, into a fresh sink and to the native value; what is decoded is held against the dataset.
fn measure(registry: &Registry, stock: &mut Stock, row: &Row, members: usize, runs: u16) -> Result<Figures, String> {
    let source = registry.source(row.format, Organization::NAME).ok_or("its feature is not enabled")?;
    let spec = Organization::spec(members);
    let mut milliseconds = |operation: Operation, codec: Option<&str>| -> Result<f64, String> {
        let id = CaseId { operation, dataset: Organization::NAME.into(), format: row.format.into(), codec: codec.map(str::to_owned) };
        let case = registry.case(&id).ok_or_else(|| format!("there is no {id}"))?;
        let mut work = case.prepare(stock, &spec).map_err(|error| error.to_string())?;
        let runs: Result<Vec<f64>, String> =
            (0..runs).map(|_| work(1).map(|time| time.as_secs_f64() * 1e3).map_err(|error| error.to_string())).collect();
        Summary::of(&runs?).map(|summary| summary.median).ok_or_else(|| "no runs".to_owned())
    };
    let mut encode = milliseconds(Operation::EncodeFresh, None)?;
    let mut decode = milliseconds(Operation::Decode, None)?;
    if row.codec.is_some() {
        encode += milliseconds(Operation::Compress, row.codec)?;
        decode += milliseconds(Operation::Decompress, row.codec)?;
    }
    let bytes = match row.codec {
        None => source.payload(stock, &spec).map(|payload| payload.len()),
        Some(codec) => registry.compressed_size(stock, &spec, source, codec),
    };
    Ok(Figures { encode, decode, bytes: bytes.map_err(|error| error.to_string())? as f64 })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every claim is one that the published figures themselves bear out, and names rows that exist.
    #[test]
    fn the_article_bears_out_its_own_claims() {
        let published: Vec<_> = ROWS.iter().map(|row| (row.title, row.published)).collect();
        for claim in &CLAIMS {
            let (text, holds, ratio) = claim.judge(&published).unwrap();
            assert!(holds, "{text}: {ratio}");
        }
    }
}
