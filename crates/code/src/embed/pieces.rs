//! The tokens of a text: known words, and the known pieces of the others.

use std::collections::HashMap;

use crate::terms::for_each_word;

/// Longer words are encoded data, not language.
const WORD_BYTES_MAX: usize = 48;
const PIECE_BYTES_MIN: usize = 2;

/// A token's row in the model; more frequent tokens have lower numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Token(pub(super) u32);

/// Words to tokens.
#[derive(Debug)]
pub(super) struct Pieces {
    tokens: HashMap<Box<str>, Token>,
    bytes_max: usize,
}

/// The best way to take a word apart up to some byte.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Cut {
    // In the order in which they count.
    lost_bytes: usize,
    pieces: usize,
    rank_sum: u64,
    /// Where the last piece begins; what is before it is cut in its own best way.
    start: usize,
    /// None where the last byte is covered by no piece.
    last: Option<Token>,
}

impl Pieces {
    pub(super) fn new(vocabulary: &[&str]) -> Self {
        let tokens = (0..).zip(vocabulary).map(|(row, word)| (Box::from(*word), Token(row)));
        let bytes_max = vocabulary.iter().map(|word| word.len()).max().unwrap_or(0);
        Self { tokens: tokens.collect(), bytes_max: bytes_max.min(WORD_BYTES_MAX) }
    }

    /// The tokens of `text`, in order. What no piece covers is left out.
    pub(super) fn tokens(&self, text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        for_each_word(text, |word| match self.tokens.get(word) {
            Some(token) => tokens.push(*token),
            None => self.split(word, &mut tokens),
        });
        tokens
    }

    /// The pieces of a word that is not known as a whole: as few letters lost as can be,
    /// then as few pieces, then the more frequent ones.
    fn split(&self, word: &str, tokens: &mut Vec<Token>) {
        if word.len() > WORD_BYTES_MAX {
            return;
        }
        let none = Cut { lost_bytes: 0, pieces: 0, rank_sum: 0, start: 0, last: None };
        let mut best = vec![none];
        for end in 1..=word.len() {
            let before = best[end - 1];
            let lost = before.lost_bytes + 1;
            let mut chosen = Cut { lost_bytes: lost, start: end - 1, last: None, ..before };
            let starts =
                end.saturating_sub(self.bytes_max)..(end + 1).saturating_sub(PIECE_BYTES_MIN);
            for (start, before) in starts.clone().zip(&best[starts]) {
                let piece = word.get(start..end).and_then(|piece| self.tokens.get(piece));
                if let Some(token) = piece {
                    let rank_sum = before.rank_sum + u64::from(token.0);
                    let pieces = before.pieces + 1;
                    chosen =
                        chosen.min(Cut { pieces, rank_sum, start, last: Some(*token), ..*before });
                }
            }
            best.push(chosen);
        }
        let first = tokens.len();
        let mut end = word.len();
        while end > 0 {
            tokens.extend(best[end].last);
            end = best[end].start;
        }
        tokens[first..].reverse();
    }
}

#[cfg(test)]
mod tests;
