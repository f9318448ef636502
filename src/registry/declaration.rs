//! What a format declares: each call is bounded by the trait that it declares, and adds the cases that the trait makes possible.

use std::any::Any;
use std::cell::RefCell;
use std::hint::black_box;
use std::marker::PhantomData;
use std::rc::Rc;

use super::compression::{Cut, read_positions};
use super::stock::check;
use super::timing::{batch, scan, time, time_taking};
use super::{
    Case, CaseId, Comparison, CutParts, DefaultLimits, Ends, Fidelity, Loop, MESSAGES, Make, NATIVE, Opened, Opening, Reader, Reading,
    Registry, Source, Speed, Stock, Subject, Use, Visit,
};
use crate::dataset::{Dataset, Read, Spec};
use crate::error::{Error, Problem, Result};
use crate::format::{
    Access, AccessUnchecked, Borrow, Convert, Decode, DecodeInto, DecodePrefix, Encode, Format, Inspect, Populate, Prefix, Update,
};
use crate::graph::Graph;
use crate::operation::Operation;
use crate::payload::Payload;

/// The sink that cases share, see [`Stock::sink`](super::Stock).
type Sink = Rc<RefCell<Vec<u8>>>;

/// What a format can do with a dataset, said one trait at a time.
pub struct Declaration<'r, F, T> {
    registry: &'r mut Registry,
    types: PhantomData<fn() -> (F, T)>,
}

impl<'r, F: Format, T: Dataset> Declaration<'r, F, T> {
    pub(super) fn new(registry: &'r mut Registry) -> Self {
        Self { registry, types: PhantomData }
    }

    fn id(operation: Operation) -> CaseId {
        CaseId { operation, dataset: T::NAME.into(), format: F::INFO.name.into(), codec: None }
    }

