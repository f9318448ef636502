//! Protocol Buffers as Google's library for C# writes and reads them.

use super::Info;
use super::dotnet_protobuf::{self, DotnetProtobuf, Manner};
use crate::registry::Registry;

/// The bytes of Google.Protobuf 3.
pub type GoogleProtobuf = DotnetProtobuf<SchemaFirst>;

/// Messages that were made from a schema.
#[derive(Debug, Default)]
pub struct SchemaFirst;

impl Manner for SchemaFirst {
    const INFO: Info = Info {
        name: "google-protobuf",
        wire_format: "Protocol Buffers",
        library: "wirewise",
        version: env!("CARGO_PKG_VERSION"),
        note: "null comes back empty, -0.0 as 0.0; unknown fields and a varint's bits beyond its field are dropped",
    };
    const CODE_FIRST: bool = false;
}

pub(super) fn register(registry: &mut Registry) {
    dotnet_protobuf::register::<SchemaFirst>(registry);
}
