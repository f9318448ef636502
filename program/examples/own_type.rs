//! A type and a format of your own, from outside the crate: through the formats, the program, the benches and the report.
//!
//! `cargo run --release --example own_type` measures it and writes a report below `target/own-type`.
//! `cargo run --release --example own_type -- list` (or measure, report) is the program for your registry;
//! with `--bench`, as cargo passes it to a bench target, it is `cargo bench` for it. In a crate of your own that is
//! a bench target with `harness = false` and the one line `wirewise::bench::main(&registry())`.

use std::process::ExitCode;

use serde::{Deserialize, Serialize};
use wirewise::dataset::{Checksum, Dataset, Read, Spec};
use wirewise::format::json::Json;
use wirewise::format::messagepack::{MessagePackArray, MessagePackMap};
use wirewise::format::{Decode, Encode, Format, Info};
use wirewise::measure::allocator::Allocator;
use wirewise::{Error, Payload, Problem, Registry, Result};

#[global_allocator]
static ALLOCATOR: Allocator = Allocator;

/// The value to be measured: what a sensor said.
#[derive(Clone, Serialize, Deserialize)]
struct Series {
    sensor: String,
    readings: Vec<Reading>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
struct Reading {
    at: u64,
    value: f32,
}

impl Dataset for Series {
    const NAME: &'static str = "series";
    const DESCRIPTION: &'static str = "a sensor's name and its readings, a time and a float each";

    /// Readings cannot be changed in place by any format here, so there is no change to describe.
    type Change = ();

    fn generate(spec: &Spec) -> Result<Self> {
        let reading = |i: u64| Reading { at: 1_700_000_000 + 60 * i, value: ((i ^ spec.seed) % 1000) as f32 / 8.0 };
        Ok(Self { sensor: "boiler 7, flow".into(), readings: (0..spec.members as u64).map(reading).collect() })
    }

    fn records(&self) -> usize {
        self.readings.len()
    }

    fn data_size(&self) -> usize {
        self.sensor.len() + self.readings.len() * 12
    }

    fn change(&self) {}

    fn apply(&mut self, (): &()) {}
}

impl Reading {
    fn checksum(&self, position: usize) -> u64 {
        Checksum::new(position as u64).number(self.at).number(self.value.to_bits().into()).finish()
    }
}

impl Read for Series {
    fn checksum(&self) -> Result<u64> {
        let readings = self.readings.iter().enumerate().fold(0u64, |sum, (position, reading)| sum.wrapping_add(reading.checksum(position)));
        Ok(Checksum::new(0).text(Some(&self.sensor)).list(Some(self.readings.len())).number(readings).finish())
    }

    fn sum_field(&self) -> Result<u64> {
        Ok(self.readings.iter().fold(0, |sum, reading| sum.wrapping_add(reading.at)))
    }

    fn checksum_at(&self, positions: &[usize]) -> Result<u64> {
        let chosen = positions.iter().filter_map(|&position| Some((position, self.readings.get(position)?)));
        Ok(chosen.fold(0, |sum, (position, reading)| sum.wrapping_add(reading.checksum(position))))
    }
}

/// A layout of your own: the name's length and the name, then all times, then all values.
#[derive(Default)]
struct Columns;

impl Format for Columns {
    const INFO: Info =
        Info { name: "columns", wire_format: "our columns", library: "own_type", version: "1", note: "written for one type" };
}

impl Encode<Series> for Columns {
    fn encode(&mut self, value: &Series, sink: &mut Vec<u8>) -> Result<()> {
        sink.clear();
        sink.extend_from_slice(&(value.sensor.len() as u32).to_le_bytes());
        sink.extend_from_slice(value.sensor.as_bytes());
        sink.extend(value.readings.iter().flat_map(|reading| reading.at.to_le_bytes()));
        sink.extend(value.readings.iter().flat_map(|reading| reading.value.to_le_bytes()));
        Ok(())
    }
}

impl Decode<Series> for Columns {
    fn read(&mut self, payload: &Payload) -> Result<Series> {
        let truncated =
            |needed: usize, left: usize| Error::new(Self::INFO.name, Problem::Truncated { needed: needed as u64, left: left as u64 });
        let (len, rest) = payload.split_first_chunk().ok_or_else(|| truncated(4, payload.len()))?;
        let len = u32::from_le_bytes(*len) as usize;
        let (sensor, rest) = rest.split_at_checked(len).ok_or_else(|| truncated(len, rest.len()))?;
        let sensor = str::from_utf8(sensor).map_err(|error| Error::at(Self::INFO.name, 4 + error.valid_up_to(), Problem::InvalidUtf8))?;
        let count = rest.len() / 12;
        if rest.len() % 12 != 0 {
            return Err(Error::at(Self::INFO.name, payload.len(), Problem::Trailing { left: (rest.len() % 12) as u64 }));
        }
        let (times, values) = rest.split_at(count * 8);
        let reading = |(at, value): (&[u8; 8], &[u8; 4])| Reading { at: u64::from_le_bytes(*at), value: f32::from_le_bytes(*value) };
        let readings = times.as_chunks().0.iter().zip(values.as_chunks().0).map(reading).collect();
        Ok(Series { sensor: sensor.to_owned(), readings })
    }
}

fn registry() -> Registry {
    let mut registry = Registry::with_codecs();
    registry.declare::<Columns, Series>().encode().decode();
    registry.declare::<Json, Series>().encode().decode();
    registry.declare::<MessagePackArray, Series>().encode().decode();
    registry.declare::<MessagePackMap, Series>().encode().decode();
    registry
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "--bench") {
        wirewise::bench::main(&registry());
        return ExitCode::SUCCESS;
    }
    if arguments.len() > 1 {
        return wirewise_cli::main(&registry());
    }
    std::fs::create_dir_all("target/own-type").and_then(|()| std::env::set_current_dir("target/own-type")).expect("a folder to write in");
    for arguments in [&["own_type", "measure", "--members", "10000", "--samples", "3", "--seconds", "0.05"][..], &["own_type", "report"]] {
        let code = wirewise_cli::run(&registry(), arguments);
        if code != ExitCode::SUCCESS {
            return code;
        }
    }
    ExitCode::SUCCESS
}
