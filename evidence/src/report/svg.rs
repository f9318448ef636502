//! Pictures as SVG: for a page, which brings the style, and as files of their own, which bring it themselves.
//!
//! Nothing is told by colour alone: kinds of marks differ in shape, bars are named, and every point has its label.

mod lines;

use maud::{Markup, PreEscaped, html};

use super::chart::{Bars, Chart, Dots, Figure, Panel, Scatter};
use super::number;
use crate::statistics::Summary;

/// The colours, light and dark, and the rules of the pictures.
pub(crate) const STYLE: &str = include_str!("chart.css");

const WIDTH: f64 = 880.0;
/// What a letter takes at the pictures' size, on the safe side: the font is the reader's.
const LETTER: f64 = 7.8;
const ROW: f64 = 28.0;
/// What stays free between the outermost points and the frame, as a part of the axis.
const ROOM: f64 = 0.06;
const END: PreEscaped<&str> = PreEscaped("\n");

/// The name of the file that holds a picture.
pub(crate) fn file_name(figure: &Figure) -> String {
    format!("{}.svg", figure.id)
}

/// A picture as a file.
pub(crate) fn file(figure: &Figure) -> String {
    draw(figure, Some(STYLE)).into_string() + "\n"
}

/// A picture within a page that holds [`STYLE`].
pub(crate) fn inline(figure: &Figure) -> Markup {
    draw(figure, None)
}

fn draw(figure: &Figure, style: Option<&str>) -> Markup {
    let (height, content) = match &figure.chart {
        Chart::Scatter(chart) => scatter(chart),
        Chart::Bars(chart) => bars(chart),
        Chart::Dots(chart) => dots(chart),
        Chart::Lines(chart) => lines::draw(chart),
    };
    let [title, description] = ["title", "description"].map(|part| format!("{}-{part}", figure.id));
    html! {
        svg.chart xmlns="http://www.w3.org/2000/svg" viewBox={ "0 0 " (WIDTH) " " (number(height)) } role="img"
            aria-labelledby={ (title) " " (description) } {
            (END)
            title id=(title) { (figure.title) } (END)
            desc id=(description) { (figure.description) } (END)
            @if let Some(style) = style { style { (END) (PreEscaped(style)) } (END) }
            rect.paper width=(WIDTH) height=(number(height)) {} (END)
            (content)
        }
    }
}

/// A coordinate to a tenth: enough for the eye, and the same on every machine.
fn number(value: f64) -> String {
    let rounded = format!("{value:.1}");
    rounded.strip_suffix(".0").unwrap_or(&rounded).to_owned()
}

/// An axis: from values to coordinates.
struct Axis {
    logarithmic: bool,
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    ticks: Vec<f64>,
}

impl Axis {
    /// A linear axis that holds all values: from nought for bars, and where that wastes less than a third of it.
    fn linear(values: impl Iterator<Item = f64> + Clone, from_nought: bool, start: f64, end: f64) -> Self {
        let (least, most) = extent(values);
        let range = (most - least).max(most * 0.1);
        let low = if from_nought || least < most * 0.3 { 0.0 } else { (least - range * ROOM).max(0.0) };
        let high = most.max(low) + if from_nought { 0.0 } else { range * ROOM };
        let high = if high > low { high } else { low + 1.0 };
        let step = nice_step(high - low);
        let first = (low / step).ceil() as i64;
        let ticks = (first..).map(|index| index as f64 * step).take_while(|tick| *tick <= high * 1.000_001).collect();
        Self { logarithmic: false, low, high, start, end, ticks }
    }

