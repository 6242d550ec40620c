//! What models say of files, by what these hold: of a file that changed nothing is said any more.

use foveal_cancel::Cancel;
use foveal_transcript::ContentHash;
use rusqlite::params;

use super::database::Store;
use super::rows::checksum;
use crate::error::IndexError;
use crate::said::Said;

impl Store {
    /// Whether `model` was asked about a file with this content.
    pub(crate) fn has_said(&self, hash: ContentHash, model: &str) -> Result<bool, IndexError> {
        let sql = "SELECT EXISTS(SELECT 1 FROM said WHERE hash = ?1 AND model = ?2)";
        let key = params![hash.as_bytes().as_slice(), model];
        Ok(self.connection.query_row(sql, key, |row| row.get(0))?)
    }

    /// Keeps what `model` says of a file with this content; what was said of files that are gone
    /// goes.
    pub(crate) fn put_said(
        &self,
        hash: ContentHash,
        model: &str,
        said: &Said,
    ) -> Result<(), IndexError> {
        let bytes = serde_json::to_vec(said).unwrap_or_default();
        let sql =
            "INSERT OR REPLACE INTO said(hash, model, checksum, bytes) VALUES (?1, ?2, ?3, ?4)";
        let row = params![hash.as_bytes().as_slice(), model, checksum(&[&bytes]), bytes];
        let transaction = self.begin(&Cancel::NEVER)?;
        transaction.execute(sql, row)?;
        let sql = "DELETE FROM said WHERE hash NOT IN (SELECT hash FROM file)";
        transaction.execute(sql, [])?;
        Ok(transaction.commit()?)
    }

    /// What is said of files as they are indexed, by path; the latest where several models were
    /// asked. What is not as it was written is passed over.
    pub(crate) fn said(&self) -> Result<Vec<(String, Said)>, IndexError> {
        let sql = "SELECT f.path, s.bytes, s.checksum FROM file f JOIN said s ON s.hash = f.hash \
                   ORDER BY f.path, s.rowid";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut all: Vec<(String, Said)> = Vec::new();
        while let Some(row) = rows.next()? {
            let (path, bytes): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
            let sum: Vec<u8> = row.get(2)?;
            if sum != checksum(&[&bytes]) {
                continue;
            }
            let Ok(said) = serde_json::from_slice(&bytes) else { continue };
            match all.last_mut() {
                Some((last, before)) if *last == path => *before = said,
                _ => all.push((path, said)),
            }
        }
        Ok(all)
    }
}
