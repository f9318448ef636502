//! What bytes are, as far as they tell: a hint for an error, and what the program goes by when it is not told a format.
//!
//! [`recognise`] looks at the first bytes, and at no more than a few dozen items behind them. It needs no format's feature and no memory, so
//! that a reader which refuses a payload can afford to say what the payload is instead.
//!
//! Layouts without a magic number are guesses, and say so. An rkyv archive is never recognised: it has no magic number, its root stands at its
//! end, and what is before that is the type's own memory.

mod guesses;

use std::fmt;

use crate::envelope;

/// Says what each kind is called, and under which [`wire_format`](crate::format::Info::wire_format) a registry knows it.
macro_rules! kinds {
    ($($(#[$doc:meta])+ $kind:ident = $name:literal, $wire_format:expr;)+) => {
        /// What bytes can be recognised as.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Kind {
            $($(#[$doc])+ $kind,)+
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &'static [Self] = &[$(Self::$kind),+];

            /// What it is called, with its article.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)+ }
            }

            /// The layout's name among formats and codecs, for those that this crate reads.
            pub const fn wire_format(self) -> Option<&'static str> {
                match self { $(Self::$kind => $wire_format,)+ }
            }
        }
    };
}

kinds! {
    /// See [`envelope`].
    Envelope = "an envelope of this crate", None;
    /// What the format `nrbf` reads.
    BinaryFormatter = "a .NET BinaryFormatter stream", Some(".NET BinaryFormatter (MS-NRBF)");
    /// RFC 8878.
    ZstdFrame = "a zstd frame", Some("Zstandard frame");
    /// A frame that zstd and LZ4 both pass over; data may follow.
    SkippableFrame = "a skippable frame of zstd or LZ4", None;
    /// LZ4's form with a magic number.
    Lz4Frame = "an LZ4 frame", Some("LZ4 frame");
    /// LZ4's form without one, behind its decompressed size in four bytes.
    Lz4Block = "an LZ4 block behind its size", Some("LZ4 block behind its size");
    /// RFC 1952.
    Gzip = "a gzip stream", None;
    /// A buffer that starts with the offset of its root table.
    FlatBuffers = "a FlatBuffer", Some("FlatBuffers");
    /// The same behind its length in four bytes.
    SizePrefixedFlatBuffers = "a size-prefixed FlatBuffer", None;
    /// A segment table, and the segments.
    CapnProto = "a Cap'n Proto message", Some("Cap'n Proto");
    /// The same without its zero bytes.
    CapnProtoPacked = "a packed Cap'n Proto message", Some("Cap'n Proto, packed");
    /// RFC 8259, also behind a byte order mark.
    Json = "JSON", Some("JSON");
    /// Also behind a byte order mark.
    Xml = "XML", Some("XML, data contract");
    /// An array or a map.
    MessagePack = "MessagePack", Some("MessagePack");
    /// MessagePack that its C# library compressed.
    MessagePackLz4 = "MessagePack for C# compressed with LZ4", Some("MessagePack, LZ4");
    /// Fields with their numbers.
    Protobuf = "a Protocol Buffers message", Some("Protocol Buffers");
    /// Strings behind their length in four bytes.
    Custom = "the article's own layout", Some("the article's layout");
    /// Strings behind their length in groups of seven bits.
    BinaryWriter = ".NET BinaryWriter's layout", Some(".NET BinaryWriter");
}

/// What bytes are, and what told it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Recognition {
    /// What they are.
    pub kind: Kind,
    /// What was seen.
    pub seen: &'static str,
    /// Where it was seen.
    pub offset: usize,
    /// A magic number, or a structure that random bytes do not have. What is not certain is a guess.
    pub certain: bool,
}

impl fmt::Display for Recognition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let guess = if self.certain { "" } else { "perhaps " };
        write!(f, "{guess}{} ({} at byte {})", self.kind.name(), self.seen, self.offset)
    }
}

/// Says what `bytes` are, if they can be told at all. The first that fits is the answer: magic numbers come first, guesses last.
pub fn recognise(bytes: &[u8]) -> Option<Recognition> {
    magic(bytes).or_else(|| text(bytes)).or_else(|| guesses::structure(bytes))
}

const fn certain(kind: Kind, seen: &'static str, offset: usize) -> Option<Recognition> {
    Some(Recognition { kind, seen, offset, certain: true })
}

const fn guess(kind: Kind, seen: &'static str, offset: usize) -> Option<Recognition> {
    Some(Recognition { kind, seen, offset, certain: false })
}

/// The file identifier of the dataset's FlatBuffers schema.
const FLATBUFFERS_IDENTIFIER: &[u8] = b"WWOR";

