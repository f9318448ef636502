//! The page of a run, a file a part: each turns readings into blocks, and decides nothing about how they look.

mod allocators;
mod answer;
mod atlas;
mod breakeven;
mod choice;
mod circumstances;
mod codecs;
mod compression;
mod evolution;
mod failures;
mod formats;
mod held;
mod interop;
mod memory;
mod pictures;
mod shapes;
mod sizes;
mod times;
mod transfer;
mod trust;

use super::document::{Block, Document, Section, Text};
use super::model::{Group, Reading};
use super::number;
use super::ranking::Ranking;
use super::table::{Cell, Mark, Table};
use crate::case::NATIVE;
use crate::operation::Operation;
use crate::record::RunRecords;

/// What every part of the page is made from.
struct Page<'r> {
    runs: &'r [RunRecords],
    groups: Vec<Group<'r>>,
    /// The groups of data of other shapes, which only ask whether the conclusions hold.
    shapes: Vec<Group<'r>>,
}

/// The page of these runs, of which there is at least one.
pub(crate) fn document(runs: &[RunRecords], source: &str) -> Document {
    let (shapes, groups) = Group::all(runs).into_iter().partition(|group| group.spec.shape().is_some());
    let page = Page { runs, groups, shapes };
    let parts =
        [choice::section(&page), transfer::section(&page), answer::section(&page), pictures::section(&page), failures::section(&page)];
    let rest = [
        formats::capabilities(&page),
        formats::fidelity(&page),
        formats::limits(&page),
        shapes::section(&page),
        atlas::section(&page),
        compression::section(&page),
        held::section(&page),
        evolution::section(&page),
        interop::section(&page),
        trust::section(&page),
        memory::section(&page),
        allocators::section(&page),
        Some(circumstances::reading()),
        Some(circumstances::environment(&page)),
        Some(circumstances::reproduce(&page, source)),
    ];
    let tables = page.groups.iter().enumerate().map(|(index, group)| tables(&page, index, group));
    Document {
        title: title(&page),
        lead: circumstances::lead(&page),
        sections: parts.into_iter().flatten().chain(tables.flatten()).chain(rest.into_iter().flatten()).collect(),
    }
}

fn title(page: &Page) -> String {
    let mut formats: Vec<&str> = page.groups.iter().flat_map(|group| group.formats.iter().copied()).collect();
    formats.sort_unstable();
    formats.dedup();
    format!("{}: {} compared", page.datasets().join(", "), plural(formats.len(), "wire format"))
}

/// All tables of a group. Those of the largest stand open, those of the others are folded.
fn tables(page: &Page, index: usize, group: &Group) -> Option<Section> {
    let mut blocks = sizes::blocks(group);
    blocks.extend(times::blocks(group));
    blocks.extend(codecs::blocks(group));
    if blocks.is_empty() {
        return None;
    }
    let title = page.heading(group);
    let run = Text::from("From the run ").code(&group.run.name).plain(format!(
        ". Times are nanoseconds a member: the median and, in brackets, its 95\u{a0}% interval. {} Sorted by the first figure; \
         floors first.",
        noise_sentence(group)
    ));
    if index > 0 {
        blocks = vec![Block::Fold { summary: format!("All tables for {title}"), blocks }];
    }
    blocks.insert(0, Block::Prose(run));
    Some(Section::new(slug(&title), format!("Tables: {title}"), blocks))
}

fn noise_sentence(group: &Group) -> String {
    match group.noise {
        Some(noise) => format!(
            "The noise: {} measured twice differed by {} at the median and by {} at most; what differs by less than that, or whose \
             intervals overlap, is called a tie.",
            plural(noise.pairs, "case"),
            number::percent(noise.median),
            number::percent(noise.largest)
        ),
        None => "No case was measured twice, so the noise is not known; what has overlapping intervals is called a tie.".to_owned(),
    }
}

