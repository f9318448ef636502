//! What was planned and has no figure, with the reason: shown, not left out.

use std::collections::BTreeMap;

use super::super::document::{Block, Section, Text};
use super::super::model::failure;
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, join, plural};
use crate::record::{Failure, RunRecords};

/// The failed cells of some runs.
struct Failures<'r> {
    /// Of the data that the answers are about.
    of_data: Vec<(&'r RunRecords, &'r Failure)>,
    /// Of the same data in other shapes, by format, shape and run: one value that a format cannot carry fails all of its cells there.
    of_shapes: BTreeMap<(&'r str, &'r str, &'r str), Vec<&'r Failure>>,
}

impl<'r> Failures<'r> {
    fn of(page: &Page<'r>) -> Self {
        let mut failures = Self { of_data: Vec::new(), of_shapes: BTreeMap::new() };
        for run in page.runs {
            for failure in run.records.iter().filter_map(failure) {
                match failure.cell.spec.shape() {
                    Some(shape) => failures.of_shapes.entry((&failure.cell.id.format, shape, &run.name)).or_default().push(failure),
                    None => failures.of_data.push((run, failure)),
                }
            }
        }
        failures
    }
}

/// How many cells have no figure, for the head of the page.
pub(super) fn lead(page: &Page) -> Option<Block> {
    let failures = Failures::of(page);
    let rejected: usize = page.groups.iter().map(|group| group.rejected().len()).sum();
    if failures.of_data.len() + rejected + failures.of_shapes.len() == 0 {
        return None;
    }
    let mut text = Text::default();
    if failures.of_data.len() + rejected > 0 {
        text = text
            .strong(format!("{} failed and {rejected} rejected", plural(failures.of_data.len(), "cell")))
            .plain(", shown as such in the tables. ");
    }
    let mut formats: Vec<&str> = failures.of_shapes.keys().map(|(format, _, _)| *format).collect();
    formats.dedup();
    if !formats.is_empty() {
        text = text.plain(format!("Not every other shape of the data comes through {} unchanged. ", join(&formats, "and")));
    }
    Some(Block::Prose(text.link("Which and why", "#failed").plain(".")))
}

pub(super) fn section(page: &Page) -> Option<Section> {
    let failures = Failures::of(page);
    let mut cells = Table::new("Cells without a figure").words("cell").words("members").words("run").words("why");
    for (run, failure) in failures.of_data {
        let members = number::count(failure.cell.spec.members as u64);
        let row = [failure.cell.id.to_string(), members, run.name.clone(), format!("failed: {}", failure.error)];
        cells.row(Mark::Failed, row.map(Cell::text).into());
    }
    for group in &page.groups {
        for id in group.rejected() {
            let members = number::count(group.spec.members as u64);
            let row = [id.to_string(), members, group.run.name.clone(), "rejected: faster than memory".into()];
            cells.row(Mark::Plain, row.map(Cell::text).into());
        }
    }
    let mut shapes = Table::new("Shapes of the data through which a format did not come unchanged: it does not compete in them")
        .words("format")
        .words("shape")
        .words("run")
        .numbers("cells failed", "")
        .words("the first of them");
    for ((format, shape, run), failures) in failures.of_shapes {
        let first = failures.first().map(|first| format!("{}: {}", first.cell.id.operation, first.error));
        let mut row = [format, shape, run].map(Cell::text).to_vec();
        row.extend([Cell::count(failures.len() as u64), Cell::text(first.unwrap_or_default())]);
        shapes.row(Mark::Failed, row);
    }
    let tables = [cells, shapes].into_iter().filter(|table| !table.rows.is_empty());
    let blocks: Vec<Block> = tables.map(Block::Table).collect();
    (!blocks.is_empty()).then(|| Section::new("failed", "Failed and rejected cells", blocks))
}
