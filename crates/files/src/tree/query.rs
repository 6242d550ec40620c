//! What is asked of a search.

use std::fs::File;
use std::io;
use std::path::Path;

use super::scope::Scope;

/// Opens a file for reading, by its path relative to the folder that is searched.
pub type Open<'o> = &'o (dyn Fn(&Path) -> io::Result<File> + Sync);

/// How upper and lower case are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Case {
    /// As they are.
    #[default]
    Sensitive,
    /// As the same.
    Insensitive,
}

/// What is asked about the files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum GrepMode {
    /// The lines.
    #[default]
    Content,
    /// Which files have any.
    Files,
    /// How many lines each file has.
    Count,
}

/// A search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GrepQuery {
    /// A regular expression in the syntax of the `regex` crate, as ripgrep's.
    pub pattern: String,
    /// Where. Globs are about paths from the folder, wherever in it is searched.
    pub scope: Scope,
    /// Whether the pattern is a text and no expression.
    pub fixed: bool,
    /// Whether what is found can go over several lines; then `.` also matches their ends.
    pub multiline: bool,
    /// Upper and lower case.
    pub case: Case,
    /// Lines to be shown before each found one, at most 100.
    pub before: usize,
    /// Lines to be shown after each found one, at most 100.
    pub after: usize,
    /// What is asked.
    pub mode: GrepMode,
    /// How many found lines, or files, to pass over.
    pub offset: usize,
    /// How many found lines, or files, to give.
    pub limit: usize,
}

impl GrepQuery {
    /// A search for an expression in all files, the first 100 lines.
    pub fn new(pattern: &str) -> Self {
        Self {
            pattern: pattern.to_owned(),
            scope: Scope::default(),
            fixed: false,
            multiline: false,
            case: Case::Sensitive,
            before: 0,
            after: 0,
            mode: GrepMode::Content,
            offset: 0,
            limit: 100,
        }
    }
}
