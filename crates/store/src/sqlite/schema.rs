//! The tables, and the migration of a file of an earlier version.

use crate::database_file::DatabaseOwner;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// The application id of a store: `fovs`.
const APPLICATION_ID: i64 = 0x666f_7673;

/// The migrations. Each one upgrades a file by one version, and the version of a file is the number
/// of migrations it has seen. A released migration is never changed. Migrations keep the tables and
/// columns of earlier versions: a process of an earlier version may have the file open and would
/// take their absence for damage.
const MIGRATIONS: &[&str] = &[
    SESSIONS_AND_CONTENT,
    CALLS_AND_CACHES,
    COLLECTION,
    GRANTS_AND_READERS,
    ASKERS,
    OWN_EDITS,
    UPTIME,
    UPTIME_OF_NOTES,
    TURNS,
    TURNS_BY_END,
];

/// The version that this program writes.
pub(crate) const VERSION: i64 = MIGRATIONS.len() as i64;

const SESSIONS_AND_CONTENT: &str = "
CREATE TABLE session(
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    facts TEXT NOT NULL,
    started INTEGER NOT NULL,
    used INTEGER NOT NULL,
    pinned INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE record(
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    log INTEGER NOT NULL,
    number INTEGER NOT NULL,
    time INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY(session, log, number)
) WITHOUT ROWID;
CREATE TABLE content(
    handle INTEGER PRIMARY KEY,
    hash BLOB NOT NULL,
    bytes INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    used INTEGER NOT NULL,
    secrets INTEGER NOT NULL,
    compressed INTEGER NOT NULL,
    checksum BLOB NOT NULL,
    stored BLOB NOT NULL
);
CREATE TABLE reference(
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    handle INTEGER NOT NULL REFERENCES content(handle) ON DELETE CASCADE,
    PRIMARY KEY(session, handle)
) WITHOUT ROWID;
CREATE INDEX reference_of_content ON reference(handle);";

const CALLS_AND_CACHES: &str = "
CREATE TABLE calls(
    session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
    payload TEXT NOT NULL
);
CREATE TABLE curation(
    key BLOB PRIMARY KEY,
    used INTEGER NOT NULL,
    payload TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX curation_by_use ON curation(used);
CREATE TABLE fetch(
    key BLOB PRIMARY KEY,
    url TEXT NOT NULL,
    final_url TEXT NOT NULL,
    status INTEGER NOT NULL,
    content_type TEXT,
    etag TEXT,
    last_modified TEXT,
    expires INTEGER,
    checked INTEGER NOT NULL,
    body INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX fetch_by_time ON fetch(checked);
CREATE INDEX fetch_of_body ON fetch(body);
CREATE TABLE write(
    id INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    path TEXT NOT NULL,
    before INTEGER,
    after INTEGER NOT NULL,
    time INTEGER NOT NULL
);
CREATE INDEX write_of_session ON write(session);";

const COLLECTION: &str = "
CREATE TABLE collection(
    id INTEGER PRIMARY KEY,
    time INTEGER NOT NULL
);
CREATE INDEX content_by_use ON content(used, stored_bytes);";

const ASKERS: &str = "
CREATE TABLE asker(
    call TEXT PRIMARY KEY,
    reader TEXT NOT NULL,
    noted INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX asker_by_time ON asker(noted);";

const OWN_EDITS: &str = "
CREATE TABLE own_edit(
    session TEXT NOT NULL,
    reader TEXT NOT NULL,
    path TEXT NOT NULL,
    payload TEXT NOT NULL,
    noted INTEGER NOT NULL,
    PRIMARY KEY(reader, path)
) WITHOUT ROWID;
CREATE INDEX own_edit_by_time ON own_edit(noted);
CREATE INDEX own_edit_of_session ON own_edit(session);";

/// The last use of a session by the uptime of the machine: the id of the boot, and milliseconds
/// since.
const UPTIME: &str = "
ALTER TABLE session ADD COLUMN boot TEXT;
ALTER TABLE session ADD COLUMN uptime INTEGER;";

/// The uptime for notes of hooks, on which sessions in use depend.
const UPTIME_OF_NOTES: &str = "
ALTER TABLE reader ADD COLUMN boot TEXT;
ALTER TABLE reader ADD COLUMN uptime INTEGER;
ALTER TABLE asker ADD COLUMN boot TEXT;
ALTER TABLE asker ADD COLUMN uptime INTEGER;
ALTER TABLE own_edit ADD COLUMN boot TEXT;
ALTER TABLE own_edit ADD COLUMN uptime INTEGER;";

/// The decisions about requests of live conversations, each with the request that it continues.
const TURNS: &str = "
CREATE TABLE turn(
    end BLOB PRIMARY KEY,
    before BLOB NOT NULL,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    decided TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX turn_of_session ON turn(session);";

/// Replaces `turn`, whose rows hold both key and long text: a lookup had to read all texts on its
/// path. Here a separate index holds the keys alone.
const TURNS_BY_END: &str = "
CREATE TABLE planned(
    id INTEGER PRIMARY KEY,
    end BLOB NOT NULL UNIQUE,
    before BLOB NOT NULL,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    decided TEXT NOT NULL
);
CREATE INDEX planned_of_session ON planned(session);
INSERT INTO planned(end, before, session, decided)
SELECT end, before, session, decided FROM turn WHERE session IN (SELECT id FROM session);
DELETE FROM turn;";

/// Earlier versions kept grants, notes on readers and recent calls as one JSON text each in
/// `calls`, the first two under sessions without an owner, and used an ordinary content for a
/// missing file (`5f7bb64f33a6`). Notes on readers are dropped: a session that follows them treats
/// missing notes as a new note.
const GRANTS_AND_READERS: &str = "
CREATE TABLE granted(
    roots TEXT NOT NULL,
    tool TEXT NOT NULL,
    subject TEXT NOT NULL,
    time INTEGER NOT NULL,
    PRIMARY KEY(roots, tool, subject)
) WITHOUT ROWID;
CREATE INDEX granted_by_time ON granted(time);
CREATE TABLE reader(
    folder TEXT NOT NULL,
    reach INTEGER NOT NULL,
    reader TEXT,
    asked INTEGER NOT NULL,
    cut INTEGER NOT NULL,
    noted INTEGER NOT NULL,
    PRIMARY KEY(folder, reach)
) WITHOUT ROWID;
CREATE INDEX reader_by_time ON reader(noted);
CREATE TABLE call_state(
    session INTEGER PRIMARY KEY REFERENCES session(id) ON DELETE CASCADE,
    payload TEXT NOT NULL
);
CREATE TABLE call(
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY(session, number)
) WITHOUT ROWID;

INSERT OR IGNORE INTO granted(roots, tool, subject, time)
SELECT substr(s.name, 13), g.value ->> 0, g.value ->> 1, s.used
FROM session s JOIN calls c ON c.session = s.id,
     json_each(iif(json_valid(c.payload), c.payload, '[]')) g
WHERE s.name GLOB 'permissions ' || replace('xxxxxxxxxxxx', 'x', '[0-9a-f]')
      AND g.type = 'array';
DELETE FROM session
WHERE (name = 'readers'
       OR name GLOB 'readers ' || replace('xxxxxxxxxxxx', 'x', '[0-9a-f]')
       OR name GLOB 'readers at ' || replace('xxxxxxxxxxxx', 'x', '[0-9a-f]')
       OR name GLOB 'permissions ' || replace('xxxxxxxxxxxx', 'x', '[0-9a-f]'))
      AND NOT EXISTS (SELECT 1 FROM record r WHERE r.session = session.id);

INSERT INTO call_state(session, payload)
SELECT session, json_remove(payload, '$.records') FROM calls
WHERE session IN (SELECT id FROM session)
      AND iif(json_valid(payload), json_type(payload), '') = 'object';
INSERT OR IGNORE INTO call(session, number, payload)
SELECT c.session, r.value ->> 'id', r.value
FROM calls c, json_each(iif(json_valid(c.payload), c.payload, '{}'), '$.records') r
WHERE c.session IN (SELECT session FROM call_state) AND r.type = 'object';
DELETE FROM calls;

UPDATE write SET before = NULL WHERE before = 104984944260006;
UPDATE write SET after = -1 WHERE after = 104984944260006;";

/// The state of a file when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StoreFileKind {
    /// A store of this version, if necessary after migration.
    Store,
    /// A store of an earlier version, opened without migration.
    Older,
    /// A store of a later version, unchanged.
    Newer,
    /// A file of another program, unchanged.
    Foreign,
}

/// Reads the kind of a file without a change. An empty file counts as [`StoreFileKind::Older`].
pub(crate) fn inspect_schema(connection: &Connection) -> Result<StoreFileKind, StoreError> {
    Ok(match DatabaseOwner::read(connection, APPLICATION_ID)? {
        DatabaseOwner::Empty => StoreFileKind::Older,
        DatabaseOwner::Own { version } if version < VERSION => StoreFileKind::Older,
        DatabaseOwner::Own { version } if version == VERSION => StoreFileKind::Store,
        DatabaseOwner::Own { .. } => StoreFileKind::Newer,
        DatabaseOwner::Foreign => StoreFileKind::Foreign,
    })
}

/// Migrates the tables to this version. Writes nothing if they have it already: another process may
/// be writing.
pub(crate) fn migrate(connection: &mut Connection) -> Result<StoreFileKind, StoreError> {
    match DatabaseOwner::read_if_writable(connection, APPLICATION_ID)? {
        Some(DatabaseOwner::Own { version: VERSION }) => Ok(StoreFileKind::Store),
        Some(DatabaseOwner::Own { .. } | DatabaseOwner::Empty | DatabaseOwner::Foreign) | None => {
            run_migrations(connection, MIGRATIONS)
        }
    }
}

fn run_migrations(
    connection: &mut Connection,
    steps: &[&str],
) -> Result<StoreFileKind, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = match DatabaseOwner::read(&transaction, APPLICATION_ID)? {
        DatabaseOwner::Empty => Some(0),
        DatabaseOwner::Own { version } => usize::try_from(version).ok(),
        DatabaseOwner::Foreign => None,
    };
    let Some(done) = done else { return Ok(StoreFileKind::Foreign) };
    let Some(left) = steps.get(done..) else { return Ok(StoreFileKind::Newer) };
    for step in left {
        transaction.execute_batch(step)?;
    }
    if !left.is_empty() {
        let version = i64::try_from(steps.len()).expect("they are few");
        DatabaseOwner::write(&transaction, APPLICATION_ID, version)?;
    }
    transaction.commit()?;
    Ok(StoreFileKind::Store)
}

#[cfg(test)]
mod tests;
