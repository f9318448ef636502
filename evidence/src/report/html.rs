//! A document as one HTML page that needs nothing else: no font, no file from elsewhere, and no script to be read.

use maud::{Markup, PreEscaped, html};

use super::chart::Figure;
use super::chooser;
use super::document::{Block, Document, Span, Text};
use super::svg;
use super::table::{Cell, Column, Row, Shown, Table};

/// The page's own rules; those of the pictures are [`svg::STYLE`], which also holds the colours.
const STYLE: &str = include_str!("style.css");

/// A line end: a file is compared and reviewed by lines.
const END: PreEscaped<&str> = PreEscaped("\n");

/// The whole page.
pub(crate) fn page(document: &Document) -> String {
    let page = html! {
        (maud::DOCTYPE) (END)
        html lang="en" {
            (head(&document.title))
            body { (END)
                a.skip href="#content" { "Skip to the content" } (END)
                header {
                    h1 { (document.title) } (END)
                    (blocks(&document.lead))
                } (END)
                (contents(document))
                main #content tabindex="-1" { (END)
                    @for section in &document.sections {
                        section aria-labelledby=(section.id) { (END)
                            h2 id=(section.id) { (section.title) } (END)
                            (blocks(&section.blocks))
                        } (END)
                    }
                } (END)
                (chooser::scripts()) (END)
            }
        } (END)
    };
    page.into_string()
}

fn head(title: &str) -> Markup {
    html! {
        head { (END)
            meta charset="utf-8"; (END)
            meta name="viewport" content="width=device-width, initial-scale=1"; (END)
            meta name="color-scheme" content="light dark"; (END)
            title { (title) } (END)
            style { (END) (PreEscaped(svg::STYLE)) (PreEscaped(STYLE)) } (END)
        } (END)
    }
}

fn contents(document: &Document) -> Markup {
    html! {
        nav aria-label="Contents" {
            ul {
                @for section in &document.sections {
                    li { a href={ "#" (section.id) } { (section.title) } } (END)
                }
            }
        } (END)
    }
}

fn blocks(blocks: &[Block]) -> Markup {
    html! {
        @for block in blocks {
            @match block {
                Block::Heading(heading) => { h3 { (heading) } }
                Block::Prose(text) => { p { (inline(text)) } }
                Block::List(items) => { ul { @for item in items { li { (inline(item)) } (END) } } }
                Block::Table(table) => { (render(table)) }
                Block::Figure(figure) => { (picture(figure)) }
                Block::Chooser(facts) => { (chooser::form(facts)) }
                Block::Code(lines) => { pre.scroll tabindex="0" { code { (lines) } } }
                Block::Fold { summary, blocks: inside } | Block::Page { title: summary, blocks: inside, .. } => {
                    details { summary { (summary) } (END) (self::blocks(inside)) }
                }
            } (END)
        }
    }
}

/// A picture, how to link to it, and its file, which lies beside the page.
fn picture(figure: &Figure) -> Markup {
    html! {
        figure id=(figure.id) {
            div.scroll role="region" tabindex="0" aria-label=(figure.title) { (svg::inline(figure)) } (END)
            figcaption.tools {
                a href={ "#" (figure.id) } aria-label={ "Link to the picture: " (figure.title) } { "Link" } " "
                a.download href=(svg::file_name(figure)) download=(svg::file_name(figure)) aria-label={ "SVG, a file of the picture: " (figure.title) } { "SVG" }
            }
        }
    }
}

fn render(table: &Table) -> Markup {
    let notes = table.footnotes();
    let caption: String = table.caption.spans().iter().map(plain).collect();
    html! {
        div.scroll role="region" tabindex="0" aria-label=(caption) {
            table { (END)
                caption { (inline(&table.caption)) } (END)
                thead { tr { @for column in &table.columns { (heading(column)) } } } (END)
                tbody { (END) @for row in &table.rows { (line(table, row)) (END) } }
            }
        }
        @if !notes.is_empty() { (END) ul.notes { @for note in notes { li { (inline(&note)) } (END) } } }
    }
}

