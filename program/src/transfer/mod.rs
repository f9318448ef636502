//! Transfers that are really run: from the writer's value, over a link, to everything read at the reader's.
//!
//! They check the model of [`choice`](wirewise::choice), and take nothing from it: what the model needs is measured by the registry's own
//! loops, and what is run here is a connection of this machine held to a speed, or a file.

mod file;
mod tcp;

use std::time::Duration;

use wirewise::choice::model::planned;
use wirewise::choice::{CodecFacts, Estimate, Facts, FormatFacts, Plan, Way, WayFacts, Wish};
use wirewise::codec::Codec;
use wirewise::dataset::Spec;
use wirewise::error::{Error, Problem, Result};
use wirewise::limits::Limits;
use wirewise::measure::{Budget, sample};
use wirewise::operation::Operation;
use wirewise::payload::Payload;
use wirewise::record::Link;
use wirewise::registry::{CaseId, Encoder, Ends, NATIVE, Reader, Registry, Stock};
use wirewise::statistics::Summary;

pub use file::{Disk, Speeds};

/// What is run: a format and codec, and how the payload is read.
#[derive(Clone)]
pub struct Pipeline {
    /// The format's ends.
    pub ends: Ends,
    /// The codec's name.
    pub codec: Option<String>,
    /// The way of reading.
    pub way: Way,
}

/// Why a transfer failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransferError {
    /// A format or codec failed, or what was read is not what was written.
    #[error(transparent)]
    Format(#[from] Error),
    /// The connection or the file failed.
    #[error("the link: {0}")]
    Link(#[from] std::io::Error),
    /// A thread of the transfer ended before its time.
    #[error("the other end of the transfer is gone")]
    Gone,
}

/// A message and its blocks: the same number of members each.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// What a block holds.
    pub block: Spec,
    /// How many there are; one for a transfer in sequence.
    pub blocks: usize,
}

impl Message {
    /// The whole as one, or cut as the model cuts it.
    pub fn of(spec: &Spec, plan: Plan, data_bytes_per_member: f64) -> Self {
        let blocks = match plan {
            Plan::Sequence => 1,
            Plan::Blocks => ((spec.members as f64 * data_bytes_per_member / wirewise::choice::model::BLOCK) as usize).max(1),
        };
        Self { block: Spec { members: spec.members / blocks, ..spec.clone() }, blocks }
    }

    /// The members of all blocks.
    pub fn members(&self) -> usize {
        self.block.members * self.blocks
    }
}

impl Pipeline {
    /// Runs the transfer `samples` times and once more before that, to warm up. Gives the times, and the bytes over the link.
    ///
    /// # Errors
    ///
    /// A step failed, or what was read is not what was written.
    pub fn run(
        &self,
        registry: &Registry,
        message: &Message,
        link: &Link,
        samples: usize,
    ) -> std::result::Result<(Vec<Duration>, u64), TransferError> {
        let (mut times, mut bytes) = (Vec::new(), 0);
        for _ in 0..=samples {
            let (time, sent) = match *link {
                Link::Tcp { bandwidth } => tcp::transfer(self, registry, message, bandwidth)?,
                Link::File { cold, .. } => file::transfer(self, registry, message, cold, false)?,
                Link::Map { cold, .. } => file::transfer(self, registry, message, cold, true)?,
            };
            times.push(time);
            bytes = sent;
        }
        Ok((times.split_off(1), bytes))
    }

    /// The writer, ready to encode.
    fn writer(&self, registry: &Registry, message: &Message) -> Result<Writer> {
        let mut writer = Writer { encode: (self.ends.encoder)(&message.block)?, codec: self.new_codec(registry)?, payload: Vec::new() };
        // A used sink, as in the measurements that the model takes.
        writer.write(&mut Vec::new())?;
        Ok(writer)
    }

    /// The reader, ready to read.
    fn receiver(&self, registry: &Registry, message: &Message) -> Result<Receiver> {
        let missing = || Error::malformed("transfer", format_args!("{} is not read by {}", self.ends.format, self.way.reads_all()));
        Ok(Receiver {
            read: self.ends.reader(self.way.reads_all()).ok_or_else(missing)?,
            codec: self.new_codec(registry)?,
            decompressed: Payload::default(),
            expected: (self.ends.checksum)(&message.block)?,
            kept: Vec::new(),
        })
    }

    fn new_codec(&self, registry: &Registry) -> Result<Option<Box<dyn Codec>>> {
        let Some(name) = &self.codec else { return Ok(None) };
        registry.new_codec(name).map(Some).ok_or_else(|| Error::malformed("transfer", format_args!("no codec {name}")))
    }

