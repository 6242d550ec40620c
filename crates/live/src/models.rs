//! What is known of models by their names: prices, windows, and what they refuse.

use foveal_context::prices::{Constraints, PriceCard};
use foveal_context::tokens::Tokens;
use foveal_transcript::Conversation;
use foveal_wire::Protocol;

/// What a model charges and allows.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Its prices.
    pub prices: PriceCard,
    /// What it refuses.
    pub constraints: Constraints,
    /// The longest prompt that it takes, in its own tokens.
    pub window: Tokens,
    /// Whether `window` is that of a model of this name, and no guess.
    pub has_known_window: bool,
    /// Its tokens for one of o200k, about, until it shows in a bill.
    pub token_scale: f64,
    /// Whether the tokens that an answer may have count as part of the prompt.
    pub counts_answer: bool,
    /// Whether it caches what is marked, and nothing by itself.
    pub wants_marks: bool,
}

impl Model {
    /// The model called `name`, which the API that is spoken need not be the maker's of.
    pub fn named(name: &str, protocol: Protocol) -> Self {
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
            prices: PriceCard::named(card).unwrap_or_else(PriceCard::anthropic_5m),
            constraints: Constraints { reasoning_is_bound: claude && binds_thinking(&name) },
            window: window(&name, protocol),
            has_known_window: claude || protocol == Protocol::Gemini || has_known_window(&name),
            token_scale: token_scale(&name, claude),
            counts_answer: counts_answer(&name, protocol),
            wants_marks: protocol == Protocol::Messages && caches_by_marks(&name),
        }
    }

    /// The same model where the client has its messages cached for an hour: a write costs more
    /// then, and lives longer.
    #[must_use]
    pub fn cached_for_an_hour(mut self) -> Self {
        if self.prices.name == "anthropic-5m" {
            self.prices = PriceCard::named("anthropic-1h").unwrap_or(self.prices);
        }
        self
    }
}

/// What the providers of a recorded conversation's models refuse. Of several models the one counts
/// that allows least.
pub fn recorded_constraints(conversation: &Conversation) -> Constraints {
    let models = conversation.entries().iter().filter_map(|entry| entry.model.as_deref());
    let is_bound = |name: &str| Model::named(name, Protocol::Chat).constraints.reasoning_is_bound;
    let mut last = None;
    let mut new = models.filter(|name| last.replace(*name) != Some(*name));
    Constraints { reasoning_is_bound: new.any(is_bound) }
}

/// Whether OpenAI bills what is written to the cache: from GPT-5.6 on
/// (developers.openai.com/api/docs/guides/prompt-caching).
fn bills_writes(name: &str) -> bool {
    let Some((_, behind)) = name.split_once("gpt-") else { return false };
    let mut numbers = behind.split(|c: char| !c.is_ascii_digit()).map(|text| text.parse::<u32>());
    let major = numbers.next().and_then(Result::ok).unwrap_or_default();
    // Only a number right behind the point is one of the version: others are dates.
    let minor = behind.split_once('.').and_then(|_| numbers.next()?.ok()).unwrap_or_default();
    (major, minor) >= (5, 6)
}

fn is_openai(name: &str) -> bool {
    let bare = name.rsplit('/').next().unwrap_or(name);
    ["gpt-", "o1", "o3", "o4", "codex", "chatgpt"].iter().any(|start| bare.starts_with(start))
}

/// Whether a Claude model takes its thinking back only behind the very prefix it was made with:
/// Fable and Mythos from 5.1 on, Opus, Sonnet and Haiku from 5.5 on
/// (platform.claude.com/docs/en/build-with-claude/preserved-thinking). A name that does not say is
/// taken for a newer one.
fn binds_thinking(name: &str) -> bool {
    let from = |minor: u32| version(name).is_none_or(|version| version >= (5, minor));
    if ["opus", "sonnet", "haiku"].iter().any(|family| name.contains(family)) {
        from(5)
    } else {
        from(1)
    }
}

/// Whether a name is surely that of a Claude model that binds its thinking.
pub fn names_binding_model(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.contains("claude") && version(&name).is_some() && binds_thinking(&name)
}

/// Whether a model is known to cache by marks: Claude from 4 on. Clouds refuse marks for some of
/// the older ones, and what a name does not tell is not tried.
fn caches_by_marks(name: &str) -> bool {
    name.contains("claude") && version(name).is_some_and(|version| version >= (4, 0))
}

/// The version that a name tells: its first number and the one behind it, as in
/// `claude-opus-4-5-20251101` and `claude-3-7-sonnet-20250219`. Dates are none.
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

/// A model's tokens for one of o200k. Claude's shows in recorded usage; other vocabularies are
/// smaller than OpenAI's, mostly.
fn token_scale(name: &str, is_claude: bool) -> f64 {
    if is_claude {
        1.2
    } else if is_openai(name) {
        1.0
    } else {
        1.15
    }
}

/// Whether a prompt is refused where it and the longest answer that is asked for do not fit the
/// window together: Claude up to 4.1 (platform.claude.com/docs/en/build-with-claude/context-windows)
/// and servers of other models. OpenAI's prompts have a window of their own.
fn counts_answer(name: &str, protocol: Protocol) -> bool {
    match protocol {
        Protocol::Messages => version(name).is_some_and(|version| version < (4, 5)),
        Protocol::Chat => !is_openai(name),
        Protocol::Responses | Protocol::Gemini => false,
    }
}

/// The longest prompt of a model. What is not known is taken to be short.
fn window(name: &str, protocol: Protocol) -> Tokens {
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
    use foveal_wire::Protocol;

    use super::{Model, names_binding_model, version};

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
        let binds = |name| Model::named(name, Protocol::Messages).constraints.reasoning_is_bound;
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
            assert_eq!(names_binding_model(name), expected, "{name}");
        }
        assert!(!Model::named("gpt-5.4", Protocol::Responses).constraints.reasoning_is_bound);
    }

    #[test]
    fn windows_are_known_by_names() {
        let model = |name, protocol| Model::named(name, protocol);
        let sonnet = model("claude-sonnet-4-5", Protocol::Messages);
        assert!(sonnet.has_known_window && !sonnet.counts_answer);
        assert_eq!(sonnet.window.0, 200_000);
        assert!(model("claude-opus-4-1-20250805", Protocol::Messages).counts_answer);
        let local = model("qwen3-coder", Protocol::Chat);
        assert!(!local.has_known_window && local.counts_answer);
        assert!(!model("gpt-4o", Protocol::Chat).counts_answer);
    }

    #[test]
    fn newer_claude_models_want_marks() {
        let wants = |name, protocol| Model::named(name, protocol).wants_marks;
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
        let card = |name, protocol| Model::named(name, protocol).prices.name;
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
