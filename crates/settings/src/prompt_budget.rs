//! The prompt sizes at which foveal's own agent starts and stops omitting old contents.

use foveal_engine::policies::content_reset::ResetMarks;
use foveal_pricing::tokens::Tokens;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::setting_values::NumberOrText;

/// The smallest size in tokens: a shorter prompt has no room for the system prompt and the tools.
const TOKENS_MIN: u64 = 10_000;

/// The window in tokens that the marks of profiles are made for.
const USUAL_WINDOW: f64 = 200_000.0;

/// A prompt size, absolute or relative to the model's window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(try_from = "NumberOrText")]
pub(crate) enum PromptSizeSetting {
    /// A number of tokens.
    Tokens(u64),
    /// Thousandths of the model's window.
    OfWindow(u64),
}

impl PromptSizeSetting {
    fn resolve_tokens(self, window: Tokens) -> Tokens {
        match self {
            Self::Tokens(tokens) => Tokens(tokens),
            Self::OfWindow(thousandths) => Tokens(window.0 * thousandths / 1_000),
        }
    }

    /// Returns whether this size is smaller than `other`, if that does not depend on the model.
    fn is_below(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Tokens(one), Self::Tokens(other))
            | (Self::OfWindow(one), Self::OfWindow(other)) => Some(one < other),
            (Self::Tokens(_), Self::OfWindow(_)) | (Self::OfWindow(_), Self::Tokens(_)) => None,
        }
    }
}

/// The user's high and low mark for prompts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct PromptBudget {
    /// The size at which the agent starts to omit old contents.
    pub(crate) high: Option<PromptSizeSetting>,
    /// The size down to which it omits them.
    pub(crate) low: Option<PromptSizeSetting>,
}

/// The reason why a budget cannot be applied.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PromptBudgetError {
    /// The low mark is not below the high one.
    #[error("budget_low is not below budget: lower it, or remove one of the two")]
    Order,
    /// The low mark is not below the high one with this model.
    #[error(
        "budget_low, {low} tokens with this model, is not below budget, {high}: lower it, or \
         remove one of the two"
    )]
    OrderOfTokens {
        /// The high mark.
        high: u64,
        /// The low mark.
        low: u64,
    },
}

impl PromptBudget {
    /// Checks the marks as far as that does not depend on the model.
    ///
    /// # Errors
    /// If the low mark is not below the high one.
    pub(crate) fn check(&self) -> Result<(), PromptBudgetError> {
        match self.low.zip(self.high).and_then(|(low, high)| low.is_below(high)) {
            Some(false) => Err(PromptBudgetError::Order),
            Some(true) | None => Ok(()),
        }
    }

    /// Returns the high and the low mark for a model with this `window`. `usual` are the marks of
    /// the profile for a window of [`USUAL_WINDOW`]; for another window they are the same shares of
    /// it. Without a low mark of the user it keeps the profile's ratio to the high one.
    ///
    /// # Errors
    /// If the low mark is not below the high one.
    pub(crate) fn resolve_marks(
        &self,
        usual: ResetMarks,
        window: Tokens,
    ) -> Result<ResetMarks, PromptBudgetError> {
        let scaled = || Tokens((usual.high.0 as f64 * window.0 as f64 / USUAL_WINDOW) as u64);
        let high = self.high.map_or_else(scaled, |high| high.resolve_tokens(window));
        let as_usual = || {
            let share = usual.low.0 as f64 / usual.high.0.max(1) as f64;
            Tokens((high.0 as f64 * share) as u64)
        };
        let low = self.low.map_or_else(as_usual, |low| low.resolve_tokens(window));
        match low < high {
            true => Ok(ResetMarks { high, low }),
            false => Err(PromptBudgetError::OrderOfTokens { high: high.0, low: low.0 }),
        }
    }
}

/// The reason why a size is rejected.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PromptSizeError {
    #[error("{0} tokens are too few: give at least {TOKENS_MIN}, or a share such as \"70%\"")]
    Small(u64),
    #[error(
        "`{0}` is not a share of the model's window: give \"1%\" to \"100%\", or a number of tokens"
    )]
    Share(String),
}

impl TryFrom<NumberOrText> for PromptSizeSetting {
    type Error = PromptSizeError;

    fn try_from(written: NumberOrText) -> Result<Self, PromptSizeError> {
        let text = match written {
            NumberOrText::Number(tokens) if tokens < TOKENS_MIN => {
                return Err(PromptSizeError::Small(tokens));
            }
            NumberOrText::Number(tokens) => return Ok(Self::Tokens(tokens)),
            NumberOrText::Text(text) => text,
        };
        let percent = text.trim().strip_suffix('%').and_then(|it| it.trim().parse::<f64>().ok());
        match percent.filter(|percent| (1.0..=100.0).contains(percent)) {
            Some(percent) => Ok(Self::OfWindow((percent * 10.0).round() as u64)),
            None => Err(PromptSizeError::Share(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: ResetMarks = ResetMarks { high: Tokens(150_000), low: Tokens(90_000) };

    #[test]
    fn a_share_is_of_the_models_window() {
        let budget = PromptBudget { high: Some(PromptSizeSetting::OfWindow(700)), low: None };
        let marks = |window| budget.resolve_marks(USUAL, Tokens(window)).expect("marks");
        // The example of a design document.
        assert_eq!(marks(200_000), ResetMarks { high: Tokens(140_000), low: Tokens(84_000) });
        assert_eq!(marks(1_000_000), ResetMarks { high: Tokens(700_000), low: Tokens(420_000) });
    }

    #[test]
    fn without_a_budget_the_marks_follow_the_window() {
        let marks = |window| PromptBudget::default().resolve_marks(USUAL, Tokens(window));
        assert_eq!(marks(200_000), Ok(USUAL));
        let large = ResetMarks { high: Tokens(750_000), low: Tokens(450_000) };
        assert_eq!(marks(1_000_000), Ok(large));
        let small = ResetMarks { high: Tokens(24_000), low: Tokens(14_400) };
        assert_eq!(marks(32_000), Ok(small));
    }

    #[test]
    fn the_low_mark_is_below_the_high_one() {
        let tokens = |high, low| PromptBudget {
            high: Some(PromptSizeSetting::Tokens(high)),
            low: Some(PromptSizeSetting::Tokens(low)),
        };
        assert_eq!(tokens(60_000, 60_000).check(), Err(PromptBudgetError::Order));
        assert_eq!(tokens(60_000, 59_999).check(), Ok(()));
        let mixed =
            PromptBudget { low: Some(PromptSizeSetting::OfWindow(500)), ..tokens(60_000, 0) };
        assert_eq!(mixed.check(), Ok(()));
        let marks = |window| mixed.resolve_marks(USUAL, Tokens(window));
        let half = ResetMarks { high: Tokens(60_000), low: Tokens(50_000) };
        assert_eq!(marks(100_000), Ok(half));
        let bad = PromptBudgetError::OrderOfTokens { high: 60_000, low: 100_000 };
        assert_eq!(marks(200_000), Err(bad));
        let only_low = PromptBudget { high: None, low: Some(PromptSizeSetting::Tokens(150_000)) };
        assert!(only_low.resolve_marks(USUAL, Tokens(200_000)).is_err());
    }
}
