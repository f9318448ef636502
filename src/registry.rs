//! Cases: format × dataset × operation, and how to run each.
//!
//! A format declares what it can do; each declaration is bounded by the trait that does it. The types end here: a case hands out a
//! [`Loop`] that times a whole run of iterations, so the dynamic call stands around the loop and not inside it.

use std::any::{Any, TypeId};
use std::fmt;
use std::hint::black_box;
use std::marker::PhantomData;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::codec::{self, Codec, CodecInfo};
use crate::dataset::{Dataset, Read, Spec, random_positions};
use crate::error::{Error, Problem, Result};
use crate::format::{self, Access, AccessUnchecked, Borrow, Convert, Decode, Encode, Format, Info, Populate, Update, Validation};
use crate::operation::Operation;
use crate::payload::Payload;

/// The name under which the value itself, without any format, stands among the formats.
pub const NATIVE: &str = "native";

/// How many members `read-random` reads.
pub const RANDOM_READS: usize = 1000;

/// Times this many iterations and returns their total time; what the iterations produce is dropped outside the timer.
pub type Loop = Box<dyn FnMut(u64) -> Result<Duration>>;

/// What names a case: `decode/organization/rkyv`, or `compress/organization/rkyv.zstd-3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseId {
    /// What is timed.
    pub operation: Operation,
    /// The dataset's name.
    pub dataset: String,
    /// The format's name, or [`NATIVE`].
    pub format: String,
    /// The codec's name, for `compress` and `decompress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
}

impl CaseId {
    /// The format, with the codec behind a full stop where there is one.
    pub fn pipeline(&self) -> String {
        match &self.codec {
            Some(codec) => format!("{}.{codec}", self.format),
            None => self.format.clone(),
        }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.operation, self.dataset, self.pipeline())
    }
}

type Prepare = Rc<dyn Fn(&mut Stock, &Spec) -> Result<Loop>>;

