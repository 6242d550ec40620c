//! The routes of a replay: an API, a model, cache breakpoints, and the price cards of the bill.

use foveal_pricing::tokens::Tokenizer;
use foveal_testkit::request_bodies::ModelApi;

/// A route.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) name: &'static str,
    pub(crate) api: ModelApi,
    pub(crate) model: &'static str,
    pub(crate) path: &'static str,
    /// The content of the client's breakpoints, if the API has them.
    pub(crate) mark: Option<&'static str>,
    /// The number of messages at the end of the user's side that it gives breakpoints.
    pub(crate) marked: usize,
    /// The price cards; the first one is compared with the replay.
    pub(crate) cards: &'static [&'static str],
    /// Whether the provider reads from its cache in steps that matter on these cards. A replay
    /// knows no steps, which are some per cent of the bill of a short conversation.
    pub(crate) in_steps: bool,
}

impl Route {
    /// Whether the API has a field for results of failed tools.
    pub(crate) fn tells_failures(&self) -> bool {
        self.api == ModelApi::Messages
    }

    /// Whether its clients set no breakpoints although the provider needs some.
    pub(crate) fn is_unmarked(&self) -> bool {
        self.api == ModelApi::Messages && self.mark.is_none()
    }

    /// The provider's tokenizer.
    pub(crate) fn tokenizer(&self) -> Tokenizer {
        if self.api == ModelApi::Messages { Tokenizer::Claude } else { Tokenizer::O200k }
    }
}

/// Returns all routes. The gateway derives its card from the model's name.
pub(crate) static ROUTES: &[Route] = &[
    Route {
        name: "messages",
        api: ModelApi::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("5m"),
        marked: 2,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "chat",
        api: ModelApi::Chat,
        model: "gpt-5",
        path: "/v1/chat/completions",
        mark: None,
        marked: 0,
        cards: &["openai-before"],
        in_steps: true,
    },
    Route {
        name: "responses",
        api: ModelApi::Responses,
        model: "gpt-5",
        path: "/v1/responses",
        mark: None,
        marked: 0,
        cards: &["openai-before"],
        in_steps: true,
    },
    // As Claude Code sets its breakpoints.
    Route {
        name: "messages-last",
        api: ModelApi::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("5m"),
        marked: 1,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "messages-1h",
        api: ModelApi::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("1h"),
        marked: 2,
        cards: &["anthropic-1h"],
        in_steps: false,
    },
    // Nothing is cached without the gateway, so a replay cannot predict the saving.
    Route {
        name: "messages-unmarked",
        api: ModelApi::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: None,
        marked: 0,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "responses-5.6",
        api: ModelApi::Responses,
        model: "gpt-5.6",
        path: "/v1/responses",
        mark: None,
        marked: 0,
        cards: &["openai-after"],
        in_steps: false,
    },
    Route {
        name: "gemini",
        api: ModelApi::Gemini,
        model: "gemini-2.5-pro",
        path: "/v1beta/models/gemini-2.5-pro:generateContent",
        mark: None,
        marked: 0,
        cards: &["gemini"],
        in_steps: false,
    },
    Route {
        name: "chat-flat",
        api: ModelApi::Chat,
        model: "qwen3-coder",
        path: "/v1/chat/completions",
        mark: None,
        marked: 0,
        cards: &["flat"],
        in_steps: false,
    },
];
