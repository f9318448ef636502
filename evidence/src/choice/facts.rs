//! What the records say of one dataset at one size, in nanoseconds and bytes a member.

use serde::Serialize;

use super::Way;
use crate::case::{NATIVE, is_meant_for};
use crate::operation::Operation;
use crate::record::{Evolution, EvolutionVerdict, Record, RunRecords, Torture};
use crate::report::model::{Group, memory};
use crate::statistics::Summary;

/// Digits that are kept: the page computes with the same figures, and carries them all.
const DIGITS: usize = 5;

/// The changes that every schema comes to, and that must neither be refused nor go wrong in either direction.
const ADDITIVE: [&str; 2] = ["append-optional-field", "append-defaulted-field"];

/// What was measured of one dataset at one size. All figures are for a member; times are nanoseconds.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facts {
    /// The dataset's name.
    pub dataset: String,
    /// Its variant.
    pub variant: String,
    /// How many members there were.
    pub members: usize,
    /// The file that the times come from.
    pub run: String,
    /// The bytes of the data without any layout.
    pub data_bytes: f64,
    /// The bytes of the native value in memory, where they were counted.
    pub value_bytes: Option<f64>,
    /// How far two figures may differ and still be called a tie, as a part of one.
    pub noise: f64,
    /// The formats.
    pub formats: Vec<FormatFacts>,
}

/// What was measured of a format.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FormatFacts {
    /// Its name.
    pub name: String,
    /// Whether the layout is this crate's own.
    pub ours: bool,
    /// The bytes of the payload.
    pub bytes: f64,
    /// The time to encode into a reused sink.
    pub encode: Summary,
    /// The ways in which it can be read.
    pub ways: Vec<WayFacts>,
    /// The codecs that its payload was put through.
    pub codecs: Vec<CodecFacts>,
    /// What became of schema changes, where that was run.
    pub evolves: Option<Evolves>,
}

/// What was measured of a way of reading.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WayFacts {
    /// The way.
    pub way: Way,
    /// The time until a member can be read: to decode, borrow or access.
    pub open: Summary,
    /// The time to open, and then to read every field of every member.
    pub all: Summary,
    /// The most that opening allocates at once, where that was counted.
    pub peak: Option<f64>,
    /// What became of damaged payloads, where that was run.
    pub damaged: Option<Damaged>,
}

/// What became of damaged payloads that were read in this way.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Damaged {
    /// How many there were.
    pub payloads: u64,
    /// How many were read as other values without an error.
    pub silent: u64,
    /// How many of the format's, read in any way, ended in a panic or crash, or took more memory or time than they may.
    pub failed: u64,
}

/// What was measured of a codec on a format's payload.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CodecFacts {
    /// The codec's name.
    pub name: String,
    /// The bytes that it leaves.
    pub bytes: f64,
    /// The time to compress.
    pub compress: Summary,
    /// The time to decompress.
    pub decompress: Summary,
    /// How many members there were when it was measured.
    pub members: usize,
}

/// What became of schema changes in a format, in the setting that it is measured in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evolves {
    /// Whether appending a field works with the old schema on either side.
    pub additive: bool,
    /// How many changes gave a wrong value without an error.
    pub silent: u32,
    /// How many changes were run.
    pub changes: u32,
}

impl Facts {
    /// The facts of every dataset and size of which formats were measured both ways, the largest first.
    pub fn all(runs: &[RunRecords]) -> Vec<Self> {
        let groups = Group::all(runs);
        let ran = Ran {
            evolution: RunRecords::last(runs, |record| if let Record::Evolution(cell) = record { Some(&**cell) } else { None }),
            torture: RunRecords::last(runs, |record| if let Record::Torture(torture) = record { Some(&**torture) } else { None }),
        };
        groups.iter().map(|group| Self::of(group, &groups, &ran)).filter(|facts| !facts.formats.is_empty()).collect()
    }

    fn of(group: &Group, groups: &[Group], ran: &Ran) -> Self {
        let formats = group.formats.iter().filter_map(|format| FormatFacts::of(group, format, groups, ran)).collect();
        Self {
            dataset: group.dataset.to_owned(),
            variant: group.spec.variant.clone(),
            members: group.spec.members,
            run: group.run.name.clone(),
            data_bytes: group.smallest().map_or(0.0, |size| significant(size.data_bytes as f64 * group.per_member())),
            value_bytes: peak(group, groups, Operation::Clone, NATIVE),
            noise: significant(group.tie_threshold()),
            formats,
        }
    }
}

impl FormatFacts {
    fn of(group: &Group, format: &str, groups: &[Group], ran: &Ran) -> Option<Self> {
        let time = |operation| Some(kept(group.reading(operation, format).measured()? * group.per_member()));
        let way = |way: Way| {
            let all = group.read_all(format, way).measured()? * group.per_member();
            let damaged = Damaged::of(way, format, group.dataset, &ran.torture);
            Some(WayFacts { way, open: time(way.opens())?, all: kept(all), peak: peak(group, groups, way.opens(), format), damaged })
        };
        let size = group.size(format, None)?;
        let ways: Vec<WayFacts> = Way::ALL.into_iter().filter_map(way).collect();
        let facts = Self {
            name: format.to_owned(),
            ours: group.is_ours(format),
            bytes: significant(size.bytes as f64 * group.per_member()),
            encode: time(Operation::Encode)?,
            codecs: codecs(group, format, groups, size.data_bytes as f64 * group.per_member()),
            ways,
            evolves: Evolves::of(format, &ran.evolution),
        };
        (!facts.ways.is_empty()).then_some(facts)
    }
}

