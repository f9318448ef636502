//! Every format's payload through every codec, both ways.

use super::super::document::Block;
use super::super::model::Group;
use super::super::table::{Cell, Mark, Table};
use super::{Reading, add_floors};
use crate::operation::Operation;
use crate::statistics::Summary;

/// The column of the time to decompress, where the floors stand: no decompression beats copying.
const DECOMPRESS: usize = 7;

pub(super) fn blocks(group: &Group) -> Vec<Block> {
    let mut table = head();
    add_floors(&mut table, group, None, DECOMPRESS, group.per_member());
    for format in &group.formats {
        for codec in group.usual_codecs() {
            table.row(row_mark(group, format, codec), cells(group, format, codec));
        }
    }
    if table.rows.iter().all(|row| row.mark == Mark::Floor) {
        return Vec::new();
    }
    table.sort_by(2);
    for row in table.rows.iter_mut().filter(|row| row.mark != Mark::Floor).take(1) {
        row.mark = Mark::Winner;
    }
    table.notes = group.reasons(&[Operation::Compress, Operation::Decompress]).into_iter().map(Into::into).collect();
    vec![Block::Heading("Compress and decompress".into()), Block::Table(table)]
}

pub(super) fn head() -> Table {
    Table::new(
        "Throughput here is counted in the payload's original bytes, before compression, in both directions: it compares codecs on one \
         format, not formats with each other. Nanoseconds a member compare both",
    )
    .words("format")
    .words("codec")
    .numbers("compressed", "bytes/member")
    .ratios("original ÷ compressed")
    .ratios("× data")
    .intervals("compress", "ns/member")
    .numbers("compress", "MB/s of original")
    .intervals("decompress", "ns/member")
    .numbers("decompress", "MB/s of original")
}

pub(super) fn row_mark(group: &Group, format: &str, codec: &str) -> Mark {
    let failed = [Operation::Compress, Operation::Decompress].map(|operation| group.reading_of(operation, format, Some(codec)));
    if failed.iter().any(|reading| matches!(reading, Reading::Failed(_))) { Mark::Failed } else { Mark::Plain }
}

pub(super) fn cells(group: &Group, format: &str, codec: &str) -> Vec<Cell> {
    let raw = group.size(format, None);
    let compressed = group.size(format, Some(codec));
    let [compress, decompress] =
        [Operation::Compress, Operation::Decompress].map(|operation| group.reading_of(operation, format, Some(codec)));
    // Bytes a nanosecond are a thousand megabytes a second.
    let speed = |time: Option<Summary>| Some(raw?.bytes as f64 / time?.median * 1e3);
    vec![
        Cell::text(format),
        Cell::text(codec),
        Cell::number(compressed.map(|size| size.bytes as f64 * group.per_member())),
        Cell::number(raw.zip(compressed).map(|(raw, compressed)| raw.bytes as f64 / compressed.bytes.max(1) as f64)),
        Cell::number(compressed.map(|size| size.bytes as f64 / size.data_bytes.max(1) as f64)),
        compress.cell(group.per_member()),
        Cell::number(speed(compress.measured())),
        decompress.cell(group.per_member()),
        Cell::number(speed(decompress.measured())),
    ]
}
