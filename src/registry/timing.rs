//! The loops themselves. The types are known here, so a loop is compiled for each case.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::error::Result;
use crate::payload::Payload;

/// How many outputs are kept until their batch ends: enough that reading the clock does not count, few enough that they stay within a
/// second-level cache.
pub(super) fn batch(payload: &Payload) -> usize {
    ((1 << 20) / payload.len().max(1)).clamp(1, 256)
}

/// Times `iterations` steps. What a batch of steps returns is kept until the clock has been read, so its drop is not timed.
pub(super) fn time<O>(iterations: u64, batch: usize, mut step: impl FnMut() -> Result<O>) -> Result<Duration> {
    if !std::mem::needs_drop::<O>() {
        let start = Instant::now();
        for _ in 0..iterations {
            black_box(step()?);
        }
        return Ok(start.elapsed());
    }
    if batch == 1 || iterations == 1 {
        return time_taking(iterations, || Ok(()), |()| step());
    }
    let mut kept = Vec::with_capacity(batch);
    let mut total = Duration::ZERO;
    let mut left = iterations;
    while left > 0 {
        let steps = left.min(batch as u64);
        let start = Instant::now();
        for _ in 0..steps {
            kept.push(black_box(step()?));
        }
        total += start.elapsed();
        kept.clear();
        left -= steps;
    }
    Ok(total)
}

/// Times `iterations` steps that each take a value made outside the timer.
pub(super) fn time_taking<I, O>(
    iterations: u64,
    mut make: impl FnMut() -> Result<I>,
    mut take: impl FnMut(I) -> Result<O>,
) -> Result<Duration> {
    let mut total = Duration::ZERO;
    for _ in 0..iterations {
        let input = black_box(make()?);
        let start = Instant::now();
        let output = black_box(take(input)?);
        total += start.elapsed();
        drop(output);
    }
    Ok(total)
}

/// Reads all bytes, eight at a time and in four sums, which is as fast as a core fetches memory.
pub(super) fn scan(bytes: &[u8]) -> u64 {
    let (chunks, rest) = bytes.as_chunks::<32>();
    let mut sums = [0u64; 4];
    for chunk in chunks {
        for (sum, word) in sums.iter_mut().zip(chunk.as_chunks::<8>().0) {
            *sum = sum.wrapping_add(u64::from_le_bytes(*word));
        }
    }
    let rest = rest.iter().fold(0u64, |sum, &byte| sum.wrapping_add(u64::from(byte)));
    sums.into_iter().fold(rest, u64::wrapping_add)
}
