//! A store in one SQLite file, or in memory.

mod collect;
mod content;
mod schema;
mod sessions;
mod shared;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use foveal_database::{FileId, set_aside, with};
use foveal_transcript::Handle;
use foveal_transcript::Timestamp;
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use serde_json::Value;

use crate::error::StoreError;
use crate::place::{Notice, aside, make_private};
use crate::records::{
    Collected, Content, CurationKey, Fetch, Limits, Log, Record, RecordNumber, Session,
    SessionFacts, SessionId, Stored, Write,
};
use crate::store::Store;

use schema::Was;

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(10);

/// How often a file is opened that is set aside meanwhile, by this process or others.
const OPENINGS_MAX: u32 = 3;

/// Notices that are kept until somebody asks for them.
const NOTICES_MAX: usize = 16;

/// Settings of a connection. `NORMAL` with a write-ahead log: a commit is handed to the system
/// before it is acknowledged, so a killed process loses nothing; a power failure may take the
/// last commits, never the file. Waiting for the disk at every event would cost each tool call
/// milliseconds, and what a power failure takes here the files themselves still hold.
const SETTINGS: &str = "PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON; \
                        PRAGMA temp_store = MEMORY";

/// A [`Store`] in a SQLite file that any number of processes use at once, or in memory.
#[derive(Debug)]
pub struct SqliteStore {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    connection: Connection,
    /// `None` in memory.
    place: Option<Place>,
    notices: Vec<Notice>,
}

/// Where a store is kept.
#[derive(Debug, Clone)]
struct Place {
    path: PathBuf,
    /// The file that was opened; another process may have put another one there since.
    file: Option<FileId>,
}

