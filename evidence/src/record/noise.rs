//! How far the same case lies from itself within one run: what no smaller difference can be told from.

use std::collections::BTreeMap;

use super::{Cell, Time};
use crate::statistics::Summary;

/// The differences between the first and the second measurement of the same cells (A/A).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Noise {
    /// How many cells were measured twice.
    pub pairs: usize,
    /// The median of |ratio − 1|.
    pub median: f64,
    /// The largest: what differs by less is called a tie.
    pub largest: f64,
}

impl Noise {
    /// The noise of these times, which are of one run and one allocator; nothing where no cell was measured a second time.
    pub fn of<'r>(times: impl Iterator<Item = &'r Time>) -> Option<Self> {
        let (mut first, mut again): (BTreeMap<&Cell, f64>, BTreeMap<&Cell, f64>) = Default::default();
        for time in times {
            if let Some(summary) = Summary::of(&time.samples) {
                if time.again { &mut again } else { &mut first }.insert(&time.cell, summary.median);
            }
        }
        let differences: Vec<f64> = again.iter().filter_map(|(cell, again)| Some((again / first.get(cell)? - 1.0).abs())).collect();
        let largest = differences.iter().copied().max_by(f64::total_cmp)?;
        Some(Self { pairs: differences.len(), median: Summary::of(&differences)?.median, largest })
    }
}