    /// A logarithmic axis that holds all values, with ticks at 1, 2 and 5 of each decade.
    fn logarithmic(values: impl Iterator<Item = f64> + Clone, start: f64, end: f64) -> Self {
        let (least, most) = extent(values.filter(|value| *value > 0.0));
        let candidates: Vec<f64> = (-6..=12).flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade))).collect();
        let low = candidates.iter().copied().rfind(|tick| *tick <= least).unwrap_or(least);
        let high = candidates.iter().copied().find(|tick| *tick >= most && *tick > low).unwrap_or(most);
        let ticks = candidates.into_iter().filter(|tick| (low..=high).contains(tick)).collect();
        Self { logarithmic: true, low, high, start, end, ticks }
    }

    fn at(&self, value: f64) -> f64 {
        let part = if self.logarithmic {
            (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.start + part * (self.end - self.start)
    }

    fn label(&self, tick: f64) -> String {
        let decimals = if self.logarithmic { -tick.log10().floor() } else { -nice_step(self.high - self.low).log10().floor() };
        let printed = format!("{tick:.*}", decimals.clamp(0.0, 6.0) as usize);
        if tick >= 1000.0 { number::count(tick.round() as u64) } else { printed }
    }
}

fn extent(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let least = values.clone().fold(f64::INFINITY, f64::min);
    let most = values.fold(f64::NEG_INFINITY, f64::max);
    if least.is_finite() && most.is_finite() { (least, most) } else { (0.1, 1.0) }
}

/// A step of 1, 2 or 5 times a power of ten that cuts a range into about six.
fn nice_step(range: f64) -> f64 {
    let raw = if range > 0.0 { range / 6.0 } else { 1.0 };
    let power = 10f64.powf(raw.log10().floor());
    let digit = [1.0, 2.0, 5.0].into_iter().find(|digit| raw <= digit * power * 1.000_001).unwrap_or(10.0);
    digit * power
}

fn text_width(text: &str) -> f64 {
    text.chars().count() as f64 * LETTER
}

fn widest<'t>(texts: impl Iterator<Item = &'t String>) -> f64 {
    texts.map(|text| text_width(text)).fold(0.0, f64::max)
}

fn line(class: &str, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) -> Markup {
    html! { line class=(class) x1=(number(x1)) y1=(number(y1)) x2=(number(x2)) y2=(number(y2)) {} (END) }
}

fn words(class: &str, anchor: &str, (x, y): (f64, f64), text: &str) -> Markup {
    html! { text class=(class) text-anchor=(anchor) x=(number(x)) y=(number(y)) { (text) } (END) }
}

/// One of four shapes, told apart without colour: disc, open square, triangle, open diamond.
fn shape(kind: usize, x: f64, y: f64) -> Markup {
    let class = format!("shape-{kind}");
    let points = |offsets: &[(f64, f64)]| {
        offsets.iter().map(|(dx, dy)| format!("{},{}", number(x + dx), number(y + dy))).collect::<Vec<_>>().join(" ")
    };
    match kind {
        0 => html! { circle class=(class) cx=(number(x)) cy=(number(y)) r="5" {} (END) },
        1 => html! { rect class=(class) x=(number(x - 4.5)) y=(number(y - 4.5)) width="9" height="9" {} (END) },
        2 => html! { polygon class=(class) points=(points(&[(0.0, -6.0), (5.5, 4.5), (-5.5, 4.5)])) {} (END) },
        _ => html! { polygon class=(class) points=(points(&[(0.0, -6.5), (6.5, 0.0), (0.0, 6.5), (-6.5, 0.0)])) {} (END) },
    }
}

fn scatter(chart: &Scatter) -> (f64, Markup) {
    let (left, right, top, bottom) = (70.0, WIDTH - 24.0, 58.0, 452.0);
    let xs = Axis::linear(chart.points.iter().map(|point| point.x), false, left, right);
    let ys = Axis::linear(chart.points.iter().map(|point| point.y), false, bottom, top);
    let places: Vec<(f64, f64)> = chart.points.iter().map(|point| (xs.at(point.x), ys.at(point.y))).collect();
    let names: Vec<&str> = chart.points.iter().map(|point| point.label.as_str()).collect();
    let mut front: Vec<(f64, f64)> =
        chart.points.iter().zip(&places).filter(|(point, _)| point.on_front).map(|(_, place)| *place).collect();
    front.sort_by(|one, other| one.0.total_cmp(&other.0));
    let path: Vec<String> = front.iter().map(|(x, y)| format!("{},{}", number(*x), number(*y))).collect();
    let frame = Frame { left, right, top: top - 12.0, bottom };
    let labels = place_labels(&names, &places, &front, &frame);
    let content = html! {
        (legend(&[("best", "on the Pareto front"), ("beaten", "beaten by another format")]))
        (words("quiet", "end", (right, 40.0), "better: left and down"))
        @for tick in &xs.ticks {
            (line("grid", (xs.at(*tick), top), (xs.at(*tick), bottom)))
            (words("quiet", "middle", (xs.at(*tick), bottom + 18.0), &xs.label(*tick)))
        }
        @for tick in &ys.ticks {
            (line("grid", (left, ys.at(*tick)), (right, ys.at(*tick))))
            (words("quiet", "end", (left - 8.0, ys.at(*tick) + 4.0), &ys.label(*tick)))
        }
        (line("axis", (left, bottom), (right, bottom)))
        (line("axis", (left, top), (left, bottom)))
        (words("head", "start", (12.0, 40.0), &format!("↑ {}", chart.y)))
        (words("head", "end", (right, bottom + 42.0), &format!("{} →", chart.x)))
        polyline.front points=(path.join(" ")) {} (END)
        @for (label, place) in labels.iter().zip(&places) {
            @if label.far { (line("leader", *place, label.anchor())) }
        }
        @for (point, (x, y)) in chart.points.iter().zip(&places) {
            @if point.on_front { (disc("best", *x, *y, 5.5)) } @else { (disc("beaten", *x, *y, 4.5)) }
        }
        @for (label, point) in labels.iter().zip(&chart.points) {
            (label.words(if point.on_front { "head halo" } else { "halo" }, &point.label))
        }
    };
    (bottom + 56.0, content)
}

