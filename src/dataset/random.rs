//! .NET's seeded `System.Random`: Knuth's subtractive generator, so that the article's data can be made again.

const MBIG: i32 = i32::MAX;
const MSEED: i32 = 161_803_398;

/// The generator behind `new Random(seed)`.
///
/// It follows Knuth, The Art of Computer Programming, volume 2, section 3.2.2 (the subtractive method with lags 55 and 21), with
/// the constants and the four warm-up rounds that .NET documents for its seeded generator.
pub struct Random {
    seeds: [i32; 56],
    next: usize,
    next_lagged: usize,
}

impl Random {
    /// What `new Random(seed)` makes.
    pub fn new(seed: i32) -> Self {
        let mut seeds = [0; 56];
        let mut last = MSEED.wrapping_sub(seed.checked_abs().unwrap_or(i32::MAX));
        seeds[55] = last;
        let mut value = 1;
        for i in 1..55 {
            seeds[21 * i % 55] = value;
            value = last.wrapping_sub(value);
            if value < 0 {
                value = value.wrapping_add(MBIG);
            }
            last = seeds[21 * i % 55];
        }
        for _ in 0..4 {
            for i in 1..56 {
                seeds[i] = seeds[i].wrapping_sub(seeds[1 + (i + 30) % 55]);
                if seeds[i] < 0 {
                    seeds[i] = seeds[i].wrapping_add(MBIG);
                }
            }
        }
        Self { seeds, next: 0, next_lagged: 21 }
    }

    fn sample(&mut self) -> f64 {
        self.next = self.next % 55 + 1;
        self.next_lagged = self.next_lagged % 55 + 1;
        let mut value = self.seeds[self.next].wrapping_sub(self.seeds[self.next_lagged]);
        if value == MBIG {
            value -= 1;
        }
        if value < 0 {
            value = value.wrapping_add(MBIG);
        }
        self.seeds[self.next] = value;
        f64::from(value) * (1.0 / f64::from(MBIG))
    }

    /// What `Next(1, int.MaxValue)` returns: 1 to 2147483646.
    pub fn next_positive(&mut self) -> i32 {
        (self.sample() * f64::from(MBIG - 1)) as i32 + 1
    }
}

/// A generator of a single word of state, by Steele, Lea and Flood (2014): the same numbers on every machine, from any seed.
#[derive(Debug, Clone)]
pub struct SplitMix64 {
    state: u64,
}

impl SplitMix64 {
    /// A generator that starts at this seed.
    pub fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// The next number.
    #[allow(clippy::should_implement_trait, reason = "it never ends, and callers want no option")]
    pub fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values that the runtime itself gave.
    #[test]
    fn seeds_give_what_dotnet_gives() {
        for (seed, expected) in [(42, [1434747710, 302596119, 269548474]), (246, [521560557, 2143844278, 1544187516])] {
            let mut random = Random::new(seed);
            assert_eq!([random.next_positive(), random.next_positive(), random.next_positive()], expected, "seed {seed}");
        }
    }
}
