//! The tables, and how a file of an older version gets them.

use rusqlite::{Connection, TransactionBehavior};

use crate::error::StoreError;

/// `fovs`: says whose file it is.
const APPLICATION: i64 = 0x666f_7673;

/// Each makes of a file of the version before one of its own; the version of a file is how
/// many were carried out. What was released is never changed, only added to.
const STEPS: &[&str] = &[SESSIONS_AND_CONTENT, CALLS_AND_CACHES, COLLECTION];

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

/// What a file was when it was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Was {
    /// A store of this version now.
    Store,
    /// A store of a later version, which it still is.
    Newer,
    /// Another program's, which it still is.
    Foreign,
}

/// Brings the tables up to this version.
pub(crate) fn prepare(connection: &mut Connection) -> Result<Was, StoreError> {
    carry_out(connection, STEPS)
}

fn carry_out(connection: &mut Connection, steps: &[&str]) -> Result<Was, StoreError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let number = |sql: &str| transaction.query_row(sql, [], |row| row.get::<_, i64>(0));
    let version = number("PRAGMA user_version")?;
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let is_ours = application == APPLICATION || (version, application, tables) == (0, 0, 0);
    let Some(done) = usize::try_from(version).ok().filter(|_| is_ours) else {
        return Ok(Was::Foreign);
    };
    let Some(left) = steps.get(done..) else { return Ok(Was::Newer) };
    for step in left {
        transaction.execute_batch(step)?;
    }
    if !left.is_empty() {
        transaction.execute_batch(&format!(
            "PRAGMA user_version = {}; PRAGMA application_id = {APPLICATION}",
            steps.len()
        ))?;
    }
    transaction.commit()?;
    Ok(Was::Store)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(connection: &Connection) -> Vec<String> {
        let sql = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name";
        let mut statement = connection.prepare(sql).expect("there is a schema");
        let rows = statement.query_map([], |row| row.get(0)).expect("it can be read");
        rows.collect::<Result<_, _>>().expect("it is text")
    }

    #[test]
    fn every_older_version_is_brought_up_to_date_and_keeps_what_it_holds() {
        let mut new = Connection::open_in_memory().expect("memory");
        assert_eq!(prepare(&mut new).expect("a store"), Was::Store);
        for version in 1..=STEPS.len() {
            let mut old = Connection::open_in_memory().expect("memory");
            carry_out(&mut old, &STEPS[..version]).expect("an older store");
            let sql = "INSERT INTO session(name, facts, started, used) VALUES ('a', '{}', 1, 2)";
            old.execute(sql, []).expect("a session");
            assert_eq!(prepare(&mut old).expect("it is brought up to date"), Was::Store);
            assert_eq!(tables(&old), tables(&new), "from version {version}");
            let name: String =
                old.query_row("SELECT name FROM session", [], |row| row.get(0)).expect("one");
            assert_eq!(name, "a");
        }
    }

    #[test]
    fn a_later_version_is_told_apart_and_left_alone() {
        let mut connection = Connection::open_in_memory().expect("memory");
        let later = ["CREATE TABLE later(id INTEGER)"];
        let steps: Vec<&str> = STEPS.iter().copied().chain(later).collect();
        carry_out(&mut connection, &steps).expect("a later store");
        let before = tables(&connection);
        assert_eq!(prepare(&mut connection).expect("it can be read"), Was::Newer);
        assert_eq!(tables(&connection), before);
    }
}
