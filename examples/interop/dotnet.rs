//! The .NET program: its samples are read and written again, ours are read by it, and both are timed.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use wirewise::dataset::{Dataset, Organization};
use wirewise::format::binary_writer::BinaryWriter;
use wirewise::format::contract::{self, Contract, Field, Kind, Rule};
use wirewise::format::custom::Custom;
use wirewise::format::datacontract::DataContract;
use wirewise::format::dotnet_protobuf::Manner;
use wirewise::format::google_protobuf::{GoogleProtobuf, SchemaFirst};
use wirewise::format::messagepack_csharp as messagepack;
use wirewise::format::nrbf::Nrbf;
use wirewise::format::protobuf_net::{CodeFirst, ProtobufNet};
use wirewise::format::system_text_json::SystemTextJson;
use wirewise::format::{Decode, Encode, Format};
use wirewise::graph::Graph;
use wirewise::operation::Operation;
use wirewise::record::{InteropSkipped, InteropSmall, InteropTime, InteropWriter, Record};
use wirewise::registry::{CaseId, Registry, Stock};
use wirewise::statistics::Summary;
use wirewise::{Limits, Payload};

use crate::{Result, Tally};

type Bytes = wirewise::Result<Vec<u8>>;

/// A format: its name there and here, its library there, what is written here, and what is read here and written again.
struct Peer {
    name: &'static str,
    format: &'static str,
    library: &'static str,
    write: fn(&Organization) -> Bytes,
    rewrite: fn(&[u8]) -> Bytes,
}

fn write<F: Encode<Organization>>(value: &Organization) -> Bytes {
    let mut sink = Vec::new();
    F::default().encode(value, &mut sink)?;
    Ok(sink)
}

fn rewrite<F: Encode<T> + Decode<T>, T>(bytes: &[u8]) -> Bytes {
    let mut sink = Vec::new();
    F::default().encode(&F::default().decode(&Payload::from(bytes))?, &mut sink)?;
    Ok(sink)
}

fn peer<F: Format + Encode<Organization> + Decode<Organization>>(name: &'static str, library: &'static str) -> Peer {
    Peer { name, format: F::INFO.name, library, write: write::<F>, rewrite: rewrite::<F, Organization> }
}

fn peers() -> Vec<Peer> {
    vec![
        peer::<SystemTextJson>("json", "System.Text.Json"),
        peer::<Custom>("custom", "the article's layout"),
        peer::<BinaryWriter>("binary", "BinaryWriter"),
        peer::<ProtobufNet>("protobuf-net", "protobuf-net"),
        peer::<GoogleProtobuf>("google-protobuf", "Google.Protobuf"),
        peer::<messagepack::ArrayPlain>("msgpack-keyed", "MessagePack"),
        peer::<messagepack::ArrayLz4Block>("msgpack-keyed-lz4block", "MessagePack"),
        peer::<messagepack::ArrayLz4BlockArray>("msgpack-keyed-lz4blockarray", "MessagePack"),
        peer::<messagepack::MapPlain>("msgpack-contractless", "MessagePack"),
        peer::<messagepack::MapLz4Block>("msgpack-contractless-lz4block", "MessagePack"),
        peer::<messagepack::MapLz4BlockArray>("msgpack-contractless-lz4blockarray", "MessagePack"),
        // A value does not say which of its strings are one object: a graph does.
        Peer { rewrite: rewrite::<Nrbf, Graph>, ..peer::<Nrbf>("binaryformatter", "BinaryFormatter") },
        peer::<DataContract>("datacontract", "DataContractSerializer"),
    ]
}