impl<'r> Page<'r> {
    /// The names of the datasets, in the order of their largest groups.
    fn datasets(&self) -> Vec<&'r str> {
        let mut names = Vec::new();
        for group in &self.groups {
            if !names.contains(&group.dataset) {
                names.push(group.dataset);
            }
        }
        names
    }

    /// The largest group of each dataset, and the others of that dataset.
    fn leading(&self) -> Vec<(&Group<'r>, Vec<&Group<'r>>)> {
        let of = |name| {
            let mut groups = self.groups.iter().filter(move |group| group.dataset == name);
            Some((groups.next()?, groups.collect()))
        };
        self.datasets().into_iter().filter_map(of).collect()
    }

    /// What tells a group from all others: its members, and more only where that is not enough.
    fn heading(&self, group: &Group) -> String {
        let mut heading = plural(group.spec.members, "member");
        if self.datasets().len() > 1 {
            heading = format!("{}, {heading}", group.dataset);
        }
        let same = |other: &&Group| other.dataset == group.dataset && other.spec.members == group.spec.members;
        if self.groups.iter().filter(same).count() > 1 {
            heading = format!("{heading}, {}, seed {}", group.spec.variant, group.spec.seed);
        }
        heading
    }
}

/// The floors that stand first in every table of times: what it takes to touch the bytes of the smallest payload, and to make the values.
fn floors<'r>(group: &Group<'r>, native: Option<Operation>) -> Vec<(String, Reading<'r>)> {
    let mut floors = Vec::new();
    if let Some(smallest) = group.smallest() {
        for (name, operation) in [("memcpy", Operation::Copy), ("scan", Operation::Scan)] {
            floors.push((format!("{name}, {}", smallest.format), group.reading(operation, &smallest.format)));
        }
    }
    floors.push(("clone of the value".to_owned(), group.reading(Operation::Clone, NATIVE)));
    if let Some(operation) = native {
        floors.push((format!("{operation} of the value"), group.reading(operation, NATIVE)));
    }
    floors.retain(|(_, reading)| !matches!(reading, Reading::NotRun | Reading::Absent));
    floors
}

/// Adds the floors to a table, their figures in one of its columns.
fn add_floors(table: &mut Table, group: &Group, native: Option<Operation>, column: usize, factor: f64) {
    for (name, reading) in floors(group, native) {
        let mut cells = vec![Cell::empty(); table.columns.len()];
        cells[0] = Cell::text(name);
        cells[column] = reading.cell(factor);
        table.row(Mark::Floor, cells);
    }
}

/// What the row of `label` stands for.
fn mark(ranking: Option<&Ranking>, label: &str, reading: Reading) -> Mark {
    match (ranking, reading) {
        (_, Reading::Failed(_)) => Mark::Failed,
        (Some(ranking), Reading::Measured(_)) if ranking.tied().any(|entry| entry.label == label) => {
            if ranking.is_clear() {
                Mark::Winner
            } else {
                Mark::Tie
            }
        }
        _ => Mark::Plain,
    }
}

fn plural(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", number::count(count as u64), if count == 1 { "" } else { "s" })
}

/// `a`, `a and b`, `a, b and c`.
fn join(names: &[impl AsRef<str>], last: &str) -> String {
    let names: Vec<&str> = names.iter().map(AsRef::as_ref).collect();
    match names.split_last() {
        Some((name, [])) => (*name).to_owned(),
        Some((name, rest)) => format!("{} {last} {name}", rest.join(", ")),
        None => String::new(),
    }
}

/// A heading as an anchor: what is between words becomes a hyphen.
fn slug(heading: &str) -> String {
    let kept: String = heading.replace(',', "").to_lowercase();
    let words: Vec<&str> = kept.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.join("-")
}

#[cfg(test)]
mod tests {
    use super::{join, slug};

    #[test]
    fn lists_and_anchors_read_well() {
        assert_eq!(
            ["", "a", "a or b", "a, b or c"],
            [&[][..], &["a"], &["a", "b"], &["a", "b", "c"]].map(|names: &[&str]| join(names, "or"))
        );
        assert_eq!(slug("organization, 1,000,000 members"), "organization-1000000-members");
    }
}
