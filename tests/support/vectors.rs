//! The vectors that were copied into the repository: one compressed archive a suite, which `scripts/vectors` writes and describes.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;

/// An archive of `tests/vectors`, unpacked.
pub struct Vectors {
    files: BTreeMap<String, Range<usize>>,
    bytes: Vec<u8>,
}

impl Vectors {
    /// Unpacks `tests/vectors/NAME.zst`.
    pub fn open(name: &str) -> Self {
        // The program's tests use them too, from its folder in this one.
        let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|folder| folder.join("tests/vectors"));
        let path = folders.find(|folder| folder.is_dir()).expect("tests/vectors").join(name).with_extension("zst");
        let packed = std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let bytes = zstd::decode_all(packed.as_slice()).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let end = bytes.windows(2).position(|pair| pair == b"\n\n").expect("an empty line ends the index");
        let index = std::str::from_utf8(&bytes[..end]).expect("the index is text");
        let mut lines = index.lines();
        assert_eq!(lines.next(), Some("wirewise vectors 1"));
        let mut at = end + 2;
        let mut files = BTreeMap::new();
        for line in lines {
            let (length, name) = line.split_once(' ').expect("a length and a name");
            let length: usize = length.parse().expect("a length");
            files.insert(name.to_owned(), at..at + length);
            at += length;
        }
        assert_eq!(at, bytes.len());
        Self { files, bytes }
    }

    /// The content of a file.
    pub fn file(&self, name: &str) -> &[u8] {
        self.find(name).unwrap_or_else(|| panic!("no vector {name}"))
    }

    /// The content of a file, if there is one of this name.
    pub fn find(&self, name: &str) -> Option<&[u8]> {
        self.files.get(name).map(|range| &self.bytes[range.clone()])
    }

    /// The content of a file that is text.
    pub fn text(&self, name: &str) -> &str {
        std::str::from_utf8(self.file(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The files' names, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }
}
