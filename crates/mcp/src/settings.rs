//! What a server offers and how far it goes: made once by whoever starts it.

use std::path::PathBuf;
use std::time::Duration;

use foveal_tools::table::ToolSet;

/// What a server offers and how far it goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct McpSettings {
    /// The tools that clients are told of and may call.
    pub tools: ToolSet,
    /// The folders that may be touched. Empty: what the client names as its roots.
    pub roots: Vec<PathBuf>,
    /// Whether clients are asked which folders may be touched, where `roots` names none.
    pub asks_for_roots: bool,
    /// The folder that may be touched where neither names any.
    pub directory: PathBuf,
    /// Whether answers also carry `structuredContent`. Claude Code and VS Code show their models
    /// that alone where there is both, so the text with its notes would be lost to them.
    pub structured: bool,
    /// Tokens of an answer, as it counts them, that Claude Code shows, where its user said so.
    pub claude_code_tokens: Option<u32>,
    /// Sessions of all clients together; the one not used for longest is forgotten first.
    pub sessions_max: usize,
    /// How long a session that is not used is remembered.
    pub session_idle: Duration,
    /// Calls carried out at once; more wait.
    pub calls_max: usize,
}

impl McpSettings {
    /// The tools of `tools` on whatever folders the client names, else on `directory`.
    pub fn new(tools: ToolSet, directory: PathBuf) -> Self {
        Self {
            tools,
            roots: Vec::new(),
            asks_for_roots: true,
            directory,
            structured: false,
            claude_code_tokens: None,
            sessions_max: 64,
            session_idle: Duration::from_secs(8 * 3_600),
            calls_max: 12,
        }
    }
}
