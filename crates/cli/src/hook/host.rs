//! The agents whose hooks can put another text in the place of a result.

use clap::ValueEnum as _;
use foveal_wire::Format;
use serde_json::{Value, json};

/// The agent that tells an event.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum Host {
    #[default]
    ClaudeCode,
    Codex,
    Gemini,
    Opencode,
    Pi,
}

/// Whether sessions of this kind in the store are those of an agent's hook.
pub(crate) fn is_host(kind: &str) -> bool {
    Host::value_variants().iter().any(|host| host.name() == kind)
}

impl Host {
    /// As sessions of it are called in the store.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Pi => "pi",
        }
    }

    /// Returns the variable that tells the agent the address of its provider, if there is one.
    pub(super) fn address_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("ANTHROPIC_BASE_URL"),
            Self::Gemini => Some("GOOGLE_GEMINI_BASE_URL"),
            Self::Codex | Self::Opencode | Self::Pi => None,
        }
    }

    /// The format of its records, if what they say is what its model was sent. Gemini CLI puts
    /// text of its own around what was printed. The plugins for opencode and pi tell what was sent
    /// with the event, in the form of such records.
    pub(super) fn records(self) -> Option<Format> {
        match self {
            Self::ClaudeCode => Some(Format::ClaudeCode),
            Self::Codex => Some(Format::Codex),
            Self::Gemini => None,
            Self::Opencode => Some(Format::OpenCode),
            Self::Pi => Some(Format::Pi),
        }
    }

    /// Whether its records hold results as they were before a hook, so that only foveal knows what
    /// was sent.
    pub(super) fn records_originals(self) -> bool {
        self == Self::ClaudeCode
    }

    /// Whether the text that a hook gives stands beside the exit code, or holds it. Codex drops
    /// its own lines on that with the output, and does not tell the hook.
    pub(super) fn keeps_exit_codes(self) -> bool {
        self != Self::Codex
    }

    /// Returns the longest text, in bytes, that may take the place of a result. Claude Code puts a
    /// longer one into a file and shows its beginning; Codex cuts one of about 10,000 bytes in
    /// the middle.
    pub(super) fn replacement_bytes_max(self) -> usize {
        match self {
            Self::Codex => 9_000,
            Self::ClaudeCode | Self::Gemini | Self::Opencode | Self::Pi => 30_000,
        }
    }

    /// Returns the longest output of a command, in bytes, that the agent shows whole.
    pub(super) fn output_bytes_max(self) -> usize {
        match self {
            Self::ClaudeCode => 30_000,
            Self::Codex | Self::Gemini => 40_000,
            Self::Opencode | Self::Pi => 50_000,
        }
    }

    /// The answer that puts `text` in the place of a result.
    pub(super) fn replacement(self, text: &str) -> Value {
        match self {
            Self::Gemini => json!({ "decision": "deny", "reason": text }),
            Self::ClaudeCode | Self::Codex => json!({ "decision": "block", "reason": text }),
            // As our own plugins want it.
            Self::Opencode | Self::Pi => json!({ "output": text }),
        }
    }

    /// The tools of an agent that gives its results as text, all of which are shaped alike.
    pub(super) fn text_tools(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode => &[],
            Self::Codex => &["Bash"],
            Self::Gemini => &["run_shell_command"],
            Self::Opencode => &["bash", "read", "grep", "glob", "list"],
            Self::Pi => &["bash", "read", "grep", "find", "ls"],
        }
    }
}
