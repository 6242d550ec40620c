//! Handles: content addresses under which anything left out can be fetched again.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Bytes of the blake3 hash that make a handle. Twelve hex digits: among a million
/// results the chance of any collision is below 2 in 1000 at 48 bits, and a store detects it
/// when content is put, and never serves it wrongly.
const HANDLE_BYTES: usize = 6;

/// Hex digits of [`ContentHash::long`].
pub const LONG_DIGITS: usize = 24;

/// The blake3 hash of a content, by which equal contents are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// The hash of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The hash of these bytes, one behind the other.
    pub fn of_parts<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for part in parts {
            hasher.update(part);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The hash with these bytes, as it was stored.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes, to be stored.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Content address: the first 6 bytes of the content's blake3 hash, 12 hex digits in text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Handle([u8; HANDLE_BYTES]);

impl Handle {
    /// The handle of `content`.
    pub fn of(content: &[u8]) -> Self {
        ContentHash::of(content).handle()
    }
}

impl ContentHash {
    /// The handle of the content: how this hash begins.
    pub fn handle(&self) -> Handle {
        let mut bytes = [0; HANDLE_BYTES];
        bytes.copy_from_slice(&self.0[..HANDLE_BYTES]);
        Handle(bytes)
    }

    /// How this hash begins, in [`LONG_DIGITS`] hex digits: the handle's and as many more. For
    /// readers who expect a hash so long.
    pub fn long(&self) -> String {
        self.0[..LONG_DIGITS / 2].iter().map(|byte| format!("{byte:02x}")).collect()
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

/// The text is not a handle.
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
        assert_eq!(ContentHash::of_parts(parts), ContentHash::of(b"fn main() {}"));
    }

    #[test]
    fn the_long_spelling_goes_on_with_the_handle() {
        let hash = ContentHash::of(b"fn main() {}");
        assert_eq!(hash.long().len(), LONG_DIGITS);
        assert_eq!(hash.long()[..12], hash.handle().to_string());
        assert!(hash.long().bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    }

    #[test]
    fn text_form_round_trips() {
        let handle = Handle::of(b"fn main() {}");
        assert_eq!(handle.to_string().len(), 12);
        assert_eq!(handle.to_string().parse(), Ok(handle));
        for bad in ["", "12", "zzzzzzzzzzzz", "0123456789ab0", "ééééé1"] {
            assert!(bad.parse::<Handle>().is_err(), "{bad} is no handle");
        }
    }
}
