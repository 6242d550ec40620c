//! The limit that a model's window sets to prompts.

use foveal_pricing::tokens::Tokens;

/// The longest prompt of a model, in tokens as counted here. The model's server counts with another
/// vocabulary and adds the tokens of its format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WindowLimit {
    high: Tokens,
    tokens_max: Tokens,
}

/// Thousandths of a window at which a rewrite is due. The rest is for the answer and for new
/// entries of the next request.
const HIGH_THOUSANDTHS: f64 = 900.0;

/// Thousandths of a window that a prompt may have, since the count is an estimate.
const MOST_THOUSANDTHS: f64 = 970.0;

/// A lower bound of the ratio between two vocabularies; no real one comes close.
const SCALE_MIN: f64 = 0.5;

impl WindowLimit {
    /// Returns the limit for a window of `window` tokens of the model's vocabulary; `scale` is the
    /// number of its tokens per token counted here.
    pub fn new(window: Tokens, scale: f64) -> Self {
        let counted = window.0 as f64 / (scale.max(SCALE_MIN) * 1_000.0);
        let part = |thousandths: f64| Tokens((counted * thousandths) as u64);
        Self { high: part(HIGH_THOUSANDTHS), tokens_max: part(MOST_THOUSANDTHS) }
    }

    /// Limits prompts to at most `tokens`.
    #[must_use]
    pub fn cap_tokens(self, tokens: Tokens) -> Self {
        let high = Tokens((tokens.0 as f64 * HIGH_THOUSANDTHS / MOST_THOUSANDTHS) as u64);
        Self { high: self.high.min(high), tokens_max: self.tokens_max.min(tokens) }
    }

    /// Returns the most tokens that a prompt may have.
    pub fn tokens_max(&self) -> Tokens {
        self.tokens_max
    }

    /// Returns a high mark that the window allows, and a low mark scaled by the same factor.
    pub fn clamp_marks(&self, high: Tokens, low: Tokens) -> (Tokens, Tokens) {
        if high <= self.high {
            return (high, low);
        }
        let low = low.0 as f64 * self.high.0 as f64 / high.0.max(1) as f64;
        (self.high, Tokens(low as u64))
    }
}

#[cfg(test)]
mod tests;