/// The class with a field of each kind, as its attributes and its schema describe it.
fn everything() -> Contract {
    use Kind::*;
    let test = || Message(contract([(1, Int32, Rule::Plain), (2, Text, Rule::Plain)]));
    contract([
        (1, Bool, Rule::Plain),
        (2, Int32, Rule::Plain),
        (3, Int32, Rule::Plain),
        (4, ZigZag, Rule::Plain),
        (5, Fixed32, Rule::Plain),
        (6, Fixed64, Rule::Plain),
        (7, Unsigned, Rule::Plain),
        (8, Single, Rule::Plain),
        (9, Double, Rule::Plain),
        (10, Text, Rule::Plain),
        (11, Bytes, Rule::Plain),
        (12, Int32, Rule::Packed),
        (13, ZigZag, Rule::List),
        (14, test(), Rule::List),
        (15, Int32, Rule::Map(Text)),
        (16, test(), Rule::Nullable),
        (17, Int32, Rule::Nullable),
        (18, Text, Rule::Nullable),
        (19, test(), Rule::Nullable),
    ])
}

fn contract(fields: impl IntoIterator<Item = (u32, Kind, Rule)>) -> Contract {
    let fields = fields.into_iter().map(|(number, kind, rule)| Field { number, kind, rule }).collect();
    Contract { fields, derived: Vec::new() }
}

fn rewrite_everything<M: Manner>(contract: &Contract, bytes: &[u8]) -> Bytes {
    let mut sink = Vec::new();
    contract::write::<M>(contract, &contract::read::<M>(contract, bytes, &Limits::for_payload(bytes.len()))?, &mut sink)?;
    Ok(sink)
}

/// What a sample is read as and written again; nothing where it is one of the values to compare with.
fn rewritten(peers: &[Peer], everything: &Contract, name: &str, format: &str, bytes: &[u8]) -> Option<Bytes> {
    match (name.split('-').next()?, format) {
        ("organization", _) => peers.iter().find(|peer| peer.name == format).map(|peer| (peer.rewrite)(bytes)),
        ("everything", "protobuf-net") => Some(rewrite_everything::<CodeFirst>(everything, bytes)),
        ("everything", "google-protobuf") => Some(rewrite_everything::<SchemaFirst>(everything, bytes)),
        (_, "binaryformatter") => Some(rewrite::<Nrbf, Graph>(bytes)),
        _ => None,
    }
}

/// Runs the .NET program, and returns what it printed.
fn output(program: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program).args(arguments).output()?;
    if !output.status.success() {
        return Err(format!("{} {}: {}", program.display(), arguments.join(" "), String::from_utf8_lossy(&output.stderr)).into());
    }
    Ok(String::from_utf8(output.stdout)?)
}

/// What it reads from the payloads of a folder: `ok` and a hash of the value, or the error, by the payloads' names.
fn verdicts(program: &Path, folder: &Path) -> Result<BTreeMap<String, String>> {
    let lines = output(program, &["read", &folder.to_string_lossy()])?;
    Ok(lines.lines().filter_map(|line| line.split_once('\t')).map(|(file, verdict)| (file.to_owned(), verdict.to_owned())).collect())
}

/// The runtime's version, and those of the libraries that are not its own.
fn versions(program: &Path) -> Result<(String, BTreeMap<String, String>)> {
    let file = program.with_file_name("Peer.deps.json");
    let dependencies: serde_json::Value = serde_json::from_slice(&std::fs::read(&file)?)?;
    let names = dependencies["libraries"].as_object().ok_or("no libraries")?.keys();
    let libraries: BTreeMap<String, String> =
        names.filter_map(|name| name.split_once('/')).map(|(name, version)| (name.to_owned(), version.to_owned())).collect();
    let runtime = libraries.iter().find(|(name, _)| name.starts_with("runtimepack.")).ok_or("no runtime")?.1.clone();
    Ok((runtime, libraries))
}

/// What is asked for: samples of each kind, and the members and runs of what is timed; 0 samples or members are none.
pub struct Wanted<'a> {
    pub samples: usize,
    pub members: usize,
    pub runs: u16,
    /// The formats to time, by their names there; all, if there are none.
    pub formats: &'a [&'a str],
}

/// Says on the error stream what is done, as it takes minutes.
struct Progress(Instant);

impl Progress {
    fn say(&self, what: impl std::fmt::Display) {
        eprintln!("{:4.0} s  {what}", self.0.elapsed().as_secs_f64());
    }
}

