//! What a tool did to a file, and how to go back.

use std::fmt::{self, Display, Formatter};

use foveal_transcript::{Handle, LineSpan};
use serde::{Deserialize, Serialize};

/// What there is to know of a change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeNote {
    /// The file that the note names was changed.
    Done(ChangeKind, Result<WayBack, NoWayBack>),
    /// It has so many other names, which keep the old content.
    OtherNames(u64),
    /// Its owner is another one now.
    OwnerNotKept,
    /// It was reached through this link.
    ThroughLink(Box<str>),
    /// Where it was changed: the lines before, and those now.
    Place(LineSpan, LineSpan),
    /// How many places more there are.
    MorePlaces(usize),
    /// In which white space the text that was to be replaced differed from the file.
    WhiteSpace(Box<str>),
}

/// What was done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ChangeKind {
    /// It was made.
    New,
    /// Its content was replaced.
    Written,
    /// It was new, and is gone again.
    Removed,
}

/// How to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct WayBack {
    /// What the content before is kept under.
    pub handle: Handle,
    /// Where it is kept.
    pub kind: WayBackKind,
}

/// Where what is put back is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum WayBackKind {
    /// In the store.
    Stored,
    /// In memory, for as long as the process runs.
    InMemory,
    /// There was no file.
    NoFile,
}

/// Why a change cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum NoWayBack {
    /// The file held something that is not to lie in a store, and is too large for memory.
    Secrets,
    /// Nothing can be kept.
    Store,
}

impl ChangeNote {
    pub(super) fn write(&self, f: &mut Formatter<'_>, file: &str) -> fmt::Result {
        match self {
            Self::Done(kind, back) => {
                match kind {
                    ChangeKind::New if back.is_ok() => write!(f, "Wrote {file} (new)")?,
                    ChangeKind::New | ChangeKind::Written => write!(f, "Wrote {file}")?,
                    ChangeKind::Removed => write!(f, "Removed {file}, which was new")?,
                }
                match back {
                    Ok(back) => write!(f, " [before: {back}]"),
                    Err(why) => write!(f, " [no way back: {why}]"),
                }
            }
            Self::OtherNames(count) => write!(
                f,
                "[the file has {count} other names (hard links), which keep the old content]"
            ),
            Self::OwnerNotKept => f.write_str("[the owner of the file could not be kept]"),
            Self::ThroughLink(link) => {
                write!(f, "[`{link}` is a symbolic link; the file it leads to was written]")
            }
            Self::Place(before, after) => write!(f, "{before} → {after}"),
            Self::MorePlaces(more) => write!(f, "and {more} more places"),
            Self::WhiteSpace(differences) => write!(
                f,
                "[old_str differed from the file in {differences}; new_str was given the file's]"
            ),
        }
    }
}

impl Display for WayBack {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { handle, kind } = self;
        match kind {
            WayBackKind::Stored => write!(f, "{handle}"),
            WayBackKind::InMemory => {
                write!(f, "{handle}, with secrets: kept in memory only, until foveal ends")
            }
            WayBackKind::NoFile => write!(f, "{handle}, no file"),
        }
    }
}

impl Display for NoWayBack {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secrets => "what it held has secrets, which are not kept",
            Self::Store => "the store cannot be written",
        })
    }
}
