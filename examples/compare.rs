//! Which format for this data? Size, encode and decode of every format, without the report.
//!
//! `cargo run --release --example compare`

use std::time::Duration;

use wirewise::measure::allocator::Allocator;
use wirewise::measure::{Budget, sample};
use wirewise::operation::Operation;
use wirewise::registry::{CaseId, Registry, Stock};
use wirewise::statistics::Summary;

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

fn main() -> wirewise::Result<()> {
    const MEMBERS: usize = 10_000;
    let registry = Registry::standard();
    let spec = registry.datasets()[0].spec(MEMBERS);
    let mut stock = Stock::default();
    println!("{:<20} {:>12} {:>14} {:>14}", "", "bytes/member", "encode ns", "decode ns");
    for source in registry.sources().iter().filter(|source| source.dataset == registry.datasets()[0].name) {
        let mut nanoseconds = |operation| -> wirewise::Result<f64> {
            let id = CaseId { operation, dataset: source.dataset.into(), format: source.format.name.into(), codec: None };
            let Some(case) = registry.case(&id) else { return Ok(f64::NAN) };
            let mut work = case.prepare(&mut stock, &spec)?;
            let samples = sample(&mut work, Budget { samples: 7, time: Duration::from_millis(100) })?;
            Ok(Summary::of(&samples).map_or(f64::NAN, |summary| summary.median / MEMBERS as f64))
        };
        let (encode, decode) = (nanoseconds(Operation::Encode)?, nanoseconds(Operation::Decode)?);
        let bytes = source.payload(&mut stock, &spec)?.len() as f64 / MEMBERS as f64;
        println!("{:<20} {bytes:>12.1} {encode:>14.1} {decode:>14.1}", source.format.name);
    }
    Ok(())
}
