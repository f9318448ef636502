//! Payloads in files: written whole or not at all, read into memory or through a memory map.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

use memmap2::MmapOptions;

use crate::payload::Payload;
use crate::stream;

/// Reads a file into memory: the safe twin of [`map`]. The file's length is believed as little as any other stream's.
///
/// # Errors
///
/// As for [`stream::read`], or the file cannot be opened.
pub fn read(path: &Path, limit: u64) -> Result<Payload, stream::Error> {
    stream::read(File::open(path)?, limit)
}

/// Maps a file into memory, so that only the pages which are looked at are read.
///
/// The map is private: what is changed in the payload is not written to the file. An empty file gives an empty payload.
///
/// # Safety
///
/// Nobody shortens or changes the file while the payload lives, this process included. A file that is shortened makes an access to what is
/// gone end the process (`SIGBUS`); one that is changed changes bytes which Rust takes for constant, and what a validation has proven of
/// them holds no longer. What replaces the file under its name, as [`write`](fn@write) does, is no change: the map keeps the file that was opened.
///
/// # Errors
///
/// The file cannot be opened or mapped: a pipe or a device cannot.
pub unsafe fn map(path: &Path) -> io::Result<Payload> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a file, so it cannot be mapped"));
    }
    if metadata.len() == 0 {
        return Ok(Payload::default());
    }
    // SAFETY: the caller's promise.
    Ok(Payload::mapped(unsafe { MmapOptions::new().map_copy(&file) }?))
}

/// Writes a file through a buffer. The file appears under its name, or replaces what stands there, when `content` has succeeded and every
/// byte is on the disk; otherwise everything is as before.
///
/// The bytes go to a file of another name in the same folder, which is renamed at last, and removed if it does not come to that. Only a
/// process that is killed leaves it behind. A path that leads to a pipe or a device is written to as it is.
///
/// # Errors
///
/// `content`'s own, or the file cannot be written.
pub fn write<R, E: From<io::Error>>(path: &Path, content: impl FnOnce(&mut dyn Write) -> Result<R, E>) -> Result<R, E> {
    // What is replaced is what a link points at, not the link.
    let target = match fs::canonicalize(path) {
        Ok(target) if !fs::metadata(&target)?.is_file() => {
            let mut file = BufWriter::new(File::options().write(true).open(&target)?);
            let written = content(&mut file)?;
            file.flush()?;
            return Ok(written);
        }
        Ok(target) => target,
        Err(_) => path.to_owned(),
    };
    let folder = target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = BufWriter::new(temporary(&target, folder)?);
    let written = content(&mut file)?;
    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    Ok(written)
}

/// A new file beside the target, with the permissions that the target has or would have.
fn temporary(target: &Path, folder: &Path) -> io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".wirewise-");
    let permissions = fs::metadata(target).ok().map(|metadata| metadata.permissions());
    #[cfg(unix)]
    let permissions = permissions.or(Some(std::os::unix::fs::PermissionsExt::from_mode(0o666)));
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    builder.tempfile_in(folder)
}
