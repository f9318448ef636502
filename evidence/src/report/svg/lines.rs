//! Lines over an axis, each named at its right end. `page.js` draws the same picture anew when a wish changes.

use maud::{Markup, html};

use super::super::chart::{LineAxis, Lines, Unit};
use super::super::number;
use super::{Axis, END, WIDTH, disc, line, words};

const LEFT: f64 = 74.0;
/// Room for the names at the right.
const RIGHT: f64 = WIDTH - 275.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 430.0;
/// Names do not come nearer to each other than this.
const APART: f64 = 17.0;
/// Colours, after which the dashes change.
const COLOURS: usize = 4;

pub(super) fn draw(chart: &Lines) -> (f64, Markup) {
    let points = || chart.series.iter().flat_map(|series| series.points.iter().copied());
    let xs = axis(&chart.x, points().map(|(x, _)| x), LEFT, RIGHT);
    let ys = axis(&chart.y, points().map(|(_, y)| y), BOTTOM, TOP);
    let names = name_places(chart, &ys);
    let content = html! {
        @for (index, band) in chart.bands.iter().enumerate() {
            (self::band(&xs, band.range, index, &letter(band.series)))
        }
        @for tick in decades(&xs) {
            (line("grid", (xs.at(tick), TOP), (xs.at(tick), BOTTOM)))
            (words("quiet", "middle", (xs.at(tick), BOTTOM + 18.0), &printed(tick, &chart.x, &xs)))
        }
        @for tick in decades(&ys) {
            (line("grid", (LEFT, ys.at(tick)), (RIGHT, ys.at(tick))))
            (words("quiet", "end", (LEFT - 8.0, ys.at(tick) + 4.0), &printed(tick, &chart.y, &ys)))
        }
        (line("axis", (LEFT, BOTTOM), (RIGHT, BOTTOM)))
        (line("axis", (LEFT, TOP), (LEFT, BOTTOM)))
        (words("head", "start", (12.0, 24.0), &format!("↑ {}", chart.y.title)))
        (words("head", "end", (RIGHT, BOTTOM + 42.0), &format!("{} →", chart.x.title)))
        @for (index, series) in chart.series.iter().enumerate() {
            (path(index, &series.points, &xs, &ys, chart))
            (words(&format!("name-{} halo", index % COLOURS), "start", (RIGHT + 22.0, names[index] + 4.5), &format!("{} {}", letter(index), series.label)))
            @if let Some((_, y)) = series.points.last() {
                (line("leader", (RIGHT + 3.0, ys.at(*y).clamp(TOP, BOTTOM)), (RIGHT + 18.0, names[index])))
            }
        }
    };
    (BOTTOM + 56.0, content)
}

fn axis(axis: &LineAxis, values: impl Iterator<Item = f64> + Clone, start: f64, end: f64) -> Axis {
    let most = axis.at_most.unwrap_or(f64::INFINITY);
    let values = values.filter(move |value| *value <= most);
    if axis.logarithmic { Axis::logarithmic(values, start, end) } else { Axis::linear(values, false, start, end) }
}

/// The ticks: of a logarithmic axis over more than two decades only the decades.
fn decades(axis: &Axis) -> Vec<f64> {
    let wide = axis.logarithmic && axis.high / axis.low > 100.0;
    let is_decade = |tick: &f64| (tick.log10() - tick.log10().round()).abs() < 1e-9;
    axis.ticks.iter().copied().filter(|tick| !wide || is_decade(tick)).collect()
}

fn printed(tick: f64, of: &LineAxis, axis: &Axis) -> String {
    match of.unit {
        Unit::Plain => axis.label(tick),
        Unit::Bandwidth => number::bandwidth(tick),
        Unit::Duration => number::duration(tick),
        Unit::Percent => number::percent(tick),
    }
}

fn letter(index: usize) -> String {
    char::from(b'A' + (index % 26) as u8).to_string()
}

/// A shaded stretch with the letter of the line that is the least in it, where there is room for one.
fn band(xs: &Axis, (from, to): (f64, f64), index: usize, letter: &str) -> Markup {
    let (from, to) = (xs.at(from), xs.at(to));
    html! {
        rect class={ "band-" (index % 2) } x=(super::number(from)) y=(super::number(TOP)) width=(super::number((to - from).max(0.0)))
            height=(super::number(BOTTOM - TOP)) {} (END)
        @if to - from > 12.0 { (words("head", "middle", ((from + to) / 2.0, TOP - 8.0), letter)) }
    }
}

fn path(index: usize, points: &[(f64, f64)], xs: &Axis, ys: &Axis, chart: &Lines) -> Markup {
    let most = chart.y.at_most.unwrap_or(f64::INFINITY);
    let places: Vec<(f64, f64)> = points.iter().filter(|(_, y)| *y <= most).map(|(x, y)| (xs.at(*x), ys.at(*y))).collect();
    let coordinates: Vec<String> = places.iter().map(|(x, y)| format!("{},{}", super::number(*x), super::number(*y))).collect();
    html! {
        polyline class={ "line-" (index % COLOURS) " dash-" (index / COLOURS) } points=(coordinates.join(" ")) {} (END)
        @if chart.dots { @for (x, y) in &places { (disc(&format!("dot-{}", index % COLOURS), *x, *y, 3.0)) } }
    }
}

/// Where the names stand: each at the end of its line, moved until none touches another.
fn name_places(chart: &Lines, ys: &Axis) -> Vec<f64> {
    let end = |index: &usize| chart.series[*index].points.last().map_or(BOTTOM, |(_, y)| ys.at(*y)).clamp(TOP, BOTTOM);
    let mut order: Vec<usize> = (0..chart.series.len()).collect();
    order.sort_by(|one, other| end(one).total_cmp(&end(other)));
    let mut places = vec![0.0; chart.series.len()];
    let mut next = TOP;
    for index in &order {
        places[*index] = end(index).max(next);
        next = places[*index] + APART;
    }
    // What went below the picture goes up again.
    let mut last = BOTTOM;
    for index in order.iter().rev() {
        places[*index] = places[*index].min(last);
        last = places[*index] - APART;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::super::super::chart::Series;
    use super::*;

    #[test]
    fn names_stand_apart_and_within_the_picture() {
        let axis = |unit| LineAxis { title: String::new(), unit, logarithmic: true, at_most: None };
        let series = (0..9).map(|index| Series { label: index.to_string(), points: vec![(1.0, 2.0), (10.0, 1.0 + f64::from(index % 3))] });
        let chart = Lines { x: axis(Unit::Bandwidth), y: axis(Unit::Duration), series: series.collect(), bands: Vec::new(), dots: false };
        let ys = self::axis(&chart.y, [1.0, 3.0].into_iter(), BOTTOM, TOP);
        let mut places = name_places(&chart, &ys);
        places.sort_by(f64::total_cmp);
        assert!(places.iter().all(|place| (TOP..=BOTTOM).contains(place)), "{places:?}");
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= APART - 1e-9), "{places:?}");
    }
}
