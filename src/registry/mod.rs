//! Cases: format × dataset × operation, and how to run each.
//!
//! A format declares what it can do; each declaration is bounded by the trait that does it. The types end here: a case hands out a
//! [`Loop`] that times a whole run of iterations, so the dynamic call stands around the loop and not inside it.

mod compression;
mod declaration;
mod ends;
mod graphs;
mod notation;
mod openings;
mod stock;
mod timing;

use std::any::Any;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

pub use crate::case::{CaseId, Fidelity, MEMBERS_READ, MESSAGES, NATIVE, RANDOM_READS};
pub use declaration::Declaration;
pub use ends::{Encoder, Ends, Reader, Reading};
pub use graphs::{GraphReader, Modelled, Modeller};
pub use notation::{AnyValue, Notation};
pub use openings::{Opened, Opening, Use, Visit};
pub use stock::{Stock, Subject};

use crate::codec::{self, Codec, CodecInfo, Parts};
use crate::dataset::{Dataset, Organization, Person, Spec};
use crate::error::{Error, Result};
use crate::format::{self, Finding, Format, Info, Validation};
use crate::operation::Operation;
use crate::payload::Payload;
use compression::Compressor;
use timing::{time, time_taking};

/// Times this many iterations and returns their total time; what the iterations produce is dropped outside the timer.
pub type Loop = Box<dyn FnMut(u64) -> Result<Duration>>;

/// Something that is made of a dataset or its payload, when it is asked for.
pub type Make<T> = Rc<dyn Fn(&mut Stock, &Spec) -> Result<T>>;

/// One thing that can be measured.
#[derive(Clone)]
pub struct Case {
    /// Its name.
    pub id: CaseId,
    prepare: Make<Loop>,
}

impl Case {
    /// Makes the dataset and payload that the case needs, proves that the operation gives the right values, and returns its loop.
    ///
    /// # Errors
    ///
    /// The operation failed, or its result is not the dataset's.
    pub fn prepare(&self, stock: &mut Stock, spec: &Spec) -> Result<Loop> {
        (self.prepare)(stock, spec)
    }
}

/// Two cases whose ratio says something in itself, such as an encoder against memcpy.
#[derive(Clone)]
pub struct Comparison {
    /// What is judged.
    pub case: CaseId,
    /// What it is judged by.
    pub against: CaseId,
    /// The ratio that is not to be exceeded.
    pub at_most: f64,
    /// Where the two write different bytes and are compared for each of them: how many each writes.
    pub bytes: Option<Make<(u64, u64)>>,
}

/// A case that is held to so many bytes of its payload a second.
#[derive(Debug, Clone)]
pub struct Speed {
    /// What is judged.
    pub case: CaseId,
    /// Megabytes (10⁶ bytes) a second.
    pub at_least: f64,
}

/// A reading with a library's own default limits, to see whether they stop the dataset.
#[derive(Clone, Copy)]
pub struct DefaultLimits {
    /// The format's name.
    pub format: &'static str,
    /// The dataset's name.
    pub dataset: &'static str,
    /// The limit in words, with its default value.
    pub limit: &'static str,
    /// Reads a payload with the limit at its default.
    pub read: fn(&Payload) -> Result<()>,
}

type Verify = Rc<dyn Fn(&mut Stock, &Spec, &Payload) -> Result<()>>;

