//! What searches and listings do not show.

use std::fmt::{self, Formatter};

use serde::{Deserialize, Serialize};

/// What a page shows a part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PageOf {
    /// Lines that a search found in so many files.
    Hits {
        /// The files.
        files: u64,
    },
    /// Files in which a search found something.
    Files,
    /// Files whose paths match.
    Paths,
}

impl PageOf {
    fn word(self) -> &'static str {
        match self {
            Self::Hits { .. } => "lines",
            Self::Files | Self::Paths => "files",
        }
    }
}

/// What a search or a listing does not show.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum SearchNote {
    /// Nothing that could be searched as text; so many binary files.
    NoFile {
        /// Binary files that were passed over.
        binary: u64,
    },
    /// Nothing was found.
    Nothing {
        /// Files that were searched.
        files: u64,
        /// Binary files that were passed over.
        binary: u64,
    },
    /// No path matches.
    NoPath,
    /// The page begins behind all that there is.
    PastEnd {
        /// What there is.
        of: PageOf,
        /// How many there are.
        total: u64,
        /// Where the page begins.
        offset: u64,
        /// Binary files that were passed over.
        binary: u64,
    },
    /// Something was found, and none of it was asked for.
    Counted {
        /// What was found.
        of: PageOf,
        /// How many there are.
        total: u64,
        /// In how many files.
        files: u64,
        /// Binary files that were passed over.
        binary: u64,
    },
    /// These are a part of all.
    Page {
        /// Of what.
        of: PageOf,
        /// The first and the last on the page, counted from 1.
        shown: (u64, u64),
        /// How many there are.
        total: u64,
        /// Where the next page begins, if there is one.
        next: Option<u64>,
    },
    /// So many entries more are in the folder.
    MoreEntries(u64),
    /// Files that were searched as bytes.
    AsBytes {
        /// The first of them.
        files: Vec<Box<str>>,
        /// How many more there are.
        more: u64,
    },
    /// Files and folders that could not be read.
    NotRead {
        /// The first of them, and why.
        files: Vec<(Box<str>, Box<str>)>,
        /// How many more there are.
        more: u64,
    },
    /// The index knows nothing like what was asked for.
    NotInIndex {
        /// The question.
        query: Box<str>,
    },
    /// The folder that the note names has no index.
    NoIndex,
    /// What changed in files that the index does not know yet, since another process holds it.
    Behind {
        /// The first of them.
        files: Vec<Box<str>>,
        /// How many more there are.
        more: u64,
    },
    /// A symbol means several things, which follow.
    SeveralMeant {
        /// The symbol.
        symbol: Box<str>,
        /// How many things.
        count: u64,
    },
    /// Nothing calls, names or contains the symbol, and it does none of that itself.
    NothingRelated,
    /// What a model said of a thing in a file when it was indexed. It may be wrong.
    ModelSays {
        /// The thing, or what it is related to.
        of: Box<str>,
        /// In the model's words.
        words: Box<str>,
    },
}

impl SearchNote {
    #[allow(clippy::too_many_lines)] // A flat table.
    pub(super) fn write(&self, f: &mut Formatter<'_>, file: &str) -> fmt::Result {
        match self {
            Self::NoFile { binary } => {
                f.write_str("[no file was searched: none is there, or none fits path, glob and ")?;
                f.write_str("type, or all are ignored")?;
                end(f, *binary)
            }
            Self::Nothing { files, binary } => {
                write!(f, "[nothing found in {files} files")?;
                end(f, *binary)
            }
            Self::NoPath => {
                f.write_str("[no file fits; hidden and ignored files are not looked at]")
            }
            Self::PastEnd { of, total, offset, binary } => {
                write!(f, "[there are {total} {}, none from offset {offset}", of.word())?;
                end(f, *binary)
            }
            Self::Counted { of, total, files, binary } => {
                write!(f, "[{total} {} found in {files} files", of.word())?;
                end(f, *binary)
            }
            Self::Page { of, shown: (first, last), total, next } => {
                write!(f, "[{} {first}-{last} of {total}", of.word())?;
                match of {
                    PageOf::Hits { files } => write!(f, " found in {files} files")?,
                    PageOf::Files => f.write_str(" found")?,
                    PageOf::Paths => {}
                }
                match next {
                    Some(next) => write!(f, "; the next from offset {next}]"),
                    None => f.write_str("]"),
                }
            }
            Self::MoreEntries(more) => write!(f, "[{more} more entries here]"),
            Self::AsBytes { files, more } => {
                f.write_str("[no UTF-8 and not decoded, so letters beyond ASCII may be missed: ")?;
                list(f, files.iter(), *more)
            }
            Self::NotRead { files, more } => {
                f.write_str("[not read: ")?;
                list(f, files.iter().map(|(path, why)| format!("{path} ({why})")), *more)
            }
            Self::Behind { files, more } => {
                f.write_str(
                    "[another process holds the index, so changes of these files are not ",
                )?;
                f.write_str("in this answer; grep them: ")?;
                list(f, files.iter(), *more)
            }
            Self::NotInIndex { query } => write!(f, "[nothing found for `{query}`; try grep]"),
            Self::SeveralMeant { symbol, count } => {
                write!(f, "[`{symbol}` is {count} things; ask again with path:line of one]")
            }
            Self::NothingRelated => f.write_str("[no relations found]"),
            Self::ModelSays { of, words } => write!(f, "[a model says of {of}: {words}]"),
            Self::NoIndex => write!(f, "[`{file}` has no index: search it with grep]"),
        }
    }
}

/// How many binary files were passed over, and the closing bracket.
fn end(f: &mut Formatter<'_>, binary: u64) -> fmt::Result {
    match binary {
        0 => f.write_str("]"),
        1 => f.write_str("; 1 binary file was passed over]"),
        binary => write!(f, "; {binary} binary files were passed over]"),
    }
}

/// Files by name, how many more there are, and the closing bracket.
fn list(
    f: &mut Formatter<'_>,
    files: impl Iterator<Item = impl fmt::Display>,
    more: u64,
) -> fmt::Result {
    for (at, file) in files.enumerate() {
        write!(f, "{}{file}", if at == 0 { "" } else { ", " })?;
    }
    match more {
        0 => f.write_str("]"),
        more => write!(f, " and {more} more]"),
    }
}
