//! Reading a file with detection of its kind.

use foveal_screen::numbers::PlainCount;
use foveal_transcript::CancelToken;

use super::image::Image;
use super::magic_bytes::BinaryFile;
use super::notebook::Notebook;
use crate::file_version::FileVersion;
use crate::open_file::{FileReadError, OpenFile, ReadSizeLimit};
use crate::roots::ResolvedPath;
use crate::text::TextFile;

/// Bytes by which the kind is detected before the whole file is read.
const HEAD_BYTES: usize = 8 * 1024;

/// Size limits by kind of file.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// The size in bytes of the largest text that is read.
    pub text_bytes_max: u64,
    /// The size in bytes of the largest image that is read.
    pub image_bytes_max: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { text_bytes_max: 32 * 1024 * 1024, image_bytes_max: 5 * 1024 * 1024 }
    }
}

/// The content of a file.
#[derive(Debug, Clone, PartialEq)]
pub enum FileContent {
    /// No bytes.
    Empty,
    /// Text.
    Text(TextFile),
    /// A notebook, and the text it was parsed from.
    Notebook(Notebook, TextFile),
    /// An image, and its bytes.
    Image(Image, Vec<u8>),
    /// Any other kind.
    Binary(BinaryFile),
    /// A text or image above the size limit.
    TooLarge {
        /// The kind of file: `text`, `PNG image`.
        what: &'static str,
        /// The limit in bytes.
        limit: u64,
    },
}

/// A file as it was read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSnapshot {
    /// The content.
    pub content: FileContent,
    /// The version of the content; `None` if the file was not read to the end.
    pub version: Option<FileVersion>,
    /// The size in bytes.
    pub len: u64,
    /// The number of hard links.
    pub link_count: u64,
}

impl FileSnapshot {
    /// Describes the file and its size, for a file without text to show.
    pub fn description(&self) -> Option<String> {
        let len = PlainCount::new(self.len, "byte");
        match &self.content {
            FileContent::Empty => Some("empty file".to_owned()),
            FileContent::Text(_) | FileContent::Notebook(..) => None,
            FileContent::Image(image, _) => Some(format!("{image}, {len}")),
            FileContent::Binary(binary) => Some(format!("{binary}, {len}; not shown")),
            FileContent::TooLarge { what, limit } => {
                Some(format!("{what}, {len}; at most {limit} are read at once"))
            }
        }
    }
}

/// Reads the file at `located`.
///
/// # Errors
///
/// Fails if the file does not exist, is not regular, cannot be read or changes during the read, or
/// with [`FileReadError::Cancelled`].
pub fn read_file(
    located: &ResolvedPath,
    limits: &ReadLimits,
    cancel: &CancelToken<'_>,
) -> Result<FileSnapshot, FileReadError> {
    let mut opened = OpenFile::open(located)?;
    let (len, names) = (opened.metadata().len(), opened.link_count());
    let head = opened.read_head(HEAD_BYTES)?;
    let unread = |content| Ok(FileSnapshot { content, version: None, len, link_count: names });
    let image = Image::detect(&head);
    if let Some(image) = &image
        && len > limits.image_bytes_max
    {
        let limit = limits.image_bytes_max;
        return unread(FileContent::TooLarge { what: image.format.name(), limit });
    }
    if image.is_none() && len > limits.text_bytes_max {
        if let Some(binary) = BinaryFile::detect(&head, false) {
            return unread(FileContent::Binary(binary));
        }
        return unread(FileContent::TooLarge { what: "text", limit: limits.text_bytes_max });
    }
    let bounds = ReadSizeLimit { bytes_max: limits.text_bytes_max.max(limits.image_bytes_max) };
    let (bytes, version) = opened.read_all(head, &bounds, cancel)?;
    let len = version.stamp.len;
    let content = classify_content(located, bytes);
    Ok(FileSnapshot { content, version: Some(version), len, link_count: names })
}

fn classify_content(located: &ResolvedPath, bytes: Vec<u8>) -> FileContent {
    if bytes.is_empty() {
        return FileContent::Empty;
    }
    // The size of a JPEG may stand far from the beginning, so detection sees the whole file.
    if let Some(image) = Image::detect(&bytes) {
        return FileContent::Image(image, bytes);
    }
    if let Some(binary) = BinaryFile::detect(&bytes, true) {
        return FileContent::Binary(binary);
    }
    let Ok(text) = TextFile::decode(&bytes) else {
        return FileContent::Binary(BinaryFile::with_unknown_format(&bytes));
    };
    let is_notebook = located.relative_path().extension().is_some_and(|ending| ending == "ipynb");
    match is_notebook.then(|| Notebook::parse(text.text())).flatten() {
        Some(notebook) => FileContent::Notebook(notebook, text),
        None => FileContent::Text(text),
    }
}