pub fn run(program: &Path, wanted: &Wanted<'_>) -> Result<Vec<Record>> {
    let progress = Progress(Instant::now());
    let (runtime, libraries) = versions(program)?;
    let side = Side { language: format!(".NET {runtime}"), runtime, libraries };
    let peers = peers();
    let mut records = Vec::new();
    if wanted.samples > 0 {
        records.extend(exchange(program, &peers, &side, wanted.samples, &progress)?);
    }
    if wanted.members > 0 {
        records.extend(times(program, &peers, &side, wanted, &progress)?);
        if wanted.formats.is_empty() {
            progress.say("the articles' small objects there");
            records.extend(small_objects(program, &side)?);
        }
    }
    progress.say("done");
    Ok(records)
}

/// The other side's runtime, and the libraries that are not its own.
struct Side {
    language: String,
    runtime: String,
    libraries: BTreeMap<String, String>,
}

impl Side {
    fn version(&self, library: &str) -> String {
        self.libraries.get(library).unwrap_or(&self.runtime).clone()
    }
}

fn exchange(program: &Path, peers: &[Peer], side: &Side, samples: usize, progress: &Progress) -> Result<Vec<Record>> {
    let everything = everything();
    let scratch = std::env::temp_dir().join(format!("wirewise-interop-{}", std::process::id()));
    let (theirs, ours) = (scratch.join("theirs"), scratch.join("ours"));
    std::fs::create_dir_all(&ours)?;

    let mut tallies: BTreeMap<(usize, String, InteropWriter), Tally> = BTreeMap::new();
    let mut tally = |name: &str, format: &str, by: InteropWriter, outcome: std::result::Result<bool, String>| {
        let Some(at) = peers.iter().position(|peer| peer.name == format) else { return };
        let what = name.split('-').next().unwrap_or_default().to_owned();
        let of = if what == "organization" { peers[at].format.to_owned() } else { format!("{}, {what}", peers[at].format) };
        let new = || Tally::new(&side.language, peers[at].library, &side.version(peers[at].library), &of, by);
        tallies.entry((at, what, by)).or_insert_with(new).count(&format!("{name}.{format}"), outcome, None);
    };

    progress.say(format_args!("{samples} samples of each kind are written there"));
    output(program, &["samples", "1", &samples.to_string(), &theirs.to_string_lossy()])?;
    let mut files: Vec<_> = std::fs::read_dir(&theirs)?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.sort();
    progress.say(format_args!("{} payloads are read and written again here", files.len()));
    for path in &files {
        let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some((name, format)) = file.strip_suffix(".bin").and_then(|stem| stem.split_once('.')) else { continue };
        let bytes = std::fs::read(path)?;
        let Some(again) = rewritten(peers, &everything, name, format, &bytes) else { continue };
        if let Ok(again) = &again {
            std::fs::write(ours.join(&file), again)?;
        }
        tally(name, format, InteropWriter::There, again.map(|again| again == bytes).map_err(|error| error.to_string()));
    }
    progress.say("the same and ours are read there");
    let expected = verdicts(program, &theirs)?;
    for members in [1, 10, 1_000, 20_000] {
        let value = Organization::generate(&Organization::spec(members))?;
        for peer in peers {
            std::fs::write(ours.join(format!("organization-of-{members}.{}.bin", peer.name)), (peer.write)(&value)?)?;
        }
    }
    let read = verdicts(program, &ours)?;
    for (file, verdict) in &read {
        let Some((name, format)) = file.strip_suffix(".bin").and_then(|stem| stem.split_once('.')) else { continue };
        // Ours have no payload of theirs beside them: they are one value in every format.
        let expected = expected.get(file).or_else(|| read.get(&format!("{name}.json.bin")));
        let outcome =
            if verdict.starts_with("ok ") || expected == Some(verdict) { Ok(expected == Some(verdict)) } else { Err(verdict.clone()) };
        tally(name, format, InteropWriter::Here, outcome);
    }
    std::fs::remove_dir_all(&scratch)?;

    let mut records: Vec<Record> = tallies.into_values().map(|tally| Record::Interop(tally.0)).collect();
    records.push(Record::InteropSkipped(InteropSkipped {
        what: "the class with every kind of field in System.Text.Json".into(),
        reason: "it is the value that the other formats are compared with; here JSON has no such class".into(),
    }));
    Ok(records)
}

