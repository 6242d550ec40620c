//! What goes when there is too much.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::records::{Collected, Limits};

use super::uptime::{Uptime, used_within};

/// A session used in the last hour is at work: it is not removed as a whole.
const AT_WORK_MS: i64 = 3_600_000;

/// What one transaction removes at most of each kind.
const PART_MAX: u32 = 64;

/// Content that no session and no page refers to.
const UNREFERENCED: &str = "NOT EXISTS (SELECT 1 FROM reference r WHERE r.handle = content.handle) \
                            AND NOT EXISTS (SELECT 1 FROM fetch f WHERE f.body = content.handle)";

/// Content that no pinned session refers to.
const UNPINNED: &str = "NOT EXISTS (SELECT 1 FROM reference r JOIN session s ON s.id = r.session \
                        WHERE r.handle = content.handle AND s.pinned)";

/// How much went.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Removed {
    contents: u64,
    bytes: u64,
}

/// What may be removed as one.
enum Candidate {
    Session(i64),
    Fetch([u8; 32]),
    Content(i64),
}

/// What one transaction of a collection came to.
pub(super) struct Part {
    /// What it removed, and what it left.
    pub(super) collected: Collected,
    /// Whether there may be more to remove.
    pub(super) goes_on: bool,
}

/// Removes a part of what is too old or too much, so that nobody who wants to write waits for
/// all of it; keeps that everything was looked at if nothing is left to do.
pub(super) fn collect_part(
    connection: &Connection,
    limits: Limits,
    now: Timestamp,
    uptime: Option<&Uptime>,
) -> Result<Part, StoreError> {
    let mut collected = remove_old(connection, limits, now, uptime)?;
    let removed = collected.sessions + collected.cached + collected.contents;
    let mut goes_on = removed > 0;
    if !goes_on {
        collected.bytes_left = bytes(connection)?;
        goes_on = remove_excess(connection, limits, (now, uptime), &mut collected)?;
    }
    if !goes_on {
        let sql = "INSERT OR REPLACE INTO collection(id, time) VALUES (1, ?1)";
        connection.execute(sql, [now.0])?;
    }
    Ok(Part { collected, goes_on })
}

/// When everything was last looked at.
pub(super) fn last(connection: &Connection) -> Result<Option<Timestamp>, StoreError> {
    let mut statement = connection.prepare_cached("SELECT time FROM collection")?;
    Ok(statement.query_row([], |row| Ok(Timestamp(row.get(0)?))).optional()?)
}

/// Removes a part of what was not used for too long.
fn remove_old(
    connection: &Connection,
    limits: Limits,
    now: Timestamp,
    uptime: Option<&Uptime>,
) -> Result<Collected, StoreError> {
    let oldest = now.0.saturating_sub(limits.age_max_ms.max(0));
    let remove = |table: &str, key: &str, condition: &str| {
        let sql = format!(
            "DELETE FROM {table} WHERE {key} IN \
             (SELECT {key} FROM {table} WHERE {condition} LIMIT {PART_MAX})"
        );
        Ok::<_, StoreError>(connection.prepare_cached(&sql)?.execute([oldest])? as u64)
    };
    let is_young = used_within(uptime, limits.age_max_ms);
    // Whoever follows the notes on readers takes one that is gone for a new one.
    for table in ["reader", "asker", "own_edit"] {
        let sql = format!("DELETE FROM {table} WHERE noted < ?1 AND NOT {is_young}");
        connection.prepare_cached(&sql)?.execute([oldest])?;
    }
    Ok(Collected {
        sessions: remove("session", "id", &format!("NOT pinned AND used < ?1 AND NOT {is_young}"))?,
        cached: remove("fetch", "key", "checked < ?1")? + remove("curation", "key", "used < ?1")?,
        contents: remove("content", "handle", &format!("used < ?1 AND {UNREFERENCED}"))?,
        bytes_left: 0,
    })
}

