//! Detection of a stream's format from its first bytes. Each format has keys that no other format
//! has. A head that is cut before such a key is not classified.

use crate::key_paths::scan_key_paths;
use crate::session_format::SessionFormat;

/// Number of leading bytes that [`detect_format`] examines.
pub const DETECT_BYTES: usize = 64 << 10;

/// Returns the format of a stream that starts with `head`, which may be cut off anywhere. Examines
/// at most [`DETECT_BYTES`] bytes, line by line or document by document, until one identifies the
/// format.
pub fn detect_format(head: &[u8]) -> Option<SessionFormat> {
    let mut rest = &head[..head.len().min(DETECT_BYTES)];
    // No later byte of a document this long is examined.
    let is_long = head.len() >= DETECT_BYTES;
    while let Some((document, after)) = scan_key_paths(rest, is_long) {
        if let Some(format) = SessionFormat::from_key_paths(&document) {
            return Some(format);
        }
        rest = after;
    }
    None
}
