//! What damaged payloads came to, and what test suites of other projects did.

use serde::{Deserialize, Serialize};

/// What was tortured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TortureKind {
    /// A format on a dataset.
    Format,
    /// A codec.
    Codec,
}

/// What came of the damaged payloads of a format or codec.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Torture {
    /// The format or codec.
    pub target: String,
    /// Which of the two it is.
    pub target_kind: TortureKind,
    /// The dataset; empty for a codec.
    pub dataset: String,
    /// The seed of the random mutations.
    pub seed: u64,
    /// How many damaged payloads there were.
    pub mutations: u64,
    /// Of so many payloads every cut and every value of every byte was tried; 0 where the run was too short for that.
    pub every_byte_of: u64,
    /// What was counted.
    #[serde(flatten)]
    pub tally: TortureTally,
    /// How long it took, all processes together.
    pub milliseconds: u64,
}

/// What was counted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureTally {
    /// A row for each way to read and each kind of damage.
    pub outcomes: Vec<TortureOutcome>,
    /// The same damages, and those of the envelope itself, with the payload in an envelope, whose checksum is looked at first.
    pub sealed: TortureCounts,
    /// What must not happen: panics, crashes, hangs, and what took more memory or time than it may. The first few of them.
    pub failures: Vec<TortureFailure>,
    /// How many failures there were.
    pub failed: u64,
    /// The most heap that a refused payload took.
    pub refused_heap: TortureExtreme,
    /// The most heap that an accepted payload took, the decoded value included.
    pub accepted_heap: TortureExtreme,
    /// The nanoseconds of the payload that took longest.
    pub longest: TortureExtreme,
    /// The peak resident memory of the process, which counts what C libraries take.
    pub resident_peak_bytes: u64,
}

/// The outcomes of one way to read under one kind of damage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureOutcome {
    /// The operation.
    pub operation: String,
    /// The kind of damage: `cut`, `byte`, `bit` or `splice`.
    pub damage: String,
    /// How many came to what.
    #[serde(flatten)]
    pub counts: TortureCounts,
    /// The number of the first mutation that was silent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_silent: Option<u64>,
}

/// How many damaged payloads came to what.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureCounts {
    /// An error.
    pub refused: u64,
    /// The value that was written, as if nothing had happened.
    pub equal: u64,
    /// Another value, and nobody was told.
    pub different: u64,
    /// A panic.
    pub panics: u64,
}

impl TortureCounts {
    /// All of them.
    pub fn total(&self) -> u64 {
        self.refused + self.equal + self.different + self.panics
    }

    /// Adds others.
    pub fn add(&mut self, other: &Self) {
        self.refused += other.refused;
        self.equal += other.equal;
        self.different += other.different;
        self.panics += other.panics;
    }
}

/// Something that must not happen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureFailure {
    /// The mutation's number: with the target and the seed it is enough to make the payload again.
    pub mutation: u64,
    /// The damage and what it was done to.
    pub damage: String,
    /// What happened.
    pub what: String,
}

/// The greatest of some figure, and which payload it was.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TortureExtreme {
    /// The figure.
    pub value: u64,
    /// The bytes of the payload.
    pub input: u64,
    /// The mutation's number.
    pub mutation: u64,
}

impl TortureExtreme {
    /// Keeps the greater.
    pub fn raise(&mut self, other: Self) {
        if other.value > self.value {
            *self = other;
        }
    }
}

impl TortureTally {
    /// How many failures are kept with their details.
    pub const SHOWN: usize = 20;

    /// Counts a failure.
    pub fn fail(&mut self, failure: TortureFailure) {
        self.failed += 1;
        if self.failures.len() < Self::SHOWN {
            self.failures.push(failure);
        }
    }

    /// Adds what another process counted for the same target.
    pub fn add(&mut self, other: Self) {
        for of_other in other.outcomes {
            match self.outcomes.iter_mut().find(|own| (&own.operation, &own.damage) == (&of_other.operation, &of_other.damage)) {
                Some(own) => {
                    own.counts.add(&of_other.counts);
                    own.first_silent = own.first_silent.or(of_other.first_silent);
                }
                None => self.outcomes.push(of_other),
            }
        }
        self.sealed.add(&other.sealed);
        self.failed += other.failed;
        self.failures.extend(other.failures.into_iter().take(Self::SHOWN.saturating_sub(self.failures.len())));
        self.refused_heap.raise(other.refused_heap);
        self.accepted_heap.raise(other.accepted_heap);
        self.longest.raise(other.longest);
        self.resident_peak_bytes = self.resident_peak_bytes.max(other.resident_peak_bytes);
    }

    /// The counts of one way to read, under every damage.
    pub fn of_operation(&self, operation: &str) -> TortureCounts {
        let mut sum = TortureCounts::default();
        self.outcomes.iter().filter(|outcome| outcome.operation == operation).for_each(|outcome| sum.add(&outcome.counts));
        sum
    }

    /// The ways to read, in their order.
    pub fn operations(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !names.contains(&outcome.operation.as_str()) {
                names.push(&outcome.operation);
            }
        }
        names
    }
}

/// What came of a test suite of another project, as far as one reader goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suite {
    /// The suite.
    pub suite: String,
    /// The format or codec that read it.
    pub reader: String,
    /// Files, or cases within them.
    pub cases: u64,
    /// The right value was read.
    pub passed: u64,
    /// An error was given.
    pub refused: u64,
    /// Another value was read, or there was a panic.
    pub differed: u64,
    /// Those that do not get what the suite asks for, each with its reason.
    pub exceptions: Vec<SuiteException>,
}

/// A case that does not get what its suite asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuiteException {
    /// The case.
    pub case: String,
    /// Why that is right here.
    pub reason: String,
}
