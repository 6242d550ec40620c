//! Identifies the agent that makes a call, as far as the request tells.

use foveal_tools::Toolbox;
use foveal_tools::session::reader_of_call;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::sessions::PromptIdentity;

/// The request metadata in which Claude Code sends the id of the model's tool call. Its hooks
/// receive the same id together with the agent that made the call.
const TOOL_USE_ID_KEY: &str = "claudecode/toolUseId";

/// The client name of Claude Code.
const CLAUDE_CODE_NAME: &str = "claude-code";

/// Longest tool call id that is looked up, in bytes.
const TOOL_USE_ID_BYTES_MAX: usize = 200;

/// The agent that makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The only known caller of the connection.
    Sole,
    /// The conversation that the client names.
    Named(String),
    /// The agent that made the tool call of this id.
    ToolUse(String),
    /// One of several agents, not known which.
    Unknown,
}

impl Caller {
    /// Returns the caller of a request that names no session. Agents of Claude Code share a
    /// connection and work concurrently.
    pub(crate) fn from_request(context: &RequestContext<RoleServer>) -> Self {
        let call = context.meta.get(TOOL_USE_ID_KEY).and_then(|call| call.as_str());
        match call.filter(|call| !call.is_empty() && call.len() <= TOOL_USE_ID_BYTES_MAX) {
            Some(call) => Self::ToolUse(call.to_owned()),
            None if context.client_info().is_some_and(|client| client.name == CLAUDE_CODE_NAME) => {
                Self::Unknown
            }
            None => Self::Sole,
        }
    }

    /// Looks up the prompt that the answer goes into. Blocks.
    pub(crate) fn resolve_prompt(&self, toolbox: &Toolbox) -> PromptIdentity {
        match self {
            Self::Sole => PromptIdentity::Sole,
            Self::Named(name) => PromptIdentity::Named(name.clone()),
            // Without the hook, or if the store cannot be read, the reader is unknown.
            Self::ToolUse(call) => reader_of_call(toolbox, call)
                .map_or(PromptIdentity::Unknown, PromptIdentity::Recorded),
            Self::Unknown => PromptIdentity::Unknown,
        }
    }
}
