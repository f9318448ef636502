use serde::{Deserialize, Serialize};

/// What another language's library made of payloads from here, or what was made here of its payloads.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interop {
    /// The language or runtime, with its version.
    pub language: String,
    /// The library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// The format's name here, and what was exchanged where it is not the dataset.
    pub format: String,
    /// Who wrote the payloads.
    pub written_by: Writer,
    /// How many payloads there were.
    pub payloads: u64,
    /// How many the reader took for the same value; of those that were written again, the same bytes.
    pub equal: u64,
    /// How many it took for another value.
    pub differed: u64,
    /// How many of those for a reason that is known.
    pub known: u64,
    /// How many it refused.
    pub refused: u64,
    /// What was said of the first that were not equal.
    pub examples: Vec<String>,
}

/// Who wrote the payloads of an exchange.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Writer {
    /// This crate: the other side read them.
    Here,
    /// The other side: this crate read them.
    There,
}

/// The other side's times and this crate's, taken one after the other in one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InteropTime {
    /// The language or runtime, with its version.
    pub language: String,
    /// The library.
    pub library: String,
    /// The library's version.
    pub version: String,
    /// The format's name here.
    pub format: String,
    /// How many members the dataset has.
    pub members: u64,
    /// How many runs each side's median is of.
    pub runs: u64,
    /// Whether both wrote as many bytes.
    pub same_size: bool,
    /// Milliseconds to encode into a new sink, at the median: there, and here.
    pub encode: (f64, f64),
    /// Milliseconds to decode, at the median: there, and here.
    pub decode: (f64, f64),
}

/// What the other side takes for one of the small objects of the articles, on the machine of the record.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct InteropSmall {
    /// The language or runtime, with its version.
    pub language: String,
    /// The article, the object, the library and what it does, in the other side's words.
    pub what: String,
    /// Nanoseconds: the mean of its samples.
    pub mean: f64,
    /// Nanoseconds: their standard deviation.
    pub deviation: f64,
    /// The bytes that it allocates each time.
    pub allocated: u64,
}

/// An exchange that was not made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InteropSkipped {
    /// The language and the library, or what else is missing.
    pub what: String,
    /// Why.
    pub reason: String,
}
