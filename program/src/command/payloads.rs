//! What `decode`, `encode` and `convert` share: where bytes come from and go to, and which format and codec they are of.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::Args;

use wirewise::codec::{Codec, CodecInfo};
use wirewise::error::Problem;
use wirewise::file;
use wirewise::graph::Graph;
use wirewise::limits::Limits;
use wirewise::payload::Payload;
use wirewise::recognition::{Recognition, recognise};
use wirewise::registry::{AnyValue, Modelled, Notation, Registry, Source};
use wirewise::stream;

/// How a payload is taken in.
#[derive(Debug, Args)]
pub(super) struct Reading {
    /// Bytes after the value are no error, where the format can tell where the value ends
    #[arg(long)]
    pub(super) allow_trailing: bool,
    /// At most so many bytes of input, and as many again of what it decompresses to
    #[arg(long, default_value_t = 4 << 30, value_name = "BYTES")]
    limit: u64,
    /// Read the file through a memory map; nobody may change or shorten it meanwhile
    #[arg(long)]
    map: bool,
}

impl Reading {
    /// All bytes of a file, or of standard input for `-`.
    pub(super) fn input(&self, path: &Path) -> anyhow::Result<Payload> {
        let read = if path == Path::new("-") {
            stream::read(io::stdin().lock(), self.limit)
        } else if self.map {
            // SAFETY: whoever gives the option has read there what it asks for; everyone else gets the safe twin.
            unsafe { file::map(path) }.map_err(stream::Error::from)
        } else {
            file::read(path, self.limit)
        };
        read.with_context(|| path.display().to_string())
    }

    fn decompress(&self, codec: &mut dyn Codec, bytes: &[u8]) -> wirewise::Result<Payload> {
        let mut payload = Payload::default();
        let limits = Limits { bytes_out: usize::try_from(self.limit).unwrap_or(usize::MAX), ..Limits::for_payload(bytes.len()) };
        codec.decompress(bytes, &limits, &mut payload)?;
        Ok(payload)
    }
}

/// The classes of a graph, for a format whose payloads do not tell them.
#[derive(Debug, Args)]
pub(super) struct Classes {
    /// The classes of a graph, as JSON (the README shows one), for a format whose payloads do not tell them
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
}

impl Classes {
    /// Takes the model, if one is given, for a format; without a name, for the one that takes models. Returns the format's name with it.
    pub(super) fn modelled<'r>(
        &self,
        registry: &'r Registry,
        reading: &Reading,
        format: Option<&str>,
        root: Option<&str>,
    ) -> anyhow::Result<Option<(&'r str, Box<dyn Modelled>)>> {
        let Some(path) = &self.model else { return Ok(None) };
        let modellers = registry.modellers();
        let names = || modellers.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ");
        let found = match (format, modellers) {
            (Some(format), _) => modellers.iter().find(|(name, _)| *name == format),
            (None, [only]) => Some(only),
            (None, _) => None,
        };
        let &(name, modeller) = found.ok_or_else(|| match (format, names()) {
            (_, names) if names.is_empty() => anyhow!("--model: no format here takes one"),
            (Some(format), names) => anyhow!("--model: the format {format} takes none; {names} does"),
            (None, names) => anyhow!("--model: which format? There are {names}"),
        })?;
        let modelled = modeller(&reading.input(path)?, root).map_err(|reason| anyhow!("{}: the model: {reason}", path.display()))?;
        Ok(Some((name, modelled)))
    }
}

/// Reads the graph that fills the input, by the model of its classes.
pub(super) fn read_modelled(
    registry: &Registry,
    reading: &Reading,
    wanted: &Wanted<'_>,
    (name, modelled): (&str, &dyn Modelled),
) -> anyhow::Result<Graph> {
    let input = reading.input(wanted.path)?;
    let input = decompressed(registry, reading, wanted, input)?;
    let graph = modelled.read(&input)?;
    say_used(name, input.len(), input.len());
    Ok(graph)
}

/// Writes what `content` writes to a file, which appears when all of it is there, or to standard output for `-`.
pub(super) fn output<R>(path: &Path, content: impl FnOnce(&mut dyn Write) -> anyhow::Result<R>) -> anyhow::Result<R> {
    if path == Path::new("-") {
        let mut out = io::BufWriter::new(io::stdout().lock());
        let written = content(&mut out)?;
        out.flush().context("standard output")?;
        return Ok(written);
    }
    file::write(path, content).with_context(|| path.display().to_string())
}

/// Says something that is no part of the output.
pub(super) fn say(what: impl std::fmt::Display) {
    eprintln!("wirewise: {what}");
}

/// One of the registry's datasets, and how it stands in JSON.
pub(super) fn notation(registry: &Registry, dataset: &str) -> anyhow::Result<Notation> {
    let names = || registry.notations().iter().map(|notation| notation.dataset).collect::<Vec<_>>().join(", ");
    registry
        .notations()
        .iter()
        .find(|notation| notation.dataset == dataset)
        .copied()
        .ok_or_else(|| anyhow!("no dataset {dataset:?}; there are {}", names()))
}

