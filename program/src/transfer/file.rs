//! A file: written and synced by one end, read or mapped by the other, with its pages in the system's cache or dropped from it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Message, Pipeline, TransferError};
use wirewise::payload::Payload;
use wirewise::registry::Registry;

const NAME: &str = "payload";

/// What a disk does with bytes that mean nothing, in the ways that files are taken here.
///
/// It is measured once for all that is compared: what one file or another takes varies by more than formats do. Two sizes tell what a file
/// costs at all from what its bytes cost.
#[derive(Debug, Clone, PartialEq)]
pub struct Disk {
    /// Written and synced; then read, and mapped and touched, with the pages dropped from the cache and from it.
    costs: [Cost; 5],
}

/// Nanoseconds of any file, and of each of its bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Cost {
    file: f64,
    byte: f64,
}

/// What a disk does with files of one size: bits a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Speeds {
    /// Written and synced.
    pub write: f64,
    /// Read with the pages dropped from the cache, and from it.
    pub read: [f64; 2],
    /// Mapped and touched, in the same two ways.
    pub map: [f64; 2],
}

impl Disk {
    /// The larger of the two files is so many times the smaller.
    const APART: usize = 8;

    /// Measures the disk of the temporary folder with files of up to so many bytes, as the medians of some runs.
    ///
    /// # Errors
    ///
    /// A file cannot be written or read.
    pub fn measure(bytes: usize, runs: usize) -> io::Result<Self> {
        let sizes = [(bytes / Self::APART).max(1), bytes.max(2)];
        let [little, much] = [times(sizes[0], runs)?, times(sizes[1], runs)?];
        let cost = |way: usize| {
            let byte = ((much[way] - little[way]) / (sizes[1] - sizes[0]) as f64).max(0.0);
            Cost { file: (little[way] - byte * sizes[0] as f64).max(0.0), byte }
        };
        Ok(Self { costs: std::array::from_fn(cost) })
    }

    /// What it does with a file of so many bytes.
    pub fn speeds(&self, bytes: f64) -> Speeds {
        let [write, cold, cached, cold_map, cached_map] =
            self.costs.map(|Cost { file, byte }| bytes * 8e9 / (file + byte * bytes).max(1.0));
        Speeds { write, read: [cold, cached], map: [cold_map, cached_map] }
    }
}

/// The nanoseconds of each way with a file of so many bytes: the medians of some runs.
fn times(bytes: usize, runs: usize) -> io::Result<[f64; 5]> {
    // Bytes that no disk compresses away.
    let content: Vec<u8> = (0..bytes as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u8).collect();
    let mut all = [const { Vec::new() }; 5];
    for _ in 0..runs.max(1) {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join(NAME);
        let start = Instant::now();
        write(&path, &content)?;
        all[0].push(start.elapsed());
        for (index, (cold, mapped)) in [(true, false), (false, false), (true, true), (false, true)].into_iter().enumerate() {
            prepare(&path, cold)?;
            let start = Instant::now();
            let payload = if mapped { map(&path)? } else { read(&path)? };
            std::hint::black_box(payload.iter().step_by(64).fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
            all[index + 1].push(start.elapsed());
        }
    }
    Ok(all.map(|mut times| {
        times.sort_unstable();
        times[times.len() / 2].as_secs_f64() * 1e9
    }))
}

pub(super) fn transfer(
    pipeline: &Pipeline,
    registry: &Registry,
    message: &Message,
    cold: bool,
    mapped: bool,
) -> Result<(Duration, u64), TransferError> {
    let mut writer = pipeline.writer(registry, message)?;
    let mut receiver = pipeline.receiver(registry, message)?;
    let folder = tempfile::tempdir()?;
    let path = folder.path().join(NAME);
    let mut sink = Vec::new();
    let start = Instant::now();
    writer.write(&mut sink)?;
    write(&path, &sink)?;
    let written = start.elapsed();
    prepare(&path, cold)?;
    let start = Instant::now();
    let payload = if mapped { map(&path)? } else { read(&path)? };
    receiver.read(&payload)?;
    Ok((written + start.elapsed(), sink.len() as u64))
}

fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(content)?;
    file.sync_all()
}

/// Drops the file's pages from the cache, or puts them there. Not timed.
fn prepare(path: &Path, cold: bool) -> io::Result<()> {
    if !cold {
        return std::fs::read(path).map(drop);
    }
    drop_from_cache(&File::open(path)?)
}

#[cfg(target_os = "linux")]
fn drop_from_cache(file: &File) -> io::Result<()> {
    use std::os::fd::AsRawFd;

    // SAFETY: the call takes a descriptor that is open as long as the file is borrowed, and no memory.
    let outcome = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    if outcome == 0 { Ok(()) } else { Err(io::Error::from_raw_os_error(outcome)) }
}

#[cfg(not(target_os = "linux"))]
fn drop_from_cache(_file: &File) -> io::Result<()> {
    Err(io::Error::new(io::ErrorKind::Unsupported, "pages are dropped from the cache on Linux only"))
}

fn read(path: &Path) -> io::Result<Payload> {
    let mut file = File::open(path)?;
    let mut payload = Payload::default();
    let length = file.metadata()?.len();
    file.read_exact(payload.overwrite(length as usize))?;
    Ok(payload)
}

fn map(path: &Path) -> io::Result<Payload> {
    // SAFETY: the file is of this process alone, which does not change it while it is mapped.
    unsafe { wirewise::file::map(path) }
}
