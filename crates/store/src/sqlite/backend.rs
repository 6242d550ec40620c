//! A store in one SQLite file, or in memory: each method of the trait in its transaction.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_transcript::{ContentHash, Handle, Timestamp};
use rusqlite::Connection;
use serde_json::Value;

use crate::error::StoreError;
use crate::file::Notice;
use crate::json::text_of;
use crate::keys::{CurationKey, FetchKey, Moment, ReaderPlace, RecordNumber, RootsKey, SessionId};
use crate::records::{
    CallChanges, CallHistory, Collected, Content, Fetch, Grant, LeftOut, Limits, Message,
    NewContent, NotedEdit, OwnEdit, Readers, Record, Said, Session, SessionFacts, Stored, Turn,
    Write,
};
use crate::spread;
use crate::store::Store;

use super::database::{BUSY_TIME, Database};
use super::log::Log;
use super::ready::Ready;
use super::schema::Was;
use super::uptime::{self, Now, Uptime, UptimeClock};
use super::{
    askers, caches, calls, collect, content, grants, log, messages, own_edits, readers, sessions,
    turns, writes,
};

/// A [`Store`] in a SQLite file that any number of processes use at once, or in memory. It keeps
/// secrets as it keeps everything: programs use [`SqliteStore`](crate::SqliteStore).
#[derive(Debug)]
pub struct Sqlite {
    database: Database,
    uptime: Option<UptimeClock>,
    ready: Mutex<Ready>,
}

/// What a file is that was opened to be read alone.
#[derive(Debug)]
pub enum ReadOnly<S> {
    /// A store.
    Store(S),
    /// A store of an earlier version, or an empty file: it has to be brought up to date first.
    Older,
    /// A store of a later version.
    Newer,
    /// Another program's.
    Foreign,
}

impl Sqlite {
    /// Opens the file at `path`, or makes it with its folder. A file of an older version is
    /// brought up to date. One that is damaged is set aside; one of a later version is left
    /// alone and another used: [`Sqlite::take_notices`] says so. While another process writes for
    /// longer than half a second, calls fail, and those that follow fail at once. If another
    /// process holds the file for that long when it is opened, calls fail in the same way until
    /// one of them can open it.
    ///
    /// # Errors
    /// [`StoreError::Place`] or [`StoreError::Database`] if the file cannot be made or used.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self::over(Database::open_or_later(path, BUSY_TIME)?))
    }

    /// The same for a caller who cannot wait: while another process writes for longer than
    /// `busy_time`, calls fail.
    ///
    /// # Errors
    /// Those of [`Sqlite::open`], and one that [`StoreError::is_busy`] if another process holds
    /// the file for longer.
    pub fn open_within(path: &Path, busy_time: Duration) -> Result<Self, StoreError> {
        Ok(Self::over(Database::open(path, busy_time)?))
    }

    /// A store that is gone when it is closed.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::over(Database::in_memory()?))
    }

    /// Opens the file at `path` as it is, and changes nothing, not even beside it: every call
    /// that writes fails.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no file, or it cannot be read as a database.
    pub fn open_read_only(path: &Path) -> Result<ReadOnly<Self>, StoreError> {
        let (database, was) = Database::read_only(path)?;
        Ok(match was {
            Was::Store => ReadOnly::Store(Self::over(database)),
            Was::Older => ReadOnly::Older,
            Was::Newer => ReadOnly::Newer,
            Was::Foreign => ReadOnly::Foreign,
        })
    }

    fn over(database: Database) -> Self {
        Self { database, uptime: None, ready: Mutex::default() }
    }

    /// The same store, which is told how long the machine runs: what a session in use rests on
    /// stays then, also if the clock is set years ahead.
    #[must_use]
    pub fn told_uptime(
        mut self,
        tell: impl Fn() -> Option<Uptime> + Send + Sync + 'static,
    ) -> Self {
        self.uptime = Some(UptimeClock::new(tell));
        self
    }

    fn uptime(&self) -> Option<Uptime> {
        self.uptime.as_ref().and_then(UptimeClock::now)
    }

    fn ready(&self) -> MutexGuard<'_, Ready> {
        self.ready.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn now(&self, clock: Timestamp) -> Now {
        Now { clock, uptime: self.uptime() }
    }

    /// Does `work` of a session, which is used by that.
    fn write_for<T>(
        &self,
        session: Option<&SessionId>,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let uptime = session.and_then(|_| self.uptime());
        self.database.write(|connection| {
            let done = work(connection)?;
            if let Some(session) = session {
                uptime::note(connection, session, uptime.as_ref())?;
            }
            Ok(done)
        })
    }

    /// What a person should know about the file, once.
    pub fn take_notices(&self) -> Vec<Notice> {
        self.database.take_notices()
    }

    /// The file in use; `None` in memory.
    pub fn path(&self) -> Option<PathBuf> {
        self.database.path()
    }

    /// What SQLite itself finds wrong with the file, at the cost of reading all of it; empty
    /// if nothing.
    ///
    /// # Errors
    /// [`StoreError::Database`] if it cannot even be read.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        self.database.check()
    }
}

