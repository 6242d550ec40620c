//! What a store does, whatever keeps it.

use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use serde_json::Value;

use crate::error::StoreError;
use crate::records::{
    Collected, Content, CurationKey, Fetch, Limits, Log, Record, RecordNumber, Session,
    SessionFacts, SessionId, Stored, Write,
};

/// Largest content, in bytes before compression.
pub const CONTENT_BYTES_MAX: usize = 64 << 20;

/// Largest JSON of a record, the calls of a session, or a curation. What is longer belongs
/// behind a handle.
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

/// Keeps what outlives a process. Shared by threads, and by processes where it is on disk.
///
/// A call that returns has stored what it was given: it is there after the process is killed.
/// Times are the caller's; a store reads no clock. All errors are [`StoreError`]; those that
/// every call may have are [`StoreError::Place`] and [`StoreError::Database`].
pub trait Store: Send + Sync {
    /// Opens `session`: makes it, or says anew what it is about. True if it was there before. A
    /// name with secrets in it is listed without.
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
    /// Secrets are left out of what is stored; the handle is that of the original all the same,
    /// so that it equals what was told to a model before.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`CONTENT_BYTES_MAX`], [`StoreError::Collision`] if other
    /// content has this handle, [`StoreError::UnknownSession`].
    fn put(
        &self,
        session: Option<&SessionId>,
        content: &[u8],
        now: Timestamp,
    ) -> Result<Stored, StoreError>;

    /// The content behind `handle`; `None` if there is none, or it is not what was put.
    ///
    /// # Errors
    /// Those of every call.
    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError>;

    /// Lets `session` refer to content that is stored; false if it is not.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn refer(
        &self,
        session: &SessionId,
        handle: Handle,
        now: Timestamp,
    ) -> Result<bool, StoreError>;

    /// All handles that resolve, in no order.
    ///
    /// # Errors
    /// Those of every call.
    fn handles(&self) -> Result<Vec<Handle>, StoreError>;

    /// Appends a record to a log of a session. Secrets are left out of its texts.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`], [`StoreError::UnknownSession`].
    fn append(
        &self,
        session: &SessionId,
        log: Log,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError>;

    /// At most `most` records of a log in order, beginning with number `from`. Those of an
    /// unknown session are none. One that cannot be read any more says `null`.
    ///
    /// # Errors
    /// Those of every call.
    fn records(
        &self,
        session: &SessionId,
        log: Log,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError>;

    /// Replaces what the tracker of duplicate calls remembers of a session.
    ///
    /// # Errors
    /// [`StoreError::TooLarge`] above [`PAYLOAD_BYTES_MAX`], [`StoreError::TooDeep`], [`StoreError::UnknownSession`].
    fn set_calls(
        &self,
        session: &SessionId,
        calls: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError>;

    /// What the tracker of duplicate calls last remembered of a session, if that can be read.
    ///
    /// # Errors
    /// Those of every call.
    fn calls(&self, session: &SessionId) -> Result<Option<Value>, StoreError>;

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

    /// Keeps a page for all sessions, in place of what was there at its address. Its body was
    /// put before. Headers with secrets in them are not kept.
    ///
    /// # Errors
    /// Those of every call.
    fn put_fetch(&self, fetch: &Fetch) -> Result<(), StoreError>;

    /// The page that was fetched from `url`. Addresses with secrets in them are told apart, and
    /// come back without.
    ///
    /// # Errors
    /// Those of every call.
    fn fetch(&self, url: &str) -> Result<Option<Fetch>, StoreError>;

    /// Keeps that a session wrote a file. The contents were put before. Secrets are left out of
    /// its path.
    ///
    /// # Errors
    /// [`StoreError::UnknownSession`].
    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError>;

    /// What a session wrote, the last first; with `handle`, only writes that replaced this
    /// content or left it.
    ///
    /// # Errors
    /// Those of every call.
    fn writes(&self, session: &SessionId, handle: Option<Handle>)
    -> Result<Vec<Write>, StoreError>;

    /// Removes what is older than `limits` allow, and then, until the rest is small enough, the
    /// oldest: sessions that were not used in the last hour, pages, and content that nothing
    /// refers to; then content of the other sessions. What pinned sessions hold stays.
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
