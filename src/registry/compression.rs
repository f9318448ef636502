//! Cases of codecs: every payload both ways, and one member out of compressed parts.

use std::hint::black_box;
use std::rc::Rc;

use super::timing::time;
use super::{Case, CaseId, Loop, MEMBERS_READ, Make, NewCodec, Source, Stock};
use crate::case::DICTIONARY_MEMBERS;
use crate::codec::{Codec, CodecInfo, Parts};
use crate::dataset::{Spec, random_positions};
use crate::error::{Error, Problem, Result};
use crate::limits::Limits;
use crate::operation::Operation;
use crate::payload::Payload;

/// A codec is trained on so many messages, or on fewer where they come to [`SAMPLE_BYTES`].
const SAMPLES: usize = 1000;
const SAMPLE_BYTES: usize = 4 << 20;

/// A dataset cut into payloads that stand alone, each of so many members.
pub(super) struct Cut {
    pub(super) payloads: Vec<Rc<Payload>>,
    pub(super) members_a_part: usize,
    /// The positions that are read, and what each sums to.
    pub(super) reads: Vec<(usize, u64)>,
}

/// The positions that `read-member` reads.
pub(super) fn read_positions(members: usize) -> Vec<usize> {
    random_positions(members, MEMBERS_READ)
}

/// A codec that was declared, and how to make it.
pub(super) struct Compressor {
    pub(super) info: CodecInfo,
    new: NewCodec,
    of_parts: Option<Rc<dyn Fn() -> Box<dyn Parts>>>,
    train: Option<Train>,
}

type Train = Rc<dyn Fn(&[Vec<u8>]) -> Result<Box<dyn Codec>>>;

impl Compressor {
    pub(super) fn new<C: Codec + 'static>(new: impl Fn() -> C + 'static) -> Self {
        Self { info: new().info(), new: Rc::new(move || Box::new(new())), of_parts: None, train: None }
    }

    pub(super) fn of_parts<C: Parts + 'static>(self, new: impl Fn() -> C + 'static) -> Self {
        Self { of_parts: Some(Rc::new(move || Box::new(new()))), ..self }
    }

    pub(super) fn trained_by<C: Codec + 'static>(self, train: impl Fn(&[Vec<u8>]) -> Result<C> + 'static) -> Self {
        Self { train: Some(Rc::new(move |samples| Ok(Box::new(train(samples)?)))), ..self }
    }

    /// What makes one that is not trained.
    pub(super) fn maker(&self) -> NewCodec {
        self.new.clone()
    }

    /// One that can be measured on payloads of this source: trained on others of its kind, where it is one to train.
    fn ready(&self, spec: &Spec, source: &Source) -> Result<Box<dyn Codec>> {
        match &self.train {
            None => Ok((self.new)()),
            Some(train) => train(&samples(spec, source)?),
        }
    }

    pub(super) fn compressed_size(&self, stock: &mut Stock, spec: &Spec, source: &Source) -> Result<usize> {
        let payload = source.payload(stock, spec)?;
        let mut codec = self.ready(spec, source)?;
        Ok(stock.compressed(&self.id(Operation::Compress, source), spec, &mut *codec, &payload)?.len())
    }

    pub(super) fn state_bytes(&self, stock: &mut Stock, spec: &Spec, source: &Source) -> Result<usize> {
        let payload = source.payload(stock, spec)?;
        let mut codec = self.ready(spec, source)?;
        let mut compressed = Vec::new();
        codec.compress(&payload, &mut compressed)?;
        codec.decompress(&compressed, &limits(payload.len(), compressed.len()), &mut Payload::default())?;
        Ok(codec.state_bytes())
    }

    pub(super) fn cases(&self, source: &Source) -> Vec<Case> {
        let mut cases = vec![self.case(Operation::Compress, source), self.case(Operation::Decompress, source)];
        if let (Some(parts), Some(cut), Some(reader)) = (&self.of_parts, &source.parts, &source.reader) {
            let (parts, cut, reader) = (parts.clone(), cut.clone(), reader.clone());
            let prepare: Make<Loop> = Rc::new(move |stock, spec| {
                let codec = parts();
                let cut = cut(stock, spec, codec.part_size())?;
                read_member(codec, cut, reader())
            });
            cases.push(Case { id: self.id(Operation::ReadMember, source), prepare });
        }
        cases
    }

    fn id(&self, operation: Operation, source: &Source) -> CaseId {
        let codec = Some(self.info.name.clone());
        CaseId { operation, dataset: source.dataset.into(), format: source.format.name.into(), codec }
    }

    fn case(&self, operation: Operation, source: &Source) -> Case {
        let id = self.id(operation, source);
        let made = self.id(Operation::Compress, source);
        let this = Self { info: self.info.clone(), new: self.new.clone(), of_parts: None, train: self.train.clone() };
        let source = source.clone();
        let prepare: Make<Loop> = Rc::new(move |stock, spec| {
            let payload = source.payload(stock, spec)?;
            let mut codec = this.ready(spec, &source)?;
            let compressed = stock.compressed(&made, spec, &mut *codec, &payload)?;
            if operation == Operation::Compress {
                let mut sink = compressed.to_vec();
                return Ok(Box::new(move |n| time(n, 1, || codec.compress(black_box(&payload), &mut sink))));
            }
            let mut decompressed = Payload::default();
            let limits = limits(payload.len(), compressed.len());
            codec.decompress(&compressed, &limits, &mut decompressed)?;
            // The bytes themselves, and not a value decoded from them, which would stand beside everything else in memory.
            if decompressed.as_slice() != payload.as_slice() {
                return Err(Error::malformed("registry", format_args!("{made}: what was decompressed is not what was compressed")));
            }
            Ok(Box::new(move |n| time(n, 1, || codec.decompress(black_box(&compressed), &limits, &mut decompressed))))
        });
        Case { id, prepare }
    }
}

