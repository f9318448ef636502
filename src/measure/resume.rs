//! Going on with a run that was killed: what its file holds already, and whether it is the same run.

use std::collections::HashSet;

use crate::record::{Cell, OpeningId, Record, Run, RunRecords};
use crate::registry::CaseId;

/// What a run has recorded already. A new run has recorded nothing.
#[derive(Debug, Default)]
pub struct Done {
    records: HashSet<Of>,
}

/// What a record is of, without what was measured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Of {
    /// The samples of a cell, the second time with `true`, under an allocator.
    Time(Cell, bool, String),
    /// The allocations of a cell.
    Memory(Cell),
    /// A cell held against another case.
    Ratio(Cell, CaseId),
    /// All openings and readings of a format; the dataset's, by any of its openings.
    Openings(OpeningId),
    /// What there is once for a run: fidelity, default limits, the process. They are recorded together, at their end.
    Rest(&'static str, usize),
}

impl Done {
    /// What the records of a run are of.
    pub fn of(run: &RunRecords) -> Self {
        let own = &run.run.environment.allocator;
        let of = |record: &Record| match record {
            Record::Time(time) => Some(Of::Time(time.cell.clone(), time.again, time.allocator.clone())),
            // What failed once fails again: a run that goes on does not try it.
            Record::Failure(failure) => Some(Of::Time(failure.cell.clone(), false, own.clone())),
            Record::Memory(memory) => Some(Of::Memory(memory.cell.clone())),
            Record::Ratio(ratio) => Some(Of::Ratio(ratio.cell.clone(), ratio.against.clone())),
            Record::Opening(time) => Some(Of::openings(&time.id)),
            Record::OpeningFailure(failure) => Some(Of::openings(&failure.id)),
            Record::DefaultLimits(limits) => Some(Of::Rest("limits", limits.spec.members)),
            Record::Process(process) => Some(Of::Rest("process", process.spec.members)),
            Record::Fidelity(_) => Some(Of::Rest("fidelity", 0)),
            _ => None,
        };
        Self { records: run.records.iter().filter_map(of).collect() }
    }

    pub(super) fn has(&self, of: &Of) -> bool {
        self.records.contains(of)
    }

    /// How many different things were recorded.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }
}

impl Of {
    /// The openings of a format are recorded together, whichever they are.
    pub(super) fn openings(id: &OpeningId) -> Self {
        Self::Openings(OpeningId { opening: crate::operation::Operation::Decode, ..id.clone() })
    }
}

/// How many records at the end of a run are of one format's openings: they are recorded together, so those that a file ends with may be
/// half of what there is, and are measured again.
pub fn unfinished(run: &RunRecords) -> usize {
    let format = |record: &Record| match record {
        Record::Opening(time) => Some(Of::openings(&time.id)),
        Record::Reading(time) => Some(Of::openings(&time.id)),
        Record::Passes(time) => Some(Of::openings(&time.id)),
        Record::OpeningFailure(failure) => Some(Of::openings(&failure.id)),
        _ => None,
    };
    let Some(last) = run.records.last().and_then(format) else { return 0 };
    run.records.iter().rev().take_while(|record| format(record).as_ref() == Some(&last)).count()
}

/// Why a run cannot go on with the file of another; nothing where it can. The day may differ, nothing else: figures of two machines, of two
/// builds or of two plans do not belong into one table.
pub fn difference(old: &Run, new: &Run) -> Option<String> {
    let (before, now) = (&old.environment, &new.environment);
    let told =
        |what: &str, before: &dyn std::fmt::Display, now: &dyn std::fmt::Display| Some(format!("its {what} is {before}, here it is {now}"));
    let seeds = |run: &Run| {
        let seeds: std::collections::BTreeSet<String> = run.planned.iter().map(|cell| cell.spec.seed.to_string()).collect();
        seeds.into_iter().collect::<Vec<_>>().join(", ")
    };
    match () {
        () if old.program != new.program => told("program", &old.program, &new.program),
        () if before.processor != now.processor => told("processor", &before.processor, &now.processor),
        () if before.cores != now.cores => told("number of cores", &before.cores, &now.cores),
        () if before.system != now.system => told("system", &before.system, &now.system),
        () if before.rustc != now.rustc => told("compiler", &before.rustc, &now.rustc),
        () if before.target != now.target => told("target", &before.target, &now.target),
        () if before.profile != now.profile => told("profile", &before.profile, &now.profile),
        () if before.allocator != now.allocator => told("allocator", &before.allocator, &now.allocator),
        () if before.revision != now.revision => told("revision", &before.revision, &now.revision),
        () if before.libraries != now.libraries => Some("its libraries are of other versions".to_owned()),
        () if seeds(old) != seeds(new) => told("seed", &seeds(old), &seeds(new)),
        () if old.planned != new.planned => {
            told("plan", &format_args!("of {} cells", old.planned.len()), &format_args!("another, of {}", new.planned.len()))
        }
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dataset::Spec;
    use crate::operation::Operation;
    use crate::record::{Build, Environment, Failure, Time, VERSION};

    fn cell(operation: Operation, seed: u64) -> Cell {
        let id = CaseId { operation, dataset: "organization".into(), format: "json".into(), codec: None };
        Cell { id, spec: Spec { members: 10, seed, variant: "zh".into() } }
    }

    fn run(seed: u64) -> Run {
        let environment = Environment::of_this_process(&Build { allocator: "one", ..Build::default() });
        Run { version: VERSION, program: "wirewise measure --full".into(), environment, planned: vec![cell(Operation::Encode, seed)] }
    }

    #[test]
    fn what_is_recorded_is_done_and_nothing_else() {
        let time = |again| Record::Time(Time { cell: cell(Operation::Encode, 1), allocator: "one".into(), again, samples: vec![1.0] });
        let failure = Record::Failure(Failure { cell: cell(Operation::Decode, 1), error: "no".into() });
        let done = Done::of(&RunRecords { name: "full".into(), run: run(1), records: vec![time(false), failure] });
        for (of, is_done) in [
            (Of::Time(cell(Operation::Encode, 1), false, "one".into()), true),
            (Of::Time(cell(Operation::Encode, 1), true, "one".into()), false),
            (Of::Time(cell(Operation::Encode, 1), false, "system".into()), false),
            (Of::Time(cell(Operation::Encode, 2), false, "one".into()), false),
            (Of::Time(cell(Operation::Decode, 1), false, "one".into()), true),
            (Of::Memory(cell(Operation::Encode, 1)), false),
        ] {
            assert_eq!(done.has(&of), is_done, "{of:?}");
        }
    }

    #[test]
    fn another_run_is_told_by_what_differs() {
        assert_eq!(difference(&run(1), &run(1)), None);
        assert!(difference(&run(1), &run(2)).unwrap().contains("seed is 1, here it is 2"));
        let mut other = run(1);
        other.environment.date = "2000-01-01".into();
        assert_eq!(difference(&run(1), &other), None);
        other.environment.rustc = "rustc 1.0".into();
        assert!(difference(&run(1), &other).unwrap().contains("here it is rustc 1.0"));
        let mut other = run(1);
        other.planned.push(cell(Operation::Decode, 1));
        assert!(difference(&run(1), &other).unwrap().contains("plan is of 1 cells, here it is another, of 2"));
    }
}
