//! Files as text: which encoding, which line endings, and back to the same bytes.
//!
//! A text has `\n` at the end of each line whatever the file has there, so that it can be shown,
//! matched and edited; what the file had is kept beside it and put back, line by line.

mod decode;
mod encode;
mod endings;

use encoding_rs::Encoding as Charset;
use thiserror::Error;

pub(crate) use self::decode::decoded;
use self::endings::Endings;
pub use self::endings::LineEnding;

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
pub enum EncodeError {
    /// The file has bytes that mean nothing in its encoding; writing would change them.
    #[error(
        "the file has bytes that are not valid {encoding}, which an edit here would change; \
         convert it first, or edit it with a program that works on bytes"
    )]
    Inexact {
        /// The encoding.
        encoding: &'static str,
    },
    /// A character that the encoding does not have.
    #[error("line {line}: the file is {encoding}, which has no `{character}`")]
    Missing {
        /// The character.
        character: char,
        /// Its line, from 1.
        line: usize,
        /// The encoding.
        encoding: &'static str,
    },
}

/// A file as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    text: String,
    encoding: Encoding,
    bom: bool,
    endings: Endings,
    exact: bool,
}

impl TextFile {
    /// The text in `bytes`.
    ///
    /// UTF-8 and UTF-16 are told by their marks or by being valid; the rest is guessed. Where
    /// some bytes mean nothing they read as U+FFFD, and the text is not [exact](Self::is_exact).
    ///
    /// # Errors
    ///
    /// When the bytes are not text: NULs, or many control characters.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotText> {
        decode::decode(bytes)
    }

    /// A text that is in no file yet, to be written as UTF-8. Its line endings are taken as the
    /// file's.
    pub fn new(text: &str) -> Self {
        let (text, endings) = Endings::take(text);
        Self { text, encoding: Encoding::Utf8, bom: false, endings, exact: true }
    }

    /// The text, with `\n` for every line ending of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// How characters are spelled.
    pub fn encoding(&self) -> Encoding {
        self.encoding
    }

    /// Whether the file starts with a byte order mark, which is not part of the text.
    pub fn has_bom(&self) -> bool {
        self.bom
    }

    /// How lines end in the file.
    pub fn line_ending(&self) -> LineEnding {
        self.endings.kind()
    }

    /// Whether the last line ends as lines do. Yes for an empty text, where nothing is missing.
    pub fn has_final_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Whether the text says all that the bytes do. If not, it can be read but not edited.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// The bytes of the file, unchanged.
    ///
    /// # Errors
    ///
    /// When the text is not [exact](Self::is_exact).
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.encode_edited(&self.text)
    }

    /// The bytes of the file with `edited` for its text: in the same encoding, with the mark if
    /// it had one. Lines that were there keep their ending, new ones end as those before them.
    ///
    /// # Errors
    ///
    /// When this text is not [exact](Self::is_exact), or the encoding lacks a character.
    pub fn encode_edited(&self, edited: &str) -> Result<Vec<u8>, EncodeError> {
        let encoding = self.encoding;
        if !self.exact {
            return Err(EncodeError::Inexact { encoding: encoding.name() });
        }
        let spelled = self.endings.put_back(&self.text, edited);
        encode::encode(&spelled, encoding, self.bom)
    }

    /// What is unusual about the file, for the header of an answer: `UTF-16LE, CRLF, no newline
    /// at the end`. `None` for UTF-8 with `\n` to the end.
    pub fn remarks(&self) -> Option<String> {
        let mut remarks: Vec<&str> = Vec::new();
        match (self.encoding, self.bom) {
            (Encoding::Utf8, false) => {}
            (Encoding::Utf8, true) => remarks.push("UTF-8 with byte order mark"),
            (encoding, _) => remarks.push(encoding.name()),
        }
        match self.line_ending() {
            LineEnding::Lf => {}
            LineEnding::CrLf => remarks.push("CRLF"),
            LineEnding::Mixed => remarks.push("mixed line endings"),
        }
        if !self.has_final_newline() {
            remarks.push("no newline at the end");
        }
        if !self.exact {
            remarks.push("some bytes are invalid and shown as U+FFFD; it cannot be edited");
        }
        (!remarks.is_empty()).then(|| remarks.join(", "))
    }
}

#[cfg(test)]
mod tests;
