//! Every pipeline ranked, which of them cannot be told apart, what decides, and what would change the answer.

use std::collections::BTreeMap;

use serde::Serialize;

use super::model::{Estimate, Plan, estimate};
use super::wish::ASSUMPTIONS;
use super::{Damaged, Facts, FormatFacts, Way, WayFacts, Wish};

/// The answer to a wish.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Answer {
    /// What can be taken, the least time first.
    pub ranking: Vec<Choice>,
    /// What cannot be taken, by the reason.
    pub excluded: Vec<Excluded>,
}

/// A pipeline, and what the model says of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Choice {
    /// The format.
    pub format: String,
    /// The codec.
    pub codec: Option<String>,
    /// The way of reading.
    pub way: Way,
    /// Whether the layout is this crate's own.
    pub ours: bool,
    /// Times and memory.
    #[serde(flatten)]
    pub estimate: Estimate,
    /// Whether it cannot be told from the first.
    pub tie: bool,
    /// Schema changes that gave a wrong value without an error, and all that were run; where one has to evolve.
    pub silent: Option<(u32, u32)>,
    /// What became of damaged payloads of the format, where the bytes may be anyone's.
    pub damaged: Option<Damaged>,
}

/// What is left out, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Excluded {
    /// The reason.
    pub reason: String,
    /// The formats.
    pub formats: Vec<String>,
}

/// What becomes of the answer when an assumption is off.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Sensitivity {
    /// The assumption.
    pub assumption: &'static str,
    /// What it is multiplied by.
    pub factor: f64,
    /// What comes first then.
    pub first: String,
    /// Whether the first of the wish as it stands is still first, or cannot be told from it.
    pub holds: bool,
    /// How many times as long the first of the wish as it stands takes then, of what comes first.
    pub regret: f64,
}

impl Choice {
    /// The format, the codec behind a full stop, and the way, as in `rkyv.zstd-3, access + read`.
    pub fn label(&self) -> String {
        format!("{}, {}", self.pipeline(), self.way.label())
    }

    /// The same with one word for the way.
    pub fn short_label(&self) -> String {
        format!("{}, {}", self.pipeline(), self.way.name())
    }

    /// The format, with the codec behind a full stop where there is one.
    pub fn pipeline(&self) -> String {
        self.codec.as_ref().map_or_else(|| self.format.clone(), |codec| format!("{}.{codec}", self.format))
    }

    fn is(&self, other: &Self) -> bool {
        (&self.format, &self.codec, self.way) == (&other.format, &other.codec, other.way)
    }

    /// The largest term, and its share: of the time in sequence, or of the time of its stage where blocks overlap.
    pub fn decides(&self) -> (&'static str, f64) {
        let largest = self.estimate.terms.named().into_iter().max_by(|one, other| one.1.total_cmp(&other.1)).unwrap_or(("", 0.0));
        let whole: f64 = self.estimate.terms.named().iter().map(|(_, time)| time).sum();
        (largest.0, if whole > 0.0 { largest.1 / whole } else { 0.0 })
    }
}

impl Answer {
    /// The answer of these facts.
    pub fn of(facts: &Facts, wish: &Wish) -> Self {
        let mut excluded: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        let mut ranking: Vec<Choice> = Vec::new();
        for format in &facts.formats {
            for way in &format.ways {
                if let Some(reason) = barred(format, way, wish) {
                    excluded.entry(reason).or_default().push(format.name.clone());
                    continue;
                }
                for codec in std::iter::once(None).chain(format.codecs.iter().map(Some)) {
                    let estimate = estimate(facts, format, codec, way, wish);
                    if wish.memory.zip(estimate.memory).is_some_and(|(bound, memory)| memory > bound) {
                        let label = codec.map_or_else(|| format.name.clone(), |codec| format!("{}.{}", format.name, codec.name));
                        excluded.entry("needs more memory").or_default().push(format!("{label} ({})", way.way.name()));
                        continue;
                    }
                    ranking.push(Choice {
                        format: format.name.clone(),
                        codec: codec.map(|codec| codec.name.clone()),
                        way: way.way,
                        ours: format.ours,
                        estimate,
                        tie: false,
                        silent: format.evolves.as_ref().filter(|_| wish.must_evolve).map(|evolves| (evolves.silent, evolves.changes)),
                        damaged: way.damaged.filter(|_| wish.untrusted),
                    });
                }
            }
        }
        ranking.sort_by(|one, other| one.estimate.time.median.total_cmp(&other.estimate.time.median));
        mark_ties(&mut ranking, facts.noise);
        let excluded = excluded.into_iter().map(|(reason, mut formats)| {
            formats.dedup();
            Excluded { reason: reason.to_owned(), formats }
        });
        Self { ranking, excluded: excluded.collect() }
    }

    /// The best that is of a library, where the first is not.
    pub fn of_libraries(&self) -> Option<&Choice> {
        self.ranking.first().filter(|first| first.ours).and_then(|_| self.ranking.iter().find(|choice| !choice.ours))
    }

    /// What becomes of the first when each assumption is half or twice what the wish says.
    pub fn sensitivity(&self, facts: &Facts, wish: &Wish) -> Vec<Sensitivity> {
        let Some(first) = self.ranking.first() else { return Vec::new() };
        let mut all = Vec::new();
        for (assumption, change) in ASSUMPTIONS {
            for factor in [0.5, 2.0] {
                let mut changed = wish.clone();
                change(&mut changed, factor);
                if changed == *wish {
                    continue;
                }
                let answer = Self::of(facts, &changed);
                let Some(now) = answer.ranking.first() else { continue };
                // What the change rules out, such as by its memory, is no longer there.
                let before = answer.ranking.iter().find(|choice| choice.is(first));
                all.push(Sensitivity {
                    assumption,
                    factor,
                    first: now.label(),
                    holds: before.is_some_and(|choice| choice.tie || choice.is(now)),
                    regret: before.map_or(f64::INFINITY, |choice| choice.estimate.time.median / now.estimate.time.median),
                });
            }
        }
        all
    }
}

/// Why a way of reading a format is out of the question.
fn barred(format: &FormatFacts, way: &WayFacts, wish: &Wish) -> Option<&'static str> {
    if wish.untrusted && way.way == Way::Unchecked {
        Some("unvalidated access, and the bytes may be anyone's")
    } else if wish.untrusted && way.damaged.is_some_and(|damaged| damaged.failed > 0) {
        Some("damaged payloads made it fail, and the bytes may be anyone's")
    } else if wish.must_evolve && format.evolves.as_ref().is_some_and(|evolves| !evolves.additive) {
        Some("a field cannot be added while old programs run")
    } else if wish.libraries_only && format.ours {
        Some("a layout written by hand for one type")
    } else {
        None
    }
}

/// A tie: the intervals overlap, or the gap is within the noise of what is measured. The link has no noise.
fn mark_ties(ranking: &mut [Choice], noise: f64) {
    let Some(first) = ranking.first().map(|choice| choice.estimate) else { return };
    for choice in ranking.iter_mut().skip(1) {
        let gap = choice.estimate.time.median - first.time.median;
        choice.tie = gap <= noise * choice.estimate.exposed.max(first.exposed) || choice.estimate.time.overlaps(&first.time);
    }
    // One that is tied makes the first a tie as well.
    let tied = ranking.iter().any(|choice| choice.tie);
    ranking[0].tie = tied;
}

impl std::fmt::Display for Plan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.label())
    }
}
