//! What the formats can do, what they keep, and where their default limits stop this dataset.

use std::collections::{BTreeMap, BTreeSet};

use super::super::document::{Block, Section, Text};
use super::super::model::{codec, fidelity as fidelity_row, format, limits as limits_row};
use super::super::table::{Cell, Mark, Missing, Table};
use super::{Page, join, plural};
use crate::case::Fidelity;
use crate::operation::Operation;
use crate::record::{CodecRow, DefaultLimits, FidelityRow, FormatRow, Record};

/// A thing that a format can do, and the operations that it shows in. Floors, yardsticks and codecs are no format's doing.
const CAPABILITIES: [(&str, &[Operation]); 9] = [
    ("encode", &[Operation::Encode, Operation::EncodeFresh]),
    ("decode", &[Operation::Decode, Operation::Drop]),
    ("decode into", &[Operation::DecodeInto]),
    ("populate", &[Operation::Populate, Operation::EncodeMessage]),
    ("convert", &[Operation::DecodeMessage, Operation::Convert]),
    ("borrow", &[Operation::Borrow, Operation::ReadAllBorrowed]),
    ("access", &[Operation::Access, Operation::ReadAll, Operation::ReadField, Operation::ReadRandom]),
    (
        "unvalidated access",
        &[Operation::AccessUnchecked, Operation::ReadAllUnchecked, Operation::ReadFieldUnchecked, Operation::ReadRandomUnchecked],
    ),
    ("update", &[Operation::Update]),
];

/// The rows of a kind in all runs, the first of each name.
fn declared<'r, T: 'r>(page: &Page<'r>, of: fn(&'r Record) -> Option<&'r T>, name: fn(&T) -> &str) -> Vec<&'r T> {
    let mut seen = BTreeSet::new();
    // The run of the largest group first: it is the one that the page is mostly about.
    let first = page.groups.first().map(|group| group.run);
    let records = first.into_iter().chain(page.runs).flat_map(|run| &run.records);
    records.filter_map(of).filter(|row| seen.insert(name(row).to_owned())).collect()
}

pub(super) fn capabilities(page: &Page) -> Option<Section> {
    let formats = declared::<FormatRow>(page, format, |row| &row.name);
    let codecs = declared::<CodecRow>(page, codec, |row| &row.name);
    if formats.is_empty() {
        return None;
    }
    let mut blocks = vec![
        Block::prose("From the registry: what a format cannot do it does not implement, so this table cannot promise what does not exist."),
        Block::Table(capability_table(&formats)),
    ];
    if !codecs.is_empty() {
        blocks.push(Block::Table(codec_table(&codecs)));
    }
    Some(Section::new("capabilities", "What each format can do", blocks))
}

fn capability_table(formats: &[&FormatRow]) -> Table {
    let mut table = Table::new("Formats, their libraries and their capabilities").words("format").words("wire format").words("library");
    for (name, _) in CAPABILITIES {
        table = table.words(name);
    }
    table = table.words("access validates").words("remark");
    for format in formats {
        let mut cells =
            vec![Cell::text(&format.name), Cell::text(&format.wire_format), Cell::text(format!("{} {}", format.library, format.version))];
        cells.extend(CAPABILITIES.iter().map(|(_, operations)| capability(format, operations)));
        cells
            .push(format.validation.as_ref().map_or(Cell::missing(Missing::Absent), |validation| Cell::text(validation.replace('-', " "))));
        cells.push(Cell::text(&format.note));
        table.row(Mark::Plain, cells);
    }
    table
}

fn capability(format: &FormatRow, operations: &[Operation]) -> Cell {
    let able: Vec<&str> =
        operations.iter().map(|operation| operation.name()).filter(|name| format.operations.iter().any(|own| own == name)).collect();
    match able.len() {
        0 => Cell::missing(Missing::Absent),
        count if count == operations.len() => Cell::text("yes"),
        _ => Cell::text(format!("in part: {}", able.join(", "))),
    }
}

fn codec_table(codecs: &[&CodecRow]) -> Table {
    let mut table = Table::new("Codecs").words("codec").words("wire format").words("library");
    for codec in codecs {
        let library = format!("{} {}", codec.library, codec.version);
        table.row(Mark::Plain, vec![Cell::text(&codec.name), Cell::text(&codec.wire_format), Cell::text(library)]);
    }
    table
}

pub(super) fn fidelity(page: &Page) -> Option<Section> {
    let blocks: Vec<Block> = page.datasets().into_iter().filter_map(|dataset| fidelity_blocks(page, dataset)).flatten().collect();
    (!blocks.is_empty()).then(|| Section::new("fidelity", "What comes back", blocks))
}

