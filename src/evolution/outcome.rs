//! What can come of reading with another schema.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What came of one value, or the worst of what came of many. Later is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// Every field came out as it was written.
    Exact,
    /// The same value in another type or shape.
    Converted,
    /// A variant that the reader does not know, kept by its number.
    Opaque,
    /// A field came out as its default: it was not written, or was lost.
    Defaulted,
    /// A field that the reader does not have is gone.
    Dropped,
    /// The field was refused when it was asked for, the rest could be read.
    FieldError,
    /// The whole was refused.
    MessageError,
    /// Accepted, and another value: truncated, rounded, the last of several.
    Coerced,
    /// Accepted, and a value of something else.
    Misread,
    /// The reader panicked, was killed, or did not end.
    Crash,
}

impl Outcome {
    /// All of them, from the best.
    pub const ALL: [Self; 10] = [
        Self::Exact,
        Self::Converted,
        Self::Opaque,
        Self::Defaulted,
        Self::Dropped,
        Self::FieldError,
        Self::MessageError,
        Self::Coerced,
        Self::Misread,
        Self::Crash,
    ];

    /// Whether a wrong value came out and nobody was told.
    pub fn is_silent(self) -> bool {
        matches!(self, Self::Coerced | Self::Misread)
    }

    /// The letter of the tables.
    pub fn letter(self) -> char {
        match self {
            Self::Exact | Self::Converted => 'O',
            Self::Opaque => 'K',
            Self::Defaulted => 'D',
            Self::Dropped => 'X',
            Self::FieldError | Self::MessageError => 'E',
            Self::Coerced | Self::Misread => 'S',
            Self::Crash => '!',
        }
    }

    /// The name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Converted => "converted",
            Self::Opaque => "opaque",
            Self::Defaulted => "defaulted",
            Self::Dropped => "dropped",
            Self::FieldError => "field-error",
            Self::MessageError => "message-error",
            Self::Coerced => "coerced",
            Self::Misread => "misread",
            Self::Crash => "crash",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What came of a value that a new writer wrote, an old program read, edited and wrote, and a new reader read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hop {
    /// All that the old program did not edit is as it was.
    Preserved,
    /// Something is gone, or is its default now.
    Lost,
    /// The old program, or the new reader after it, refused.
    Refused,
    /// Something is another value now, and nobody was told.
    Mutated,
}

impl Hop {
    /// What the outcome of the last reading means for the whole way.
    pub fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Exact | Outcome::Converted | Outcome::Opaque => Self::Preserved,
            Outcome::Defaulted | Outcome::Dropped => Self::Lost,
            Outcome::FieldError | Outcome::MessageError => Self::Refused,
            Outcome::Coerced | Outcome::Misread | Outcome::Crash => Self::Mutated,
        }
    }

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Preserved => "preserved",
            Self::Lost => "lost",
            Self::Refused => "refused",
            Self::Mutated => "mutated",
        }
    }
}
