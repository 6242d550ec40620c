//! The syntax of source files: entities, outlines and highlights.
//!
//! Pure functions of a path and a text, without files, stores or threads. A file is parsed to
//! entities with exact line ranges; an outline shows its structure.

pub mod highlighting;

mod entity;
mod file_class;
mod language;
mod language_spec;
mod line_range;
mod outline;
mod paragraphs;
mod parse_limits;
mod parser;
mod tree_walk;

pub use self::entity::{
    Entity, EntityIndex, EntityKind, Import, ImportedName, Mention, MentionKind, ParsedFile,
    SourceStatement, Visibility,
};
pub use self::file_class::FileClass;
pub use self::language::Language;
pub use self::language_spec::contains_word;
pub use self::line_range::LineRange;
pub use self::outline::{
    LineCursor, OmittedLines, Outline, OutlinePart, is_in_outline, keep_short_gaps, mark_lines,
    outline,
};
pub use self::parse_limits::{BYTES_PARSED_MAX, STATEMENT_LINES_MAX};
pub use self::parser::{parse_file, parse_file_until_cancelled};
