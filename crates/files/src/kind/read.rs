//! Reading a file as what it is.

use foveal_cancel::Cancel;

use super::image::Image;
use super::magic::Binary;
use super::notebook::Notebook;
use crate::open::{Bounds, Opened, ReadError};
use crate::roots::Located;
use crate::stamp::Version;
use crate::text::TextFile;

/// Bytes by which a kind is told.
const HEAD_BYTES: usize = 8 * 1024;

/// How much is read of a file of each kind.
#[derive(Debug, Clone, Copy)]
pub struct ReadLimits {
    /// Bytes of the largest text that is read as a whole.
    pub text_bytes_max: u64,
    /// Bytes of the largest image that is given.
    pub image_bytes_max: u64,
}

impl Default for ReadLimits {
    fn default() -> Self {
        Self { text_bytes_max: 32 * 1024 * 1024, image_bytes_max: 5 * 1024 * 1024 }
    }
}

/// What a file holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Content {
    /// No bytes.
    Empty,
    /// Text.
    Text(TextFile),
    /// A notebook, with the text it is stored as.
    Notebook(Notebook, TextFile),
    /// An image, with its bytes.
    Image(Image, Vec<u8>),
    /// Anything else.
    Binary(Binary),
    /// Text, or an image, of more than is read at once.
    TooLarge {
        /// What it is: `text`, `PNG image`.
        what: &'static str,
        /// The most that is read.
        limit: u64,
    },
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct FileRead {
    /// What it holds.
    pub content: Content,
    /// Which version that is; `None` where not all of it was read.
    pub version: Option<Version>,
    /// Bytes of the file.
    pub len: u64,
    /// How many names the file has (hard links).
    pub names: u64,
}

impl FileRead {
    /// What the file is and how to get at it, for one that has no text to show.
    pub fn description(&self) -> Option<String> {
        let len = self.len;
        match &self.content {
            Content::Empty => Some("empty file".to_owned()),
            Content::Text(_) | Content::Notebook(..) => None,
            Content::Image(image, _) => Some(format!("{image}, {len} bytes")),
            Content::Binary(binary) => Some(format!("{binary}, {len} bytes; not shown")),
            Content::TooLarge { what, limit } => {
                Some(format!("{what}, {len} bytes; at most {limit} are read at once"))
            }
        }
    }
}

/// Reads the file at `located`.
///
/// # Errors
///
/// When there is nothing, or no regular file, or it cannot be read or changes meanwhile; or
/// [`ReadError::Cancelled`] once it is cancelled.
pub fn read(
    located: &Located,
    limits: &ReadLimits,
    cancel: &Cancel<'_>,
) -> Result<FileRead, ReadError> {
    let mut opened = Opened::open(located)?;
    let (len, names) = (opened.metadata().len(), opened.names());
    let head = opened.head(HEAD_BYTES)?;
    let unread = |content| Ok(FileRead { content, version: None, len, names });
    let image = Image::of(&head);
    if let Some(image) = &image
        && len > limits.image_bytes_max
    {
        let limit = limits.image_bytes_max;
        return unread(Content::TooLarge { what: image.format.name(), limit });
    }
    if image.is_none() && len > limits.text_bytes_max {
        if let Some(binary) = Binary::of(&head, false) {
            return unread(Content::Binary(binary));
        }
        return unread(Content::TooLarge { what: "text", limit: limits.text_bytes_max });
    }
    let bounds = Bounds { bytes_max: limits.text_bytes_max.max(limits.image_bytes_max) };
    let (bytes, version) = opened.read(head, &bounds, cancel)?;
    let len = version.stamp.len;
    let content = content(located, bytes);
    Ok(FileRead { content, version: Some(version), len, names })
}

fn content(located: &Located, bytes: Vec<u8>) -> Content {
    if bytes.is_empty() {
        return Content::Empty;
    }
    // The whole is looked at: what is told of a JPEG may stand far behind.
    if let Some(image) = Image::of(&bytes) {
        return Content::Image(image, bytes);
    }
    if let Some(binary) = Binary::of(&bytes, true) {
        return Content::Binary(binary);
    }
    let Ok(text) = TextFile::decode(&bytes) else {
        return Content::Binary(Binary::unknown(&bytes));
    };
    let is_notebook = located.relative().extension().is_some_and(|ending| ending == "ipynb");
    match is_notebook.then(|| Notebook::parse(text.text())).flatten() {
        Some(notebook) => Content::Notebook(notebook, text),
        None => Content::Text(text),
    }
}
