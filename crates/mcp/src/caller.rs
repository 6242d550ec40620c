//! Who makes a call, as far as its request tells.

use foveal_tools::Toolbox;
use foveal_tools::session::asker;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::sessions::Prompt;

/// Under this name Claude Code says which call of its model a request carries out. Its hooks are
/// told the same id, and of which agent it is.
const CALL_KEY: &str = "claudecode/toolUseId";

/// What Claude Code calls itself.
const CLAUDE_CODE: &str = "claude-code";

/// Longest id of a call that is looked up.
const CALL_BYTES_MAX: usize = 200;

/// Who makes a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Caller {
    /// The only one on the connection, as far as is known.
    Only,
    /// The one that the client calls so.
    Named(String),
    /// Whoever makes the call of this id.
    Call(String),
    /// One of several agents.
    Unknown,
}

impl Caller {
    /// Who makes a request that names nobody. Agents of Claude Code share a connection, and work
    /// at the same time.
    pub(crate) fn of(context: &RequestContext<RoleServer>) -> Self {
        let call = context.meta.get(CALL_KEY).and_then(|call| call.as_str());
        match call.filter(|call| !call.is_empty() && call.len() <= CALL_BYTES_MAX) {
            Some(call) => Self::Call(call.to_owned()),
            None if context.client_info().is_some_and(|client| client.name == CLAUDE_CODE) => {
                Self::Unknown
            }
            None => Self::Only,
        }
    }

    /// Whose prompt the answer goes into. Blocks.
    pub(crate) fn prompt(&self, toolbox: &Toolbox) -> Prompt {
        match self {
            Self::Only => Prompt::Only,
            Self::Named(name) => Prompt::Named(name.clone()),
            // Where the hook is not set up, or the store cannot be read, nobody is known.
            Self::Call(call) => asker(toolbox, call).map_or(Prompt::Unknown, Prompt::Noted),
            Self::Unknown => Prompt::Unknown,
        }
    }
}
