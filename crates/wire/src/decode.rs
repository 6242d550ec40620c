//! Decodes a message or a record. Clients that cut texts within a character of two halves send half
//! of one, and JSON knows numbers that no float holds: such a message is read with a stand-in for
//! these, so that a conversation is not lost for them.

use serde_json::Value;

/// The value that these bytes are.
pub(crate) fn value(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    match serde_json::from_slice(bytes) {
        Ok(value) => Ok(value),
        Err(error) => serde_json::from_slice(&mended(bytes)).map_err(|_| error),
    }
}

/// The bytes with U+FFFD for each half of a character, and numbers beyond floats as strings.
fn mended(bytes: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(bytes.len() + 2);
    let mut at = 0;
    let mut is_text = false;
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        let length = match byte {
            b'\\' if is_text => match lone_half(rest) {
                Escape::Other(length) => length,
                Escape::LoneHalf => {
                    mended.extend_from_slice(b"\\ufffd");
                    at += HALF_BYTES;
                    continue;
                }
            },
            b'-' | b'0'..=b'9' if !is_text => {
                let is_part =
                    |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
                let length = rest.iter().position(|byte| !is_part(byte)).unwrap_or(rest.len());
                if is_too_large(&rest[..length]) {
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

/// Bytes of an escape such as `\ud83d`.
const HALF_BYTES: usize = 6;

enum Escape {
    /// Half of a character whose other half is missing.
    LoneHalf,
    /// Any other escape, or a whole character, with its length in bytes.
    Other(usize),
}

/// What the escape is that `rest` starts with.
fn lone_half(rest: &[u8]) -> Escape {
    let unit = |rest: &[u8]| {
        let digits = rest.strip_prefix(b"\\u")?.get(..4)?;
        u16::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    };
    match unit(rest) {
        Some(0xD800..=0xDBFF) => match rest.get(HALF_BYTES..).and_then(unit) {
            Some(0xDC00..=0xDFFF) => Escape::Other(2 * HALF_BYTES),
            _ => Escape::LoneHalf,
        },
        Some(0xDC00..=0xDFFF) => Escape::LoneHalf,
        _ => Escape::Other(2),
    }
}

fn is_too_large(number: &[u8]) -> bool {
    let number = std::str::from_utf8(number).ok().and_then(|text| text.parse::<f64>().ok());
    number.is_some_and(f64::is_infinite)
}
