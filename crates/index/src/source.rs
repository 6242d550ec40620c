//! From a file's bytes to its text and structure.

use std::borrow::Cow;

use foveal_cancel::Cancel;
use foveal_code::{Parsed, parse_until};

/// Bytes at the beginning in which a zero says that the file is no text.
const HEAD_BYTES: usize = 8 << 10;

/// The bytes as text, bytes that are none replaced; `None` for a binary file.
pub fn text_of(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    (!head.contains(&0)).then(|| String::from_utf8_lossy(bytes))
}

/// What the file at `path` with this text consists of; paragraphs once it is cancelled.
pub fn parse(path: &str, text: &str, cancel: &Cancel<'_>) -> Parsed {
    parse_until(path, text, &mut || cancel.is_cancelled())
}
