//! Caches that all sessions share: curations and pages.

use foveal_transcript::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};
use serde_json::Value;

use crate::error::StoreError;
use crate::json::to_json_text;
use crate::keys::{CurationKey, PageKey};
use crate::records::CachedPage;
use crate::store::{CACHED_PAGES_MAX, CURATIONS_MAX, CacheStore};

use super::backend::SqliteBackend;
use super::columns;

impl CacheStore for SqliteBackend {
    fn put_curation(
        &self,
        key: CurationKey,
        curation: &Value,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let curation = to_json_text(curation)?;
        self.write(|connection| {
            let sql = "INSERT OR REPLACE INTO curation(key, used, payload) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![key.0, now.0, curation])?;
            let sql = "DELETE FROM curation WHERE key IN \
                       (SELECT key FROM curation ORDER BY used DESC LIMIT -1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([CURATIONS_MAX])?;
            Ok(())
        })
    }

    fn curation(&self, key: CurationKey, now: Timestamp) -> Result<Option<Value>, StoreError> {
        self.write(|connection| {
            let sql = "UPDATE curation SET used = max(used, ?2) WHERE key = ?1 RETURNING payload";
            let found = connection
                .prepare_cached(sql)?
                .query_row(params![key.0, now.0], |row| columns::json_column(row, 0))
                .optional()?;
            Ok(found.flatten())
        })
    }

    fn put_page(&self, key: PageKey, fetch: &CachedPage) -> Result<(), StoreError> {
        self.write(|connection| {
            let sql = "INSERT OR REPLACE INTO fetch(key, url, final_url, status, content_type, \
               etag, last_modified, expires, checked, body) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";
            connection.prepare_cached(sql)?.execute(params![
                key.0,
                fetch.url,
                fetch.final_url,
                fetch.status,
                fetch.content_type,
                fetch.etag,
                fetch.last_modified,
                fetch.expires.map(|time| time.0),
                fetch.checked.0,
                columns::handle_to_number(fetch.body),
            ])?;
            let sql = "DELETE FROM fetch WHERE key IN \
               (SELECT key FROM fetch ORDER BY checked DESC LIMIT -1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([CACHED_PAGES_MAX])?;
            Ok(())
        })
    }

    fn page(&self, key: PageKey) -> Result<Option<CachedPage>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT url, final_url, status, content_type, etag, last_modified, expires, \
                       checked, body FROM fetch WHERE key = ?1";
            let read = |row: &Row<'_>| {
                Ok(CachedPage {
                    url: row.get(0)?,
                    final_url: row.get(1)?,
                    status: row.get(2)?,
                    content_type: row.get(3)?,
                    etag: row.get(4)?,
                    last_modified: row.get(5)?,
                    expires: row.get::<_, Option<i64>>(6)?.map(Timestamp),
                    checked: Timestamp(row.get(7)?),
                    body: columns::handle_from_number(row.get(8)?),
                })
            };
            Ok(connection.prepare_cached(sql)?.query_row(params![key.0], read).optional()?)
        })
    }
}