/// A probe's name, and its value behind `Any`.
type Probe = (&'static str, Box<dyn Any>);

/// What is done with a value of the source's own dataset, which stands behind `Any`: nothing comes of a value of another type.
type OfValue<R> = Rc<dyn Fn(&dyn Any) -> Option<R>>;

/// Decodes the value at a payload's start, and tells how many bytes it took and how many are left.
type UsedAndLeft = fn(&Payload) -> Result<(usize, usize)>;

/// Reads the members at these positions of a payload, in the format's own cheapest way that is safe, and returns their checksum.
type MemberReader = Box<dyn FnMut(&Payload, &[usize]) -> Result<u64>>;
type NewReader = Rc<dyn Fn() -> MemberReader>;

/// The dataset cut into payloads of about so many bytes.
type CutParts = Rc<dyn Fn(&mut Stock, &Spec, usize) -> Result<compression::Cut>>;

/// A format that encodes a dataset: where payloads come from.
#[derive(Clone)]
pub struct Source {
    /// The format.
    pub format: Info,
    /// The dataset's name.
    pub dataset: &'static str,
    payload: Make<Rc<Payload>>,
    data_size: Make<usize>,
    encode: OfValue<Result<Vec<u8>>>,
    decode: Option<fn(&Payload) -> Result<AnyValue>>,
    verify: Option<Verify>,
    prefix: Option<UsedAndLeft>,
    inspect: Option<fn(&Payload) -> Vec<Finding>>,
    parts: Option<CutParts>,
    reader: Option<NewReader>,
    round_trip: Option<OfValue<Fidelity>>,
    ends: Ends,
    probes: fn() -> Vec<Probe>,
}

impl Source {
    /// The dataset as this format writes it.
    ///
    /// # Errors
    ///
    /// The format refused.
    pub fn payload(&self, stock: &mut Stock, spec: &Spec) -> Result<Rc<Payload>> {
        (self.payload)(stock, spec)
    }

    /// The bytes of the dataset's own data, see [`Dataset::data_size`].
    ///
    /// # Errors
    ///
    /// The dataset has no such variant.
    pub fn data_size(&self, stock: &mut Stock, spec: &Spec) -> Result<usize> {
        (self.data_size)(stock, spec)
    }

    /// Decodes a payload and compares its checksum with the dataset's.
    ///
    /// # Errors
    ///
    /// It cannot be decoded, or holds other values.
    pub fn verify(&self, stock: &mut Stock, spec: &Spec, payload: &Payload) -> Result<()> {
        self.verify.as_ref().map_or(Ok(()), |verify| verify(stock, spec, payload))
    }

    /// How many bytes the value at the payload's start takes, and how many are left behind it; nothing if the format does not tell where its
    /// values end.
    pub fn prefix(&self, payload: &Payload) -> Option<Result<(usize, usize)>> {
        Some(self.prefix?(payload))
    }

    /// What decoding the payload passes over in silence; nothing for a format that is not looked through.
    pub fn inspect(&self, payload: &Payload) -> Option<Vec<Finding>> {
        Some(self.inspect?(payload))
    }

    /// Every way in which this format reads a payload that may come from anywhere.
    pub fn readings(&self) -> &[Reading] {
        &self.ends.readings
    }

    /// The format as both ends of a transfer.
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// The dataset's probes as this format writes them, without those that it refuses to write.
    pub fn probe_payloads(&self) -> Vec<(&'static str, Vec<u8>)> {
        (self.probes)().into_iter().filter_map(|(name, value)| Some((name, self.encode(&*value)?.ok()?))).collect()
    }

    /// A value as this format writes it; nothing if the value is not of the source's dataset.
    pub fn encode(&self, value: &dyn Any) -> Option<Result<Vec<u8>>> {
        (self.encode)(value)
    }

    /// The value that fills a payload to its end; nothing if the format does not decode.
    pub fn decode(&self, payload: &Payload) -> Option<Result<AnyValue>> {
        self.decode.map(|decode| decode(payload))
    }

    /// What comes back of a value; nothing if the value is not of the source's dataset, or the format does not decode.
    pub fn round_trip(&self, value: &dyn Any) -> Option<Fidelity> {
        self.round_trip.as_ref()?(value)
    }

    /// What comes back of each of the dataset's probes; empty for a format that does not decode.
    pub fn fidelity(&self) -> Vec<(&'static str, Fidelity)> {
        (self.probes)().into_iter().filter_map(|(name, value)| Some((name, self.round_trip(&*value)?))).collect()
    }
}

/// A dataset that formats were declared for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DatasetInfo {
    /// See [`Dataset::NAME`].
    pub name: &'static str,
    /// See [`Dataset::DESCRIPTION`].
    pub description: &'static str,
    /// See [`Dataset::VARIANTS`].
    pub variants: &'static [&'static str],
    /// See [`Dataset::SEED`].
    pub seed: u64,
    /// See [`Dataset::MEASURED`].
    pub measured: bool,
}