/// Every codec of a format, from the group nearest in size that has it both ways; its figures are scaled by the bytes of the data.
fn codecs(group: &Group, format: &str, groups: &[Group], data_bytes: f64) -> Vec<CodecFacts> {
    let related: Vec<&Group> = nearest(group, groups);
    let mut names: Vec<&str> = Vec::new();
    let meant = |name: &&str| is_meant_for(name, group.spec.members);
    for name in related.iter().flat_map(|group| group.codecs()).filter(meant) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let in_group = |other: &Group, codec: &str| {
        let size = other.size(format, Some(codec))?;
        let scale = data_bytes / size.data_bytes.max(1) as f64;
        let time = |operation| Some(kept(other.reading_of(operation, format, Some(codec)).measured()? * scale));
        Some(CodecFacts {
            name: codec.to_owned(),
            bytes: significant(size.bytes as f64 * scale),
            compress: time(Operation::Compress)?,
            decompress: time(Operation::Decompress)?,
            members: other.spec.members,
        })
    };
    names.into_iter().filter_map(|codec| related.iter().find_map(|group| in_group(group, codec))).collect()
}

/// The groups of the same dataset and variant, the nearest in size first.
fn nearest<'g, 'r>(group: &Group<'r>, groups: &'g [Group<'r>]) -> Vec<&'g Group<'r>> {
    let distance = |other: &&Group| (other.spec.members.max(1) as f64 / group.spec.members.max(1) as f64).ln().abs();
    let same =
        |other: &&Group| other.dataset == group.dataset && other.spec.variant == group.spec.variant && other.spec.seed == group.spec.seed;
    let mut related: Vec<&Group> = groups.iter().filter(same).collect();
    related.sort_by(|one, other| distance(one).total_cmp(&distance(other)));
    related
}

/// The peak of an operation, from the group nearest in size where it was counted.
fn peak(group: &Group, groups: &[Group], operation: Operation, format: &str) -> Option<f64> {
    nearest(group, groups).into_iter().find_map(|group| {
        let record = group.most(memory).find(|record| record.cell.id.operation == operation && record.cell.id.format == format)?;
        Some(significant(record.peak_bytes as f64 * group.per_member()))
    })
}

/// What was run of formats apart from measuring them.
struct Ran<'r> {
    evolution: Vec<&'r Evolution>,
    torture: Vec<&'r Torture>,
}

impl Damaged {
    fn of(way: Way, format: &str, dataset: &str, torture: &[&Torture]) -> Option<Self> {
        let of_format = |record: &&&Torture| record.target == format && record.dataset == dataset;
        let tally = &torture.iter().find(of_format)?.tally;
        // Damaged payloads are read to their last field.
        let counts = tally.of_operation(way.reads_all().name());
        (counts.total() > 0).then_some(Self { payloads: counts.total(), silent: counts.different, failed: tally.failed })
    }
}

impl Evolves {
    /// The setting of the format's own name; for `capnp-packed` that of `capnp`, as the schema is the same.
    fn of(format: &str, cells: &[&Evolution]) -> Option<Self> {
        let is_setting = |setting: &str| format == setting || format.strip_prefix(setting).is_some_and(|rest| rest.starts_with('-'));
        let setting =
            cells.iter().map(|cell| cell.format.as_str()).filter(|setting| is_setting(setting)).max_by_key(|setting| setting.len())?;
        let mut changes: Vec<u8> = Vec::new();
        let mut silent: Vec<u8> = Vec::new();
        let mut additive = true;
        for cell in cells.iter().filter(|cell| cell.format == setting && cell.direction != "hop") {
            let EvolutionVerdict::Ran { letter, silent: values, .. } = &cell.verdict else { continue };
            changes.push(cell.number);
            if *values > 0 {
                silent.push(cell.number);
            }
            if ADDITIVE.contains(&cell.change.as_str()) && (*values > 0 || matches!(letter, 'E' | 'S' | '!')) {
                additive = false;
            }
        }
        let distinct = |mut numbers: Vec<u8>| {
            numbers.sort_unstable();
            numbers.dedup();
            numbers.len() as u32
        };
        Some(Self { additive, silent: distinct(silent), changes: distinct(changes) })
    }
}

fn kept(summary: Summary) -> Summary {
    Summary { median: significant(summary.median), low: significant(summary.low), high: significant(summary.high) }
}

fn significant(value: f64) -> f64 {
    format!("{value:.*e}", DIGITS - 1).parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{TortureCounts, TortureKind, TortureOutcome, TortureTally};

    #[test]
    fn every_safe_way_has_what_became_of_its_damaged_payloads() {
        let outcome = |operation: Operation, different| TortureOutcome {
            operation: operation.name().into(),
            damage: "bit".into(),
            counts: TortureCounts { refused: 90, different, ..TortureCounts::default() },
            first_silent: None,
        };
        let record = Torture {
            target: "flat".into(),
            target_kind: TortureKind::Format,
            dataset: "made".into(),
            seed: 1,
            mutations: 100,
            every_byte_of: 0,
            tally: TortureTally {
                outcomes: vec![
                    outcome(Operation::Decode, 1),
                    outcome(Operation::ReadAllBorrowed, 2),
                    outcome(Operation::ReadAll, 3),
                    outcome(Operation::Update, 4),
                ],
                ..TortureTally::default()
            },
            milliseconds: 1,
        };
        for (way, silent) in [(Way::Decode, Some(1)), (Way::Borrow, Some(2)), (Way::Access, Some(3)), (Way::Unchecked, None)] {
            let damaged = Damaged::of(way, "flat", "made", &[&record]);
            assert_eq!(damaged, silent.map(|silent| Damaged { payloads: 90 + silent, silent, failed: 0 }), "{way:?}");
            assert_eq!(Damaged::of(way, "flat", "another", &[&record]), None);
        }
    }
}
