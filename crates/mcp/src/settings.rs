//! The settings of a server.

use std::path::PathBuf;
use std::time::Duration;

use foveal_tools::tool_table::ToolSet;

/// The tools that a server offers, the roots that they may use, and the limits on calls and
/// sessions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// The tools that clients can list and call.
    pub tools: ToolSet,
    /// The folders that tools may access. Empty: the client's roots.
    pub roots: Vec<PathBuf>,
    /// Whether to ask the client for its roots if `roots` is empty.
    pub asks_for_roots: bool,
    /// The folder that tools may access if neither names any.
    pub directory: PathBuf,
    /// Whether answers also carry `structuredContent`. Claude Code and VS Code then show their
    /// models only that, so the text with its notes would be lost.
    pub structured: bool,
    /// Claude Code's answer limit in its own tokens, if its user set one.
    pub claude_code_tokens: Option<u32>,
    /// The clients whose answer limits are known.
    pub client_limits: Vec<ClientLimit>,
    /// Sessions of all clients together; the least recently used is dropped first.
    pub sessions_max: usize,
    /// How long an unused session is kept.
    pub session_idle: Duration,
    /// Calls that run at once; further ones wait.
    pub calls_max: usize,
}

/// A client and its answer limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ClientLimit {
    /// Prefix of the name that the client sends on `initialize`, in lower case.
    pub name_prefix: &'static str,
    /// Characters of an answer that are shown without a cut.
    pub characters: usize,
    /// Whether the limit counts the answer as a JSON string.
    pub is_json: bool,
}

impl McpSettings {
    /// Offers `tools` on the folders that the client names, else on `directory`.
    pub fn new(tools: ToolSet, directory: PathBuf) -> Self {
        Self {
            tools,
            roots: Vec::new(),
            asks_for_roots: true,
            directory,
            structured: false,
            claude_code_tokens: None,
            client_limits: Vec::new(),
            sessions_max: 64,
            session_idle: Duration::from_secs(8 * 3_600),
            calls_max: 12,
        }
    }
}
