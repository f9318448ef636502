//! Reads damaged payloads and counts what comes of them.

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use super::mutation::{Kind, Mutation};
use super::plan::Plan;
use super::target::{Part, Target};
use super::{MOST_HEAP, MOST_NANOSECONDS, Order, most_heap_when_refused};
use wirewise::envelope::{self, HEADER};
use wirewise::error::Result;
use wirewise::measure::allocator;
use wirewise::operation::Operation;
use wirewise::payload::Payload;
use wirewise::record::{TortureCounts, TortureExtreme, TortureFailure, TortureOutcome, TortureTally};
use wirewise::registry::{Reader, Registry};

/// A target at work.
pub(super) struct Run {
    target: Target,
    plan: Plan,
    readers: Vec<(Operation, Reader)>,
    damaged: Vec<u8>,
    sealed: Vec<u8>,
    payload: Payload,
    /// A row for each reading, and in it each kind.
    pub(super) tally: TortureTally,
}

impl Run {
    pub(super) fn new(registry: &Registry, order: &Order) -> Result<Self> {
        let target = Target::find(registry, &order.target)?;
        let plan = Plan::new(&target, order.seed, order.mutations);
        let readers: Vec<_> = target.readings.iter().map(|(operation, start)| (*operation, start())).collect();
        let outcome = |operation: &Operation, kind: &Kind| TortureOutcome {
            operation: operation.name().to_owned(),
            damage: kind.name().to_owned(),
            counts: TortureCounts::default(),
            first_silent: None,
        };
        let outcomes = readers.iter().flat_map(|(operation, _)| Kind::ALL.iter().map(move |kind| outcome(operation, kind))).collect();
        let tally = TortureTally { outcomes, ..TortureTally::default() };
        Ok(Self { target, plan, readers, damaged: Vec::new(), sealed: Vec::new(), payload: Payload::default(), tally })
    }

    pub(super) fn target(&self) -> &Target {
        &self.target
    }

    /// Of how many payloads every value of every byte is tried.
    pub(super) fn every_byte_of(&self) -> u64 {
        let count = self.target.subjects.iter().filter(|subject| subject.part == Part::EveryByte).count();
        if self.plan.is_complete() { count as u64 } else { 0 }
    }

    /// Makes the damaged payload of this number.
    fn damage(&mut self, number: u64) -> (usize, Mutation) {
        let (subject, mutation, other) = self.plan.at(number);
        let subjects = &self.target.subjects;
        mutation.apply(&subjects[subject].bytes, &subjects[other].bytes, &mut self.damaged);
        self.payload.overwrite(self.damaged.len()).copy_from_slice(&self.damaged);
        (subject, mutation)
    }

    /// Reads one damaged payload in every way, and in the envelope.
    pub(super) fn step(&mut self, number: u64) {
        let (subject, mutation) = self.damage(number);
        let input = self.damaged.len() as u64;
        for at in 0..self.readers.len() {
            let Some(expected) = self.target.subjects[subject].expected[at] else { continue };
            let start = Instant::now();
            let ((outcome, what), allocated) = allocator::count(|| read(&mut self.readers[at].1, &self.payload, expected));
            let nanoseconds = start.elapsed().as_nanos() as u64;
            let operation = self.readers[at].0;
            if outcome == Outcome::Panicked {
                // What the reader left half done must not touch the next payload.
                self.readers[at].1 = (self.target.readings[at].1)();
            }
            let extreme = |value| TortureExtreme { value, input, mutation: number };
            self.tally.longest.raise(extreme(nanoseconds));
            let (heap, most) = match outcome {
                Outcome::Refused => (&mut self.tally.refused_heap, most_heap_when_refused(input)),
                _ => (&mut self.tally.accepted_heap, MOST_HEAP),
            };
            heap.raise(extreme(allocated.peak));
            let row = &mut self.tally.outcomes[at * Kind::ALL.len() + mutation.kind() as usize];
            count(&mut row.counts, outcome);
            if outcome == Outcome::Different {
                row.first_silent.get_or_insert(number);
            }
            let problem = if let Some(panic) = what {
                panic
            } else if allocated.peak > most {
                format!("{} bytes of heap for {input} bytes of input, at most {most} are allowed", allocated.peak)
            } else if nanoseconds > MOST_NANOSECONDS {
                format!("{} ms", nanoseconds / 1_000_000)
            } else {
                continue;
            };
            let failure = TortureFailure { mutation: number, damage: self.describe(number), what: format!("{operation}: {problem}") };
            self.tally.fail(failure);
        }
        let damaged = std::mem::take(&mut self.damaged);
        let outcome = self.open(subject, &self.target.subjects[subject].header.clone(), &damaged);
        self.damaged = damaged;
        count(&mut self.tally.sealed, outcome);
    }

