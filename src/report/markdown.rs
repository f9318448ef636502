//! A document as Markdown, as GitHub reads it.

use std::fmt::Write;

use super::document::{Block, Document, Span, Text};
use super::svg;
use super::table::{Column, Row, Shown, Table};

/// The whole page.
pub(crate) fn page(document: &Document) -> String {
    let mut page = format!("# {}\n", escape(&document.title));
    blocks(&mut page, &document.lead);
    let contents = document.sections.iter().map(|section| Text::default().link(&section.title, format!("#{}", section.id)));
    blocks(&mut page, &[Block::List(contents.collect())]);
    for section in &document.sections {
        // GitHub makes anchors from headings in its own way; ours are the same in both renderings.
        put(&mut page, &format!("<a id=\"{}\"></a>", section.id));
        put(&mut page, &format!("## {}", escape(&section.title)));
        blocks(&mut page, &section.blocks);
    }
    page
}

/// A blank line, and then a block.
fn put(page: &mut String, block: &str) {
    page.push('\n');
    page.push_str(block.trim_end());
    page.push('\n');
}

fn blocks(page: &mut String, blocks: &[Block]) {
    for block in blocks {
        match block {
            Block::Heading(heading) => put(page, &format!("### {}", escape(heading))),
            Block::Prose(text) => put(page, &inline(text)),
            Block::List(items) => put(page, &list(items)),
            Block::Table(table) => put(page, &render(table)),
            Block::Figure(figure) => {
                put(page, &format!("![{}]({})", escape(&format!("{}. {}", figure.title, figure.description)), svg::file_name(figure)))
            }
            Block::Code(lines) => put(page, &format!("```sh\n{lines}\n```")),
            Block::Fold { summary, blocks: inside } => {
                put(page, &format!("<details>\n<summary>{}</summary>", escape(summary)));
                self::blocks(page, inside);
                put(page, "</details>");
            }
        }
    }
}

fn list(items: &[Text]) -> String {
    items.iter().fold(String::new(), |mut list, item| {
        let _ = writeln!(list, "- {}", inline(item));
        list
    })
}

fn render(table: &Table) -> String {
    let mut lines = vec![format!("**{}.**", inline(&table.caption)), String::new()];
    lines.push(line(table.columns.iter().map(heading)));
    lines.push(line(table.columns.iter().map(|column| if column.kind.is_numeric() { "---:" } else { "---" }.to_owned())));
    lines.extend(table.rows.iter().map(|row| line(cells(row).into_iter())));
    let notes = table.footnotes();
    if !notes.is_empty() {
        lines.extend([String::new(), list(&notes)]);
    }
    lines.join("\n")
}

fn line(cells: impl Iterator<Item = String>) -> String {
    cells.fold("|".to_owned(), |line, cell| format!("{line} {cell} |"))
}

fn heading(column: &Column) -> String {
    match column.kind.unit() {
        Some(unit) => escape(&format!("{}, {unit}", column.name)),
        None => escape(&column.name),
    }
}

fn cells(row: &Row) -> Vec<String> {
    let mut cells: Vec<String> = row.cells.iter().map(|cell| cell_text(cell.shown(), cell.best)).collect();
    if let (Some(label), Some(first)) = (row.mark.label(), cells.first_mut()) {
        *first = format!("{first} · *{label}*");
    }
    cells
}

fn cell_text(shown: Shown, best: bool) -> String {
    let text = match shown {
        Shown::Text(text) => inline(&text),
        Shown::Figure(figure, None) => figure,
        Shown::Figure(figure, Some(range)) if best => return format!("**{figure}** {range}"),
        Shown::Figure(figure, Some(range)) => format!("{figure} {range}"),
        Shown::Sign(sign) => sign.to_owned(),
    };
    if best { format!("**{text}**") } else { text }
}

fn inline(text: &Text) -> String {
    let span = |span: &Span| match span {
        Span::Plain(text) => escape(text),
        Span::Strong(text) => format!("**{}**", escape(text)),
        Span::Code(text) => code(text),
        // In black and white what is silent stands out by its weight.
        Span::Outcome(letter) if letter == "S" => format!("**{letter}**"),
        Span::Outcome(letter) => escape(letter),
        Span::Link { text, target } => format!("[{}]({target})", escape(text)),
    };
    text.spans().iter().map(span).collect()
}

/// A fence one longer than any within; a bar would end a table's cell even here.
fn code(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let padding = if longest > 0 { " " } else { "" };
    format!("{fence}{padding}{}{padding}{fence}", text.replace('|', "\\|").replace(['\n', '\r'], " "))
}

/// Whatever Markdown, a table or GitHub would read as more than text.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '#' | '$' => escaped.extend(['\\', letter]),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '\n' | '\r' => escaped.push(' '),
            letter => escaped.push(letter),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::table::{Cell, Mark};

    #[test]
    fn what_has_a_meaning_is_escaped() {
        for (text, expected) in [
            ("a|b", "a\\|b"),
            ("<i>&", "&lt;i&gt;&amp;"),
            ("*x* _y_ `z` [l](t)", "\\*x\\* \\_y\\_ \\`z\\` \\[l\\](t)"),
            ("two\nlines", "two lines"),
        ] {
            assert_eq!(escape(text), expected);
        }
        assert_eq!(code("a|b"), "`a\\|b`");
        assert_eq!(code("`"), "`` ` ``");
    }

    #[test]
    fn a_table_has_a_line_a_row_whatever_is_in_it() {
        let mut table = Table::new("c|aption").words("na|me").numbers("time", "ns");
        table.row(Mark::Tie, vec![Cell::text("a|\nb"), Cell::number(1.5)]);
        let expected = "**c\\|aption.**\n\n| na\\|me | time, ns |\n| --- | ---: |\n| a\\| b · *tie* | 1.50 |";
        assert_eq!(render(&table), expected);
    }
}
