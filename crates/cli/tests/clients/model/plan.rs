//! What the model does: one step for each of its turns.

use serde_json::Value;

/// One conversation: that of the user's prompt, or of a sub-agent.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Stands in what the user says in this conversation, and in no other.
    pub(crate) marker: &'static str,
    /// The turns. After the last one the model says that it is done.
    pub(crate) steps: Vec<Step>,
}

/// One turn: the calls that are made at once.
pub(crate) type Step = Vec<Call>;

/// One call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    /// The tool, as the agent calls it.
    pub(crate) tool: String,
    /// How the call is written.
    pub(crate) form: CallForm,
    /// Its arguments.
    pub(crate) arguments: Value,
    /// The tool of foveal that it reaches, if it reaches one.
    pub(crate) own: Option<&'static str>,
}

/// How a call is written; all but the first are of the Responses protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallForm {
    /// As a function.
    Function,
    /// As a function of a group of tools.
    Grouped(&'static str),
    /// As a search for tools that are not offered yet.
    Search,
}

impl Call {
    /// A call of one of the agent's own tools.
    pub(crate) fn native(tool: &str, arguments: Value) -> Self {
        Self { tool: tool.to_owned(), form: CallForm::Function, arguments, own: None }
    }
}

/// The id of a call, which says where in which plan it stands.
pub(crate) fn call_id(plan: usize, step: usize, call: usize) -> String {
    format!("call_p{plan}s{step:02}c{call}")
}

/// Plan, step and place of a call with this id; `None`: it is not of a plan.
pub(crate) fn call_at(id: &str) -> Option<(usize, usize, usize)> {
    let (plan, rest) = id.strip_prefix("call_p")?.split_once('s')?;
    let (step, call) = rest.split_once('c')?;
    Some((plan.parse().ok()?, step.parse().ok()?, call.parse().ok()?))
}

/// What the model answers to one request.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    /// Names the turn: some agents take two messages of one name for one message.
    pub(crate) turn: String,
    /// What it says.
    pub(crate) text: String,
    /// What it calls, with the ids of the calls.
    pub(crate) calls: Vec<(String, Call)>,
}
