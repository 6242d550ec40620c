//! What the words of a text are, for showing it in colours.
//!
//! From the highlighting queries that come with the grammars, asked of the same trees that
//! entities are read from. Code inside other code (scripts in HTML, fenced code in Markdown)
//! is text. What takes too long, or is not parsed at all, has no highlights.

mod class;
mod highlights;
mod queries;

pub use self::class::HighlightClass;
pub use self::highlights::{
    HIGHLIGHTED_BYTES_MAX, HIGHLIGHTED_LINE_BYTES_MAX, HIGHLIGHTED_OPEN_BRACKETS_MAX, Highlight,
    highlights, highlights_of_piece,
};
