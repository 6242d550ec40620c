//! How long prompts of foveal's own agent get before old contents leave, and how short they are
//! then made.

use foveal_context::tokens::Tokens;
use serde::Deserialize;

/// The shortest such prompt: less has no room for the system prompt and the tools.
const TOKENS_MIN: u64 = 10_000;

/// A size of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "NumberOrText")]
pub(crate) enum PromptSize {
    /// So many tokens.
    Tokens(u64),
    /// So many thousandths of the longest prompt that the model takes.
    OfWindow(u64),
}

impl PromptSize {
    fn tokens(self, window: Tokens) -> Tokens {
        match self {
            Self::Tokens(tokens) => Tokens(tokens),
            Self::OfWindow(thousandths) => Tokens(window.0 * thousandths / 1_000),
        }
    }

    /// Whether it is known to be below another, whatever the model.
    fn is_below(self, other: Self) -> Option<bool> {
        match (self, other) {
            (Self::Tokens(one), Self::Tokens(other))
            | (Self::OfWindow(one), Self::OfWindow(other)) => Some(one < other),
            (Self::Tokens(_), Self::OfWindow(_)) | (Self::OfWindow(_), Self::Tokens(_)) => None,
        }
    }
}

/// What a user says of these sizes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Budget {
    /// From here on old contents leave.
    pub(crate) high: Option<PromptSize>,
    /// They leave until the prompt is as short.
    pub(crate) low: Option<PromptSize>,
}

/// Two sizes that cannot be kept to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum BadBudget {
    #[error("budget_low is not below budget: lower it, or remove one of the two")]
    Order,
    #[error(
        "budget_low, {low} tokens with this model, is not below budget, {high}: lower it, or \
         remove one of the two"
    )]
    OrderOfTokens { high: u64, low: u64 },
}

impl Budget {
    /// Whether it can be kept to with some model.
    ///
    /// # Errors
    /// If it cannot.
    pub(crate) fn check(&self) -> Result<(), BadBudget> {
        match self.low.zip(self.high).and_then(|(low, high)| low.is_below(high)) {
            Some(false) => Err(BadBudget::Order),
            Some(true) | None => Ok(()),
        }
    }

    /// The two sizes for a model that takes prompts of up to `window`, where `usual` are those of a
    /// profile. Without a low one it stands as far below the high one as usual.
    ///
    /// # Errors
    /// If the low one is not below the other.
    pub(crate) fn marks(
        &self,
        usual: (Tokens, Tokens),
        window: Tokens,
    ) -> Result<(Tokens, Tokens), BadBudget> {
        let high = self.high.map_or(usual.0, |high| high.tokens(window));
        let as_usual = || {
            let share = usual.1.0 as f64 / usual.0.0.max(1) as f64;
            Tokens((high.0 as f64 * share) as u64)
        };
        let low = self.low.map_or_else(as_usual, |low| low.tokens(window));
        match low < high {
            true => Ok((high, low)),
            false => Err(BadBudget::OrderOfTokens { high: high.0, low: low.0 }),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum NumberOrText {
    Number(u64),
    Text(String),
}

/// Why a size is refused.
#[derive(Debug, thiserror::Error)]
enum WrongSize {
    #[error(
        "{0} tokens leave no room to work in: give at least {TOKENS_MIN}, or a share as \"70%\""
    )]
    Small(u64),
    #[error("`{0}` is no share of the model's window: give one from \"1%\" to \"100%\", or tokens")]
    Share(String),
}

impl TryFrom<NumberOrText> for PromptSize {
    type Error = WrongSize;

    fn try_from(written: NumberOrText) -> Result<Self, WrongSize> {
        let text = match written {
            NumberOrText::Number(tokens) if tokens < TOKENS_MIN => {
                return Err(WrongSize::Small(tokens));
            }
            NumberOrText::Number(tokens) => return Ok(Self::Tokens(tokens)),
            NumberOrText::Text(text) => text,
        };
        let percent = text.trim().strip_suffix('%').and_then(|it| it.trim().parse::<f64>().ok());
        match percent.filter(|percent| (1.0..=100.0).contains(percent)) {
            Some(percent) => Ok(Self::OfWindow((percent * 10.0).round() as u64)),
            None => Err(WrongSize::Share(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USUAL: (Tokens, Tokens) = (Tokens(150_000), Tokens(90_000));

    #[test]
    fn a_share_is_of_the_models_window() {
        let budget = Budget { high: Some(PromptSize::OfWindow(700)), low: None };
        let marks = |window| budget.marks(USUAL, Tokens(window)).expect("marks");
        // As one of the documents has it.
        assert_eq!(marks(200_000), (Tokens(140_000), Tokens(84_000)));
        assert_eq!(marks(1_000_000), (Tokens(700_000), Tokens(420_000)));
        assert_eq!(Budget::default().marks(USUAL, Tokens(200_000)), Ok(USUAL));
    }

    #[test]
    fn the_low_mark_is_below_the_high_one() {
        let tokens = |high, low| Budget {
            high: Some(PromptSize::Tokens(high)),
            low: Some(PromptSize::Tokens(low)),
        };
        assert_eq!(tokens(60_000, 60_000).check(), Err(BadBudget::Order));
        assert_eq!(tokens(60_000, 59_999).check(), Ok(()));
        let mixed = Budget { low: Some(PromptSize::OfWindow(500)), ..tokens(60_000, 0) };
        assert_eq!(mixed.check(), Ok(()));
        let marks = |window| mixed.marks(USUAL, Tokens(window));
        assert_eq!(marks(100_000), Ok((Tokens(60_000), Tokens(50_000))));
        let bad = BadBudget::OrderOfTokens { high: 60_000, low: 100_000 };
        assert_eq!(marks(200_000), Err(bad));
        let only_low = Budget { high: None, low: Some(PromptSize::Tokens(150_000)) };
        assert!(only_low.marks(USUAL, Tokens(200_000)).is_err());
    }
}
