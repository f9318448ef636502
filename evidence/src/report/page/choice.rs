//! What to take: the answer box of the page, what stands in its place without script, and transfer time against bandwidth.

use serde::Serialize;

use super::super::chart::{Band, Chart, Figure, LineAxis, Lines, Series, Unit};
use super::super::document::{Block, Section, Text};
use super::super::number;
use super::super::table::{Cell, Mark, Table};
use super::{Page, plural};
use crate::choice::model::{BLOCK, BLOCKS_IN_MEMORY};
use crate::choice::{Answer, Choice, Facts, Wish};

/// What the page's script works on.
#[derive(Serialize)]
struct Island<'f> {
    block: f64,
    blocks_in_memory: f64,
    facts: &'f [Facts],
}

/// A situation of the table: its name, bits a second, the round trip in nanoseconds, and whether the payload is stored there first.
type Situation = (&'static str, f64, f64, bool);

const SITUATIONS: [Situation; 8] = [
    ("a mobile network: 10 Mbit/s, 50 ms", 10e6, 50e6, false),
    ("the internet: 100 Mbit/s, 20 ms", 100e6, 20e6, false),
    ("a local network: 1 Gbit/s, 0.2 ms", 1e9, 0.2e6, false),
    ("a server's network: 10 Gbit/s, 0.1 ms", 10e9, 0.1e6, false),
    ("a data centre: 100 Gbit/s, 0.02 ms", 100e9, 0.02e6, false),
    ("a hard disk: 150 MB/s, 8 ms", 1.2e9, 8e6, true),
    ("an SSD: 500 MB/s, 0.1 ms", 4e9, 0.1e6, true),
    ("an NVMe disk: 3 GB/s, 0.05 ms", 24e9, 0.05e6, true),
];

/// The bandwidths of the picture: ten a decade, from 1 Mbit/s to 100 Gbit/s.
const DECADES: (i32, i32) = (6, 11);
const A_DECADE: i32 = 10;
/// Beyond so many times the least, the relative view ends.
const RELATIVE: f64 = 4.0;
/// How many lines a picture holds.
const LINES: usize = 12;

pub(super) fn section(page: &Page) -> Option<Section> {
    let all = Facts::all(page.runs);
    let leading: Vec<(&str, &str)> = page.leading().iter().map(|(group, _)| (group.dataset, group.spec.variant.as_str())).collect();
    let facts: Vec<Facts> = all.into_iter().filter(|facts| leading.contains(&(&facts.dataset, &facts.variant))).collect();
    let first = facts.first()?;
    let island = Island { block: BLOCK, blocks_in_memory: BLOCKS_IN_MEMORY, facts: &facts };
    let wish = wish(first);
    let (times, relative) = against_bandwidth(first, &wish);
    let mut blocks = vec![
        Block::Prose(
            Text::from("The time from the writer's value to the reader's, by a ")
                .link("model", "../METHODOLOGY.md#the-choice")
                .plain(" of what was measured: encode, compress, the bytes over the link, decompress, decode or access, and read. ")
                .code("wirewise choose")
                .plain(" answers the same on the command line."),
        ),
        Block::Chooser(serde_json::to_string(&island).ok()?),
        Block::Table(situations(first, &wish)),
        Block::Heading(times.title.clone()),
        Block::Figure(times),
        Block::Heading(relative.title.clone()),
        Block::Figure(relative),
        Block::Table(by_bandwidth(first, &wish)),
    ];
    blocks.extend(super::breakeven::blocks(first));
    Some(Section::new("choose", "What to take", blocks))
}

/// What the tables and pictures stand for: bytes from anyone, and a format of a library.
fn wish(facts: &Facts) -> Wish {
    Wish { members: facts.members as f64, untrusted: true, libraries_only: true, ..Wish::default() }
}

fn situations(facts: &Facts, wish: &Wish) -> Table {
    let mut table = Table::new(format!(
        "{} read once and wholly, the bytes from anyone, the format of a library; the best pipeline, and the best of another format",
        plural(facts.members, "member")
    ))
    .words("over")
    .words("take")
    .words("time")
    .words("most of it")
    .words("of another format")
    .ratios("× as long");
    for (name, bandwidth, round_trip, stored) in SITUATIONS {
        let wish = Wish { bandwidth, round_trip, stored_at: stored.then_some(bandwidth), ..wish.clone() };
        let answer = Answer::of(facts, &wish);
        let Some(first) = answer.ranking.first() else { continue };
        table.row(Mark::Plain, [Cell::text(name)].into_iter().chain(cells(first, &answer)).collect());
    }
    table
        .notes
        .push("Disks are written first and then read, each at the speed named; a round trip is the time until the first byte.".into());
    table
}

/// The best, its time, what decides, the best of another format, and how much longer that takes.
fn cells(first: &Choice, answer: &Answer) -> Vec<Cell> {
    let other = answer.ranking.iter().find(|choice| choice.format != first.format);
    let (term, share) = first.decides();
    let range = |choice: &Choice| {
        let time = &choice.estimate.time;
        format!("({}–{})", number::duration(time.low), number::duration(time.high))
    };
    vec![
        Cell::text(first.label()),
        Cell::printed(number::duration(first.estimate.time.median), range(first)),
        Cell::text(format!("{term}, {}", number::percent(share))),
        Cell::text(other.map_or("–".to_owned(), |other| if other.tie { format!("{} (a tie)", other.label()) } else { other.label() })),
        Cell::number(other.map(|other| other.estimate.time.median / first.estimate.time.median)),
    ]
}

fn bandwidths() -> Vec<f64> {
    let (from, to) = DECADES;
    (from * A_DECADE..=to * A_DECADE).map(|step| 10f64.powf(f64::from(step) / f64::from(A_DECADE))).collect()
}

fn by_bandwidth(facts: &Facts, wish: &Wish) -> Table {
    let mut table = Table::new("The same at each speed, without a round trip: the table of both pictures")
        .words("bandwidth")
        .words("take")
        .words("time")
        .words("most of it")
        .words("of another format")
        .ratios("× as long");
    for bandwidth in bandwidths().into_iter().step_by(A_DECADE as usize / 2) {
        let answer = Answer::of(facts, &Wish { bandwidth, ..wish.clone() });
        let Some(first) = answer.ranking.first() else { continue };
        table.row(Mark::Plain, [Cell::text(number::bandwidth(bandwidth))].into_iter().chain(cells(first, &answer)).collect());
    }
    table
}

/// Time, and time as a multiple of the least, for every pipeline that is the least somewhere and for the one with the most bytes.
fn against_bandwidth(facts: &Facts, wish: &Wish) -> (Figure, Figure) {
    let answers: Vec<(f64, Answer)> =
        bandwidths().into_iter().map(|bandwidth| (bandwidth, Answer::of(facts, &Wish { bandwidth, ..wish.clone() }))).collect();
    let (mut names, bands) = winners(&answers);
    let most = answers.first().and_then(|(_, answer)| answer.ranking.last()).map(Choice::short_label);
    names.truncate(LINES - 1);
    let winners = names.len();
    names.extend(most.filter(|most| !names.contains(most)));
    let lines = |relative: bool| -> Vec<Series> {
        let line = |name: &String| {
            let point = |(bandwidth, answer): &(f64, Answer)| {
                let time = answer.ranking.iter().find(|choice| choice.short_label() == *name)?.estimate.time.median;
                let least = answer.ranking.first()?.estimate.time.median;
                Some((*bandwidth, if relative { time / least } else { time }))
            };
            Series { label: name.clone(), points: answers.iter().filter_map(point).collect() }
        };
        names.iter().map(line).collect()
    };
    let axis = |title: &str, unit, logarithmic, at_most| LineAxis { title: title.to_owned(), unit, logarithmic, at_most };
    let bandwidth = || axis("bandwidth", Unit::Bandwidth, true, None);
    let bands: Vec<Band> = bands.into_iter().filter(|band| band.series < winners).collect();
    let shaded = bands.iter().map(|band| {
        let (from, to) = band.range;
        format!("from {} to {} {}", number::bandwidth(from), number::bandwidth(to), names[band.series])
    });
    let shaded = shaded.collect::<Vec<_>>().join("; ");
    let times = Lines {
        x: bandwidth(),
        y: axis("time from value to value", Unit::Duration, true, None),
        series: lines(false),
        bands: bands.clone(),
        dots: false,
    };
    let relative = Lines {
        x: bandwidth(),
        y: axis("time as a multiple of the least", Unit::Plain, false, Some(RELATIVE)),
        series: lines(true),
        bands,
        dots: false,
    };
    let figure = |id: &str, title: &str, about: &str, lines| Figure {
        id: id.into(),
        title: format!("{title}, {}", plural(facts.members, "member")),
        description: format!("{about} The least: {shaded}. The table has the figures."),
        chart: Chart::Lines(lines),
    };
    (
        figure(
            "transfer-against-bandwidth",
            "Transfer time against bandwidth",
            "A line a pipeline, both axes logarithmic; the shaded stretches name the line that takes the least time.",
            times,
        ),
        figure(
            "transfer-relative",
            "The same as a multiple of the least",
            "Where lines run together above, this tells them apart: 1 is the least time at that speed.",
            relative,
        ),
    )
}

/// The pipelines that come first somewhere, and where. One that cannot be told from the first stays first, so that noise makes no bands.
fn winners(answers: &[(f64, Answer)]) -> (Vec<String>, Vec<Band>) {
    let mut names: Vec<String> = Vec::new();
    let mut bands: Vec<Band> = Vec::new();
    let mut current: Option<String> = None;
    for (bandwidth, answer) in answers {
        let Some(first) = answer.ranking.first() else { continue };
        let stays = current.as_ref().filter(|name| answer.ranking.iter().any(|choice| choice.tie && choice.short_label() == **name));
        let name = stays.cloned().unwrap_or_else(|| first.short_label());
        if let Some(band) = bands.last_mut() {
            band.range.1 = *bandwidth;
        }
        if current.as_ref() != Some(&name) {
            let series = names.iter().position(|known| *known == name).unwrap_or(names.len());
            if series == names.len() {
                names.push(name.clone());
            }
            bands.push(Band { range: (*bandwidth, *bandwidth), series });
        }
        current = Some(name);
    }
    (names, bands)
}
