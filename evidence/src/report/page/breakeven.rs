//! Two pictures of the facts alone: when reading in place pays, and what the levels of a codec cost.

use std::collections::BTreeMap;

use super::super::chart::{Chart, Figure, LineAxis, Lines, Series, Unit, pareto_front};
use super::super::document::Block;
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::plural;
use crate::choice::{Facts, FormatFacts, Way, WayFacts};

/// The shares of the members that are read: twelve a decade, from 0.1 % to all.
const STEPS: i32 = 36;
const A_DECADE: f64 = 12.0;
/// How many lines a picture holds.
const LINES: usize = 8;

pub(super) fn blocks(facts: &Facts) -> Vec<Block> {
    let mut blocks = zero_copy(facts);
    blocks.extend(levels(facts));
    blocks
}

/// What it costs to read a share of the members.
fn cost(way: &WayFacts, share: f64) -> f64 {
    let all = way.all.max(way.open);
    way.open.median * (1.0 - share) + all.median * share
}

/// The share up to which one way costs less than another; nothing where one costs less throughout.
fn break_even(one: &WayFacts, other: &WayFacts) -> Option<f64> {
    let (start, end) = (cost(one, 0.0) - cost(other, 0.0), cost(one, 1.0) - cost(other, 1.0));
    (start < 0.0 && end > 0.0).then(|| start / (start - end))
}

fn zero_copy(facts: &Facts) -> Vec<Block> {
    let every = || facts.formats.iter().flat_map(|format| format.ways.iter().map(move |way| (format, way)));
    let Some((quickest, decode)) =
        every().filter(|(_, way)| way.way == Way::Decode).min_by(|one, other| cost(one.1, 1.0).total_cmp(&cost(other.1, 1.0)))
    else {
        return Vec::new();
    };
    let mut others: Vec<(&FormatFacts, &WayFacts)> = every().filter(|(_, way)| way.way != Way::Decode).collect();
    others.sort_by(|one, other| cost(one.1, 0.05).total_cmp(&cost(other.1, 0.05)));
    let mut table = Table::new(format!(
        "What reading a share of the members costs, and up to which share it is less than {}, the fastest decode; the cheapest for a twentieth first",
        quickest.name
    ))
    .words("format")
    .words("way")
    .intervals("until the first read", "ns/member")
    .intervals("everything read", "ns/member")
    .words("less than that decode up to")
    .words("less than its own decode up to");
    let row = |format: &FormatFacts, way: &WayFacts| {
        let own = format.ways.iter().find(|own| own.way == Way::Decode);
        let verdict = |against: &WayFacts| match break_even(way, against) {
            Some(share) => number::percent(share),
            None if cost(way, 1.0) <= cost(against, 1.0) => "everything".to_owned(),
            None => "never".to_owned(),
        };
        vec![
            Cell::text(format.name.as_str()),
            Cell::text(way.way.label()),
            Cell::interval(way.open),
            Cell::interval(way.all),
            Cell::text(if std::ptr::eq(way, decode) { "–".to_owned() } else { verdict(decode) }),
            Cell::text(own.filter(|own| !std::ptr::eq(*own, way)).map_or("–".to_owned(), verdict)),
        ]
    };
    for (format, way) in std::iter::once((quickest, decode)).chain(others.iter().copied()) {
        table.row(Mark::Plain, row(format, way));
    }
    let shares = || (0..=STEPS).map(|step| 10f64.powf(f64::from(step - STEPS) / A_DECADE));
    let series = std::iter::once((quickest, decode)).chain(others).take(LINES).map(|(format, way)| Series {
        label: format!("{}, {}", format.name, way.way.name()),
        points: shares().map(|share| (share, cost(way, share))).collect(),
    });
    let figure = Figure {
        id: "break-even".into(),
        title: format!("Break-even of reading in place, {}", plural(facts.members, "member")),
        description:
            "The time to read a share of the members, a line for the fastest decode and for each way of reading in place. Where a line \
                      crosses that of the decode, reading more makes decoding once the better way. The table has the figures."
                .into(),
        chart: Chart::Lines(Lines {
            x: LineAxis { title: "share of the members that is read".into(), unit: Unit::Percent, logarithmic: true, at_most: None },
            y: LineAxis { title: "time, ns/member".into(), unit: Unit::Plain, logarithmic: true, at_most: None },
            series: series.collect(),
            bands: Vec::new(),
            dots: false,
        }),
    };
    vec![Block::Heading(figure.title.clone()), Block::Figure(figure), Block::Table(table)]
}

