//! What a user chose, which cannot be had again from the files.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use crate::error::IndexError;

/// Something that is remembered beside the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The embedder that the user chose.
    Embedder,
    /// The one before it, as long as its vectors are there.
    EmbedderBefore,
}

impl Setting {
    const ALL: [Self; 2] = [Self::Embedder, Self::EmbedderBefore];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Embedder => "embedder",
            Self::EmbedderBefore => "embedder before",
        }
    }
}

/// What is remembered, each with its value.
pub(super) type Settings = [(Setting, String)];

/// What is remembered, as far as it can be read: what a user chose cannot be had again from
/// the files. Without it the built-in model is used, as at the beginning.
pub(super) fn settings(connection: &Connection) -> Vec<(Setting, String)> {
    let sql = "SELECT value FROM setting WHERE name = ?1";
    let value = |setting: Setting| {
        connection.query_row(sql, [setting.name()], |row| row.get(0)).ok().map(|it| (setting, it))
    };
    Setting::ALL.into_iter().filter_map(value).collect()
}

/// What the file at `path` remembers, which may be none of this program's.
pub(super) fn settings_at(path: &Path) -> Vec<(Setting, String)> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(path, flags).map(|old| settings(&old)).unwrap_or_default()
}

/// Remembers `settings`, but for those that have a value already.
pub(super) fn put_settings(connection: &Connection, settings: &Settings) -> Result<(), IndexError> {
    for (setting, value) in settings {
        let sql = "INSERT OR IGNORE INTO setting(name, value) VALUES (?1, ?2)";
        connection.execute(sql, [setting.name(), value])?;
    }
    Ok(())
}
