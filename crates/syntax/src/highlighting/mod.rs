//! Syntax highlighting: the classes of the words of a text, for display in colours.
//!
//! Uses the highlighting queries of the grammars on the same trees that entities are parsed from.
//! Embedded code (scripts in HTML, fenced code in Markdown) is plain text. A text that is not
//! parsed or takes too long has no highlights.

mod highlight_class;
mod highlight_queries;
mod highlighter;

pub use self::highlight_class::HighlightClass;
pub use self::highlighter::{
    HIGHLIGHTED_BYTES_MAX, HIGHLIGHTED_LINE_BYTES_MAX, HIGHLIGHTED_OPEN_BRACKETS_MAX, Highlight,
    highlight_file, highlight_fragment,
};
