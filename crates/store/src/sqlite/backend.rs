//! A store in one SQLite file or in memory. Each method of the trait runs in one transaction.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use rusqlite::Connection;
use serde_json::Value;

use crate::error::StoreError;
use crate::json::to_json_text;
use crate::keys::{
    CurationKey, NoteTime, PageKey, ReaderNoteKey, RecordNumber, RootsKey, SessionId,
};
use crate::parallel_map;
use crate::records::{
    CachedPage, CallChanges, CallHistory, ClientEdit, ClientEditNote, CollectionTotals,
    ContentReceipt, EditAuthor, FileWrite, Grant, MessageRecord, NewContent, OmittedContents,
    ReaderNotes, RetentionLimits, SessionMetadata, SessionRecord, StoredContent, StoredMessage,
    StoredSession, TurnRecord,
};
use crate::store::Store;
use crate::store_notice::StoreNotice;

use super::database::{BUSY_TIME, Database};
use super::prepared_contents::PreparedContents;
use super::schema::StoreFileKind;
use super::session_log::LogKind;
use super::uptime::{self, ClockReading, Uptime, UptimeClock};
use super::{
    call_readers, calls, client_edits, content, file_writes, garbage_collection, grants, messages,
    reader_notes, session_log, sessions, shared_caches, turns,
};

/// A [`Store`] in a SQLite file that several processes use at once, or in memory. It does not
/// redact: programs use [`SqliteStore`](crate::SqliteStore).
#[derive(Debug)]
pub struct SqliteBackend {
    database: Database,
    uptime: Option<UptimeClock>,
    prepared: Mutex<PreparedContents>,
}

/// The kind of a file that was opened for reading.
#[derive(Debug)]
pub enum ReadOnlyStore<S> {
    /// A store.
    Store(S),
    /// A store of an earlier version, or an empty file. It must be migrated before it can be read.
    Older,
    /// A store of a later version.
    Newer,
    /// A file of another program.
    Foreign,
}

impl SqliteBackend {
    /// Opens or creates the file at `path` and its folder. Migrates a file of an earlier version.
    /// Quarantines a damaged file, and leaves a file of a later version unchanged and uses another
    /// one: [`SqliteBackend::take_notices`] reports both. While another process writes for longer
    /// than half a second, calls fail, and the calls after that fail at once. If another process
    /// locks the file for that long during opening, calls fail in the same way until one of them
    /// can open it.
    ///
    /// # Errors
    /// [`StoreError::Unwritable`] or [`StoreError::Database`] if the file cannot be created or
    /// used.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::open_or_defer(path, BUSY_TIME)?))
    }

    /// Opens the file at `path` for a caller that cannot wait. Calls fail if another process writes
    /// for longer than `busy_time`.
    ///
    /// # Errors
    /// Those of [`SqliteBackend::open`], and an error with [`StoreError::is_busy`] if another
    /// process locks the file for longer.
    pub fn open_within(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::open(path, busy_time)?))
    }

    /// Creates a store in memory.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::from_database(Database::in_memory()?))
    }

    /// Opens the file at `path` without any change to it or beside it. Every call that writes
    /// fails.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no file, or it cannot be read as a database.
    pub fn open_read_only(path: &Path) -> Result<ReadOnlyStore<Self>, StoreError> {
        let (database, was) = Database::open_read_only(path)?;
        Ok(match was {
            StoreFileKind::Store => ReadOnlyStore::Store(Self::from_database(database)),
            StoreFileKind::Older => ReadOnlyStore::Older,
            StoreFileKind::Newer => ReadOnlyStore::Newer,
            StoreFileKind::Foreign => ReadOnlyStore::Foreign,
        })
    }

    fn from_database(database: Database) -> Self {
        Self { database, uptime: None, prepared: Mutex::default() }
    }

    /// Adds a clock that reads the uptime of the machine. With it, a session in use keeps its data
    /// even if the system clock is set years ahead.
    #[must_use]
    pub fn with_uptime_clock(
        mut self,
        tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static,
    ) -> Self {
        self.uptime = Some(UptimeClock::new(tell));
        self
    }

    fn uptime(&self) -> Option<Uptime> {
        self.uptime.as_ref().and_then(UptimeClock::read)
    }

    fn lock_prepared(&self) -> MutexGuard<'_, PreparedContents> {
        self.prepared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn clock_reading(&self, clock: Timestamp) -> ClockReading {
        ClockReading { clock, uptime: self.uptime() }
    }

    /// Runs `work` in a transaction and records the use of `session`.
    fn write_for_session<T>(
        &self,
        session: Option<&SessionId>,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let uptime = session.and_then(|_| self.uptime());
        self.database.write(|connection| {
            let done = work(connection)?;
            if let Some(session) = session {
                uptime::note_session_uptime(connection, session, uptime.as_ref())?;
            }
            Ok(done)
        })
    }

    /// Returns the notices about the file and clears them.
    pub fn take_notices(&self) -> Vec<StoreNotice> {
        self.database.take_notices()
    }

    /// Returns the path of the file in use, or `None` in memory.
    pub fn path(&self) -> Option<PathBuf> {
        self.database.path()
    }

    /// Runs SQLite's integrity check, which reads the whole file. Returns the problems that it
    /// found.
    ///
    /// # Errors
    /// [`StoreError::Database`] if the file cannot be read at all.
    pub fn check_integrity(&self) -> Result<Vec<String>, StoreError> {
        self.database.check_integrity()
    }
}

