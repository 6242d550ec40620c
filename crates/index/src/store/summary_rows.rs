//! Model summaries by the hash of the file content: a changed file has none.

use foveal_transcript::{CancelToken, ContentHash};
use rusqlite::params;

use super::database::IndexStore;
use super::rows::checksum;
use crate::error::IndexError;
use crate::model_summary::ModelSummary;

impl IndexStore {
    /// Returns whether `model` has answered for a file with this content.
    pub(crate) fn has_model_summary(
        &self,
        hash: ContentHash,
        model: &str,
    ) -> Result<bool, IndexError> {
        let sql = "SELECT EXISTS(SELECT 1 FROM said WHERE hash = ?1 AND model = ?2)";
        let key = params![hash.as_bytes().as_slice(), model];
        Ok(self.connection.query_row(sql, key, |row| row.get(0))?)
    }

    /// Stores the summary that `model` made of a file with this content, and removes summaries of
    /// deleted files.
    pub(crate) fn put_model_summary(
        &self,
        hash: ContentHash,
        model: &str,
        said: &ModelSummary,
    ) -> Result<(), IndexError> {
        let bytes = serde_json::to_vec(said).unwrap_or_default();
        let sql =
            "INSERT OR REPLACE INTO said(hash, model, checksum, bytes) VALUES (?1, ?2, ?3, ?4)";
        let row = params![hash.as_bytes().as_slice(), model, checksum(&[&bytes]), bytes];
        let transaction = self.begin_transaction(&CancelToken::NEVER)?;
        transaction.execute(sql, row)?;
        let sql = "DELETE FROM said WHERE hash NOT IN (SELECT hash FROM file)";
        transaction.execute(sql, [])?;
        Ok(transaction.commit()?)
    }

    /// Returns the summaries of all indexed files, by path; the latest one if several models
    /// answered. Leaves out damaged ones.
    pub(crate) fn model_summaries(&self) -> Result<Vec<(String, ModelSummary)>, IndexError> {
        let sql = "SELECT f.path, s.bytes, s.checksum FROM file f JOIN said s ON s.hash = f.hash \
                   ORDER BY f.path, s.rowid";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([])?;
        let mut all: Vec<(String, ModelSummary)> = Vec::new();
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
