//! The model: the time of a pipeline from value to value.
//!
//! In sequence, each step waits for the one before it: encode, compress, the bytes over the link, decompress, then decode or access and
//! read. As blocks, the message is cut into pieces of about [`BLOCK`] bytes of data that are encoded and compressed one by one, so that
//! writer, link and reader work at the same time, and the cores of an end work on different blocks. The last block is what has to wait:
//!
//! ```text
//! W, L, D   the time of the writer, the link and the reader for everything, on one core
//! K, p      the number of blocks; the cores of an end that have a block to work on
//! the time  max(W/p + L/K + D/K,  W/K + L + D/K,  W/K + L/K + D/p) + a round trip
//! ```
//!
//! What is left out: what the system takes to send and receive, beyond the bytes over the link; that blocks compress less well than the
//! whole; cores that slow each other down; slow start and lost packets. docs/METHODOLOGY.md says how far that is from real runs.

use serde::Serialize;

use super::{CodecFacts, Facts, FormatFacts, WayFacts, Wish};
use crate::statistics::Summary;

/// The bytes of data in a block: large enough that a block's own costs do not count.
pub const BLOCK: f64 = 262_144.0;

/// How many blocks of a stage are in memory at once: the one that is worked on, and the one that waits.
pub const BLOCKS_IN_MEMORY: f64 = 2.0;

/// Whether steps wait for each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Plan {
    /// Each step waits for the one before it.
    Sequence,
    /// Blocks, so that writer, link and reader work at the same time.
    Blocks,
}

impl Plan {
    /// What it is called.
    pub const fn label(self) -> &'static str {
        match self {
            Self::Sequence => "in sequence",
            Self::Blocks => "in blocks",
        }
    }
}

/// What each step takes for one write and all of its readings, in nanoseconds, on one core.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Terms {
    /// Encode.
    pub encode: Summary,
    /// Compress.
    pub compress: Summary,
    /// The bytes over the link, round trips, and the bytes to where they are stored.
    pub transfer: f64,
    /// Decompress.
    pub decompress: Summary,
    /// Decode, borrow or access, and read.
    pub read: Summary,
}

impl Terms {
    /// The names of the terms and their medians.
    pub const fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("encode", self.encode.median),
            ("compress", self.compress.median),
            ("transfer", self.transfer),
            ("decompress", self.decompress.median),
            ("read", self.read.median),
        ]
    }
}

/// What the model says of a pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Estimate {
    /// In sequence or in blocks, whichever takes less.
    pub plan: Plan,
    /// Nanoseconds for one write and all of its readings.
    pub time: Summary,
    /// What of it is more than the link alone: only that part has noise.
    pub exposed: f64,
    /// The steps.
    pub terms: Terms,
    /// The bytes over the link.
    pub bytes: f64,
    /// The memory that the end takes which takes more; nothing where it was not counted.
    pub memory: Option<f64>,
}

/// The faster of both plans.
pub fn estimate(facts: &Facts, format: &FormatFacts, codec: Option<&CodecFacts>, way: &WayFacts, wish: &Wish) -> Estimate {
    let plans = [Plan::Sequence, Plan::Blocks].map(|plan| planned(facts, format, codec, way, wish, plan));
    if plans[1].time.median < plans[0].time.median { plans[1] } else { plans[0] }
}

/// One plan.
pub fn planned(facts: &Facts, format: &FormatFacts, codec: Option<&CodecFacts>, way: &WayFacts, wish: &Wish, plan: Plan) -> Estimate {
    let n = wish.members;
    let encode = format.encode * n;
    let coded = |time: fn(&CodecFacts) -> Summary| codec.map_or(Summary::ZERO, |codec| time(codec) * (n * wish.codec_time));
    let (compress, decompress) = (coded(|codec| codec.compress), coded(|codec| codec.decompress));
    let bytes = codec.map_or(format.bytes, |codec| (codec.bytes * wish.compressed).min(format.bytes.max(codec.bytes))) * n;
    let link = bytes * 8.0 / wish.bandwidth * 1e9;
    let store = wish.stored_at.map(|speed| bytes * 8.0 / speed * 1e9);
    let share = wish.fields_read;
    let read = (way.open * (1.0 - share) + way.all.max(way.open) * share) * n;
    let reads = wish.reads_per_write;

    let blocks = match plan {
        Plan::Sequence => 1.0,
        Plan::Blocks => (n * facts.data_bytes / BLOCK).floor().max(1.0),
    };
    let stages =
        Stages { write: encode + compress, link: Summary::exact(link), read: decompress + read, blocks, cores: wish.cores.min(blocks) };
    let round_trip = Summary::exact(wish.round_trip);
    let fetch = stages.fetched() + round_trip;
    let time = match store {
        Some(store) => Stages { link: Summary::exact(store), ..stages }.stored() + fetch * reads,
        None => {
            let through = stages.through() + round_trip;
            if reads >= 1.0 { through + fetch * (reads - 1.0) } else { through * reads + stages.write * ((1.0 - reads) / stages.cores) }
        }
    };
    let transfer = (link + wish.round_trip) * reads + store.unwrap_or(0.0);
    Estimate {
        plan,
        time,
        exposed: (time.median - transfer).max(0.0),
        terms: Terms { encode, compress, transfer, decompress: decompress * reads, read: read * reads },
        bytes,
        memory: memory(facts, format, codec.map(|_| bytes), way, n, BLOCKS_IN_MEMORY * stages.cores / blocks, plan),
    }
}

/// A message on its way.
#[derive(Clone, Copy)]
struct Stages {
    write: Summary,
    link: Summary,
    read: Summary,
    blocks: f64,
    cores: f64,
}

impl Stages {
    /// What a stage takes for all blocks on all cores, and for one block.
    fn of(&self, stage: Summary, cores: f64) -> [Summary; 2] {
        [stage * (1.0 / cores), stage * (1.0 / self.blocks)]
    }

    /// From the writer's value to the reader's.
    fn through(&self) -> Summary {
        let [write, link, read] = [self.of(self.write, self.cores), self.of(self.link, 1.0), self.of(self.read, self.cores)];
        (write[0] + link[1] + read[1]).max(write[1] + link[0] + read[1]).max(write[1] + link[1] + read[0])
    }

    /// From the writer's value to where it is stored.
    fn stored(&self) -> Summary {
        Self { read: Summary::ZERO, ..*self }.through()
    }

    /// From where it is stored to the reader's value.
    fn fetched(&self) -> Summary {
        Self { write: Summary::ZERO, ..*self }.through()
    }
}

/// What both ends hold at once. Blocks are handed on, so that only `part` of a stage is there; what is read in place stays.
fn memory(facts: &Facts, format: &FormatFacts, compressed: Option<f64>, way: &WayFacts, n: f64, part: f64, plan: Plan) -> Option<f64> {
    let part = if plan == Plan::Sequence { 1.0 } else { part.min(1.0) };
    let payload = format.bytes * n;
    let compressed = compressed.unwrap_or(0.0);
    let writer = facts.value_bytes? * n + (payload + compressed) * part;
    let stays = if way.way == super::Way::Decode { part } else { 1.0 };
    let reader = way.peak? * n + payload * stays + compressed * part;
    Some(writer.max(reader))
}
