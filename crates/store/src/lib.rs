//! What outlives a process: sessions and their records, calls, grants, notes on readers, and the
//! content behind handles.
//!
//! [`Store`] says what a store does. [`Sqlite`] does it in one file that several processes share,
//! and knows nothing of secrets; [`Redacting`] removes them (`foveal-secrets`) from everything on its
//! way into any store. [`SqliteStore`] is both.
//! [`PassingContents`] keeps contents as long as the process lives. What was acknowledged is there after the process
//! is killed at any point.

mod error;
mod file;
mod json;
mod keys;
mod passing;
mod records;
mod redacting;
mod spread;
mod sqlite;
mod store;

pub use error::StoreError;
pub use file::Notice;
pub use keys::{
    CallNumber, CurationKey, FetchKey, FolderKey, Moment, Reach, ReaderPlace, RecordNumber,
    RootsKey, SessionId,
};
pub use passing::{PASSING_BYTES_MAX, PassingContents};
pub use records::{
    Call, CallChanges, CallHistory, Collected, Content, Fetch, Grant, LeftOut, Limits, Message,
    NewContent, NotedEdit, OwnEdit, Readers, Record, Said, Sealed, Session, SessionFacts, Stored,
    Turn, Write,
};
pub use redacting::Redacting;
pub use sqlite::{ReadOnly, Sqlite, SqliteStore, Uptime};
pub use store::{
    ASKERS_MAX, CONTENT_BYTES_MAX, CURATIONS_MAX, FETCHES_MAX, GRANT_BYTES_MAX, GRANTS_MAX,
    OWN_EDITS_MAX, PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX, READER_NOTES_MAX, SESSION_ID_BYTES_MAX,
    Store,
};
