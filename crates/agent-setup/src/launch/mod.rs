//! Launches agents on a gateway for one run, by environment variables and arguments. Their settings
//! stay unchanged. One module for each agent.

pub(crate) mod claude_code;
pub(crate) mod codex;
pub(crate) mod gemini;
mod launch_plan;
pub(crate) mod opencode;
pub(crate) mod pi;
pub(crate) mod qwen;

pub use self::launch_plan::{LaunchPlan, LaunchRequest, WrapError};

/// A function that plans the launch of one agent.
pub(crate) type LaunchPlanner = fn(&LaunchRequest<'_>) -> Result<LaunchPlan, WrapError>;
