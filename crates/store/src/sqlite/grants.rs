//! The permissions that the user granted for good.

use foveal_transcript::Timestamp;
use rusqlite::params;

use crate::error::StoreError;
use crate::keys::RootsKey;
use crate::records::Grant;
use crate::store::{GRANT_BYTES_MAX, GRANTS_MAX, GrantStore};

use super::backend::SqliteBackend;

impl GrantStore for SqliteBackend {
    fn put_grant(&self, roots: RootsKey, grant: &Grant, now: Timestamp) -> Result<(), StoreError> {
        self.write(|connection| {
            let Grant { tool, subject } = grant;
            let (bytes, bytes_max) = (tool.len() + subject.len(), GRANT_BYTES_MAX);
            if bytes > bytes_max {
                return Err(StoreError::TooLarge { bytes, bytes_max });
            }
            let sql = "INSERT INTO granted(roots, tool, subject, time) VALUES (?1, ?2, ?3, ?4) \
                       ON CONFLICT DO UPDATE SET time = max(time, ?4)";
            let values = params![roots.0.to_string(), tool, subject, now.0];
            connection.prepare_cached(sql)?.execute(values)?;
            let sql = "DELETE FROM granted WHERE \
                       (roots, tool, subject) IN \
                       (SELECT roots, tool, subject FROM granted ORDER BY time DESC LIMIT -1 OFFSET ?1)";
            connection.prepare_cached(sql)?.execute([GRANTS_MAX])?;
            Ok(())
        })
    }

    fn remove_grant(&self, roots: RootsKey, grant: &Grant) -> Result<bool, StoreError> {
        self.write(|connection| {
            let sql = "DELETE FROM granted WHERE roots = ?1 AND tool = ?2 AND subject = ?3";
            let values = params![roots.0.to_string(), grant.tool, grant.subject];
            Ok(connection.prepare_cached(sql)?.execute(values)? > 0)
        })
    }

    fn grants(&self, roots: RootsKey) -> Result<Vec<Grant>, StoreError> {
        self.read(|connection| {
            let sql = "SELECT tool, subject FROM granted WHERE roots = ?1";
            let mut statement = connection.prepare_cached(sql)?;
            let rows = statement.query_map([roots.0.to_string()], |row| {
                Ok(Grant { tool: row.get(0)?, subject: row.get(1)? })
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }
}