impl DatasetInfo {
    /// The default seed and variant, with so many members.
    pub fn spec(&self, members: usize) -> Spec {
        Spec { members, seed: self.seed, variant: self.variants[0].to_owned() }
    }
}

/// Makes a codec.
pub type NewCodec = Rc<dyn Fn() -> Box<dyn Codec>>;

/// Everything that can be measured.
#[derive(Default)]
pub struct Registry {
    formats: Vec<Info>,
    datasets: Vec<DatasetInfo>,
    sources: Vec<Source>,
    cases: Vec<Case>,
    comparisons: Vec<Comparison>,
    speeds: Vec<Speed>,
    default_limits: Vec<DefaultLimits>,
    codecs: Vec<Compressor>,
    openings: Vec<Opening>,
    validations: Vec<(&'static str, Validation)>,
    notations: Vec<Notation>,
    graph_readers: Vec<(&'static str, GraphReader)>,
    modellers: Vec<(&'static str, Modeller)>,
}

impl Registry {
    /// Nothing declared: for a registry of your own types.
    pub fn new() -> Self {
        Self::default()
    }

    /// The crate's codecs and nothing else, to declare your own dataset and formats on.
    pub fn with_codecs() -> Self {
        let mut registry = Self::new();
        codec::register(&mut registry);
        registry
    }

    /// The crate's own formats and codecs, as far as their features are enabled.
    pub fn standard() -> Self {
        let mut registry = Self::with_codecs();
        format::register(&mut registry);
        registry.notation::<Organization>();
        registry.notation::<Person>();
        registry
    }

    /// Lets a program print the values of a dataset as JSON and read them from it.
    pub fn notation<T: Dataset + Serialize + DeserializeOwned>(&mut self) {
        self.notations.push(Notation::of::<T>());
    }

    /// Declares a format for a dataset; what it can do is said by the calls on what this returns.
    pub fn declare<F: Format, T: Dataset>(&mut self) -> Declaration<'_, F, T> {
        if !self.formats.iter().any(|info| info.name == F::INFO.name) {
            self.formats.push(F::INFO);
        }
        if !self.datasets.iter().any(|dataset| dataset.name == T::NAME) {
            self.datasets.push(DatasetInfo {
                name: T::NAME,
                description: T::DESCRIPTION,
                variants: T::VARIANTS,
                seed: T::SEED,
                measured: T::MEASURED,
            });
            self.declare_native::<T>();
        }
        Declaration::new(self)
    }

    /// Declares a codec; `new` makes one of its state.
    pub fn codec<C: Codec + 'static>(&mut self, new: impl Fn() -> C + 'static) {
        self.codecs.push(Compressor::new(new));
    }

    /// Declares a codec whose parts can be had one by one.
    pub fn codec_of_parts<C: Parts + 'static>(&mut self, new: impl Fn() -> C + Clone + 'static) {
        self.codecs.push(Compressor::new(new.clone()).of_parts(new));
    }

