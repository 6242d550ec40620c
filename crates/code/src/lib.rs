//! What a source file consists of, and which of its lines matter to a conversation.
//!
//! Pure over `(path, text)`: files, stores and threads are elsewhere. A file becomes
//! entities with exact line ranges; an outline shows its structure; a curated view keeps
//! the lines a question needs.

pub mod bm25;
pub mod curate;
pub mod embed;
pub mod fusion;
pub mod highlight;
pub mod listing;
pub mod map;
pub mod ranked;
pub mod relations;
pub mod summary;
pub mod synonyms;
pub mod terms;
pub mod views;

mod bounds;
mod entity;
mod fallback;
mod file_class;
mod file_role;
mod language;
mod lines;
mod outline;
mod parse;
mod read_files;
mod spec;
mod walk;

pub use foveal_transcript::LineNumber;

pub use self::bounds::{
    BLOCKS_MAX, BYTES_PARSED_MAX, ENTITIES_MAX, IMPORTS_MAX, LINE_BYTES_MAX, LINES_CURATED_MAX,
    MENTIONS_MAX,
};
pub use self::entity::{
    Block, Entity, EntityIndex, EntityKind, Import, ImportedName, Mention, MentionKind, Parsed,
    Visibility,
};
pub use self::file_class::FileClass;
pub use self::file_role::FileRole;
pub use self::language::Language;
pub use self::lines::LineRange;
pub use self::outline::{Gap, Outline, OutlinePart, outline};
pub use self::parse::{parse, parse_until};
