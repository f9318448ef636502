//! What is measured: the operations, their names in identifiers, and what each of them covers.

use serde::{Deserialize, Serialize};

/// Declares the operations once: variant, name, and what the timer covers.
macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident = $name:literal: $covers:literal,)*) => {
        /// One thing that is timed.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Operation {
            $($(#[$doc])* #[doc = $covers] $variant,)*
        }

        impl Operation {
            /// Every operation, in the order of a payload's life.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The name in identifiers and on the command line.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }

            /// What the timer covers.
            pub const fn covers(self) -> &'static str {
                match self { $(Self::$variant => $covers,)* }
            }
        }
    };
}

operations! {
    Copy = "copy": "floor: the payload's bytes copied into a used buffer (memcpy)",
    Scan = "scan": "floor: the payload's bytes read once, eight at a time, and summed",
    Clone = "clone": "floor: the native value cloned",
    Populate = "populate": "native value to the format's own message",
    EncodeMessage = "encode-message": "the format's own message to bytes, into a reused sink",
    Encode = "encode": "native value to bytes, into a reused sink",
    EncodeFresh = "encode-fresh": "native value to bytes, into a new, empty sink",
    DecodeMessage = "decode-message": "bytes to the format's own message",
    Convert = "convert": "the format's own message to the native value; the message is taken",
    Decode = "decode": "bytes to the native value; its drop is not timed",
    DecodeInto = "decode-into": "bytes into a native value that is there already, whose memory is reused",
    Drop = "drop": "the decoded native value dropped",
    Borrow = "borrow": "bytes to a value whose strings point into the payload",
    Access = "access": "a view of the payload, as safe as the format makes it",
    AccessUnchecked = "access-unchecked": "a view of the payload, nothing validated",
    ReadAllBorrowed = "read-all-borrowed": "borrow, then the checksum over every field",
    ReadAll = "read-all": "access, then the checksum over every field",
    ReadAllUnchecked = "read-all-unchecked": "unvalidated access, then the checksum over every field",
    ReadField = "read-field": "access, then one number of every member summed",
    ReadFieldUnchecked = "read-field-unchecked": "unvalidated access, then one number of every member summed",
    ReadRandom = "read-random": "access, then the checksum over members at random positions",
    ReadRandomUnchecked = "read-random-unchecked": "unvalidated access, then the checksum over members at random positions",
    EncodeMany = "encode-many": "1,000 messages of different seeds, each to bytes, into a reused sink",
    DecodeMany = "decode-many": "1,000 payloads of different seeds, each to its native value; their drop is not timed",
    ReadAllMany = "read-all-many": "1,000 payloads of different seeds, each accessed, then the checksum over every field",
    Update = "update": "one field of every member changed in the payload",
    Compress = "compress": "payload to compressed bytes, into a reused sink",
    Decompress = "decompress": "compressed bytes to an aligned payload, into reused memory",
    ReadMember = "read-member": "16 members at random positions, each with the decompression of the part of the dataset that holds it",
    EncodeBare = "encode-bare": "yardstick: the library's own call for encode, without the adapter; where a format has none, other libraries' for the same work",
    EncodeMessageBare = "encode-message-bare": "yardstick: the library's own call for encode-message, without the adapter",
    DecodeBare = "decode-bare": "yardstick: the library's own call for decode, without the adapter",
    DecodeMessageBare = "decode-message-bare": "yardstick: the library's own call for decode-message, without the adapter",
    AccessBare = "access-bare": "yardstick: the library's own call for access, without the adapter",
}

impl Operation {
    /// Whether every byte of the data must be fetched from memory, so that a time below the memory's own is a broken measurement.
    pub const fn reads_everything(self) -> bool {
        matches!(self, Self::ReadAll | Self::ReadAllUnchecked | Self::ReadAllBorrowed | Self::Decode | Self::Clone)
    }
}

impl Operation {
    /// Whether it is about many small messages, and so not for datasets with more than [`SMALL_MESSAGE`] members.
    pub const fn is_of_many(self) -> bool {
        matches!(self, Self::EncodeMany | Self::DecodeMany | Self::ReadAllMany)
    }
}

/// The most members of a small message.
pub const SMALL_MESSAGE: usize = 10;

impl std::fmt::Display for Operation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

impl std::str::FromStr for Operation {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.iter().copied().find(|operation| operation.name() == name).ok_or_else(|| {
            let names: Vec<_> = Self::ALL.iter().map(|operation| operation.name()).collect();
            format!("no operation {name:?}; there are {}", names.join(", "))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_are_what_records_hold() {
        for &operation in Operation::ALL {
            assert_eq!(operation.name().parse(), Ok(operation));
            assert_eq!(serde_json::to_string(&operation).unwrap(), format!("{:?}", operation.name()));
        }
    }
}
