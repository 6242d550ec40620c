//! The agents whose hooks can replace a tool result.

use clap::ValueEnum as _;
use foveal_wire::SessionFormat;
use serde_json::{Value, json};

/// The agent that sends an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum HookAgent {
    #[default]
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    Pi,
}

/// Returns whether sessions of this kind in the store belong to an agent's hook.
pub(crate) fn is_hook_session_kind(kind: &str) -> bool {
    HookAgent::value_variants().iter().any(|host| host.name() == kind)
}

impl HookAgent {
    /// Returns the prefix of this agent's session ids in the store.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
        }
    }

    /// Returns the environment variable with the URL of the agent's provider, if the agent reads
    /// one.
    pub(super) fn address_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("ANTHROPIC_BASE_URL"),
            Self::Gemini => Some("GOOGLE_GEMINI_BASE_URL"),
            Self::Codex | Self::Opencode | Self::Pi => None,
        }
    }

    /// Returns the format of the agent's transcripts if they record the messages that the model was
    /// sent. Gemini CLI adds text of its own to the recorded output. Our plugins for opencode and
    /// pi send the messages with the event, in the format of these agents' transcripts.
    pub(super) fn transcript_format(self) -> Option<SessionFormat> {
        match self {
            Self::ClaudeCode => Some(SessionFormat::ClaudeCode),
            Self::Codex => Some(SessionFormat::Codex),
            Self::Gemini => None,
            Self::Opencode => Some(SessionFormat::OpenCode),
            Self::Pi => Some(SessionFormat::Pi),
        }
    }

    /// Returns whether the agent's transcripts record results as they were before the hook, so that
    /// only the store knows the replacements.
    pub(super) fn records_unshaped_results(self) -> bool {
        self == Self::ClaudeCode
    }

    /// Returns whether the model sees a command's exit code when the hook replaces its output.
    /// Codex drops its lines about the exit code with the output, and does not pass them to the
    /// hook.
    pub(super) fn keeps_exit_codes(self) -> bool {
        self != Self::Codex
    }

    /// Returns the longest replacement of a result, in bytes. Claude Code moves a longer one to a
    /// file and shows its beginning; Codex cuts a text of about 10,000 bytes in the middle.
    pub(super) fn replacement_bytes_max(self) -> usize {
        match self {
            Self::Codex => 9_000,
            Self::ClaudeCode | Self::Gemini | Self::Opencode | Self::Pi => 30_000,
        }
    }

    /// Returns the longest command output, in bytes, that the agent shows uncut.
    pub(super) fn output_bytes_max(self) -> usize {
        match self {
            Self::ClaudeCode => 30_000,
            Self::Codex | Self::Gemini => 40_000,
            Self::Opencode | Self::Pi => 50_000,
        }
    }

    /// Returns the hook answer that replaces a result with `text`.
    pub(super) fn replacement_answer(self, text: &str) -> Value {
        match self {
            Self::Gemini => json!({ "decision": "deny", "reason": text }),
            Self::ClaudeCode | Self::Codex => json!({ "decision": "block", "reason": text }),
            // The form that our own plugins read.
            Self::Opencode | Self::Pi => json!({ "output": text }),
        }
    }

    /// Returns the tools of an agent that passes results as text. All of these are shaped like
    /// command output.
    pub(super) fn text_result_tools(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[],
            Self::Codex => &["Bash"],
            Self::Gemini => &["run_shell_command"],
            Self::Opencode => &["bash", "read", "grep", "glob", "list"],
            Self::Pi => &["bash", "read", "grep", "find", "ls"],
        }
    }
}