fn disc(class: &str, x: f64, y: f64, radius: f64) -> Markup {
    html! { circle class=(class) cx=(number(x)) cy=(number(y)) r=(radius) {} (END) }
}

fn legend(entries: &[(&str, &str)]) -> Markup {
    let mut x = 18.0;
    html! {
        @for (class, name) in entries {
            (disc(class, x, 16.0, 5.0))
            (words("quiet", "start", (x + 11.0, 20.0), name))
            ({ x += 40.0 + text_width(name); "" })
        }
    }
}

/// Where labels may stand.
struct Frame {
    left: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

/// A label's place: its left end and its middle.
#[derive(Clone, Copy)]
struct Label {
    x: f64,
    y: f64,
    width: f64,
    /// Too far from its point to be read as its own without a line.
    far: bool,
    /// The point's horizontal place, for the end of that line.
    point: f64,
    /// Which part of the text is at its estimated place for certain, whatever the font: the part next to the point.
    align: Align,
}

#[derive(Clone, Copy)]
enum Align {
    Start,
    Middle,
    End,
}

impl Label {
    const HALF: f64 = 8.0;

    fn overlap(&self, other: &Self) -> f64 {
        let wide = (self.x + self.width).min(other.x + other.width) - self.x.max(other.x);
        let high = (self.y + Self::HALF).min(other.y + Self::HALF) - (self.y - Self::HALF).max(other.y - Self::HALF);
        wide.max(0.0) * high.max(0.0)
    }

    fn covers(&self, (x, y): (f64, f64)) -> bool {
        (self.x - 6.0..=self.x + self.width + 6.0).contains(&x) && (y - self.y).abs() < Self::HALF + 5.0
    }

    fn words(&self, class: &str, text: &str) -> Markup {
        let (anchor, x) = match self.align {
            Align::Start => ("start", self.x),
            Align::Middle => ("middle", self.x + self.width / 2.0),
            Align::End => ("end", self.x + self.width),
        };
        self::words(class, anchor, (x, self.y + 4.5), text)
    }

    fn anchor(&self) -> (f64, f64) {
        (self.point.clamp(self.x, self.x + self.width), self.y)
    }