fn magic(bytes: &[u8]) -> Option<Recognition> {
    const NUMBERS: [(&[u8], Kind, &str); 4] = [
        (&envelope::MAGIC, Kind::Envelope, "its magic number"),
        (&[0x28, 0xB5, 0x2F, 0xFD], Kind::ZstdFrame, "the magic number 28 B5 2F FD"),
        (&[0x04, 0x22, 0x4D, 0x18], Kind::Lz4Frame, "the magic number 04 22 4D 18"),
        (&[0x1F, 0x8B, 0x08], Kind::Gzip, "the magic number 1F 8B 08"),
    ];
    if let Some((_, kind, seen)) = NUMBERS.iter().find(|(number, ..)| bytes.starts_with(number)) {
        return certain(*kind, seen, 0);
    }
    if let [0x50..=0x5F, 0x2A, 0x4D, 0x18, ..] = bytes {
        return certain(Kind::SkippableFrame, "a magic number from 50 2A 4D 18 to 5F 2A 4D 18", 0);
    }
    // A header record, the numbers of the root and of the headers, then version 1.0.
    if bytes.first() == Some(&0) && bytes.get(9..17) == Some(&[1, 0, 0, 0, 0, 0, 0, 0]) {
        return certain(Kind::BinaryFormatter, "a header record of version 1.0", 0);
    }
    if bytes.get(4..8) == Some(FLATBUFFERS_IDENTIFIER) {
        return certain(Kind::FlatBuffers, "the file identifier \"WWOR\"", 4);
    }
    if bytes.get(8..12) == Some(FLATBUFFERS_IDENTIFIER) && prefix(bytes).is_some_and(|size| size == bytes.len() as u64 - 4) {
        return certain(Kind::SizePrefixedFlatBuffers, "the buffer's size, and the file identifier \"WWOR\"", 0);
    }
    message_pack_lz4(bytes)
}

/// The number in the first four bytes, little-endian.
fn prefix(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|number| u64::from(u32::from_le_bytes(*number)))
}

/// The head of a MessagePack extension: its type, and its content as far as it is there.
fn extension(bytes: &[u8]) -> Option<(u8, &[u8])> {
    match *bytes.first()? {
        0xD4..=0xD8 => Some((*bytes.get(1)?, &bytes[2..])),
        0xC7 => Some((*bytes.get(2)?, &bytes[3..])),
        0xC8 => Some((*bytes.get(3)?, &bytes[4..])),
        0xC9 => Some((*bytes.get(5)?, &bytes[6..])),
        _ => None,
    }
}

fn message_pack_lz4(bytes: &[u8]) -> Option<Recognition> {
    if let Some((0x63, [0xD2, ..])) = extension(bytes) {
        return certain(Kind::MessagePackLz4, "an extension of type 99 (Lz4Block)", 0);
    }
    let first = match bytes.first()? {
        0x91..=0x9F => 1,
        0xDC => 3,
        0xDD => 5,
        _ => return None,
    };
    match extension(bytes.get(first..)?) {
        // The content is the blocks' lengths, which are no negative numbers.
        Some((0x62, [0x00..=0x7F | 0xCC..=0xCF | 0xD0..=0xD3, ..])) => {
            certain(Kind::MessagePackLz4, "an array that starts with an extension of type 98 (Lz4BlockArray)", first)
        }
        _ => None,
    }
}

/// White space is passed over for so long and no longer.
const MOST_BLANKS: usize = 4096;

const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

fn text(bytes: &[u8]) -> Option<Recognition> {
    let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
    let blanks = |rest: &[u8]| rest.iter().take(MOST_BLANKS).take_while(|byte| blank(byte)).count();
    let mut start = if bytes.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
    start += blanks(&bytes[start..]);
    let (&first, rest) = bytes[start..].split_first()?;
    let second = rest.get(blanks(rest)).copied();
    match (first, second) {
        (b'{', Some(b'"' | b'}')) => certain(Kind::Json, "an opening brace and a name", start),
        (b'[', Some(b'{' | b'[' | b']' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')) => {
            certain(Kind::Json, "an opening bracket and a value", start)
        }
        (b'<', Some(b'?' | b'!' | b'A'..=b'Z' | b'a'..=b'z' | b'_')) => certain(Kind::Xml, "a tag", start),
        (b'"', _) if bytes.trim_ascii_end().last() == Some(&b'"') && bytes.len() > start + 1 => guess(Kind::Json, "a quoted string", start),
        (b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _) => {
            let word = bytes[start..].trim_ascii_end();
            let number = word.len() <= 32 && word.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
            let literal = matches!(word, b"true" | b"false" | b"null");
            if number || literal { guess(Kind::Json, "a single value", start) } else { None }
        }
        _ => None,
    }
}
