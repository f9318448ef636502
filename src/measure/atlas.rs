//! The atlas of readings: what it costs to open a payload, what it costs to read from it, and whether the sum of both foretells a run.

use super::{Budget, sample};
use crate::dataset::{Field, Spec};
use crate::error::Result;
use crate::operation::Operation;
use crate::record::{OpeningFailure, OpeningId, OpeningTime, Order, PassesTime, Reading, ReadingTime, Record};
use crate::registry::{Opening, Registry, Source, Stock, Visit};
use crate::statistics::Summary;

/// The numbers of passes at which a prediction is always checked. Those at which two ways are foretold to cost the same are checked too.
const CHECKED: [u32; 2] = [1, 10];
/// A break-even point beyond so many passes is not run.
const MOST_PASSES: f64 = 100.0;

/// What an opening and its readings cost, in medians.
struct Costs {
    opening: Operation,
    open: f64,
    readings: Vec<(Reading, f64)>,
}

impl Costs {
    fn of_passes(&self, reading: &Reading, passes: u32) -> Option<f64> {
        let (_, read) = self.readings.iter().find(|(known, _)| known == reading)?;
        Some(self.open + f64::from(passes) * read)
    }

    /// From how many passes on `self` costs less than `other`, though it is dearer to open.
    fn beats_from(&self, other: &Self, reading: &Reading) -> Option<f64> {
        let read = |costs: &Self| costs.of_passes(reading, 1).map(|cost| cost - costs.open);
        break_even((self.open, read(self)?), (other.open, read(other)?))
    }
}

/// From how many passes on the first costs less than the second: each is what it costs to open and what each pass costs. Nothing where the
/// first is never cheaper, or already is for one pass.
pub fn break_even((open, read): (f64, f64), (other_open, other_read): (f64, f64)) -> Option<f64> {
    let passes = (open - other_open) / (other_read - read);
    (read < other_read && passes > 1.0).then_some(passes)
}

/// The name of an opening of a payload.
pub fn id(source: &Source, spec: &Spec, opening: Operation) -> OpeningId {
    OpeningId { dataset: source.dataset.to_owned(), spec: spec.clone(), format: source.format.name.to_owned(), opening }
}

/// The ways to open a payload.
pub fn openings<'r>(registry: &'r Registry, source: &'r Source) -> impl Iterator<Item = &'r Opening> {
    registry.openings().iter().filter(|opening| opening.dataset == source.dataset && opening.format == source.format.name)
}

/// Measures every opening of a payload of one size. A dataset that is not read in parts gives no records.
pub fn of_source(registry: &Registry, stock: &mut Stock, source: &Source, spec: &Spec, budget: Budget) -> Vec<Record> {
    let id = |opening: &Opening| id(source, spec, opening.operation);
    let mut records = Vec::new();
    let mut costs: Vec<(&Opening, Costs)> = Vec::new();
    for opening in openings(registry, source) {
        match parts(opening, stock, spec, budget) {
            Ok(None) => {}
            Ok(Some((open, readings))) => {
                costs.push((opening, medians(opening.operation, &open, &readings)));
                records.push(Record::Opening(OpeningTime { id: id(opening), samples: open }));
                records.extend(
                    readings.into_iter().map(|(reading, samples)| Record::Reading(ReadingTime { id: id(opening), reading, samples })),
                );
            }
            Err(error) => records.push(Record::OpeningFailure(OpeningFailure { id: id(opening), error: error.to_string() })),
        }
    }
    for (opening, own) in &costs {
        for reading in checked(spec.members) {
            for passes in passes_to_check(own, &costs, &reading) {
                let Some(predicted) = own.of_passes(&reading, passes) else { continue };
                let visit = Visit::of(reading, spec.members);
                let taken = opening.passes(stock, spec, &visit, passes).and_then(|mut work| sample(&mut work, budget));
                records.push(match taken {
                    Ok(samples) => Record::Passes(PassesTime { id: id(opening), reading, passes, predicted, samples }),
                    Err(error) => Record::OpeningFailure(OpeningFailure { id: id(opening), error: error.to_string() }),
                });
            }
        }
    }
    records
}

type Parts = (Vec<f64>, Vec<(Reading, Vec<f64>)>);

/// The samples of an opening, and of every reading of what it opens.
fn parts(opening: &Opening, stock: &mut Stock, spec: &Spec, budget: Budget) -> Result<Option<Parts>> {
    let visits = Visit::all(spec.members);
    let Some(first) = visits.first() else { return Ok(None) };
    let mut readings = Vec::new();
    // What a reading has to give is asked for first: the stock is then free for what is opened.
    let mut expected = Vec::new();
    for visit in &visits {
        expected.push(opening.expected(stock, spec, visit)?);
    }
    opening.open(stock, spec, &mut |opened| {
        for (visit, expected) in visits.iter().zip(&expected) {
            if opening.holds(*expected, opened.read(visit)?)? {
                readings.push((visit.reading, sample(&mut |iterations| opened.time(visit, iterations), budget)?));
            }
        }
        Ok(())
    })?;
    if readings.is_empty() {
        return Ok(None);
    }
    let open = sample(&mut opening.passes(stock, spec, first, 0)?, budget)?;
    Ok(Some((open, readings)))
}

fn medians(opening: Operation, open: &[f64], readings: &[(Reading, Vec<f64>)]) -> Costs {
    let median = |samples: &[f64]| Summary::of(samples).map_or(0.0, |summary| summary.median);
    Costs { opening, open: median(open), readings: readings.iter().map(|(reading, samples)| (*reading, median(samples))).collect() }
}

/// The readings that are run as a whole: all of everything, a number here and there, and one member.
fn checked(members: usize) -> Vec<Reading> {
    let mut checked = vec![
        Reading { members_read: members, order: Order::Sequential, field: Field::All },
        Reading { members_read: members / 100, order: Order::Random, field: Field::Number },
        Reading { members_read: 1.min(members), order: Order::Sequential, field: Field::All },
    ];
    checked.retain(|reading| reading.members_read > 0);
    checked.dedup();
    checked
}

/// The usual numbers, and the first whole number of passes on either side of a break-even point of two ways, one of which is `own`.
fn passes_to_check(own: &Costs, costs: &[(&Opening, Costs)], reading: &Reading) -> Vec<u32> {
    let mut passes = CHECKED.to_vec();
    for (_, other) in costs.iter().filter(|(_, other)| other.opening != own.opening) {
        let points = [own.beats_from(other, reading), other.beats_from(own, reading)];
        passes.extend(points.into_iter().flatten().filter(|point| *point <= MOST_PASSES).map(|point| point.ceil() as u32));
    }
    passes.sort_unstable();
    passes.dedup();
    passes
}

#[cfg(test)]
mod tests {
    use super::break_even;

    #[test]
    fn a_break_even_point_is_where_the_costs_meet() {
        for (one, other, point) in [
            // Dear to open, cheap to read: 100 + 1 n against 10 + 10 n.
            ((100.0, 1.0), (10.0, 10.0), Some(10.0)),
            // The other way round there is no such point.
            ((10.0, 10.0), (100.0, 1.0), None),
            // Cheaper from the first pass on.
            ((10.0, 1.0), (10.0, 10.0), None),
            ((12.0, 1.0), (10.0, 10.0), None),
            // Never cheaper.
            ((100.0, 10.0), (10.0, 10.0), None),
        ] {
            assert_eq!(break_even(one, other), point, "{one:?} {other:?}");
        }
    }
}
