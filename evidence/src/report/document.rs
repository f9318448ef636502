//! A page as data: what it says, before anything decides how that looks. Both renderers read this and nothing else.

use super::chart::Figure;
use super::table::Table;

/// A whole page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    /// The heading of the page.
    pub(crate) title: String,
    /// What stands before the first section.
    pub(crate) lead: Vec<Block>,
    /// The sections, in their order.
    pub(crate) sections: Vec<Section>,
}

impl Document {
    /// Every figure, wherever it stands, in reading order.
    pub(crate) fn figures(&self) -> Vec<&Figure> {
        let mut figures = Vec::new();
        let sections = self.sections.iter().map(|section| &section.blocks);
        for blocks in std::iter::once(&self.lead).chain(sections) {
            collect_figures(blocks, &mut figures);
        }
        figures
    }
}

fn collect_figures<'d>(blocks: &'d [Block], figures: &mut Vec<&'d Figure>) {
    for block in blocks {
        match block {
            Block::Figure(figure) => figures.push(figure),
            Block::Fold { blocks, .. } | Block::Page { blocks, .. } => collect_figures(blocks, figures),
            _ => {}
        }
    }
}

/// A part of a page with a heading of its own, listed in the table of contents.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Section {
    /// The anchor: lower case, hyphens, unique on the page.
    pub(crate) id: String,
    /// The heading.
    pub(crate) title: String,
    /// The file that Markdown gives the section, where it would make the page too long; seen from the report's folder.
    pub(crate) file: Option<String>,
    /// The content.
    pub(crate) blocks: Vec<Block>,
}

impl Section {
    /// A section of the page itself.
    pub(crate) fn new(id: impl Into<String>, title: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self { id: id.into(), title: title.into(), file: None, blocks }
    }

    /// A section that is a file of its own in Markdown; the page keeps its first block and a link.
    pub(crate) fn in_file(mut self, file: impl Into<String>) -> Self {
        self.file = Some(file.into());
        self
    }
}

/// One piece of content.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Block {
    /// A heading below the section's.
    Heading(String),
    /// A paragraph.
    Prose(Text),
    /// A list.
    List(Vec<Text>),
    /// A table.
    Table(Table),
    /// A picture; its table follows it.
    Figure(Figure),
    /// The form that answers a wish where there is script, with the facts that it works on as JSON; nothing where there is none.
    Chooser(String),
    /// Lines to type.
    Code(String),
    /// Content that is closed until the reader opens it.
    Fold {
        /// What stands on the closed fold.
        summary: String,
        /// What is inside.
        blocks: Vec<Block>,
    },
    /// A page of its own in Markdown; a fold where everything is one file.
    Page {
        /// The file, seen from the report's folder.
        file: String,
        /// The heading, and what stands on the closed fold.
        title: String,
        /// What is on it.
        blocks: Vec<Block>,
    },
}

impl Block {
    /// A paragraph.
    pub(crate) fn prose(text: impl Into<Text>) -> Self {
        Self::Prose(text.into())
    }
}

/// Running text.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Text(Vec<Span>);

/// A stretch of running text.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Span {
    /// As it is.
    Plain(String),
    /// Emphasised.
    Strong(String),
    /// As typed into or printed by a program.
    Code(String),
    /// The letter of an outcome: coloured, and readable without colour.
    Outcome(String),
    /// Leads elsewhere.
    Link {
        /// What is read.
        text: String,
        /// Where it leads, seen from the page.
        target: String,
    },
}

impl Text {
    /// Adds text as it is.
    pub(crate) fn plain(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Plain(text.into()));
        self
    }

    /// Adds emphasised text.
    pub(crate) fn strong(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Strong(text.into()));
        self
    }

    /// Adds code.
    pub(crate) fn code(mut self, text: impl Into<String>) -> Self {
        self.0.push(Span::Code(text.into()));
        self
    }

    /// Adds the letter of an outcome.
    pub(crate) fn outcome(mut self, letter: impl Into<String>) -> Self {
        self.0.push(Span::Outcome(letter.into()));
        self
    }

    /// Adds a link.
    pub(crate) fn link(mut self, text: impl Into<String>, target: impl Into<String>) -> Self {
        self.0.push(Span::Link { text: text.into(), target: target.into() });
        self
    }

    /// The stretches.
    pub(crate) fn spans(&self) -> &[Span] {
        &self.0
    }
}

impl<T: Into<String>> From<T> for Text {
    fn from(text: T) -> Self {
        Self::default().plain(text)
    }
}
