//! The syntaxes of settings files.

use std::path::Path;

/// The byte order mark that some editors write.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// TOML.
    Toml,
    /// JSON.
    Json,
}

impl Syntax {
    /// Returns the syntax for a path, by its extension.
    pub fn from_path(path: &Path) -> Self {
        match path.extension() {
            Some(end) if end == "json" => Self::Json,
            _ => Self::Toml,
        }
    }
}
