//! foveal's own agent: the loop between a user's task, a model and tools.
//!
//! The agent is a state machine: [`Agent::step`] takes an [`AgentInput`] and returns
//! [`AgentAction`]s. It is pure: it has no terminal, clock or threads. Its driver sends the
//! requests, runs the tool calls and supplies the time. The conversation is append-only and
//! complete; the engine decides about the body of each request what of it the model is sent, as for
//! every other agent. The agent emits each [`RunLogEntry`] before the actions that depend on it, so
//! that a run that breaks off at any point can be resumed from its [`ResumeState`].

mod agent;
mod agent_event;
mod agent_io;
mod billing;
mod call_batch;
mod charge;
mod compaction;
mod limits;
mod prompt_map;
mod repeat_counter;
mod repeated_calls;
mod resume_state;
mod run_log_entry;
mod run_totals;
mod settings;
mod side_model;
mod stream_estimate;
mod sub_agent;
mod tool_answer;

pub use agent::Agent;
pub use agent_event::{AgentEvent, IndexingProgress, RunOutcome, retry_text};
pub use agent_io::{AgentAction, AgentInput};
pub use billing::{ModelPrice, usage_cost};
pub use charge::UsageCharge;
pub use foveal_engine::views::CurationProgress;
pub use limits::{LimitKind, RunLimits, UNKNOWN_COST_ADVICE};
pub use prompt_map::{
    PromptBlock, PromptBlockKind, PromptBlockPosition, PromptBlockState, PromptMap, PromptMapChange,
};
pub use resume_state::ResumeState;
pub use run_log_entry::RunLogEntry;
pub use run_totals::{RunTotals, SubAgentTotals};
pub use settings::{AgentTool, Settings};
pub use side_model::{SideModelCharge, SideModelRole, SideModelTotals};
pub use sub_agent::{START_AGENT, SubAgentCall, SubAgentTask, sub_agent_tool_answer};
pub use tool_answer::ToolAnswer;
