//! Streams that fail and files that are cut: what is written is there whole or not at all, and what is read is bounded by what has come.

use std::io::{self, Read, Write};

use wirewise::Payload;
use wirewise::error::Result;
use wirewise::format::{Decode, Encode, Format, Info};
use wirewise::stream;

/// Bytes as they are: a format that is there whatever the features.
#[derive(Default)]
struct Raw;

impl Format for Raw {
    const INFO: Info = Info { name: "raw", wire_format: "bytes", library: "", version: "", note: "" };
}

impl Encode<Vec<u8>> for Raw {
    fn encode(&mut self, value: &Vec<u8>, sink: &mut Vec<u8>) -> Result<()> {
        value.clone_into(sink);
        Ok(())
    }
}

impl Decode<Vec<u8>> for Raw {
    fn read(&mut self, payload: &Payload) -> Result<Vec<u8>> {
        Ok(payload.to_vec())
    }
}

/// Takes or gives so many bytes, one at a time and with interruptions, and then fails.
struct Failing<S> {
    stream: S,
    left: usize,
    interrupt: bool,
}

impl<S> Failing<S> {
    fn after(left: usize, stream: S) -> Self {
        Self { stream, left, interrupt: true }
    }

    fn step(&mut self) -> io::Result<()> {
        self.interrupt = !self.interrupt;
        if !self.interrupt {
            return Err(io::ErrorKind::Interrupted.into());
        }
        self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("no more"))?;
        Ok(())
    }
}

impl<W: Write> Write for Failing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.step()?;
        self.stream.write(&bytes[..bytes.len().min(1)])
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl<R: Read> Read for Failing<R> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.step()?;
        let most = bytes.len().min(1);
        self.stream.read(&mut bytes[..most])
    }
}

fn value() -> Vec<u8> {
    (0..=255).collect()
}

#[test]
fn a_writer_that_fails_at_any_byte_is_reported() {
    let value = value();
    for fails_at in 0..value.len() {
        let mut written = Vec::new();
        let error = stream::encode(&mut Raw, &value, Failing::after(fails_at, &mut written)).unwrap_err();
        assert!(matches!(&error, stream::Error::Io(error) if error.to_string() == "no more"), "{fails_at}: {error}");
        assert_eq!(written, value[..fails_at]);
    }
    let mut written = Vec::new();
    assert_eq!(stream::encode(&mut Raw, &value, Failing::after(value.len(), &mut written)).unwrap(), 256);
    assert_eq!(written, value);
}

#[test]
fn a_reader_may_give_one_byte_at_a_time_and_its_failure_is_reported() {
    let value = value();
    assert_eq!(stream::decode(&mut Raw, Failing::after(1000, &value[..]), 256).unwrap(), value);
    for fails_at in 0..=value.len() {
        let error = stream::decode(&mut Raw, Failing::after(fails_at, &value[..]), 1000).unwrap_err();
        assert!(matches!(&error, stream::Error::Io(error) if error.to_string() == "no more"), "{fails_at}: {error}");
    }
}

#[test]
fn no_more_is_read_than_the_limit_and_a_byte() {
    let mut endless = Failing::after(usize::MAX, io::repeat(7));
    for limit in [0, 1, 255, 5000] {
        let before = endless.left;
        let error = stream::read(&mut endless, limit).unwrap_err();
        assert!(matches!(error, stream::Error::TooLong { limit: found } if found == limit), "{error}");
        assert_eq!((before - endless.left) as u64, limit + 1);
    }
    assert_eq!(stream::read(&value()[..], 256).unwrap().as_slice(), value());
    assert_eq!(stream::read(io::empty(), 0).unwrap().len(), 0);
}

/// A payload of every format, through streams that fail at every call: what is read is the value or an error, never a part of it; what
/// is written is the payload or a beginning of it, and then an error.
#[test]
fn every_format_survives_a_stream_that_fails_at_any_call() {
    use wirewise::Registry;
    use wirewise::registry::Stock;

    let registry = Registry::standard();
    for source in registry.sources().iter().filter(|source| !source.readings().is_empty()) {
        let name = source.format.name;
        let dataset = registry.datasets().iter().find(|dataset| dataset.name == source.dataset).expect("a source has a dataset");
        let payload = source.payload(&mut Stock::default(), &dataset.spec(1)).unwrap().to_vec();
        let checksums = |payload: &Payload| -> Vec<u64> {
            source.readings().iter().map(|reading| reading.checksum(payload).unwrap_or_else(|error| panic!("{name}: {error}"))).collect()
        };
        let expected = checksums(&Payload::from(payload.as_slice()));
        for fails_at in 0..=payload.len() {
            let error = stream::read(Failing::after(fails_at, &payload[..]), 1 << 20).unwrap_err();
            assert!(matches!(error, stream::Error::Io(_)), "{name}, {fails_at}: {error}");
            let mut written = Vec::new();
            let outcome = stream::encode(&mut Raw, &payload, Failing::after(fails_at, &mut written));
            assert_eq!(outcome.is_ok(), fails_at == payload.len(), "{name}, {fails_at}");
            assert_eq!(written, payload[..fails_at], "{name}, {fails_at}");
        }
        let read = stream::read(Failing::after(payload.len() + 1, &payload[..]), 1 << 20).unwrap();
        assert_eq!(checksums(&read), expected, "{name}");
    }
}

