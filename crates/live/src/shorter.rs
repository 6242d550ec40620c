//! Requests with shorter tools, as values.

use std::collections::BTreeSet;
use std::sync::Arc;

use foveal_context::tokens::Tokens;
use foveal_context::tool_use::ToolUse;

use crate::recorder::Unrecorded;

/// Says which tools are called; `None` where no more tools are to be shortened.
pub type Knowledge = Arc<dyn Fn() -> Option<Arc<ToolUse>> + Send + Sync>;

/// A request with shorter tools.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ShorterTools {
    /// The body; `None` where nothing is left out.
    pub body: Option<Vec<u8>>,
    /// What is to be told of it.
    pub about: AboutTools,
}

/// What is known of the tools of a request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AboutTools {
    /// Tools that the answer before this request called.
    pub called: BTreeSet<String>,
    /// Tokens that are left out of definitions.
    pub left_out: Tokens,
    /// Whether one of the called tools has a shortened description.
    pub called_shortened: bool,
}

/// What is left out of the tools of a request's conversation cannot be known at the moment, or could
/// not be kept, so that nothing is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("what is left out of the conversation's tools cannot be known: {0}")]
pub struct Unshortened(#[from] pub Unrecorded);
