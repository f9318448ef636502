//! What one iteration of each case allocates.

use super::super::document::{Block, Section};
use super::super::model::{Group, memory};
use super::super::table::{Cell, Mark, Table};
use super::Page;
use crate::record::Memory;

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    for group in &page.groups {
        let records: Vec<&Memory> = group.most(memory).collect();
        if !records.is_empty() {
            blocks.push(Block::Fold {
                summary: format!("Memory: {}", page.heading(group)),
                blocks: vec![Block::Table(table(group, records))],
            });
        }
    }
    if blocks.is_empty() {
        return None;
    }
    blocks.insert(
        0,
        Block::prose(
            "Counted in a process of its own for each cell, never while timing. Allocations and the peak of the heap are of one iteration, \
             above what stood before it; the resident peak is the whole process: dataset, payload and iteration.",
        ),
    );
    Some(Section::new("memory", "Memory", blocks))
}

fn table(group: &Group, mut records: Vec<&Memory>) -> Table {
    records.sort_by_key(|record| (record.cell.id.operation, record.allocated_bytes, record.cell.id.pipeline()));
    let mut table = Table::new("By operation, then by allocated bytes")
        .words("case")
        .numbers("allocations", "")
        .numbers("allocations", "a member")
        .numbers("allocated", "bytes/member")
        .numbers("peak of the heap", "MB")
        .numbers("resident peak", "MB");
    for record in records {
        let cells = vec![
            Cell::text(format!("{} {}", record.cell.id.operation, record.cell.id.pipeline())),
            Cell::count(record.allocations),
            Cell::number(record.allocations as f64 * group.per_member()),
            Cell::number(record.allocated_bytes as f64 * group.per_member()),
            Cell::number(record.peak_bytes as f64 / 1e6),
            Cell::number(record.resident_peak_bytes as f64 / 1e6),
        ];
        table.row(Mark::Plain, cells);
    }
    table
}
