//! The settings of an agent.

use foveal_protocols::prompt::{ApiDialect, ToolSpec};

use crate::billing::ModelPrice;
use crate::limits::RunLimits;

/// The settings of an agent. They stay fixed while it runs: the system prompt and the tools begin
/// every prompt and stay in the provider's cache.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The name of the session that holds the run.
    pub session: String,
    /// The model's name at its provider.
    pub model: String,
    /// The protocol of the provider.
    pub dialect: ApiDialect,
    /// The system prompt. A resumed conversation has its own already.
    pub system_prompt: String,
    /// The tools, in the order of their definitions in the prompt.
    pub tools: Vec<AgentTool>,
    /// The limit of answer tokens, where the protocol requires one.
    pub output_tokens_max: Option<u64>,
    /// Whether the provider is asked to drop thinking whose prefix changed.
    pub drops_bound_thinking: bool,
    /// The limits of the run.
    pub limits: RunLimits,
    /// The model's price, used where the provider states no cost.
    pub price: ModelPrice,
    /// The folder that relative paths start at.
    pub directory: String,
    /// Whether the agent waits for another task when one ends, whatever the outcome.
    pub waits_for_tasks: bool,
}

/// A tool of an agent.
#[derive(Debug, Clone)]
pub struct AgentTool {
    /// The tool definition for the model.
    pub spec: ToolSpec,
    /// Whether the tool is read-only, so that calls of it run in parallel.
    pub is_read_only: bool,
}
