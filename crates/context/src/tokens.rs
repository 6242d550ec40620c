//! Token counts.

mod cache;
mod estimate;
mod stretches;

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

pub use self::cache::{Common, TokenCache};
pub use self::estimate::estimate;

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

/// Tokens that Claude's prompt format adds around one tool call and its result (ids, tags),
/// beyond their text. Fitted together with the estimate of [`Tokenizer::Claude`], on the
/// same recordings.
pub const CLAUDE_CALL_OVERHEAD: Tokens = Tokens(68);

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Tokenizer {
    /// OpenAI's vocabulary since GPT-4o; exact there, and the unit of every comparison here.
    #[default]
    O200k,
    /// OpenAI's vocabulary of GPT-4; exact there.
    Cl100k,
    /// An estimate of Claude's count, whose vocabulary is not public: the o200k count times
    /// a factor fitted on recorded usage. Shares of digits, line breaks and non-ASCII text
    /// were tried and do not make it better on recordings that were not fitted.
    Claude,
    /// A share of the bytes, for where no vocabulary is to be held in memory. Good enough to
    /// compare two spellings of one text, not to charge for it.
    Bytes,
}

/// Bytes of source code and tool output that make ten o200k tokens, about.
const BYTES_PER_TEN_TOKENS: u64 = 34;

impl Tokenizer {
    /// Tokens of `text`, special tokens read as plain text. Long stretches of one kind (4,096
    /// bytes of letters, blanks or signs without a break) are counted in parts of 1,024 bytes,
    /// which may give a few tokens more or less for each.
    ///
    /// The vocabulary is unpacked at the first call of the process and shared afterwards.
    pub fn count(self, text: &str) -> Tokens {
        self.charged(self.vocabulary_count(text))
    }

    /// As many tokens as `text` has, or fewer, found by one look at it: in every vocabulary a line
    /// with a letter or digit of ASCII ends at least one token, and no token spans two of those.
    pub fn at_least(self, text: &str) -> Tokens {
        match self {
            Tokenizer::Bytes => self.count(text),
            Tokenizer::O200k | Tokenizer::Cl100k | Tokenizer::Claude => {
                let has_word = |line: &&str| line.bytes().any(|byte| byte.is_ascii_alphanumeric());
                self.charged(text.lines().filter(has_word).count() as u64)
            }
        }
    }

    /// Tokens of `text` in the vocabulary that is counted with.
    fn vocabulary_count(self, text: &str) -> u64 {
        if text.is_empty() {
            return 0;
        }
        let name = match self {
            Tokenizer::O200k | Tokenizer::Claude => "o200k_base",
            Tokenizer::Cl100k => "cl100k_base",
            Tokenizer::Bytes => return text.len() as u64,
        };
        let encoding = tiktoken::get_encoding(name).expect("both vocabularies are compiled in");
        stretches::parts(text).map(|part| encoding.count(part) as u64).sum()
    }

    /// How many tokens of the vocabulary are taken for so many; `None` where that cannot be told.
    fn uncharged(self, tokens: Tokens) -> Option<u64> {
        match self {
            Tokenizer::O200k | Tokenizer::Cl100k => Some(tokens.0),
            // Every further token is charged more than one, so that no two counts are charged alike.
            Tokenizer::Claude => Some(tokens.0 * 1000 / CLAUDE_PER_THOUSAND),
            Tokenizer::Bytes => None,
        }
    }

    /// What `count` tokens of the vocabulary are taken for.
    fn charged(self, count: u64) -> Tokens {
        match self {
            Tokenizer::O200k | Tokenizer::Cl100k => Tokens(count),
            Tokenizer::Claude => Tokens((count * CLAUDE_PER_THOUSAND).div_ceil(1000)),
            Tokenizer::Bytes => Tokens((count * 10).div_ceil(BYTES_PER_TEN_TOKENS)),
        }
    }
}

#[cfg(test)]
mod tests;
