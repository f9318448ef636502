//! A document as Markdown, as GitHub reads it.

use std::fmt::Write;

use super::document::{Block, Document, Span, Text};
use super::svg;
use super::table::{Column, Row, Shown, Table};

/// The page, and the files that its long parts have of their own: each a name, seen from the report's folder, and its content.
pub(crate) fn files(document: &Document, index: &str) -> Vec<(String, String)> {
    let mut page = Page::new(index, index, &document.title);
    page.blocks(&document.lead);
    let contents = document.sections.iter().map(|section| Text::default().link(&section.title, format!("#{}", section.id)));
    page.blocks(&[Block::List(contents.collect())]);
    for section in &document.sections {
        // GitHub makes anchors from headings in its own way; ours are the same in both renderings.
        page.put(&format!("<a id=\"{}\"></a>", section.id));
        page.put(&format!("## {}", escape(&section.title)));
        match &section.file {
            None => page.blocks(&section.blocks),
            Some(file) => {
                page.blocks(section.blocks.get(..1).unwrap_or_default());
                page.content.push('\n');
                page.own_page(file, &section.title, &section.blocks);
            }
        }
    }
    let mut files = vec![(index.to_owned(), page.content)];
    files.append(&mut page.others);
    files
}

/// A file that is being written, and those that it leads to.
struct Page<'d> {
    file: String,
    index: &'d str,
    content: String,
    others: Vec<(String, String)>,
}

impl<'d> Page<'d> {
    fn new(file: &str, index: &'d str, title: &str) -> Self {
        Self { file: file.to_owned(), index, content: format!("# {}\n", escape(title)), others: Vec::new() }
    }

    /// A blank line, and then a block.
    fn put(&mut self, block: &str) {
        self.content.push('\n');
        self.content.push_str(block.trim_end());
        self.content.push('\n');
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for (place, block) in blocks.iter().enumerate() {
            match block {
                Block::Heading(heading) => self.put(&format!("### {}", escape(heading))),
                Block::Prose(text) => self.put(&self.inline(text)),
                Block::List(items) => self.put(&self.list(items)),
                Block::Table(table) => self.put(&self.render(table)),
                Block::Figure(figure) => {
                    let description = escape(&format!("{}. {}", figure.title, figure.description));
                    self.put(&format!("![{description}]({})", self.relative(&svg::file_name(figure))));
                }
                Block::Chooser(_) => {}
                Block::Code(lines) => self.put(&format!("```sh\n{lines}\n```")),
                Block::Fold { summary, blocks: inside } => {
                    self.put(&format!("<details>\n<summary>{}</summary>", escape(summary)));
                    self.blocks(inside);
                    self.put("</details>");
                }
                Block::Page { file, title, blocks: inside } => {
                    // Pages that follow each other are one list.
                    if !matches!(place.checked_sub(1).map(|before| &blocks[before]), Some(Block::Page { .. })) {
                        self.content.push('\n');
                    }
                    self.own_page(file, title, inside);
                }
            }
        }
    }

    /// Blocks in a file of their own, and an item that leads there.
    fn own_page(&mut self, file: &str, title: &str, blocks: &[Block]) {
        let _ = writeln!(self.content, "- [{}]({})", escape(title), self.relative(file));
        let mut page = Page::new(file, self.index, title);
        page.put(&format!("[The whole report]({})", page.relative(self.index)));
        page.blocks(blocks);
        self.others.push((file.to_owned(), page.content));
        self.others.append(&mut page.others);
    }

    /// A target as the file of this page has to name it. Anchors are those of the index, wherever the text stands.
    fn relative(&self, target: &str) -> String {
        let up = "../".repeat(self.file.matches('/').count());
        if target.contains("://") || (target.starts_with('#') && self.file == self.index) {
            target.to_owned()
        } else if target.starts_with('#') {
            format!("{up}{}{target}", self.index)
        } else {
            format!("{up}{target}")
        }
    }

    fn list(&self, items: &[Text]) -> String {
        items.iter().fold(String::new(), |mut list, item| {
            let _ = writeln!(list, "- {}", self.inline(item));
            list
        })
    }

    fn render(&self, table: &Table) -> String {
        let mut lines = vec![format!("**{}.**", self.inline(&table.caption)), String::new()];
        lines.push(line(table.columns.iter().map(heading)));
        lines.push(line(table.columns.iter().map(|column| if column.kind.is_numeric() { "---:" } else { "---" }.to_owned())));
        lines.extend(table.rows.iter().map(|row| line(self.cells(row).into_iter())));
        let notes = table.footnotes();
        if !notes.is_empty() {
            lines.extend([String::new(), self.list(&notes)]);
        }
        lines.join("\n")
    }

    fn cells(&self, row: &Row) -> Vec<String> {
        let mut cells: Vec<String> = row.cells.iter().map(|cell| self.cell(cell.shown(), cell.best)).collect();
        if let (Some(label), Some(first)) = (row.mark.label(), cells.first_mut()) {
            *first = format!("{first} · *{label}*");
        }
        cells
    }

    fn cell(&self, shown: Shown, best: bool) -> String {
        let text = match shown {
            Shown::Text(text) => self.inline(&text),
            Shown::Figure(figure, None) => figure,
            Shown::Figure(figure, Some(range)) if best => return format!("**{figure}** {range}"),
            Shown::Figure(figure, Some(range)) => format!("{figure} {range}"),
            Shown::Sign(sign) => sign.to_owned(),
        };
        if best { format!("**{text}**") } else { text }
    }

    fn inline(&self, text: &Text) -> String {
        let span = |span: &Span| match span {
            Span::Plain(text) => escape(text),
            Span::Strong(text) => format!("**{}**", escape(text)),
            Span::Code(text) => code(text),
            // In black and white what is silent stands out by its weight.
            Span::Outcome(letter) if letter == "S" => format!("**{letter}**"),
            Span::Outcome(letter) => escape(letter),
            Span::Link { text, target } => format!("[{}]({})", escape(text), self.relative(target)),
        };
        text.spans().iter().map(span).collect()
    }
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
    fn targets_are_seen_from_the_file_that_names_them() {
        let targets = ["https://example.org/a", "#sizes", "a.svg", "../EVOLUTION.md"];
        for (file, expected) in [
            ("index.md", ["https://example.org/a", "#sizes", "a.svg", "../EVOLUTION.md"]),
            ("trust.md", ["https://example.org/a", "index.md#sizes", "a.svg", "../EVOLUTION.md"]),
            ("a/b.md", ["https://example.org/a", "../index.md#sizes", "../a.svg", "../../EVOLUTION.md"]),
        ] {
            assert_eq!(targets.map(|target| Page::new(file, "index.md", "").relative(target)), expected, "{file}");
        }
    }

    #[test]
    fn a_table_has_a_line_a_row_whatever_is_in_it() {
        let mut table = Table::new("c|aption").words("na|me").numbers("time", "ns");
        table.row(Mark::Tie, vec![Cell::text("a|\nb"), Cell::number(1.5)]);
        let expected = "**c\\|aption.**\n\n| na\\|me | time, ns |\n| --- | ---: |\n| a\\| b · *tie* | 1.50 |";
        assert_eq!(Page::new("index.md", "index.md", "").render(&table), expected);
    }
}
