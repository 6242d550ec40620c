//! A store in one SQLite file, or in memory.

mod askers;
mod backend;
mod caches;
mod calls;
mod collect;
mod content;
mod database;
mod folding;
mod grants;
mod log;
mod messages;
mod opened;
mod own_edits;
mod readers;
mod ready;
mod row;
mod schema;
mod session_row;
mod sessions;
mod turns;
mod uptime;
mod writes;

pub use backend::{ReadOnly, Sqlite};
pub use opened::SqliteStore;
pub use uptime::Uptime;
