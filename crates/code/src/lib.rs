//! Source files: their entities, and the lines that matter to a conversation.
//!
//! Pure functions of a path and a text, without files, stores or threads. A file is parsed to
//! entities with exact line ranges; an outline shows its structure; a curated view keeps the lines
//! that a query needs.

pub mod bm25;
pub mod curated_view_source;
pub mod curation;
pub mod embedding;
pub mod highlighting;
pub mod numbered_listing;
pub mod ranking;
pub mod relations;
pub mod repository_map;
pub mod score_fusion;
pub mod summary;
pub mod synonyms;
pub mod terms;

mod entity;
mod file_class;
mod file_role;
mod language;
mod language_spec;
mod line_range;
mod outline;
mod paragraphs;
mod parse_limits;
mod parsed_file_cache;
mod parser;
mod tree_walk;

pub use foveal_transcript::LineNumber;

pub use self::entity::{
    Entity, EntityIndex, EntityKind, Import, ImportedName, Mention, MentionKind, ParsedFile,
    SourceStatement, Visibility,
};
pub use self::file_class::FileClass;
pub use self::file_role::FileRole;
pub use self::language::Language;
pub use self::line_range::LineRange;
pub use self::outline::{OmittedLines, Outline, OutlinePart, outline};
pub use self::parse_limits::{
    BYTES_PARSED_MAX, ENTITIES_MAX, IMPORTS_MAX, LINE_BYTES_MAX, LINES_CURATED_MAX, MENTIONS_MAX,
    STATEMENTS_MAX,
};
pub use self::parser::{parse_file, parse_file_until_cancelled};
