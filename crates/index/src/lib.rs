//! The index of a repository on disk, kept up to date and searched.
//!
//! [`Index`] walks a folder, has `foveal-code` read and embed what has changed, and keeps
//! it in one SQLite file that several processes may use. All of it can be stopped at any
//! time; what was done is kept. A damaged store is set aside, and it and one of another version
//! are built anew.

mod analysis;
mod chunk;
mod embedding;
mod error;
mod index;
mod jobs;
mod likeness;
mod links;
mod load;
mod model;
mod names;
mod packed;
mod pending;
mod progress;
mod queue;
mod ranking;
mod said;
mod said_parts;
mod search;
mod secrets;
mod segment;
mod source;
mod store;
mod symbols;
mod text_terms;
mod update;
mod vectors;
mod walk;
mod watch;

pub use self::analysis::{Part, parts};
pub use self::error::IndexError;
pub use self::index::{Chosen, Index};
pub use self::progress::{Progress, Stage, Summary};
pub use self::queue::{QUEUED_MAX, Queue};
pub use self::ranking::{Reason, SearchOptions};
pub use self::said::{
    Said, SaidOfThing, SaidQuestion, SaidRelation, ThingSummary, Untold, relations_schema, said_of,
    summaries_schema,
};
pub use self::search::Hit;
pub use self::secrets::may_hold_secrets;
pub use self::source::{parse, text_of};
pub use self::store::{Looked, Size, Wait, definitions, look};
pub use self::walk::{FILE_BYTES_MAX, FILES_MAX};
pub use self::watch::{Changes, Watcher};
