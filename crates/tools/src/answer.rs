//! What a call is answered with.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::note::Note;
use foveal_context::shape::ShapeKind;
use foveal_files::PathKey;
use foveal_files::stamp::{ContentHash, Version};
use foveal_transcript::Handle;

use crate::session::{AskedRead, Seen};
use crate::views::ReadView;

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
    /// Whether an earlier answer was used instead of doing the work again.
    pub cached: bool,
    /// What each line of the text is, where the tool says so of what it found.
    pub rows: Vec<AnswerRow>,
    /// What of the answer was replaced, and under which handle the whole is kept.
    pub shaped: Option<(ShapeKind, Handle)>,
}

impl Answer {
    /// Takes the lines before those that `rows` tells of as said.
    pub(crate) fn pad_rows(&mut self) {
        let before = self.text.lines().count().saturating_sub(self.rows.len());
        if !self.rows.is_empty() {
            self.rows.splice(0..0, std::iter::repeat_n(AnswerRow::Said, before));
        }
    }
}

/// What a line of an answer is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerRow {
    /// The path of a file, whose lines follow.
    File,
    /// A line of a file.
    Line {
        /// Its number.
        number: u32,
        /// Bytes before its text.
        gutter: u32,
    },
    /// Anything else: what is said of lines, or stands between them.
    Said,
}

/// A picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// `image/png` and the like.
    pub media_type: &'static str,
    /// Its bytes as they are in the file.
    pub bytes: Vec<u8>,
}

/// What a tool found, before it is shaped.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// The whole text, as lines with their numbers where it is a file's.
    pub text: String,
    /// What each line of it is; none where that is not said.
    pub rows: Vec<AnswerRow>,
    /// Lines put before it once it is known what is shown of it.
    pub head: Head,
    /// Pictures.
    pub images: Vec<Image>,
    /// The same as data.
    pub structured: Option<Value>,
    /// Whether what was asked for failed, though the tool did its work.
    pub is_error: bool,
    /// What must be unchanged for the answer to hold.
    pub depends: Vec<Dependency>,
    /// The arguments as they were carried out, where these are not those of the call.
    pub carried: Option<Value>,
    /// The folder that relative paths of the call started at.
    pub directory: PathBuf,
    /// A line put before it that says where it is from.
    pub note: Option<String>,
    /// Whether no work was done because an earlier answer still holds.
    pub cached: bool,
    /// How a file is to be shown.
    pub read_view: Option<ReadView>,
    /// The read that it answers: asked for again at once, all is shown.
    pub(crate) read: Option<AskedRead>,
    /// Whether the text is to be given as it is: a note on what was shown, or the answers of
    /// other calls put together.
    pub given: bool,
}

impl Found {
    /// A text alone.
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Lines of files, and what is said of them.
    pub(crate) fn lines(lines: TypedLines) -> Self {
        Self { text: lines.text, rows: lines.rows, ..Self::default() }
    }
}

/// Lines of files and what is said of them: as text, and what each line of that is.
#[derive(Debug, Clone, Default)]
pub(crate) struct TypedLines {
    pub(crate) text: String,
    pub(crate) rows: Vec<AnswerRow>,
}

impl TypedLines {
    /// Puts a line of a file behind what stands before its text.
    pub(crate) fn line(&mut self, number: u32, gutter: &str, text: &str) {
        let gutter_len = u32::try_from(gutter.len()).unwrap_or(u32::MAX);
        self.rows.push(AnswerRow::Line { number, gutter: gutter_len });
        self.text.extend([gutter, text, "\n"]);
    }

    /// Puts the path of a file, whose lines follow.
    pub(crate) fn file(&mut self, path: &str) {
        self.rows.push(AnswerRow::File);
        self.text.extend([path, "\n"]);
    }

    /// Puts a note, a line of its own.
    pub(crate) fn note(&mut self, note: &Note) {
        self.rows.push(AnswerRow::Said);
        self.text.extend([&note.to_string(), "\n"]);
    }

    /// Puts lines that say something.
    pub(crate) fn said(&mut self, text: &str) {
        self.rows.extend(text.lines().map(|_| AnswerRow::Said));
        self.text.push_str(text);
    }
}

/// What stands before an answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Head {
    /// Nothing.
    #[default]
    None,
    /// The name of the file, how it is shown, and how many of its lines.
    File {
        /// The path as the model knows it.
        path: String,
        /// Its key.
        key: PathKey,
        /// The version that is shown.
        version: ContentHash,
        /// What else there is to say of it: its encoding, say.
        remarks: Option<String>,
    },
    /// The name of a long file, and how many of its lines are given: those at the beginning.
    Beginning {
        /// The path as the model knows it.
        path: String,
        /// Its key.
        key: PathKey,
        /// The version, where all of it was read.
        version: Option<ContentHash>,
        /// How much there is.
        size: Size,
        /// Lines that are given to their end.
        seen: Seen,
        /// What else there is to say of it.
        remarks: Option<String>,
    },
}

/// How much there is of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Lines.
    Lines(u32),
    /// Bytes, where lines were not counted.
    Bytes(u64),
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
