//! The answer first: for each thing that one may want, what to take, by how much, and whether that is more than noise.

use super::super::document::{Block, Section, Text};
use super::super::model::{Group, exact, scaled};
use super::super::number;
use super::super::ranking::{Entry, Ranking, ratio};
use super::super::table::{Cell, Mark, Table};
use super::{Page, join, noise_sentence};
use crate::case::RANDOM_READS;
use crate::choice::Way;
use crate::operation::Operation;
use crate::statistics::Summary;

/// A thing that one may want, and what competes for it.
struct Question {
    want: &'static str,
    unit: Unit,
    ranking: Ranking,
}

/// How a figure of the answer is printed.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    /// Bytes in all: exact, so without an interval.
    Bytes,
    /// Nanoseconds in all, shown for a member.
    Time,
    /// Nanoseconds in all, for as many members as are read at random.
    Random,
}

/// How many of the questions, from the first, the sentence above the table answers.
const IN_SENTENCE: usize = 5;

/// Readings of part of the data, safe ones and those of a trusted payload, and the update.
const PARTS: [(&str, Unit, Operation); 5] = [
    ("read one field of all members", Unit::Time, Operation::ReadField),
    ("read one field, payload trusted", Unit::Time, Operation::ReadFieldUnchecked),
    ("read 1,000 members at random", Unit::Random, Operation::ReadRandom),
    ("read 1,000 at random, payload trusted", Unit::Random, Operation::ReadRandomUnchecked),
    ("update one field of all members in place", Unit::Time, Operation::Update),
];

pub(super) fn section(page: &Page) -> Option<Section> {
    let blocks: Vec<Block> = page.leading().into_iter().flat_map(|(largest, others)| blocks(page, largest, &others)).collect();
    (!blocks.is_empty()).then(|| Section::new("answer", "The answer", blocks))
}

fn blocks(page: &Page, largest: &Group, others: &[&Group]) -> Vec<Block> {
    let questions = usual_questions(largest);
    if questions.is_empty() {
        return Vec::new();
    }
    let mut blocks = vec![Block::Prose(sentence(page, largest, &questions)), Block::Table(table(page, largest, &questions))];
    if !others.is_empty() {
        blocks.push(Block::Heading("Does the answer change with the number of members?".into()));
        blocks.push(Block::Table(by_size(page, largest, others)));
    }
    for group in others {
        let table = Block::Table(table(page, group, &usual_questions(group)));
        blocks.push(Block::Fold { summary: format!("The answer for {}", page.heading(group)), blocks: vec![table] });
    }
    blocks
}

/// Each thing that one may want, and the ranking of what competes for it, with these codecs where it is about compressed payloads.
pub(super) fn rankings(group: &Group, codecs: &[&str]) -> Vec<(&'static str, Ranking)> {
    questions(group, codecs).into_iter().map(|question| (question.want, question.ranking)).collect()
}

fn questions(group: &Group, codecs: &[&str]) -> Vec<Question> {
    let timed = |want, unit, operation: Operation| question(group, want, unit, times(group, operation));
    let all = [
        question(group, "smallest payload", Unit::Bytes, raw_sizes(group)),
        question(group, "smallest payload, compressed", Unit::Bytes, compressed_sizes(group, codecs)),
        timed("encode", Unit::Time, Operation::Encode),
        timed("decode to the native value", Unit::Time, Operation::Decode),
        question(group, "read everything once", Unit::Time, readings(group, &Way::SAFE)),
        question(group, "read everything once, payload trusted", Unit::Time, readings(group, &[Way::Unchecked])),
    ];
    let parts = PARTS.map(|(want, unit, operation)| timed(want, unit, operation));
    all.into_iter().chain(parts).flatten().collect()
}

/// With the codecs that every run takes: a claim is to mean the same whatever else a run has tried.
fn usual_questions(group: &Group) -> Vec<Question> {
    questions(group, &group.usual_codecs())
}

fn question(group: &Group, want: &'static str, unit: Unit, entries: Vec<Entry>) -> Option<Question> {
    // Bytes are counted, not measured: there is no noise in them.
    let noise = if unit == Unit::Bytes { 0.0 } else { group.tie_threshold() };
    Some(Question { want, unit, ranking: Ranking::of(entries, noise)? })
}

fn entry(group: &Group, format: &str, label: String, value: Summary) -> Entry {
    Entry { label, ours: group.is_ours(format), value }
}

fn raw_sizes(group: &Group) -> Vec<Entry> {
    let raw = group.sizes().filter(|size| size.codec.is_none());
    raw.map(|size| entry(group, &size.format, size.format.clone(), exact(size.bytes as f64))).collect()
}

fn compressed_sizes(group: &Group, codecs: &[&str]) -> Vec<Entry> {
    let compressed = group.sizes().filter_map(|size| Some((size, size.codec.as_ref().filter(|codec| codecs.contains(&codec.as_str()))?)));
    compressed.map(|(size, codec)| entry(group, &size.format, format!("{} with {codec}", size.format), exact(size.bytes as f64))).collect()
}

fn times(group: &Group, operation: Operation) -> Vec<Entry> {
    let measured = |format: &&str| Some(entry(group, format, (*format).to_owned(), group.reading(operation, format).measured()?));
    group.formats.iter().filter_map(measured).collect()
}

