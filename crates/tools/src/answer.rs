//! The answer to a tool call.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_engine::message_shape::ShapeKind;
use foveal_engine::views::CurationRecord;
use foveal_transcript::Handle;
use foveal_workspace::file_search::PatternError;
use foveal_workspace::file_version::FileVersion;

/// The answer to a tool call, as the model receives it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ToolCallAnswer {
    /// The text.
    pub text: String,
    /// Images, sent after the text.
    pub images: Vec<AnswerImage>,
    /// Structured data for the client, if the tool has any.
    pub structured: Option<Value>,
    /// Whether the call failed.
    pub is_error: bool,
    /// The fault of the pattern, if the call failed because of it. A caller that names its options
    /// otherwise than the tool words the message itself.
    pub pattern_error: Option<Box<PatternError>>,
    /// Whether a command ran to its end, even where `is_error` reports that it failed.
    pub has_exit_code: bool,
    /// Whether an earlier answer was reused instead of doing the work again.
    pub cached: bool,
    /// Whether the call was stopped before it was answered. Nothing in a stopped answer counts as
    /// shown.
    pub is_stopped: bool,
    /// The kind and the notes of each line of the text.
    pub rows: Vec<AnswerRow>,
    /// The reduction of the answer, with the handle of the complete content; `None` if nothing was
    /// replaced.
    pub reduction: Option<(ShapeKind, Handle)>,
    /// Whether the text shows a whole file, line by line.
    pub shows_whole_file: bool,
    /// The model that chose the lines of a file, if one did.
    pub chosen_by: Option<Box<CurationRecord>>,
}

/// A line of an answer, with the notes that foveal put into it.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerRow {
    /// The kind of the line.
    pub kind: RowKind,
    /// The notes in the line, in order.
    pub notes: Vec<PlacedNote>,
}

/// The kind of a line in an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowKind {
    /// The path of a file, whose lines follow.
    File,
    /// A line of a file.
    Line {
        /// The line's number, from 1.
        number: u32,
        /// Bytes before the line's text.
        gutter: u32,
    },
    /// Other content: output of a program, an entry of a folder.
    Content,
    /// A note and nothing else.
    Note,
    /// A message about an error.
    Error,
}

/// A note, and its place in a line.
#[derive(Debug, Clone, PartialEq)]
pub struct PlacedNote {
    /// The byte of the line at which the note begins.
    pub at: u32,
    /// The text of the note.
    pub text: Box<str>,
}

impl From<RowKind> for AnswerRow {
    fn from(kind: RowKind) -> Self {
        Self { kind, notes: Vec::new() }
    }
}

/// An image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AnswerImage {
    /// The media type, such as `image/png`.
    pub media_type: &'static str,
    /// The bytes of the file, unchanged.
    pub bytes: Vec<u8>,
}

/// A condition that must hold for an answer to be reused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum AnswerDependency {
    /// A file with this version.
    File(PathBuf, FileVersion),
    /// The content of a folder, unchanged since the answer was begun.
    Tree(PathBuf, SystemTime),
    /// The working directory to which the paths in the answer are relative.
    Directory(PathBuf),
    /// The content of all roots, unchanged since this query was sent to an index. Its answers
    /// depend on the files alone.
    Index(String, SystemTime),
}
