//! Decodes a byte stream to text piece by piece. A character that is cut off by the end of a piece
//! waits for the next; invalid bytes become U+FFFD and are counted.

/// A UTF-8 decoder for a stream. Holds at most three bytes.
#[derive(Debug, Default)]
pub struct Utf8StreamDecoder {
    /// The beginning of an incomplete character.
    pending: Vec<u8>,
    replaced_bytes: u64,
}

impl Utf8StreamDecoder {
    /// Returns the text of `bytes` and of the bytes held back before. May be empty.
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
            if chunks.peek().is_none() && is_incomplete_character(invalid) {
                self.pending.extend_from_slice(invalid);
            } else {
                self.push_replacement(invalid.len(), &mut text);
            }
        }
        text
    }

    /// Returns the held back beginning of a character, as U+FFFD, at the end of the stream.
    pub fn finish(&mut self) -> String {
        let mut text = String::new();
        let cut = std::mem::take(&mut self.pending).len();
        if cut > 0 {
            self.push_replacement(cut, &mut text);
        }
        text
    }

    /// Returns the number of invalid bytes so far.
    #[must_use]
    pub fn replaced_bytes(&self) -> u64 {
        self.replaced_bytes
    }

    fn push_replacement(&mut self, bytes: usize, text: &mut String) {
        self.replaced_bytes += bytes as u64;
        text.push(char::REPLACEMENT_CHARACTER);
    }
}

/// Returns whether `invalid` is the beginning of a character.
fn is_incomplete_character(invalid: &[u8]) -> bool {
    matches!(std::str::from_utf8(invalid), Err(error) if error.error_len().is_none())
}
