//! One change of the store.

use rusqlite::{Connection, params};

use super::rows::{Analysed, FileVectors, RowId, VectorsId, checksum, content_sum, file_sum};
use crate::error::IndexError;
use crate::walk::Stamp;

/// One change of the store.
pub(crate) enum Change {
    /// The file at this path is this.
    Put { path: String, analysed: Box<Analysed> },
    /// The parts of the file of this row have these vectors.
    Vectors { row: RowId, vectors: FileVectors },
    /// The file of this row has another stamp and the same content.
    Stamp { row: RowId, stamp: Stamp },
    /// There is no such file.
    Remove { path: String },
    /// This row is not to be trusted.
    Forget { row: RowId },
    /// These vectors are not to be trusted.
    ForgetVectors { vectors: VectorsId },
}

impl Change {
    /// The file it is about, where it names one.
    pub(crate) fn path(&self) -> Option<&str> {
        match self {
            Self::Put { path, .. } | Self::Remove { path } => Some(path),
            Self::Vectors { .. }
            | Self::Stamp { .. }
            | Self::Forget { .. }
            | Self::ForgetVectors { .. } => None,
        }
    }

    pub(super) fn carry_out(&self, connection: &Connection) -> Result<(), IndexError> {
        match self {
            Self::Put { path, analysed } => put(connection, path, analysed)?,
            Self::Vectors { row, vectors } => put_vectors(connection, *row, vectors)?,
            Self::Stamp { row, stamp } => {
                let sql = "UPDATE file SET bytes = ?2, changed = ?3 WHERE id = ?1";
                let mut statement = connection.prepare(sql)?;
                let bytes = i64::try_from(stamp.bytes).unwrap_or(i64::MAX);
                statement.execute(params![row.0, bytes, stamp.changed.0])?;
            }
            Self::Remove { path } => {
                connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
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

fn put(connection: &Connection, path: &str, analysed: &Analysed) -> Result<(), IndexError> {
    connection.prepare("DELETE FROM file WHERE path = ?1")?.execute([path])?;
    let sql = "INSERT INTO file\
               (path, hash, bytes, changed, class, language, lines, chunks, checksum) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
    let bytes = i64::try_from(analysed.stamp.bytes).unwrap_or(i64::MAX);
    connection.prepare(sql)?.execute(params![
        path,
        analysed.hash.as_bytes().as_slice(),
        bytes,
        analysed.stamp.changed.0,
        analysed.class,
        analysed.language,
        analysed.lines,
        analysed.chunk_count,
        file_sum(path, analysed.hash, analysed.class, analysed.chunk_count),
    ])?;
    let row = RowId(connection.last_insert_rowid());
    let (content, symbols) = (&analysed.content, &analysed.symbols);
    let sql = "INSERT INTO content(file, checksum, chunks, terms, symbols_checksum, symbols) \
               VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
    connection.prepare(sql)?.execute(params![
        row.0,
        content_sum(content),
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

/// Writes a file's vectors, unless the file or their model is gone meanwhile.
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
