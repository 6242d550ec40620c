//! Inspection of an index file without any change to it.

use std::path::Path;

use foveal_relevance::relations::FileSymbols;
use foveal_store::database_file::{DatabaseOwner, connect_read_only};

use super::database::read_size;
use super::lock_wait::LockWait;
use super::rows::{IndexSize, checksum};
use super::schema::{APPLICATION_ID, VERSION};
use super::settings::{IndexSetting, read_settings};
use crate::error::IndexError;
use crate::symbols::decode_definitions;

/// The state of an index file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum IndexFileStatus {
    /// An index.
    Index {
        /// The size of the index.
        size: IndexSize,
        /// The user's choice of an embedder, in the names of the calling program.
        embedder: Option<String>,
    },
    /// An index of another version, which the next update rebuilds.
    OtherVersion,
    /// A file of another program.
    Foreign,
}

/// Inspects the file at `path` without creating, changing or repairing anything.
///
/// # Errors
/// If there is no file, or it cannot be read as a database.
pub fn inspect_index_file(path: &Path) -> Result<IndexFileStatus, IndexError> {
    let connection = connect_read_only(path, LockWait::ANSWER.longest())?;
    Ok(match DatabaseOwner::read(&connection, APPLICATION_ID)? {
        DatabaseOwner::Own { version: VERSION } => {
            let chosen = read_settings(&connection);
            let embedder =
                chosen.into_iter().find(|(setting, _)| *setting == IndexSetting::Embedder);
            IndexFileStatus::Index {
                size: read_size(&connection)?,
                embedder: embedder.map(|(_, value)| value),
            }
        }
        DatabaseOwner::Own { .. } | DatabaseOwner::Empty => IndexFileStatus::OtherVersion,
        DatabaseOwner::Foreign => IndexFileStatus::Foreign,
    })
}

/// Reads the definitions from the index at `path`, as last written, without creating, changing or
/// repairing anything. Leaves out damaged rows, and stops after the file with which `most`
/// definitions are reached. Returns `None` if there is no index of this version.
///
/// # Errors
/// If the file cannot be read as a database.
pub fn read_definitions(path: &Path, most: usize) -> Result<Option<Vec<FileSymbols>>, IndexError> {
    if !path.is_file() {
        return Ok(None);
    }
    let connection = connect_read_only(path, LockWait::ANSWER.longest())?;
    if DatabaseOwner::read(&connection, APPLICATION_ID)?
        != (DatabaseOwner::Own { version: VERSION })
    {
        return Ok(None);
    }
    let sql = "SELECT f.path, c.symbols, c.symbols_checksum FROM file f \
               JOIN content c ON c.file = f.id WHERE f.class = 'source' ORDER BY f.path";
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    let (mut all, mut count) = (Vec::new(), 0);
    while count < most {
        let Some(row) = rows.next()? else { break };
        let (path, bytes): (String, Vec<u8>) = (row.get(0)?, row.get(1)?);
        let sum: Vec<u8> = row.get(2)?;
        if sum == checksum(&[&bytes])
            && let Some(symbols) = decode_definitions(&path, &bytes)
        {
            count += symbols.definitions.len();
            all.push(symbols);
        }
    }
    Ok(Some(all))
}