/// One thing that can be measured.
#[derive(Clone)]
pub struct Case {
    /// Its name.
    pub id: CaseId,
    prepare: Prepare,
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
#[derive(Debug, Clone)]
pub struct Comparison {
    /// What is judged.
    pub case: CaseId,
    /// What it is judged by.
    pub against: CaseId,
    /// The ratio that is not to be exceeded.
    pub at_most: f64,
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

/// What a format did with one probe of its dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// It came back bit for bit.
    Kept,
    /// It came back as something else; the text says what became what.
    Changed(String),
    /// The format refused to write it, or to read what it wrote.
    Refused(String),
}

type Probes = Rc<dyn Fn() -> Vec<(&'static str, Fidelity)>>;
type Verify = Rc<dyn Fn(&mut Stock, &Spec, &Payload) -> Result<()>>;

/// A format that encodes a dataset: where payloads come from.
#[derive(Clone)]
pub struct Source {
    /// The format.
    pub format: Info,
    /// The dataset's name.
    pub dataset: &'static str,
    payload: Rc<dyn Fn(&mut Stock, &Spec) -> Result<Rc<Payload>>>,
    verify: Option<Verify>,
    probes: Option<Probes>,
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

    /// Decodes a payload and compares its checksum with the dataset's.
    ///
    /// # Errors
    ///
    /// It cannot be decoded, or holds other values.
    pub fn verify(&self, stock: &mut Stock, spec: &Spec, payload: &Payload) -> Result<()> {
        self.verify.as_ref().map_or(Ok(()), |verify| verify(stock, spec, payload))
    }

    /// What comes back of each of the dataset's probes; empty for a format that does not decode.
    pub fn fidelity(&self) -> Vec<(&'static str, Fidelity)> {
        self.probes.as_ref().map_or_else(Vec::new, |probes| probes())
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
}

type NewCodec = Rc<dyn Fn() -> Box<dyn Codec>>;

/// Everything that can be measured.
#[derive(Default)]
pub struct Registry {
    formats: Vec<Info>,
    datasets: Vec<DatasetInfo>,
    sources: Vec<Source>,
    cases: Vec<Case>,
    comparisons: Vec<Comparison>,
    default_limits: Vec<DefaultLimits>,
    codecs: Vec<(CodecInfo, NewCodec)>,
    validations: Vec<(&'static str, Validation)>,
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
        registry
    }

    /// Declares a format for a dataset; what it can do is said by the calls on what this returns.
    pub fn declare<F: Format, T: Dataset>(&mut self) -> Declaration<'_, F, T> {
        if !self.formats.iter().any(|info| info.name == F::INFO.name) {
            self.formats.push(F::INFO);
        }
        if !self.datasets.iter().any(|dataset| dataset.name == T::NAME) {
            self.datasets.push(DatasetInfo { name: T::NAME, description: T::DESCRIPTION, variants: T::VARIANTS, seed: T::SEED });
            self.declare_native::<T>();
        }
        Declaration { registry: self, types: PhantomData }
    }

    /// Declares a codec; `new` makes one of its state.
    pub fn codec<C: Codec + 'static>(&mut self, new: impl Fn() -> C + 'static) {
        let new: NewCodec = Rc::new(move || Box::new(new()));
        self.codecs.push((new().info(), new));
    }

    /// The floors that need no format: the value itself, cloned, dropped and read.
    fn declare_native<T: Dataset>(&mut self) {
        self.add_native::<T>(Operation::Clone, |subject| Box::new(move |n| time(n, 1, || Ok(black_box(&subject.value).clone()))));
        self.add_native::<T>(Operation::Drop, |subject| Box::new(move |n| time_taking(n, || Ok(subject.value.clone()), |value| Ok(drop(value)))));
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

    /// The codecs.
    pub fn codecs(&self) -> impl Iterator<Item = &CodecInfo> {
        self.codecs.iter().map(|(info, _)| info)
    }

    /// One of the codecs, ready to use.
    pub fn new_codec(&self, name: &str) -> Option<Box<dyn Codec>> {
        self.codecs.iter().find(|(info, _)| info.name == name).map(|(_, new)| new())
    }

    /// The formats that encode, one entry for each dataset.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The ratios that are held to a bound.
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }

    /// The readings under default limits.
    pub fn default_limits(&self) -> &[DefaultLimits] {
        &self.default_limits
    }

    /// When a format's access validates, if it has one.
    pub fn validation(&self, format: &str) -> Option<Validation> {
        self.validations.iter().find(|(name, _)| *name == format).map(|(_, validation)| *validation)
    }

    /// Every case: those of the formats, then every encoded dataset through every codec.
    pub fn cases(&self) -> Vec<Case> {
        let mut cases = self.cases.clone();
        for source in &self.sources {
            for (info, new) in &self.codecs {
                for operation in [Operation::Compress, Operation::Decompress] {
                    cases.push(codec_case(operation, source.clone(), info.clone(), new.clone()));
                }
            }
        }
        cases
    }

    /// The case of this name.
    pub fn case(&self, id: &CaseId) -> Option<Case> {
        self.cases().into_iter().find(|case| case.id == *id)
    }
}

fn codec_case(operation: Operation, source: Source, info: CodecInfo, new: NewCodec) -> Case {
    let id = CaseId { operation, dataset: source.dataset.into(), format: source.format.name.into(), codec: Some(info.name) };
    let prepare: Prepare = Rc::new(move |stock, spec| {
        let payload = source.payload(stock, spec)?;
        let mut codec = new();
        let mut compressed = Vec::new();
        codec.compress(&payload, &mut compressed)?;
        if operation == Operation::Compress {
            return Ok(Box::new(move |n| time(n, 1, || codec.compress(black_box(&payload), &mut compressed))));
        }
        let mut decompressed = Payload::default();
        codec.decompress(&compressed, payload.len(), &mut decompressed)?;
        source.verify(stock, spec, &decompressed)?;
        let limit = payload.len();
        Ok(Box::new(move |n| time(n, 1, || codec.decompress(black_box(&compressed), limit, &mut decompressed))))
    });
    Case { id, prepare }
}

/// What a format can do with a dataset, said one trait at a time.
pub struct Declaration<'r, F, T> {
    registry: &'r mut Registry,
    types: PhantomData<fn() -> (F, T)>,
}

