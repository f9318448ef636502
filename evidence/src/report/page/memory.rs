//! What one iteration of each case allocates.

use super::super::chart::{Bars, Chart, Figure, Panel};
use super::super::document::{Block, Section};
use super::super::model::{Group, exact, memory};
use super::super::table::{Cell, Mark, Table};
use super::Page;
use crate::operation::Operation;
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
    if let Some(figure) = page.groups.iter().find_map(|group| allocations(page, group)) {
        blocks.splice(1..1, [Block::Heading(figure.title.clone()), Block::Figure(figure)]);
    }
    Some(Section::new("memory", "Memory", blocks))
}

/// What decoding allocates, of the largest group where it was counted; its table is the group's.
fn allocations(page: &Page, group: &Group) -> Option<Figure> {
    let is_decode = |record: &&Memory| record.cell.id.operation == Operation::Decode;
    let mut records: Vec<&Memory> = group.most(memory).filter(is_decode).collect();
    records.sort_by_key(|record| (record.allocations, record.peak_bytes, record.cell.id.pipeline()));
    if records.is_empty() {
        return None;
    }
    let panel = |title: &str, value: fn(&Memory) -> u64| Panel {
        title: title.into(),
        bars: records.iter().map(|record| Ok(exact(value(record) as f64 * group.per_member()))).collect(),
        ticks: Vec::new(),
        tick_label: String::new(),
        line: None,
    };
    let panels = vec![
        panel("allocations a member", |record| record.allocations),
        panel("peak of the heap, bytes/member", |record| record.peak_bytes),
    ];
    Some(Figure {
        id: "allocations".into(),
        title: format!("What decoding allocates, {}", page.heading(group)),
        description:
            "Two bars a format: allocations of one decode to the native value, and the most that it has allocated at once. Shorter \
                      is better. The table has all operations."
                .into(),
        chart: Chart::Bars(Bars { rows: records.iter().map(|record| record.cell.id.pipeline()).collect(), panels }),
    })
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
