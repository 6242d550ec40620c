//! The interface of a store, independent of its back end: one trait for each concern.
//!
//! A call returns after its data is stored: the data survives a kill of the process. Each call is
//! atomic. Timestamps come from the caller; a store reads no clock. All errors are [`StoreError`];
//! every call can return [`StoreError::Unwritable`] and [`StoreError::Database`].

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::keys::{
    CurationKey, NoteTime, PageKey, ReaderNoteKey, RecordNumber, RootsKey, SessionId,
};
use crate::records::{
    CachedPage, CallChanges, CallHistory, ClientEdit, ClientEditNote, CollectionTotals,
    ContentReceipt, EditAuthor, FileWrite, Grant, MessageRecord, NewContent, OmittedContents,
    ReaderNotes, RetentionLimits, SessionMetadata, SessionRecord, StoredContent, StoredMessage,
    StoredSession, TurnRecord,
};

/// The largest content, in bytes before compression.
pub const CONTENT_BYTES_MAX: usize = 64 << 20;

/// The largest JSON of a record, a call or a curation, in bytes. Store longer data as content
/// behind a handle.
pub const PAYLOAD_BYTES_MAX: usize = 4 << 20;

/// The greatest nesting depth of such JSON. JSON parsers stop a little deeper, and stored values
/// must be readable again.
pub const PAYLOAD_DEPTH_MAX: usize = 120;

/// The longest session id, in bytes.
pub const SESSION_ID_BYTES_MAX: usize = 256;

/// The number of curations that are kept. The least recently used are removed.
pub const CURATIONS_MAX: u32 = 10_000;

/// The number of pages that are kept. The least recently fetched are removed.
pub const CACHED_PAGES_MAX: u32 = 5_000;

/// The longest grant, tool and subject together, in bytes.
pub const GRANT_BYTES_MAX: usize = 64 << 10;

/// The number of grants that are kept. The oldest are removed.
pub const GRANTS_MAX: u32 = 10_000;

/// The number of notes on the readers of calls that are kept. The oldest are removed.
pub const CALL_READERS_MAX: u32 = 4_096;

/// The number of files whose client edits are kept. The oldest are removed.
pub const CLIENT_EDITS_MAX: u32 = 4_096;

/// The number of notes on readers that are kept. The oldest are removed.
pub const READER_NOTES_MAX: u32 = 10_000;

/// Persistent state, shared by threads, and by processes if it is on disk: all concerns together.
/// Code that needs one concern takes the trait of that concern.
///
/// A store keeps everything that it is given. [`RedactingStore`](crate::RedactingStore) turns any
/// store into one that keeps no secrets.
pub trait Store:
    SessionStore
    + ContentStore
    + SessionLogStore
    + CallStore
    + CacheStore
    + FileWriteStore
    + DecisionStore
    + GrantStore
    + ReaderNoteStore
    + ClientEditStore
    + GarbageCollection
{
}

impl<S> Store for S where
    S: SessionStore
        + ContentStore
        + SessionLogStore
        + CallStore
        + CacheStore
        + FileWriteStore
        + DecisionStore
        + GrantStore
        + ReaderNoteStore
        + ClientEditStore
        + GarbageCollection
{
}

/// The sessions of a store.
pub trait SessionStore: Send + Sync {
    /// Opens `session`: creates it, or replaces its metadata. Returns whether it existed.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] if the id is longer than [`SESSION_ID_BYTES_MAX`].
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionMetadata,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// Returns all sessions, the last used first.
    fn sessions(&self) -> Result<Vec<StoredSession>, StoreError>;

    /// Sets whether a session is kept regardless of age and size.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError>;

    /// Deletes a session, pinned or not, with its records and the content that only it refers to.
    /// Returns whether the session existed.
    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError>;
}