    fn is_within(&self, frame: &Frame) -> bool {
        self.x >= frame.left
            && self.x + self.width <= frame.right
            && self.y - Self::HALF >= frame.top
            && self.y + Self::HALF <= frame.bottom
    }
}

/// Gives every label the free place nearest to its point, most crowded points first.
fn place_labels(names: &[&str], points: &[(f64, f64)], front: &[(f64, f64)], frame: &Frame) -> Vec<Label> {
    let crowd = |index: &usize| {
        let near = |point: &&(f64, f64)| (point.0 - points[*index].0).abs() < 120.0 && (point.1 - points[*index].1).abs() < 24.0;
        points.iter().filter(near).count()
    };
    let mut order: Vec<usize> = (0..points.len()).collect();
    order.sort_by_key(|index| std::cmp::Reverse(crowd(index)));
    let mut placed: Vec<Option<Label>> = vec![None; points.len()];
    for index in order {
        let cost = |label: &Label| {
            let others = placed.iter().flatten().map(|other| label.overlap(other)).sum::<f64>();
            let covered = points.iter().filter(|point| label.covers(**point)).count() as f64;
            let crossed = front.windows(2).filter(|ends| crosses(label, ends[0], ends[1])).count() as f64;
            let outside = f64::from(u8::from(!label.is_within(frame)));
            let distance = (label.anchor().0 - points[index].0).hypot(label.y - points[index].1);
            others * 10.0 + covered * 200.0 + crossed * 30.0 + outside * 10_000.0 + distance
        };
        let candidates = candidates(points[index], text_width(names[index]));
        placed[index] = candidates.into_iter().min_by(|one, other| cost(one).total_cmp(&cost(other)));
    }
    placed.into_iter().flatten().collect()
}

/// The places of a label around its point: beside, above, below and between, at growing distances.
fn candidates((x, y): (f64, f64), width: f64) -> Vec<Label> {
    let mut candidates = Vec::new();
    for distance in [11.0, 20.0, 32.0, 46.0, 62.0] {
        let (right, left, centre) = (x + distance, x - distance - width, x - width / 2.0);
        let (near_right, near_left) = (x + distance * 0.6, x - distance * 0.6 - width);
        let sides = [
            (right, y, Align::Start),
            (left, y, Align::End),
            (centre, y - distance - 4.0, Align::Middle),
            (centre, y + distance + 4.0, Align::Middle),
            (near_right, y - distance, Align::Start),
            (near_right, y + distance, Align::Start),
            (near_left, y - distance, Align::End),
            (near_left, y + distance, Align::End),
        ];
        let far = distance > 20.0;
        candidates.extend(sides.map(|(left, middle, align)| Label { x: left, y: middle, width, far, point: x, align }));
    }
    candidates
}

/// Whether a straight line goes through a label, tried at points along it.
fn crosses(label: &Label, from: (f64, f64), to: (f64, f64)) -> bool {
    (0..=40).map(|step| f64::from(step) / 40.0).any(|part| {
        let (x, y) = (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part);
        (label.x..=label.x + label.width).contains(&x) && (y - label.y).abs() < Label::HALF
    })
}

fn bars(chart: &Bars) -> (f64, Markup) {
    let left = widest(chart.rows.iter()) + 16.0;
    let gap = 28.0;
    let width = (WIDTH - left - 12.0 - gap * (chart.panels.len() as f64 - 1.0)) / chart.panels.len() as f64;
    let (top, bottom) = (62.0, 62.0 + ROW * chart.rows.len() as f64);
    let content = html! {
        @for (index, row) in chart.rows.iter().enumerate() {
            (words("", "end", (left - 10.0, top + ROW * (index as f64 + 0.5) + 4.5), row))
        }
        @for (index, bars) in chart.panels.iter().enumerate() {
            (panel(bars, left + (width + gap) * index as f64, width, top, bottom))
        }
    };
    (bottom + 34.0, content)
}

fn panel(panel: &Panel, left: f64, width: f64, top: f64, bottom: f64) -> Markup {
    let tops = panel.bars.iter().filter_map(|bar| bar.ok()).map(|bar| bar.high);
    let floors = panel.ticks.iter().flatten().copied().chain(panel.line.iter().map(|(_, value)| *value));
    // The figure at the end of the longest bar stands within the panel.
    let axis = Axis::linear(tops.chain(floors), true, left, left + width - 46.0);
    html! {
        (words("head", "start", (left, 18.0), &panel.title))
        @for tick in &axis.ticks {
            (line("grid", (axis.at(*tick), top), (axis.at(*tick), bottom)))
            (words("quiet", "middle", (axis.at(*tick), bottom + 18.0), &axis.label(*tick)))
        }
        @if !panel.tick_label.is_empty() {
            (line("tick", (left + 2.0, 32.0), (left + 2.0, 46.0)))
            (words("quiet", "start", (left + 10.0, 43.0), &panel.tick_label))
        }
        @for (index, bar) in panel.bars.iter().enumerate() {
            (bar_row(bar, panel.ticks.get(index).copied().flatten(), &axis, top + ROW * (index as f64 + 0.5)))
        }
        @if let Some((name, value)) = &panel.line {
            (line("floor", (axis.at(*value), 48.0), (axis.at(*value), bottom)))
            (words("quiet", "start", ((axis.at(*value) - 4.0).max(left), 43.0), &format!("{name}: {}", number::figure(*value))))
        }
        (line("axis", (left, top), (left, bottom)))
    }
}

fn bar_row(bar: &Result<Summary, &'static str>, tick: Option<f64>, axis: &Axis, middle: f64) -> Markup {
    let bar = match bar {
        Ok(bar) => bar,
        Err(instead) => return words("quiet", "start", (axis.start + 6.0, middle + 4.5), instead),
    };
    let end = axis.at(bar.high.max(bar.median)) + 6.0;
    html! {
        rect.bar x=(number(axis.start)) y=(number(middle - 8.0)) width=(number(axis.at(bar.median) - axis.start)) height="16" {} (END)
        (line("whisker", (axis.at(bar.low), middle), (axis.at(bar.high), middle)))
        @if let Some(tick) = tick { (line("tick", (axis.at(tick), middle - 11.0), (axis.at(tick), middle + 11.0))) }
        (words("halo", "start", (end, middle + 4.5), &number::figure(bar.median)))
    }
}

fn dots(chart: &Dots) -> (f64, Markup) {
    let left = widest(chart.rows.iter().map(|(name, _)| name)) + 16.0;
    let right = WIDTH - 24.0;
    let top = 46.0 + 18.0 * chart.lines.len() as f64;
    let bottom = top + ROW * chart.rows.len() as f64;
    let values = chart.rows.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let axis = Axis::logarithmic(values.chain(chart.lines.iter().map(|(_, value)| *value)), left + 12.0, right);
    let content = html! {
        (shapes(&chart.series))
        @for tick in &axis.ticks {
            (line("grid", (axis.at(*tick), top), (axis.at(*tick), bottom)))
            (words("quiet", "middle", (axis.at(*tick), bottom + 18.0), &axis.label(*tick)))
        }
        @for (index, (name, value)) in chart.lines.iter().enumerate() {
            (floor(name, axis.at(*value), 44.0 + 18.0 * index as f64, *value, bottom))
        }
        @for (index, (name, values)) in chart.rows.iter().enumerate() {
            (dot_row(name, values, &axis, left, top + ROW * (index as f64 + 0.5)))
        }
        (words("head", "end", (right, bottom + 42.0), &format!("{} →", chart.axis)))
    };
    (bottom + 56.0, content)
}

fn shapes(series: &[String]) -> Markup {
    let mut x = 18.0;
    html! {
        @for (kind, name) in series.iter().enumerate() {
            (shape(kind, x, 16.0))
            (words("quiet", "start", (x + 12.0, 20.0), name))
            ({ x += 44.0 + text_width(name); "" })
        }
    }
}

/// A dashed line down the picture, its name on the side where there is room.
fn floor(name: &str, x: f64, y: f64, value: f64, bottom: f64) -> Markup {
    let name = format!("{name}: {}", number::figure(value));
    let (anchor, at) = if x + 8.0 + text_width(&name) < WIDTH { ("start", x + 6.0) } else { ("end", x - 6.0) };
    html! {
        (line("floor", (x, y - 10.0), (x, bottom)))
        (words("quiet halo", anchor, (at, y), &name))
    }
}

fn dot_row(name: &str, values: &[Option<f64>], axis: &Axis, left: f64, middle: f64) -> Markup {
    let (least, most) = extent(values.iter().flatten().map(|value| axis.at(*value)));
    html! {
        (words("", "end", (left - 6.0, middle + 4.5), name))
        @if values.iter().flatten().count() > 1 { (line("span", (least, middle), (most, middle))) }
        @for (kind, value) in values.iter().enumerate() {
            @if let Some(value) = value { (shape(kind, axis.at(*value), middle)) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_hold_all_values() {
        let axis = Axis::linear([78.2, 163.2].into_iter(), false, 0.0, 100.0);
        assert!(axis.low < 78.2 && axis.high > 163.2 && axis.ticks == [80.0, 100.0, 120.0, 140.0, 160.0]);
        let axis = Axis::logarithmic([1.5, 435.0].into_iter(), 0.0, 100.0);
        assert_eq!(axis.ticks, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0]);
        assert!((axis.at(1.0), axis.at(500.0)) == (0.0, 100.0));
        for values in [vec![], vec![0.0], vec![5.0], vec![5.0, 5.0]] {
            let axis = Axis::linear(values.iter().copied(), false, 0.0, 100.0);
            assert!(values.iter().all(|value| (0.0..=100.0).contains(&axis.at(*value))), "{values:?}");
        }
    }

    #[test]
    fn labels_of_crowded_points_do_not_overlap() {
        let points: Vec<(f64, f64)> = (0..8).map(|index| (300.0 + f64::from(index % 3) * 9.0, 200.0 + f64::from(index) * 6.0)).collect();
        let names = ["messagepack-array"; 8];
        let frame = Frame { left: 0.0, right: 880.0, top: 0.0, bottom: 450.0 };
        let labels = place_labels(&names, &points, &points[..2], &frame);
        for (index, label) in labels.iter().enumerate() {
            assert!(label.is_within(&frame));
            assert!(labels[..index].iter().all(|other| label.overlap(other) == 0.0), "{index}");
        }
    }
}
