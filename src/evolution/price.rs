//! What it costs to be able to change: bytes and time of every setting, against the share of changes that are never silent.

use std::collections::BTreeSet;
use std::hint::black_box;
use std::time::Instant;

use super::change::{Position, Side};
use super::formats::Setting;
use super::sample::Sampler;
use super::value::Value;
use super::{change_named, documented};
use crate::payload::Payload;
use crate::record::{Evolution, EvolutionPrice, EvolutionVerdict};

/// The change whose new schema is priced: it exists in every setting.
const PRICED: &str = "append-defaulted-field";

/// Entries in the list that is priced.
const ENTRIES: usize = 100;

/// Runs; the least time of a run stands, since what disturbs a run only makes it longer.
const RUNS: usize = 25;

/// Measures every setting, and counts what of its cells is silent.
///
/// The times include making the format's own types of the neutral value and telling it back, which costs all settings the same work for
/// the same fields; they compare settings, and are not the formats' speed, for which there are the benches.
pub fn prices(cells: &[Evolution]) -> Vec<EvolutionPrice> {
    Setting::ALL.iter().filter_map(|setting| price(*setting, cells)).collect()
}

fn price(setting: Setting, cells: &[Evolution]) -> Option<EvolutionPrice> {
    let change = change_named(PRICED)?;
    let adapter = change.adapters(setting).ok()?[Side::New as usize];
    let entries = (0..ENTRIES).map(|index| (change.sample[Side::New as usize])(&mut Sampler::new(7, index + 1000))).collect();
    let value = Value::Record(vec![("before", Value::Int(1)), ("items", Value::List(entries)), ("after", Value::Text("after".into()))]);
    let payload = Payload::from((adapter.write)(Position::Element, &value).ok()?);
    let write = least(|| drop(black_box((adapter.write)(Position::Element, black_box(&value)))));
    let read = least(|| drop(black_box((adapter.read)(Position::Element, black_box(&payload)))));
    let mut ran = BTreeSet::new();
    let mut silent = BTreeSet::new();
    for cell in cells.iter().filter(|cell| cell.format == setting.name() && cell.direction != "hop") {
        if let EvolutionVerdict::Ran { silent: values, .. } = &cell.verdict {
            ran.insert(cell.number);
            if *values > 0 {
                silent.insert(cell.number);
            }
        }
    }
    Some(EvolutionPrice {
        format: setting.name().into(),
        note: setting.note().into(),
        advice: documented::advice(setting.format()).into(),
        entries: ENTRIES as u32,
        bytes: payload.len() as u64,
        write_nanoseconds: write,
        read_nanoseconds: read,
        changes: ran.len() as u32,
        never_silent: (ran.len() - silent.len()) as u32,
    })
}

/// Nanoseconds for an entry.
fn least(mut work: impl FnMut()) -> f64 {
    let run = |work: &mut dyn FnMut()| {
        let start = Instant::now();
        work();
        start.elapsed()
    };
    let times = (0..RUNS).map(|_| run(&mut work));
    times.min().unwrap_or_default().as_nanos() as f64 / ENTRIES as f64
}
