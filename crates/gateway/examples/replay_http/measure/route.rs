//! The ways in which recordings are asked: an API, a model, marks for the cache, and the price
//! cards that the bill is made out by.

use foveal_context::tokens::Tokenizer;
use foveal_testkit::bodies::Api;

/// One way to ask.
#[derive(Debug)]
pub(crate) struct Route {
    pub(crate) name: &'static str,
    pub(crate) api: Api,
    pub(crate) model: &'static str,
    pub(crate) path: &'static str,
    /// What the marks of the client say, where the API has marks.
    pub(crate) mark: Option<&'static str>,
    /// How many of the last messages of the user's side it marks.
    pub(crate) marked: usize,
    /// The price cards: the one that a replay is compared by comes first.
    pub(crate) cards: &'static [&'static str],
    /// Whether the provider reads from its cache in steps, and that tells on these cards: a replay
    /// knows of no steps, which are some percent of the bill of a short conversation.
    pub(crate) in_steps: bool,
}

impl Route {
    /// Whether the API says of a result that its tool failed.
    pub(crate) fn tells_failures(&self) -> bool {
        self.api == Api::Messages
    }

    /// Whether its clients set no marks though the provider wants some.
    pub(crate) fn is_unmarked(&self) -> bool {
        self.api == Api::Messages && self.mark.is_none()
    }

    /// What the provider counts tokens with.
    pub(crate) fn tokenizer(&self) -> Tokenizer {
        if self.api == Api::Messages { Tokenizer::Claude } else { Tokenizer::O200k }
    }
}

/// All of them. Which cards the gateway decides by, it reads off the model's name.
pub(crate) static ROUTES: &[Route] = &[
    Route {
        name: "messages",
        api: Api::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("5m"),
        marked: 2,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "chat",
        api: Api::Chat,
        model: "gpt-5",
        path: "/v1/chat/completions",
        mark: None,
        marked: 0,
        cards: &["openai-before"],
        in_steps: true,
    },
    Route {
        name: "responses",
        api: Api::Responses,
        model: "gpt-5",
        path: "/v1/responses",
        mark: None,
        marked: 0,
        cards: &["openai-before"],
        in_steps: true,
    },
    // As Claude Code marks its messages.
    Route {
        name: "messages-last",
        api: Api::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("5m"),
        marked: 1,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "messages-1h",
        api: Api::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: Some("1h"),
        marked: 2,
        cards: &["anthropic-1h"],
        in_steps: false,
    },
    // Nothing is cached without the gateway, so that a replay cannot tell what is saved.
    Route {
        name: "messages-unmarked",
        api: Api::Messages,
        model: "claude-opus-4-5",
        path: "/v1/messages",
        mark: None,
        marked: 0,
        cards: &["anthropic-5m", "anthropic-low-read"],
        in_steps: false,
    },
    Route {
        name: "responses-5.6",
        api: Api::Responses,
        model: "gpt-5.6",
        path: "/v1/responses",
        mark: None,
        marked: 0,
        cards: &["openai-after"],
        in_steps: false,
    },
    Route {
        name: "gemini",
        api: Api::Gemini,
        model: "gemini-2.5-pro",
        path: "/v1beta/models/gemini-2.5-pro:generateContent",
        mark: None,
        marked: 0,
        cards: &["gemini"],
        in_steps: false,
    },
    Route {
        name: "chat-flat",
        api: Api::Chat,
        model: "qwen3-coder",
        path: "/v1/chat/completions",
        mark: None,
        marked: 0,
        cards: &["flat"],
        in_steps: false,
    },
];
