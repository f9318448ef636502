//! Payloads from any `Read` and to any `Write`.
//!
//! A layout is written and read as a whole: lengths stand before what they count, and a view needs all of its bytes. So a payload passes
//! through memory once, on either side. What is read is bounded by a limit of the caller's, never by a number that the stream announces:
//! memory grows with the bytes that have come. A reader may give as few bytes at a time as it likes, and be interrupted.
//!
//! ```
//! # #[cfg(feature = "json")] {
//! use wirewise::format::json::Json;
//! use wirewise::stream;
//!
//! let mut written = Vec::new();
//! stream::encode(&mut Json, &vec![1, 2], &mut written)?;
//! let read: Vec<i32> = stream::decode(&mut Json, &written[..], 1 << 20)?;
//! assert_eq!(read, [1, 2]);
//! # }
//! # Ok::<(), wirewise::stream::Error>(())
//! ```

use std::io::{self, Read, Write};

use crate::format::{Decode, Encode};
use crate::payload::Payload;

/// Why nothing was read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The reader's or the writer's own.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The format refused the value or the payload.
    #[error(transparent)]
    Format(#[from] crate::Error),
    /// The stream goes on behind the limit.
    #[error("more than the {limit} bytes that are allowed")]
    TooLong {
        /// The limit.
        limit: u64,
    },
}

/// Reads all that a reader gives, at most `limit` bytes.
///
/// # Errors
///
/// The reader failed, or it gives more.
pub fn read(reader: impl Read, limit: u64) -> Result<Payload, Error> {
    let mut bytes = Vec::new();
    // One byte beyond the limit tells a stream that is too long from one that just ends there.
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > limit { Err(Error::TooLong { limit }) } else { Ok(Payload::from(bytes)) }
}

/// Reads all that a reader gives, at most `limit` bytes, as one value.
///
/// # Errors
///
/// As for [`read`] and [`Decode::decode`].
pub fn decode<F: Decode<T>, T>(format: &mut F, reader: impl Read, limit: u64) -> Result<T, Error> {
    Ok(format.decode(&read(reader, limit)?)?)
}

/// Writes a value, and says how many bytes it took. The writer is flushed.
///
/// Nothing is written of a value that the format refuses. A writer that fails may have been given any part of the payload before.
///
/// # Errors
///
/// As for [`Encode::encode`], or the writer's own.
pub fn encode<F: Encode<T>, T>(format: &mut F, value: &T, mut writer: impl Write) -> Result<u64, Error> {
    let mut payload = Vec::new();
    format.encode(value, &mut payload)?;
    writer.write_all(&payload)?;
    writer.flush()?;
    Ok(payload.len() as u64)
}
