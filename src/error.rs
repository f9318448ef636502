//! The one error type of reading and writing payloads.

use std::fmt;

/// What every fallible call of the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a value could not be written, or a payload not be read.
///
/// It names the format or codec, the byte offset where one is known, and what went wrong. It is one pointer wide, so that a
/// `Result` in a hot loop stays small.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Details>);

#[derive(Debug)]
struct Details {
    format: &'static str,
    offset: Option<usize>,
    problem: Problem,
}

/// What went wrong, for a caller that branches on it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Problem {
    /// The payload ends before the value does.
    #[error("{needed} more bytes are needed, {left} are left")]
    Truncated {
        /// Bytes that the next item takes.
        needed: u64,
        /// Bytes that the payload still has.
        left: u64,
    },
    /// The value ends before the payload does.
    #[error("{left} bytes are left over after the value")]
    Trailing {
        /// Bytes after the value.
        left: u64,
    },
    /// A string is not UTF-8.
    #[error("invalid UTF-8 in a string")]
    InvalidUtf8,
    /// The payload asks for more than a limit allows.
    #[error("{limit} limited to {allowed}, {wanted} asked for")]
    Limit {
        /// What is limited.
        limit: &'static str,
        /// The limit.
        allowed: u64,
        /// What the payload asked for.
        wanted: u64,
    },
    /// The payload is not of this format; the text is the library's own or ours.
    #[error("{0}")]
    Malformed(String),
    /// The format has no way to write the value.
    #[error("{0} cannot be written in this format")]
    Unrepresentable(String),
    /// A reading returned other values than were written.
    #[error("the reading gives checksum {found:016x}, the dataset {expected:016x}")]
    WrongReading {
        /// The dataset's checksum.
        expected: u64,
        /// What the reading summed to.
        found: u64,
    },
}

impl Error {
    /// An error of `format`, at no particular byte.
    #[cold]
    pub fn new(format: &'static str, problem: Problem) -> Self {
        Self(Box::new(Details { format, offset: None, problem }))
    }

    /// An error of `format` at a byte offset of the payload.
    #[cold]
    pub fn at(format: &'static str, offset: usize, problem: Problem) -> Self {
        Self(Box::new(Details { format, offset: Some(offset), problem }))
    }

    /// A library's refusal, in its own words.
    #[cold]
    pub fn malformed(format: &'static str, reason: impl fmt::Display) -> Self {
        Self::new(format, Problem::Malformed(reason.to_string()))
    }

    /// The format or codec that refused.
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// The byte of the payload at which it refused, where it is known.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// What went wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.format)?;
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        self.problem.fmt(f)
    }
}

impl std::error::Error for Details {}
