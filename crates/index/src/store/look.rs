//! A file looked at without a change of it.

use std::path::Path;

use foveal_code::relations::FileSymbols;
use foveal_database::{Marks, connect_read_only};

use super::database::size_of;
use super::rows::{Size, checksum};
use super::schema::{APPLICATION, VERSION};
use super::settings::{Setting, settings};
use super::waiting::Wait;
use crate::error::IndexError;
use crate::symbols::decode_definitions;

/// What a file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Looked {
    /// An index.
    Index {
        /// How large it is.
        size: Size,
        /// What the user chose to have vectors made by, in words of the user's program.
        embedder: Option<String>,
    },
    /// An index of another version, which the next update makes anew.
    OtherVersion,
    /// Another program's file.
    Foreign,
}

/// Looks at the file at `path`; nothing is made, changed or repaired.
///
/// # Errors
/// If there is no file, or it cannot be read as a database.
pub fn look(path: &Path) -> Result<Looked, IndexError> {
    let connection = connect_read_only(path, Wait::ANSWER.most())?;
    Ok(match Marks::of(&connection, APPLICATION)? {
        Marks::Own { version: VERSION } => {
            let chosen = settings(&connection);
            let embedder = chosen.into_iter().find(|(setting, _)| *setting == Setting::Embedder);
            Looked::Index {
                size: size_of(&connection)?,
                embedder: embedder.map(|(_, value)| value),
            }
        }
        Marks::Own { .. } | Marks::Empty => Looked::OtherVersion,
        Marks::Foreign => Looked::Foreign,
    })
}

/// What the files of the index at `path` define, as it was written last: nothing is made, changed or
/// repaired, and what is damaged is left out. At most `most` definitions are read, file by file. `None`
/// where there is no index of this version.
///
/// # Errors
/// If it cannot be read as a database.
pub fn definitions(path: &Path, most: usize) -> Result<Option<Vec<FileSymbols>>, IndexError> {
    if !path.is_file() {
        return Ok(None);
    }
    let connection = connect_read_only(path, Wait::ANSWER.most())?;
    if Marks::of(&connection, APPLICATION)? != (Marks::Own { version: VERSION }) {
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
