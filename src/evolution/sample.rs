//! The values that writers write: seeded, and each number and string of a value unlike all others in it.
//!
//! With zeros everywhere, a field read from the wrong place would look like a default. So a field is zero only where zero is the point.

use super::value::Value;
use crate::dataset::SplitMix64;

/// What a field's value is an example of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Nothing, where the type allows it; else as [`Class::Short`].
    Absent,
    /// The declared default, else zero and empty.
    Default,
    /// The least.
    Min,
    /// The greatest.
    Max,
    /// Below zero, or with the highest bit set.
    Negative,
    /// A small number, a string that rkyv keeps inline.
    Short,
    /// A large number, a string that no format keeps inline.
    Long,
    /// Zero and empty.
    Empty,
}

impl Class {
    /// All of them, in the order that the first values of a cell have them.
    pub const ALL: [Self; 8] = [Self::Short, Self::Long, Self::Absent, Self::Default, Self::Min, Self::Max, Self::Negative, Self::Empty];
}

/// Draws values: the first eight each of one class, the others of mixed classes.
pub struct Sampler {
    random: SplitMix64,
    class: Option<Class>,
    drawn: u32,
}

impl Sampler {
    /// For the value at `index` of a cell's values.
    pub fn new(seed: u64, index: usize) -> Self {
        let state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (index as u64) << 32;
        Self { random: SplitMix64::new(state), class: Class::ALL.get(index).copied(), drawn: 0 }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random.next() % bound
    }

    fn class(&mut self) -> Class {
        self.drawn += 1;
        match self.class {
            Some(class) => class,
            None => Class::ALL[self.below(8) as usize],
        }
    }

    /// A number that no other field of this value has, of 8 or of 31 bits.
    fn sentinel(&mut self, wide: bool) -> u32 {
        if wide {
            0x4000_0000 | self.drawn << 24 | self.below(1 << 24) as u32 | 1
        } else {
            0x10 * (self.drawn % 15) + 1 + self.below(15) as u32
        }
    }

    /// What the field has where its default is declared.
    pub fn or_default(&mut self, default: Value, draw: impl FnOnce(&mut Self) -> Value) -> Value {
        // Looked at only where the whole value is of one class: a mixed one draws its own default often enough by [`Class::Default`].
        if self.class == Some(Class::Default) || self.class.is_none() && self.below(6) == 0 { default } else { draw(self) }
    }

    pub(super) fn is_absent(&mut self) -> bool {
        match self.class {
            Some(class) => class == Class::Absent,
            None => self.below(5) == 0,
        }
    }

    pub(super) fn length(&mut self) -> usize {
        match self.class() {
            Class::Default | Class::Empty => 0,
            Class::Min | Class::Negative => 1,
            Class::Absent | Class::Short => 2,
            Class::Max | Class::Long => 5,
        }
    }

    /// One of `count`.
    pub(super) fn choice(&mut self, count: usize) -> usize {
        match self.class() {
            Class::Default | Class::Empty | Class::Min => 0,
            Class::Max | Class::Long => count - 1,
            _ => self.below(count as u64) as usize,
        }
    }

    pub(super) fn u32(&mut self) -> Value {
        Value::Int(match self.class() {
            Class::Default | Class::Empty | Class::Min => 0,
            Class::Max => u32::MAX.into(),
            Class::Negative => (0x8000_0000 | self.sentinel(true)).into(),
            Class::Absent | Class::Short => self.sentinel(false).into(),
            Class::Long => self.sentinel(true).into(),
        })
    }

    pub(super) fn i32(&mut self) -> Value {
        Value::Int(match self.class() {
            Class::Default | Class::Empty => 0,
            Class::Min => i32::MIN.into(),
            Class::Max => i32::MAX.into(),
            Class::Negative => -i128::from(self.sentinel(false)),
            Class::Absent | Class::Short => self.sentinel(false).into(),
            Class::Long => (self.sentinel(true) & 0x7FFF_FFFF).into(),
        })
    }

    pub(super) fn u64(&mut self) -> Value {
        Value::Int(match self.class() {
            Class::Default | Class::Empty | Class::Min => 0,
            Class::Max => u64::MAX.into(),
            Class::Negative => 1 << 63 | i128::from(self.sentinel(true)),
            Class::Absent | Class::Short => self.sentinel(false).into(),
            Class::Long => i128::from(self.sentinel(true)) << 32 | i128::from(self.sentinel(true)),
        })
    }

    pub(super) fn i64(&mut self) -> Value {
        match self.u64() {
            Value::Int(number) => Value::Int((number as i64).into()),
            value => value,
        }
    }

    pub(super) fn float(&mut self) -> Value {
        Value::Float(match self.class() {
            Class::Default | Class::Empty => 0.0,
            Class::Min => f32::MIN,
            Class::Max => f32::MAX,
            Class::Negative => -(self.sentinel(false) as f32) - 0.25,
            Class::Absent | Class::Short => self.sentinel(false) as f32 + 0.5,
            Class::Long => self.sentinel(true) as f32 * 1.1,
        })
    }

    pub(super) fn double(&mut self) -> Value {
        Value::Double(match self.class() {
            Class::Default | Class::Empty => 0.0,
            Class::Min => f64::MIN,
            Class::Max => f64::MAX,
            Class::Negative => -f64::from(self.sentinel(false)) - 0.25,
            Class::Absent | Class::Short => f64::from(self.sentinel(false)) + 0.5,
            Class::Long => f64::from(self.sentinel(true)) * 1.1,
        })
    }

    fn string(&mut self) -> String {
        match self.class() {
            Class::Default | Class::Empty => String::new(),
            Class::Min => letter(self.drawn).to_string(),
            Class::Absent | Class::Short => format!("{}{}", letter(self.drawn), self.below(1000)),
            Class::Negative => format!("ñ{}語{}", letter(self.drawn), self.below(100)),
            Class::Max => format!("{}-{}", letter(self.drawn), "long ".repeat(60)),
            Class::Long => format!("{} is number {} of its kind here", letter(self.drawn), self.below(100_000)),
        }
    }

    pub(super) fn text(&mut self) -> Value {
        Value::Text(self.string())
    }

    /// Some of them no UTF-8.
    pub(super) fn bytes(&mut self) -> Value {
        let mut bytes = self.string().into_bytes();
        if self.below(2) == 0 {
            bytes.push(0xFF);
        }
        Value::Bytes(bytes)
    }

    pub(super) fn map(&mut self) -> Value {
        let pairs = (0..self.length()).map(|index| Value::Record(vec![("key", Value::Text(format!("k{index}"))), ("value", self.u32())]));
        Value::List(pairs.collect())
    }
}

fn letter(drawn: u32) -> char {
    char::from(b'a' + (drawn % 26) as u8)
}
