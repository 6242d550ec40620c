//! The behaviour of a provider, independent of its script.

/// The settings of a provider.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The recorded content of requests.
    pub recording: RequestRecording,
    /// Whether to refuse requests that violate an enforced rule, with status 400.
    pub refuses_violations: bool,
    /// The request header with the id of the conversation, in lower case. Without it, the first
    /// user message identifies the conversation.
    pub conversation_header: &'static str,
    /// The most tokens of a prompt; longer ones are refused. `None`: no limit.
    pub window: Option<u64>,
    /// Whether the refusal of a long prompt states its tokens and the limit.
    pub states_window: bool,
    /// Whether the list of models states the window.
    pub lists_window: bool,
    /// Text of the default answer.
    pub text: String,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            recording: RequestRecording::Everything,
            refuses_violations: true,
            conversation_header: "x-test-conversation",
            window: None,
            states_window: true,
            lists_window: false,
            text: "Scripted answer.".to_owned(),
        }
    }
}

/// The recorded content of requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRecording {
    /// Bytes, bill and evaluation.
    Everything,
    /// Bill and evaluation without bodies, for long runs.
    WithoutBodies,
    /// Nothing: bodies are not even parsed, every prompt is billed as ten tokens. For benchmarks of
    /// proxies.
    Nothing,
}
