//! Decodes JSON that strict parsers reject. Clients that cut texts within a surrogate pair send a
//! lone surrogate, and JSON allows numbers beyond the range of `f64`. The parser replaces both, so
//! that a conversation is not lost.

use serde_json::Value;

/// Parses `bytes`; on failure once more with the lone surrogates and large numbers replaced.
pub fn parse_lenient(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(value),
        Err(error) => serde_json::from_slice(&repair(bytes)).map_err(|_| error),
    }
}

/// Returns the bytes with U+FFFD for each lone surrogate and with numbers beyond `f64` as strings.
fn repair(bytes: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(bytes.len() + 2);
    let mut at = 0;
    let mut is_text = false;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b'\\' if is_text => match classify_escape(rest) {
                EscapeKind::Other(length) => length,
                EscapeKind::LoneSurrogate => {
                    mended.extend_from_slice(b"\\ufffd");
                    at += SURROGATE_BYTES;
                    continue;
                }
            },
            b'-' | b'0'..=b'9' if !is_text => {
                let is_part =
                    |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                if exceeds_f64(&rest[..length]) {
                    mended.push(b'"');
                    mended.extend_from_slice(&rest[..length]);
                    mended.push(b'"');
                    at += length;
                    continue;
                }
                length
            }
            b'"' => {
                is_text = !is_text;
                1
            }
            _ => 1,
        };
        let length = length.min(rest.len());
        mended.extend_from_slice(&rest[..length]);
        at += length;
    }
    mended
}

/// Length in bytes of an escape such as `\ud83d`.
const SURROGATE_BYTES: usize = 6;

enum EscapeKind {
    /// A surrogate without its other half.
    LoneSurrogate,
    /// Any other escape or a whole surrogate pair, with its length in bytes.
    Other(usize),
}

/// Classifies the escape at the start of `rest`.
fn classify_escape(rest: &[u8]) -> EscapeKind {
    let unit = |rest: &[u8]| {
        let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match unit(rest) {
        Some(0xD800..=0xDBFF) => match rest.get(SURROGATE_BYTES..).and_then(unit) {
            Some(0xDC00..=0xDFFF) => EscapeKind::Other(2 * SURROGATE_BYTES),
            _ => EscapeKind::LoneSurrogate,
        },
        Some(0xDC00..=0xDFFF) => EscapeKind::LoneSurrogate,
        _ => EscapeKind::Other(2),
    }
}

fn exceeds_f64(number: &[u8]) -> bool {
    let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(f64::is_infinite)
}
