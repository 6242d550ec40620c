//! Persistent state: sessions and their records, calls, grants, notes on readers, and the content
//! behind handles.
//!
//! [`Store`] is the interface, made of one trait for each concern. [`SqliteBackend`] implements it
//! in one file that several processes share, and does not know about secrets. [`RedactingStore`]
//! removes secrets (`foveal-redaction`) from everything on its way into any store. [`SqliteStore`]
//! combines both. [`EphemeralContentStore`] keeps contents only as long as the process lives.
//! Acknowledged writes survive a kill of the process at any point.
//!
//! [`database_file`] opens SQLite files; the index uses it too.

pub mod database_file;
mod ephemeral_contents;
mod error;
mod json;
mod keys;
mod parallel_map;
mod records;
mod redacting_store;
mod sqlite;
mod store;
mod store_notice;

pub use ephemeral_contents::{EPHEMERAL_BYTES_MAX, EphemeralContentStore};
pub use error::StoreError;
pub use keys::{
    CallNumber, CurationKey, FolderKey, FolderScope, NoteTime, PageKey, ReaderNoteKey,
    RecordNumber, RootsKey, SessionId,
};
pub use records::{
    CachedPage, CallChanges, CallHistory, ClientEdit, ClientEditNote, CollectionTotals,
    ContentReceipt, EditAuthor, FileWrite, Grant, MessageRecord, NewContent, OmittedContents,
    ReaderNotes, RecentCall, RetentionLimits, SealedJson, SessionMetadata, SessionRecord,
    StoredContent, StoredMessage, StoredSession, TurnRecord,
};
pub use redacting_store::RedactingStore;
pub use sqlite::{ReadOnlyStore, SqliteBackend, SqliteStore, Uptime};
pub use store::{
    CACHED_PAGES_MAX, CALL_READERS_MAX, CLIENT_EDITS_MAX, CONTENT_BYTES_MAX, CURATIONS_MAX,
    CacheStore, CallStore, ClientEditStore, ContentStore, DecisionStore, FileWriteStore,
    GRANT_BYTES_MAX, GRANTS_MAX, GarbageCollection, GrantStore, PAYLOAD_BYTES_MAX,
    PAYLOAD_DEPTH_MAX, READER_NOTES_MAX, ReaderNoteStore, SESSION_ID_BYTES_MAX, SessionLogStore,
    SessionStore, Store,
};
pub use store_notice::StoreNotice;
