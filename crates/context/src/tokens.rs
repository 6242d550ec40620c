//! Token counts.

use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

use serde::{Deserialize, Serialize};

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

/// A way to count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
pub enum Tokenizer {
    /// OpenAI's vocabulary since GPT-4o; exact there, and the unit of every comparison here.
    #[default]
    O200k,
    /// OpenAI's vocabulary of GPT-4; exact there.
    Cl100k,
}

impl Tokenizer {
    /// Tokens of `text`, special tokens read as plain text.
    pub fn count(self, text: &str) -> Tokens {
        let name = match self {
            Tokenizer::O200k => "o200k_base",
            Tokenizer::Cl100k => "cl100k_base",
        };
        let encoding = tiktoken::get_encoding(name).expect("both vocabularies are compiled in");
        Tokens(encoding.count(text) as u64)
    }
}
