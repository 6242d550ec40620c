//! foveal's own agent: the parts that `foveal run` and `foveal chat` share.

mod agent_arguments;
mod agent_builder;
mod agent_config;
mod agent_loop;
mod agent_runtime;
mod approval;
mod base_file_source;
mod base_files;
mod change_preview;
mod indexing_progress;
mod model_client;
mod resumable_session;
mod session_base_files;
mod signals;
mod sub_agents;
mod tool_executor;

pub(crate) use self::agent_arguments::{AgentArguments, parse_dollars};
pub(crate) use self::agent_builder::{
    AgentSpec, ReadyAgent, build_agent, start_runtime_and_client,
};
pub(crate) use self::agent_config::InteractionMode;
pub(crate) use self::agent_loop::{AgentCommand, AgentSignals, run_agent};
pub(crate) use self::approval::{
    ApprovalPrompt, UserPrompter, ask_at_terminal, call_subject_line, normalize_argument_names,
};
pub(crate) use self::resumable_session::ResumableSession;
pub(crate) use self::signals::cancel_on_signals;
