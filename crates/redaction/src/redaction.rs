//! Redaction of texts.

use std::borrow::Cow;

use crate::secret::{Secret, merge_overlaps};
use crate::{escapes, tool_output, utf16};

/// A redacted text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedactedBytes {
    /// The text, with `[secret removed: KIND]` and its line feeds in place of each secret, so that
    /// line numbers stay the same.
    pub bytes: Vec<u8>,
    /// The number of removed secrets.
    pub secrets: u32,
}

/// Returns all secrets of a text in order, without overlaps.
pub fn find_secrets(text: &[u8]) -> Vec<Secret> {
    let mut found = tool_output::find_in_tool_output(text);
    found.extend(escapes::find_escaped_secrets(text));
    found.extend(utf16::find_utf16_secrets(text));
    merge_overlaps(found)
}

/// Returns the redacted text; `None` if it has no secrets.
pub fn redact(text: &[u8]) -> Option<RedactedBytes> {
    let found = find_secrets(text);
    if found.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut end = 0;
    for Secret { range, kind, is_wide } in &found {
        bytes.extend_from_slice(&text[end..range.start]);
        let lines = memchr::memchr_iter(b'\n', &text[range.clone()]).count();
        let from = bytes.len();
        for part in [NOTE_PARTS[0], kind, NOTE_PARTS[1]] {
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.extend(std::iter::repeat_n(b'\n', lines));
        if *is_wide {
            let narrow = bytes.split_off(from);
            bytes.extend(narrow.into_iter().flat_map(|sign| [sign, 0]));
        }
        if *is_wide && range.len() % 2 == 1 {
            // The text ends with a character without its zero byte.
            bytes.pop();
        }
        end = range.end;
    }
    bytes.extend_from_slice(&text[end..]);
    Some(RedactedBytes { bytes, secrets: u32::try_from(found.len()).unwrap_or(u32::MAX) })
}

/// Redacts a string; borrows it if it has no secrets.
pub fn redact_text(text: &str) -> Cow<'_, str> {
    match redact(text.as_bytes()) {
        Some(RedactedBytes { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned().into(),
        None => Cow::Borrowed(text),
    }
}

/// The note in place of a secret, before and after its kind.
const NOTE_PARTS: [&str; 2] = ["[secret removed: ", "]"];

/// Returns the note in place of a secret.
pub(crate) fn secret_note(kind: &str) -> String {
    [NOTE_PARTS[0], kind, NOTE_PARTS[1]].concat()
}
