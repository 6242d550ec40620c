//! The parts of source files that matter to a conversation or a question.
//!
//! Pure functions of texts and parsed files, without files, stores or threads. A curated view keeps
//! the lines that a query needs; a summary keeps the entities that matter most; relations connect
//! the files of a folder, and rankings order them.

pub mod bm25;
pub mod curated_view_source;
pub mod curation;
pub mod embedding;
pub mod numbered_listing;
pub mod outline_listing;
pub mod ranking;
pub mod relations;
pub mod repository_map;
pub mod score_fusion;
pub mod summary;
pub mod synonyms;
pub mod terms;

mod file_role;
mod parsed_file_cache;

pub use self::file_role::FileRole;