    /// What the model needs to know of this pipeline, measured now by the registry's loops.
    ///
    /// # Errors
    ///
    /// A case failed or does not exist.
    pub fn facts(&self, registry: &Registry, stock: &mut Stock, spec: &Spec, budget: Budget) -> Result<Facts> {
        let mut time = |operation: Operation, format: &str, codec: Option<&str>| -> Result<Summary> {
            let id = CaseId { operation, dataset: self.ends.dataset.into(), format: format.into(), codec: codec.map(str::to_owned) };
            let case = registry.case(&id).ok_or_else(|| Error::malformed("transfer", format_args!("there is no {id}")))?;
            let samples = sample(&mut case.prepare(stock, spec)?, budget)?;
            Ok(Summary::of(&samples).unwrap_or(Summary::ZERO) * (1.0 / spec.members.max(1) as f64))
        };
        let format = self.ends.format;
        let open = time(self.way.opens(), format, None)?;
        let all = match self.way {
            Way::Decode => open + time(Operation::ReadAll, NATIVE, None)?,
            way => time(way.reads_all(), format, None)?,
        };
        let encode = time(Operation::Encode, format, None)?;
        let codec = self.codec.as_deref();
        let coded = codec.map(|codec| {
            Ok::<_, Error>((time(Operation::Compress, format, Some(codec))?, time(Operation::Decompress, format, Some(codec))?))
        });
        let coded = coded.transpose()?;
        let source = registry.source(format, self.ends.dataset).ok_or_else(|| Error::malformed("transfer", "no such format"))?;
        let per_member = |bytes: usize| bytes as f64 / spec.members.max(1) as f64;
        let codecs = match (codec, coded) {
            (Some(codec), Some((compress, decompress))) => {
                let bytes = per_member(registry.compressed_size(stock, spec, source, codec)?);
                vec![CodecFacts { name: codec.to_owned(), bytes, compress, decompress, members: spec.members }]
            }
            _ => Vec::new(),
        };
        let bytes = per_member(source.payload(stock, spec)?.len());
        Ok(Facts {
            dataset: self.ends.dataset.to_owned(),
            variant: spec.variant.clone(),
            members: spec.members,
            run: String::new(),
            data_bytes: per_member(source.data_size(stock, spec)?),
            value_bytes: None,
            noise: 0.0,
            formats: vec![FormatFacts {
                name: format.to_owned(),
                ours: false,
                bytes,
                encode,
                ways: vec![WayFacts { way: self.way, open, all, peak: None, damaged: None }],
                codecs,
                evolves: None,
            }],
        })
    }
}

/// What the model says of facts that hold one pipeline.
pub fn predict(facts: &Facts, link: &Link, plan: Plan) -> Option<Estimate> {
    let format = facts.formats.first()?;
    let (bandwidth, stored_at) = match *link {
        Link::Tcp { bandwidth } => (bandwidth, None),
        Link::File { write, read, .. } | Link::Map { write, read, .. } => (read, Some(write)),
    };
    let wish = Wish { members: facts.members as f64, bandwidth, stored_at, ..Wish::default() };
    Some(planned(facts, format, format.codecs.first(), format.ways.first()?, &wish, plan))
}

/// The writer's end: encodes, and compresses where there is a codec.
struct Writer {
    encode: Encoder,
    codec: Option<Box<dyn Codec>>,
    payload: Vec<u8>,
}

impl Writer {
    /// One block as it goes over the link.
    fn write(&mut self, sink: &mut Vec<u8>) -> Result<()> {
        match &mut self.codec {
            None => (self.encode)(sink),
            Some(codec) => {
                (self.encode)(&mut self.payload)?;
                codec.compress(&self.payload, sink)
            }
        }
    }
}

/// The reader's end: decompresses where there is a codec, and reads everything.
struct Receiver {
    read: Reader,
    codec: Option<Box<dyn Codec>>,
    decompressed: Payload,
    expected: u64,
    /// What was decoded: the reader has it in the end, so it is not dropped before.
    kept: Vec<Box<dyn std::any::Any>>,
}

impl Receiver {
    fn read(&mut self, received: &Payload) -> Result<()> {
        let payload = match &mut self.codec {
            None => received,
            Some(codec) => {
                codec.decompress(received, &Limits::for_payload(received.len()), &mut self.decompressed)?;
                &self.decompressed
            }
        };
        let (found, kept) = (self.read)(payload)?;
        self.kept.push(kept);
        let expected = self.expected;
        if found == expected { Ok(()) } else { Err(Error::new("transfer", Problem::WrongReading { expected, found })) }
    }
}

#[cfg(test)]
mod tests;
