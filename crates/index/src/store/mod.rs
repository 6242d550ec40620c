//! The index on disk: one SQLite database.
//!
//! Each file of the repository is one row that does not depend on other files, so that a changed
//! file is one write, and two indexes of the same files are equal. Row numbers are never reused: a
//! loaded row with the same number has not changed.

mod database;
mod index_change;
mod inspection;
mod lock_wait;
mod models;
mod rows;
mod schema;
mod settings;
mod summary_rows;

pub use inspection::{IndexFileStatus, inspect_index_file, read_definitions};
pub use lock_wait::LockWait;
pub use rows::IndexSize;

pub(crate) use database::IndexStore;
pub(crate) use index_change::IndexChange;
pub(crate) use rows::{
    AnalysedFile, EncodedContent, FileRow, FileVectors, IndexedFile, LoadedFileRow, ModelNumber,
    RowId, StoredModel, VectorsId,
};
pub(crate) use settings::IndexSetting;