/// Each format by the fastest of these ways; the way is named with it.
fn readings(group: &Group, ways: &[Way]) -> Vec<Entry> {
    let best = |format: &&str| {
        let ways = ways.iter().filter_map(|way| Some((way, group.read_all(format, *way).measured()?)));
        let (way, value) = ways.min_by(|one, other| one.1.median.total_cmp(&other.1.median))?;
        let label = if *way == Way::Unchecked { (*format).to_owned() } else { format!("{format} ({})", way.label()) };
        Some(entry(group, format, label, value))
    };
    group.formats.iter().filter_map(best).collect()
}

/// The first answers in one sentence.
fn sentence(page: &Page, group: &Group, questions: &[Question]) -> Text {
    let mut text = Text::from(format!("For {}: ", page.heading(group)));
    for (index, question) in questions.iter().take(IN_SENTENCE).enumerate() {
        let before = if index == 0 { "" } else { "; " };
        let tied = if question.ranking.is_clear() { "" } else { " (a tie)" };
        let total = in_all(question.unit, &question.ranking.first().value);
        text = text.plain(format!("{before}{}: ", question.want)).strong(takes(&question.ranking)).plain(format!("{tied}, {total}"));
    }
    text.plain(". The rest of this page is the evidence.")
}

/// The winner, or all that tie.
pub(super) fn takes(ranking: &Ranking) -> String {
    join(&ranking.tied().map(|entry| entry.label.as_str()).collect::<Vec<_>>(), "or")
}

fn table(page: &Page, group: &Group, questions: &[Question]) -> Table {
    let mut table = Table::new(format!("What to take for {}", page.heading(group)))
        .words("to")
        .words("take")
        .numbers("figure", "")
        .numbers("in all", "")
        .words("next")
        .ratios("next is × the first")
        .words("is that more than noise?")
        .words("of the libraries' formats");
    for question in questions {
        table.row(Mark::Plain, cells(group, question));
    }
    table.notes.push(noise_sentence(group).into());
    table.notes.push(
        "Read everything once: every field of every member, in the fastest way that is safe for any payload; decode + read is the sum of \
         two medians, decode and the reading of the native value. Payload trusted: nothing is validated, and a hostile payload is \
         undefined behaviour."
            .into(),
    );
    table
}

fn cells(group: &Group, Question { want, unit, ranking }: &Question) -> Vec<Cell> {
    let first = &ranking.first().value;
    let second = ranking.second();
    vec![
        Cell::text(*want),
        Cell::text(Text::default().strong(takes(ranking))),
        figure(group, *unit, first),
        total(*unit, first),
        Cell::text(second.map_or("–", |entry| &entry.label)),
        Cell::number(second.map(|entry| ratio(&entry.value, first))),
        Cell::text(verdict(*unit, ranking)),
        Cell::text(of_libraries(ranking)),
    ]
}

/// The best that is not a layout of our own, and how far behind the first it is. A layout that was written for one type shows what can be
/// reached, and is not what one takes.
fn of_libraries(ranking: &Ranking) -> String {
    match ranking.without_ours() {
        None => "the same".to_owned(),
        Some(others) if others.first() == ranking.first() => "the same".to_owned(),
        Some(others) => format!("{} ({} ×)", takes(&others), number::figure(ratio(&others.first().value, &ranking.first().value))),
    }
}

fn figure(group: &Group, unit: Unit, value: &Summary) -> Cell {
    let (factor, unit) = match unit {
        Unit::Bytes => return Cell::printed(number::figure(value.median * group.per_member()), "bytes/member"),
        Unit::Time => (group.per_member(), "ns/member"),
        Unit::Random => (1.0 / RANDOM_READS as f64, "ns/member read"),
    };
    let (median, range) = number::interval(&scaled(value, factor));
    Cell::printed(median, range.map_or(unit.to_owned(), |range| format!("{range} {unit}")))
}

fn in_all(unit: Unit, value: &Summary) -> String {
    if unit == Unit::Bytes { number::bytes(value.median) } else { number::duration(value.median) }
}

/// A figure with its unit stands in one piece.
fn total(unit: Unit, value: &Summary) -> Cell {
    let total = in_all(unit, value);
    let (figure, unit) = total.rsplit_once(' ').unwrap_or((&total, ""));
    Cell::printed(figure, unit)
}

fn verdict(unit: Unit, ranking: &Ranking) -> String {
    let tied = ranking.tied().count();
    match (unit, ranking.second()) {
        (_, None) => "nothing else to compare".to_owned(),
        (Unit::Bytes, _) if tied > 1 => format!("{tied} are equal"),
        (Unit::Bytes, _) => "exact".to_owned(),
        _ if tied > 1 => format!("no: a tie of {tied}"),
        _ => "yes".to_owned(),
    }
}

/// Who wins at which size: a row a question, a column a size.
fn by_size(page: &Page, largest: &Group, others: &[&Group]) -> Table {
    let groups: Vec<&Group> = std::iter::once(largest).chain(others.iter().copied()).collect();
    let all: Vec<Vec<Question>> = groups.iter().map(|group| usual_questions(group)).collect();
    let mut table = Table::new("What to take at each size").words("to");
    for group in &groups {
        table = table.words(page.heading(group));
    }
    let mut wants: Vec<&str> = Vec::new();
    for question in all.iter().flatten() {
        if !wants.contains(&question.want) {
            wants.push(question.want);
        }
    }
    for want in wants {
        let take =
            |questions: &Vec<Question>| questions.iter().find(|question| question.want == want).map(|question| takes(&question.ranking));
        let answers = all.iter().map(|questions| Cell::text(take(questions).unwrap_or_else(|| "–".to_owned())));
        table.row(Mark::Plain, std::iter::once(Cell::text(want)).chain(answers).collect());
    }
    table
}
