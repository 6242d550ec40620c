//! Hook events in the form in which agents send them.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::agent_hook::AgentHook;
use crate::addresses::{ListeningProgram, local_origin};
use crate::user_environment::UserEnvironment;

/// An event of an agent session.
#[derive(Debug, Clone)]
pub struct HookEvent {
    /// The hook of the agent that sent the event.
    pub(super) host: &'static AgentHook,
    pub(super) session: String,
    /// The sub-agent that the event belongs to. A sub-agent has a prompt of its own.
    pub(super) agent: Option<String>,
    /// The path of the session's transcript.
    pub(super) transcript: Option<PathBuf>,
    /// The messages last sent to the model, as the text of a transcript, for agents that send them
    /// with the event.
    pub(super) conversation: Option<String>,
    /// The URL of the agent's provider, for agents that send it with the event.
    pub(super) provider_url: Option<String>,
    /// The agent's current folder.
    pub(super) directory: String,
    pub(super) kind: HookEventKind,
}

/// The kind of a hook event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum HookEventKind {
    /// The prompt was compacted or cleared: earlier results have left it.
    PromptCleared,
    /// The call with this id is about to use a tool of foveal's MCP server.
    ServerToolCall(String),
    /// A tool of the agent answered.
    ToolAnswered(AnsweredCall),
    /// A command failed with this error.
    CommandFailed(String),
}

/// A tool call of the agent with its response.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct AnsweredCall {
    pub(super) tool: String,
    pub(super) input: Value,
    /// The response in the tool's own JSON.
    pub(super) response: Value,
    pub(super) call: String,
}

/// The prefix of Claude Code's names for the tools of a server that `foveal init` has entered.
const SERVER_TOOL_PREFIX: &str = "mcp__foveal__";

impl HookEvent {
    /// Parses an event. Returns `None` for malformed events and for kinds that the hook ignores.
    pub fn parse(text: &[u8], host: &'static AgentHook) -> Option<Self> {
        let mut event: Value = serde_json::from_slice(text).ok()?;
        let name = event["hook_event_name"].as_str()?.to_owned();
        let occasion = match name.as_str() {
            "PreCompact" | "PostCompact" => HookEventKind::PromptCleared,
            "SessionStart" => match event["source"].as_str()? {
                "clear" | "compact" => HookEventKind::PromptCleared,
                _ => return None,
            },
            "PreToolUse" if event["tool_name"].as_str()?.starts_with(SERVER_TOOL_PREFIX) => {
                HookEventKind::ServerToolCall(
                    event["tool_use_id"].as_str().unwrap_or_default().to_owned(),
                )
            }
            "PostToolUse" | "AfterTool" => HookEventKind::ToolAnswered(AnsweredCall {
                tool: event["tool_name"].as_str()?.to_owned(),
                // Gemini CLI sends a timestamp instead, which identifies the call as well.
                call: event["tool_use_id"].as_str().or(event["timestamp"].as_str())?.to_owned(),
                input: event["tool_input"].take(),
                response: event["tool_response"].take(),
            }),
            "PostToolUseFailure" => {
                HookEventKind::CommandFailed(event["error"].as_str()?.to_owned())
            }
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
            kind: occasion,
        })
    }

    /// Returns the agent's current folder.
    pub fn directory(&self) -> &Path {
        Path::new(&self.directory)
    }

    /// Returns whether the agent's requests pass through foveal's gateway. Only tool answers are
    /// checked, so that no other event waits for a connection.
    pub fn has_gateway(&self, environment: &UserEnvironment) -> bool {
        if !matches!(self.kind, HookEventKind::ToolAnswered(_)) {
            return false;
        }
        let variable = || environment.agent_variable(self.host.address_variable?);
        let address = self.provider_url.as_deref().or_else(variable);
        address
            .and_then(local_origin)
            .is_some_and(|origin| ListeningProgram::probe(origin) == ListeningProgram::Foveal)
    }
}
