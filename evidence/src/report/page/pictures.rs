//! The three pictures, each with the table of what it shows.

use super::super::chart::{Bars, Chart, Dots, Figure, Panel, Point, Scatter, pareto_front};
use super::super::document::{Block, Section};
use super::super::model::{Group, Reading, scaled};
use super::super::table::{Cell, Mark, Table};
use super::{Page, add_floors, join, slug};
use crate::case::NATIVE;
use crate::choice::Way;
use crate::operation::Operation;
use crate::statistics::Summary;

pub(super) fn section(page: &Page) -> Option<Section> {
    let several = page.datasets().len() > 1;
    let mut blocks = Vec::new();
    for (group, _) in page.leading() {
        let prefix = if several { format!("{}-", slug(group.dataset)) } else { String::new() };
        let pictures = [size_against_decode(page, group), encode_and_decode(page, group), access_against_decode(page, group)];
        for (mut figure, table) in pictures.into_iter().flatten() {
            figure.id = format!("{prefix}{}", figure.id);
            blocks.extend([Block::Heading(figure.title.clone()), Block::Figure(figure), Block::Table(table)]);
        }
    }
    (!blocks.is_empty()).then(|| Section::new("pictures", "In pictures", blocks))
}

type Picture = Option<(Figure, Table)>;

fn size_against_decode(page: &Page, group: &Group) -> Picture {
    let measured = |format: &&str| {
        let bytes = group.size(format, None)?.bytes as f64 * group.per_member();
        Some(((*format).to_owned(), bytes, scaled(&group.reading(Operation::Decode, format).measured()?, group.per_member())))
    };
    let rows: Vec<(String, f64, Summary)> = group.formats.iter().filter_map(measured).collect();
    if rows.is_empty() {
        return None;
    }
    let front = pareto_front(&rows.iter().map(|(_, bytes, time)| (*bytes, time.median)).collect::<Vec<_>>());
    let mut table = Table::new("Size and decode time; on the front is what no other format beats in one without being worse in the other")
        .words("format")
        .numbers("payload", "bytes/member")
        .intervals("decode", "ns/member")
        .words("on the front");
    add_floors(&mut table, group, None, 2, group.per_member());
    for ((format, bytes, time), on_front) in rows.iter().zip(&front) {
        let on_front = if *on_front { "yes" } else { "no" };
        table.row(Mark::Plain, vec![Cell::text(format), Cell::number(*bytes), Cell::interval(*time), Cell::text(on_front)]);
    }
    table.sort_by(2);
    let names: Vec<&str> = rows.iter().zip(&front).filter(|(_, on_front)| **on_front).map(|((format, ..), _)| format.as_str()).collect();
    let description = format!(
        "A point a format: further left is smaller, further down decodes faster. On the Pareto front: {}. The table has all figures.",
        join(&names, "and")
    );
    let point = |((label, x, time), on_front): ((String, f64, Summary), bool)| Point { label, x, y: time.median, on_front };
    let points = rows.into_iter().zip(front).map(point).collect();
    let scatter = Scatter { x: "payload, bytes/member".into(), y: "decode to the native value, ns/member".into(), points };
    let title = format!("Size against decode time, {}", page.heading(group));
    Some((Figure { id: "size-against-decode".into(), title, description, chart: Chart::Scatter(scatter) }, table))
}

