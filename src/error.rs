//! The one error type of reading and writing payloads.

use std::fmt;

use crate::operation::Operation;
use crate::recognition::{Recognition, recognise};

/// What every fallible call of the library returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a value could not be written, or a payload not be read.
///
/// It names the format or codec, the operation, the byte offset and the field where they are known, and what went wrong. It is one pointer
/// wide, so that a `Result` in a hot loop stays small.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct Error(Box<Details>);

#[derive(Debug)]
struct Details {
    format: &'static str,
    operation: Option<Operation>,
    offset: Option<usize>,
    path: String,
    problem: Problem,
    hint: Option<Recognition>,
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
    /// The payload has something else than what the reader is to find.
    #[error("{expected} is expected, not {found}")]
    Unexpected {
        /// What should stand here.
        expected: String,
        /// What does.
        found: String,
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
        Self(Box::new(Details { format, operation: None, offset: None, path: String::new(), problem, hint: None }))
    }

    /// An error of `format` at a byte offset of the payload.
    #[cold]
    pub fn at(format: &'static str, offset: usize, problem: Problem) -> Self {
        Self(Box::new(Details { format, operation: None, offset: Some(offset), path: String::new(), problem, hint: None }))
    }

    /// A library's refusal, in its own words.
    #[cold]
    pub fn malformed(format: &'static str, reason: impl fmt::Display) -> Self {
        Self::new(format, Problem::Malformed(reason.to_string()))
    }

    /// The same error of the field at this path: names behind dots, positions in brackets, as in `Members[3].Name`.
    #[cold]
    #[must_use]
    pub fn in_field(mut self, path: impl Into<String>) -> Self {
        self.0.path = path.into();
        self
    }

    /// The same error, where it was this operation that failed.
    #[cold]
    #[must_use]
    pub fn during(mut self, operation: Operation) -> Self {
        self.0.operation.get_or_insert(operation);
        self
    }

    /// The same error of an operation on bytes that were taken for this layout: if they are recognised for certain as another, it says so.
    #[cold]
    #[must_use]
    pub(crate) fn explained(mut self, operation: Operation, wire_format: &str, bytes: &[u8]) -> Self {
        let other = |recognition: &Recognition| recognition.certain && recognition.kind.wire_format() != Some(wire_format);
        self.0.hint = recognise(bytes).filter(other);
        self.during(operation)
    }

    /// The format or codec that refused.
    pub fn format(&self) -> &'static str {
        self.0.format
    }

    /// The operation that failed, where it is known.
    pub fn operation(&self) -> Option<Operation> {
        self.0.operation
    }

    /// The path of the field at which it refused, where it is known.
    pub fn path(&self) -> Option<&str> {
        Some(self.0.path.as_str()).filter(|path| !path.is_empty())
    }

    /// The byte of the payload at which it refused, where it is known.
    pub fn offset(&self) -> Option<usize> {
        self.0.offset
    }

    /// What the bytes are instead, where they are recognised.
    pub fn hint(&self) -> Option<&Recognition> {
        self.0.hint.as_ref()
    }

    /// What went wrong.
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }
}

impl fmt::Display for Details {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.format)?;
        if let Some(operation) = self.operation {
            write!(f, ", {}", operation.name())?;
        }
        f.write_str(": ")?;
        if let Some(offset) = self.offset {
            write!(f, "at byte {offset}: ")?;
        }
        if !self.path.is_empty() {
            write!(f, "{}: ", self.path)?;
        }
        self.problem.fmt(f)?;
        match &self.hint {
            Some(hint) => write!(f, "; this is {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Details {}
