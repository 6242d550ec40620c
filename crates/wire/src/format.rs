//! The recorded formats, by the names a user gives them.

use std::fmt;
use std::str::FromStr;

/// A format that sessions are recorded in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Format {
    /// Claude Code's session JSONL.
    ClaudeCode,
    /// Codex's rollout JSONL.
    Codex,
    /// Agent Trajectory Interchange Format, 1.5 to 1.8.
    Atif,
    /// SWE-agent's `.traj`.
    SweAgent,
    /// mini-swe-agent's trajectory, versions 1 and 2.
    MiniSweAgent,
    /// OpenHands' events: `output.jsonl`, an array of events, or one event per line.
    OpenHands,
    /// The output of `opencode export`.
    OpenCode,
    /// pi's session JSONL.
    Pi,
    /// The body of a request to Anthropic's Messages.
    AnthropicMessages,
    /// The body of a request to OpenAI's Chat Completions.
    OpenAiChat,
    /// The body of a request to OpenAI's Responses.
    OpenAiResponses,
}

/// Every format with its name and what it is called in messages.
const FORMATS: [(Format, &str, &str); 11] = [
    (Format::ClaudeCode, "claude-code", "Claude Code JSONL"),
    (Format::Codex, "codex", "Codex rollout JSONL"),
    (Format::Atif, "atif", "ATIF trajectory"),
    (Format::SweAgent, "swe-agent", "SWE-agent trajectory"),
    (Format::MiniSweAgent, "mini-swe-agent", "mini-swe-agent trajectory"),
    (Format::OpenHands, "openhands", "OpenHands events"),
    (Format::OpenCode, "opencode", "OpenCode export"),
    (Format::Pi, "pi", "pi JSONL"),
    (Format::AnthropicMessages, "anthropic", "Anthropic Messages request"),
    (Format::OpenAiChat, "openai-chat", "OpenAI Chat request"),
    (Format::OpenAiResponses, "openai-responses", "OpenAI Responses request"),
];

impl Format {
    /// Every format, in the order of the table.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().map(|(format, _, _)| *format)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.row().1
    }

    /// What messages call it.
    pub fn title(self) -> &'static str {
        self.row().2
    }

    fn row(self) -> &'static (Format, &'static str, &'static str) {
        FORMATS
            .iter()
            .find(|(format, _, _)| *format == self)
            .expect("the table has a row for every format, which a test checks")
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The text names no format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`: one of {known} is expected", known = known_names())]
pub struct UnknownFormat {
    /// What was given.
    pub name: String,
}

fn known_names() -> String {
    FORMATS.map(|(_, name, _)| name).join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        FORMATS
            .iter()
            .find(|(_, known, _)| *known == name)
            .map(|(format, _, _)| *format)
            .ok_or_else(|| UnknownFormat { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for format in Format::all() {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(!format.title().is_empty());
        }
        let error = "atfi".parse::<Format>().expect_err("no format has this name");
        assert!(error.to_string().starts_with("unknown format `atfi`: one of claude-code, codex,"));
    }
}
