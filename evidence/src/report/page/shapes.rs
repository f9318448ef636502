//! Whether the conclusions hold on data of other shapes: each claim of the answer, and in how many shapes it is true.

use super::super::document::{Block, Section};
use super::super::model::Group;
use super::super::number;
use super::super::ranking::Ranking;
use super::super::table::{Cell, Mark, Table};
use super::{Page, answer, join, plural};
use crate::choice::Way;

pub(super) fn section(page: &Page) -> Option<Section> {
    let mut blocks = Vec::new();
    for (largest, others) in page.leading() {
        let shapes: Vec<&Group> = page.shapes.iter().filter(|shape| shape.dataset == largest.dataset).collect();
        let Some(first) = shapes.first() else { continue };
        // The claims of the same size, where there is that size: then it is the shape alone that differs.
        let same_size = others.into_iter().chain([largest]).find(|group| group.spec.members == first.spec.members);
        let reference = same_size.unwrap_or(largest);
        blocks.push(Block::prose(format!(
            "The answers for {} ({}), asked again of {} of {} each: strings of other lengths and of other letters, strings that repeat, small \
             and large numbers, nulls. A claim holds in a shape when what it names wins there too, or ties. A format that cannot carry a shape, \
             such as one that has no null, does not compete in it.",
            page.heading(reference),
            reference.spec.variant,
            plural(shapes.len(), "shape"),
            plural(first.spec.members, "member"),
        )));
        blocks.push(Block::Table(winners(reference, &shapes)));
        blocks.extend(in_place(reference, &shapes));
    }
    (!blocks.is_empty()).then(|| Section::new("shapes", "Where the conclusions turn", blocks))
}

/// What becomes of a claim in each shape where it can be asked: the name of the shape, and what is true there instead.
struct Verdicts {
    asked: usize,
    flips: Vec<(String, String)>,
}

impl Verdicts {
    /// Of the answers that the shapes gave: those that gave none are not asked.
    fn of<'s, T>(answers: impl Iterator<Item = (&'s str, T)>, holds: impl Fn(&T) -> bool, instead: impl Fn(&T) -> String) -> Self {
        let (mut asked, mut flips) = (0, Vec::new());
        for (shape, answer) in answers {
            asked += 1;
            if !holds(&answer) {
                flips.push((shape.to_owned(), instead(&answer)));
            }
        }
        Self { asked, flips }
    }

    /// The share of shapes in which the claim holds, and where it does not.
    fn cells(&self) -> [Cell; 2] {
        let holding = self.asked - self.flips.len();
        let share = Cell::printed(number::percent(holding as f64 / self.asked as f64), format!("{holding} of {}", self.asked));
        let flips: Vec<String> = self.flips.iter().map(|(name, instead)| format!("{name}: {instead}")).collect();
        [share, Cell::text(if flips.is_empty() { "nowhere".to_owned() } else { flips.join("; ") })]
    }
}

fn shape_name<'s>(shape: &Group<'s>) -> &'s str {
    shape.spec.shape().unwrap_or(&shape.spec.variant)
}

fn winners(reference: &Group, shapes: &[&Group]) -> Table {
    let mut table = Table::new("What the answer says to take, and where it is something else")
        .words("to")
        .words("take")
        .numbers("holds in", "")
        .words("turns in");
    // Only what all were put through: a codec that was tried on one alone would win there for no property of the data.
    let mut codecs = reference.codecs();
    for shape in shapes {
        let own = shape.codecs();
        codecs.retain(|codec| own.contains(codec));
    }
    let answers: Vec<(&str, Vec<(&str, Ranking)>)> =
        shapes.iter().map(|shape| (shape_name(shape), answer::rankings(shape, &codecs))).collect();
    for (want, ranking) in answer::rankings(reference, &codecs) {
        let claimed: Vec<&str> = ranking.tied().map(|entry| entry.label.as_str()).collect();
        let there = answers.iter().filter_map(|(shape, rankings)| {
            let (_, ranking) = rankings.iter().find(|(other, _)| *other == want)?;
            Some((*shape, ranking))
        });
        let holds = |there: &&Ranking| there.tied().any(|entry| claimed.contains(&entry.label.as_str()));
        let verdicts = Verdicts::of(there, holds, |there| answer::takes(there));
        if verdicts.asked > 0 {
            let cells = [Cell::text(want), Cell::text(join(&claimed, "or"))].into_iter().chain(verdicts.cells()).collect();
            table.row(Mark::Plain, cells);
        }
    }
    table
}

/// Whether reading in place, validated, costs less than decoding first.
fn in_place(reference: &Group, shapes: &[&Group]) -> Option<Block> {
    let mut table = Table::new("Reading everything once: whether validated access costs less than decode and read")
        .words("format")
        .words("answer")
        .numbers("holds in", "")
        .words("turns in");
    let ratio = |group: &Group, format: &str| {
        let [access, decode] = [Way::Access, Way::Decode].map(|way| group.read_all(format, way).measured());
        Some(decode?.median / access?.median)
    };
    for &format in &reference.formats {
        let Some(here) = ratio(reference, format) else { continue };
        let words = |ratio: &f64| {
            if *ratio > 1.0 { format!("yes, {} ×", number::figure(*ratio)) } else { format!("no, {} ×", number::figure(*ratio)) }
        };
        let there = shapes.iter().filter_map(|shape| Some((shape_name(shape), ratio(shape, format)?)));
        let verdicts = Verdicts::of(there, |there| (*there > 1.0) == (here > 1.0), words);
        if verdicts.asked > 0 {
            let cells = [Cell::text(format), Cell::text(words(&here))].into_iter().chain(verdicts.cells()).collect();
            table.row(Mark::Plain, cells);
        }
    }
    (!table.rows.is_empty()).then_some(Block::Table(table))
}