#[cfg(feature = "file")]
mod files {
    use std::fs;
    use std::path::Path;

    use wirewise::file;

    use super::*;

    fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let read = |entry: io::Result<fs::DirEntry>| {
            let path = entry.unwrap().path();
            (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap())
        };
        let mut content: Vec<_> = fs::read_dir(folder).unwrap().map(read).collect();
        content.sort();
        content
    }

    /// Whether there was a file before or not, a write that fails leaves everything as it was.
    #[test]
    fn a_write_that_fails_at_any_byte_leaves_no_half_file() {
        let value = value();
        for before in [None, Some(b"before".to_vec())] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("payload");
            if let Some(before) = &before {
                fs::write(&path, before).unwrap();
            }
            let as_before = content(folder.path());
            for fails_at in 0..value.len() {
                let write = |out: &mut dyn Write| stream::encode(&mut Raw, &value, Failing::after(fails_at, out));
                file::write(&path, write).unwrap_err();
                assert_eq!(content(folder.path()), as_before, "{fails_at}");
            }
            file::write(&path, |out| stream::encode(&mut Raw, &value, out)).unwrap();
            assert_eq!(content(folder.path()), [("payload".to_owned(), value.clone())]);
        }
    }

    #[test]
    fn a_file_is_read_and_mapped_to_the_same_payload() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("payload");
        for len in [0, 1, 256, 4096, 10_000] {
            let bytes: Vec<u8> = (0..len).map(|at| at as u8).collect();
            file::write(&path, |out| out.write_all(&bytes)).unwrap();
            let read = file::read(&path, len as u64).unwrap();
            // SAFETY: nobody else knows of the folder, and the file is replaced below, not changed.
            let mut mapped = unsafe { file::map(&path) }.unwrap();
            assert_eq!((read.as_slice(), mapped.as_slice()), (&bytes[..], &bytes[..]));
            assert_eq!(mapped.as_ptr().addr() % wirewise::payload::ALIGNMENT, 0);
            // What replaces the file does not change what is mapped, and what is changed in the map does not change the file.
            file::write(&path, |out| out.write_all(b"another")).unwrap();
            assert_eq!(mapped.as_slice(), bytes);
            mapped.as_mut_slice().fill(7);
            assert_eq!(fs::read(&path).unwrap(), b"another");
            if len > 0 {
                mapped.overwrite(len + 1).fill(1);
                assert_eq!(mapped.len(), len + 1);
                assert!(matches!(file::read(&path, 6), Err(stream::Error::TooLong { limit: 6 })));
            }
        }
    }

    /// A device that is always full: the error is the disk's, though what is written fits into the buffer.
    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_reported() {
        for len in [1, 100_000] {
            let error = file::write("/dev/full".as_ref(), |out| stream::encode(&mut Raw, &vec![7; len], out)).unwrap_err();
            assert!(matches!(&error, stream::Error::Io(error) if error.kind() == io::ErrorKind::StorageFull), "{len}: {error}");
        }
    }

    #[test]
    #[cfg(unix)]
    fn a_link_stays_a_link_and_a_device_a_device() {
        use std::os::unix::fs::{PermissionsExt, symlink};

        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "before").unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&target, &link).unwrap();
        file::write(&link, |out| out.write_all(b"after")).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&target).unwrap(), b"after");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
        file::write("/dev/null".as_ref(), |out| out.write_all(b"nothing")).unwrap();
        assert!(!fs::metadata("/dev/null").unwrap().is_file());
        // SAFETY: it is a device, which is refused.
        assert_eq!(unsafe { file::map("/dev/null".as_ref()) }.unwrap_err().kind(), io::ErrorKind::InvalidInput);
    }
}
