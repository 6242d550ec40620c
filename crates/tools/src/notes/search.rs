//! Notes on searches and listings.

use std::fmt::{self, Display, Formatter};

use foveal_screen::numbers::PlainCount;

/// The kind of results that a page lists.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SearchResultKind {
    /// Lines that a search found.
    Hits {
        /// The number of files that they are in.
        files: u64,
    },
    /// Files in which a search found something.
    Files,
    /// Files whose paths match.
    Paths,
}

impl SearchResultKind {
    fn unit_name(self) -> &'static str {
        match self {
            Self::Hits { .. } => "line",
            Self::Files | Self::Paths => "file",
        }
    }
}

/// A note on a search or a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SearchNote {
    /// No file could be searched as text.
    NoFile {
        /// Number of binary files that were skipped.
        binary: u64,
    },
    /// Nothing was found.
    Nothing {
        /// Number of searched files.
        files: u64,
        /// Number of binary files that were skipped.
        binary: u64,
    },
    /// No path matches.
    NoPath,
    /// The page begins after the last result.
    PastEnd {
        /// The kind of results.
        of: SearchResultKind,
        /// The number of results.
        total: u64,
        /// The offset at which the page begins.
        offset: u64,
        /// Number of binary files that were skipped.
        binary: u64,
    },
    /// Results were counted, and none of them was requested.
    Counted {
        /// The kind of results.
        of: SearchResultKind,
        /// The number of results.
        total: u64,
        /// The number of files that they are in.
        files: u64,
        /// Number of binary files that were skipped.
        binary: u64,
    },
    /// The answer is one page of the results.
    Page {
        /// The kind of results.
        of: SearchResultKind,
        /// The first and the last result on the page, counted from 1.
        shown: (u64, u64),
        /// The number of results.
        total: u64,
        /// The offset of the next page, if there is one.
        next: Option<u64>,
    },
    /// The folder has this many further entries.
    MoreEntries(u64),
    /// Files that were searched as bytes.
    AsBytes {
        /// The first of them.
        files: Vec<Box<str>>,
        /// The number of further ones.
        more: u64,
    },
    /// Files that may hold secrets, which are searched only by name.
    Protected {
        /// The first of them.
        files: Vec<Box<str>>,
        /// The number of further ones.
        more: u64,
    },
    /// Files and folders that could not be read.
    NotRead {
        /// The first of them, each with the reason.
        files: Vec<(Box<str>, Box<str>)>,
        /// The number of further ones.
        more: u64,
    },
    /// The index has no match for the query.
    NotInIndex {
        /// The query.
        query: Box<str>,
    },
    /// This folder has no index.
    NoIndex(Box<str>),
    /// A folder could not be searched.
    Passed {
        /// The folder, as spelled.
        folder: Box<str>,
        /// The reason.
        why: Box<str>,
    },
    /// The call looked only in this folder, because the working directory is below a root.
    Below(Box<str>),
    /// Changes in these files are not in the index yet, because another process holds it.
    Behind {
        /// The first of them.
        files: Vec<Box<str>>,
        /// The number of further ones.
        more: u64,
    },
    /// A symbol has several definitions, which follow.
    SeveralMeant {
        /// The symbol.
        symbol: Box<str>,
        /// The number of definitions.
        count: u64,
    },
    /// The symbol has no relations: no calls, references or containments in either direction.
    NothingRelated,
    /// Calls of the name of a symbol may be calls of it, or of another one of that name.
    UnresolvedCalls {
        /// The name.
        name: Box<str>,
        /// The number of calls.
        count: u32,
    },
    /// A model's description of an entity, made when its file was indexed. It may be wrong.
    ModelSays {
        /// The entity, or the one that it is related to.
        of: Box<str>,
        /// The model's words.
        words: Box<str>,
    },
}

