//! Which damage a number stands for.

use super::mutation::{Draw, Mutation};
use super::target::{Part, Subject, Target};

/// All mutations of a target, numbered.
///
/// In front stand those that are complete: every cut, every byte with all other values, every bit. A run that is too short for all of
/// them takes some of each. Behind them stand random splices.
pub(super) struct Plan {
    seed: u64,
    stretches: Vec<Stretch>,
    /// The subjects that splices are drawn from: small ones, those in between, large ones.
    small: Vec<usize>,
    middle: Vec<usize>,
    large: Vec<usize>,
    /// How many numbers stand for complete kinds, and every how many of those a number is taken.
    complete: u64,
    stride: u64,
}

/// Mutations of one kind of one subject.
struct Stretch {
    subject: usize,
    count: u64,
    mutation: fn(usize) -> Mutation,
}

/// Of a short run, so much goes to the complete kinds.
const COMPLETE: (u64, u64) = (3, 4);

/// Of this many splices, so many are of the payloads in between, and one of the large ones.
const SPLICES: (usize, usize) = (64, 4);

impl Plan {
    pub(super) fn new(target: &Target, seed: u64, mutations: u64) -> Self {
        let mut stretches = Vec::new();
        for (subject, part) in target.subjects.iter().enumerate() {
            let len = part.bytes.len() as u64;
            let mut stretch = |count, mutation| stretches.push(Stretch { subject, count, mutation });
            match part.part {
                Part::EveryByte => {
                    stretch(len, Mutation::Cut);
                    stretch(len * 255, |at| Mutation::Byte(at / 255, (at % 255) as u8 + 1));
                }
                Part::EveryBit => {
                    stretch(len, Mutation::Cut);
                    stretch(len * 8, Mutation::Bit);
                }
                Part::Splices | Part::FewSplices => {}
            }
        }
        let all: u64 = stretches.iter().map(|stretch| stretch.count).sum();
        let wanted = (mutations * COMPLETE.0 / COMPLETE.1).max(1);
        let stride = all.div_ceil(wanted).max(1);
        let of = |parts: &[Part]| {
            let is_wanted = |(index, subject): (usize, &Subject)| parts.contains(&subject.part).then_some(index);
            target.subjects.iter().enumerate().filter_map(is_wanted).collect()
        };
        let (small, middle, large) = (of(&[Part::EveryByte, Part::Splices]), of(&[Part::EveryBit]), of(&[Part::FewSplices]));
        Self { seed, stretches, small, middle, large, complete: (all / stride).min(mutations), stride }
    }

    /// Whether no mutation of the complete kinds is left out.
    pub(super) fn is_complete(&self) -> bool {
        self.stride == 1
    }

    /// The subject and the mutation of this number, and the subject that a splice may take from.
    pub(super) fn at(&self, number: u64) -> (usize, Mutation, usize) {
        if number < self.complete {
            let mut left = number * self.stride;
            for stretch in &self.stretches {
                if left < stretch.count {
                    return (stretch.subject, (stretch.mutation)(left as usize), stretch.subject);
                }
                left -= stretch.count;
            }
        }
        let mut draw = Draw::new(self.seed ^ Draw::new(number).next());
        let of = match draw.below(SPLICES.0) {
            0 => &self.large,
            few if few <= SPLICES.1 => &self.middle,
            _ => &self.small,
        };
        let mut drawn = || of.get(draw.below(of.len())).copied().unwrap_or_default();
        let (subject, other) = (drawn(), drawn());
        (subject, Mutation::Splice(draw.next()), other)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use wirewise::registry::Registry;

    /// Cuts and bytes are all there where there is room for them, and a short run still has of each kind.
    #[test]
    fn a_long_plan_is_complete_and_a_short_one_has_of_everything() {
        let registry = Registry::standard();
        for name in super::super::names(&registry) {
            let target = Target::find(&registry, &name).unwrap();
            let first = target.subjects[0].bytes.len() as u64;
            let plan = Plan::new(&target, 1, 10_000_000);
            assert!(plan.is_complete(), "{name}");
            let seen: BTreeSet<String> = (0..plan.complete)
                .map(|number| plan.at(number))
                .filter(|(at, ..)| *at == 0)
                .map(|(_, mutation, _)| mutation.to_string())
                .collect();
            assert_eq!(seen.len() as u64, first * 256, "{name}");
            let short = Plan::new(&target, 1, 4_000);
            let kinds: BTreeSet<_> = (0..4_000).map(|number| short.at(number).1.kind()).collect();
            // Bits are turned in payloads of some members, which a codec has where there is a format to make them.
            assert_eq!(kinds.len(), if short.middle.is_empty() { 3 } else { 4 }, "{name}: {kinds:?}");
        }
    }
}
