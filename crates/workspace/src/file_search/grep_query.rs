//! Search requests.

use std::fs::File;
use std::io;
use std::path::Path;

use super::search_scope::SearchScope;

/// Opens a file for reading, given its path relative to the searched folder.
pub type FileOpener<'o> = &'o (dyn Fn(&Path) -> io::Result<File> + Sync);

/// The error of a [`FileOpener`] for a file that may hold secrets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it may hold secrets")]
pub struct ProtectedFile;

/// The treatment of upper and lower case.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum CaseSensitivity {
    /// Case is significant.
    #[default]
    Sensitive,
    /// Case is ignored.
    Insensitive,
}

/// The form of a search result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrepMode {
    /// The matching lines.
    #[default]
    Content,
    /// The files with matches.
    Files,
    /// The number of matching lines per file.
    Count,
}

/// A search for a text or a regular expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepQuery {
    /// A regular expression in the syntax of the `regex` crate, as in ripgrep.
    pub pattern: String,
    /// The searched files. Globs apply to paths from the folder, wherever in it the search begins.
    pub scope: SearchScope,
    /// Whether the pattern is literal text.
    pub fixed: bool,
    /// Whether matches may span several lines; `.` then also matches line breaks.
    pub multiline: bool,
    /// The treatment of upper and lower case.
    pub case: CaseSensitivity,
    /// Context lines before each match, at most 100.
    pub before: usize,
    /// Context lines after each match, at most 100.
    pub after: usize,
    /// The form of the result.
    pub mode: GrepMode,
    /// The number of matching lines, or files, to skip.
    pub offset: usize,
    /// The largest number of matching lines, or files, to return.
    pub limit: usize,
}

impl GrepQuery {
    /// Creates a search for an expression in all files that returns the first 100 lines.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            scope: SearchScope::default(),
            fixed: false,
            multiline: false,
            case: CaseSensitivity::Sensitive,
            before: 0,
            after: 0,
            mode: GrepMode::Content,
            offset: 0,
            limit: 100,
        }
    }
}
