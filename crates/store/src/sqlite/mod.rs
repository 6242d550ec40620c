//! A store in one SQLite file, or in memory.

mod backend;
mod call_readers;
mod calls;
mod client_edits;
mod columns;
mod content;
mod database;
mod file_writes;
mod garbage_collection;
mod grants;
mod packed_content;
mod prepared_contents;
mod reader_notes;
mod schema;
mod session_log;
mod session_row;
mod sessions;
mod shared_caches;
mod sqlite_store;
mod turns;
mod uptime;
mod wal_checkpoint;

pub use backend::{ReadOnlyStore, SqliteBackend};
pub use sqlite_store::SqliteStore;
pub use uptime::Uptime;
