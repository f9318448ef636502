//! Any MessagePack value, for what has no class here.

/// A value of MessagePack for C#.
///
/// | .NET | value |
/// |---|---|
/// | `null`, a key that a class leaves out between two others | [`Nil`](Self::Nil) |
/// | integers, enums, `char`, `TimeSpan` (ticks of 100 ns) | [`Integer`](Self::Integer), [`Unsigned`](Self::Unsigned) beyond an `i64` |
/// | `float`, `double` | [`Single`](Self::Single), [`Double`](Self::Double) |
/// | `string`, `Guid` (with hyphens), `decimal` (in its digits) | [`Text`](Self::Text) |
/// | `byte[]` | [`Bytes`](Self::Bytes) |
/// | `DateTime` in UTC | [`Timestamp`](Self::Timestamp) |
/// | `DateTimeOffset` | [`Array`](Self::Array) of its local time as if that were UTC, and the offset in minutes |
/// | arrays, lists, classes with keys | [`Array`](Self::Array) |
/// | a union | [`Array`](Self::Array) of the type's key and the value |
/// | dictionaries, classes without keys | [`Map`](Self::Map) |
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Nothing.
    Nil,
    /// True or false.
    Bool(bool),
    /// An integer that an `i64` holds: all that are read are of this kind, if they can be.
    Integer(i64),
    /// An integer beyond an `i64`.
    Unsigned(u64),
    /// A number of 32 bits.
    Single(f32),
    /// A number of 64 bits.
    Double(f64),
    /// A string.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// Values in their order.
    Array(Vec<Value>),
    /// Keys and their values, in their order.
    Map(Vec<(Value, Value)>),
    /// A moment.
    Timestamp(Timestamp),
    /// Bytes of an application's own type.
    Extension(i8, Vec<u8>),
}

/// A moment in UTC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Timestamp {
    /// Seconds since 1970-01-01, rounded down.
    pub seconds: i64,
    /// Nanoseconds since that second, below 1,000,000,000. .NET counts in hundreds of them.
    pub nanoseconds: u32,
}

/// Bytes of a fixed place and a length of their own.
pub(super) struct Bytes([u8; 12], usize);

impl AsRef<[u8]> for Bytes {
    fn as_ref(&self) -> &[u8] {
        &self.0[..self.1]
    }
}

impl Timestamp {
    /// What the extension holds: 4 bytes if there are only seconds, 8 if they fit into 34 bits, otherwise 12.
    pub(super) fn bytes(self) -> Bytes {
        let mut bytes = [0; 12];
        let len = match (u64::try_from(self.seconds), self.nanoseconds) {
            (Ok(seconds), 0) if seconds <= u64::from(u32::MAX) => {
                bytes[..4].copy_from_slice(&(seconds as u32).to_be_bytes());
                4
            }
            (Ok(seconds), nanoseconds) if seconds < 1 << 34 => {
                bytes[..8].copy_from_slice(&(u64::from(nanoseconds) << 34 | seconds).to_be_bytes());
                8
            }
            _ => {
                bytes[..4].copy_from_slice(&self.nanoseconds.to_be_bytes());
                bytes[4..].copy_from_slice(&self.seconds.to_be_bytes());
                12
            }
        };
        Bytes(bytes, len)
    }

    /// The moment that an extension's bytes hold, if they are one.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let timestamp = match *bytes {
            [a, b, c, d] => Self { seconds: u32::from_be_bytes([a, b, c, d]).into(), nanoseconds: 0 },
            [a, b, c, d, e, f, g, h] => {
                let both = u64::from_be_bytes([a, b, c, d, e, f, g, h]);
                Self { seconds: (both & ((1 << 34) - 1)) as i64, nanoseconds: (both >> 34) as u32 }
            }
            [a, b, c, d, ref seconds @ ..] => {
                Self { seconds: i64::from_be_bytes(seconds.try_into().ok()?), nanoseconds: u32::from_be_bytes([a, b, c, d]) }
            }
            _ => return None,
        };
        (timestamp.nanoseconds < 1_000_000_000).then_some(timestamp)
    }
}
