//! The table of all session formats: name, detection and reader.

use std::fmt;
use std::io::{self, BufRead};
use std::str::FromStr;

use crate::key_paths::KeyPaths;
use crate::record_reader::{read_documents, read_json_lines, read_session_documents};
use crate::session_sink::SessionSink;
use crate::sessions::request_bodies::{RequestBodyReader, ResponsesBodyReader};
use crate::sessions::{
    atif, claude_code, cline, codex, gemini_cli, mini_swe_agent, opencode, openhands, pi,
    qwen_code, request_bodies, swe_agent,
};

/// A format of recorded sessions or request bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SessionFormat {
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
    /// Gemini CLI's session JSONL, or the single document of older versions.
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

/// The properties of a format.
struct FormatRow {
    format: SessionFormat,
    /// The name on the command line.
    name: &'static str,
    /// The name in messages.
    title: &'static str,
    /// Returns whether a document with these keys is of this format, if no earlier row matches.
    is_format: fn(&KeyPaths) -> bool,
    /// Reads a stream of this format.
    read: fn(&mut dyn BufRead, &mut SessionSink<'_>) -> io::Result<()>,
}

/// All formats in the order of detection: recorded sessions, then requests.
const FORMATS: [FormatRow; 14] = [
    FormatRow {
        format: SessionFormat::Atif,
        name: "atif",
        title: "ATIF trajectory",
        is_format: atif::is_format,
        read: |input, output| read_session_documents(input, output, atif::read_session),
    },
    FormatRow {
        format: SessionFormat::Codex,
        name: "codex",
        title: "Codex rollout JSONL",
        is_format: codex::is_format,
        read: |input, output| read_json_lines(input, output, codex::CodexReader::default()),
    },
    FormatRow {
        format: SessionFormat::QwenCode,
        name: "qwen-code",
        title: "Qwen Code JSONL",
        is_format: qwen_code::is_format,
        read: |input, output| read_json_lines(input, output, qwen_code::QwenCodeReader::default()),
    },
    FormatRow {
        format: SessionFormat::GeminiCli,
        name: "gemini-cli",
        title: "Gemini CLI session",
        is_format: gemini_cli::is_format,
        read: |input, output| read_documents(input, output, gemini_cli::GeminiCliReader::default()),
    },
    FormatRow {
        format: SessionFormat::Cline,
        name: "cline",
        title: "Cline session",
        is_format: cline::is_format,
        read: |input, output| read_session_documents(input, output, cline::read_session),
    },
    FormatRow {
        format: SessionFormat::ClaudeCode,
        name: "claude-code",
        title: "Claude Code JSONL",
        is_format: claude_code::is_format,
        read: |input, output| {
            read_json_lines(input, output, claude_code::ClaudeCodeReader::default())
        },
    },
    FormatRow {
        format: SessionFormat::Pi,
        name: "pi",
        title: "pi JSONL",
        is_format: pi::is_format,
        read: |input, output| read_json_lines(input, output, pi::PiReader::default()),
    },
    FormatRow {
        format: SessionFormat::MiniSweAgent,
        name: "mini-swe-agent",
        title: "mini-swe-agent trajectory",
        is_format: mini_swe_agent::is_format,
        read: |input, output| read_session_documents(input, output, mini_swe_agent::read_session),
    },
    FormatRow {
        format: SessionFormat::OpenCode,
        name: "opencode",
        title: "OpenCode export",
        is_format: opencode::is_format,
        read: |input, output| read_session_documents(input, output, opencode::read_session),
    },
    FormatRow {
        format: SessionFormat::OpenHands,
        name: "openhands",
        title: "OpenHands events",
        is_format: openhands::is_format,
        read: |input, output| read_documents(input, output, openhands::OpenHandsReader::default()),
    },
    FormatRow {
        format: SessionFormat::SweAgent,
        name: "swe-agent",
        title: "SWE-agent trajectory",
        is_format: swe_agent::is_format,
        read: |input, output| read_session_documents(input, output, swe_agent::read_session),
    },
    FormatRow {
        format: SessionFormat::OpenAiChat,
        name: "openai-chat",
        title: "OpenAI Chat request",
        is_format: request_bodies::is_chat_request,
        read: |input, output| read_documents(input, output, RequestBodyReader::for_chat()),
    },
    FormatRow {
        format: SessionFormat::AnthropicMessages,
        name: "anthropic",
        title: "Anthropic Messages request",
        is_format: request_bodies::is_anthropic_request,
        read: |input, output| read_documents(input, output, RequestBodyReader::for_anthropic()),
    },
    FormatRow {
        format: SessionFormat::OpenAiResponses,
        name: "openai-responses",
        title: "OpenAI Responses request",
        is_format: request_bodies::is_responses_request,
        read: |input, output| read_documents(input, output, ResponsesBodyReader::default()),
    },
];

impl SessionFormat {
    /// Returns all formats in the order of the table.
    pub fn all() -> impl Iterator<Item = SessionFormat> {
        FORMATS.iter().map(|row| row.format)
    }

    /// Returns the name used on the command line.
    pub fn name(self) -> &'static str {
        self.row().name
    }

    /// Returns the name used in messages.
    pub fn title(self) -> &'static str {
        self.row().title
    }

    /// Returns the format of a document with these keys.
    pub(crate) fn from_key_paths(head: &KeyPaths) -> Option<Self> {
        FORMATS.iter().find(|row| (row.is_format)(head)).map(|row| row.format)
    }

    /// Reads a stream of this format.
    pub(crate) fn read_stream(
        self,
        input: &mut dyn BufRead,
        output: &mut SessionSink<'_>,
    ) -> io::Result<()> {
        (self.row().read)(input, output)
    }

    fn row(self) -> &'static FormatRow {
        FORMATS
            .iter()
            .find(|row| row.format == self)
            .expect("the table has a row for every format, which a test checks")
    }
}

impl fmt::Display for SessionFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of an unknown format was given.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown format `{name}`: expected one of {known}", known = known_names())]
pub struct UnknownFormat {
    /// The given name.
    pub name: String,
}

fn known_names() -> String {
    FORMATS.each_ref().map(|row| row.name).join(", ")
}

impl FromStr for SessionFormat {
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
        for format in SessionFormat::all() {
            assert_eq!(format.name().parse(), Ok(format));
            assert!(!format.title().is_empty());
        }
        let error = "atfi".parse::<SessionFormat>().expect_err("no format has this name");
        assert!(
            error.to_string().starts_with("unknown format `atfi`: expected one of atif, codex,")
        );
    }
}
