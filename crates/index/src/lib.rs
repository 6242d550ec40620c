//! The index of a repository on disk: updating and searching.
//!
//! [`Index`] walks a folder, analyses and embeds changed files with `foveal-syntax` and `foveal-relevance`, and stores the
//! result in one SQLite file that several processes can use. All work can be cancelled at any time;
//! finished work is kept. A damaged store is quarantined. It and a store of another version are
//! rebuilt.

mod analysis;
mod chunker;
mod compression;
mod embedding;
mod entity_names;
mod error;
mod file_jobs;
mod file_queue;
mod file_update;
mod folder_walk;
mod folder_watcher;
mod index;
mod model_probe;
mod model_summary;
mod name_links;
mod pending_changes;
mod progress;
mod ranking;
mod search_hit;
mod secrets;
mod segment;
mod segment_loader;
mod source_text;
mod store;
mod structural_score;
mod summary_search;
mod symbols;
mod text_terms;
mod vector_codec;

pub use self::analysis::{FileChunk, file_chunks};
pub use self::error::IndexError;
pub use self::file_queue::{FileQueue, QUEUED_FILES_MAX};
pub use self::folder_walk::{FILE_BYTES_MAX, FILES_MAX};
pub use self::folder_watcher::{FolderChanges, FolderWatcher};
pub use self::index::{EmbedderSelection, Index};
pub use self::model_summary::{
    EntityDescription, EntitySummary, InferredRelation, ModelSummary, SummaryJob, SummaryPart,
    SummaryPrompt, describe_entity, relations_schema, summaries_schema,
};
pub use self::progress::{UpdateProgress, UpdateStage, UpdateSummary};
pub use self::ranking::{MatchReason, SearchOptions};
pub use self::search_hit::SearchHit;
pub use self::secrets::may_hold_secrets;
pub use self::source_text::{decode_text, parse_file};
pub use self::store::{IndexFileStatus, IndexSize, LockWait, inspect_index_file, read_definitions};