impl SqliteStore {
    /// Opens the file at `path`, or makes it with its folder. A file of an older version is
    /// brought up to date. One that is damaged is set aside; one of a later version is left
    /// alone and another used: [`SqliteStore::take_notices`] says so.
    ///
    /// # Errors
    /// [`StoreError::Place`] or [`StoreError::Database`] if the file cannot be made or used.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Ok(Self { state: Mutex::new(State::open(path)?) })
    }

    /// A store that nothing is left of.
    ///
    /// # Errors
    /// [`StoreError::Database`] if there is no memory.
    pub fn in_memory() -> Result<Self, StoreError> {
        let mut connection = Connection::open_in_memory()?;
        connection.execute_batch(SETTINGS)?;
        schema::prepare(&mut connection)?;
        Ok(Self { state: Mutex::new(State { connection, place: None, notices: Vec::new() }) })
    }

    /// What a person should know about the file, once.
    pub fn take_notices(&self) -> Vec<Notice> {
        std::mem::take(&mut self.state().notices)
    }

    /// The file in use; `None` in memory.
    pub fn path(&self) -> Option<PathBuf> {
        self.state().place.as_ref().map(|place| place.path.clone())
    }

    /// What SQLite itself finds wrong with the file, at the cost of reading all of it; empty
    /// if nothing.
    ///
    /// # Errors
    /// [`StoreError::Database`] if it cannot even be read.
    pub fn check(&self) -> Result<Vec<String>, StoreError> {
        let state = self.state();
        let mut statement = state.connection.prepare("PRAGMA integrity_check")?;
        let rows = statement.query_map([], |row| row.get::<_, String>(0))?;
        let found = rows.collect::<Result<Vec<_>, _>>()?;
        Ok(found.into_iter().filter(|row| row != "ok").collect())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // A panic elsewhere leaves at worst a transaction that SQLite rolls back.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does `work` and commits it; all of it is done, or nothing.
    fn write<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().unless_damaged(|connection| {
            let behavior = TransactionBehavior::Immediate;
            let transaction = connection.transaction_with_behavior(behavior)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }

    fn read<T>(
        &self,
        work: impl Fn(&Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.state().unless_damaged(|connection| work(connection))
    }
}

impl State {
    fn open(path: &Path) -> Result<Self, StoreError> {
        let place = |source| StoreError::Place { path: path.to_owned(), source };
        let mut notices = Vec::new();
        let mut path = path.to_owned();
        for _ in 0..OPENINGS_MAX {
            make_private(&path).map_err(place)?;
            let file = FileId::of(&path);
            match connect(&path) {
                Ok((connection, Was::Store)) => {
                    return Ok(Self { connection, place: Some(Place { path, file }), notices });
                }
                Ok((_, Was::Newer)) => {
                    let instead = with(&path, &format!(".v{}", schema::VERSION));
                    notices.push(Notice::Newer { file: path, instead: instead.clone() });
                    path = instead;
                    continue;
                }
                Err(error) if !error.is_damage() => return Err(error),
                // The connection is closed by now.
                Ok((_, Was::Foreign)) | Err(_) => {}
            }
            let aside = set_aside(&path, file, || aside(&path)).map_err(place)?;
            notices.extend(aside.map(|aside| Notice::SetAside { aside }));
        }
        Err(place(std::io::ErrorKind::AlreadyExists.into()))
    }

    /// Opens what is at the place by now, if that is no longer the file that was opened: another
    /// process put it away, or a person removed it. What is stored there nobody would find.
    fn follow(&mut self) -> Result<(), StoreError> {
        let Some(Place { path, file }) = &self.place else { return Ok(()) };
        if FileId::of(path) == *file {
            return Ok(());
        }
        let mut state = Self::open(path)?;
        self.connection = state.connection;
        self.place = state.place;
        self.notices.append(&mut state.notices);
        self.notices.truncate(NOTICES_MAX);
        Ok(())
    }

    /// Does `work`; where it finds the file damaged, once more with a new file.
    fn unless_damaged<T>(
        &mut self,
        work: impl Fn(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.follow()?;
        match work(&mut self.connection) {
            Err(error) if error.is_damage() && self.place.is_some() => {
                self.begin_anew()?;
                work(&mut self.connection)
            }
            other => other,
        }
    }

    /// Puts the file away and goes on with another; with what another process has made in its
    /// place, if one has.
    fn begin_anew(&mut self) -> Result<(), StoreError> {
        let Some(Place { path, file }) = self.place.clone() else { return Ok(()) };
        // Closes the file, which some systems do not move while it is open.
        self.connection = Connection::open_in_memory()?;
        let aside = set_aside(&path, file, || aside(&path))
            .map_err(|source| StoreError::Place { path: path.clone(), source })?;
        let mut state = Self::open(&path)?;
        self.notices.extend(aside.map(|aside| Notice::SetAside { aside }));
        self.notices.append(&mut state.notices);
        self.notices.truncate(NOTICES_MAX);
        self.connection = state.connection;
        self.place = state.place;
        Ok(())
    }
}

/// Opens the file and brings it up to date.
fn connect(path: &Path) -> Result<(Connection, Was), StoreError> {
    let mut connection = Connection::open(path)?;
    connection.busy_timeout(BUSY_TIME)?;
    // Only a file without tables takes it. Room that a collection frees is given back.
    connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL")?;
    match connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())) {
        // Another process is about to set it.
        Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {}
        other => other?,
    }
    connection.execute_batch(SETTINGS)?;
    let was = schema::prepare(&mut connection)?;
    Ok((connection, was))
}

impl Store for SqliteStore {
    fn open_session(
        &self,
        session: &SessionId,
        facts: &SessionFacts,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(|connection| sessions::open(connection, session, facts, now))
    }

    fn sessions(&self) -> Result<Vec<Session>, StoreError> {
        self.read(sessions::list)
    }

    fn set_pinned(&self, session: &SessionId, pinned: bool) -> Result<(), StoreError> {
        self.write(|connection| sessions::set_pinned(connection, session, pinned))
    }

    fn delete_session(&self, session: &SessionId) -> Result<bool, StoreError> {
        self.write(|connection| sessions::delete(connection, session))
    }

    fn put(
        &self,
        session: Option<&SessionId>,
        content: &[u8],
        now: Timestamp,
    ) -> Result<Stored, StoreError> {
        let identity = content::Identity::of(content)?;
        let known =
            self.write(|connection| content::put_known(connection, session, identity, now))?;
        if let Some(stored) = known {
            return Ok(stored);
        }
        // Outside of the transaction: others may write meanwhile.
        let packed = content::Packed::of(identity, content)?;
        self.write(|connection| content::put(connection, session, &packed, now))
    }

    fn get(&self, handle: Handle) -> Result<Option<Content>, StoreError> {
        self.read(|connection| content::get(connection, handle))
    }

    fn refer(
        &self,
        session: &SessionId,
        handle: Handle,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.write(|connection| content::refer(connection, session, handle, now))
    }

    fn handles(&self) -> Result<Vec<Handle>, StoreError> {
        self.read(content::handles)
    }

    fn append(
        &self,
        session: &SessionId,
        log: Log,
        payload: &Value,
        now: Timestamp,
    ) -> Result<RecordNumber, StoreError> {
        let payload = shared::text_of(payload)?;
        self.write(|connection| sessions::append(connection, session, log, &payload, now))
    }

    fn records(
        &self,
        session: &SessionId,
        log: Log,
        from: RecordNumber,
        most: usize,
    ) -> Result<Vec<Record>, StoreError> {
        self.read(|connection| sessions::records(connection, session, log, from, most))
    }

    fn set_calls(
        &self,
        session: &SessionId,
        calls: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let calls = shared::text_of(calls)?;
        self.write(|connection| sessions::set_calls(connection, session, &calls, now))
    }

    fn calls(&self, session: &SessionId) -> Result<Option<Value>, StoreError> {
        self.read(|connection| sessions::calls(connection, session))
    }

    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let curation = shared::text_of(curation)?;
        self.write(|connection| shared::put_curation(connection, key, &curation, now))
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.write(|connection| shared::curation(connection, key, now))
    }

    fn put_fetch(&self, fetch: &Fetch) -> Result<(), StoreError> {
        self.write(|connection| shared::put_fetch(connection, fetch))
    }

    fn fetch(&self, url: &str) -> Result<Option<Fetch>, StoreError> {
        self.read(|connection| shared::fetch(connection, url))
    }

    fn put_write(&self, session: &SessionId, write: &Write) -> Result<(), StoreError> {
        self.write(|connection| sessions::put_write(connection, session, write))
    }

    fn writes(
        &self,
        session: &SessionId,
        handle: Option<Handle>,
    ) -> Result<Vec<Write>, StoreError> {
        self.read(|connection| sessions::writes(connection, session, handle))
    }

    fn collect(&self, limits: Limits, now: Timestamp) -> Result<Collected, StoreError> {
        let mut all = Collected::default();
        loop {
            let part = self.write(|connection| collect::collect_part(connection, limits, now))?;
            all.sessions += part.collected.sessions;
            all.contents += part.collected.contents;
            all.cached += part.collected.cached;
            all.bytes_left = part.collected.bytes_left;
            if !part.goes_on {
                break;
            }
        }
        self.read(collect::give_back)?;
        Ok(all)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(collect::last)
    }
}
