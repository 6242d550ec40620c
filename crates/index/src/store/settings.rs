//! The user's choices, which cannot be recovered from the files.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::IndexError;

/// A choice that is stored beside the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexSetting {
    /// The chosen embedder.
    Embedder,
    /// The previous embedder, as long as its vectors are stored.
    EmbedderBefore,
}

impl IndexSetting {
    const ALL: [Self; 2] = [Self::Embedder, Self::EmbedderBefore];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Embedder => "embedder",
            Self::EmbedderBefore => "embedder before",
        }
    }
}

/// Settings with their values.
pub(super) type SettingValues = [(IndexSetting, String)];

/// Reads the settings as far as possible: they cannot be recovered from the files. Without them the
/// built-in model is used, as in a new index.
pub(super) fn read_settings(connection: &Connection) -> Vec<(IndexSetting, String)> {
    let sql = "SELECT value FROM setting WHERE name = ?1";
    let value = |setting: IndexSetting| {
        connection.query_row(sql, [setting.name()], |row| row.get(0)).ok().map(|it| (setting, it))
    };
    IndexSetting::ALL.into_iter().filter_map(value).collect()
}

/// Reads the settings from the file at `path`, which may belong to another program.
pub(super) fn read_settings_of_file(path: &Path) -> Vec<(IndexSetting, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map(|old| read_settings(&old)).unwrap_or_default()
}

/// Stores `settings`, except those that have a value already.
pub(super) fn write_missing_settings(
    connection: &Connection,
    settings: &SettingValues,
) -> Result<(), IndexError> {
    for (setting, value) in settings {
        let sql = "INSERT OR IGNORE INTO setting(name, value) VALUES (?1, ?2)";
        connection.execute(sql, [setting.name(), value])?;
    }
    Ok(())
}
