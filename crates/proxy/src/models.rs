//! Facts about models that follow from their names: prices, windows and restrictions.

use foveal_engine::provider_constraints::ProviderConstraints;
use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::Protocol;
use foveal_transcript::Conversation;

/// The prices, limits and restrictions of a model.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelTraits {
    /// The model's prices.
    pub prices: PriceCard,
    /// The changes of a prompt that the model refuses.
    pub constraints: ProviderConstraints,
    /// The longest prompt that the model accepts, in its own tokens.
    pub window: Tokens,
    /// Whether `window` is that of a known model and not a guess.
    pub has_known_window: bool,
    /// An estimate of the model's tokens per o200k token, used until a bill shows the ratio.
    pub token_scale: f64,
    /// Whether the maximum length of the answer counts as part of the prompt.
    pub window_includes_answer: bool,
    /// Whether the model caches only up to breakpoints, and nothing automatically.
    pub needs_breakpoints: bool,
}

impl ModelTraits {
    /// Returns the facts about the model `name`. The API need not be that of its maker.
    pub fn from_name(name: &str, protocol: Protocol) -> Self {
        let name = name.to_ascii_lowercase();
        let claude = name.contains("claude") || protocol == Protocol::Messages;
        let card = if claude {
            "anthropic-5m"
        } else if name.contains("gemini") || protocol == Protocol::Gemini {
            "gemini"
        } else if is_openai(&name) {
            if bills_writes(&name) { "openai-after" } else { "openai-before" }
        } else {
            "flat"
        };
        Self {
            prices: PriceCard::find(card).unwrap_or_else(PriceCard::anthropic_5m),
            constraints: ProviderConstraints {
                reasoning_is_bound: claude && binds_thinking(&name),
            },
            window: window_tokens(&name, protocol),
            has_known_window: claude || protocol == Protocol::Gemini || has_known_window(&name),
            token_scale: token_scale(&name, claude),
            window_includes_answer: window_includes_answer(&name, protocol),
            needs_breakpoints: protocol == Protocol::Messages && caches_by_breakpoints(&name),
        }
    }

    /// Adapts the prices to a client that has its messages cached for an hour: a write costs more,
    /// and lives longer.
    #[must_use]
    pub fn with_hour_cache(mut self) -> Self {
        if self.prices.name == "anthropic-5m" {
            self.prices = PriceCard::find("anthropic-1h").unwrap_or(self.prices);
        }
        self
    }
}

/// Returns the constraints of a recorded conversation: those of its most restrictive model.
pub fn recorded_constraints(conversation: &Conversation) -> ProviderConstraints {
    let models = conversation.entries().iter().filter_map(|entry| entry.model.as_deref());
    let is_bound =
        |name: &str| ModelTraits::from_name(name, Protocol::Chat).constraints.reasoning_is_bound;
    let mut last = None;
    let mut new = models.filter(|name| last.replace(*name) != Some(*name));
    ProviderConstraints { reasoning_is_bound: new.any(is_bound) }
}

/// Returns whether OpenAI bills cache writes, as it does from GPT-5.6 on
/// (developers.openai.com/api/docs/guides/prompt-caching).
fn bills_writes(name: &str) -> bool {
    let Some((_, behind)) = name.split_once("gpt-") else { return false };
    let mut numbers = behind.split(|c: char| !c.is_ascii_digit()).map(|text| text.parse::<u32>());
    let major = numbers.next().and_then(Result::ok).unwrap_or_default();
    // Only a number right behind the point belongs to the version; others are dates.
    let minor = behind.split_once('.').and_then(|_| numbers.next()?.ok()).unwrap_or_default();
    (major, minor) >= (5, 6)
}

/// Returns whether a model's name tells that Anthropic, Google or OpenAI made it. Their prices are
/// known; a model that speaks the API of one of them need not have its prices.
pub fn has_known_maker(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("claude") || name.contains("gemini") || is_openai(&name)
}

fn is_openai(name: &str) -> bool {
    let bare = name.rsplit('/').next().unwrap_or(name);
    ["gpt-", "o1", "o3", "o4", "codex", "chatgpt"].iter().any(|start| bare.starts_with(start))
}

/// Returns whether a Claude model accepts its own thinking only behind the unchanged prefix: Fable
/// and Mythos from 5.1 on, Opus, Sonnet and Haiku from 5.5 on
/// (platform.claude.com/docs/en/build-with-claude/preserved-thinking). A name without a version
/// counts as a newer model.
fn binds_thinking(name: &str) -> bool {
    let from = |minor: u32| version(name).is_none_or(|version| version >= (5, minor));
    if ["opus", "sonnet", "haiku"].iter().any(|family| name.contains(family)) {
        from(5)
    } else {
        from(1)
    }
}

/// Returns whether a name certainly belongs to a Claude model that binds its thinking.
pub fn is_known_to_bind_thinking(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("claude") && version(&name).is_some() && binds_thinking(&name)
}

/// Returns whether a model is known to cache by breakpoints: Claude from 4 on. Some clouds refuse
/// breakpoints for older models, so a name without a version does not count.
fn caches_by_breakpoints(name: &str) -> bool {
    name.contains("claude") && version(name).is_some_and(|version| version >= (4, 0))
}

/// Parses the version in a model's name: the first number and the one behind it, as in
/// `claude-opus-4-5-20251101` and `claude-3-7-sonnet-20250219`. Dates do not count.
fn version(name: &str) -> Option<(u32, u32)> {
    let name = name.find("claude").map_or(name, |start| &name[start..]);
    let parts: Vec<&str> = name.split(|c: char| !c.is_ascii_alphanumeric()).collect();
    let number = |part: &&str| part.parse::<u32>().ok().filter(|number| *number < 100);
    let at = parts.iter().position(|part| number(part).is_some())?;
    let minor = parts.get(at + 1).and_then(number).unwrap_or_default();
    Some((number(&parts[at])?, minor))
}

