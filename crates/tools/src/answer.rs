//! What a call is answered with.

use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use foveal_context::shape::ShapeKind;
use foveal_files::PathKey;
use foveal_files::stamp::Version;
use foveal_transcript::{ContentHash, Handle};

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
    /// What of the answer was replaced, and under which handle the whole is kept.
    pub shaped: Option<(ShapeKind, Handle)>,
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
