//! What a run will take, guessed before it starts: codecs are tried, since the strongest level takes hundreds of times as long as the quickest.

use std::collections::HashMap;

use super::session::Planned;
use super::{Budget, atlas};
use crate::case::is_meant_for;
use crate::dataset::Spec;
use crate::operation::Operation;
use crate::record::Cell;
use crate::registry::{Registry, Source, Stock, Visit};

/// How many members a codec is tried on: several of the smaller blocks, and still a moment for each.
const TRIED: usize = 1_000;

/// What a format takes for a member, and what reading takes behind a codec, in seconds. Rough: a progress line corrects itself as it goes.
const FORMAT: f64 = 100e-9;
const DECOMPRESS: f64 = 500e-9;
/// Compressing, where it was not tried.
const COMPRESS: f64 = 2_000e-9;

/// The guess at what the cells of a plan take.
#[derive(Debug, Clone, Default)]
pub struct Forecast {
    /// Seconds to compress a member, by codec.
    compress: HashMap<String, f64>,
}

impl Forecast {
    /// Tries each codec of the plan once. One that fails is left to its cells, which tell why.
    pub fn of(planned: &[Planned]) -> Self {
        let (mut compress, mut stock) = (HashMap::new(), Stock::default());
        for Planned { case, cell } in planned.iter().filter(|planned| planned.cell.id.operation == Operation::Compress) {
            let Some(codec) = cell.id.codec.as_ref().filter(|codec| is_meant_for(codec, TRIED)) else { continue };
            if compress.contains_key(codec) {
                continue;
            }
            let spec = Spec { members: TRIED, ..cell.spec.clone() };
            if let Ok(time) = case.prepare(&mut stock, &spec).and_then(|mut work| work(1)) {
                compress.insert(codec.clone(), time.as_secs_f64() / TRIED as f64);
            }
        }
        Self { compress }
    }

    /// About what so many iterations of an operation without a codec take.
    pub fn of_format(members: usize, iterations: usize) -> f64 {
        members as f64 * iterations as f64 * FORMAT
    }

    /// About what the openings and readings of a payload take. The two shares are what runs took: a reading stops long before its time is
    /// used up, since it has its samples; and all that reads every member, several passes of it among them, is to one decode as
    /// twenty-five to one.
    pub fn of_openings(registry: &Registry, source: &Source, spec: &Spec, budget: Budget) -> f64 {
        const SHARE_OF_THE_TIME: f64 = 0.5;
        const DECODES: f64 = 25.0;
        let readings = Visit::readings(spec.members).len() as f64 * budget.time.as_secs_f64() * SHARE_OF_THE_TIME;
        atlas::openings(registry, source).count() as f64 * (readings + DECODES * Self::of_format(spec.members, budget.samples))
    }

    /// About what it takes to prepare a cell and to run it so many times.
    pub fn seconds(&self, cell: &Cell, iterations: usize) -> f64 {
        let members = cell.spec.members;
        let Some(codec) = &cell.id.codec else { return Self::of_format(members, iterations) };
        let compress = self.compress.get(codec).copied().unwrap_or(COMPRESS);
        let a_member = match cell.id.operation {
            Operation::Compress => (iterations as f64 + 1.0) * compress,
            // Compressed once, to have something to read.
            _ => compress + iterations as f64 * DECOMPRESS,
        };
        members as f64 * a_member
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::session::{Selection, plan};
    use crate::registry::CaseId;

    fn cell(operation: Operation, codec: Option<&str>) -> Cell {
        let id = CaseId { operation, dataset: "organization".into(), format: "json".into(), codec: codec.map(str::to_owned) };
        Cell { id, spec: Spec { members: 100, seed: 712, variant: "zh".into() } }
    }

    #[test]
    fn what_is_compressed_once_to_be_read_counts_once() {
        let forecast = Forecast { compress: HashMap::from([("slow".to_owned(), 1.0)]) };
        for (operation, codec, a_member) in [
            (Operation::Encode, None, 5.0 * FORMAT),
            (Operation::Compress, Some("slow"), 6.0),
            (Operation::Decompress, Some("slow"), 1.0 + 5.0 * DECOMPRESS),
            (Operation::Compress, Some("untried"), 6.0 * COMPRESS),
        ] {
            assert_eq!(forecast.seconds(&cell(operation, codec), 5), 100.0 * a_member, "{operation} {codec:?}");
        }
    }

    #[test]
    fn a_codec_of_large_payloads_is_tried_and_no_dictionary() {
        let registry = Registry::standard();
        let names = || registry.codecs().map(|info| info.name.clone());
        let quick = names().find(|codec| is_meant_for(codec, TRIED));
        let codecs: Vec<String> = quick.iter().cloned().chain(names().find(|codec| !is_meant_for(codec, TRIED))).collect();
        let selection = Selection { codecs, ..Selection::default() };
        let tried: Vec<String> = Forecast::of(&plan(&registry, &selection, &[1], &[1])).compress.into_keys().collect();
        // Without a format there is nothing to compress.
        assert_eq!(tried, Vec::from_iter(quick.filter(|_| !registry.sources().is_empty())));
    }
}
