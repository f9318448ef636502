//! How far a run has come, for the one who waits for it.

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

/// A line on standard error that says what is running and about how much is left.
///
/// What is left is guessed from the steps: those done took so long, so those to come will take about as long for their members.
pub struct Progress {
    steps: usize,
    done: usize,
    start: Instant,
    spent: f64,
    expected: f64,
    terminal: bool,
}

impl Progress {
    /// A run of so many steps starts.
    pub fn new(steps: usize) -> Self {
        Self { steps, done: 0, start: Instant::now(), spent: 0.0, expected: 0.0, terminal: io::stderr().is_terminal() }
    }

    /// Sets how many steps there are, and the seconds that they are expected to take together.
    pub fn expect(&mut self, steps: usize, seconds: f64) {
        (self.steps, self.expected) = (steps, seconds);
    }

    /// Starts a step that is expected to take so many seconds.
    pub fn step(&mut self, name: impl Display, seconds: f64) {
        self.done += 1;
        // The machine is as much faster or slower than expected as it has been so far, once there is something to go by.
        let elapsed = self.start.elapsed().as_secs_f64();
        let pace = if self.spent > 5.0 { elapsed / self.spent } else { 1.0 };
        let left = (self.expected - self.spent).max(0.0) * pace;
        let (done, steps) = (self.done, self.steps);
        self.say(format_args!("[{done:>3}/{steps}] about {} left: {name}", minutes(left)));
        self.spent += seconds;
    }

    /// Says something between two steps.
    pub fn say(&self, what: impl Display) {
        let mut stderr = io::stderr().lock();
        // A progress line that cannot be written is no reason to stop.
        let _ = if self.terminal { write!(stderr, "\r\x1b[K{what}") } else { writeln!(stderr, "{what}") };
        let _ = stderr.flush();
    }

    /// Ends the line.
    pub fn end(&self) -> Duration {
        if self.terminal {
            eprintln!();
        }
        self.start.elapsed()
    }
}

/// Seconds for people.
pub fn minutes(seconds: f64) -> String {
    match seconds.round() as u64 {
        seconds @ 0..90 => format!("{seconds} s"),
        seconds => format!("{} min {:02} s", seconds / 60, seconds % 60),
    }
}
