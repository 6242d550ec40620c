//! The table of all formats: their names, how each is detected, and what reads it.

use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use crate::head::Head;
use crate::output::Output;
use crate::reader::{read_documents, read_each, read_lines};
use crate::requests::{anthropic, openai_chat, openai_responses};
use crate::sessions::{
    atif, claude_code, cline, codex, gemini_cli, mini_swe_agent, opencode, openhands, pi,
    qwen_code, swe_agent,
};

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
    /// Qwen Code's session JSONL.
    QwenCode,
    /// Gemini CLI's session JSONL, or the document of older versions.
    GeminiCli,
    /// Cline's `SESSION.messages.json`.
    Cline,
    /// The body of a request to Anthropic's Messages.
    AnthropicMessages,
    /// The body of a request to OpenAI's Chat Completions.
    OpenAiChat,
    /// The body of a request to OpenAI's Responses.
    OpenAiResponses,
}

/// What is known of a format.
struct Row {
    format: Format,
    /// The name on the command line.
    name: &'static str,
    /// What messages call it.
    title: &'static str,
    /// Whether a document that starts so is of this format, if it is of none above.
    is_format: fn(&Head) -> bool,
    /// Reads a stream of this format.
    read: fn(&mut dyn BufRead, &mut Output<'_>) -> io::Result<()>,
}

/// Every format, in the order in which they are detected: recorded sessions, then requests.
const FORMATS: [Row; 14] = [
    Row {
        format: Format::Atif,
        name: "atif",
        title: "ATIF trajectory",
        is_format: atif::is_format,
        read: |input, output| read_each(input, output, atif::read),
    },
    Row {
        format: Format::Codex,
        name: "codex",
        title: "Codex rollout JSONL",
        is_format: codex::is_format,
        read: |input, output| read_lines(input, output, codex::Codex::default()),
    },
    Row {
        format: Format::QwenCode,
        name: "qwen-code",
        title: "Qwen Code JSONL",
        is_format: qwen_code::is_format,
        read: |input, output| read_lines(input, output, qwen_code::QwenCode::default()),
    },
    Row {
        format: Format::GeminiCli,
        name: "gemini-cli",
        title: "Gemini CLI session",
        is_format: gemini_cli::is_format,
        read: |input, output| read_documents(input, output, gemini_cli::GeminiCli::default()),
    },
    Row {
        format: Format::Cline,
        name: "cline",
        title: "Cline session",
        is_format: cline::is_format,
        read: |input, output| read_each(input, output, cline::read),
    },
    Row {
        format: Format::ClaudeCode,
        name: "claude-code",
        title: "Claude Code JSONL",
        is_format: claude_code::is_format,
        read: |input, output| read_lines(input, output, claude_code::ClaudeCode::default()),
    },
    Row {
        format: Format::Pi,
        name: "pi",
        title: "pi JSONL",
        is_format: pi::is_format,
        read: |input, output| read_lines(input, output, pi::Pi::default()),
    },
    Row {
        format: Format::MiniSweAgent,
        name: "mini-swe-agent",
        title: "mini-swe-agent trajectory",
        is_format: mini_swe_agent::is_format,
        read: |input, output| read_each(input, output, mini_swe_agent::read),
    },
    Row {
        format: Format::OpenCode,
        name: "opencode",
        title: "OpenCode export",
        is_format: opencode::is_format,
        read: |input, output| read_each(input, output, opencode::read),
    },
    Row {
        format: Format::OpenHands,
        name: "openhands",
        title: "OpenHands events",
        is_format: openhands::is_format,
        read: |input, output| read_documents(input, output, openhands::OpenHands::default()),
    },
    Row {
        format: Format::SweAgent,
        name: "swe-agent",
        title: "SWE-agent trajectory",
        is_format: swe_agent::is_format,
        read: |input, output| read_each(input, output, swe_agent::read),
    },
    Row {
        format: Format::OpenAiChat,
        name: "openai-chat",
        title: "OpenAI Chat request",
        is_format: openai_chat::is_format,
        read: |input, output| read_each(input, output, openai_chat::read),
    },
    Row {
        format: Format::AnthropicMessages,
        name: "anthropic",
        title: "Anthropic Messages request",
        is_format: anthropic::is_format,
        read: |input, output| read_each(input, output, anthropic::read),
    },
    Row {
        format: Format::OpenAiResponses,
        name: "openai-responses",
        title: "OpenAI Responses request",
        is_format: openai_responses::is_format,
        read: |input, output| read_each(input, output, openai_responses::read),
    },
];

impl Format {
    /// Every format, in the order of the table.
    pub fn all() -> impl Iterator<Item = Format> {
        FORMATS.iter().map(|row| row.format)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// What messages call it.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// The format of a document that starts so.
    pub(crate) fn of(head: &Head) -> Option<Self> {
        FORMATS.iter().find(|row| (row.is_format)(head)).map(|row| row.format)
    }

    /// Reads a stream of this format.
    pub(crate) fn read_stream(
        self,
        input: &mut dyn BufRead,
        output: &mut Output<'_>,
    ) -> io::Result<()> {
        (self.row().read)(input, output)
    }

    fn row(self) -> &'static Row {
        FORMATS
            .iter()
            .find(|row| row.format == self)
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
    FORMATS.each_ref().map(|row| row.name).join(", ")
}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        FORMATS
            .iter()
            .find(|row| row.name == name)
            .map(|row| row.format)
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
        assert!(error.to_string().starts_with("unknown format `atfi`: one of atif, codex,"));
    }
}
