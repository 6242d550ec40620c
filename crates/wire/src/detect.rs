//! Which format a stream is in, from its first bytes. Each format is told by keys that no other
//! has. A head that is cut before such a key is not guessed at.

use crate::format::Format;
use crate::head::scan;

/// How many bytes [`detect`] looks at.
pub const DETECT_BYTES: usize = 64 << 10;

/// The format of a stream that starts with `head`, which may be cut off anywhere. Looks at
/// the first [`DETECT_BYTES`] bytes, line by line or document by document, until one tells.
pub fn detect(head: &[u8]) -> Option<Format> {
    let mut rest = &head[..head.len().min(DETECT_BYTES)];
    // A request body as long as this has shown all that can be hoped for.
    let is_long = head.len() >= DETECT_BYTES;
    while let Some((document, after)) = scan(rest, is_long) {
        if let Some(format) = Format::of(&document) {
            return Some(format);
        }
        rest = after;
    }
    None
}
