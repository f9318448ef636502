//! Each target in a process of its own, so that what overflows the stack, takes all memory or never ends is a failure that is told with
//! its mutation, and not the end of the run.
//!
//! The program starts itself again with an order in an environment variable; [`serve`], which stands first in its `main`, then does it,
//! and tells several times a second how far it is and what it has counted. When a process dies, another goes over the stretch since it
//! last told, and tells before every mutation: so the one is found. Then the rest goes on behind it.

use std::io::{BufRead, BufReader, Write};
use std::ops::Range;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Order;
use super::run::Run;
use wirewise::measure::restraint::{Restraint, restrain};
use wirewise::record::{Torture, TortureFailure, TortureKind, TortureTally, resident_peak_bytes};
use wirewise::registry::Registry;

const VARIABLE: &str = "WIREWISE_TORTURE";

/// What a process may have: a thread's usual stack, and far more address space than any input may take.
const RESTRAINT: Restraint = Restraint { address_space: 4 << 30, stack: Some(2 << 20), seconds: None };

/// How often a process tells how far it is.
const TELL: Duration = Duration::from_millis(200);

/// How long it may be silent, and how long before its first word: it has to make its payloads, on a machine that may be busy.
const PATIENCE: Duration = Duration::from_secs(20);
const PATIENCE_AT_FIRST: Duration = Duration::from_secs(120);

/// After so many deaths a target is given up.
const DEATHS: usize = 10;

/// What one process does.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Task {
    order: Order,
    numbers: Range<u64>,
    /// Whether to tell before each mutation, instead of now and then.
    each: bool,
}

/// What a process tells.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Progress {
    /// The next mutation.
    next: u64,
    /// What was counted so far; nothing where each mutation is told.
    tally: Option<TortureTally>,
    /// What is known of the target, with the first report.
    about: Option<About>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct About {
    kind: TortureKind,
    dataset: String,
    every_byte_of: u64,
}

/// Does the order that this process was started for, if it was started for one, and then exits.
pub fn serve(registry: &Registry) {
    let Ok(task) = std::env::var(VARIABLE) else { return };
    restrain(RESTRAINT);
    // A panic is an outcome here, and is told as one.
    std::panic::set_hook(Box::new(|_| {}));
    let outcome = serde_json::from_str(&task).map_err(|error| error.to_string()).and_then(|task| perform(registry, &task));
    if let Err(error) = outcome {
        eprintln!("{error}");
        std::process::exit(1);
    }
    std::process::exit(0);
}

fn perform(registry: &Registry, task: &Task) -> Result<(), String> {
    let mut run = Run::new(registry, &task.order).map_err(|error| error.to_string())?;
    let mut output = std::io::stdout().lock();
    let mut tell = |progress: &Progress| {
        let line = serde_json::to_string(progress).map_err(std::io::Error::from)?;
        writeln!(output, "{line}").and_then(|()| output.flush())
    };
    let target = run.target();
    let about = About { kind: target.kind, dataset: target.dataset.clone(), every_byte_of: run.every_byte_of() };
    let first = Progress { next: task.numbers.start, tally: None, about: Some(about) };
    tell(&first).map_err(|error| error.to_string())?;
    if task.numbers.start == 0 && !task.each {
        run.damage_envelopes();
    }
    let (mut told, mut failed) = (Instant::now(), None);
    run.steps(task.numbers.clone(), |run, number| {
        let next = number + 1;
        let is_last = next == task.numbers.end;
        let progress = if task.each {
            Progress { next, tally: None, about: None }
        } else if is_last || (number % 16 == 0 && told.elapsed() >= TELL) {
            told = Instant::now();
            run.tally.resident_peak_bytes = resident_peak_bytes();
            Progress { next, tally: Some(run.tally.clone()), about: None }
        } else {
            return true;
        };
        failed = tell(&progress).err();
        failed.is_none()
    });
    failed.map_or(Ok(()), |error| Err(error.to_string()))
}

/// How a process ended, and how far it had come.
struct Ended {
    next: u64,
    tally: TortureTally,
    about: Option<About>,
    /// Why it ended before its end.
    death: Option<String>,
}

