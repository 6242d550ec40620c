//! A file as text.

use std::ops::Range;

use super::decode::{Decoded, decoded};
use super::encode::encode;
use super::encoding::{EncodeError, Encoding, NotText};
use super::endings::{Endings, LineEnding};

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
        let Decoded { text, encoding, bom, exact } = decoded(bytes)?;
        let (text, endings) = Endings::take(&text);
        Ok(Self { text, encoding, bom, endings, exact })
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
        self.encode_changed(edited, &[(0..self.text.len(), 0..edited.len())])
    }

    /// The same where it is known what was changed: bytes of this text and those of `edited`
    /// that stand there instead, ascending. All other bytes of the file stay as they are.
    ///
    /// # Errors
    ///
    /// As [`Self::encode_edited`].
    pub fn encode_changed(
        &self,
        edited: &str,
        places: &[(Range<usize>, Range<usize>)],
    ) -> Result<Vec<u8>, EncodeError> {
        let encoding = self.encoding;
        if !self.exact {
            return Err(EncodeError::Inexact { encoding: encoding.name() });
        }
        let spelled = self.endings.put_back(&self.text, edited, places);
        encode(&spelled, encoding, self.bom)
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
