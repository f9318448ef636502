//! A file: written and synced by one end, read or mapped by the other, with its pages in the system's cache or dropped from it.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use super::{Message, Pipeline, TransferError};
use crate::payload::Payload;
use crate::registry::Registry;

const NAME: &str = "payload";

/// What a disk does with bytes that mean nothing: bits a second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Disk {
    /// Written and synced.
    pub write: f64,
    /// Read with the pages dropped from the cache, and from it.
    pub read: [f64; 2],
    /// Mapped and touched, in the same two ways.
    pub map: [f64; 2],
}

impl Disk {
    /// Measures the disk of the temporary folder with a file of so many bytes, as the median of some runs.
    ///
    /// # Errors
    ///
    /// The file cannot be written or read.
    pub fn measure(bytes: usize, runs: usize) -> io::Result<Self> {
        // Bytes that no disk compresses away.
        let content: Vec<u8> = (0..bytes as u64).map(|at| (at.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as u8).collect();
        let mut speeds = [const { Vec::new() }; 5];
        for _ in 0..runs.max(1) {
            let folder = tempfile::tempdir()?;
            let path = folder.path().join(NAME);
            let start = Instant::now();
            write(&path, &content)?;
            speeds[0].push(start.elapsed());
            for (index, (cold, mapped)) in [(true, false), (false, false), (true, true), (false, true)].into_iter().enumerate() {
                prepare(&path, cold)?;
                let start = Instant::now();
                let payload = if mapped { map(&path)? } else { read(&path)? };
                std::hint::black_box(payload.iter().step_by(64).fold(0u8, |sum, byte| sum.wrapping_add(*byte)));
                speeds[index + 1].push(start.elapsed());
            }
        }
        let [write, cold, cached, cold_map, cached_map] = speeds.map(|mut times| {
            times.sort_unstable();
            bytes as f64 * 8.0 / times[times.len() / 2].as_secs_f64()
        });
        Ok(Self { write, read: [cold, cached], map: [cold_map, cached_map] })
    }
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
    unsafe { crate::file::map(path) }
}
