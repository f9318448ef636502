//! What a run will take, guessed before it starts: codecs are tried, since the strongest level takes hundreds of times as long as the quickest.

use std::collections::HashMap;

use super::session::Planned;
use crate::case::is_meant_for;
use crate::dataset::Spec;
use crate::operation::Operation;
use crate::record::Cell;
use crate::registry::Stock;

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

    /// About what it takes to prepare a cell and to run it so many times.
    pub fn seconds(&self, cell: &Cell, iterations: usize) -> f64 {
        let iterations = iterations as f64;
        let a_member = match &cell.id.codec {
            None => iterations * FORMAT,
            Some(codec) => {
                let compress = self.compress.get(codec).copied().unwrap_or(COMPRESS);
                match cell.id.operation {
                    Operation::Compress => (iterations + 1.0) * compress,
                    // Compressed once, to have something to read.
                    _ => compress + iterations * DECOMPRESS,
                }
            }
        };
        cell.spec.members as f64 * a_member
    }
}

#[cfg(all(test, feature = "json", feature = "zstd"))]
mod tests {
    use super::*;
    use crate::measure::session::{Selection, plan};
    use crate::registry::Registry;

    #[test]
    fn a_strong_level_is_foretold_to_take_longer_than_a_quick_one() {
        let registry = Registry::standard();
        let selection = Selection {
            formats: vec!["json".into()],
            codecs: vec!["zstd-1".into(), "zstd-19".into()],
            datasets: vec!["organization".into()],
            ..Selection::default()
        };
        let planned = plan(&registry, &selection, &[], &[100_000]);
        let forecast = Forecast::of(&planned);
        let seconds = |codec: &str, operation| {
            let of = |planned: &&Planned| planned.cell.id.codec.as_deref() == Some(codec) && planned.cell.id.operation == operation;
            planned.iter().find(of).map(|planned| forecast.seconds(&planned.cell, 5)).unwrap()
        };
        assert!(seconds("zstd-19", Operation::Compress) > 2.0 * seconds("zstd-1", Operation::Compress));
        assert!(seconds("zstd-19", Operation::Compress) > seconds("zstd-19", Operation::Decompress));
    }
}
