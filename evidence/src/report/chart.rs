//! Charts as data, and the one thing that is computed for a picture: the Pareto front.

use crate::statistics::Summary;

/// A picture.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Figure {
    /// The name of its file, without extension, and its anchor on the page: unique on the page.
    pub(crate) id: String,
    /// What it shows, in a few words.
    pub(crate) title: String,
    /// The same for those who do not see it: what stands where, and what to take from it.
    pub(crate) description: String,
    /// What is drawn.
    pub(crate) chart: Chart,
}

/// What is drawn.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Chart {
    /// Points in the plane, less being better on both axes.
    Scatter(Scatter),
    /// A row a thing, a bar in each panel.
    Bars(Bars),
    /// A row a thing, several marks on one logarithmic axis.
    Dots(Dots),
    /// Lines over an axis.
    Lines(Lines),
}

/// Points in the plane.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Scatter {
    /// The horizontal axis, with its unit.
    pub(crate) x: String,
    /// The vertical axis, with its unit.
    pub(crate) y: String,
    /// The points.
    pub(crate) points: Vec<Point>,
}

/// A point.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Point {
    /// Its name.
    pub(crate) label: String,
    /// Where it stands.
    pub(crate) x: f64,
    /// Where it stands.
    pub(crate) y: f64,
    /// Whether nothing is better on one axis without being worse on the other.
    pub(crate) on_front: bool,
}

/// Bars that start at nought.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Bars {
    /// The names of the rows.
    pub(crate) rows: Vec<String>,
    /// What is shown of each row, side by side.
    pub(crate) panels: Vec<Panel>,
}

/// One column of bars.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Panel {
    /// What the bars show, with the unit.
    pub(crate) title: String,
    /// A bar for each row, or the word that stands in its place.
    pub(crate) bars: Vec<Result<Summary, &'static str>>,
    /// A floor for each row, drawn as a tick across its bar.
    pub(crate) ticks: Vec<Option<f64>>,
    /// What the ticks are; empty where there are none.
    pub(crate) tick_label: String,
    /// A floor for all rows: its name, and where it stands.
    pub(crate) line: Option<(String, f64)>,
}

/// Marks on a logarithmic axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Dots {
    /// The axis, with its unit.
    pub(crate) axis: String,
    /// The kinds of marks: at most as many as there are shapes, four.
    pub(crate) series: Vec<String>,
    /// The rows: a name, and a value or none for each kind of mark.
    pub(crate) rows: Vec<(String, Vec<Option<f64>>)>,
    /// Floors for all rows: the name, and where it stands.
    pub(crate) lines: Vec<(String, f64)>,
}

/// Lines over an axis, less being better.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Lines {
    /// The horizontal axis, which is logarithmic.
    pub(crate) x: LineAxis,
    /// The vertical axis.
    pub(crate) y: LineAxis,
    /// The lines, which are named by letters.
    pub(crate) series: Vec<Series>,
    /// Stretches of the horizontal axis, and which line is the least there.
    pub(crate) bands: Vec<Band>,
    /// Whether the points themselves are drawn.
    pub(crate) dots: bool,
}

/// An axis of lines.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct LineAxis {
    /// What it shows, with the unit.
    pub(crate) title: String,
    /// How its figures are printed.
    pub(crate) unit: Unit,
    /// Whether it is logarithmic.
    pub(crate) logarithmic: bool,
    /// Where it ends at most: what is beyond leaves the picture.
    pub(crate) at_most: Option<f64>,
}

/// How the figures of an axis are printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// As they are.
    Plain,
    /// Bits a second.
    Bandwidth,
    /// Nanoseconds.
    Duration,
    /// Parts of one.
    Percent,
}

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Series {
    /// Its name.
    pub(crate) label: String,
    /// Its points, from left to right, or in the order in which they are linked.
    pub(crate) points: Vec<(f64, f64)>,
}

/// A stretch of the horizontal axis.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Band {
    /// Where it starts and ends.
    pub(crate) range: (f64, f64),
    /// The line that is the least there.
    pub(crate) series: usize,
}

/// Which points no other point beats: none is at most as far on both axes and nearer on one.
pub(crate) fn pareto_front(points: &[(f64, f64)]) -> Vec<bool> {
    let beats = |one: &(f64, f64), other: &(f64, f64)| one.0 <= other.0 && one.1 <= other.1 && one != other;
    points.iter().map(|point| !points.iter().any(|other| beats(other, point))).collect()
}

#[cfg(test)]
mod tests {
    use super::pareto_front;

    #[test]
    fn the_front_is_what_nothing_beats() {
        for (points, front) in [
            (vec![], vec![]),
            (vec![(1.0, 1.0)], vec![true]),
            (vec![(1.0, 3.0), (2.0, 2.0), (3.0, 1.0)], vec![true, true, true]),
            (vec![(1.0, 3.0), (2.0, 3.0), (3.0, 1.0)], vec![true, false, true]),
            (vec![(1.0, 1.0), (1.0, 1.0), (1.0, 2.0)], vec![true, true, false]),
        ] {
            assert_eq!(pareto_front(&points), front, "{points:?}");
        }
    }
}
