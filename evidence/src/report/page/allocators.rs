//! The one table that shows what changing the allocator does.

use std::collections::BTreeMap;

use super::super::document::{Block, Section};
use super::super::model::{Group, scaled};
use super::super::ranking::ratio;
use super::super::table::{Cell, Mark, Table};
use super::Page;
use crate::case::CaseId;
use crate::record::Time;
use crate::statistics::Summary;

pub(super) fn section(page: &Page) -> Option<Section> {
    let tables = page.groups.iter().filter_map(|group| table(page, group));
    let mut blocks: Vec<Block> = tables.map(Block::Table).collect();
    if blocks.is_empty() {
        return None;
    }
    let about = "All other tables are measured with one allocator. Here the same cases with another one, in the same run but in a \
                 process of their own; a ratio above one means that the other allocator is slower.";
    blocks.insert(0, Block::prose(about));
    Some(Section::new("allocators", "What changing the allocator does", blocks))
}

fn table(page: &Page, group: &Group) -> Option<Table> {
    let mut samples: BTreeMap<(&str, &CaseId), Vec<f64>> = BTreeMap::new();
    for Time { cell, allocator, samples: taken, .. } in group.times_of_other_allocators() {
        samples.entry((allocator, &cell.id)).or_default().extend(taken);
    }
    let own = &group.run.run.environment.allocator;
    let mut table = Table::new(format!("{}: {own} and others", page.heading(group)))
        .words("case")
        .words("other allocator")
        .intervals(own, "ns/member")
        .intervals("other", "ns/member")
        .ratios("other ÷ own");
    for ((allocator, id), samples) in samples {
        let Some(other) = Summary::of(&samples) else { continue };
        let reading = group.reading_of(id.operation, &id.format, id.codec.as_deref());
        let cells = vec![
            Cell::text(format!("{} {}", id.operation, id.pipeline())),
            Cell::text(allocator),
            reading.cell(group.per_member()),
            Cell::interval(scaled(&other, group.per_member())),
            Cell::number(reading.measured().map(|own| ratio(&other, &own))),
        ];
        table.row(Mark::Plain, cells);
    }
    (!table.rows.is_empty()).then_some(table)
}
