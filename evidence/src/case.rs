//! What names a measurement: the case, and the dataset that it runs on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::operation::Operation;

/// The name under which the value itself, without any format, stands among the formats.
pub const NATIVE: &str = "native";

/// How many small messages the operations of many take in turn.
pub const MESSAGES: u64 = 1000;

/// How many members `read-random` reads.
pub const RANDOM_READS: usize = 1000;

/// How many members, each at a random position, one iteration of `read-member` reads.
pub const MEMBERS_READ: usize = 16;

/// What the name of every variant starts with that differs from a plain base by one property.
pub const SHAPE_PREFIX: &str = "shape-";

/// What the name of a codec ends with that is trained on messages like those which it is for.
pub const DICTIONARY: &str = "-dictionary";

/// The members of the largest message that a codec is trained on.
pub const DICTIONARY_MEMBERS: usize = 100;

/// Whether a codec is meant for messages of so many members: a large one brings what a dictionary would know.
pub fn is_meant_for(codec: &str, members: usize) -> bool {
    members <= DICTIONARY_MEMBERS || !codec.ends_with(DICTIONARY)
}

/// What names a case: `decode/organization/rkyv`, or `compress/organization/rkyv.zstd-3`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CaseId {
    /// What is timed.
    pub operation: Operation,
    /// The dataset's name.
    pub dataset: String,
    /// The format's name, or [`NATIVE`].
    pub format: String,
    /// The codec's name, for `compress` and `decompress`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub codec: Option<String>,
}

impl CaseId {
    /// The format, with the codec behind a full stop where there is one.
    pub fn pipeline(&self) -> String {
        match &self.codec {
            Some(codec) => format!("{}.{codec}", self.format),
            None => self.format.clone(),
        }
    }
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}/{}", self.operation, self.dataset, self.pipeline())
    }
}

/// Which dataset to make: the same specification makes the same value everywhere.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Spec {
    /// How many records, as the dataset counts them.
    pub members: usize,
    /// The seed of the generator.
    pub seed: u64,
    /// One of the dataset's variants.
    pub variant: String,
}

impl Spec {
    /// The shape that the variant is, without the [prefix](SHAPE_PREFIX); nothing where it is none.
    pub fn shape(&self) -> Option<&str> {
        self.variant.strip_prefix(SHAPE_PREFIX)
    }
}

/// The part of each record that a reading visits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Field {
    /// One number.
    Number,
    /// One string.
    Text,
    /// Every field.
    All,
}

impl Field {
    /// Every part.
    pub const ALL: [Self; 3] = [Self::Number, Self::Text, Self::All];
}

/// What a format did with one probe of its dataset.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fidelity {
    /// It came back bit for bit.
    Kept,
    /// It came back as something else; the text says what became what.
    Changed(String),
    /// The format refused to write it, or to read what it wrote.
    Refused(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dictionary_is_for_small_messages() {
        for (codec, members, meant) in [
            ("zstd-3", 1_000_000, true),
            ("zstd-3-dictionary", DICTIONARY_MEMBERS, true),
            ("zstd-3-dictionary", DICTIONARY_MEMBERS + 1, false),
        ] {
            assert_eq!(is_meant_for(codec, members), meant, "{codec} {members}");
        }
    }
}