impl Display for SearchNote {
    #[allow(clippy::too_many_lines)] // A flat table.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoFile { binary } => {
                f.write_str("[no file was searched: none is there, or none fits path, glob and ")?;
                f.write_str("type, or all are ignored")?;
                write_binary_count(f, *binary)
            }
            Self::Nothing { files, binary } => {
                write!(f, "[nothing found in {}", PlainCount::new(*files, "file"))?;
                write_binary_count(f, *binary)
            }
            Self::NoPath => {
                f.write_str("[no file fits; hidden and ignored files are not looked at]")
            }
            Self::PastEnd { of, total, offset, binary } => {
                let total = PlainCount::new(*total, of.unit_name());
                write!(f, "[there {} {total}, none from offset {offset}", total.verb())?;
                write_binary_count(f, *binary)
            }
            Self::Counted { of, total, files, binary } => {
                let total = PlainCount::new(*total, of.unit_name());
                write!(f, "[{total} found in {}", PlainCount::new(*files, "file"))?;
                write_binary_count(f, *binary)
            }
            Self::Page { of, shown: (first, last), total, next } => {
                write!(f, "[{}s {first}-{last} of {total}", of.unit_name())?;
                match of {
                    SearchResultKind::Hits { files } => {
                        write!(f, " found in {}", PlainCount::new(*files, "file"))?;
                    }
                    SearchResultKind::Files => f.write_str(" found")?,
                    SearchResultKind::Paths => {}
                }
                match next {
                    Some(next) => write!(f, "; the next from offset {next}]"),
                    None => f.write_str("]"),
                }
            }
            Self::MoreEntries(1) => f.write_str("[1 more entry here]"),
            Self::MoreEntries(more) => write!(f, "[{more} more entries here]"),
            Self::AsBytes { files, more } => {
                f.write_str("[no UTF-8 and not decoded, so letters beyond ASCII may be missed: ")?;
                write_file_list(f, files.iter(), *more)
            }
            Self::Protected { files, more } => {
                f.write_str("[may hold secrets, searched only if named as path: ")?;
                write_file_list(f, files.iter(), *more)
            }
            Self::NotRead { files, more } => {
                f.write_str("[not read: ")?;
                write_file_list(f, files.iter().map(|(path, why)| format!("{path} ({why})")), *more)
            }
            Self::Behind { files, more } => {
                f.write_str(
                    "[another process holds the index, so changes of these files are not ",
                )?;
                f.write_str("in this answer; grep them: ")?;
                write_file_list(f, files.iter(), *more)
            }
            Self::NotInIndex { query } => write!(f, "[nothing found for `{query}`; try grep]"),
            Self::SeveralMeant { symbol, count } => {
                write!(f, "[`{symbol}` is {count} things; ask again with path:line of one]")
            }
            Self::NothingRelated => f.write_str("[no relations found]"),
            Self::UnresolvedCalls { name, count } => {
                let calls = PlainCount::new(*count, "call");
                let are = calls.verb();
                write!(f, "[{calls} of `{name}` {are} not resolved: find them with grep]")
            }
            Self::ModelSays { of, words } => write!(f, "[a model says of {of}: {words}]"),
            Self::NoIndex(folder) => {
                write!(f, "[`{folder}` has no index: search it with grep]")
            }
            Self::Below(folder) => {
                write!(f, "[looked only in `{folder}`: the working directory is below the root]")
            }
            Self::Passed { folder, why } => write!(f, "[`{folder}` was left out: {why}]"),
        }
    }
}

/// Writes the number of skipped binary files and the closing bracket.
fn write_binary_count(f: &mut Formatter<'_>, binary: u64) -> fmt::Result {
    match binary {
        0 => f.write_str("]"),
        1 => f.write_str("; 1 binary file was passed over]"),
        binary => write!(f, "; {binary} binary files were passed over]"),
    }
}

/// Writes file names, the number of further files and the closing bracket.
fn write_file_list(
    f: &mut Formatter<'_>,
    files: impl Iterator<Item = impl Display>,
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
