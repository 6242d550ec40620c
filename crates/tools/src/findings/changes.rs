//! What a tool changed in files, and how to go back.

use std::fmt::{self, Write};

use foveal_files::edit::LineSpan;
use foveal_transcript::Handle;

/// Places told of one file.
const PLACES_MAX: usize = 20;

/// The files that one call changed.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    pub(crate) files: Vec<Change>,
    /// In which white space texts that were to be replaced differed from the file.
    pub(crate) white_space: Vec<String>,
}

/// A file that was changed.
#[derive(Debug, Clone)]
pub(crate) struct Change {
    /// The file's display path.
    pub(crate) path: String,
    pub(crate) kind: ChangeKind,
    pub(crate) undo: Result<WayBack, NoWayBack>,
    /// What there is to know of how it was written.
    pub(crate) notes: Vec<String>,
    /// Where its text was changed: the lines before, and those now.
    pub(crate) places: Vec<(LineSpan, LineSpan)>,
}

/// What was done with a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChangeKind {
    New,
    Written,
    /// It was new, and is gone again.
    Removed,
}

/// How to go back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WayBack {
    pub(crate) handle: Handle,
    pub(crate) kind: WayBackKind,
}

/// Where what is put back is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WayBackKind {
    Stored,
    InMemory,
    /// There was no file.
    NoFile,
}

/// Why a change cannot be taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoWayBack {
    /// The file held something that is not to lie in a store, and is too large for memory.
    #[error("what it held has secrets, which are not kept")]
    Secrets,
    /// Nothing can be kept.
    #[error("the store cannot be written")]
    Store,
}

impl fmt::Display for WayBack {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { handle, kind } = self;
        match kind {
            WayBackKind::Stored => write!(f, "{handle}"),
            WayBackKind::InMemory => {
                write!(f, "{handle}, with secrets: in memory alone, till foveal ends")
            }
            WayBackKind::NoFile => write!(f, "{handle}, no file"),
        }
    }
}

impl Changes {
    pub(super) fn render(&self) -> String {
        let mut said: String = self.files.iter().map(Change::render).collect();
        for differences in &self.white_space {
            // Writing to a string cannot fail.
            let _ = writeln!(
                said,
                "[old_str differed from the file in {differences}; new_str was given the file's]"
            );
        }
        said
    }
}

impl From<Change> for Changes {
    fn from(change: Change) -> Self {
        Self { files: vec![change], white_space: Vec::new() }
    }
}

impl Change {
    fn render(&self) -> String {
        let path = &self.path;
        let done = match self.kind {
            ChangeKind::New if self.undo.is_ok() => format!("Wrote {path} (new)"),
            ChangeKind::New | ChangeKind::Written => format!("Wrote {path}"),
            ChangeKind::Removed => format!("Removed {path}, which was new"),
        };
        let mut said = match &self.undo {
            Ok(back) => format!("{done} [before: {back}]\n"),
            Err(why) => format!("{done} [no way back: {why}]\n"),
        };
        // Writing to a string cannot fail.
        for note in &self.notes {
            let _ = writeln!(said, "[{note}]");
        }
        for (before, after) in self.places.iter().take(PLACES_MAX) {
            let _ = writeln!(said, "{before} → {after}");
        }
        if self.places.len() > PLACES_MAX {
            let _ = writeln!(said, "and {} more places", self.places.len() - PLACES_MAX);
        }
        said
    }
}
