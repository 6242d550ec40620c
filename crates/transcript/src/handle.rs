//! Handles: content addresses under which omitted content can be fetched again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Bytes of the blake3 hash that make a handle. At 48 bits, the chance of any collision among a
/// million results is below 2 in 1000. A store detects a collision when content is put, and never
/// serves the wrong content.
const HANDLE_BYTES: usize = 6;

/// Number of hex digits in [`ContentHash::to_long_hex`].
pub const LONG_HEX_DIGITS: usize = 24;

/// The blake3 hash of a content. Equal hashes mean equal contents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Computes the hash of `bytes`.
    pub fn from_content(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// Computes the hash of the concatenation of `parts`.
    pub fn from_segments<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// Restores a hash from its stored bytes.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Returns the bytes of the hash, for storage.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// A content address: the first 6 bytes of the content's blake3 hash, shown as 12 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle([u8; HANDLE_BYTES]);

impl Handle {
    /// Computes the handle of `content`.
    pub fn from_content(content: &[u8]) -> Self {
        ContentHash::from_content(content).handle()
    }
}

impl ContentHash {
    /// Returns the handle of the content: the first bytes of this hash.
    pub fn handle(&self) -> Handle {
        let mut bytes = [0; HANDLE_BYTES];
        bytes.copy_from_slice(&self.0[..HANDLE_BYTES]);
        Handle(bytes)
    }

    /// Returns the first [`LONG_HEX_DIGITS`] hex digits of the hash: those of the handle and as
    /// many more. For readers that expect a hash of this length.
    pub fn to_long_hex(&self) -> String {
        self.0[..LONG_HEX_DIGITS / 2].iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Handle({self})")
    }
}

/// The error for a text that is not a handle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a handle: {digits} hex digits are expected", digits = HANDLE_BYTES * 2)]
pub struct ParseHandleError {
    text: String,
}

impl FromStr for Handle {
    type Err = ParseHandleError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let fail = || ParseHandleError { text: text.to_owned() };
        if text.len() != HANDLE_BYTES * 2 || !text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(fail());
        }
        let mut bytes = [0; HANDLE_BYTES];
        for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| fail())?;
            *byte = u8::from_str_radix(pair, 16).map_err(|_| fail())?;
        }
        Ok(Self(bytes))
    }
}

impl TryFrom<String> for Handle {
    type Error = ParseHandleError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<Handle> for String {
    fn from(handle: Handle) -> Self {
        handle.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_the_whole() {
        let parts: [&[u8]; 3] = [b"fn ", b"", b"main() {}"];
        assert_eq!(ContentHash::from_segments(parts), ContentHash::from_content(b"fn main() {}"));
    }

    #[test]
    fn the_long_spelling_goes_on_with_the_handle() {
        let hash = ContentHash::from_content(b"fn main() {}");
        assert_eq!(hash.to_long_hex().len(), LONG_HEX_DIGITS);
        assert_eq!(hash.to_long_hex()[..12], hash.handle().to_string());
        assert!(hash.to_long_hex().bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }

    #[test]
    fn text_form_round_trips() {
        let handle = Handle::from_content(b"fn main() {}");
        assert_eq!(handle.to_string().len(), 12);
        assert_eq!(handle.to_string().parse(), Ok(handle));
        for bad in ["", "12", "zzzzzzzzzzzz", "0123456789ab0", "ééééé1"] {
            assert!(bad.parse::<Handle>().is_err(), "{bad} is no handle");
        }
    }
}
