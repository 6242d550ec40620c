//! Garbage collection: removal of data that is too old or too large.

use foveal_transcript::Timestamp;
use rusqlite::{Connection, OptionalExtension as _, params};

use crate::error::StoreError;
use crate::records::{CollectionTotals, RetentionLimits};
use crate::store::GarbageCollection;

use super::backend::SqliteBackend;
use super::uptime::{Uptime, used_within_condition};

/// A session used within this time is active and is not removed as a whole.
const ACTIVE_SESSION_MS: i64 = 3_600_000;

/// The greatest number of items of each kind that one transaction removes.
const PART_MAX: u32 = 64;

/// The SQL condition for content without a reference from a session or a page.
const UNREFERENCED: &str = "NOT EXISTS (SELECT 1 FROM reference r WHERE r.handle = content.handle) \
                            AND NOT EXISTS (SELECT 1 FROM fetch f WHERE f.body = content.handle)";

/// The SQL condition for content without a reference from a pinned session.
const UNPINNED: &str = "NOT EXISTS (SELECT 1 FROM reference r JOIN session s ON s.id = r.session \
                        WHERE r.handle = content.handle AND s.pinned)";

impl GarbageCollection for SqliteBackend {
    fn collect_garbage(
        &self,
        limits: RetentionLimits,
        now: Timestamp,
    ) -> Result<CollectionTotals, StoreError> {
        let mut all = CollectionTotals::default();
        let uptime = self.uptime();
        loop {
            let part =
                self.write(|connection| collect_step(connection, limits, now, uptime.as_ref()))?;
            all.sessions += part.collected.sessions;
            all.contents += part.collected.contents;
            all.cached += part.collected.cached;
            all.bytes_left = part.collected.bytes_left;
            if !part.has_more {
                break;
            }
        }
        self.read(release_free_pages)?;
        Ok(all)
    }

    fn last_collection(&self) -> Result<Option<Timestamp>, StoreError> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT time FROM collection")?;
            Ok(statement.query_row([], |row| Ok(Timestamp(row.get(0)?))).optional()?)
        })
    }
}

/// The amount of removed content.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct RemovedAmount {
    contents: u64,
    bytes: u64,
}

/// An item that can be removed on its own.
enum EvictionCandidate {
    Session(i64),
    Fetch([u8; 32]),
    Content(i64),
}

/// The result of one transaction of a collection.
pub(super) struct CollectionStep {
    /// The removed items and the remaining bytes.
    pub(super) collected: CollectionTotals,
    /// Whether there may be more to remove.
    pub(super) has_more: bool,
}

/// Removes one batch of expired or excess data, so that other writers wait for a batch only.
/// Records the end of the collection if nothing is left to remove.
pub(super) fn collect_step(
    connection: &Connection,
    limits: RetentionLimits,
    now: Timestamp,
    uptime: Option<&Uptime>,
) -> Result<CollectionStep, StoreError> {
    let mut collected = remove_expired(connection, limits, now, uptime)?;
    let removed = collected.sessions + collected.cached + collected.contents;
    let mut goes_on = removed > 0;
    if !goes_on {
        collected.bytes_left = total_bytes(connection)?;
        goes_on = remove_excess(connection, limits, now, uptime, &mut collected)?;
    }
    if !goes_on {
        let sql = "INSERT OR REPLACE INTO collection(id, time) VALUES (1, ?1)";
        connection.execute(sql, [now.0])?;
    }
    Ok(CollectionStep { collected, has_more: goes_on })
}

/// Removes a batch of data that was not used for too long.
fn remove_expired(
    connection: &Connection,
    limits: RetentionLimits,
    now: Timestamp,
    uptime: Option<&Uptime>,
) -> Result<CollectionTotals, StoreError> {
    let oldest = now.0.saturating_sub(limits.age_max_ms.max(0));
    let remove = |table: &str, key: &str, condition: &str| {
        let sql = format!(
            "DELETE FROM {table} WHERE {key} IN \
             (SELECT {key} FROM {table} WHERE {condition} LIMIT {PART_MAX})"
        );
        Ok::<_, StoreError>(connection.prepare_cached(&sql)?.execute([oldest])? as u64)
    };
    let is_young = used_within_condition(uptime, limits.age_max_ms);
    // A session that follows the notes on readers treats a removed note as a new one.
    for table in ["reader", "asker", "own_edit"] {
        let sql = format!("DELETE FROM {table} WHERE noted < ?1 AND NOT {is_young}");
        connection.prepare_cached(&sql)?.execute([oldest])?;
    }
    Ok(CollectionTotals {
        sessions: remove("session", "id", &format!("NOT pinned AND used < ?1 AND NOT {is_young}"))?,
        cached: remove("fetch", "key", "checked < ?1")? + remove("curation", "key", "used < ?1")?,
        contents: remove("content", "handle", &format!("used < ?1 AND {UNREFERENCED}"))?,
        bytes_left: 0,
    })
}

