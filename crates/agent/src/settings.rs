//! What an agent is made of.

use foveal_context::prices::PriceCard;
use foveal_wire::prompt::{Dialect, ToolSpec};

use crate::limits::Limits;

/// What an agent is made of. Nothing of it changes while it runs: system prompt and tools stand in
/// front of every prompt, where the provider's cache holds them.
#[derive(Debug, Clone)]
pub struct Settings {
    /// What the session is called in which it is kept.
    pub session: String,
    /// The model's name, as its server knows it.
    pub model: String,
    /// The API that its server speaks.
    pub dialect: Dialect,
    /// What the model is told first. In a conversation that is taken up again that stands already.
    pub system: String,
    /// The tools that it may call, in the order in which it is told of them.
    pub tools: Vec<AgentTool>,
    /// The most tokens of an answer, where the model has to be told.
    pub output_tokens_max: Option<u64>,
    /// Whether the provider is told to leave out thinking whose prefix changed.
    pub drops_bound_thinking: bool,
    /// How far it goes.
    pub limits: Limits,
    /// What the provider charges, where it does not say itself; `None`: nothing.
    pub prices: Option<PriceCard>,
    /// The folder that relative paths start at.
    pub directory: String,
    /// Whether it stays when a task ends, however that does, and waits for the next one.
    pub stays: bool,
}

/// A tool of an agent.
#[derive(Debug, Clone)]
pub struct AgentTool {
    /// As the model is told of it.
    pub spec: ToolSpec,
    /// Whether it only looks: then calls of it run side by side.
    pub only_looks: bool,
}
