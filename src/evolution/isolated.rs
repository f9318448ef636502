//! Cells in processes of their own, so that a reader that overflows its stack, takes all memory or never ends fails its cell and no other.
//!
//! The program starts itself again with the settings to run in an environment variable; [`serve`], which stands first in its `main`, then
//! runs their cells, and writes a line when a cell starts and a record when it ends. A process that dies or is silent for too long is
//! ended, its cell is a crash, and another goes on behind it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::matrix::{CellId, cells, crashed, run};
use crate::measure::restraint::{Restraint, restrain};
use crate::record::Evolution;

const VARIABLE: &str = "WIREWISE_EVOLVE";

/// What a process may have.
const RESTRAINT: Restraint = Restraint { address_space: 4 << 30, stack: None, seconds: Some(120) };

/// How long a cell may take. Most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs the cells that this process was started for, if it was started for some, and then exits.
pub fn serve() {
    let Ok(names) = std::env::var(VARIABLE) else { return };
    restrain(RESTRAINT);
    // A panic is an outcome here, and is told as one.
    std::panic::set_hook(Box::new(|_| {}));
    let mut output = std::io::stdout().lock();
    for name in names.split(',') {
        let Ok(id) = name.parse::<CellId>() else { std::process::exit(2) };
        let told = writeln!(output, "{id}").and_then(|()| output.flush()).and_then(|()| {
            let line = serde_json::to_string(&run(id))?;
            writeln!(output, "{line}")
        });
        if told.is_err() {
            std::process::exit(1);
        }
    }
    std::process::exit(0);
}

/// Runs cells in as many processes as there are processors, and tells of each as it ends.
///
/// # Errors
///
/// The program could not be started again.
pub fn run_all(wanted: &[CellId], tell: impl Fn(&Evolution) + Sync) -> std::io::Result<Vec<Evolution>> {
    // A cell takes as long as its format does: dealt out in turn, no process is left with all the slow ones.
    let processes = thread::available_parallelism().map_or(2, usize::from).min(wanted.len().max(1));
    let results = Mutex::new(Vec::with_capacity(wanted.len()));
    let outcome: std::io::Result<Vec<()>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processes)
            .map(|worker| {
                let mine: Vec<CellId> = wanted.iter().copied().skip(worker).step_by(processes).collect();
                let (results, tell) = (&results, &tell);
                scope.spawn(move || {
                    run_some(&mine, |record| {
                        tell(&record);
                        results.lock().unwrap_or_else(|poison| poison.into_inner()).push(record);
                    })
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(std::io::Error::other("a worker panicked")))).collect()
    });
    outcome?;
    let mut results = results.into_inner().unwrap_or_else(|poison| poison.into_inner());
    let order: Vec<String> = cells().iter().map(CellId::to_string).collect();
    results.sort_by_cached_key(|record| order.iter().position(|id| *id == record.id));
    Ok(results)
}

fn run_some(mut cells: &[CellId], mut done: impl FnMut(Evolution)) -> std::io::Result<()> {
    while !cells.is_empty() {
        let mut child = start(cells)?;
        let output = child.stdout.take().ok_or_else(|| std::io::Error::other("no standard output"))?;
        let (sender, lines) = channel();
        let reader = thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(line).is_err() {
                    break;
                }
            }
        });
        let mut finished = 0;
        let end = loop {
            match lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    if let Ok(record) = serde_json::from_str::<Evolution>(&line) {
                        finished += 1;
                        done(record);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => break None,
                Err(RecvTimeoutError::Timeout) => break Some(format!("did not end within {} s", PATIENCE.as_secs())),
            }
        };
        if end.is_some() {
            // It may have ended by itself meanwhile.
            let _ = child.kill();
        }
        let status = child.wait()?;
        // It ends with the process whose output it reads.
        let _ = reader.join();
        cells = &cells[finished..];
        if let Some((cell, rest)) = cells.split_first() {
            done(crashed(*cell, &end.unwrap_or_else(|| format!("the process ended: {status}"))));
            cells = rest;
        }
    }
    Ok(())
}

fn start(cells: &[CellId]) -> std::io::Result<Child> {
    let names: Vec<String> = cells.iter().map(CellId::to_string).collect();
    let program = std::env::current_exe()?;
    Command::new(program).env(VARIABLE, names.join(",")).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()
}