fn fidelity_blocks(page: &Page, dataset: &str) -> Option<Vec<Block>> {
    let rows =
        |run: &'_ crate::record::RunRecords| run.records.iter().filter_map(fidelity_row).filter(|row| row.dataset == dataset).count();
    let first = page.groups.first().map(|group| group.run);
    let run = page.runs.iter().max_by_key(|run| (rows(run), first.is_some_and(|first| std::ptr::eq(*run, first))))?;
    let rows: Vec<&FidelityRow> = run.records.iter().filter_map(fidelity_row).filter(|row| row.dataset == dataset).collect();
    if rows.is_empty() {
        return None;
    }
    let probes = in_order(rows.iter().map(|row| row.probe.as_str()));
    let (kept, touched): (Vec<&str>, Vec<&str>) =
        probes.into_iter().partition(|probe| rows.iter().filter(|row| row.probe == *probe).all(|row| row.outcome == Fidelity::Kept));
    let mut blocks = vec![Block::Prose(
        format!("Values at the edges of {dataset}, encoded and decoded by each format and compared bit for bit. ").into(),
    )];
    if !kept.is_empty() {
        blocks.push(Block::Prose(format!("Every format keeps {}: {}.", plural(kept.len(), "probe"), join(&kept, "and")).into()));
    }
    if !touched.is_empty() {
        blocks.push(Block::Table(probe_table(&rows, &touched)));
        blocks.push(Block::Table(outcome_table(&rows, &touched)));
    }
    Some(blocks)
}

fn probe_table(rows: &[&FidelityRow], probes: &[&str]) -> Table {
    let formats = in_order(rows.iter().map(|row| row.format.as_str()));
    let mut table = Table::new("Probes that not every format keeps").words("probe");
    for format in &formats {
        table = table.words(*format);
    }
    for probe in probes {
        let outcome = |format: &&str| rows.iter().find(|row| row.probe == *probe && row.format == *format).map(|row| &row.outcome);
        let cells = formats.iter().map(|format| match outcome(format) {
            Some(Fidelity::Kept) => Cell::text("kept"),
            Some(Fidelity::Changed(_)) => Cell::text(Text::default().strong("changed")),
            Some(Fidelity::Refused(_)) => Cell::text(Text::default().strong("refused")),
            None => Cell::missing(Missing::NotRun),
        });
        table.row(Mark::Plain, std::iter::once(Cell::text(*probe)).chain(cells).collect());
    }
    table
}

/// What became of each probe, formats with the same outcome together.
fn outcome_table(rows: &[&FidelityRow], probes: &[&str]) -> Table {
    let mut table = Table::new("What became of them").words("probe").words("outcome").words("formats");
    for probe in probes {
        let mut outcomes: BTreeMap<String, Vec<&str>> = BTreeMap::new();
        for row in rows.iter().filter(|row| row.probe == *probe) {
            let outcome = match &row.outcome {
                Fidelity::Kept => continue,
                Fidelity::Changed(what) => format!("changed: {what}"),
                Fidelity::Refused(why) => format!("refused: {why}"),
            };
            outcomes.entry(outcome).or_default().push(&row.format);
        }
        for (outcome, formats) in outcomes {
            table.row(Mark::Plain, vec![Cell::text(*probe), Cell::text(outcome), Cell::text(formats.join(", "))]);
        }
    }
    table
}

fn in_order<'n>(names: impl Iterator<Item = &'n str>) -> Vec<&'n str> {
    let mut seen = BTreeSet::new();
    names.filter(|name| seen.insert(*name)).collect()
}

pub(super) fn limits(page: &Page) -> Option<Section> {
    let mut findings: Vec<&DefaultLimits> = page.runs.iter().flat_map(|run| &run.records).filter_map(limits_row).collect();
    let key = |found: &&DefaultLimits| (found.format.clone(), found.dataset.clone(), found.limit.clone(), found.spec.clone());
    findings.sort_by_key(key);
    findings.dedup_by_key(|found| key(&&**found));
    let mut table =
        Table::new("Payloads read with each library's own limits").words("format").words("limit").numbers("members", "").words("finding");
    for found in &findings {
        let finding = match &found.refused {
            Some(refusal) => Text::default().strong("refused").plain(format!(": {refusal}")),
            None => "read".into(),
        };
        let cells = vec![Cell::text(&found.format), Cell::text(&found.limit), Cell::count(found.spec.members as u64), Cell::text(finding)];
        table.row(Mark::Plain, cells);
    }
    let refused: BTreeSet<&str> = findings.iter().filter(|found| found.refused.is_some()).map(|found| found.format.as_str()).collect();
    let refused: Vec<&str> = refused.into_iter().collect();
    let summary = if refused.is_empty() {
        "No library's default limit stops this dataset at the sizes that were tried.".to_owned()
    } else {
        format!(
            "Left at its default, a limit of {} stops this dataset. Everywhere else on this page, limits are set from the payload's size.",
            join(&refused, "and")
        )
    };
    let blocks = vec![Block::prose(summary), Block::Table(table)];
    (!findings.is_empty()).then(|| Section::new("limits", "Limits that this dataset breaks", blocks))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_of_a_format_is_part_of_one_capability() {
        use Operation::{Clone, Compress, Copy, Decompress, ReadMember, Scan};
        for operation in Operation::ALL {
            let elsewhere = matches!(operation, Copy | Scan | Clone | Compress | Decompress | ReadMember)
                || operation.is_of_many()
                || operation.name().ends_with("-bare");
            let times = CAPABILITIES.iter().filter(|(_, operations)| operations.contains(operation)).count();
            assert_eq!(times, usize::from(!elsewhere), "{operation}");
        }
    }
}
