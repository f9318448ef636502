//! The bytes of the payloads, as encoded and after each codec.

use super::super::document::Block;
use super::super::model::Group;
use super::super::number;
use super::super::table::{Cell, Mark, Table};

pub(super) fn blocks(group: &Group) -> Vec<Block> {
    let Some(smallest) = group.smallest() else { return Vec::new() };
    let codecs = group.usual_codecs();
    let mut table = Table::new(format!(
        "Bytes a member, as encoded and after each codec. The data itself, without any layout, is {}",
        number::bytes(smallest.data_bytes as f64)
    ))
    .words("format")
    .numbers("payload", "bytes/member")
    .numbers("in all", "MB")
    .ratios("× data")
    .ratios("× smallest");
    for codec in &codecs {
        table = table.numbers(*codec, "bytes/member");
    }
    for format in &group.formats {
        let Some(raw) = group.size(format, None) else { continue };
        let mut cells = vec![
            Cell::text(*format),
            Cell::number(raw.bytes as f64 * group.per_member()),
            Cell::number(raw.bytes as f64 / 1e6),
            Cell::number(raw.bytes as f64 / raw.data_bytes.max(1) as f64),
            Cell::number(raw.bytes as f64 / smallest.bytes.max(1) as f64),
        ];
        cells.extend(
            codecs.iter().map(|codec| Cell::number(group.size(format, Some(codec)).map(|size| size.bytes as f64 * group.per_member()))),
        );
        table.row(if raw.bytes == smallest.bytes { Mark::Winner } else { Mark::Plain }, cells);
    }
    table.sort_by(1);
    for column in 0..=codecs.len() {
        table.mark_least(if column == 0 { 1 } else { 4 + column });
    }
    vec![Block::Heading("Sizes".into()), Block::Table(table)]
}
