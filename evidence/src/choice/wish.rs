//! What the user has, and asks for.

use serde::{Deserialize, Serialize};

/// A link, a machine at each end of it, and what is done with the data. The defaults are those of `wirewise choose` and of the page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Wish {
    /// Members in a message.
    pub members: f64,
    /// Bits a second of the link.
    pub bandwidth: f64,
    /// Nanoseconds of a round trip, of which each reading takes one.
    pub round_trip: f64,
    /// Bits a second at which the payload is stored first; nothing where it goes from the writer to the reader.
    pub stored_at: Option<f64>,
    /// How often what was written is fetched and read.
    pub reads_per_write: f64,
    /// The share of the members that is read, each with all its fields; between 0 and 1.
    pub fields_read: f64,
    /// Cores at each end.
    pub cores: f64,
    /// Bytes of memory at each end; nothing for no bound.
    pub memory: Option<f64>,
    /// Whether the bytes may be anyone's.
    pub untrusted: bool,
    /// Whether a field will be added while old programs run.
    pub must_evolve: bool,
    /// Whether this crate's own layouts are left out: they are written by hand for one type.
    pub libraries_only: bool,
    /// The bytes that codecs leave, as a multiple of what was measured: for data that compresses better or worse.
    pub compressed: f64,
    /// The time that codecs take, as a multiple of what was measured.
    pub codec_time: f64,
}

impl Default for Wish {
    fn default() -> Self {
        Self {
            members: 1_000_000.0,
            bandwidth: 1e9,
            round_trip: 0.0,
            stored_at: None,
            reads_per_write: 1.0,
            fields_read: 1.0,
            cores: 1.0,
            memory: None,
            untrusted: false,
            must_evolve: false,
            libraries_only: false,
            compressed: 1.0,
            codec_time: 1.0,
        }
    }
}

/// What may be off by two: its name, the same in a sentence, and how a wish is changed by a factor.
type Assumption = (&'static str, fn(&mut Wish, f64));

/// The assumptions behind a wish.
pub(super) const ASSUMPTIONS: [Assumption; 8] = [
    ("bandwidth", |wish, factor| wish.bandwidth *= factor),
    ("round trip", |wish, factor| wish.round_trip *= factor),
    ("reads per write", |wish, factor| wish.reads_per_write *= factor),
    ("share of fields read", |wish, factor| wish.fields_read = (wish.fields_read * factor).min(1.0)),
    ("cores", |wish, factor| wish.cores = (wish.cores * factor).max(1.0)),
    ("members a message", |wish, factor| wish.members = (wish.members * factor).max(1.0)),
    ("bytes that codecs leave", |wish, factor| wish.compressed *= factor),
    ("time that codecs take", |wish, factor| wish.codec_time *= factor),
];
