//! How an upstream behaves, whatever it is asked.

/// How an upstream behaves.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What is kept of requests.
    pub keeps: Keeps,
    /// Whether a request that breaks a rule that providers enforce is refused with status 400.
    pub is_strict: bool,
    /// The request header that names the conversation, in lower case; without it a conversation
    /// is known by its first user message.
    pub conversation_header: &'static str,
    /// Tokens of the longest prompt; a longer one is refused. `None`: any length is taken.
    pub window: Option<u64>,
    /// Whether a refusal of a long prompt says how many tokens there are and may be.
    pub tells_window: bool,
    /// Whether the list of models says how long prompts may be.
    pub lists_window: bool,
    /// Text of the default answer.
    pub text: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            keeps: Keeps::Everything,
            is_strict: true,
            conversation_header: "x-test-conversation",
            window: None,
            tells_window: true,
            lists_window: false,
            text: "Scripted answer.".to_owned(),
        }
    }
}

/// What is kept of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeps {
    /// Bytes, bill and judgement of each.
    Everything,
    /// Bill and judgement of each, without bodies: for long runs.
    Judgements,
    /// Nothing: bodies are not even parsed, every prompt is billed as ten tokens. For
    /// measurements of who stands in front.
    Nothing,
}