    /// Damages the envelopes themselves: every value of every byte, and every cut.
    pub(super) fn damage_envelopes(&mut self) {
        for subject in 0..self.target.subjects.len() {
            if self.target.subjects[subject].part != Part::EveryByte {
                continue;
            }
            let bytes = self.target.subjects[subject].bytes.clone();
            let header = self.target.subjects[subject].header;
            for at in 0..HEADER {
                for added in 1..=255 {
                    let mut damaged = header;
                    damaged[at] = damaged[at].wrapping_add(added);
                    let outcome = self.open(subject, &damaged, &bytes);
                    count(&mut self.tally.sealed, outcome);
                }
                let outcome = self.open(subject, &header[..at], &[]);
                count(&mut self.tally.sealed, outcome);
            }
        }
    }

    /// What an envelope says of these bytes; what it lets through is read.
    fn open(&mut self, subject: usize, header: &[u8], bytes: &[u8]) -> Outcome {
        self.sealed.clear();
        self.sealed.extend_from_slice(header);
        self.sealed.extend_from_slice(bytes);
        let Ok((_, opened)) = envelope::open(&self.target.reader, &self.sealed) else { return Outcome::Refused };
        let payload = Payload::from(opened);
        match (self.readers.first_mut(), self.target.subjects[subject].expected.first()) {
            (Some((_, reader)), Some(Some(expected))) => read(reader, &payload, *expected).0,
            _ => Outcome::Different,
        }
    }

    /// The damage of this number in words.
    pub(super) fn describe(&self, number: u64) -> String {
        let (subject, mutation, other) = self.plan.at(number);
        let name = |at: usize| &self.target.subjects[at].name;
        match mutation {
            Mutation::Splice(_) => format!("{mutation} of {} with {}", name(subject), name(other)),
            _ => format!("{mutation} of {}", name(subject)),
        }
    }

    /// Reads the payloads of these numbers; `tell` is asked after each whether to go on.
    pub(super) fn steps(&mut self, numbers: Range<u64>, mut tell: impl FnMut(&mut Self, u64) -> bool) {
        for number in numbers {
            self.step(number);
            if !tell(self, number) {
                return;
            }
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Refused,
    Equal,
    Different,
    Panicked,
}

fn count(counts: &mut TortureCounts, outcome: Outcome) {
    *match outcome {
        Outcome::Refused => &mut counts.refused,
        Outcome::Equal => &mut counts.equal,
        Outcome::Different => &mut counts.different,
        Outcome::Panicked => &mut counts.panics,
    } += 1;
}

/// What comes of reading a payload, and what a panic said.
fn read(reader: &mut Reader, payload: &Payload, expected: u64) -> (Outcome, Option<String>) {
    match catch_unwind(AssertUnwindSafe(|| reader(payload))) {
        Ok(Err(_)) => (Outcome::Refused, None),
        Ok(Ok((found, _))) if found == expected => (Outcome::Equal, None),
        Ok(Ok(_)) => (Outcome::Different, None),
        Err(panic) => (Outcome::Panicked, Some(format!("a panic: {}", said(&*panic)))),
    }
}

fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a word")
}

/// One damaged payload made again, and what each reading says of it: the damage in words, its bytes, and a line a reading.
///
/// It is read in this process: where the run's own died, this one does too.
///
/// # Errors
///
/// There is no such target, or its payloads cannot be made.
pub fn reproduce(registry: &Registry, order: &Order, number: u64) -> Result<(String, Vec<u8>, Vec<String>)> {
    let mut run = Run::new(registry, order)?;
    run.damage(number);
    let say = |(operation, reader): &mut (Operation, Reader)| match reader(&run.payload) {
        Ok((sum, _)) => format!("{operation}: accepted, checksum {sum:016x}"),
        Err(error) => format!("{operation}: {error}"),
    };
    let lines = run.readers.iter_mut().map(say).collect();
    Ok((run.describe(number), run.damaged, lines))
}