    /// Declares a codec that is trained on other messages before it is measured; `new` makes one that is not trained.
    pub fn codec_to_train<C: Codec + 'static>(&mut self, new: impl Fn() -> C + 'static, train: impl Fn(&[Vec<u8>]) -> Result<C> + 'static) {
        self.codecs.push(Compressor::new(new).trained_by(train));
    }

    /// The floors that need no format: the value itself, cloned, dropped and read.
    fn declare_native<T: Dataset>(&mut self) {
        self.add_native::<T>(Operation::Clone, |subject| Box::new(move |n| time(n, 1, || Ok(black_box(&subject.value).clone()))));
        self.add_native::<T>(Operation::Drop, |subject| {
            Box::new(move |n| {
                time_taking(
                    n,
                    || Ok(subject.value.clone()),
                    |value| {
                        drop(value);
                        Ok(())
                    },
                )
            })
        });
        self.add_native::<T>(Operation::ReadAll, |subject| Box::new(move |n| time(n, 1, || black_box(&subject.value).checksum())));
        self.add_native::<T>(Operation::ReadField, |subject| Box::new(move |n| time(n, 1, || black_box(&subject.value).sum_field())));
        self.add_native::<T>(Operation::ReadRandom, |subject| {
            Box::new(move |n| time(n, 1, || black_box(&subject.value).checksum_at(&subject.positions)))
        });
    }

    fn add_native<T: Dataset>(&mut self, operation: Operation, make: impl Fn(Rc<Subject<T>>) -> Loop + 'static) {
        let id = CaseId { operation, dataset: T::NAME.into(), format: NATIVE.into(), codec: None };
        self.cases.push(Case { id, prepare: Rc::new(move |stock, spec| Ok(make(stock.subject::<T>(spec)?))) });
    }

    /// The formats, in the order they were declared.
    pub fn formats(&self) -> &[Info] {
        &self.formats
    }

    /// The datasets.
    pub fn datasets(&self) -> &[DatasetInfo] {
        &self.datasets
    }

    /// The dataset of this name.
    pub fn dataset(&self, name: &str) -> Option<&DatasetInfo> {
        self.datasets.iter().find(|dataset| dataset.name == name)
    }

    /// The codecs.
    pub fn codecs(&self) -> impl Iterator<Item = &CodecInfo> {
        self.codecs.iter().map(|codec| &codec.info)
    }

    /// One of the codecs, ready to use; one that can be trained is not trained.
    pub fn new_codec(&self, name: &str) -> Option<Box<dyn Codec>> {
        self.codec_maker(name).map(|new| new())
    }

    /// What makes one of the codecs, for whoever needs it again and again.
    pub fn codec_maker(&self, name: &str) -> Option<NewCodec> {
        self.codecs.iter().find(|codec| codec.info.name == name).map(Compressor::maker)
    }

    /// The bytes that a payload comes to under a codec.
    ///
    /// # Errors
    ///
    /// The format or the codec refused.
    pub fn compressed_size(&self, stock: &mut Stock, spec: &Spec, source: &Source, codec: &str) -> Result<usize> {
        self.compressor(codec)?.compressed_size(stock, spec, source)
    }

    /// The memory of a codec's own state, outside Rust's allocator, once it has compressed and decompressed a payload: see
    /// [`Codec::state_bytes`].
    ///
    /// # Errors
    ///
    /// The format or the codec refused.
    pub fn codec_state_bytes(&self, stock: &mut Stock, spec: &Spec, source: &Source, codec: &str) -> Result<usize> {
        self.compressor(codec)?.state_bytes(stock, spec, source)
    }

    fn compressor(&self, name: &str) -> Result<&Compressor> {
        let found = self.codecs.iter().find(|codec| codec.info.name == name);
        found.ok_or_else(|| Error::malformed("registry", format_args!("no codec {name}")))
    }

    /// The formats that encode, one entry for each dataset.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The format of this name, encoding the dataset of that one.
    pub fn source(&self, format: &str, dataset: &str) -> Option<&Source> {
        self.sources.iter().find(|source| source.format.name == format && source.dataset == dataset)
    }

    /// The ratios that are held to a bound.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// The speeds that are held to a bound.
    pub fn speeds(&self) -> &[Speed] {
        &self.speeds
    }

    /// The readings under default limits.
    pub fn default_limits(&self) -> &[DefaultLimits] {
        &self.default_limits
    }

    /// When a format's access validates, if it has one.
    pub fn validation(&self, format: &str) -> Option<Validation> {
        self.validations.iter().find(|(name, _)| *name == format).map(|(_, validation)| *validation)
    }

    /// The datasets that have a JSON form.
    pub fn notations(&self) -> &[Notation] {
        &self.notations
    }

    /// Every case: those of the formats, then every encoded dataset through every codec.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = self.cases.clone();
        for source in &self.sources {
            cases.extend(self.codecs.iter().flat_map(|codec| codec.cases(source)));
        }
        cases
    }

    /// The case of this name.
    pub fn case(&self, id: &CaseId) -> Option<Case> {
        self.cases().into_iter().find(|case| case.id == *id)
    }
}