fn run_process(task: &Task) -> std::io::Result<Ended> {
    let order = serde_json::to_string(task)?;
    let mut command = Command::new(std::env::current_exe()?);
    command.env(VARIABLE, order).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn()?;
    let (Some(output), Some(complaints)) = (child.stdout.take(), child.stderr.take()) else {
        return Err(std::io::Error::other("no standard output"));
    };
    let (sender, lines) = channel();
    let reader = thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(std::io::Result::ok) {
            if sender.send(line).is_err() {
                break;
            }
        }
    });
    let complaints = thread::spawn(move || BufReader::new(complaints).lines().map_while(std::io::Result::ok).last());
    let mut ended = Ended { next: task.numbers.start, tally: TortureTally::default(), about: None, death: None };
    loop {
        let patience = if ended.about.is_some() { PATIENCE } else { PATIENCE_AT_FIRST };
        match lines.recv_timeout(patience) {
            Ok(line) => {
                let Ok(progress) = serde_json::from_str::<Progress>(&line) else { continue };
                ended.next = progress.next;
                ended.tally = progress.tally.unwrap_or(ended.tally);
                ended.about = progress.about.or(ended.about);
            }
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                ended.death = Some(format!("nothing for {} s", patience.as_secs()));
                // It may have ended by itself meanwhile.
                let _ = child.kill();
                break;
            }
        }
    }
    let status = child.wait()?;
    // Both end with the process whose output they read.
    let _ = reader.join();
    let complaint = complaints.join().ok().flatten().unwrap_or_default();
    if ended.death.is_none() && (!status.success() || ended.next < task.numbers.end) {
        ended.death = Some(format!("the process ended: {status} {complaint}").trim_end().to_owned());
    }
    Ok(ended)
}

/// Runs one target to its end, over all deaths of its processes.
fn run_target(order: &Order) -> std::io::Result<Torture> {
    let start = Instant::now();
    let mut tally = TortureTally::default();
    let (mut about, mut next, mut deaths) = (None, 0, 0);
    while next < order.mutations {
        let ended = run_process(&Task { order: order.clone(), numbers: next..order.mutations, each: false })?;
        let Some(found) = about.take().or(ended.about) else {
            return Err(std::io::Error::other(ended.death.unwrap_or_else(|| "the process said nothing".into())));
        };
        about = Some(found);
        tally.add(ended.tally);
        next = ended.next;
        let Some(death) = ended.death else { break };
        deaths += 1;
        // The same again, a step at a time, as far as the dead one may have come.
        let again = run_process(&Task { order: order.clone(), numbers: next..order.mutations, each: true })?;
        if again.death.is_some() && again.next > next {
            tally.add(run_process(&Task { order: order.clone(), numbers: next..again.next, each: false })?.tally);
        }
        let (mutation, what) = match again.death {
            Some(again) => (again, death),
            None => ("not again".to_owned(), death),
        };
        tally.fail(TortureFailure { mutation: again.next, damage: mutation, what });
        next = again.next + 1;
        if deaths == DEATHS {
            tally.fail(TortureFailure { mutation: next, damage: String::new(), what: format!("given up after {DEATHS} deaths") });
            break;
        }
    }
    let about = about.ok_or_else(|| std::io::Error::other("no mutations"))?;
    Ok(Torture {
        target: order.target.clone(),
        target_kind: about.kind,
        dataset: about.dataset,
        seed: order.seed,
        mutations: order.mutations,
        every_byte_of: about.every_byte_of,
        tally,
        milliseconds: start.elapsed().as_millis() as u64,
    })
}

/// Runs orders in as many processes as there are processors, and tells of each as it ends; the results are in the order of the orders.
///
/// # Errors
///
/// The program could not be started again, or one of the targets cannot be made.
pub fn run_all(orders: &[Order], tell: impl Fn(&Torture) + Sync) -> std::io::Result<Vec<Torture>> {
    let processes = thread::available_parallelism().map_or(2, usize::from).min(orders.len().max(1));
    let (waiting, results) = (Mutex::new(orders.iter().enumerate()), Mutex::new(Vec::new()));
    let work = || -> std::io::Result<()> {
        loop {
            let taken = waiting.lock().unwrap_or_else(|poison| poison.into_inner()).next();
            let Some((index, order)) = taken else { return Ok(()) };
            let result = run_target(order)?;
            tell(&result);
            results.lock().unwrap_or_else(|poison| poison.into_inner()).push((index, result));
        }
    };
    let outcome: std::io::Result<Vec<()>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..processes).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err(std::io::Error::other("a worker panicked")))).collect()
    });
    outcome?;
    let mut results = results.into_inner().unwrap_or_else(|poison| poison.into_inner());
    results.sort_by_key(|(index, _)| *index);
    Ok(results.into_iter().map(|(_, result)| result).collect())
}
