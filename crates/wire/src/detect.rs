//! Which format a stream is in, from its first bytes.

use crate::format::Format;

/// How many bytes [`detect`] looks at.
pub const DETECT_BYTES: usize = 64 << 10;

/// The format of a stream that starts with `head`, which may be cut off anywhere.
pub fn detect(head: &[u8]) -> Option<Format> {
    let head = &head[..head.len().min(DETECT_BYTES)];
    let text = String::from_utf8_lossy(head);
    if text.contains("\"sessionId\"") {
        return Some(Format::ClaudeCode);
    }
    if text.contains("\"type\":\"session\"") {
        return Some(Format::Pi);
    }
    text.contains("\"schema_version\"").then_some(Format::Atif)
}
