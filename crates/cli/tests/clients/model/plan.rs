//! What the model does: one step for each of its turns.

use serde_json::Value;

/// One conversation: that of the user's prompt, or of a sub-agent.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    /// Stands in what the user says in this conversation, and in no other.
    pub(crate) marker: &'static str,
    /// The turns. After the last one the model says that it is done.
    pub(crate) steps: Vec<Step>,
    /// Events beside the turns, each before the model answers in that turn for the first time.
    pub(crate) events: Vec<(usize, Event)>,
}

/// An event in a session that no tool call causes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// The provider fails once.
    Fault(Fault),
    /// Another program runs in the project: a line for the shell.
    Change(String),
    /// The gateway is killed behind this turn, and started again.
    GatewayKill,
    /// The provider bills a prompt of so many tokens, so that the client compacts.
    FullWindow(u32),
}

/// A failure of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// This status in place of an answer.
    Status(u16),
    /// A stream that ends in its middle.
    CutStream,
    /// A stream that comes in small parts.
    SlowStream,
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
    /// As a custom tool, whose input is the text in `input`.
    Custom,
}

impl Plan {
    /// A plan without events.
    pub(crate) fn new(marker: &'static str, steps: Vec<Step>) -> Self {
        Self { marker, steps, events: Vec::new() }
    }
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

impl Fault {
    /// All kinds of failure.
    pub(crate) const ALL: [Self; 5] = [
        Self::Status(429),
        Self::Status(500),
        Self::Status(529),
        Self::CutStream,
        Self::SlowStream,
    ];
}

/// What the model answers to one request.
#[derive(Debug)]
pub(crate) struct Reply {
    /// Names the turn: some agents take two messages of one name for one message.
    pub(crate) turn: String,
    /// What it says.
    pub(crate) text: String,
    /// How many tokens of prompt are billed.
    pub(crate) prompt_tokens: u32,
    /// What it calls, with the ids of the calls.
    pub(crate) calls: Vec<(String, Call)>,
}
