//! Sub-agents: the tool by which the model starts one, and the result of its call.
//!
//! A sub-agent is an [`Agent`](crate::Agent) with a conversation of its own. It works while the
//! call runs, and its last message is the result.

use foveal_protocols::prompt::ToolSpec;
use foveal_transcript::ToolCall;
use serde_json::{Value, json};

use crate::agent_event::RunOutcome;
use crate::limits::{LimitKind, RunLimits, UNKNOWN_COST_ADVICE};
use crate::settings::AgentTool;
use crate::tool_answer::ToolAnswer;

/// The name of the tool.
pub const START_AGENT: &str = "start_agent";

/// Characters of a label at most; a longer one is cut.
const LABEL_CHARS_MAX: usize = 60;

/// A call that a sub-agent runs.
#[derive(Debug, Clone, PartialEq)]
pub struct SubAgentCall {
    /// The call's number, repeated in all inputs about it.
    pub number: u64,
    /// The call.
    pub call: ToolCall,
    /// The conversation step of the answer that holds the call. Unlike call ids, steps are unique.
    pub step: u32,
    /// The call's position among the calls of its answer, from 0.
    pub call_position: usize,
    /// The limits that remain for the sub-agent. One request is held back, in which the model reads
    /// the answer.
    pub limits: RunLimits,
}

/// The task of a sub-agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubAgentTask {
    /// The instructions for the sub-agent.
    pub task: String,
    /// A short name for the user, in one line.
    pub label: String,
}

impl SubAgentTask {
    /// Parses the arguments of a call.
    ///
    /// # Errors
    /// Returns the answer to the call where `task` is missing or empty.
    pub fn from_arguments(arguments: &Value) -> Result<Self, ToolAnswer> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim);
        let task = text("task").filter(|task| !task.is_empty()).ok_or_else(|| {
            let text = "no sub-agent was started: say in `task`, a string, what it is to do, with \
                        all that it has to know";
            ToolAnswer::from_error(text.to_owned())
        })?;
        let label = text("label").filter(|label| !label.is_empty()).unwrap_or(task);
        let words: Vec<&str> = label.split_whitespace().collect();
        let label = words.join(" ").chars().take(LABEL_CHARS_MAX).collect();
        Ok(Self { task: task.to_owned(), label })
    }
}

impl AgentTool {
    /// Returns the tool by which the model starts a sub-agent.
    pub fn new_sub_agent_tool() -> Self {
        // Each request carries the description, so it is short.
        let description = "Has a sub-agent do a search or a bounded piece of work whose details you \
                           do not need. It has the same tools, knows nothing of this conversation, \
                           and only its last answer comes back.";
        let text = |about: &str| json!({"type": "string", "description": about});
        let schema = json!({
            "type": "object",
            "properties": {
                "task": text("What to do and to answer, with all that it has to know."),
                "label": text("The same in 3 to 6 words, for the person."),
            },
            "required": ["task", "label"],
        });
        let (name, description) = (START_AGENT.to_owned(), description.to_owned());
        Self { spec: ToolSpec { name, description, schema }, is_read_only: false }
    }
}

/// Returns the result of the call for the sub-agent's outcome; `said` is its last message. It is an
/// error unless the sub-agent finished with an answer.
pub fn sub_agent_tool_answer(outcome: &RunOutcome, said: &str) -> ToolAnswer {
    let why = match outcome {
        RunOutcome::Finished { text } if !text.trim().is_empty() => {
            return ToolAnswer { text: text.clone(), ..ToolAnswer::default() };
        }
        RunOutcome::Cut { text } => {
            let cut = "[the sub-agent's answer was cut here: it is longer than it may say at once]";
            return ToolAnswer { text: format!("{text}\n{cut}"), ..ToolAnswer::default() };
        }
        RunOutcome::Finished { .. } => "it ended without an answer".to_owned(),
        RunOutcome::Refused { .. } => "it refused to go on".to_owned(),
        RunOutcome::Limit { limit: LimitKind::UnknownCost } => UNKNOWN_COST_ADVICE.to_owned(),
        RunOutcome::Limit { limit } => format!("the limit of {} is reached", limit.display_name()),
        RunOutcome::Repeated { name, times } => {
            format!("it called {name} {times} times with the same arguments and the same answer")
        }
        RunOutcome::TooLong { message } | RunOutcome::Failed { message } => message.clone(),
        RunOutcome::Stopped => "it was stopped".to_owned(),
    };
    let said = match said.trim() {
        "" => "It had said nothing.".to_owned(),
        said => format!("What it said last:\n{said}"),
    };
    ToolAnswer::from_error(format!(
        "the sub-agent ended before it was done: {why}. What it changed until then stays. {said}"
    ))
}
