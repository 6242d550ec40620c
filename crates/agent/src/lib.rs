//! foveal's own agent: the loop between a person's task, a model and tools.
//!
//! A state machine: [`Agent::step`] takes what happened and gives back what is to be done. Pure: no
//! terminal, no clock, no threads; whoever drives it asks the model, carries calls out and brings
//! the time. The conversation is the whole truth and only grows; what of it the model is sent, the
//! engine decides about the body of each request, as for every other agent. What is to be kept of it
//! is said before it is used, so that a run that breaks off anywhere is taken up again ([`Past`]).

mod agent;
mod billed;
mod calls;
mod charge;
mod compaction;
mod event;
mod keep;
mod limits;
mod past;
mod prompt_map;
mod repeated;
mod settings;
mod side;
mod spent;
mod sub_agent;
mod told;
mod tool_answer;
mod under_way;

pub use agent::Agent;
pub use charge::Charge;
pub use event::{Action, Event};
pub use foveal_context::views::ModelWork;
pub use keep::Keep;
pub use limits::{Limit, Limits};
pub use past::Past;
pub use prompt_map::{BlockKind, BlockPlace, BlockState, MapChange, PromptBlock, PromptMap};
pub use settings::{AgentTool, Settings};
pub use side::{SideCharge, SideKind, SideSpent};
pub use spent::{OfAgents, Spent};
pub use sub_agent::{START_AGENT, StartAgent, SubTask, answer as answer_of_agent};
pub use told::{Outcome, Told, ToldIndexing};
pub use tool_answer::ToolAnswer;
