//! What was planned and has no figure, with the reason: shown, not left out.

use super::super::document::{Block, Section};
use super::super::model::failure;
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::Page;

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut table = Table::new("Cells without a figure").words("cell").words("members").words("run").words("why");
    for run in page.runs {
        for failure in run.records.iter().filter_map(failure) {
            let members = number::count(failure.cell.spec.members as u64);
            let cells = [failure.cell.id.to_string(), members, run.name.clone(), format!("failed: {}", failure.error)];
            table.row(Mark::Failed, cells.map(Cell::text).into());
        }
    }
    for group in &page.groups {
        for id in group.rejected() {
            let members = number::count(group.spec.members as u64);
            let cells = [id.to_string(), members, group.run.name.clone(), "rejected: faster than memory".into()];
            table.row(Mark::Plain, cells.map(Cell::text).into());
        }
    }
    let blocks = vec![Block::Table(table.clone())];
    (!table.rows.is_empty()).then(|| Section::new("failed", "Failed and rejected cells", blocks))
}
