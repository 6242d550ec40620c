//! What outlives a process: sessions and their events, calls, decisions, and the content behind
//! handles.
//!
//! [`Store`] says what a store does, [`SqliteStore`] does it in one file that several processes
//! share. What was acknowledged is there after the process is killed at any point. Secrets are
//! taken out of everything on its way in ([`secrets`]); a handle stays that of the original.

mod contents;
mod error;
mod place;
mod records;
pub mod secrets;
mod sqlite;
mod store;

pub use contents::Contents;
pub use error::StoreError;
pub use place::Notice;
pub use records::{
    Collected, Content, CurationKey, Fetch, Limits, Log, Record, RecordNumber, Session,
    SessionFacts, SessionId, Stored, Write,
};
pub use sqlite::SqliteStore;
pub use store::{
    CONTENT_BYTES_MAX, CURATIONS_MAX, FETCHES_MAX, PAYLOAD_BYTES_MAX, PAYLOAD_DEPTH_MAX,
    SESSION_ID_BYTES_MAX, Store,
};
