//! Taking samples: times, ratios, allocations and peaks.

#[cfg(feature = "allocator")]
pub mod allocator;
pub mod atlas;
#[cfg(feature = "allocator")]
pub mod forecast;
#[cfg(feature = "allocator")]
pub mod isolated;
#[cfg(feature = "allocator")]
pub mod progress;
#[cfg(feature = "allocator")]
pub mod restraint;
#[cfg(feature = "allocator")]
pub mod resume;
#[cfg(feature = "allocator")]
pub mod session;

use std::time::{Duration, Instant};

use crate::error::Result;
#[cfg(feature = "allocator")]
use crate::record::Build;

/// How this program was built, as the build script told it.
#[cfg(feature = "allocator")]
pub fn build() -> Build {
    let unknown = Build::default();
    Build {
        rustc: option_env!("WIREWISE_RUSTC").unwrap_or(unknown.rustc),
        target: option_env!("WIREWISE_TARGET").unwrap_or(unknown.target),
        profile: option_env!("WIREWISE_PROFILE").unwrap_or(unknown.profile),
        allocator: allocator::name(),
    }
}

/// What is sampled: times so many iterations, see [`Loop`](crate::registry::Loop).
pub type Timed<'t> = dyn FnMut(u64) -> Result<Duration> + 't;

/// How long a case is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// At least so many samples.
    pub samples: usize,
    /// More samples, up to ten times as many, until this time is used up.
    pub time: Duration,
}

/// The least time of one sample: reading the clock must not count.
const LEAST_SAMPLE: Duration = Duration::from_micros(50);

/// Times a case: nanoseconds an iteration, one figure a sample, none left out.
///
/// # Errors
///
/// The case failed.
pub fn sample(case: &mut Timed, budget: Budget) -> Result<Vec<f64>> {
    let iterations = calibrate(case)?;
    let start = Instant::now();
    let mut samples = Vec::new();
    while samples.len() < budget.samples || (samples.len() < 10 * budget.samples && start.elapsed() < budget.time) {
        samples.push(nanoseconds(case, iterations)?);
    }
    Ok(samples)
}

/// Times two cases in turn, so that a machine that slows down or speeds up moves both: pairs of nanoseconds an iteration.
///
/// # Errors
///
/// One of the cases failed.
pub fn pairs(case: &mut Timed, against: &mut Timed, budget: Budget) -> Result<Vec<(f64, f64)>> {
    let iterations = (calibrate(case)?, calibrate(against)?);
    let start = Instant::now();
    let mut pairs: Vec<(f64, f64)> = Vec::new();
    while pairs.len() < budget.samples || (pairs.len() < 10 * budget.samples && start.elapsed() < budget.time) {
        // Which of the two goes first changes from pair to pair, since each finds the caches as the other has left them.
        pairs.push(if pairs.len().is_multiple_of(2) {
            let first = nanoseconds(case, iterations.0)?;
            (first, nanoseconds(against, iterations.1)?)
        } else {
            let second = nanoseconds(against, iterations.1)?;
            (nanoseconds(case, iterations.0)?, second)
        });
    }
    Ok(pairs)
}

/// Warms the case up, and finds how many iterations one sample takes.
fn calibrate(case: &mut Timed) -> Result<u64> {
    let mut iterations = 1;
    // The first call finds cold caches and fresh pages, which make it longer, but hardly a hundred times.
    if case(iterations)? >= 100 * LEAST_SAMPLE {
        return Ok(iterations);
    }
    loop {
        let elapsed = case(iterations)?;
        if elapsed >= LEAST_SAMPLE || iterations >= 1 << 20 {
            return Ok(iterations);
        }
        iterations *= 2;
    }
}

fn nanoseconds(case: &mut Timed, iterations: u64) -> Result<f64> {
    Ok(case(iterations)?.as_secs_f64() * 1e9 / iterations as f64)
}