fn has_known_window(name: &str) -> bool {
    name.contains("gemini") || is_openai(name)
}

/// Returns a model's tokens per o200k token. The value for Claude was measured in recorded usage;
/// most other vocabularies are smaller than OpenAI's.
fn token_scale(name: &str, is_claude: bool) -> f64 {
    if is_claude {
        1.2
    } else if is_openai(name) {
        1.0
    } else {
        1.15
    }
}

/// Returns whether a prompt is refused if it does not fit the window together with the longest
/// answer: Claude up to 4.1 (platform.claude.com/docs/en/build-with-claude/context-windows) and
/// servers of other models. OpenAI's prompts have a window of their own.
fn window_includes_answer(name: &str, protocol: Protocol) -> bool {
    match protocol {
        Protocol::Messages => version(name).is_some_and(|version| version < (4, 5)),
        Protocol::Chat => !is_openai(name),
        Protocol::Responses | Protocol::Gemini => false,
    }
}

/// Returns the longest prompt of a model. Estimates for unknown models are conservative.
fn window_tokens(name: &str, protocol: Protocol) -> Tokens {
    Tokens(if name.contains("[1m]") || name.contains("gemini") || protocol == Protocol::Gemini {
        1_000_000
    } else if name.contains("gpt-5") {
        272_000
    } else if name.contains("claude") || protocol == Protocol::Messages {
        200_000
    } else {
        128_000
    })
}

#[cfg(test)]
mod tests {
    use foveal_protocols::Protocol;

    use super::{ModelTraits, is_known_to_bind_thinking, version};

    #[test]
    fn versions_are_read_of_names() {
        let cases = [
            ("claude-opus-4-5-20251101", Some((4, 5))),
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("us.anthropic.claude-sonnet-4-20250514-v1:0", Some((4, 0))),
            ("anthropic/claude-opus-5.5", Some((5, 5))),
            ("claude-fable-5-1", Some((5, 1))),
            ("claude", None),
        ];
        for (name, expected) in cases {
            assert_eq!(version(name), expected, "{name}");
        }
    }

    #[test]
    fn newer_claude_models_bind_their_thinking() {
        let binds =
            |name| ModelTraits::from_name(name, Protocol::Messages).constraints.reasoning_is_bound;
        for name in ["claude-fable-5-1", "claude-opus-5-5", "claude-haiku-6", "claude", "my-model"]
        {
            assert!(binds(name), "{name}");
        }
        for name in ["claude-opus-4-5-20251101", "claude-3-5-haiku-latest", "claude-opus-5"] {
            assert!(!binds(name), "{name}");
        }
        // A name that does not say is no reason to send a field that older models refuse.
        for (name, expected) in [
            ("claude-fable-5-1", true),
            ("Claude-Opus-5-5", true),
            ("claude-opus-5", false),
            ("claude", false),
            ("my-model", false),
        ] {
            assert_eq!(is_known_to_bind_thinking(name), expected, "{name}");
        }
        assert!(
            !ModelTraits::from_name("gpt-5.4", Protocol::Responses).constraints.reasoning_is_bound
        );
    }

    #[test]
    fn windows_are_known_by_names() {
        let model = |name, protocol| ModelTraits::from_name(name, protocol);
        let sonnet = model("claude-sonnet-4-5", Protocol::Messages);
        assert!(sonnet.has_known_window && !sonnet.window_includes_answer);
        assert_eq!(sonnet.window.0, 200_000);
        assert!(model("claude-opus-4-1-20250805", Protocol::Messages).window_includes_answer);
        let local = model("qwen3-coder", Protocol::Chat);
        assert!(!local.has_known_window && local.window_includes_answer);
        assert!(!model("gpt-4o", Protocol::Chat).window_includes_answer);
    }

    #[test]
    fn newer_claude_models_want_marks() {
        let wants = |name, protocol| ModelTraits::from_name(name, protocol).needs_breakpoints;
        for name in ["claude-opus-4-5", "us.anthropic.claude-sonnet-4-20250514-v1:0"] {
            assert!(wants(name, Protocol::Messages), "{name}");
            assert!(!wants(name, Protocol::Chat), "{name}");
        }
        for name in ["claude-3-haiku-20240307", "claude", "kimi-k2", "my-model-4"] {
            assert!(!wants(name, Protocol::Messages), "{name}");
        }
    }

    #[test]
    fn prices_are_those_of_the_maker() {
        let card = |name, protocol| ModelTraits::from_name(name, protocol).prices.name;
        assert_eq!(card("claude-opus-4-5", Protocol::Messages), "anthropic-5m");
        assert_eq!(card("anthropic/claude-sonnet-5", Protocol::Chat), "anthropic-5m");
        for before in ["openai/gpt-5.4", "gpt-5", "gpt-5-2025-08-07", "gpt-4o", "gpt-5-codex"] {
            assert_eq!(card(before, Protocol::Chat), "openai-before", "{before}");
        }
        for after in ["gpt-5.6", "openai/gpt-5.6-sol", "gpt-5.10-codex", "gpt-6"] {
            assert_eq!(card(after, Protocol::Responses), "openai-after", "{after}");
        }
        assert_eq!(card("qwen3-coder", Protocol::Chat), "flat");
        assert_eq!(card("gemini-3-pro", Protocol::Gemini), "gemini");
    }
}
