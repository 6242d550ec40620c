//! The facts about an agent's hook: what it is given, and what the model sees of its answer.

use foveal_session_readers::SessionFormat;
use serde_json::Value;

/// The hook of an agent that can replace a tool result.
#[derive(Debug)]
pub struct AgentHook {
    /// The agent's name, the prefix of its session ids in the store.
    pub agent: &'static str,
    /// The environment variable with the URL of the agent's provider, if the agent reads one.
    pub(crate) address_variable: Option<&'static str>,
    /// The format of the agent's transcripts if they record the messages that the model was sent.
    /// Our plugins for opencode and pi send the messages with the event, in the format of these
    /// agents' transcripts.
    pub(crate) transcript_format: Option<SessionFormat>,
    /// Whether the agent's transcripts record results as they were before the hook, so that only
    /// the store knows the replacements.
    pub(crate) records_unshaped_results: bool,
    /// Whether the model sees a command's exit code when the hook replaces its output.
    pub(crate) keeps_exit_codes: bool,
    /// The longest replacement of a result, in bytes.
    pub(crate) replacement_bytes_max: usize,
    /// The longest command output, in bytes, that the agent shows uncut.
    pub(crate) output_bytes_max: usize,
    pub(crate) results: HookResultForm,
}

/// The form in which an agent passes results to its hook, and takes replacements.
#[derive(Debug)]
pub(crate) enum HookResultForm {
    /// The JSON of Claude Code's own tools.
    ClaudeCode,
    /// A text.
    Text(TextResults),
}

/// The results of an agent that passes them as text. All are shaped like command output.
#[derive(Debug)]
pub(crate) struct TextResults {
    /// The tools whose results are shaped.
    pub(crate) tools: &'static [&'static str],
    /// Returns the text in a response.
    pub(crate) text: fn(&Value) -> Option<&str>,
    /// Returns the hook answer that replaces a result.
    pub(crate) answer: fn(&str) -> Value,
}

impl AgentHook {
    /// Returns whether results have the form of Claude Code's own tools.
    pub(super) fn is_claude_code(&self) -> bool {
        matches!(self.results, HookResultForm::ClaudeCode)
    }
}