impl<F: Format, T: Dataset> Declaration<'_, F, T> {
    fn id(operation: Operation) -> CaseId {
        CaseId { operation, dataset: T::NAME.into(), format: F::INFO.name.into(), codec: None }
    }

    /// Adds a case whose loop is made from the dataset and its payload.
    fn add(self, operation: Operation, make: impl Fn(Rc<Subject<T>>, Rc<Payload>) -> Result<Loop> + 'static) -> Self
    where
        F: Encode<T>,
    {
        let prepare: Prepare = Rc::new(move |stock, spec| make(stock.subject::<T>(spec)?, stock.payload::<F, T>(spec)?));
        self.registry.cases.push(Case { id: Self::id(operation), prepare });
        self
    }

    fn source(&mut self) -> Option<&mut Source> {
        self.registry.sources.iter_mut().find(|source| source.format.name == F::INFO.name && source.dataset == T::NAME)
    }

    /// Value to bytes, and the floors of its payload.
    pub fn encode(self) -> Self
    where
        F: Encode<T>,
    {
        self.registry.sources.push(Source {
            format: F::INFO,
            dataset: T::NAME,
            payload: Rc::new(|stock, spec| stock.payload::<F, T>(spec)),
            verify: None,
            probes: None,
        });
        self.add(Operation::Copy, |_, payload| {
            let mut sink = payload.to_vec();
            Ok(Box::new(move |n| time(n, 1, || Ok(sink.copy_from_slice(black_box(&payload))))))
        })
        .add(Operation::Scan, |_, payload| Ok(Box::new(move |n| time(n, 1, || Ok(scan(black_box(&payload)))))))
        .add(Operation::Encode, |subject, payload| {
            let (mut format, mut sink) = (F::default(), payload.to_vec());
            Ok(Box::new(move |n| time(n, 1, || format.encode(black_box(&subject.value), &mut sink))))
        })
        .add(Operation::EncodeFresh, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            Ok(Box::new(move |n| {
                time(n, batch, || {
                    let mut sink = Vec::new();
                    format.encode(black_box(&subject.value), &mut sink)?;
                    Ok(sink)
                })
            }))
        })
    }

    /// Bytes to value.
    pub fn decode(mut self) -> Self
    where
        F: Decode<T> + Encode<T>,
    {
        if let Some(source) = self.source() {
            source.verify = Some(Rc::new(|stock, spec, payload| {
                let subject = stock.subject::<T>(spec)?;
                subject.check::<F>(F::default().decode(payload)?.checksum()?)
            }));
            source.probes = Some(Rc::new(|| T::probes().into_iter().map(|(name, value)| (name, round_trip::<F, T>(&value))).collect()));
        }
        self.add(Operation::Decode, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            subject.check::<F>(format.decode(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, batch, || format.decode(black_box(&payload)))))
        })
        .add(Operation::Drop, |_, payload| {
            let mut format = F::default();
            Ok(Box::new(move |n| time_taking(n, || format.decode(&payload), |value| Ok(drop(value)))))
        })
    }

    /// Value to the format's own message, and that to bytes.
    pub fn populate(self) -> Self
    where
        F: Populate<T> + Encode<T>,
    {
        self.add(Operation::Populate, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            Ok(Box::new(move |n| time(n, batch, || format.populate(black_box(&subject.value)))))
        })
        .add(Operation::EncodeMessage, |subject, payload| {
            let mut format = F::default();
            let message = format.populate(&subject.value)?;
            let mut sink = payload.to_vec();
            Ok(Box::new(move |n| time(n, 1, || format.encode_message(black_box(&message), &mut sink))))
        })
    }

    /// Bytes to the format's own message, and that to the value.
    pub fn convert(self) -> Self
    where
        F: Convert<T> + Encode<T>,
    {
        self.add(Operation::DecodeMessage, |_, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            Ok(Box::new(move |n| time(n, batch, || format.decode_message(black_box(&payload)))))
        })
        .add(Operation::Convert, |subject, payload| {
            let (mut decoding, mut converting) = (F::default(), F::default());
            subject.check::<F>(converting.convert(decoding.decode_message(&payload)?)?.checksum()?)?;
            Ok(Box::new(move |n| time_taking(n, || decoding.decode_message(&payload), |message| converting.convert(message))))
        })
    }

    /// Bytes to a value that points into them.
    pub fn borrow(self) -> Self
    where
        F: Borrow<T> + Encode<T>,
        for<'p> F::Borrowed<'p>: Read,
    {
        self.add(Operation::Borrow, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            subject.check::<F>(format.borrow(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, batch, || format.borrow(black_box(&payload)))))
        })
        .add(Operation::ReadAllBorrowed, |subject, payload| {
            let mut format = F::default();
            subject.check::<F>(format.borrow(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || format.borrow(black_box(&payload))?.checksum())))
        })
    }

    /// A view of the payload, and three ways to read it.
    pub fn access(self) -> Self
    where
        F: Access<T> + Encode<T>,
        for<'p> F::View<'p>: Read,
    {
        self.registry.validations.push((F::INFO.name, F::VALIDATION));
        self.add(Operation::Access, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            subject.check::<F>(format.access(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, batch, || format.access(black_box(&payload)))))
        })
        .add(Operation::ReadAll, |subject, payload| {
            let mut format = F::default();
            subject.check::<F>(format.access(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || format.access(black_box(&payload))?.checksum())))
        })
        .add(Operation::ReadField, |subject, payload| {
            let mut format = F::default();
            subject.check_field::<F>(format.access(&payload)?.sum_field()?)?;
            Ok(Box::new(move |n| time(n, 1, || format.access(black_box(&payload))?.sum_field())))
        })
        .add(Operation::ReadRandom, |subject, payload| {
            let mut format = F::default();
            subject.check_random::<F>(format.access(&payload)?.checksum_at(&subject.positions)?)?;
            Ok(Box::new(move |n| time(n, 1, || format.access(black_box(&payload))?.checksum_at(&subject.positions))))
        })
    }

    /// The same readings of a view that nothing validated.
    ///
    /// The payload of these cases is the format's own, encoded in this process: that is what makes the unchecked calls sound.
    pub fn access_unchecked(self) -> Self
    where
        F: AccessUnchecked<T> + Encode<T>,
        for<'p> F::View<'p>: Read,
    {
        /// A view without validation.
        ///
        /// # Safety
        ///
        /// As for [`AccessUnchecked::access_unchecked`].
        unsafe fn view<'p, F: AccessUnchecked<T>, T>(format: &mut F, payload: &'p Payload) -> F::View<'p> {
            // SAFETY: the caller's promise.
            unsafe { format.access_unchecked(black_box(payload)) }
        }

        self.add(Operation::AccessUnchecked, |_, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            // SAFETY: `add` hands out the payload that this format has just encoded.
            Ok(Box::new(move |n| time(n, batch, || Ok(unsafe { view(&mut format, &payload) }))))
        })
        .add(Operation::ReadAllUnchecked, |subject, payload| {
            let mut format = F::default();
            // SAFETY: as above.
            subject.check::<F>(unsafe { view(&mut format, &payload) }.checksum()?)?;
            // SAFETY: as above.
            Ok(Box::new(move |n| time(n, 1, || unsafe { view(&mut format, &payload) }.checksum())))
        })
        .add(Operation::ReadFieldUnchecked, |subject, payload| {
            let mut format = F::default();
            // SAFETY: as above.
            subject.check_field::<F>(unsafe { view(&mut format, &payload) }.sum_field()?)?;
            // SAFETY: as above.
            Ok(Box::new(move |n| time(n, 1, || unsafe { view(&mut format, &payload) }.sum_field())))
        })
        .add(Operation::ReadRandomUnchecked, |subject, payload| {
            let mut format = F::default();
            // SAFETY: as above.
            subject.check_random::<F>(unsafe { view(&mut format, &payload) }.checksum_at(&subject.positions)?)?;
            // SAFETY: as above.
            Ok(Box::new(move |n| time(n, 1, || unsafe { view(&mut format, &payload) }.checksum_at(&subject.positions))))
        })
    }

    /// One field of all records changed in the payload's bytes.
    pub fn update(self) -> Self
    where
        F: Update<T> + Encode<T> + Decode<T>,
    {
        self.add(Operation::Update, |subject, payload| {
            let change = subject.value.change();
            let mut payload = Payload::clone(&payload);
            F::update(&mut payload, &change)?;
            let mut changed = subject.value.clone();
            changed.apply(&change);
            check::<F>(changed.checksum()?, F::default().decode(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || F::update(black_box(&mut payload), &change))))
        })
    }

    /// The library's own call for `encode`: the adapter is held to 1.02 of it.
    pub fn bare_encode(self, call: fn(&T, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        self.add(Operation::EncodeBare, move |subject, payload| {
            let mut sink = payload.to_vec();
            Ok(Box::new(move |n| time(n, 1, || call(black_box(&subject.value), &mut sink))))
        })
        .adapter(Operation::Encode, Operation::EncodeBare)
    }

    /// The library's own call for `encode-message`: the adapter is held to 1.02 of it.
    pub fn bare_encode_message(self, call: fn(&F::Message, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Populate<T> + Encode<T>,
    {
        self.add(Operation::EncodeMessageBare, move |subject, payload| {
            let message = F::default().populate(&subject.value)?;
            let mut sink = payload.to_vec();
            Ok(Box::new(move |n| time(n, 1, || call(black_box(&message), &mut sink))))
        })
        .adapter(Operation::EncodeMessage, Operation::EncodeMessageBare)
    }

    /// The library's own call for `decode`: the adapter is held to 1.02 of it.
    pub fn bare_decode<V: 'static>(self, call: fn(&Payload) -> Result<V>) -> Self
    where
        F: Encode<T>,
    {
        self.add(Operation::DecodeBare, move |_, payload| {
            let batch = batch(&payload);
            Ok(Box::new(move |n| time(n, batch, || call(black_box(&payload)))))
        })
        .adapter(Operation::Decode, Operation::DecodeBare)
    }

    /// The library's own call for `decode-message`: the adapter is held to 1.02 of it.
    pub fn bare_decode_message(self, call: fn(&Payload) -> Result<F::Message>) -> Self
    where
        F: Convert<T> + Encode<T>,
    {
        self.add(Operation::DecodeMessageBare, move |_, payload| {
            let batch = batch(&payload);
            Ok(Box::new(move |n| time(n, batch, || call(black_box(&payload)))))
        })
        .adapter(Operation::DecodeMessage, Operation::DecodeMessageBare)
    }

    /// The library's own call for `access`, whose view `call` hands to `black_box`: the adapter is held to 1.02 of it.
    pub fn bare_access(self, call: fn(&Payload) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        self.add(Operation::AccessBare, move |_, payload| Ok(Box::new(move |n| time(n, 1, || call(black_box(&payload))))))
            .adapter(Operation::Access, Operation::AccessBare)
    }

    /// A reading with a limit left at the library's default: the report tells whether it stops the dataset. The format's own
    /// adapter sets that limit from the payload's size.
    pub fn default_limit(self, limit: &'static str, read: fn(&Payload) -> Result<()>) -> Self {
        self.registry.default_limits.push(DefaultLimits { format: F::INFO.name, dataset: T::NAME, limit, read });
        self
    }

    fn adapter(self, operation: Operation, bare: Operation) -> Self {
        self.registry.comparisons.push(Comparison { case: Self::id(operation), against: Self::id(bare), at_most: 1.02 });
        self
    }

    /// Holds an operation to a multiple of another operation of this format.
    pub fn at_most(self, operation: Operation, ratio: f64, against: Operation) -> Self {
        self.registry.comparisons.push(Comparison { case: Self::id(operation), against: Self::id(against), at_most: ratio });
        self
    }

    /// Holds an operation to a multiple of an operation on the value itself.
    pub fn at_most_native(self, operation: Operation, ratio: f64, against: Operation) -> Self {
        let against = CaseId { format: NATIVE.into(), ..Self::id(against) };
        self.registry.comparisons.push(Comparison { case: Self::id(operation), against, at_most: ratio });
        self
    }
}

fn round_trip<F: Encode<T> + Decode<T>, T: Dataset>(value: &T) -> Fidelity {
    let mut sink = Vec::new();
    let decoded = F::default().encode(value, &mut sink).and_then(|()| F::default().decode(&Payload::from(sink)));
    match decoded.and_then(|decoded| Ok((decoded.checksum()? == value.checksum()?, decoded))) {
        Ok((true, _)) => Fidelity::Kept,
        Ok((false, decoded)) => Fidelity::Changed(value.difference(&decoded)),
        Err(error) => Fidelity::Refused(error.to_string()),
    }
}

/// A dataset and the sums that every reading of it must give.
pub struct Subject<T> {
    value: T,
    checksum: u64,
    field: u64,
    positions: Vec<usize>,
    random: u64,
}

impl<T: Dataset> Subject<T> {
    fn new(value: T) -> Result<Self> {
        let positions = random_positions(value.records(), RANDOM_READS);
        Ok(Self { checksum: value.checksum()?, field: value.sum_field()?, random: value.checksum_at(&positions)?, positions, value })
    }

    /// The dataset.
    pub fn value(&self) -> &T {
        &self.value
    }

    /// The sum over every field.
    pub fn checksum(&self) -> u64 {
        self.checksum
    }

    fn check<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.checksum, found)
    }

    fn check_field<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.field, found)
    }

    fn check_random<F: Format>(&self, found: u64) -> Result<()> {
        check::<F>(self.random, found)
    }
}

