//! Sub-agents: the tool by which the model starts one, and what its call is answered.
//!
//! A sub-agent is an [`Agent`](crate::Agent) like the one that starts it, with a conversation of its
//! own: it works while the call runs, and what it says last is the answer.

use foveal_transcript::Call;
use foveal_wire::prompt::ToolSpec;
use serde_json::{Value, json};

use crate::limits::Limits;
use crate::settings::AgentTool;
use crate::told::Outcome;
use crate::tool_answer::ToolAnswer;

/// What the tool is called.
pub const START_AGENT: &str = "start_agent";

/// Characters of a label. Of a longer one the beginning counts.
const LABEL_CHARS_MAX: usize = 60;

/// A call that is to be carried out by a sub-agent.
#[derive(Debug, Clone, PartialEq)]
pub struct StartAgent {
    /// The number of the call: it stands in all events about it.
    pub number: u64,
    /// The call.
    pub call: Call,
    /// The step of the conversation whose answer has the call. Ids of calls may come again, steps do
    /// not.
    pub step: u32,
    /// The place of the call among those of its answer, from 0.
    pub place: usize,
    /// What is left of the limits. Of the requests one is held back, in which the answer is read.
    pub limits: Limits,
}

/// What a sub-agent is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SubTask {
    /// What it is told.
    pub task: String,
    /// What it is called where a person sees it, in one line.
    pub label: String,
}

impl SubTask {
    /// What a call asks for.
    ///
    /// # Errors
    /// The answer to a call that says nothing to do.
    pub fn of(arguments: &Value) -> Result<Self, ToolAnswer> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).map(str::trim);
        let task = text("task").filter(|task| !task.is_empty()).ok_or_else(|| {
            let text = "no sub-agent was started: say in `task`, a string, what it is to do, with \
                        all that it has to know";
            ToolAnswer::failed(text.to_owned())
        })?;
        let label = text("label").filter(|label| !label.is_empty()).unwrap_or(task);
        let words: Vec<&str> = label.split_whitespace().collect();
        let label = words.join(" ").chars().take(LABEL_CHARS_MAX).collect();
        Ok(Self { task: task.to_owned(), label })
    }
}

impl AgentTool {
    /// The tool by which the model starts a sub-agent.
    pub fn start_agent() -> Self {
        // It goes with each request.
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
        Self { spec: ToolSpec { name, description, schema }, only_looks: false }
    }
}

/// What the call is answered once its sub-agent has ended so, which said `said` last. It is an error
/// where that is not what it was to find out.
pub fn answer(outcome: &Outcome, said: &str) -> ToolAnswer {
    let why = match outcome {
        Outcome::Finished { text } if !text.trim().is_empty() => {
            return ToolAnswer { text: text.clone(), ..ToolAnswer::default() };
        }
        Outcome::Cut { text } => {
            let cut = "[the sub-agent's answer was cut here: it is longer than it may say at once]";
            return ToolAnswer { text: format!("{text}\n{cut}"), ..ToolAnswer::default() };
        }
        Outcome::Finished { .. } => "it ended without an answer".to_owned(),
        Outcome::Refused { .. } => "it refused to go on".to_owned(),
        Outcome::Limit { limit } => format!("the limit of {} is reached", limit.words()),
        Outcome::Repeated { name, times } => {
            format!("it called {name} {times} times with the same arguments and the same answer")
        }
        Outcome::TooLong { message } | Outcome::Failed { message } => message.clone(),
        Outcome::Stopped => "it was stopped".to_owned(),
    };
    let said = match said.trim() {
        "" => "It had said nothing.".to_owned(),
        said => format!("What it said last:\n{said}"),
    };
    ToolAnswer::failed(format!(
        "the sub-agent ended before it was done: {why}. What it changed until then stays. {said}"
    ))
}
