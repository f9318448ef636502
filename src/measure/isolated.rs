//! One case in a process of its own: allocations and peaks that no other case has touched, and another allocator.
//!
//! The program starts itself again with the task in an environment variable; [`serve`], which stands first in its `main`, then does the
//! task instead, and writes a record to standard output.

use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::{Budget, allocator, sample};
use crate::error::{Error, Result};
use crate::operation::Operation;
use crate::record::{Cell, Memory, Record, Time, resident_peak_bytes};
use crate::registry::{Registry, Stock};

const VARIABLE: &str = "WIREWISE_ISOLATED";

/// What the other process does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// Counts what one iteration allocates.
    Count,
    /// Takes so many samples with the system's allocator.
    TimeWithSystemAllocator(usize),
}

/// Does the task that this process was started for, if it was started for one, and then exits.
pub fn serve(registry: &Registry) {
    let Ok(order) = std::env::var(VARIABLE) else { return };
    let result = serde_json::from_str(&order).map_err(|error| error.to_string()).and_then(|(task, cell)| {
        let record = perform(registry, task, cell).map_err(|error| error.to_string())?;
        record.to_json().map_err(|error| error.to_string())
    });
    match result {
        Ok(line) => println!("{line}"),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
    std::process::exit(0);
}

fn perform(registry: &Registry, task: Task, cell: Cell) -> Result<Record> {
    let case = registry.case(&cell.id).ok_or_else(|| Error::malformed("registry", format_args!("no case {}", cell.id)))?;
    let mut work = case.prepare(&mut Stock::default(), &cell.spec)?;
    match task {
        Task::Count => {
            // Once before counting: what a format or a reused sink allocates only the first time is not the cost of one iteration.
            work(1)?;
            let (outcome, allocated) = allocator::count(|| work(1));
            outcome?;
            let resident_peak_bytes = resident_peak_bytes();
            Ok(Record::Memory(Memory {
                state_bytes: state_bytes(registry, &cell)?,
                cell,
                allocations: allocated.calls,
                allocated_bytes: allocated.bytes,
                peak_bytes: allocated.peak,
                resident_peak_bytes,
            }))
        }
        Task::TimeWithSystemAllocator(samples) => {
            let samples = sample(&mut work, Budget { samples, time: std::time::Duration::ZERO })?;
            Ok(Record::Time(Time { cell, allocator: allocator::name().to_owned(), again: false, samples }))
        }
    }
}

/// What the state of the cell's codec takes, which is both ways the same and told with `compress`; nought for another cell.
fn state_bytes(registry: &Registry, Cell { id, spec }: &Cell) -> Result<u64> {
    let source = registry.source(&id.format, &id.dataset);
    match (&id.codec, source) {
        (Some(codec), Some(source)) if id.operation == Operation::Compress => {
            Ok(registry.codec_state_bytes(&mut Stock::default(), spec, source, codec)? as u64)
        }
        _ => Ok(0),
    }
}

/// Starts this program again for one task, and waits for its record.
///
/// # Errors
///
/// What the other process wrote to its standard error, or how it ended.
pub fn run(task: Task, cell: &Cell) -> std::result::Result<Record, String> {
    let order = serde_json::to_string(&(task, cell)).map_err(|error| error.to_string())?;
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let mut command = Command::new(program);
    command.env(VARIABLE, order).stdin(Stdio::null());
    if matches!(task, Task::TimeWithSystemAllocator(_)) {
        command.env(allocator::VARIABLE, "system");
    }
    let output = command.output().map_err(|error| error.to_string())?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{} ({})", complaint.trim().lines().next_back().unwrap_or_default(), output.status));
    }
    let line = String::from_utf8_lossy(&output.stdout);
    Record::from_json(&line).map_err(|error| error.to_string())
}