/// The registry's entry of a format for a dataset.
pub(super) fn source<'r>(registry: &'r Registry, format: &str, dataset: &str) -> anyhow::Result<&'r Source> {
    let of_format: Vec<&Source> = registry.sources().iter().filter(|source| source.format.name == format).collect();
    if of_format.is_empty() {
        let names: Vec<&str> = registry.formats().iter().map(|info| info.name).collect();
        bail!("no format {format:?}; there are {}", names.join(", "));
    }
    let found = of_format.iter().find(|source| source.dataset == dataset);
    found.copied().ok_or_else(|| anyhow!("the format {format} has no dataset {dataset:?}"))
}

/// The codec of this name: in full, or without its level, of which the first is taken.
pub(super) fn codec(registry: &Registry, name: &str) -> anyhow::Result<(CodecInfo, Box<dyn Codec>)> {
    let is_named = |info: &&CodecInfo| info.name == name;
    let is_meant = |info: &&CodecInfo| info.name.strip_prefix(name).is_some_and(|level| level.starts_with('-'));
    let info = registry.codecs().find(is_named).or_else(|| registry.codecs().find(is_meant));
    let made = info.and_then(|info| Some((info.clone(), registry.new_codec(&info.name)?)));
    made.ok_or_else(|| anyhow!("no codec {name:?}; there are {}", registry.codecs().map(|info| &*info.name).collect::<Vec<_>>().join(", ")))
}

/// The format and the codec that a file's name ends with, such as `organization.rkyv.zstd-3`, as far as the registry has them.
pub(super) fn of_name(registry: &Registry, path: &Path) -> (Option<String>, Option<String>) {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    let mut parts: Vec<&str> = name.split('.').skip(1).collect();
    let codec = parts.pop_if(|part| registry.codecs().any(|info| info.name == *part)).map(str::to_owned);
    let format = parts.pop().filter(|part| registry.formats().iter().any(|info| info.name == *part));
    (format.map(str::to_owned), codec)
}

/// What was read, and how it was found out what it is.
pub(super) struct Found<V> {
    pub(super) value: V,
    pub(super) format: String,
}

/// What the user says of the input.
pub(super) struct Wanted<'a> {
    pub(super) format: Option<&'a str>,
    pub(super) codec: Option<&'a str>,
    pub(super) dataset: &'a str,
    pub(super) path: &'a PathBuf,
}

/// A value of the dataset, or a graph from a format that has graphs, where those are asked for.
pub(super) enum Content {
    Value(AnyValue),
    Graph(Box<Graph>),
}

/// Decompresses the input and reads it, in the format that is asked for or that it seems to be.
pub(super) fn read(registry: &Registry, reading: &Reading, wanted: &Wanted<'_>, graphs: bool) -> anyhow::Result<Found<Content>> {
    let input = reading.input(wanted.path)?;
    let input = decompressed(registry, reading, wanted, input)?;
    if let Some(name) = wanted.format {
        let format = Candidate::new(registry, name, wanted.dataset, graphs)?;
        return match format.read(&input, reading.allow_trailing) {
            Ok(value) => Ok(Found { value, format: name.to_owned() }),
            Err(error) => Err(error.into()),
        };
    }
    if input.is_empty() {
        bail!("{}: no bytes, which more than one format takes for a value; name one with --format", wanted.path.display());
    }
    let found = recognise(&input);
    let (names, certain) = candidates(registry, wanted, found);
    let recognised = found.map_or_else(|| "nothing is recognised".to_owned(), |found| found.to_string());
    let (mut refusals, mut matching) = (Vec::new(), None);
    for &name in &names {
        let Ok(format) = Candidate::new(registry, name, wanted.dataset, graphs) else { continue };
        match format.try_read(&input, reading.allow_trailing) {
            Ok(read) => {
                matching = Some((name, read));
                break;
            }
            Err(error) => refusals.push(error),
        }
    }
    let Some((name, (value, used))) = matching else {
        let refusals: String = refusals.iter().map(|error| format!("\n  {error}")).collect();
        let read = if names.is_empty() { "no format here reads that" } else { "the formats that it may be refuse it" };
        bail!("{}: {recognised}, and {read}; name one with --format{refusals}", wanted.path.display());
    };
    match names.len() {
        _ if !certain => say(format_args!("{name} is a guess: {recognised}")),
        1 => say(format_args!("{name}: {recognised}")),
        layouts => say(format_args!("{name}, the first of {layouts} formats with that layout to read it: {recognised}")),
    }
    say_used(name, used, input.len());
    Ok(Found { value, format: name.to_owned() })
}

