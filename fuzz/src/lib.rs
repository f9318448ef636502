//! What the targets share: values made from bytes, readings that must agree, and seeds.

pub mod seeds;

use wirewise::Payload;
use wirewise::dataset::{Member, Organization};
use wirewise::operation::Operation;
use wirewise::registry::{Registry, Source};

/// The registry of a thread: making it for every input would take longer than the input.
pub fn with_registry<R>(work: impl FnOnce(&Registry) -> R) -> R {
    thread_local!(static REGISTRY: Registry = Registry::standard());
    REGISTRY.with(work)
}

/// The first byte picks one of `all`; the rest is the input.
pub fn pick<'a, T>(all: &'a [T], data: &'a [u8]) -> Option<(&'a T, &'a [u8])> {
    let (first, rest) = data.split_first()?;
    Some((all.get(usize::from(*first) % all.len().max(1))?, rest))
}

/// Reads a payload in every way of its format. Those that accept it must have read the same; what they say is returned.
pub fn read_alike(source: &Source, payload: &Payload) -> Vec<Result<u64, wirewise::Error>> {
    // An update changes the value on its way.
    let readings = source.readings().iter().filter(|reading| reading.operation != Operation::Update);
    let results: Vec<_> = readings.map(|reading| reading.checksum(payload)).collect();
    let mut accepted = results.iter().filter_map(|result| result.as_ref().ok());
    if let Some(first) = accepted.next() {
        assert!(accepted.all(|sum| sum == first), "{} reads one payload as different values: {results:?}", source.format.name);
    }
    for updates in source.readings().iter().filter(|reading| reading.operation == Operation::Update) {
        let _ = updates.checksum(payload);
    }
    results
}

/// Bytes taken one after the other; zeros when there are none left.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    fn byte(&mut self) -> u8 {
        self.0.split_off_first().copied().unwrap_or_default()
    }

    fn number(&mut self) -> u64 {
        let (number, rest) = self.0.split_at(self.0.len().min(8));
        self.0 = rest;
        number.iter().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
    }

    fn text(&mut self, plain: bool) -> String {
        let length = usize::from(self.byte()).min(self.0.len());
        let (bytes, rest) = self.0.split_at(length);
        self.0 = rest;
        let text = String::from_utf8_lossy(bytes);
        if plain {
            text.chars().filter(|letter| *letter >= ' ' && *letter != '\u{FFFE}' && *letter != '\u{FFFF}').collect()
        } else {
            text.into_owned()
        }
    }
}

/// A value of the dataset. A plain one has nothing that a format may lose: no null, no empty list, no zero with a sign, nothing that is
/// not a number, no control characters.
pub fn organization(bytes: &mut Bytes, plain: bool) -> Organization {
    let shape = bytes.byte();
    let (tags, members) = (shape & 7, shape >> 3 & 7);
    let list = |count: u8| if plain { Some(count.max(1)) } else { count.checked_sub(1) };
    let text = |bytes: &mut Bytes| if plain || bytes.byte() != 0 { Some(bytes.text(plain)) } else { None };
    Organization {
        id: bytes.number() as i32,
        tags: list(tags).map(|count| (0..count).map(|_| bytes.text(plain)).collect()),
        members: list(members).map(|count| {
            (0..count)
                .map(|_| {
                    let (id, value, update_time) = (bytes.number() as i32, f64::from_bits(bytes.number()), bytes.number() as i64);
                    let value = if plain && (!value.is_finite() || value == 0.0) { 1.5 } else { value };
                    let [name, description, address] = [(); 3].map(|()| text(bytes));
                    Member { id, name, description, address, value, update_time }
                })
                .collect()
        }),
    }
}
