//! What a store does, whatever keeps it.

use std::collections::HashSet;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use serde_json::Value;

use crate::error::StoreError;
use crate::keys::{CurationKey, FetchKey, Moment, ReaderPlace, RecordNumber, RootsKey, SessionId};
use crate::records::{
    CallChanges, CallHistory, Collected, Content, Fetch, Grant, LeftOut, Limits, Message,
    NewContent, NotedEdit, OwnEdit, Readers, Record, Said, Session, SessionFacts, Stored, Turn,
    Write,
};

/// Largest content, in bytes before compression.
pub const CONTENT_BYTES_MAX: usize = 64 << 20;

/// Largest JSON of a record, a call, or a curation. What is longer belongs behind a handle.
pub const PAYLOAD_BYTES_MAX: usize = 4 << 20;

/// Lists and objects around the innermost value of such JSON. Readers of JSON stop a little
/// deeper, and what is stored is to be read again.
pub const PAYLOAD_DEPTH_MAX: usize = 120;

/// Longest name of a session.
pub const SESSION_ID_BYTES_MAX: usize = 256;

/// Curations kept; those not used for longest go first.
pub const CURATIONS_MAX: u32 = 10_000;

/// Pages kept; those not fetched for longest go first.
pub const FETCHES_MAX: u32 = 5_000;

/// Longest tool and subject of a grant together.
pub const GRANT_BYTES_MAX: usize = 64 << 10;

/// Grants kept; the oldest go first.
pub const GRANTS_MAX: u32 = 10_000;

/// Notes on who makes a call that are kept; the oldest go first.
pub const ASKERS_MAX: u32 = 4_096;

/// Files of which it is kept what a model made of them itself; the oldest go first.
pub const OWN_EDITS_MAX: u32 = 4_096;

/// Notes on readers kept; the oldest go first.
pub const READER_NOTES_MAX: u32 = 10_000;

/// Keeps what outlives a process. Shared by threads, and by processes where it is on disk.
///
/// A call that returns has stored what it was given: it is there after the process is killed.
/// What one call stores is there as a whole or not at all. Times are the caller's; a store reads
/// no clock. All errors are [`StoreError`]; those that every call may have are
/// [`StoreError::Place`] and [`StoreError::Database`].
///
/// A store keeps what it is given. [`Redacting`](crate::Redacting) makes of any store one that
/// keeps no secrets.
pub trait Store: Send + Sync {
    /// Opens `session`: makes it, or says anew what it is about. True if it was there before.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] if its name is longer than [`SESSION_ID_BYTES_MAX`].
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionFacts,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// All sessions, the last used first.
    ///
    /// # Errors
    /// Those of every call.
    fn sessions(&self) -> Result<Vec<Session>, StoreError>;

    /// Keeps a session whatever its age and size, or no longer.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError>;

    /// Removes a session, pinned or not, with its records and the content that only it refers
    /// to. False if there was none.
    ///
    /// # Errors
    /// Those of every call.
    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError>;

    /// Stores `content` and returns its handle. A session that is named refers to it from then
    /// on, so that it is kept as long as the session is. The same content is stored once.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`CONTENT_BYTES_MAX`], [`StoreError::Collision`] if other
    /// content has this handle, [`StoreError::UnknownSession`].
    fn put(
        &self,
        session: Option<&SessionId>,
        content: &[u8],
        now: Timestamp,
    ) -> Result<Stored, StoreError> {
        let (bytes, bytes_max) = (content.len(), CONTENT_BYTES_MAX);
        if bytes > bytes_max {
            return Err(StoreError::TooLarge { bytes, bytes_max });
        }
        let hash = ContentHash::of(content);
        match self.refer(session, hash, now)? {
            Some(stored) => Ok(stored),
            None => {
                self.put_new(session, NewContent { hash, bytes: content.into(), secrets: 0 }, now)
            }
        }
    }