fn decompressed(registry: &Registry, reading: &Reading, wanted: &Wanted<'_>, input: Payload) -> anyhow::Result<Payload> {
    if let Some(name) = wanted.codec {
        let (info, mut codec) = codec(registry, name)?;
        let payload = reading.decompress(&mut *codec, &input)?;
        say(format_args!("{}: {} bytes decompress to {}", info.name, input.len(), payload.len()));
        return Ok(payload);
    }
    let Some(found) = recognise(&input) else { return Ok(input) };
    let Some(info) = registry.codecs().find(|info| Some(info.wire_format.as_str()) == found.kind.wire_format()) else { return Ok(input) };
    // A format that was named is believed before a guess is.
    if !found.certain && wanted.format.is_some() {
        return Ok(input);
    }
    let mut codec = codec(registry, &info.name)?.1;
    match reading.decompress(&mut *codec, &input) {
        Ok(payload) => {
            say(format_args!("{found}: {} bytes decompress to {}", input.len(), payload.len()));
            Ok(payload)
        }
        Err(error) if found.certain => Err(error.into()),
        Err(_) => Ok(input),
    }
}

/// The formats to try in their order, and whether the bytes themselves say that it is one of these.
fn candidates<'r>(registry: &'r Registry, wanted: &Wanted<'_>, found: Option<Recognition>) -> (Vec<&'r str>, bool) {
    let certain = found.is_some_and(|found| found.certain);
    let wire_format = found.and_then(|found| found.kind.wire_format());
    let mut names: Vec<&str> = Vec::new();
    let of_dataset = || registry.sources().iter().filter(|source| source.dataset == wanted.dataset).map(|source| source.format);
    if let Some(named) = of_name(registry, wanted.path).0 {
        names.extend(
            of_dataset().filter(|info| info.name == named && (!certain || Some(info.wire_format) == wire_format)).map(|info| info.name),
        );
    }
    names.extend(of_dataset().filter(|info| Some(info.wire_format) == wire_format).map(|info| info.name));
    if !certain {
        names.extend(of_dataset().map(|info| info.name));
    }
    let mut seen = Vec::new();
    names.retain(|name| {
        let new = !seen.contains(name);
        seen.push(*name);
        new
    });
    (names, certain)
}

/// A format, and what it is to read.
struct Candidate<'r> {
    source: &'r Source,
    graph: Option<fn(&Payload) -> wirewise::Result<Graph>>,
}

impl<'r> Candidate<'r> {
    fn new(registry: &'r Registry, format: &str, dataset: &str, graphs: bool) -> anyhow::Result<Self> {
        let graph = if graphs { registry.graph_reader(format) } else { None };
        Ok(Self { source: source(registry, format, dataset)?, graph })
    }

    fn decode(&self, payload: &Payload) -> wirewise::Result<Content> {
        if let Some(read) = self.graph {
            return Ok(Content::Graph(Box::new(read(payload)?)));
        }
        let refused = || wirewise::Error::malformed(self.source.format.name, "this format is not decoded here");
        self.source.decode(payload).ok_or_else(refused)?.map(Content::Value)
    }

    /// Reads the payload, and says how many bytes the value took. A format that finds bytes after its value says how many they are, and so
    /// where it ends.
    fn try_read(&self, payload: &Payload, allow_trailing: bool) -> wirewise::Result<(Content, usize)> {
        match self.decode(payload) {
            Err(error) if allow_trailing => match *error.problem() {
                Problem::Trailing { left } if left <= payload.len() as u64 => {
                    let used = payload.len() - left as usize;
                    Ok((self.decode(&Payload::from(&payload[..used]))?, used))
                }
                _ => Err(error),
            },
            read => Ok((read?, payload.len())),
        }
    }

    fn read(&self, payload: &Payload, allow_trailing: bool) -> wirewise::Result<Content> {
        let (value, used) = self.try_read(payload, allow_trailing)?;
        say_used(self.source.format.name, used, payload.len());
        Ok(value)
    }
}

fn say_used(format: &str, used: usize, len: usize) {
    say(format_args!("{format}: {used} bytes used, {} left", len - used));
}

/// Writes a value in a format, and says what the format does not keep of it.
pub(super) fn encoded(source: &Source, value: &AnyValue) -> anyhow::Result<Vec<u8>> {
    let payload = source.encode(&**value).context("a value of another dataset")??;
    match source.round_trip(&**value) {
        Some(wirewise::registry::Fidelity::Changed(what)) => {
            say(format_args!("{} does not keep all of this value: {what}", source.format.name))
        }
        Some(wirewise::registry::Fidelity::Refused(why)) => say(format_args!("{} does not read this back: {why}", source.format.name)),
        Some(wirewise::registry::Fidelity::Kept) | None => {}
    }
    Ok(payload)
}

/// Compresses a payload, if a codec is asked for.
pub(super) fn compressed(registry: &Registry, name: Option<&str>, payload: Vec<u8>) -> anyhow::Result<Vec<u8>> {
    let Some(name) = name else { return Ok(payload) };
    let mut sink = Vec::new();
    codec(registry, name)?.1.compress(&payload, &mut sink)?;
    Ok(sink)
}
