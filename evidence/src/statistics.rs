//! Medians and their intervals, by order statistics: no assumption about the shape of the noise, no sample left out.

use std::ops::{Add, Mul};

use serde::Serialize;

/// A median with an interval. In JSON it is an array of the three, the median first.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(into = "[f64; 3]")]
pub struct Summary {
    /// The middle sample, or the mean of the middle two.
    pub median: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Summary {
    /// Nothing, for sums.
    pub const ZERO: Self = Self::exact(0.0);

    /// A value that is known exactly.
    pub const fn exact(value: f64) -> Self {
        Self { median: value, low: value, high: value }
    }

    /// The larger of both, each of the three figures for itself.
    pub fn max(self, other: Self) -> Self {
        Self { median: self.median.max(other.median), low: self.low.max(other.low), high: self.high.max(other.high) }
    }

    /// The median, and the narrowest pair of samples, equally far from both ends, that holds the true median with at least 95 %
    /// confidence (the binomial interval). With five samples or fewer no pair does: it is then the least and the greatest.
    ///
    /// Returns nothing for no samples.
    pub fn of(samples: &[f64]) -> Option<Self> {
        let mut sorted = samples.to_vec();
        sorted.sort_by(f64::total_cmp);
        let last = sorted.len().checked_sub(1)?;
        let median = (sorted[last / 2] + sorted[last.div_ceil(2)]) / 2.0;
        let rank = interval_rank(sorted.len());
        Some(Self { median, low: sorted[rank], high: sorted[last - rank] })
    }

    /// Whether the intervals overlap.
    pub fn overlaps(&self, other: &Self) -> bool {
        self.low <= other.high && other.low <= self.high
    }
}

/// One after the other: medians and both ends of the intervals added, as if all were off in the same direction.
impl Add for Summary {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { median: self.median + other.median, low: self.low + other.low, high: self.high + other.high }
    }
}

impl Mul<f64> for Summary {
    type Output = Self;

    fn mul(self, factor: f64) -> Self {
        Self { median: self.median * factor, low: self.low * factor, high: self.high * factor }
    }
}

impl From<Summary> for [f64; 3] {
    fn from(summary: Summary) -> Self {
        [summary.median, summary.low, summary.high]
    }
}

/// The greatest k for which at most k of n fair coins show heads with a probability of 2.5 % or less, counted from 0.
fn interval_rank(n: usize) -> usize {
    let mut probability = 0.5f64.powi(n.min(1000) as i32);
    let mut sum = 0.0;
    for k in 0..n.min(1000) {
        sum += probability;
        if sum > 0.025 {
            return k.saturating_sub(1);
        }
        probability *= (n - k) as f64 / (k + 1) as f64;
    }
    0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_and_intervals() {
        assert_eq!(Summary::of(&[]), None);
        assert_eq!(Summary::of(&[3.0]), Some(Summary { median: 3.0, low: 3.0, high: 3.0 }));
        assert_eq!(Summary::of(&[4.0, 1.0]), Some(Summary { median: 2.5, low: 1.0, high: 4.0 }));
        let ten: Vec<f64> = (1..=10).map(f64::from).collect();
        // The tables give the 2nd and the 9th of ten samples (97.9 %).
        assert_eq!(Summary::of(&ten), Some(Summary { median: 5.5, low: 2.0, high: 9.0 }));
        let hundred: Vec<f64> = (1..=100).map(f64::from).collect();
        // And the 40th and the 61st of a hundred (96.5 %).
        assert_eq!(Summary::of(&hundred), Some(Summary { median: 50.5, low: 40.0, high: 61.0 }));
    }

    #[test]
    fn overlap_is_symmetric() {
        let summary = |low, high| Summary { median: low, low, high };
        assert!(summary(1.0, 2.0).overlaps(&summary(2.0, 3.0)));
        assert!(summary(2.0, 3.0).overlaps(&summary(1.0, 2.0)));
        assert!(!summary(1.0, 2.0).overlaps(&summary(2.1, 3.0)));
        assert!(!summary(2.1, 3.0).overlaps(&summary(1.0, 2.0)));
    }
}
