//! Bounds that the system holds a process to, for processes whose reader may go wrong.

/// What a process may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Restraint {
    /// Bytes of address space: an allocator sets aside far more than it uses.
    pub address_space: u64,
    /// Bytes of the first thread's stack.
    pub stack: Option<u64>,
    /// Seconds of processor time.
    pub seconds: Option<u64>,
}

/// Holds this process to bounds: a reader that goes wrong is stopped by the system, and not only by whoever waits for it. Where the
/// system has no such bounds nothing is done.
pub fn restrain(restraint: Restraint) {
    #[cfg(unix)]
    for (resource, most) in
        [(libc::RLIMIT_AS, Some(restraint.address_space)), (libc::RLIMIT_STACK, restraint.stack), (libc::RLIMIT_CPU, restraint.seconds)]
    {
        let Some(most) = most else { continue };
        let limit = libc::rlimit { rlim_cur: most as libc::rlim_t, rlim_max: most as libc::rlim_t };
        // SAFETY: setrlimit reads the struct, which lives until it returns. Where it fails there is no bound, as on other systems.
        unsafe { libc::setrlimit(resource, &limit) };
    }
    #[cfg(not(unix))]
    let _ = restraint;
}
