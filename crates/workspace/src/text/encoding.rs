//! Character encodings and encoding errors.

use encoding_rs::Encoding as Charset;
use thiserror::Error;

/// A character encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, including ASCII.
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// A code page, detected from the bytes.
    Legacy(&'static Charset),
}

impl TextEncoding {
    /// Returns the display name: `UTF-8`, `windows-1252`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "UTF-8",
            Self::Utf16Le => "UTF-16LE",
            Self::Utf16Be => "UTF-16BE",
            Self::Legacy(charset) => charset.name(),
        }
    }
}

/// The error for bytes that are not text in any known encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the file is not text")]
pub struct NotText;

/// An error of writing a text in its file's encoding.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the messages say what variants and fields are")]
pub enum EncodeError {
    /// The file contains bytes that are invalid in its encoding and would be changed.
    #[error(
        "the file has bytes that are not valid {encoding}, which an edit here would change; \
         convert it first, or edit it with a program that works on bytes"
    )]
    Inexact { encoding: &'static str },
    /// The encoding lacks a character.
    #[error("line {line}: the file is {encoding}, which has no `{character}`")]
    Missing {
        character: char,
        /// The line of the character, from 1.
        line: usize,
        encoding: &'static str,
    },
}