fn encode_and_decode(page: &Page, group: &Group) -> Picture {
    let both = |format: &str| group.reading(Operation::Encode, format).then(group.reading(Operation::Decode, format));
    let shown = |format: &&str| {
        let readings = [Operation::Encode, Operation::Decode].map(|operation| group.reading(operation, format));
        readings.iter().any(|reading| !matches!(reading, Reading::Absent | Reading::NotRun))
    };
    let mut formats: Vec<&str> = group.formats.iter().copied().filter(shown).collect();
    if formats.is_empty() {
        return None;
    }
    let least_first = |format: &&str| both(format).measured().map_or(f64::INFINITY, |summary| summary.median);
    formats.sort_by(|one, other| least_first(one).total_cmp(&least_first(other)));
    let mut table = Table::new("Encode into a reused sink and decode to the native value, the fastest round trip first")
        .words("format")
        .intervals("encode + decode", "ns/member")
        .intervals("encode", "ns/member")
        .intervals("memcpy of its payload", "ns/member")
        .intervals("decode", "ns/member");
    add_floors(&mut table, group, None, 1, group.per_member());
    for format in &formats {
        let readings = [
            both(format),
            group.reading(Operation::Encode, format),
            group.reading(Operation::Copy, format),
            group.reading(Operation::Decode, format),
        ];
        let cells = readings.map(|reading| reading.cell(group.per_member()));
        table.row(Mark::Plain, std::iter::once(Cell::text(*format)).chain(cells).collect());
    }
    let clone = group.reading(Operation::Clone, NATIVE).measured();
    let panels = vec![
        Panel {
            title: "encode, reused sink, ns/member".into(),
            bars: bars(group, Operation::Encode, &formats),
            ticks: formats.iter().map(|format| median(group, group.reading(Operation::Copy, format))).collect(),
            tick_label: "memcpy of the same payload".into(),
            line: None,
        },
        Panel {
            title: "decode to the native value, ns/member".into(),
            bars: bars(group, Operation::Decode, &formats),
            ticks: Vec::new(),
            tick_label: String::new(),
            line: clone.map(|clone| ("clone of the value".to_owned(), clone.median * group.per_member())),
        },
    ];
    let description = "Two bars a format: left encode, with a tick where memcpy of the same payload stands; right decode, with a line \
                       where cloning the native value stands. Shorter is better; the thin lines at the ends are the intervals. The table \
                       has all figures."
        .to_owned();
    let title = format!("Encode and decode, {}", page.heading(group));
    let rows = formats.into_iter().map(str::to_owned).collect();
    Some((Figure { id: "encode-and-decode".into(), title, description, chart: Chart::Bars(Bars { rows, panels }) }, table))
}

fn bars(group: &Group, operation: Operation, formats: &[&str]) -> Vec<Result<Summary, &'static str>> {
    let bar = |format: &&str| match group.reading(operation, format) {
        Reading::Measured(summary) => Ok(scaled(&summary, group.per_member())),
        other => Err(other.missing().map_or("", |missing| missing.sign())),
    };
    formats.iter().map(bar).collect()
}

fn median(group: &Group, reading: Reading) -> Option<f64> {
    reading.measured().map(|summary| summary.median * group.per_member())
}

fn access_against_decode(page: &Page, group: &Group) -> Picture {
    let seen = |format: &&str| Way::ALL.iter().any(|way| group.read_all(format, *way).measured().is_some());
    let mut formats: Vec<&str> = group.formats.iter().copied().filter(seen).collect();
    if formats.is_empty() {
        return None;
    }
    let least_first = |format: &&str| group.fastest_way(format).map_or(f64::INFINITY, |(_, summary)| summary.median);
    formats.sort_by(|one, other| least_first(one).total_cmp(&least_first(other)));
    let mut table = Table::new("Every field of every member read once, in each way; the fastest safe way first")
        .words("format")
        .words("fastest safe way");
    for way in Way::ALL {
        table = table.intervals(way.label(), "ns/member");
    }
    add_floors(&mut table, group, Some(Operation::ReadAll), 2, group.per_member());
    for format in &formats {
        let fastest = group.fastest_way(format).map_or("", |(way, _)| way.label());
        let cells = Way::ALL.iter().map(|way| group.read_all(format, *way).cell(group.per_member()));
        table.row(Mark::Plain, [Cell::text(*format), Cell::text(fastest)].into_iter().chain(cells).collect());
    }
    for column in 2..2 + Way::ALL.len() {
        table.mark_least(column);
    }
    let value = |format: &str, way| median(group, group.read_all(format, way));
    let rows = formats.iter().map(|format| ((*format).to_owned(), Way::ALL.iter().map(|way| value(format, *way)).collect())).collect();
    let scan = group.smallest().map(|size| ("scan of the smallest payload", group.reading(Operation::Scan, &size.format)));
    let native = ("the native value read", group.reading(Operation::ReadAll, NATIVE));
    let lines = scan.into_iter().chain([native]).filter_map(|(name, reading)| Some((name.to_owned(), median(group, reading)?))).collect();
    let dots = Dots {
        axis: "time to read every field of every member once, ns/member, logarithmic".into(),
        series: Way::ALL.map(|way| way.label().to_owned()).into(),
        rows,
        lines,
    };
    let description =
        "A row a format, a mark a way to read everything once: decode and read, borrow and read, access and read, unvalidated \
                       access and read. Further left is faster. The dashed lines are floors. The table has all figures."
            .to_owned();
    let title = format!("Access against decode, {}", page.heading(group));
    Some((Figure { id: "access-against-decode".into(), title, description, chart: Chart::Dots(dots) }, table))
}