fn check<F: Format>(expected: u64, found: u64) -> Result<()> {
    if expected == found { Ok(()) } else { Err(Error::new(F::INFO.name, Problem::WrongReading { expected, found })) }
}

/// The dataset and the payload made last, so that cases that follow each other share them. At 1,000,000 members both are large:
/// one of each is kept.
#[derive(Default)]
pub struct Stock {
    subject: Option<(TypeId, Spec, Rc<dyn Any>)>,
    payload: Option<(TypeId, TypeId, Spec, Rc<Payload>)>,
}

impl Stock {
    /// The dataset of this specification.
    ///
    /// # Errors
    ///
    /// The dataset has no such variant.
    pub fn subject<T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<Subject<T>>> {
        if let Some((kind, made, subject)) = &self.subject
            && (*kind, made) == (TypeId::of::<T>(), spec)
            && let Ok(subject) = subject.clone().downcast()
        {
            return Ok(subject);
        }
        self.subject = None;
        let subject = Rc::new(Subject::new(T::generate(spec)?)?);
        self.subject = Some((TypeId::of::<T>(), spec.clone(), subject.clone()));
        Ok(subject)
    }

    /// That dataset as `F` writes it.
    ///
    /// # Errors
    ///
    /// The format refused.
    pub fn payload<F: Encode<T>, T: Dataset>(&mut self, spec: &Spec) -> Result<Rc<Payload>> {
        let kind = (TypeId::of::<F>(), TypeId::of::<T>());
        if let Some((format, dataset, made, payload)) = &self.payload
            && ((*format, *dataset), made) == (kind, spec)
        {
            return Ok(payload.clone());
        }
        self.payload = None;
        let subject = self.subject::<T>(spec)?;
        let mut sink = Vec::new();
        F::default().encode(&subject.value, &mut sink)?;
        let payload = Rc::new(Payload::from(sink));
        self.payload = Some((kind.0, kind.1, spec.clone(), payload.clone()));
        Ok(payload)
    }
}