impl Store for SqliteBackend {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionMetadata,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_for_session(Some(session), |connection| {
            sessions::open_session(connection, session, facts, now)
        })
    }

    fn sessions(&self) -> Result<Vec<StoredSession>, StoreError> {
        self.database.read(sessions::list_sessions)
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.database.write(|connection| sessions::set_pinned(connection, session, pinned))
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.database.write(|connection| sessions::delete_session(connection, session))
    }

    fn reference_content(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<ContentReceipt>, StoreError> {
        self.write_for_session(session, |connection| {
            content::reference_existing(connection, session, hash, now)
        })
    }

    fn put_new_content(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<ContentReceipt, StoreError> {
        // Compresses outside of the transaction, so that other processes can write meanwhile.
        let packed = content::PackedContent::compress(content)?;
        self.write_for_session(session, |connection| {
            content::put_content(connection, session, &packed, now)
        })
    }

    fn content(&self, handle: Handle) -> Result<Option<StoredContent>, StoreError> {
        self.database.read(|connection| content::read_content(connection, handle))
    }

    fn append_record(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        let payload = to_json_text(payload)?;
        self.write_for_session(Some(session), |connection| {
            session_log::append_record(connection, session, LogKind::Events, &payload, now)
        })
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<SessionRecord>, StoreError> {
        self.database.read(|connection| session_log::read_records(connection, session, from, most))
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[StoredMessage],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let texts: Result<Vec<String>, _> =
            messages.iter().map(messages::message_json_text).collect();
        let texts = texts?;
        self.write_for_session(Some(session), |connection| {
            messages::append_messages(connection, session, &texts, now)
        })
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<MessageRecord>, StoreError> {
        self.database.read(|connection| messages::read_messages(connection, session, from, most))
    }

    fn update_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let changes = calls::CallChangesJson::from_changes(changes)?;
        self.write_for_session(Some(session), |connection| {
            calls::update_calls(connection, session, &changes, now)
        })
    }

    fn call_history(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.database.read(|connection| calls::call_history(connection, session))
    }

    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let curation = to_json_text(curation)?;
        self.database
            .write(|connection| shared_caches::put_curation(connection, key, &curation, now))
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.database.write(|connection| shared_caches::curation(connection, key, now))
    }

    fn put_page(&self, key: PageKey, fetch: &CachedPage) -> Result<(), StoreError> {
        self.database.write(|connection| shared_caches::put_page(connection, key, fetch))
    }

    fn page(&self, key: PageKey) -> Result<Option<CachedPage>, StoreError> {
        self.database.read(|connection| shared_caches::page(connection, key))
    }

    fn put_file_write(&self, session: &SessionId, write: &FileWrite) -> Result<(), StoreError> {
        self.write_for_session(Some(session), |connection| {
            file_writes::put_file_write(connection, session, write)
        })
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<FileWrite>, StoreError> {
        self.database.read(|connection| file_writes::writes_of_session(connection, session))
    }

    fn file_writes(&self, session: &SessionId, path: &str) -> Result<Vec<FileWrite>, StoreError> {
        self.database.read(|connection| file_writes::writes_to_file(connection, session, path))
    }

    fn known_contents(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        let mut known = self.lock_prepared().find_prepared(contents);
        let others: Vec<ContentHash> =
            contents.iter().filter(|hash| !known.contains(*hash)).copied().collect();
        if !others.is_empty() {
            known.extend(
                self.database.read(|connection| content::find_stored(connection, &others))?,
            );
        }
        Ok(known)
    }

    fn prepare_contents(&self, contents: Vec<NewContent<'_>>) {
        let mut compressor = content::new_compressor();
        for content in contents {
            // A content that fails here comes again with its turn, which reports the error.
            if let Ok(packed) = content::PackedContent::compress_with(&mut compressor, content) {
                self.lock_prepared().insert(packed.into_owned());
            }
        }
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &TurnRecord,
        left_out: OmittedContents<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let OmittedContents { known, new } = left_out;
        let packed: Result<Vec<_>, _> = parallel_map::map_contents(
            new,
            content::new_compressor,
            content::PackedContent::compress_with,
        )
        .into_iter()
        .collect();
        let packed = packed?;
        let (ready, stored) = self.lock_prepared().split_prepared(&known);
        self.write_for_session(Some(session), |connection| {
            let number = turns::put_turn(connection, session, turn, now)?;
            for hash in &stored {
                content::reference_existing_by_row(connection, number, *hash, now)?;
            }
            for content in &packed {
                content::put_content_by_row(connection, number, content, now)?;
            }
            for content in &ready {
                content::put_content_by_row(connection, number, content, now)?;
            }
            Ok(())
        })?;
        self.lock_prepared().remove(&known);
        Ok(())
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<TurnRecord>, StoreError> {
        self.database.read(|connection| turns::turns_leading_to(connection, beginnings))
    }

    fn has_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.database.read(|connection| turns::has_turn(connection, ends))
    }

    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        self.database.write(|connection| grants::put_grant(connection, roots, grant, now))
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.database.write(|connection| grants::remove_grant(connection, roots, grant))
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.database.read(|connection| grants::list_grants(connection, roots))
    }

    fn note_reader(
        &self,
        places: &[ReaderNoteKey],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let time = self.clock_reading(now);
        self.database
            .write(|connection| reader_notes::note_reader(connection, places, reader, &time))
    }

    fn reader_notes(&self, places: &[ReaderNoteKey]) -> Result<ReaderNotes, StoreError> {
        self.database.read(|connection| reader_notes::read_notes(connection, places))
    }

    fn note_call_reader(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        let time = self.clock_reading(now);
        self.database
            .write(|connection| call_readers::note_call_reader(connection, call, reader, &time))
    }

    fn call_reader(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.database.read(|connection| call_readers::call_reader(connection, call))
    }

    fn note_client_edit(
        &self,
        author: EditAuthor<'_>,
        path: &str,
        edit: &ClientEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let time = self.clock_reading(now);
        self.database.write(|connection| {
            client_edits::note_client_edit(connection, author, path, edit, &time)
        })
    }

    fn client_edits(
        &self,
        reader: &str,
        since: NoteTime,
    ) -> Result<Vec<ClientEditNote>, StoreError> {
        self.database.read(|connection| client_edits::client_edits_since(connection, reader, since))
    }

    fn forget_client_edits(&self, session: &str) -> Result<(), StoreError> {
        self.database.write(|connection| client_edits::forget_client_edits(connection, session))
    }

    fn last_reader_note(&self) -> Result<NoteTime, StoreError> {
        self.database.read(reader_notes::last_note_time)
    }

    fn collect_garbage(
        &self,
        limits: RetentionLimits,
        now: Timestamp,
    ) -> Result<CollectionTotals, StoreError> {
        let mut all = CollectionTotals::default();
        let uptime = self.uptime();
        loop {
            let part = self.database.write(|connection| {
                garbage_collection::collect_step(connection, limits, now, uptime.as_ref())
            })?;
            all.sessions += part.collected.sessions;
            all.contents += part.collected.contents;
            all.cached += part.collected.cached;
            all.bytes_left = part.collected.bytes_left;
            if !part.has_more {
                break;
            }
        }
        self.database.read(garbage_collection::release_free_pages)?;
        Ok(all)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.database.read(garbage_collection::last_collection)
    }
}