/// What is known to come out may come out, however little it was compressed to.
fn limits(bytes_out: usize, compressed: usize) -> Limits {
    Limits { bytes_out, ..Limits::for_payload(compressed) }
}

/// Messages of the same kind and of other seeds than the one that is measured: a dictionary must not have seen what it is judged by.
fn samples(spec: &Spec, source: &Source) -> Result<Vec<Vec<u8>>> {
    let mut stock = Stock::default();
    let mut samples: Vec<Vec<u8>> = Vec::new();
    let mut bytes = 0;
    for seed in (1..).filter(|seed| *seed != spec.seed).take(SAMPLES) {
        let other = Spec { seed, members: spec.members.min(DICTIONARY_MEMBERS), variant: spec.variant.clone() };
        let payload = source.payload(&mut stock, &other)?;
        bytes += payload.len();
        samples.push(payload.to_vec());
        if bytes >= SAMPLE_BYTES {
            break;
        }
    }
    Ok(samples)
}

/// The loop that finds the part of each position, decompresses it, and reads the one member.
fn read_member(mut codec: Box<dyn Parts>, cut: Cut, mut reader: super::MemberReader) -> Result<Loop> {
    let Cut { payloads, members_a_part, reads } = cut;
    let mut compressed = Vec::new();
    codec.compress_parts(&mut payloads.iter().map(|payload| payload.as_slice()), &mut compressed)?;
    let limits = limits(payloads.iter().map(|payload| payload.len()).max().unwrap_or(0), compressed.len());
    drop(payloads);
    let mut part = Payload::default();
    let mut read = move |position: usize| {
        codec.decompress_part(black_box(&compressed), position / members_a_part, &limits, &mut part)?;
        reader(&part, &[position % members_a_part])
    };
    for &(position, expected) in &reads {
        let found = read(position)?;
        if found != expected {
            return Err(Error::new("read-member", Problem::WrongReading { expected, found }));
        }
    }
    let positions: Vec<usize> = reads.iter().map(|(position, _)| *position).collect();
    Ok(Box::new(move |n| time(n, 1, || positions.iter().try_fold(0u64, |sum, &position| Ok(sum.wrapping_add(read(position)?))))))
}
