//! The changes of the store.

use rusqlite::{Connection, params};

use super::rows::{
    AnalysedFile, FileVectors, RowId, VectorsId, checksum, content_checksum, file_checksum,
};
use crate::error::IndexError;
use crate::folder_walk::ChangeStamp;

/// The number of ignored or hidden files that are remembered as read; older ones leave the index.
const READ_FILES_MAX: i64 = 1_000;

/// A change of the store.
pub(crate) enum IndexChange {
    /// Stores the analysis of the file at this path.
    Put { path: String, analysed: Box<AnalysedFile> },
    /// Stores the vectors of this row's chunks.
    Vectors { row: RowId, vectors: FileVectors },
    /// Stores a new stamp of a file with unchanged content.
    Stamp { row: RowId, stamp: ChangeStamp },
    /// Removes the file at this path.
    Remove { path: String },
    /// Records that an agent read the ignored or hidden file at this path.
    MarkRead { path: String },
    /// Removes a damaged row.
    Forget { row: RowId },
    /// Removes damaged vectors.
    ForgetVectors { vectors: VectorsId },
}

impl IndexChange {
    /// Returns the path that the change names, if it names one.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Put { path, .. } | Self::Remove { path } | Self::MarkRead { path } => Some(path),
            Self::Vectors { .. }
            | Self::Stamp { .. }
            | Self::Forget { .. }
            | Self::ForgetVectors { .. } => None,
        }
    }

    pub(super) fn apply(&self, connection: &Connection) -> Result<(), IndexError> {
        match self {
            Self::Put { path, analysed } => put_file(connection, path, analysed)?,
            Self::Vectors { row, vectors } => put_vectors(connection, *row, vectors)?,
            Self::Stamp { row, stamp } => {
                let sql = "UPDATE file SET bytes = ?2, changed = ?3 WHERE id = ?1";
                let mut statement = connection.prepare(sql)?;
                let bytes = i64::try_from(stamp.bytes).unwrap_or(i64::MAX);
                statement.execute(params![row.0, bytes, stamp.modified.0])?;
            }
            Self::Remove { path } => {
                connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
            }
            Self::MarkRead { path } => {
                let sql = "INSERT OR IGNORE INTO read_file(path) VALUES (?1)";
                connection.prepare(sql)?.execute([path])?;
                let sql = "DELETE FROM read_file WHERE id <= \
                           (SELECT max(id) FROM read_file) - ?1";
                connection.prepare(sql)?.execute([READ_FILES_MAX])?;
            }
            Self::Forget { row } => {
                connection.prepare("DELETE FROM file WHERE id = ?1")?.execute([row.0])?;
            }
            Self::ForgetVectors { vectors } => {
                connection.prepare("DELETE FROM vectors WHERE id = ?1")?.execute([vectors.0])?;
            }
        }
        Ok(())
    }
}

fn put_file(
    connection: &Connection,
    path: &str,
    analysed: &AnalysedFile,
) -> Result<(), IndexError> {
    connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
    let sql = "INSERT INTO file\
               (path, hash, bytes, changed, class, language, lines, chunks, checksum) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let bytes = i64::try_from(analysed.stamp.bytes).unwrap_or(i64::MAX);
    connection.prepare(sql)?.execute(params![
        path,
        analysed.hash.as_bytes().as_slice(),
        bytes,
        analysed.stamp.modified.0,
        analysed.class,
        analysed.language,
        analysed.lines,
        analysed.chunk_count,
        file_checksum(path, analysed.hash, analysed.class, analysed.chunk_count),
    ])?;
    let row = RowId(connection.last_insert_rowid());
    let (content, symbols) = (&analysed.content, &analysed.symbols);
    let sql = "INSERT INTO content(file, checksum, chunks, terms, symbols_checksum, symbols) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection.prepare(sql)?.execute(params![
        row.0,
        content_checksum(content),
        content.chunks,
        content.terms,
        checksum(&[symbols]),
        symbols,
    ])?;
    match &analysed.vectors {
        Some(vectors) => put_vectors(connection, row, vectors),
        None => Ok(()),
    }
}

/// Stores a file's vectors, unless the file or the model has been removed meanwhile.
fn put_vectors(
    connection: &Connection,
    row: RowId,
    vectors: &FileVectors,
) -> Result<(), IndexError> {
    let sql = "INSERT OR REPLACE INTO vectors(file, model, checksum, bytes) \
               SELECT id, ?2, ?3, ?4 FROM file WHERE id = ?1 \
               AND EXISTS(SELECT 1 FROM model WHERE id = ?2)";
    let sum = checksum(&[&vectors.bytes]);
    connection.prepare(sql)?.execute(params![row.0, vectors.model, sum, vectors.bytes])?;
    Ok(())
}
