//! Notes on changes of files and how to undo them.

use std::fmt::{self, Display, Formatter};

use foveal_screen::numbers::PlainCount;
use foveal_transcript::{Handle, LineSpan};

/// A note on the change of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileChangeNote {
    /// A file was changed.
    Done {
        /// The file, as spelled.
        file: Box<str>,
        /// The kind of change.
        kind: FileChangeKind,
        /// The way to undo it.
        undo: Result<UndoPoint, UndoUnavailable>,
    },
    /// The absolute path of a file named relative to a folder that a command changed to.
    Destination(Box<str>),
    /// The file has this many other hard links, which keep the old content.
    OtherNames(u64),
    /// The owner of the file could not be preserved.
    OwnerNotKept,
    /// The file was reached through this symbolic link.
    ThroughLink(Box<str>),
    /// A changed place: its lines before and after the change.
    Place(LineSpan, LineSpan),
    /// The number of further changed places.
    MorePlaces(usize),
    /// The differences in white space between the text to replace and the file.
    WhiteSpace(Box<str>),
}

/// The kind of change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FileChangeKind {
    /// The file was created.
    New,
    /// The content was replaced.
    Written,
    /// The file was new and was removed again.
    Removed,
}

/// The saved state to which a change can be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UndoPoint {
    /// The handle of the old content.
    pub(crate) handle: Handle,
    /// The storage of the old content.
    pub(crate) kind: UndoStorage,
}

/// The storage of the content that an undo restores.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoStorage {
    /// The store.
    Stored,
    /// Memory, until the process ends.
    InMemory,
    /// None: there was no file.
    NoFile,
}

/// The reason why a change cannot be undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UndoUnavailable {
    /// The old content has secrets, which must not be stored, and is too large for memory.
    Secrets,
    /// The store cannot be written.
    Store,
}

impl Display for FileChangeNote {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Done { file, kind, undo: back } => {
                match kind {
                    FileChangeKind::New if back.is_ok() => write!(f, "Wrote {file} (new)")?,
                    FileChangeKind::New | FileChangeKind::Written => write!(f, "Wrote {file}")?,
                    FileChangeKind::Removed => write!(f, "Removed {file}, which was new")?,
                }
                match back {
                    Ok(back) => write!(f, " [before: {back}]"),
                    Err(why) => write!(f, " [no way back: {why}]"),
                }
            }
            Self::Destination(path) => {
                write!(f, "[relative to the working directory: `{path}`]")
            }
            Self::OtherNames(count) => write!(
                f,
                "[the old content stays under {} of the file (hard links)]",
                PlainCount::new(*count, "other name")
            ),
            Self::OwnerNotKept => f.write_str("[the owner of the file could not be kept]"),
            Self::ThroughLink(link) => {
                write!(f, "[`{link}` is a symbolic link; the file it leads to was written]")
            }
            Self::Place(before, after) => write!(f, "{before} → {after}"),
            Self::MorePlaces(more) => write!(f, "and {}", PlainCount::new(*more, "more place")),
            Self::WhiteSpace(differences) => write!(
                f,
                "[old_str differed from the file in {differences}; new_str was adapted to the file]"
            ),
        }
    }
}

impl Display for UndoPoint {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { handle, kind } = self;
        match kind {
            UndoStorage::Stored => write!(f, "{handle}"),
            UndoStorage::InMemory => {
                write!(f, "{handle}, with secrets: kept in memory only, until foveal ends")
            }
            UndoStorage::NoFile => write!(f, "{handle}, no file"),
        }
    }
}

impl Display for UndoUnavailable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secrets => "what it held has secrets, which are not kept",
            Self::Store => "the store cannot be written",
        })
    }
}
