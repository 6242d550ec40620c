//! The prices of a replay: those that the user chose, or those of each conversation's model.

use std::collections::BTreeMap;

use foveal_agent::usage_cost;
use foveal_gateway::request_prices::known_price_card;
use foveal_pricing::prices::PriceCard;
use foveal_protocols::Protocol;
use foveal_providers::ModelSpec;
use foveal_proxy::models::ModelTraits;
use foveal_proxy::price_overrides::PriceOverrides;
use foveal_session_readers::is_local_provider;
use foveal_settings::build_price_overrides;
use foveal_transcript::{Conversation, TranscriptEntry};

use crate::environment::Environment;

/// The name of the price card of models on this machine.
const FREE_CARD_NAME: &str = "free";

/// The prices of a replay.
#[derive(Debug, Clone)]
pub(crate) enum ReplayPrices {
    /// The user chose them.
    Chosen(PriceCard),
    /// Each conversation has the prices of its model: the user's own, or list prices.
    Recorded(PriceOverrides),
}

/// The prices of one conversation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ConversationPrices {
    pub(crate) card: PriceCard,
    /// Whether the price of its model is unknown.
    pub(crate) is_assumed: bool,
}

impl ReplayPrices {
    /// Returns the prices of a conversation. If several models answered, they are those of the model
    /// with the most answers of known price.
    pub(crate) fn conversation_prices(&self, conversation: &Conversation) -> ConversationPrices {
        let own = match self {
            Self::Chosen(card) => {
                return ConversationPrices { card: card.clone(), is_assumed: false };
            }
            Self::Recorded(own) => own,
        };
        let mut answers: BTreeMap<&str, u32> = BTreeMap::new();
        for model in conversation.entries().iter().filter_map(|entry| entry.model.as_deref()) {
            *answers.entry(model).or_default() += 1;
        }
        let known = answers.into_iter().filter_map(|(model, count)| {
            let card = model_price_card(own, model)?;
            Some((count, card))
        });
        match known.max_by_key(|(count, _)| *count) {
            Some((_, card)) => ConversationPrices { card, is_assumed: false },
            None => ConversationPrices { card: PriceCard::anthropic_5m(), is_assumed: true },
        }
    }
}

impl ReplayPrices {
    /// Returns the prices of each conversation's model, with those of the user's settings first.
    pub(crate) fn from_settings(environment: &Environment) -> Self {
        let settings = environment.read_user_settings().unwrap_or_default();
        Self::Recorded(build_price_overrides(&settings.gateway.prices).unwrap_or_default())
    }

    /// Returns the US dollars that an answer was billed, prompt included; `None` if its usage is
    /// not recorded or its model has no known price.
    pub(crate) fn billed_dollars(&self, answer: &TranscriptEntry) -> Option<f64> {
        let usage = answer.usage.as_ref()?;
        match self {
            Self::Chosen(card) => Some(usage_cost(usage, card)),
            Self::Recorded(own) => {
                let card = model_price_card(own, answer.model.as_deref()?)?;
                Some(usage_cost(usage, &card))
            }
        }
    }
}

/// Returns the price card of a recorded model; `None` if no price is known.
fn model_price_card(own: &PriceOverrides, name: &str) -> Option<PriceCard> {
    let local = local_model(name);
    if let Some(model) = &local
        && own.find_override(model, "").is_none()
    {
        let maker = ModelTraits::from_name(model, Protocol::Chat).prices;
        return Some(PriceCard {
            name: FREE_CARD_NAME.to_owned(),
            input: 0.0,
            cache_write: 0.0,
            cache_read: 0.0,
            output: 0.0,
            ..maker
        });
    }
    known_price_card(own, local.as_deref().unwrap_or(name), "", Protocol::Chat)
}

/// Returns the server's name of a model that runs on this machine; `None` for other models. Agents
/// write `PROVIDER/MODEL`.
fn local_model(name: &str) -> Option<String> {
    let parts = name.split_once('/').filter(|(provider, _)| is_local_provider(provider));
    let spec = || name.parse().ok().filter(ModelSpec::is_free);
    match parts {
        Some((_, model)) => Some(model.to_owned()),
        None => spec().map(|spec| spec.model().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use foveal_transcript::{MessageRole, TranscriptEntry};

    use super::*;

    fn prices(models: &[&str]) -> (String, f64, bool) {
        let answer = |model: &&str| TranscriptEntry {
            model: Some((*model).into()),
            ..foveal_testkit::parse_fixture("//- assistant\nSo.\n").entries()[0].clone()
        };
        let conversation: Conversation = models.iter().map(answer).collect();
        assert!(conversation.entries().iter().all(|it| it.role == MessageRole::Assistant));
        let prices = ReplayPrices::Recorded(PriceOverrides::default());
        let ConversationPrices { card, is_assumed } = prices.conversation_prices(&conversation);
        (card.name, card.input, is_assumed)
    }

    #[test]
    fn models_on_this_machine_cost_nothing() {
        for model in [
            "ollama:qwen3:8b",
            "ollama:qwen3@http://127.0.0.1:9",
            "llamacpp:m",
            "lmstudio:claude-opus-4-5",
            "vllm:m",
            "ollama/qwen3",
            "lm_studio/gpt-5",
        ] {
            assert_eq!(prices(&[model]), ("free".to_owned(), 0.0, false), "{model}");
        }
        for model in ["qwen3", "ollama+http:m@http://gpu:11434", "chat:m@http://127.0.0.1:1"] {
            assert_eq!(prices(&[model]), ("anthropic-5m".to_owned(), 5.0, true), "{model}");
        }
    }

    #[test]
    fn the_model_with_most_answers_of_known_price_counts() {
        assert_eq!(prices(&[]), ("anthropic-5m".to_owned(), 5.0, true));
        let one = prices(&["claude-haiku-4-5"]);
        assert!(!one.2);
        let mixed = ["<synthetic>", "<synthetic>", "claude-haiku-4-5"];
        assert_eq!(prices(&mixed), one);
        let two = ["claude-haiku-4-5", "gpt-5", "gpt-5"];
        assert_eq!(prices(&two), prices(&["gpt-5"]));
        assert_ne!(prices(&two), one);
    }
}
