//! Files decoded as text.

use std::ops::Range;

use super::decode::{DecodedText, decode_bytes};
use super::encode::encode_text;
use super::encoding::{EncodeError, NotText, TextEncoding};
use super::line_endings::{LineEndings, NewlineStyle};

/// The text of a file, with everything needed to encode it to the same bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    text: String,
    encoding: TextEncoding,
    bom: bool,
    endings: LineEndings,
    exact: bool,
}

impl TextFile {
    /// Decodes `bytes`.
    ///
    /// UTF-8 and UTF-16 are recognized by their byte order marks or by validity; other encodings
    /// are detected. Invalid bytes decode to U+FFFD, and the text is then not
    /// [exact](Self::is_exact).
    ///
    /// # Errors
    ///
    /// Fails if the bytes are not text: NULs, or many control characters.
    pub fn decode(bytes: &[u8]) -> Result<Self, NotText> {
        let DecodedText { text, encoding, bom, exact } = decode_bytes(bytes)?;
        let (text, endings) = LineEndings::normalize(&text);
        Ok(Self { text, encoding, bom, endings, exact })
    }

    /// Creates a text that is in no file yet, to be written as UTF-8 with its own line endings.
    pub fn new(text: &str) -> Self {
        let (text, endings) = LineEndings::normalize(text);
        Self { text, encoding: TextEncoding::Utf8, bom: false, endings, exact: true }
    }

    /// Returns the text, with `\n` for every line ending of the file.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the character encoding.
    pub fn encoding(&self) -> TextEncoding {
        self.encoding
    }

    /// Returns whether the file starts with a byte order mark, which is not part of the text.
    pub fn has_bom(&self) -> bool {
        self.bom
    }

    /// Returns the style of the file's line endings.
    pub fn newline_style(&self) -> NewlineStyle {
        self.endings.style()
    }

    /// Returns whether the last line has an ending; true for an empty text.
    pub fn has_final_newline(&self) -> bool {
        self.text.is_empty() || self.text.ends_with('\n')
    }

    /// Returns whether the text represents all bytes of the file. If not, it can be read but not
    /// edited.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Encodes the text to the unchanged bytes of the file.
    ///
    /// # Errors
    ///
    /// Fails if the text is not [exact](Self::is_exact).
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        self.encode_edited(&self.text)
    }

    /// Encodes `edited` like the file: in the same encoding, with a byte order mark if it had one.
    /// Existing lines keep their endings, new ones take that of the line before.
    ///
    /// # Errors
    ///
    /// Fails if this text is not [exact](Self::is_exact) or the encoding lacks a character.
    pub fn encode_edited(&self, edited: &str) -> Result<Vec<u8>, EncodeError> {
        self.encode_with_changes(edited, &[(0..self.text.len(), 0..edited.len())])
    }

    /// Encodes `edited` like the file, given the changed places: ranges of this text and the ranges
    /// of `edited` that replace them, ascending. All other bytes of the file stay unchanged.
    ///
    /// # Errors
    ///
    /// See [`Self::encode_edited`].
    pub fn encode_with_changes(
        &self,
        edited: &str,
        places: &[(Range<usize>, Range<usize>)],
    ) -> Result<Vec<u8>, EncodeError> {
        let encoding = self.encoding;
        if !self.exact {
            return Err(EncodeError::Inexact { encoding: encoding.name() });
        }
        let spelled = self.endings.restore(&self.text, edited, places);
        encode_text(&spelled, encoding, self.bom)
    }

    /// Returns the unusual properties of the file, for the header of an answer: `UTF-16LE, CRLF, no
    /// newline at the end`. Returns `None` for UTF-8 with `\n` and a final newline.
    pub fn remarks(&self) -> Option<String> {
        let mut remarks: Vec<&str> = Vec::new();
        match (self.encoding, self.bom) {
            (TextEncoding::Utf8, false) => {}
            (TextEncoding::Utf8, true) => remarks.push("UTF-8 with byte order mark"),
            (encoding, _) => remarks.push(encoding.name()),
        }
        match self.newline_style() {
            NewlineStyle::Lf => {}
            NewlineStyle::CrLf => remarks.push("CRLF"),
            NewlineStyle::Mixed => remarks.push("mixed line endings"),
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