/// A codec without its level: what stands before the first number.
fn family(codec: &str) -> String {
    let words: Vec<&str> = codec.split('-').take_while(|word| word.parse::<i32>().is_err() && !word.is_empty()).collect();
    words.join("-")
}

/// Bytes against time to decompress and decode, the levels of a codec linked: formats that are on the front somewhere.
fn levels(facts: &Facts) -> Vec<Block> {
    struct Through<'f> {
        format: &'f str,
        family: String,
        codec: &'f str,
        bytes: f64,
        time: f64,
    }
    let mut all: Vec<Through> = Vec::new();
    for format in &facts.formats {
        let Some(decode) = format.ways.iter().find(|way| way.way == Way::Decode) else { continue };
        let time = decode.open.median;
        all.push(Through { format: &format.name, family: String::new(), codec: "–", bytes: format.bytes, time });
        all.extend(format.codecs.iter().map(|codec| Through {
            format: &format.name,
            family: family(&codec.name),
            codec: &codec.name,
            bytes: codec.bytes,
            time: time + codec.decompress.median,
        }));
    }
    if all.iter().all(|through| through.family.is_empty()) {
        return Vec::new();
    }
    let front = pareto_front(&all.iter().map(|through| (through.bytes, through.time)).collect::<Vec<_>>());
    let best: Vec<&str> = all.iter().zip(&front).filter(|(_, on_front)| **on_front).map(|(through, _)| through.format).collect();
    let mut table = Table::new("Every format through every codec, to the decoded value; on the front is what nothing beats in one without being worse in the other")
        .words("format")
        .words("codec")
        .numbers("bytes", "bytes/member")
        .numbers("decompress + decode", "ns/member")
        .words("on the front");
    let mut lines: BTreeMap<(&str, &str), Vec<(f64, f64)>> = BTreeMap::new();
    for (through, on_front) in all.iter().zip(&front) {
        let on_front = if *on_front { "yes" } else { "no" };
        table.row(
            Mark::Plain,
            vec![
                Cell::text(through.format),
                Cell::text(through.codec),
                Cell::number(through.bytes),
                Cell::number(through.time),
                Cell::text(on_front),
            ],
        );
        if best.contains(&through.format) {
            lines.entry((through.format, &through.family)).or_default().push((through.bytes, through.time));
        }
    }
    table.sort_by(2);
    let mut series: Vec<Series> = lines
        .into_iter()
        .map(|((format, family), mut points)| {
            points.sort_by(|one, other| other.0.total_cmp(&one.0));
            Series { label: if family.is_empty() { format!("{format}, no codec") } else { format!("{format}, {family}") }, points }
        })
        .collect();
    series.sort_by(|one, other| least(one).total_cmp(&least(other)));
    series.truncate(LINES + 4);
    let axis = |title: &str| LineAxis { title: title.into(), unit: Unit::Plain, logarithmic: true, at_most: None };
    let figure = Figure {
        id: "levels-against-decode".into(),
        title: format!("Bytes against time to decode, the levels of a codec linked, {}", plural(facts.members, "member")),
        description:
            "A dot a codec's level, linked with the other levels on the same format; further left is smaller, further down is faster \
                      to decompress and decode. Only formats that are on the Pareto front with some codec. The table has all."
                .into(),
        chart: Chart::Lines(Lines {
            x: axis("bytes/member"),
            y: axis("decompress + decode, ns/member"),
            series,
            bands: Vec::new(),
            dots: true,
        }),
    };
    vec![
        Block::Heading(figure.title.clone()),
        Block::Figure(figure),
        Block::Fold { summary: "All formats through all codecs".into(), blocks: vec![Block::Table(table)] },
    ]
}

fn least(series: &Series) -> f64 {
    series.points.iter().map(|(bytes, time)| bytes * time).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statistics::Summary;

    #[test]
    fn the_break_even_is_where_both_cost_the_same() {
        let way =
            |open, all| WayFacts { way: Way::Access, open: Summary::exact(open), all: Summary::exact(all), peak: None, damaged: None };
        let decode = way(100.0, 110.0);
        assert_eq!(break_even(&way(0.0, 200.0), &decode).map(|share| (share * 1000.0).round()), Some(526.0));
        assert_eq!(break_even(&way(0.0, 50.0), &decode), None);
        assert_eq!(break_even(&way(120.0, 130.0), &decode), None);
    }

    #[test]
    fn a_level_is_no_part_of_the_family() {
        for (codec, expected) in
            [("zstd-3", "zstd"), ("zstd--5", "zstd"), ("zstd-3-64k", "zstd"), ("lz4", "lz4"), ("lz4-frame", "lz4-frame")]
        {
            assert_eq!(family(codec), expected);
        }
    }
}
