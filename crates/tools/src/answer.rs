//! What a call is answered with.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::note::Note;
use foveal_context::shape::ShapeKind;
use foveal_context::views::ChosenBy;
use foveal_files::stamp::Version;
use foveal_transcript::Handle;

/// What the model is sent for a call.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// Pictures, after the text.
    pub images: Vec<Image>,
    /// The same as data, where the tool has any.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// Whether a command ran to its end, also where `is_error` says that it failed.
    pub has_exit_code: bool,
    /// Whether an earlier answer was used instead of doing the work again.
    pub cached: bool,
    /// Whether the call was stopped before it was answered: nothing of it counts as shown.
    pub is_stopped: bool,
    /// What each line of the text is.
    pub rows: Vec<AnswerRow>,
    /// What of the answer was replaced, and under which handle the whole is kept.
    pub shaped: Option<(ShapeKind, Handle)>,
    /// The model that chose what of a file is shown, if one did.
    pub chosen_by: Option<Box<ChosenBy>>,
}

/// What a line of an answer is, and where in it foveal speaks.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRow {
    /// What it is.
    pub kind: RowKind,
    /// What foveal says in it, in order.
    pub notes: Vec<PlacedNote>,
}

/// What a line of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The path of a file, whose lines follow.
    File,
    /// A line of a file.
    Line {
        /// Its number.
        number: u32,
        /// Bytes before its text.
        gutter: u32,
    },
    /// Anything else that was found: what a program printed, an entry of a folder.
    Content,
    /// A note, and nothing else.
    Said,
    /// What went wrong.
    Error,
}

/// A note in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedNote {
    /// The byte of the line that it begins at.
    pub at: u32,
    /// The note.
    pub note: Note,
}

impl From<RowKind> for AnswerRow {
    fn from(kind: RowKind) -> Self {
        Self { kind, notes: Vec::new() }
    }
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png` and the like.
    pub media_type: &'static str,
    /// Its bytes as they are in the file.
    pub bytes: Vec<u8>,
}

/// What an answer rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Dependency {
    /// A file, by what it holds.
    File(PathBuf, Version),
    /// All that is in a folder, as it was when the answer was begun.
    Tree(PathBuf, SystemTime),
    /// The folder that the paths told in it are relative to.
    Directory(PathBuf),
    /// All that is in the roots, of which an index was asked this then: what it answers depends
    /// on the files alone.
    Index(String, SystemTime),
}
