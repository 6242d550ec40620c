//! Events as agents tell them.

use std::path::PathBuf;

use serde_json::Value;

use super::host::Host;

/// Something that happened in a session.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Event {
    /// Who tells it.
    pub(super) host: Host,
    pub(super) session: String,
    /// The sub-agent, whose prompt is its own.
    pub(super) agent: Option<String>,
    /// The session's record.
    pub(super) transcript: Option<PathBuf>,
    /// What the model was sent last, where the event itself tells it: a record as text.
    pub(super) conversation: Option<String>,
    /// The address of the agent's provider, where the event tells it.
    pub(super) provider_url: Option<String>,
    /// Where the agent works.
    pub(super) directory: String,
    /// What happened.
    pub(super) occasion: Occasion,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Occasion {
    /// What was shown before is no longer in the prompt.
    Forgets,
    /// A tool of ours is about to be asked, by the call of this id.
    Asks(String),
    /// A tool answered.
    Answered(Answered),
    /// A command failed, with this error.
    Failed(String),
}

/// A call and its answer.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Answered {
    pub(super) tool: String,
    /// Its arguments.
    pub(super) input: Value,
    /// What it answered, in its own form.
    pub(super) response: Value,
    pub(super) call: String,
}

/// How Claude Code calls the tools of a server that is named as `foveal init` names it.
const OUR_TOOLS: &str = "mcp__foveal__";

impl Event {
    /// The event in `text`; `None` if it is none that matters.
    pub(super) fn parse(text: &[u8], host: Host) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(text).ok()?;
        let name = event["hook_event_name"].as_str()?.to_owned();
        let occasion = match name.as_str() {
            "PreCompact" | "PostCompact" => Occasion::Forgets,
            "SessionStart" => match event["source"].as_str()? {
                "clear" | "compact" => Occasion::Forgets,
                _ => return None,
            },
            "PreToolUse" if event["tool_name"].as_str()?.starts_with(OUR_TOOLS) => {
                Occasion::Asks(event["tool_use_id"].as_str().unwrap_or_default().to_owned())
            }
            "PostToolUse" | "AfterTool" => Occasion::Answered(Answered {
                tool: event["tool_name"].as_str()?.to_owned(),
                // Gemini CLI says when instead, which names the call as well.
                call: event["tool_use_id"].as_str().or(event["timestamp"].as_str())?.to_owned(),
                input: event["tool_input"].take(),
                response: event["tool_response"].take(),
            }),
            "PostToolUseFailure" => Occasion::Failed(event["error"].as_str()?.to_owned()),
            _ => return None,
        };
        let text = |name: &str| {
            let text = event[name].as_str().filter(|text| !text.is_empty());
            text.map(str::to_owned)
        };
        Some(Self {
            host,
            session: text("session_id")?,
            agent: text("agent_id"),
            transcript: text("transcript_path").map(PathBuf::from),
            conversation: text("conversation"),
            provider_url: text("provider_url"),
            directory: text("cwd").unwrap_or_default(),
            occasion,
        })
    }
}