/// Times each format there and then here, so that a machine that changes its pace changes both.
///
/// Both have the same dataset in memory and encode it into new memory, both decode the payload that they wrote from memory; what is dropped
/// or collected between runs is not timed on either side.
fn times(program: &Path, peers: &[Peer], side: &Side, wanted: &Wanted<'_>, progress: &Progress) -> Result<Vec<Record>> {
    let registry = Registry::standard();
    let spec = Organization::spec(wanted.members);
    let mut stock = Stock::default();
    let peers: Vec<&Peer> = peers.iter().filter(|peer| wanted.formats.is_empty() || wanted.formats.contains(&peer.name)).collect();
    let mut records = Vec::new();
    for (at, peer) in peers.iter().enumerate() {
        let line = output(program, &["bench", &wanted.members.to_string(), &wanted.runs.to_string(), peer.name])?;
        let their_bytes: usize = line.split('\t').nth(1).ok_or("no bytes")?.parse()?;
        let there = (number(&line, "encode_ms", "median")?, number(&line, "decode_ms", "median")?);
        let mut ours = |operation: Operation| -> Result<f64> {
            let id = CaseId { operation, dataset: Organization::NAME.into(), format: peer.format.into(), codec: None };
            let mut work = registry.case(&id).ok_or_else(|| format!("no {id}"))?.prepare(&mut stock, &spec)?;
            // Two to warm up, as there.
            work(2)?;
            let samples: wirewise::Result<Vec<f64>> = (0..wanted.runs).map(|_| work(1).map(|time| time.as_secs_f64() * 1e3)).collect();
            Ok(Summary::of(&samples?).ok_or("no runs")?.median)
        };
        let here = (ours(Operation::EncodeFresh)?, ours(Operation::Decode)?);
        let source = registry.source(peer.format, Organization::NAME);
        let bytes = source.ok_or_else(|| format!("no {}", peer.format))?.payload(&mut stock, &spec)?.len();
        let time = InteropTime {
            language: side.language.clone(),
            library: peer.library.into(),
            version: side.version(peer.library),
            format: peer.format.into(),
            members: wanted.members as u64,
            runs: wanted.runs.into(),
            same_size: bytes == their_bytes,
            encode: (there.0, here.0),
            decode: (there.1, here.1),
        };
        progress.say(format_args!("{} of {}: {}", at + 1, peers.len(), crate::said(&time)));
        records.push(Record::InteropTime(time));
    }
    Ok(records)
}

/// What the .NET program measures of the small objects of articles 001, 002 and 004.
fn small_objects(program: &Path, side: &Side) -> Result<Vec<Record>> {
    let lines = output(program, &["micro", SMALL_RUNS])?;
    let figures = lines.lines().map(|line| -> Result<Record> {
        Ok(Record::InteropSmall(InteropSmall {
            language: side.language.clone(),
            what: line.split('\t').next().unwrap_or_default().to_owned(),
            mean: number(line, "mean_ns", "mean_ns")?,
            deviation: number(line, "deviation_ns", "deviation_ns")?,
            allocated: number(line, "allocated_bytes", "allocated_bytes")? as u64,
        }))
    });
    figures.collect()
}

const SMALL_RUNS: &str = "10";

/// A number of a line of the .NET program: the one behind a word, in the part that starts with `of`.
fn number(line: &str, of: &str, after: &str) -> Result<f64> {
    let part = line.split('\t').find(|part| part.starts_with(of)).ok_or(of)?;
    let mut words = part.split_whitespace().skip_while(|word| *word != after).skip(1);
    Ok(words.next().ok_or(after)?.parse()?)
}
