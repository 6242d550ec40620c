//! Tokens as the provider counts them.
//!
//! The engine counts what messages say in a vocabulary of its own. A provider counts in another, and
//! what stands around the texts too. What it billed for the prompts so far tells how the two differ,
//! for messages and for what stands in front of them.

/// Part of a prompt that has to come since another bill to tell messages from what stands in front
/// of them.
const GROWN_PART: f64 = 0.05;

/// Tokens of it, at least.
const GROWN_TOKENS: f64 = 200.0;

/// A vocabulary is not further from another.
const FACTORS: std::ops::RangeInclusive<f64> = 0.5..=2.0;

/// A prompt that was billed, in tokens.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Billed {
    /// What the engine counted in its messages.
    pub(super) messages: f64,
    /// What all of it was billed as.
    pub(super) billed: f64,
}

/// What a token of the engine is at the provider.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// In front of messages.
    pub(super) prelude: f64,
    /// In messages.
    pub(super) messages: f64,
}

impl Scale {
    /// By the prompts so far, in order, each with `prelude` tokens in front of its messages.
    pub(super) fn of(prelude: f64, billed: &[Billed]) -> Self {
        let Some(last) = billed.last() else { return Self { prelude: 1.0, messages: 1.0 } };
        let by_growth = billed.first().and_then(|first| {
            let grown = last.messages - first.messages;
            let is_enough = grown >= GROWN_TOKENS && grown >= GROWN_PART * last.billed;
            let messages = (last.billed - first.billed) / grown;
            let rest = last.billed - messages * last.messages;
            (is_enough && FACTORS.contains(&messages) && rest >= 0.0 && prelude > 0.0)
                .then(|| Self { prelude: rest / prelude, messages })
        });
        let all = prelude + last.messages;
        let factor = if all > 0.0 { last.billed / all } else { 1.0 };
        by_growth.unwrap_or(Self { prelude: factor, messages: factor })
    }

    /// Tokens of messages at the provider.
    pub(super) fn tokens(&self, engine: f64) -> u64 {
        (engine * self.messages).round() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn billed(messages: f64, billed: f64) -> Billed {
        Billed { messages, billed }
    }

    #[test]
    fn what_was_billed_is_what_the_parts_come_to() {
        for bills in [
            vec![billed(100.0, 1_200.0)],
            vec![billed(100.0, 1_120.0), billed(1_100.0, 2_320.0)],
            // What was taken out between them.
            vec![billed(5_000.0, 7_000.0), billed(2_000.0, 3_400.0)],
            vec![billed(100.0, 1_120.0), billed(1_100.0, 9_000.0)],
        ] {
            let scale = Scale::of(800.0, &bills);
            let last = bills.last().expect("a bill");
            let sum = 800.0 * scale.prelude + last.messages * scale.messages;
            assert!((sum - last.billed).abs() < 0.001, "{scale:?}");
        }
        assert_eq!(Scale::of(800.0, &[]), Scale { prelude: 1.0, messages: 1.0 });
    }

    #[test]
    fn messages_are_told_from_what_stands_in_front_of_them() {
        let scale = Scale::of(1_000.0, &[billed(100.0, 620.0), billed(1_100.0, 1_820.0)]);
        assert!((scale.messages - 1.2).abs() < 1e-9 && (scale.prelude - 0.5).abs() < 1e-9);
    }
}