/// Removes a part of what is too much; whether something was.
fn remove_excess(
    connection: &Connection,
    limits: Limits,
    (now, uptime): (Timestamp, Option<&Uptime>),
    collected: &mut Collected,
) -> Result<bool, StoreError> {
    let at_work = now.0.saturating_sub(AT_WORK_MS);
    for is_whole in [true, false] {
        let mut goes_on = false;
        let candidates = match is_whole {
            true => whole_candidates(connection, at_work, uptime)?,
            false => content_candidates(connection)?,
        };
        for candidate in candidates {
            if collected.bytes_left <= limits.bytes_max {
                break;
            }
            goes_on = true;
            let removed = match candidate {
                Candidate::Session(session) => {
                    collected.sessions += 1;
                    remove_session(connection, session)?
                }
                Candidate::Fetch(key) => {
                    collected.cached += 1;
                    remove_fetch(connection, key)?
                }
                Candidate::Content(handle) => remove_content(connection, handle, UNPINNED)?,
            };
            collected.contents += removed.contents;
            collected.bytes_left = collected.bytes_left.saturating_sub(removed.bytes);
        }
        if goes_on {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes a session and the content that only it refers to.
pub(super) fn remove_session(connection: &Connection, session: i64) -> Result<Removed, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT handle FROM reference WHERE session = ?1")?;
    let handles: Vec<i64> =
        statement.query_map([session], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let sql = "DELETE FROM session WHERE id = ?1 RETURNING bytes";
    let bytes: Option<i64> =
        connection.prepare_cached(sql)?.query_row([session], |row| row.get(0)).optional()?;
    let mut removed = Removed { contents: 0, bytes: bytes.unwrap_or(0).unsigned_abs() };
    for handle in handles {
        let content = remove_content(connection, handle, UNREFERENCED)?;
        removed.contents += content.contents;
        removed.bytes += content.bytes;
    }
    Ok(removed)
}

fn remove_fetch(connection: &Connection, key: [u8; 32]) -> Result<Removed, StoreError> {
    let sql = "DELETE FROM fetch WHERE key = ?1 RETURNING body";
    let body: Option<i64> =
        connection.prepare_cached(sql)?.query_row(params![key], |row| row.get(0)).optional()?;
    match body {
        Some(body) => remove_content(connection, body, UNREFERENCED),
        None => Ok(Removed::default()),
    }
}

fn remove_content(
    connection: &Connection,
    handle: i64,
    condition: &str,
) -> Result<Removed, StoreError> {
    let sql =
        format!("DELETE FROM content WHERE handle = ?1 AND {condition} RETURNING stored_bytes");
    let bytes: Option<i64> =
        connection.prepare_cached(&sql)?.query_row([handle], |row| row.get(0)).optional()?;
    Ok(bytes
        .map_or(Removed::default(), |bytes| Removed { contents: 1, bytes: bytes.unsigned_abs() }))
}

/// What is removed without a hole in what stays, oldest first.
fn whole_candidates(
    connection: &Connection,
    at_work: i64,
    uptime: Option<&Uptime>,
) -> Result<Vec<Candidate>, StoreError> {
    let is_at_work = used_within(uptime, AT_WORK_MS);
    let sql = format!(
        "SELECT used, id, NULL, 1 FROM session \
         WHERE NOT pinned AND used < ?1 AND NOT {is_at_work} \
         UNION ALL SELECT checked, 0, key, 2 FROM fetch \
         UNION ALL SELECT used, handle, NULL, 3 FROM content WHERE {UNREFERENCED} \
         ORDER BY 1, 4, 2 LIMIT {PART_MAX}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([at_work], |row| {
        Ok(match (row.get(1)?, row.get::<_, Option<[u8; 32]>>(2)?, row.get::<_, i64>(3)?) {
            (_, Some(key), _) => Candidate::Fetch(key),
            (session, None, 1) => Candidate::Session(session),
            (handle, None, _) => Candidate::Content(handle),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Content that sessions at work refer to, oldest first.
fn content_candidates(connection: &Connection) -> Result<Vec<Candidate>, StoreError> {
    let sql = format!(
        "SELECT handle FROM content WHERE {UNPINNED} ORDER BY used, handle LIMIT {PART_MAX}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok(Candidate::Content(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Bytes of content and records.
fn bytes(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT (SELECT coalesce(sum(stored_bytes), 0) FROM content) \
               + (SELECT coalesce(sum(bytes), 0) FROM session)";
    let bytes: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(bytes.unsigned_abs())
}

/// Gives the room of what was removed back to the system.
pub(super) fn give_back(connection: &Connection) -> Result<(), StoreError> {
    // Each step of the statement gives back one page.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