/// Removes a batch of data above the size limit. Returns whether it removed any.
fn remove_excess(
    connection: &Connection,
    limits: RetentionLimits,
    now: Timestamp,
    uptime: Option<&Uptime>,
    collected: &mut CollectionTotals,
) -> Result<bool, StoreError> {
    let at_work = now.0.saturating_sub(ACTIVE_SESSION_MS);
    for is_whole in [true, false] {
        let mut goes_on = false;
        let candidates = match is_whole {
            true => independent_candidates(connection, at_work, uptime)?,
            false => referenced_content_candidates(connection)?,
        };
        for candidate in candidates {
            if collected.bytes_left <= limits.bytes_max {
                break;
            }
            goes_on = true;
            let removed = match candidate {
                EvictionCandidate::Session(session) => {
                    collected.sessions += 1;
                    remove_session(connection, session)?
                }
                EvictionCandidate::Fetch(key) => {
                    collected.cached += 1;
                    remove_fetch(connection, key)?
                }
                EvictionCandidate::Content(handle) => remove_content(connection, handle, UNPINNED)?,
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
pub(super) fn remove_session(
    connection: &Connection,
    session: i64,
) -> Result<RemovedAmount, StoreError> {
    let mut statement =
        connection.prepare_cached("SELECT handle FROM reference WHERE session = ?1")?;
    let handles: Vec<i64> =
        statement.query_map([session], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let sql = "DELETE FROM session WHERE id = ?1 RETURNING bytes";
    let bytes: Option<i64> =
        connection.prepare_cached(sql)?.query_row([session], |row| row.get(0)).optional()?;
    let mut removed = RemovedAmount { contents: 0, bytes: bytes.unwrap_or(0).unsigned_abs() };
    for handle in handles {
        let content = remove_content(connection, handle, UNREFERENCED)?;
        removed.contents += content.contents;
        removed.bytes += content.bytes;
    }
    Ok(removed)
}

fn remove_fetch(connection: &Connection, key: [u8; 32]) -> Result<RemovedAmount, StoreError> {
    let sql = "DELETE FROM fetch WHERE key = ?1 RETURNING body";
    let body: Option<i64> =
        connection.prepare_cached(sql)?.query_row(params![key], |row| row.get(0)).optional()?;
    match body {
        Some(body) => remove_content(connection, body, UNREFERENCED),
        None => Ok(RemovedAmount::default()),
    }
}

fn remove_content(
    connection: &Connection,
    handle: i64,
    condition: &str,
) -> Result<RemovedAmount, StoreError> {
    let sql =
        format!("DELETE FROM content WHERE handle = ?1 AND {condition} RETURNING stored_bytes");
    let bytes: Option<i64> =
        connection.prepare_cached(&sql)?.query_row([handle], |row| row.get(0)).optional()?;
    Ok(bytes.map_or(RemovedAmount::default(), |bytes| RemovedAmount {
        contents: 1,
        bytes: bytes.unsigned_abs(),
    }))
}

/// Returns the items whose removal leaves no dangling reference, oldest first.
fn independent_candidates(
    connection: &Connection,
    at_work: i64,
    uptime: Option<&Uptime>,
) -> Result<Vec<EvictionCandidate>, StoreError> {
    let is_at_work = used_within_condition(uptime, ACTIVE_SESSION_MS);
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
            (_, Some(key), _) => EvictionCandidate::Fetch(key),
            (session, None, 1) => EvictionCandidate::Session(session),
            (handle, None, _) => EvictionCandidate::Content(handle),
        })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the content that active sessions refer to, oldest first.
fn referenced_content_candidates(
    connection: &Connection,
) -> Result<Vec<EvictionCandidate>, StoreError> {
    let sql = format!(
        "SELECT handle FROM content WHERE {UNPINNED} ORDER BY used, handle LIMIT {PART_MAX}"
    );
    let mut statement = connection.prepare(&sql)?;
    let rows = statement.query_map([], |row| Ok(EvictionCandidate::Content(row.get(0)?)))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns the stored bytes of contents and records.
fn total_bytes(connection: &Connection) -> Result<u64, StoreError> {
    let sql = "SELECT (SELECT coalesce(sum(stored_bytes), 0) FROM content) \
               + (SELECT coalesce(sum(bytes), 0) FROM session)";
    let bytes: i64 = connection.query_row(sql, [], |row| row.get(0))?;
    Ok(bytes.unsigned_abs())
}

/// Returns free pages to the file system.
pub(super) fn release_free_pages(connection: &Connection) -> Result<(), StoreError> {
    // Each step of the statement gives back one page.
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
