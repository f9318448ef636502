//! The ways of reading a payload.

use serde::Serialize;

use crate::operation::Operation;

/// A way to read members of a payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Way {
    /// Decode, then read the native value.
    Decode,
    /// Borrow, then read the borrowed value.
    Borrow,
    /// Access as safe as the format makes it, then read the view.
    Access,
    /// Unvalidated access, then read the view.
    Unchecked,
}

impl Way {
    /// Every way.
    pub const ALL: [Self; 4] = [Self::Decode, Self::Borrow, Self::Access, Self::Unchecked];
    /// The ways that a hostile payload cannot abuse.
    pub const SAFE: [Self; 3] = [Self::Decode, Self::Borrow, Self::Access];

    /// What it is called in tables and pictures.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Decode => "decode + read",
            Self::Borrow => "borrow + read",
            Self::Access => "access + read",
            Self::Unchecked => "unvalidated access + read",
        }
    }

    /// The one word of identifiers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Decode => "decode",
            Self::Borrow => "borrow",
            Self::Access => "access",
            Self::Unchecked => "unchecked",
        }
    }

    /// The operation that comes before the first member can be read.
    pub const fn opens(self) -> Operation {
        match self {
            Self::Decode => Operation::Decode,
            Self::Borrow => Operation::Borrow,
            Self::Access => Operation::Access,
            Self::Unchecked => Operation::AccessUnchecked,
        }
    }

    /// The operation that opens the payload and reads all of it; after decoding, the native value is still to be read.
    pub const fn reads_all(self) -> Operation {
        match self {
            Self::Decode => Operation::Decode,
            Self::Borrow => Operation::ReadAllBorrowed,
            Self::Access => Operation::ReadAll,
            Self::Unchecked => Operation::ReadAllUnchecked,
        }
    }
}
