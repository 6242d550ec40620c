//! Texts without their secrets.

use std::borrow::Cow;

use crate::secret::{Secret, merge_overlaps};
use crate::{escapes, readings, wide};

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted {
    /// The text, with `[secret removed: KIND]` and as many line feeds as it had in place of
    /// each secret, so that lines keep their numbers.
    pub bytes: Vec<u8>,
    /// How many were replaced.
    pub secrets: u32,
}

/// All secrets of a text in order, none overlapping another.
pub fn find(text: &[u8]) -> Vec<Secret> {
    let mut found = readings::find(text);
    found.extend(escapes::find(text));
    found.extend(wide::find(text));
    merge_overlaps(found)
}

/// The text without the secrets in it; `None` if there are none.
pub fn redact(text: &[u8]) -> Option<Redacted> {
    let found = find(text);
    if found.is_empty() {
        return None;
    }
    let mut bytes = Vec::with_capacity(text.len());
    let mut end = 0;
    for Secret { range, kind, is_wide } in &found {
        bytes.extend_from_slice(&text[end..range.start]);
        let lines = memchr::memchr_iter(b'\n', &text[range.clone()]).count();
        let from = bytes.len();
        for part in [NOTE[0], kind, NOTE[1]] {
            bytes.extend_from_slice(part.as_bytes());
        }
        bytes.extend(std::iter::repeat_n(b'\n', lines));
        if *is_wide {
            let narrow = bytes.split_off(from);
            bytes.extend(narrow.into_iter().flat_map(|sign| [sign, 0]));
        }
        if *is_wide && range.len() % 2 == 1 {
            // The text ends with a sign that has no zero behind it.
            bytes.pop();
        }
        end = range.end;
    }
    bytes.extend_from_slice(&text[end..]);
    Some(Redacted { bytes, secrets: u32::try_from(found.len()).unwrap_or(u32::MAX) })
}

/// [`redact`] of a string, which stays as it is if there are none.
pub fn without(text: &str) -> Cow<'_, str> {
    match redact(text.as_bytes()) {
        Some(Redacted { bytes, .. }) => String::from_utf8_lossy(&bytes).into_owned().into(),
        None => Cow::Borrowed(text),
    }
}

/// The note in the place of a secret, before and behind its kind.
const NOTE: [&str; 2] = ["[secret removed: ", "]"];

/// Returns the note in the place of a secret.
pub(crate) fn note(kind: &str) -> String {
    [NOTE[0], kind, NOTE[1]].concat()
}