fn heading(column: &Column) -> Markup {
    html! {
        th scope="col" class=[column.kind.is_numeric().then_some("number")] {
            // The sign stays with what it is about.
            (column.name.replace("× ", "×\u{a0}"))
            @if let Some(unit) = column.kind.unit() { span.unit { " " (unit) } }
        }
    }
}

fn line(table: &Table, row: &Row) -> Markup {
    html! {
        tr class=[row.mark.label()] {
            @for (index, (cell, column)) in row.cells.iter().zip(&table.columns).enumerate() {
                @if index == 0 {
                    th scope="row" class=[column.kind.is_numeric().then_some("number")] {
                        (content(cell))
                        @if let Some(label) = row.mark.label() { " " span.mark { (label) } }
                    }
                } @else {
                    td class=[class(column, cell)] { (content(cell)) }
                }
            }
        }
    }
}

fn class(column: &Column, cell: &Cell) -> Option<&'static str> {
    match (column.kind.is_numeric(), cell.best) {
        (true, true) => Some("number best"),
        (true, false) => Some("number"),
        (false, true) => Some("best"),
        (false, false) => is_short(cell).then_some("short"),
    }
}

/// Whether a cell of words reads better in one line.
fn is_short(cell: &Cell) -> bool {
    match cell.shown() {
        Shown::Text(text) => text.spans().iter().map(|span| plain(span).chars().count()).sum::<usize>() <= 18,
        Shown::Figure(..) | Shown::Sign(_) => true,
    }
}

fn content(cell: &Cell) -> Markup {
    match cell.shown() {
        Shown::Text(text) => inline(&text),
        Shown::Figure(figure, range) => html! { (figure) @if let Some(range) = range { " " span.range { (range) } } },
        Shown::Sign(sign) => html! { span.sign { (sign) } },
    }
}

fn inline(text: &Text) -> Markup {
    html! {
        @for span in text.spans() {
            @match span {
                Span::Plain(text) => { (text) }
                Span::Strong(text) => { strong { (text) } }
                Span::Code(text) => { code { (text) } }
                Span::Outcome(letter) => { span class={ "outcome outcome-" (outcome_class(letter)) } { (letter) } }
                Span::Link { text, target } => { a href=(target) { (text) } }
            }
        }
    }
}

/// The letters that are no part of a class's name have names of their own.
fn outcome_class(letter: &str) -> String {
    if letter == "!" { "crash".to_owned() } else { letter.to_lowercase() }
}

fn plain(span: &Span) -> &str {
    match span {
        Span::Plain(text) | Span::Strong(text) | Span::Code(text) | Span::Outcome(text) | Span::Link { text, .. } => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::Mark;

    #[test]
    fn text_cannot_become_markup() {
        let mut table = Table::new("<caption>\"").words("<b>");
        table.row(Mark::Plain, vec![Cell::text("a|b <script>")]);
        let rendered = render(&table).into_string();
        assert!(!rendered.contains("<script>") && !rendered.contains("<b>") && !rendered.contains("<caption>\""));
        assert!(rendered.contains("a|b &lt;script&gt;"));
    }

    #[test]
    fn headings_have_scope_and_marks_have_words() {
        let mut table = Table::new("").words("format").numbers("time", "ns");
        table.row(Mark::Floor, vec![Cell::text("clone"), Cell::number(2.0)]);
        let rendered = render(&table).into_string();
        for part in [
            r#"<th scope="col">format</th>"#,
            r#"<th scope="col" class="number">time<span class="unit"> ns</span></th>"#,
            r#"<tr class="floor"><th scope="row">clone <span class="mark">floor</span></th><td class="number">2.00</td></tr>"#,
        ] {
            assert!(rendered.contains(part), "{rendered}");
        }
    }
}
