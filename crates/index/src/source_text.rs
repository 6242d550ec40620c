//! The text and the structure of a file from its bytes.

use std::borrow::Cow;

use foveal_syntax::{ParsedFile, parse_file_until_cancelled};
use foveal_transcript::CancelToken;

/// The number of bytes at the beginning in which a zero byte marks a binary file.
const HEAD_BYTES: usize = 8 << 10;

/// Decodes the bytes as UTF-8 and replaces invalid ones. Returns `None` for a binary file.
pub fn decode_text(bytes: &[u8]) -> Option<Cow<'_, str>> {
    let head = &bytes[..bytes.len().min(HEAD_BYTES)];
    (!head.contains(&0)).then(|| String::from_utf8_lossy(bytes))
}

/// Parses the file at `path` with content `text`. Divides it into paragraphs after a cancellation.
pub fn parse_file(path: &str, text: &str, cancel: &CancelToken<'_>) -> ParsedFile {
    parse_file_until_cancelled(path, text, &mut || cancel.is_cancelled())
}