/// How many outputs are kept until their batch ends: enough that reading the clock does not count, few enough that they stay within a
/// second-level cache.
fn batch(payload: &Payload) -> usize {
    ((1 << 20) / payload.len().max(1)).clamp(1, 256)
}

/// Times `iterations` steps. What a batch of steps returns is kept until the clock has been read, so its drop is not timed.
fn time<O>(iterations: u64, batch: usize, mut step: impl FnMut() -> Result<O>) -> Result<Duration> {
    if batch == 1 && !std::mem::needs_drop::<O>() {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(step()?);
        }
        return Ok(start.elapsed());
    }
    let mut kept = Vec::with_capacity(batch);
    let mut total = Duration::ZERO;
    let mut left = iterations;
    while left > 0 {
        let steps = left.min(batch as u64);
        let start = Instant::now();
        for _ in 0..steps {
            kept.push(black_box(step()?));
        }
        total += start.elapsed();
        kept.clear();
        left -= steps;
    }
    Ok(total)
}

/// Times `iterations` steps that each take a value made outside the timer.
fn time_taking<I, O>(iterations: u64, mut make: impl FnMut() -> Result<I>, mut take: impl FnMut(I) -> Result<O>) -> Result<Duration> {
    let mut total = Duration::ZERO;
    for _ in 0..iterations {
        let input = black_box(make()?);
        let start = Instant::now();
        let output = black_box(take(input)?);
        total += start.elapsed();
        drop(output);
    }
    Ok(total)
}

/// Reads all bytes, eight at a time and in four sums, which is as fast as a core fetches memory.
fn scan(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<32>();
    let mut sums = [0u64; 4];
    for chunk in chunks {
        for (sum, word) in sums.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    let rest = rest.iter().fold(0u64, |sum, &byte| sum.wrapping_add(u64::from(byte)));
    sums.into_iter().fold(rest, u64::wrapping_add)
}