/// Contents behind handles.
pub trait ContentStore: Send + Sync {
    /// Stores `content` and returns its handle. The named session refers to it from then on and
    /// keeps it as long as the session exists. Equal contents are stored once.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`CONTENT_BYTES_MAX`], [`StoreError::Collision`] if another
    /// content has this handle, [`StoreError::UnknownSession`].
    fn put_content(
        &self,
        session: Option<&SessionId>,
        content: &[u8],
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError> {
        let (bytes, bytes_max) = (content.len(), CONTENT_BYTES_MAX);
        if bytes > bytes_max {
            return Err(StoreError::TooLarge { bytes, bytes_max });
        }
        let hash = ContentHash::from_content(content);
        match self.reference_content(session, hash, now)? {
            Some(stored) => Ok(stored),
            None => self.put_new_content(
                session,
                NewContent { hash, bytes: content.into(), secrets: 0 },
                now,
            ),
        }
    }

    /// Makes `session` refer to stored content and records its use at `now`. Returns `None` if the
    /// content is not stored.
    ///
    /// # Errors
    /// [`StoreError::Collision`], [`StoreError::UnknownSession`].
    fn reference_content(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<ContentReceipt>, StoreError>;

    /// Stores content that [`ContentStore::reference_content`] did not find.
    ///
    /// # Errors
    /// [`StoreError::Collision`], [`StoreError::UnknownSession`].
    fn put_new_content(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError>;

    /// Returns the content behind `handle`, or `None` if there is none or it is damaged.
    fn content(&self, handle: Handle) -> Result<Option<StoredContent>, StoreError>;
}

/// The logs of sessions: one of events, and one of messages.
pub trait SessionLogStore: Send + Sync {
    /// Appends a record to the log of a session.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn append_record(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError>;

    /// Returns at most `most` records of a session in order, beginning with number `from`. An
    /// unknown session has none. The payload of an unreadable record is `null`.
    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<SessionRecord>, StoreError>;

    /// Appends messages to the message log of a session, all or none of them.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[StoredMessage],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns at most `most` messages of a session in order, beginning with number `from`. An
    /// unknown session has none.
    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<MessageRecord>, StoreError>;
}

/// The recent calls of sessions.
pub trait CallStore: Send + Sync {
    /// Changes the recent calls of a session.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn update_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the recent calls of a session, or `None` if none are stored.
    fn call_history(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError>;
}

/// Caches that all sessions share: curations and pages.
pub trait CacheStore: Send + Sync {
    /// Stores a curation.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`].
    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns a curation if it can be read, and records its use at `now`.
    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError>;

    /// Stores a page for all sessions, in place of the previous one with its key. Its body must be
    /// stored already.
    fn put_page(&self, key: PageKey, fetch: &CachedPage) -> Result<(), StoreError>;

    /// Returns the page with this key.
    fn page(&self, key: PageKey) -> Result<Option<CachedPage>, StoreError>;
}

/// The changes that sessions made to files.
pub trait FileWriteStore: Send + Sync {
    /// Records that a session wrote or removed a file. The contents must be stored already.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn put_file_write(&self, session: &SessionId, write: &FileWrite) -> Result<(), StoreError>;

    /// Returns all file writes of a session, the last first.
    fn session_writes(&self, session: &SessionId) -> Result<Vec<FileWrite>, StoreError>;

    /// Returns the writes of a session to the file at `path`, the last first.
    fn file_writes(&self, session: &SessionId, path: &str) -> Result<Vec<FileWrite>, StoreError>;
}

/// The decisions about requests of live conversations, with the contents that they omit.
pub trait DecisionStore: Send + Sync {
    /// Returns those of `contents` that are stored or prepared. Each may be removed right
    /// afterwards, unless a session in use refers to it.
    fn known_contents(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError>;

    /// Prepares contents for storing as far as there is room, so that a turn that omits them takes
    /// less time. Stores nothing.
    fn prepare_contents(&self, _contents: Vec<NewContent<'_>>) {}

    /// Stores the decision about a request and the contents that the decision omits, all or none.
    /// `session` refers to the contents from then on and is opened if necessary.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`CONTENT_BYTES_MAX`] or
    /// [`SESSION_ID_BYTES_MAX`], [`StoreError::Collision`], [`StoreError::Gone`] if a known content
    /// is neither stored nor prepared any more, and [`StoreError::ContainsSecret`] if the decision
    /// contains a secret and the store redacts: a redacted decision could not be read again.
    fn put_turn(
        &self,
        session: &SessionId,
        turn: &TurnRecord,
        left_out: OmittedContents<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the turns of a conversation up to its longest known prefix, the oldest turn first.
    /// `beginnings` are the hashes of its prefixes, the shortest first.
    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<TurnRecord>, StoreError>;

    /// Returns the stored turns of a session, the oldest first. Unknown sessions have none.
    fn session_turns(&self, session: &SessionId) -> Result<Vec<TurnRecord>, StoreError>;

    /// Returns whether a turn with one of these end hashes is stored.
    fn has_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError>;
}

/// The permissions that the user granted for good.
pub trait GrantStore: Send + Sync {
    /// Stores a grant for `roots`. No collection removes it.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`GRANT_BYTES_MAX`].
    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError>;

    /// Removes a grant for `roots`. Returns whether it existed.
    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError>;

    /// Returns all grants for `roots`, in no particular order.
    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError>;
}

/// Notes on the readers of answers, as hooks of clients report them.
pub trait ReaderNoteStore: Send + Sync {
    /// Notes under all of `places` that `reader` receives the next answer. `None` notes that a
    /// prompt lost content. Changes nothing if the last note of all names the same reader under the
    /// first place. The note appears under all places at once.
    fn note_reader(
        &self,
        places: &[ReaderNoteKey],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the combined notes under `places`, as of one moment.
    fn reader_notes(&self, places: &[ReaderNoteKey]) -> Result<ReaderNotes, StoreError>;

    /// Returns the time of the last note on readers, or the least time if there is none. Cheap
    /// enough to call before every tool call.
    fn last_reader_note(&self) -> Result<NoteTime, StoreError>;

    /// Notes that `reader` makes the call with the client's id `call`. The newest
    /// [`CALL_READERS_MAX`] notes are kept.
    fn note_call_reader(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Returns the reader that makes the call with the client's id `call`, if it was noted.
    fn call_reader(&self, call: &str) -> Result<Option<String>, StoreError>;
}

/// The edits that models made with tools of their client, as hooks of clients report them.
pub trait ClientEditStore: Send + Sync {
    /// Notes an edit of the file at `path` by `author`. Replaces the previous note on the file. The
    /// newest [`CLIENT_EDITS_MAX`] notes are kept.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`].
    fn note_client_edit(
        &self,
        author: EditAuthor<'_>,
        path: &str,
        edit: &ClientEdit,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// Returns the edits of `reader` with the client's own tools that were noted later than
    /// `since`, the oldest first.
    fn client_edits(
        &self,
        reader: &str,
        since: NoteTime,
    ) -> Result<Vec<ClientEditNote>, StoreError>;

    /// Removes the noted edits of all agents of the client's `session`.
    fn forget_client_edits(&self, session: &str) -> Result<(), StoreError>;
}

/// Removal of data that is too old or too large.
pub trait GarbageCollection: Send + Sync {
    /// Removes data older than `limits` allow, and then, until the rest is small enough, the
    /// oldest: sessions not used in the last hour, pages, and unreferenced content; then content of
    /// the other sessions. Keeps grants and everything that pinned sessions hold.
    fn collect_garbage(
        &self,
        limits: RetentionLimits,
        now: Timestamp,
    ) -> Result<CollectionTotals, StoreError>;

    /// Returns the time at which a collection last completed in any process, or `None`.
    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError>;

    /// Calls [`GarbageCollection::collect_garbage`] unless a collection completed in the last
    /// `every_ms` milliseconds. Can be called often.
    fn collect_garbage_if_due(
        &self,
        limits: RetentionLimits,
        every_ms: i64,
        now: Timestamp,
    ) -> Result<Option<CollectionTotals>, StoreError> {
        // A time in the future does not count: the clock was wrong then, or is wrong now.
        let is_done = |last: Timestamp| (0..every_ms).contains(&now.0.saturating_sub(last.0));
        if self.last_collection()?.is_some_and(is_done) {
            return Ok(None);
        }
        self.collect_garbage(limits, now).map(Some)
    }
}
