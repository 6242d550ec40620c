//! Token counts.

mod estimate;
mod long_runs;

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

pub use self::estimate::estimate_tokens;

/// A number of tokens.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize,
)]
pub struct Tokens(pub u64);

impl Add for Tokens {
    type Output = Tokens;

    fn add(self, other: Tokens) -> Tokens {
        Tokens(self.0 + other.0)
    }
}

impl AddAssign for Tokens {
    fn add_assign(&mut self, other: Tokens) {
        self.0 += other.0;
    }
}

impl Sub for Tokens {
    type Output = Tokens;

    /// Saturates at zero.
    fn sub(self, other: Tokens) -> Tokens {
        Tokens(self.0.saturating_sub(other.0))
    }
}

impl Sum for Tokens {
    fn sum<I: Iterator<Item = Tokens>>(counts: I) -> Tokens {
        counts.fold(Tokens(0), Add::add)
    }
}

/// Claude tokens per thousand o200k tokens of the same text.
///
/// Fitted by `examples/calibrate.rs` on the usage that Claude Code and pi recorded with
/// Claude Opus 4.5, Opus 4.6 and Sonnet 4.5. Newer Claude models may have other vocabularies.
const CLAUDE_PER_THOUSAND: u64 = 1173;

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Tokenizer {
    /// OpenAI's vocabulary since GPT-4o: exact for its models, and the unit of all comparisons
    /// here.
    #[default]
    O200k,
    /// OpenAI's vocabulary of GPT-4: exact for its models.
    Cl100k,
    /// An estimate for Claude, whose vocabulary is not public: the o200k count times a factor
    /// fitted on recorded usage. Features for digits, line breaks and non-ASCII text did not
    /// improve it on held-out recordings.
    Claude,
    /// A share of the bytes, for callers that must not hold a vocabulary in memory. Sufficient to
    /// compare two spellings of a text, not to compute costs.
    Bytes,
}

/// Approximate bytes of source code and tool output per ten o200k tokens.
const BYTES_PER_TEN_TOKENS: u64 = 34;

impl Tokenizer {
    /// Counts the tokens of `text`; special tokens count as plain text. Long runs of one character
    /// class (4,096 bytes of letters, blanks or signs without a break) are counted in parts of
    /// 1,024 bytes, which may change the count by a few tokens each.
    ///
    /// The vocabulary is unpacked at the first call of the process and shared afterwards.
    pub fn count(self, text: &str) -> Tokens {
        self.scale_count(self.vocabulary_count(text))
    }

    /// Returns a lower bound of the tokens of `text` in one fast pass: in every vocabulary a line
    /// with an ASCII letter or digit ends at least one token, and no token spans two such lines.
    pub fn lower_bound(self, text: &str) -> Tokens {
        match self {
            Tokenizer::Bytes => self.count(text),
            Tokenizer::O200k | Tokenizer::Cl100k | Tokenizer::Claude => {
                let has_word = |line: &&str| line.bytes().any(|byte| byte.is_ascii_alphanumeric());
                self.scale_count(text.lines().filter(has_word).count() as u64)
            }
        }
    }

    /// Counts the tokens of `text` in the underlying vocabulary.
    pub fn vocabulary_count(self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let name = match self {
            Tokenizer::O200k | Tokenizer::Claude => "o200k_base",
            Tokenizer::Cl100k => "cl100k_base",
            Tokenizer::Bytes => return text.len() as u64,
        };
        let encoding = tiktoken::get_encoding(name).expect("both vocabularies are compiled in");
        long_runs::split_long_runs(text).map(|part| encoding.count(part) as u64).sum()
    }

    /// Inverts [`Self::scale_count`]; `None` if that is ambiguous.
    pub fn unscale_count(self, tokens: Tokens) -> Option<u64> {
        match self {
            Tokenizer::O200k | Tokenizer::Cl100k => Some(tokens.0),
            // Each further token adds more than one to the scaled count, so the inverse is unique.
            Tokenizer::Claude => Some(tokens.0 * 1000 / CLAUDE_PER_THOUSAND),
            Tokenizer::Bytes => None,
        }
    }

    /// Scales a count of the underlying vocabulary to this tokenizer's tokens.
    pub fn scale_count(self, count: u64) -> Tokens {
        match self {
            Tokenizer::O200k | Tokenizer::Cl100k => Tokens(count),
            Tokenizer::Claude => Tokens((count * CLAUDE_PER_THOUSAND).div_ceil(1000)),
            Tokenizer::Bytes => Tokens((count * 10).div_ceil(BYTES_PER_TEN_TOKENS)),
        }
    }
}

#[cfg(test)]
mod tests;