    /// Lets `session` refer to content that is stored, which counts as used at `now`; `None` if
    /// it is not stored.
    ///
    /// # Errors
    /// [`StoreError::Collision`], [`StoreError::UnknownSession`].
    fn refer(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<Stored>, StoreError>;

    /// Stores content that [`Store::refer`] did not find.
    ///
    /// # Errors
    /// [`StoreError::Collision`], [`StoreError::UnknownSession`].
    fn put_new(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<Stored, StoreError>;

    /// The content behind `handle`; `None` if there is none, or it is not what was put.
    ///
    /// # Errors
    /// Those of every call.
    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError>;

    /// Appends a record to the log of a session.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn append(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError>;

    /// At most `most` records of a session in order, beginning with number `from`. Those of an
    /// unknown session are none. One that cannot be read any more says `null`.
    ///
    /// # Errors
    /// Those of every call.
    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError>;

    /// Appends what was said in a session, all or nothing of it. It is a log of its own.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[Message],
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// At most `most` messages of a session in order, beginning with number `from`. Those of an
    /// unknown session are none.
    ///
    /// # Errors
    /// Those of every call.
    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Said>, StoreError>;

    /// Changes the recent calls of a session.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`],
    /// [`StoreError::UnknownSession`].
    fn change_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The recent calls of a session; `None` if nothing is known of them.
    ///
    /// # Errors
    /// Those of every call.
    fn calls(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError>;

    /// Keeps what a curator chose.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`].
    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What a curator chose, if that can be read; it counts as used at `now`.
    ///
    /// # Errors
    /// Those of every call.
    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError>;

    /// Keeps a page for all sessions, in place of what was there under its key. Its body was put
    /// before.
    ///
    /// # Errors
    /// Those of every call.
    fn put_fetch(&self, key: FetchKey, fetch: &Fetch) -> Result<(), StoreError>;

    /// The page that was kept under `key`.
    ///
    /// # Errors
    /// Those of every call.
    fn fetch(&self, key: FetchKey) -> Result<Option<Fetch>, StoreError>;

    /// Keeps that a session wrote or removed a file. The contents were put before.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError>;

    /// All writes of a session, the last first.
    ///
    /// # Errors
    /// Those of every call.
    fn session_writes(&self, session: &SessionId) -> Result<Vec<Write>, StoreError>;

    /// The writes of a session to the file at `path`, the last first.
    ///
    /// # Errors
    /// Those of every call.
    fn writes(&self, session: &SessionId, path: &str) -> Result<Vec<Write>, StoreError>;

    /// Those of some contents that are stored, or ready to be. Each may be removed right afterwards,
    /// unless a session that is in use refers to it.
    ///
    /// # Errors
    /// Those of every call.
    fn contents_known(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError>;

    /// Makes contents ready to be stored, as far as there is room: then a turn that leaves them out
    /// takes less time. Nothing is stored by it.
    fn get_ready(&self, _contents: Vec<NewContent<'_>>) {}

    /// Keeps what was decided about a request, and the contents that are left out of it, all or
    /// none. `session` refers to the contents from then on; it is opened where it is not there.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`CONTENT_BYTES_MAX`] or
    /// [`SESSION_ID_BYTES_MAX`], [`StoreError::Collision`], [`StoreError::Gone`] where what is told
    /// to be known is neither stored nor ready any more, and [`StoreError::Secret`] where no secret
    /// is kept and there is one in what was decided: the same could not be read again.
    fn put_turn(
        &self,
        session: &SessionId,
        turn: &Turn,
        left_out: LeftOut<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// The turns of the conversation whose beginnings have these hashes, the shortest first, up
    /// to the longest that is known; the oldest first.
    ///
    /// # Errors
    /// Those of every call.
    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<Turn>, StoreError>;

    /// Whether a turn is known that ends with one of these hashes.
    ///
    /// # Errors
    /// Those of every call.
    fn knows_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError>;

    /// Keeps a grant for `roots`. No collection removes it.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`GRANT_BYTES_MAX`].
    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError>;

    /// Takes a grant for `roots` back; whether it was there.
    ///
    /// # Errors
    /// Those of every call.
    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError>;

    /// All grants for `roots`, in no order.
    ///
    /// # Errors
    /// Those of every call.
    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError>;

    /// Notes at all of `places` that `reader` is about to be answered; `None`: that what was
    /// shown has left a prompt. Nothing changes if the last note of all was of the same reader
    /// at the first place. Who sees the note at one place sees it at all of them.
    ///
    /// # Errors
    /// Those of every call.
    fn note_reader(
        &self,
        places: &[ReaderPlace],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What is noted at `places`, taken together, as of one moment.
    ///
    /// # Errors
    /// Those of every call.
    fn readers(&self, places: &[ReaderPlace]) -> Result<Readers, StoreError>;

    /// Notes that `reader` makes the call that its client calls `call`. The newest
    /// [`ASKERS_MAX`] notes are kept.
    ///
    /// # Errors
    /// Those of every call.
    fn note_asker(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError>;

    /// Who makes the call that its client calls `call`, if that was noted.
    ///
    /// # Errors
    /// Those of every call.
    fn asker(&self, call: &str) -> Result<Option<String>, StoreError>;

    /// Notes what a reader, named after the client's session that it is an agent of, made of the
    /// file at `path`, in place of what was noted of it before. The newest [`OWN_EDITS_MAX`] notes are kept.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`].
    fn note_edit(
        &self,
        reader: (&str, &str),
        path: &str,
        edit: &OwnEdit,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What is noted of files that `reader` edited itself, later than `since`; the oldest first.
    ///
    /// # Errors
    /// Those of every call.
    fn edits_by(&self, reader: &str, since: Moment) -> Result<Vec<NotedEdit>, StoreError>;

    /// Forgets what all agents of the client's `session` are noted to have edited.
    ///
    /// # Errors
    /// Those of every call.
    fn forget_edits(&self, session: &str) -> Result<(), StoreError>;

    /// When the last note on readers was made; the least moment if there is none. May be asked
    /// before every call.
    ///
    /// # Errors
    /// Those of every call.
    fn last_reader_note(&self) -> Result<Moment, StoreError>;

    /// Removes what is older than `limits` allow, and then, until the rest is small enough, the
    /// oldest: sessions that were not used in the last hour, pages, and content that nothing
    /// refers to; then content of the other sessions. What pinned sessions hold stays, and so
    /// do grants.
    ///
    /// # Errors
    /// Those of every call.
    fn collect(&self, limits: Limits, now: Timestamp) -> Result<Collected, StoreError>;

    /// When a collection last came to its end, in whatever process; `None` if none did.
    ///
    /// # Errors
    /// Those of every call.
    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError>;

    /// [`Store::collect`], if none came to its end in the last `every_ms` milliseconds: may be
    /// asked often.
    ///
    /// # Errors
    /// Those of every call.
    fn collect_if_due(
        &self,
        limits: Limits,
        every_ms: i64,
        now: Timestamp,
    ) -> Result<Option<Collected>, StoreError> {
        // A time that is yet to come is none: the clock was wrong then, or is now.
        let is_done = |last: Timestamp| (0..every_ms).contains(&now.0.saturating_sub(last.0));
        if self.last_collection()?.is_some_and(is_done) {
            return Ok(None);
        }
        self.collect(limits, now).map(Some)
    }
}
