//! Converts the engine's token counts to the provider's.
//!
//! The engine counts the texts of messages with a vocabulary of its own. A provider has another
//! one, and also counts the markup around texts. The bills of earlier prompts show the ratio, for
//! messages and for the part before them.

/// The least share of a prompt that must have been added since another bill to separate messages
/// from the part before them.
const GROWTH_SHARE_MIN: f64 = 0.05;

/// The fewest tokens that must have been added.
const GROWTH_TOKENS_MIN: f64 = 200.0;

/// The plausible ratios between two vocabularies.
const FACTOR_RANGE: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// The tokens of a billed prompt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct BilledTokens {
    /// The engine's count of its messages.
    pub(super) messages: f64,
    /// The billed tokens of the whole prompt.
    pub(super) billed: f64,
}

/// The provider's tokens per token of the engine.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct TokenScale {
    /// Before the messages.
    pub(super) prelude: f64,
    /// In the messages.
    pub(super) messages: f64,
}

impl TokenScale {
    /// Derives the scale from the billed prompts so far, in order, each with `prelude` tokens
    /// before its messages.
    pub(super) fn from_bills(prelude: f64, billed: &[BilledTokens]) -> Self {
        let Some(last) = billed.last() else { return Self { prelude: 1.0, messages: 1.0 } };
        let by_growth = billed.first().and_then(|first| {
            let grown = last.messages - first.messages;
            let is_enough = grown >= GROWTH_TOKENS_MIN && grown >= GROWTH_SHARE_MIN * last.billed;
            let messages = (last.billed - first.billed) / grown;
            let rest = last.billed - messages * last.messages;
            (is_enough && FACTOR_RANGE.contains(&messages) && rest >= 0.0 && prelude > 0.0)
                .then(|| Self { prelude: rest / prelude, messages })
        });
        let all = prelude + last.messages;
        let factor = if all > 0.0 { last.billed / all } else { 1.0 };
        by_growth.unwrap_or(Self { prelude: factor, messages: factor })
    }

    /// Converts tokens of messages to the provider's.
    pub(super) fn scale_message_tokens(&self, engine: f64) -> u64 {
        (engine * self.messages).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billed(messages: f64, billed: f64) -> BilledTokens {
        BilledTokens { messages, billed }
    }

    #[test]
    fn what_was_billed_is_what_the_parts_come_to() {
        for bills in [
            vec![billed(100.0, 1_200.0)],
            vec![billed(100.0, 1_120.0), billed(1_100.0, 2_320.0)],
            // Content was removed between the two.
            vec![billed(5_000.0, 7_000.0), billed(2_000.0, 3_400.0)],
            vec![billed(100.0, 1_120.0), billed(1_100.0, 9_000.0)],
        ] {
            let scale = TokenScale::from_bills(800.0, &bills);
            let last = bills.last().expect("a bill");
            let sum = 800.0 * scale.prelude + last.messages * scale.messages;
            assert!((sum - last.billed).abs() < 0.001, "{scale:?}");
        }
        assert_eq!(TokenScale::from_bills(800.0, &[]), TokenScale { prelude: 1.0, messages: 1.0 });
    }

    #[test]
    fn messages_are_told_from_what_stands_in_front_of_them() {
        let scale =
            TokenScale::from_bills(1_000.0, &[billed(100.0, 620.0), billed(1_100.0, 1_820.0)]);
        assert!((scale.messages - 1.2).abs() < 1e-9 && (scale.prelude - 0.5).abs() < 1e-9);
    }
}
