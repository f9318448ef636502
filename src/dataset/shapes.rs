//! Data of other shapes: the dataset's types filled so that one property at a time differs from a plain base. What is concluded on the
//! article's data is run again over these, to see where it turns.

use super::Spec;
use super::organization::{Member, Organization};
use super::random::SplitMix64;

/// The variants of the dataset: the article's labels, then the shapes.
pub(super) const VARIANTS: [&str; 3 + SHAPES.len()] = {
    let mut names = ["zh", "ja", "en", "", "", "", "", "", "", "", "", "", "", "", "", "", "", ""];
    let mut at = 0;
    while at < SHAPES.len() {
        names[3 + at] = SHAPES[at].name;
        at += 1;
    }
    names
};

/// How the members are filled.
#[derive(Clone, Copy)]
pub(super) struct Shape {
    name: &'static str,
    /// The bytes of each string, but for the last character where a character takes several.
    text_bytes: usize,
    letters: Letters,
    /// How many different strings there are; nothing for as many as there are members.
    distinct: Option<u64>,
    /// The bits that whole numbers use.
    integer_bits: u32,
    /// How many of a hundred strings are null.
    nulls: u64,
}

/// What strings are made of.
#[derive(Clone, Copy)]
enum Letters {
    /// Digits behind a word, as in most data.
    Words,
    /// Any of 64 letters, which hardly compresses.
    Noise,
    /// One letter.
    Repeated,
    /// Any of 4,096 Chinese characters, three bytes each.
    Chinese,
}

const BASE: Shape = Shape { name: "shape-base", text_bytes: 24, letters: Letters::Words, distinct: None, integer_bits: 32, nulls: 0 };

/// One property at a time: the length of strings, how many differ, the size of numbers, the share of nulls, what strings are made of.
const SHAPES: [Shape; 15] = [
    BASE,
    Shape { name: "shape-text-0", text_bytes: 0, ..BASE },
    Shape { name: "shape-text-8", text_bytes: 8, ..BASE },
    Shape { name: "shape-text-256", text_bytes: 256, ..BASE },
    Shape { name: "shape-text-4k", text_bytes: 4096, ..BASE },
    Shape { name: "shape-distinct-1", distinct: Some(1), ..BASE },
    Shape { name: "shape-distinct-100", distinct: Some(100), ..BASE },
    Shape { name: "shape-integers-7-bit", integer_bits: 7, ..BASE },
    Shape { name: "shape-integers-63-bit", integer_bits: 63, ..BASE },
    Shape { name: "shape-nulls-10", nulls: 10, ..BASE },
    Shape { name: "shape-nulls-50", nulls: 50, ..BASE },
    Shape { name: "shape-nulls-90", nulls: 90, ..BASE },
    Shape { name: "shape-noise", letters: Letters::Noise, ..BASE },
    Shape { name: "shape-repeated", letters: Letters::Repeated, ..BASE },
    Shape { name: "shape-chinese", letters: Letters::Chinese, ..BASE },
];

/// The shape of this name.
pub(super) fn of(name: &str) -> Option<&'static Shape> {
    SHAPES.iter().find(|shape| shape.name == name)
}

impl Shape {
    /// The value of this shape. The same specification gives the same value everywhere.
    pub(super) fn organization(&self, spec: &Spec) -> Organization {
        let mut random = SplitMix64::new(spec.seed);
        let tags = (0..5).map(|_| self.text(&mut random)).collect();
        let members = (0..spec.members).map(|_| self.member(&mut random)).collect();
        Organization { id: self.integer(&mut random) as i32, tags: Some(tags), members: Some(members) }
    }

    fn member(&self, random: &mut SplitMix64) -> Member {
        Member {
            id: self.integer(random) as i32,
            name: self.maybe_text(random),
            description: self.maybe_text(random),
            address: self.maybe_text(random),
            value: self.integer(random) as f64,
            update_time: self.integer(random),
        }
    }

    /// A number of at most as many bits, never negative.
    fn integer(&self, random: &mut SplitMix64) -> i64 {
        (random.next() >> (64 - self.integer_bits)) as i64
    }

    fn maybe_text(&self, random: &mut SplitMix64) -> Option<String> {
        (random.next() % 100 >= self.nulls).then(|| self.text(random))
    }

    fn text(&self, random: &mut SplitMix64) -> String {
        let drawn = random.next();
        // A string is made of its own number, so that the same number is the same string.
        let mut own = SplitMix64::new(self.distinct.map_or(drawn, |distinct| drawn % distinct));
        let mut text = String::with_capacity(self.text_bytes);
        while text.len() < self.text_bytes {
            match self.letters {
                Letters::Words => text.push_str(&format!("name {:010} ", own.next() % 10_000_000_000)),
                Letters::Noise => text.push(char::from(b'0' + (own.next() % 64) as u8)),
                Letters::Repeated => text.push('a'),
                Letters::Chinese => text.extend(char::from_u32(0x4E00 + (own.next() % 4096) as u32)),
            }
        }
        let end = (0..=self.text_bytes).rev().find(|at| text.is_char_boundary(*at));
        text.truncate(end.unwrap_or(0));
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::SHAPE_PREFIX;
    use crate::dataset::Dataset;

    fn made(variant: &str) -> Organization {
        Organization::generate(&Spec { variant: variant.into(), ..Organization::spec(1000) }).unwrap()
    }

    fn texts(organization: &Organization) -> Vec<Option<&str>> {
        let members = organization.members.iter().flatten();
        members.flat_map(|member| [&member.name, &member.description, &member.address]).map(|text| text.as_deref()).collect()
    }

    #[test]
    fn each_shape_has_the_property_that_it_is_named_for() {
        for shape in &SHAPES {
            let organization = made(shape.name);
            let texts = texts(&organization);
            let nulls = texts.iter().filter(|text| text.is_none()).count();
            assert!(nulls.abs_diff(shape.nulls as usize * 30) < 150, "{}: {nulls} nulls of 3,000", shape.name);
            let lengths: Vec<usize> = texts.iter().flatten().map(|text| text.len()).collect();
            assert!(lengths.iter().all(|len| *len == shape.text_bytes), "{}", shape.name);
            let distinct = texts.iter().flatten().collect::<std::collections::BTreeSet<_>>().len() as u64;
            assert!(shape.distinct.is_none_or(|most| distinct == most), "{}: {distinct}", shape.name);
            let most = organization.members.iter().flatten().map(|member| member.update_time).max().unwrap();
            assert_eq!(64 - most.leading_zeros(), shape.integer_bits, "{}", shape.name);
        }
    }

    #[test]
    fn the_names_are_variants_and_the_same_specification_is_the_same_value() {
        assert_eq!(Organization::VARIANTS.iter().filter(|name| name.starts_with(SHAPE_PREFIX)).count(), SHAPES.len());
        assert_eq!(Organization::VARIANTS.last(), SHAPES.last().map(|shape| &shape.name));
        assert_eq!(made("shape-noise"), made("shape-noise"));
        assert_ne!(made("shape-noise"), made("shape-base"));
    }
}
