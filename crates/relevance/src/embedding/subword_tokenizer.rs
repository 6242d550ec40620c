//! The tokenizer of the static model: known words are tokens, other words are split into known
//! pieces.

use std::collections::HashMap;

use crate::terms::visit_words;

/// The longest word in bytes; longer ones are encoded data, not language.
const WORD_BYTES_MAX: usize = 48;
const PIECE_BYTES_MIN: usize = 2;

/// The row of a token in the model; more frequent tokens have lower numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct TokenId(pub(super) u32);

/// A tokenizer with a fixed vocabulary.
#[derive(Debug)]
pub(super) struct SubwordTokenizer {
    tokens: HashMap<Box<str>, TokenId>,
    bytes_max: usize,
}

/// The best segmentation of a word up to some byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct WordSegmentation {
    // The fields are in order of precedence.
    uncovered_bytes: usize,
    piece_count: usize,
    rank_sum: u64,
    /// The start of the last piece; the bytes before it have their own best segmentation.
    start: usize,
    /// The token of the last piece; `None` if no piece covers the last byte.
    last_token: Option<TokenId>,
}

impl SubwordTokenizer {
    pub(super) fn new(vocabulary: &[&str]) -> Self {
        let tokens = (0..).zip(vocabulary).map(|(row, word)| (Box::from(*word), TokenId(row)));
        let bytes_max = vocabulary.iter().map(|word| word.len()).max().unwrap_or(0);
        Self { tokens: tokens.collect(), bytes_max: bytes_max.min(WORD_BYTES_MAX) }
    }

    /// Returns the tokens of `text` in order. Bytes that no piece covers are left out.
    pub(super) fn tokenize(&self, text: &str) -> Vec<TokenId> {
        let mut tokens = Vec::new();
        visit_words(text, |word| match self.tokens.get(word) {
            Some(token) => tokens.push(*token),
            None => self.segment_word(word, &mut tokens),
        });
        tokens
    }

    /// Appends the pieces of an unknown word: with as few uncovered bytes as possible, then as few
    /// pieces, then the most frequent ones.
    fn segment_word(&self, word: &str, tokens: &mut Vec<TokenId>) {
        if word.len() > WORD_BYTES_MAX {
            return;
        }
        let none = WordSegmentation {
            uncovered_bytes: 0,
            piece_count: 0,
            rank_sum: 0,
            start: 0,
            last_token: None,
        };
        let mut best = vec![none];
        for end in 1..=word.len() {
            let before = best[end - 1];
            let lost = before.uncovered_bytes + 1;
            let mut chosen = WordSegmentation {
                uncovered_bytes: lost,
                start: end - 1,
                last_token: None,
                ..before
            };
            let starts =
                end.saturating_sub(self.bytes_max)..(end + 1).saturating_sub(PIECE_BYTES_MIN);
            for (start, before) in starts.clone().zip(&best[starts]) {
                let piece = word.get(start..end).and_then(|piece| self.tokens.get(piece));
                if let Some(token) = piece {
                    let rank_sum = before.rank_sum + u64::from(token.0);
                    let pieces = before.piece_count + 1;
                    chosen = chosen.min(WordSegmentation {
                        piece_count: pieces,
                        rank_sum,
                        start,
                        last_token: Some(*token),
                        ..*before
                    });
                }
            }
            best.push(chosen);
        }
        let first = tokens.len();
        let mut end = word.len();
        while end > 0 {
            tokens.extend(best[end].last_token);
            end = best[end].start;
        }
        tokens[first..].reverse();
    }
}

#[cfg(test)]
mod tests;
