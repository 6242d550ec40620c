//! Bytes of a stream to text, piece by piece. A character that is cut by the end of a piece
//! waits for the next one; what is no UTF-8 becomes U+FFFD and is counted.

/// A UTF-8 decoder for a stream. It never holds more than three bytes.
#[derive(Debug, Default)]
pub struct Decoder {
    /// The beginning of a character whose end has not come yet.
    pending: Vec<u8>,
    replaced_bytes: u64,
}

impl Decoder {
    /// The text of `bytes`, after what was held back before. May be empty.
    pub fn push(&mut self, bytes: &[u8]) -> String {
        let joined;
        let bytes = if self.pending.is_empty() {
            bytes
        } else {
            joined = [&self.pending, bytes].concat();
            self.pending.clear();
            &joined
        };
        let mut text = String::with_capacity(bytes.len());
        let mut chunks = bytes.utf8_chunks().peekable();
        while let Some(chunk) = chunks.next() {
            text.push_str(chunk.valid());
            let invalid = chunk.invalid();
            if invalid.is_empty() {
                continue;
            }
            if chunks.peek().is_none() && is_beginning(invalid) {
                self.pending.extend_from_slice(invalid);
            } else {
                self.replace(invalid.len(), &mut text);
            }
        }
        text
    }

    /// What is still held back when the stream has ended: a cut character, as U+FFFD.
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        let cut = std::mem::take(&mut self.pending).len();
        if cut > 0 {
            self.replace(cut, &mut text);
        }
        text
    }

    /// How many bytes were no UTF-8 so far.
    #[must_use]
    pub fn replaced_bytes(&self) -> u64 {
        self.replaced_bytes
    }

    fn replace(&mut self, bytes: usize, text: &mut String) {
        self.replaced_bytes += bytes as u64;
        text.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Whether more bytes could make a character of `invalid`.
fn is_beginning(invalid: &[u8]) -> bool {
    matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none())
}
