//! How characters are spelled as bytes, and what can be wrong with that.

use encoding_rs::Encoding as Charset;
use thiserror::Error;

/// How characters are spelled as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8, of which ASCII is a part.
    Utf8,
    /// UTF-16, the low byte first.
    Utf16Le,
    /// UTF-16, the high byte first.
    Utf16Be,
    /// One from before Unicode, guessed from the bytes.
    Legacy(&'static Charset),
}

impl Encoding {
    /// The name for people: `UTF-8`, `windows-1252`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(charset) => charset.name(),
        }
    }
}

/// The bytes are no text in any encoding that is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the file is not text")]
pub struct NotText;

/// Why a text cannot be written in its file's encoding.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EncodeError {
    /// The file has bytes that mean nothing in its encoding; writing would change them.
    #[error(
        "the file has bytes that are not valid {encoding}, which an edit here would change; \
         convert it first, or edit it with a program that works on bytes"
    )]
    Inexact { encoding: &'static str },
    /// A character that the encoding does not have.
    #[error("line {line}: the file is {encoding}, which has no `{character}`")]
    Missing {
        character: char,
        /// Its line, from 1.
        line: usize,
        encoding: &'static str,
    },
}
