//! A file looked at without a change of it.

use std::path::Path;
use std::time::Duration;

use foveal_database::{Marks, connect_read_only};

use super::database::size_of;
use super::rows::Size;
use super::schema::{APPLICATION, VERSION};
use super::settings::{Setting, settings};
use crate::error::IndexError;

/// How long another process may write before this one gives up.
const BUSY_TIME: Duration = Duration::from_secs(2);

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
    let connection = connect_read_only(path, BUSY_TIME)?;
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
