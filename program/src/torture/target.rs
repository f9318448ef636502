//! What is tortured: a format on a dataset, or a codec.

use wirewise::dataset::Spec;
use wirewise::envelope::{Envelope, HEADER, Reader, hash};
use wirewise::error::{Error, Result};
use wirewise::limits::Limits;
use wirewise::operation::Operation;
use wirewise::payload::Payload;
use wirewise::record::TortureKind;
use wirewise::registry::{self, Registry, Source, Stock};

/// A payload is small if every value of every byte can be tried.
const SMALL: usize = 1_500;

/// At most so many mutations are spent on every value of every byte, whatever the format's payloads are like.
const EVERY_BYTE: usize = 500_000;

/// Members of the payloads of which every bit is turned, and of those of which there are only splices.
const MEMBERS: (usize, usize) = (30, 1_000);

/// Which mutations a payload gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Part {
    /// Every cut and every value of every byte.
    EveryByte,
    /// Every cut and every bit.
    EveryBit,
    /// Small, and only splices.
    Splices,
    /// Large, and a few splices.
    FewSplices,
}

/// An undamaged payload.
pub(super) struct Subject {
    pub(super) name: String,
    pub(super) bytes: Vec<u8>,
    pub(super) part: Part,
    /// What each reading gives of it; nothing where the reading refuses it, which the fidelity table tells.
    pub(super) expected: Vec<Option<u64>>,
    /// The header of the envelope in front of it.
    pub(super) header: [u8; HEADER],
}

/// Makes readers of one kind.
type Start = Box<dyn Fn() -> registry::Reader>;

/// A format on a dataset, or a codec.
pub(super) struct Target {
    pub(super) kind: TortureKind,
    pub(super) dataset: String,
    pub(super) readings: Vec<(Operation, Start)>,
    pub(super) subjects: Vec<Subject>,
    pub(super) reader: Reader,
}

/// The names of all targets: formats, with their dataset behind them where it is not the first, and codecs.
pub fn names(registry: &Registry) -> Vec<String> {
    let formats = registry.sources().iter().filter(|source| !source.readings().is_empty()).map(|source| name(registry, source));
    formats.chain(registry.codecs().filter(|codec| codec.by_default).map(|codec| codec.name.clone())).collect()
}

fn name(registry: &Registry, source: &Source) -> String {
    match registry.datasets().first() {
        Some(first) if first.name == source.dataset => source.format.name.to_owned(),
        _ => format!("{}/{}", source.format.name, source.dataset),
    }
}

impl Target {
    /// The target of this name, with its payloads.
    pub(super) fn find(registry: &Registry, wanted: &str) -> Result<Self> {
        if let Some(source) = registry.sources().iter().find(|source| name(registry, source) == wanted) {
            return Self::format(registry, source);
        }
        match registry.codecs().any(|codec| codec.name == wanted) {
            true => Self::codec(registry, wanted),
            false => Err(Error::malformed("registry", format_args!("no format or codec {wanted}"))),
        }
    }

    fn format(registry: &Registry, source: &Source) -> Result<Self> {
        let readings = source.readings().iter().copied().map(|reading| (reading.operation, Box::new(move || reading.start()) as Start));
        let mut target = Self::empty(TortureKind::Format, source.dataset, source.format.name, readings.collect());
        for (name, payload) in source.probe_payloads() {
            target.add(name.to_owned(), payload, Part::Splices);
        }
        for (members, part) in [(1, Part::Splices), (MEMBERS.0, Part::EveryBit), (MEMBERS.1, Part::FewSplices)] {
            target.add(format!("{members} members"), payload(registry, source, members)?.to_vec(), part);
        }
        target.choose_every_byte();
        Ok(target)
    }

    /// What a codec compresses here are payloads of the first and the last format, one of text and one of numbers as a rule.
    fn codec(registry: &Registry, name: &str) -> Result<Self> {
        let new = registry.codec_maker(name).ok_or_else(|| Error::malformed("registry", format_args!("no codec {name}")))?;
        let start_codec = new.clone();
        let start: Start = Box::new(move || {
            let (mut codec, mut payload) = (start_codec(), Payload::default());
            Box::new(move |bytes| {
                codec.decompress(bytes, &Limits::for_payload(bytes.len()), &mut payload)?;
                Ok((hash(&payload), Box::new(())))
            })
        });
        let mut target = Self::empty(TortureKind::Codec, "", name, vec![(Operation::Decompress, start)]);
        let mut compress = |name: String, bytes: &[u8], part| {
            let mut sink = Vec::new();
            new().compress(bytes, &mut sink)?;
            target.add(name, sink, part);
            Ok(())
        };
        compress("nothing".into(), b"", Part::Splices)?;
        compress("one byte".into(), b"a", Part::Splices)?;
        compress("a run".into(), &[b'a'; 1_000], Part::Splices)?;
        let sources = [registry.sources().first(), registry.sources().last()];
        for source in sources.into_iter().flatten() {
            for (members, part) in [(1, Part::Splices), (3, Part::Splices), (MEMBERS.0, Part::EveryBit), (MEMBERS.1, Part::FewSplices)] {
                compress(format!("{members} members as {}", source.format.name), &payload(registry, source, members)?, part)?;
            }
        }
        target.choose_every_byte();
        Ok(target)
    }

    fn empty(kind: TortureKind, dataset: &str, name: &str, readings: Vec<(Operation, Start)>) -> Self {
        let mut format = [b' '; 4];
        for (letter, of_name) in format.iter_mut().zip(name.bytes()) {
            *letter = of_name;
        }
        Self { kind, dataset: dataset.to_owned(), readings, subjects: Vec::new(), reader: Reader { format, version: 1, layout: 0 } }
    }

    fn add(&mut self, name: String, bytes: Vec<u8>, part: Part) {
        let part = if part == Part::Splices && bytes.len() > SMALL { Part::FewSplices } else { part };
        let payload = Payload::from(bytes.as_slice());
        let expected = self.readings.iter().map(|(_, start)| start()(&payload).ok().map(|(checksum, _)| checksum)).collect();
        let Reader { format, version, layout } = self.reader;
        let mut sealed = Vec::new();
        Envelope { format, schema_hash: 0, version, least_reader_version: version, layout }.seal(&bytes, &mut sealed);
        let mut header = [0; HEADER];
        header.copy_from_slice(&sealed[..HEADER]);
        self.subjects.push(Subject { name, bytes, part, expected, header });
    }

    /// As many of the small payloads as there is room for, in their order, are tried with every value of every byte.
    fn choose_every_byte(&mut self) {
        let mut left = EVERY_BYTE;
        for subject in self.subjects.iter_mut().filter(|subject| subject.part == Part::Splices && !subject.bytes.is_empty()) {
            let Some(rest) = left.checked_sub(subject.bytes.len() * 256) else { break };
            (subject.part, left) = (Part::EveryByte, rest);
        }
    }
}

fn payload(registry: &Registry, source: &Source, members: usize) -> Result<Payload> {
    let dataset = registry.dataset(source.dataset);
    let spec: Spec = dataset.ok_or_else(|| Error::malformed("registry", format_args!("no dataset {}", source.dataset)))?.spec(members);
    Ok(Payload::clone(&*source.payload(&mut Stock::default(), &spec)?))
}