impl Store for Sqlite {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionFacts,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write_for(Some(session), |connection| sessions::open(connection, session, facts, now))
    }

    fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.database.read(sessions::list)
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.database.write(|connection| sessions::set_pinned(connection, session, pinned))
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.database.write(|connection| sessions::delete(connection, session))
    }

    fn refer(
        &self,
        session: Option<&SessionId>,
        hash: ContentHash,
        now: Timestamp,
    ) -> Result<Option<Stored>, StoreError> {
        self.write_for(session, |connection| content::refer(connection, session, hash, now))
    }

    fn put_new(
        &self,
        session: Option<&SessionId>,
        content: NewContent<'_>,
        now: Timestamp,
    ) -> Result<Stored, StoreError> {
        // Outside of the transaction: others may write meanwhile.
        let packed = content::Packed::of(content)?;
        self.write_for(session, |connection| content::put(connection, session, &packed, now))
    }

    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError> {
        self.database.read(|connection| content::get(connection, handle))
    }

    fn append(
        &self,
        session: &SessionId,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        let payload = text_of(payload)?;
        self.write_for(Some(session), |connection| {
            log::append(connection, session, Log::Events, &payload, now)
        })
    }

    fn records(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.database.read(|connection| log::records(connection, session, from, most))
    }

    fn append_messages(
        &self,
        session: &SessionId,
        messages: &[Message],
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let texts: Result<Vec<String>, _> = messages.iter().map(messages::text).collect();
        let texts = texts?;
        self.write_for(Some(session), |connection| {
            messages::append(connection, session, &texts, now)
        })
    }

    fn messages(
        &self,
        session: &SessionId,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Said>, StoreError> {
        self.database.read(|connection| messages::read(connection, session, from, most))
    }

    fn change_calls(
        &self,
        session: &SessionId,
        changes: &CallChanges,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let changes = calls::Texts::of(changes)?;
        self.write_for(Some(session), |connection| {
            calls::change(connection, session, &changes, now)
        })
    }

    fn calls(&self, session: &SessionId) -> Result<Option<CallHistory>, StoreError> {
        self.database.read(|connection| calls::history(connection, session))
    }

    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let curation = text_of(curation)?;
        self.database.write(|connection| caches::put_curation(connection, key, &curation, now))
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.database.write(|connection| caches::curation(connection, key, now))
    }

    fn put_fetch(&self, key: FetchKey, fetch: &Fetch) -> Result<(), StoreError> {
        self.database.write(|connection| caches::put_fetch(connection, key, fetch))
    }

    fn fetch(&self, key: FetchKey) -> Result<Option<Fetch>, StoreError> {
        self.database.read(|connection| caches::fetch(connection, key))
    }

    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError> {
        self.write_for(Some(session), |connection| writes::put(connection, session, write))
    }

    fn session_writes(&self, session: &SessionId) -> Result<Vec<Write>, StoreError> {
        self.database.read(|connection| writes::of_session(connection, session))
    }

    fn writes(&self, session: &SessionId, path: &str) -> Result<Vec<Write>, StoreError> {
        self.database.read(|connection| writes::of_file(connection, session, path))
    }

    fn contents_known(&self, contents: &[ContentHash]) -> Result<HashSet<ContentHash>, StoreError> {
        let mut known = self.ready().known(contents);
        let others: Vec<ContentHash> =
            contents.iter().filter(|hash| !known.contains(*hash)).copied().collect();
        if !others.is_empty() {
            known.extend(self.database.read(|connection| content::stored(connection, &others))?);
        }
        Ok(known)
    }

    fn get_ready(&self, contents: Vec<NewContent<'_>>) {
        let mut compressor = content::compressor();
        for content in contents {
            // What cannot be made ready is given again with its turn, which says why.
            if let Ok(packed) = content::Packed::by(&mut compressor, content) {
                self.ready().insert(packed.into_owned());
            }
        }
    }

    fn put_turn(
        &self,
        session: &SessionId,
        turn: &Turn,
        left_out: LeftOut<'_>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let LeftOut { known, new } = left_out;
        let packed: Result<Vec<_>, _> =
            spread::each(new, content::compressor, content::Packed::by).into_iter().collect();
        let packed = packed?;
        let (ready, stored) = self.ready().of(&known);
        self.write_for(Some(session), |connection| {
            let number = turns::put(connection, session, turn, now)?;
            for hash in &stored {
                content::refer_from(connection, number, *hash, now)?;
            }
            for content in &packed {
                content::put_from(connection, number, content, now)?;
            }
            for content in &ready {
                content::put_from(connection, number, content, now)?;
            }
            Ok(())
        })?;
        self.ready().forget(&known);
        Ok(())
    }

    fn turns(&self, beginnings: &[ContentHash]) -> Result<Vec<Turn>, StoreError> {
        self.database.read(|connection| turns::leading_to(connection, beginnings))
    }

    fn knows_turn(&self, ends: &[ContentHash]) -> Result<bool, StoreError> {
        self.database.read(|connection| turns::knows(connection, ends))
    }

    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        self.database.write(|connection| grants::put(connection, roots, grant, now))
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.database.write(|connection| grants::remove(connection, roots, grant))
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.database.read(|connection| grants::of_roots(connection, roots))
    }

    fn note_reader(
        &self,
        places: &[ReaderPlace],
        reader: Option<&str>,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let time = self.now(now);
        self.database.write(|connection| readers::note(connection, places, reader, &time))
    }

    fn readers(&self, places: &[ReaderPlace]) -> Result<Readers, StoreError> {
        self.database.read(|connection| readers::at(connection, places))
    }

    fn note_asker(&self, call: &str, reader: &str, now: Timestamp) -> Result<(), StoreError> {
        let time = self.now(now);
        self.database.write(|connection| askers::note(connection, call, reader, &time))
    }

    fn asker(&self, call: &str) -> Result<Option<String>, StoreError> {
        self.database.read(|connection| askers::of(connection, call))
    }

    fn note_edit(
        &self,
        reader: (&str, &str),
        path: &str,
        edit: &OwnEdit,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let time = self.now(now);
        self.database.write(|connection| own_edits::note(connection, reader, path, edit, &time))
    }

    fn edits_by(&self, reader: &str, since: Moment) -> Result<Vec<NotedEdit>, StoreError> {
        self.database.read(|connection| own_edits::by(connection, reader, since))
    }

    fn forget_edits(&self, session: &str) -> Result<(), StoreError> {
        self.database.write(|connection| own_edits::forget(connection, session))
    }

    fn last_reader_note(&self) -> Result<Moment, StoreError> {
        self.database.read(readers::last)
    }

    fn collect(&self, limits: Limits, now: Timestamp) -> Result<Collected, StoreError> {
        let mut all = Collected::default();
        let uptime = self.uptime();
        loop {
            let part = self.database.write(|connection| {
                collect::collect_part(connection, limits, now, uptime.as_ref())
            })?;
            all.sessions += part.collected.sessions;
            all.contents += part.collected.contents;
            all.cached += part.collected.cached;
            all.bytes_left = part.collected.bytes_left;
            if !part.goes_on {
                break;
            }
        }
        self.database.read(collect::give_back)?;
        Ok(all)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.database.read(collect::last)
    }
}