    /// Adds a case whose loop is made from the dataset and its payload.
    fn add(self, operation: Operation, make: impl Fn(Rc<Subject<T>>, Rc<Payload>) -> Result<Loop> + 'static) -> Self
    where
        F: Encode<T>,
    {
        let prepare: Make<Loop> = Rc::new(move |stock, spec| {
            stock.release_scratch();
            make(stock.subject::<T>(spec)?, stock.payload::<F, T>(spec)?)
        });
        self.registry.cases.push(Case { id: Self::id(operation), prepare });
        self
    }

    /// Adds a case that writes into the stock's used sink, which holds the payload already.
    fn add_with_sink(self, operation: Operation, make: impl Fn(Rc<Subject<T>>, Rc<Payload>, Sink) -> Loop + 'static) -> Self
    where
        F: Encode<T>,
    {
        let prepare: Make<Loop> = Rc::new(move |stock, spec| {
            let (subject, payload) = (stock.subject::<T>(spec)?, stock.payload::<F, T>(spec)?);
            let sink = stock.sink();
            payload.as_slice().clone_into(&mut sink.borrow_mut());
            Ok(make(subject, payload, sink))
        });
        self.registry.cases.push(Case { id: Self::id(operation), prepare });
        self
    }

    /// Adds a case that writes the format's own message into the stock's used sink.
    fn add_with_message(self, operation: Operation, make: impl Fn(Rc<F::Message>, Sink) -> Loop + 'static) -> Self
    where
        F: Populate<T> + Encode<T>,
    {
        let prepare: Make<Loop> = Rc::new(move |stock, spec| {
            let payload = stock.payload::<F, T>(spec)?;
            let sink = stock.sink();
            payload.as_slice().clone_into(&mut sink.borrow_mut());
            Ok(make(stock.message::<F, T>(spec)?, sink))
        });
        self.registry.cases.push(Case { id: Self::id(operation), prepare });
        self
    }

    /// Adds a case that goes through many messages of the same size, each with its payload.
    fn add_many(self, operation: Operation, make: impl Fn(Vec<T>, Vec<Payload>) -> Result<Loop> + 'static) -> Self
    where
        F: Encode<T>,
    {
        let prepare: Make<Loop> = Rc::new(move |_, spec| {
            let message = |number: u64| T::generate(&Spec { seed: spec.seed.wrapping_add(number), ..spec.clone() });
            let values: Vec<T> = (0..MESSAGES).map(message).collect::<Result<_>>()?;
            let mut format = F::default();
            let payload = |value: &T| {
                let mut sink = Vec::new();
                format.encode(value, &mut sink)?;
                Ok(Payload::from(sink))
            };
            let payloads = values.iter().map(payload).collect::<Result<_>>()?;
            make(values, payloads)
        });
        self.registry.cases.push(Case { id: Self::id(operation), prepare });
        self
    }

    /// Adds a way to open the payload for readings. The two functions are the same call: one hands its result on, the other times it.
    fn opening(
        self,
        operation: Operation,
        open: impl Fn(&Payload, &mut Use) -> Result<()> + 'static,
        passes: impl Fn(Rc<Payload>, Visit, u32) -> Loop + 'static,
    ) -> Self
    where
        F: Encode<T>,
    {
        self.registry.openings.push(Opening {
            dataset: T::NAME,
            format: F::INFO.name,
            operation,
            open: Rc::new(move |stock, spec, take| open(&*stock.payload_for_long::<F, T>(spec)?, take)),
            passes: Rc::new(move |stock, spec, visit, count| Ok(passes(stock.payload_for_long::<F, T>(spec)?, visit.clone(), count))),
            expected: Rc::new(|stock, spec, visit| stock.subject::<T>(spec)?.value.read(visit)),
        });
        self
    }

    fn source(&mut self) -> Option<&mut Source> {
        self.registry.sources.iter_mut().find(|source| source.format.name == F::INFO.name && source.dataset == T::NAME)
    }

    /// Adds a way to read payloads; `new` makes its reader.
    fn read(mut self, operation: Operation, new: fn() -> Reader) -> Self {
        if let Some(source) = self.source() {
            source.ends.readings.push(Reading { operation, new });
        }
        self
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
            data_size: Rc::new(|stock, spec| Ok(stock.subject::<T>(spec)?.value.data_size())),
            encode: Rc::new(|value| {
                let mut sink = Vec::new();
                Some(F::default().encode(value.downcast_ref::<T>()?, &mut sink).map(|()| sink))
            }),
            decode: None,
            verify: None,
            prefix: None,
            inspect: None,
            parts: T::CAN_BE_CUT.then(|| Rc::new(cut::<F, T>) as CutParts),
            reader: None,
            round_trip: None,
            ends: Ends {
                format: F::INFO.name,
                dataset: T::NAME,
                encoder: |spec| {
                    let (value, mut format) = (T::generate(spec)?, F::default());
                    Ok(Box::new(move |sink| format.encode(&value, sink)))
                },
                checksum: |spec| T::generate(spec)?.checksum(),
                readings: Vec::new(),
            },
            probes: || T::probes().into_iter().map(|(name, value)| (name, Box::new(value) as Box<dyn Any>)).collect(),
        });
        self.add_with_sink(Operation::Copy, |_, payload, sink| {
            Box::new(move |n| {
                let mut sink = sink.borrow_mut();
                time(n, 1, || {
                    sink.copy_from_slice(black_box(&payload));
                    Ok(())
                })
            })
        })
        .add(Operation::Scan, |_, payload| Ok(Box::new(move |n| time(n, 1, || Ok(scan(black_box(&payload)))))))
        .add_with_sink(Operation::Encode, |subject, _, sink| {
            let mut format = F::default();
            Box::new(move |n| {
                let mut sink = sink.borrow_mut();
                time(n, 1, || format.encode(black_box(&subject.value), &mut sink))
            })
        })
        .add_many(Operation::EncodeMany, |values, _| {
            let (mut format, mut sink) = (F::default(), Vec::new());
            Ok(Box::new(move |n| time(n, 1, || values.iter().try_for_each(|value| format.encode(black_box(value), &mut sink)))))
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
            source.decode = Some(|payload| Ok(Box::new(F::default().decode(payload)?)));
            source.verify = Some(Rc::new(|stock, spec, payload| {
                let subject = stock.subject::<T>(spec)?;
                subject.check::<F>(F::default().decode(payload)?.checksum()?)
            }));
            source.round_trip = Some(Rc::new(|value| Some(round_trip::<F, T>(value.downcast_ref()?))));
            source.reader.get_or_insert_with(|| {
                Rc::new(|| {
                    let mut format = F::default();
                    Box::new(move |payload, positions| format.decode(payload)?.checksum_at(positions))
                })
            });
        }
        self.read(Operation::Decode, || {
            let mut format = F::default();
            Box::new(move |payload| {
                let value = format.decode(payload)?;
                Ok((value.checksum()?, Box::new(value)))
            })
        })
        .opening(
            Operation::Decode,
            |payload, take| take(&F::default().decode(payload)?),
            |payload, visit, passes| {
                let mut format = F::default();
                Box::new(move |n| time(n, 1, || read_passes(format.decode(black_box(&payload))?, &visit, passes)))
            },
        )
        .add(Operation::Decode, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            subject.check::<F>(format.decode(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, batch, || format.decode(black_box(&payload)))))
        })
        .add_many(Operation::DecodeMany, |values, payloads| {
            let mut format = F::default();
            for (value, payload) in values.iter().zip(&payloads) {
                check::<F>(value.checksum()?, format.decode(payload)?.checksum()?)?;
            }
            Ok(Box::new(move |n| {
                time(n, 1, || payloads.iter().map(|payload| format.decode(black_box(payload))).collect::<Result<Vec<T>>>())
            }))
        })
        .add(Operation::Drop, |_, payload| {
            let mut format = F::default();
            Ok(Box::new(move |n| {
                time_taking(
                    n,
                    || format.decode(&payload),
                    |value| {
                        drop(value);
                        Ok(())
                    },
                )
            }))
        })
    }

    /// Bytes to value, where others may follow.
    pub fn decode_prefix(mut self) -> Self
    where
        F: DecodePrefix<T>,
    {
        if let Some(source) = self.source() {
            source.prefix = Some(|payload| F::default().decode_prefix(payload).map(|Prefix { used, left, value: _ }| (used, left)));
        }
        self
    }

    /// What decoding passes over in silence.
    pub fn inspect(mut self) -> Self
    where
        F: Inspect<T>,
    {
        if let Some(source) = self.source() {
            source.inspect = Some(F::inspect);
        }
        self
    }

    /// Bytes into a value that is there already.
    pub fn decode_into(self) -> Self
    where
        F: DecodeInto<T> + Encode<T>,
    {
        self.read(Operation::DecodeInto, || {
            let (mut format, mut used) = (F::default(), None);
            Box::new(move |payload| {
                let value = match &mut used {
                    Some(value) => {
                        format.decode_into(payload, value)?;
                        value
                    }
                    None => used.insert(format.decode(payload)?),
                };
                nothing_to_drop(value.checksum())
            })
        })
        .add(Operation::DecodeInto, |subject, payload| {
            let mut format = F::default();
            let mut value = format.decode(&payload)?;
            format.decode_into(&payload, &mut value)?;
            subject.check::<F>(value.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || format.decode_into(black_box(&payload), &mut value))))
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
        .add_with_message(Operation::EncodeMessage, |message, sink| {
            let mut format = F::default();
            Box::new(move |n| {
                let mut sink = sink.borrow_mut();
                time(n, 1, || format.encode_message(black_box(&message), &mut sink))
            })
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
        self.read(Operation::ReadAllBorrowed, || {
            let mut format = F::default();
            Box::new(move |payload| nothing_to_drop(format.borrow(payload)?.checksum()))
        })
        .opening(
            Operation::Borrow,
            |payload, take| take(&F::default().borrow(payload)?),
            |payload, visit, passes| {
                let mut format = F::default();
                Box::new(move |n| time(n, 1, || read_passes(format.borrow(black_box(&payload))?, &visit, passes)))
            },
        )
        .add(Operation::Borrow, |subject, payload| {
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
    pub fn access(mut self) -> Self
    where
        F: Access<T> + Encode<T>,
        for<'p> F::View<'p>: Read,
    {
        self.registry.validations.push((F::INFO.name, F::VALIDATION));
        if let Some(source) = self.source() {
            source.reader = Some(Rc::new(|| {
                let mut format = F::default();
                Box::new(move |payload, positions| format.access(payload)?.checksum_at(positions))
            }));
        }
        self.read(Operation::ReadAll, || {
            let mut format = F::default();
            Box::new(move |payload| nothing_to_drop(format.access(payload)?.checksum()))
        })
        .opening(
            Operation::Access,
            |payload, take| take(&F::default().access(payload)?),
            |payload, visit, passes| {
                let mut format = F::default();
                Box::new(move |n| time(n, 1, || read_passes(format.access(black_box(&payload))?, &visit, passes)))
            },
        )
        .add(Operation::Access, |subject, payload| {
            let (mut format, batch) = (F::default(), batch(&payload));
            subject.check::<F>(format.access(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, batch, || format.access(black_box(&payload)))))
        })
        .add(Operation::ReadAll, |subject, payload| {
            let mut format = F::default();
            subject.check::<F>(format.access(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || format.access(black_box(&payload))?.checksum())))
        })
        .add_many(Operation::ReadAllMany, |values, payloads| {
            let mut format = F::default();
            for (value, payload) in values.iter().zip(&payloads) {
                check::<F>(value.checksum()?, format.access(payload)?.checksum()?)?;
            }
            Ok(Box::new(move |n| {
                let mut read = |sum: u64, payload: &Payload| Ok(sum.wrapping_add(format.access(black_box(payload))?.checksum()?));
                time(n, 1, || payloads.iter().try_fold(0u64, &mut read))
            }))
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

        self.opening(
            Operation::AccessUnchecked,
            // SAFETY: `opening` hands out the payload that this format has just encoded.
            |payload, take| take(&unsafe { view(&mut F::default(), payload) }),
            |payload, visit, passes| {
                let mut format = F::default();
                Box::new(move |n| {
                    // SAFETY: as above.
                    time(n, 1, || read_passes(unsafe { view(&mut format, &payload) }, &visit, passes))
                })
            },
        )
        .add(Operation::AccessUnchecked, |_, payload| {
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
        self.read(Operation::Update, || {
            let (mut format, mut copy) = (F::default(), Payload::default());
            // Which change is of no matter, as long as it is the same for all payloads.
            let change = T::generate(&T::spec(0)).map(|value| value.change());
            Box::new(move |payload| {
                let change = change.as_ref().map_err(|error| Error::malformed(T::NAME, error))?;
                copy.overwrite(payload.len()).copy_from_slice(payload);
                F::update(&mut copy, change)?;
                nothing_to_drop(format.decode(&copy)?.checksum())
            })
        })
        .add(Operation::Update, |subject, payload| {
            let change = subject.value.change();
            let mut payload = Payload::clone(&payload);
            F::update(&mut payload, &change)?;
            let changed = {
                let mut value = subject.value.clone();
                value.apply(&change);
                value.checksum()?
            };
            check::<F>(changed, F::default().decode(&payload)?.checksum()?)?;
            Ok(Box::new(move |n| time(n, 1, || F::update(black_box(&mut payload), &change))))
        })
    }

    /// The library's own call for `encode`: the adapter is held to 1.02 of it.
    pub fn bare_encode(self, call: fn(&T, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        self.bare_encode_case(call).adapter(Operation::Encode, Operation::EncodeBare)
    }

    fn bare_encode_case(self, call: fn(&T, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        self.add_with_sink(Operation::EncodeBare, move |subject, _, sink| {
            Box::new(move |n| {
                let mut sink = sink.borrow_mut();
                time(n, 1, || call(black_box(&subject.value), &mut sink))
            })
        })
    }

    /// The library's own call for `encode-message`: the adapter is held to 1.02 of it.
    pub fn bare_encode_message(self, call: fn(&F::Message, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Populate<T> + Encode<T>,
    {
        self.add_with_message(Operation::EncodeMessageBare, move |message, sink| {
            Box::new(move |n| {
                let mut sink = sink.borrow_mut();
                time(n, 1, || call(black_box(&message), &mut sink))
            })
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

    /// Payloads of this format can hold any graph of objects.
    pub fn graphs(self) -> Self
    where
        F: Decode<Graph>,
    {
        self.registry.graph_readers.push((F::INFO.name, |payload| F::default().decode(payload)));
        self
    }

    /// A reading with a limit left at the library's default: the report tells whether it stops the dataset. The format's own
    /// adapter sets that limit from the payload's size.
    pub fn default_limit(self, limit: &'static str, read: fn(&Payload) -> Result<()>) -> Self {
        self.registry.default_limits.push(DefaultLimits { format: F::INFO.name, dataset: T::NAME, limit, read });
        self
    }

    /// Holds `encode` to a multiple of what libraries take for the same work, where the format has no library of its own: `call` is theirs.
    pub fn encode_at_most(self, ratio: f64, call: fn(&T, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        self.bare_encode_case(call).compare(Operation::Encode, ratio, Self::id(Operation::EncodeBare), None)
    }

    /// As [`encode_at_most`](Self::encode_at_most), for each byte that is written: the libraries' bytes are other bytes.
    pub fn encode_at_most_per_byte(self, ratio: f64, call: fn(&T, &mut Vec<u8>) -> Result<()>) -> Self
    where
        F: Encode<T>,
    {
        let bytes: Make<(u64, u64)> = Rc::new(move |stock, spec| {
            let own = stock.payload::<F, T>(spec)?.len();
            let mut sink = Vec::new();
            call(&stock.subject::<T>(spec)?.value, &mut sink)?;
            Ok((own as u64, sink.len() as u64))
        });
        self.bare_encode_case(call).compare(Operation::Encode, ratio, Self::id(Operation::EncodeBare), Some(bytes))
    }

    /// Holds an operation to so many megabytes of payload a second.
    pub fn at_least_megabytes(self, operation: Operation, a_second: f64) -> Self {
        self.registry.speeds.push(Speed { case: Self::id(operation), at_least: a_second });
        self
    }

    fn adapter(self, operation: Operation, bare: Operation) -> Self {
        self.compare(operation, 1.02, Self::id(bare), None)
    }

    fn compare(self, operation: Operation, at_most: f64, against: CaseId, bytes: Option<Make<(u64, u64)>>) -> Self {
        self.registry.comparisons.push(Comparison { case: Self::id(operation), against, at_most, bytes });
        self
    }

    /// Holds an operation to a multiple of another operation of this format.
    pub fn at_most(self, operation: Operation, ratio: f64, against: Operation) -> Self {
        self.compare(operation, ratio, Self::id(against), None)
    }

    /// Holds an operation to a multiple of an operation on the value itself.
    pub fn at_most_native(self, operation: Operation, ratio: f64, against: Operation) -> Self {
        let against = CaseId { format: NATIVE.into(), ..Self::id(against) };
        self.compare(operation, ratio, against, None)
    }
}

/// What a reader gives that keeps what it reads into, or reads in place.
fn nothing_to_drop(checksum: Result<u64>) -> Result<(u64, Box<dyn Any>)> {
    Ok((checksum?, Box::new(())))
}

/// Reads what was opened so many times, and hands it back, so that its drop is not timed.
fn read_passes<R: Read>(opened: R, visit: &Visit, passes: u32) -> Result<R> {
    for _ in 0..passes {
        black_box(black_box(&opened).read(visit)?);
    }
    Ok(opened)
}

/// The dataset in payloads of about so many bytes, each a whole value of consecutive members.
fn cut<F: Encode<T>, T: Dataset>(stock: &mut Stock, spec: &Spec, bytes_a_part: usize) -> Result<Cut> {
    let (subject, payload) = (stock.subject::<T>(spec)?, stock.payload::<F, T>(spec)?);
    let members = subject.value.records();
    let members_a_part = (bytes_a_part * members / payload.len().max(1)).clamp(1, members.max(1));
    let part = |first: usize| {
        let range = first..(first + members_a_part).min(members);
        subject.value.part(range).ok_or_else(|| Error::new(F::INFO.name, Problem::Unrepresentable(format!("part of {}", T::NAME))))
    };
    let mut payloads = Vec::new();
    for first in (0..members).step_by(members_a_part) {
        let mut sink = Vec::new();
        F::default().encode(&part(first)?, &mut sink)?;
        payloads.push(Rc::new(Payload::from(sink)));
    }
    let mut reads = Vec::new();
    for position in read_positions(members) {
        let first = position / members_a_part * members_a_part;
        reads.push((position, part(first)?.checksum_at(&[position - first])?));
    }
    Ok(Cut { payloads, members_a_part, reads })
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
