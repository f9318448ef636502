//! The allocator of every measurement, with counts that can be switched on.
//!
//! Copying decoders and fresh sinks measure the allocator as much as the format, so it is fixed: mimalloc, because glibc's default
//! returns large blocks to the system at every drop and pays for the page faults again, which would be the largest cost in the
//! tables (see docs/METHODOLOGY.md for what it does to each). The environment variable `WIREWISE_ALLOCATOR=system` takes the system's
//! instead for a whole process: that is how the report's allocator table is made.
//!
//! Counts are kept only while [`count`] runs, which is never while timing: then the price is one predictable branch a call.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use mimalloc::MiMalloc;

/// The environment variable that chooses the allocator of a process.
pub const VARIABLE: &str = "WIREWISE_ALLOCATOR";

/// Set as `#[global_allocator]` in a program that measures.
#[derive(Debug, Default, Clone, Copy)]
pub struct Allocator;

const UNDECIDED: u8 = 0;
const MIMALLOC: u8 = 1;
const SYSTEM: u8 = 2;
/// Added to one of the above.
const COUNTING: u8 = 4;

static MODE: AtomicU8 = AtomicU8::new(UNDECIDED);
static CALLS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);
static LIVE: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

/// What was allocated while [`count`] ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocated {
    /// Calls that return memory: allocations and reallocations.
    pub calls: u64,
    /// The bytes that they asked for.
    pub bytes: u64,
    /// The most that was live at once, above what stood before.
    pub peak: u64,
    /// What is live at the end, above what stood before.
    pub live: u64,
}

/// Runs `work` and counts what it allocates. All is 0 in a program whose allocator is another.
///
/// The counts are the process's: one count at a time, and no other thread at work.
pub fn count<T>(work: impl FnOnce() -> T) -> (T, Allocated) {
    // Frees of what stood before would take the live bytes below zero; they are counted from the middle instead.
    const GROUND: u64 = 1 << 62;
    CALLS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    LIVE.store(GROUND, Relaxed);
    PEAK.store(GROUND, Relaxed);
    MODE.fetch_or(COUNTING, Relaxed);
    let result = work();
    MODE.fetch_and(!COUNTING, Relaxed);
    let above = |bytes: u64| bytes.saturating_sub(GROUND);
    (
        result,
        Allocated {
            calls: CALLS.load(Relaxed),
            bytes: BYTES.load(Relaxed),
            peak: above(PEAK.load(Relaxed)),
            live: above(LIVE.load(Relaxed)),
        },
    )
}

/// The name of the system's allocator.
pub const SYSTEM_NAME: &str = "system";

/// The name of the allocator that this process uses, if [`Allocator`] is its global one.
pub fn name() -> &'static str {
    if mode() & SYSTEM == 0 { "mimalloc" } else { SYSTEM_NAME }
}

#[inline]
fn mode() -> u8 {
    match MODE.load(Relaxed) {
        UNDECIDED => decide(),
        mode => mode,
    }
}

/// Decides at the first allocation, which is before `main`: a block must go back to the allocator that it came from.
#[cold]
fn decide() -> u8 {
    // `std::env::var` would allocate, and so come back here.
    // SAFETY: both names are C strings. The environment is not changed by another thread here: the first allocation happens before any
    // thread is started. The value is a C string too, as `getenv` promises.
    let system = unsafe {
        let value = libc::getenv(c"WIREWISE_ALLOCATOR".as_ptr());
        !value.is_null() && libc::strcmp(value, c"system".as_ptr()) == 0
    };
    let mode = if system { SYSTEM } else { MIMALLOC };
    MODE.store(mode, Relaxed);
    mode
}

#[cold]
fn grown(bytes: usize) {
    CALLS.fetch_add(1, Relaxed);
    BYTES.fetch_add(bytes as u64, Relaxed);
    PEAK.fetch_max(LIVE.fetch_add(bytes as u64, Relaxed) + bytes as u64, Relaxed);
}

#[cold]
fn freed(bytes: usize) {
    LIVE.fetch_sub(bytes as u64, Relaxed);
}

// SAFETY: every call is handed on unchanged to one of two allocators, the same one for the whole life of the process, so each block
// returns to where it came from. The counts do not allocate.
unsafe impl GlobalAlloc for Allocator {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let mode = mode();
        if mode & COUNTING != 0 {
            grown(layout.size());
        }
        // SAFETY: the caller's promises are those of the allocator that is called.
        unsafe { if mode & SYSTEM == 0 { MiMalloc.alloc(layout) } else { System.alloc(layout) } }
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let mode = mode();
        if mode & COUNTING != 0 {
            grown(layout.size());
        }
        // SAFETY: as in `alloc`.
        unsafe { if mode & SYSTEM == 0 { MiMalloc.alloc_zeroed(layout) } else { System.alloc_zeroed(layout) } }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        let mode = mode();
        if mode & COUNTING != 0 {
            freed(layout.size());
        }
        // SAFETY: as in `alloc`.
        unsafe { if mode & SYSTEM == 0 { MiMalloc.dealloc(block, layout) } else { System.dealloc(block, layout) } }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        let mode = mode();
        if mode & COUNTING != 0 {
            // Both blocks may stand for a moment.
            grown(size);
            freed(layout.size());
        }
        // SAFETY: as in `alloc`.
        unsafe { if mode & SYSTEM == 0 { MiMalloc.realloc(block, layout, size) } else { System.realloc(block, layout, size) } }
    }
}
