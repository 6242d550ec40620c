//! The tables, and how a file of an older version gets them.

use foveal_database::Marks;
use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// `fovs`: says whose file it is.
const APPLICATION: i64 = 0x666f_7673;

/// Each makes of a file of the version before one of its own; the version of a file is how
/// many were carried out. What was released is never changed, only added to. A step leaves the
/// tables and columns of earlier ones: a process of an older version may have the file open, and
/// would take their absence for damage.
const STEPS: &[&str] = &[
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

/// The version that is written.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

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

/// When a session was last used by the time that the machine runs: the name of that start, and
/// milliseconds since.
const UPTIME: &str = "
ALTER TABLE session ADD COLUMN boot TEXT;
ALTER TABLE session ADD COLUMN uptime INTEGER;";

/// The same for notes of hooks, which sessions in use rest on, too.
const UPTIME_OF_NOTES: &str = "
ALTER TABLE reader ADD COLUMN boot TEXT;
ALTER TABLE reader ADD COLUMN uptime INTEGER;
ALTER TABLE asker ADD COLUMN boot TEXT;
ALTER TABLE asker ADD COLUMN uptime INTEGER;
ALTER TABLE own_edit ADD COLUMN boot TEXT;
ALTER TABLE own_edit ADD COLUMN uptime INTEGER;";

/// What was decided about requests of live conversations, each with the one that it continues.
const TURNS: &str = "
CREATE TABLE turn(
    end BLOB PRIMARY KEY,
    before BLOB NOT NULL,
    session INTEGER NOT NULL REFERENCES session(id) ON DELETE CASCADE,
    decided TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX turn_of_session ON turn(session);";

/// Where a key and a long text are one row, as before, each step of a search for the key reads the
/// texts that it passes. Here an index has the keys alone.
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

/// Before, grants, notes on readers and recent calls were one JSON text each in `calls`, the
/// first two under sessions of nobody, and no file was a content of its own (`5f7bb64f33a6`).
/// Notes on readers are not taken over: whoever follows them takes none for a new one.
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

/// What a file was when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Was {
    /// A store of this version now.
    Store,
    /// A store of an earlier version, which it still is: it was only looked at.
    Older,
    /// A store of a later version, which it still is.
    Newer,
    /// Another program's, which it still is.
    Foreign,
}

/// What a file is, without a change of it; one of an earlier version too is [`Was::Older`].
pub(crate) fn look(connection: &Connection) -> Result<Was, StoreError> {
    Ok(match Marks::of(connection, APPLICATION)? {
        Marks::Empty => Was::Older,
        Marks::Own { version } if version < VERSION => Was::Older,
        Marks::Own { version } if version == VERSION => Was::Store,
        Marks::Own { .. } => Was::Newer,
        Marks::Foreign => Was::Foreign,
    })
}

/// Brings the tables up to this version. Where they are, nothing is written: another process may
/// write meanwhile.
pub(crate) fn prepare(connection: &mut Connection) -> Result<Was, StoreError> {
    match Marks::of_writable(connection, APPLICATION)? {
        Some(Marks::Own { version: VERSION }) => Ok(Was::Store),
        Some(Marks::Own { .. } | Marks::Empty | Marks::Foreign) | None => {
            carry_out(connection, STEPS)
        }
    }
}

fn carry_out(connection: &mut Connection, steps: &[&str]) -> Result<Was, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let done = match Marks::of(&transaction, APPLICATION)? {
        Marks::Empty => Some(0),
        Marks::Own { version } => usize::try_from(version).ok(),
        Marks::Foreign => None,
    };
    let Some(done) = done else { return Ok(Was::Foreign) };
    let Some(left) = steps.get(done..) else { return Ok(Was::Newer) };
    for step in left {
        transaction.execute_batch(step)?;
    }
    if !left.is_empty() {
        let version = i64::try_from(steps.len()).expect("they are few");
        Marks::write(&transaction, APPLICATION, version)?;
    }
    transaction.commit()?;
    Ok(Was::Store)
}

#[cfg(test)]
mod tests;
