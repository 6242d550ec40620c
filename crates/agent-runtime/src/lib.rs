//! foveal's own agent at work: performs the actions of [`Agent`](foveal_agent::Agent).
//!
//! [`build_agent`] makes a [`ReadyAgent`] from an [`AgentSpec`] and the [`AgentHost`], and
//! [`run_agent`] runs it: requests go to the model, tool calls to threads of their own, and the log
//! of the run to the store. The crate has no terminal. Events go to a callback, questions to a
//! [`UserPrompter`], and messages beside them to the toolbox's
//! [`UserNotifier`](foveal_tools::user_notifier::UserNotifier).

mod agent_builder;
mod agent_config;
mod agent_explainer;
mod agent_loop;
mod agent_resources;
mod approval;
mod base_file_source;
mod base_files;
mod change_preview;
mod chosen_model;
mod indexing_progress;
mod model_client;
mod resumable_session;
pub mod runs;
mod session_base_files;
pub mod session_control;
pub mod side_agents;
mod sub_agents;
mod tool_executor;

pub use self::agent_builder::{AgentBuildError, AgentSpec, ReadyAgent, build_agent};
pub use self::agent_config::{InteractionMode, ProfileError};
pub use self::agent_explainer::{AgentExplainer, ExplainedDecision};
pub use self::agent_loop::{AgentCommand, AgentSignals, run_agent};
pub use self::agent_resources::AgentHost;
pub use self::approval::{
    ApprovalPrompt, UserPrompter, call_subject_line, normalize_argument_names,
};
pub use self::base_files::BaseFileError;
pub use self::chosen_model::ChosenModel;
pub use self::model_client::ModelRequester;
pub use self::resumable_session::{ResumableSession, ResumeError};
pub use self::tool_executor::ToolExecutor;
