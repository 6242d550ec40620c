//! A test driver for the agent, with immediate answers.

use foveal_agent::{
    Agent, AgentAction, AgentEvent, AgentInput, AgentTool, ModelPrice, RunLimits, RunOutcome,
    Settings, ToolAnswer,
};
use foveal_protocols::prompt::{ApiDialect, ToolSpec};
use foveal_protocols::response::{
    AnswerCompletion, AnswerMetadata, BilledUsage, DecodedAnswer, StopReason,
};
use foveal_transcript::{ContentBlock, Timestamp, ToolCall};
use serde_json::{Value, json};

/// An agent with the actions that it returned.
pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) now: i64,
    /// All actions so far.
    pub(crate) actions: Vec<AgentAction>,
    /// Whether calls are approved at once.
    pub(crate) allows: bool,
}

pub(crate) fn settings(limits: RunLimits) -> Settings {
    let tool = |name: &str, only_looks| AgentTool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: "A tool.".to_owned(),
            schema: json!({"type": "object"}),
        },
        is_read_only: only_looks,
    };
    Settings {
        session: "s".to_owned(),
        model: "some-model".to_owned(),
        dialect: ApiDialect::Chat,
        system_prompt: "You are an agent.".to_owned(),
        tools: vec![tool("look", true), tool("act", false)],
        output_tokens_max: None,
        drops_bound_thinking: false,
        limits,
        price: ModelPrice::Free,
        directory: "/w".to_owned(),
        waits_for_tasks: false,
    }
}

pub(crate) fn call(id: &str, name: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: name.to_owned(), arguments: json!({"of": id}) }
}

pub(crate) fn said(text: &str, calls: &[ToolCall]) -> DecodedAnswer {
    let mut blocks: Vec<ContentBlock> = Vec::new();
    if !text.is_empty() {
        blocks.push(ContentBlock::Text(text.to_owned()));
    }
    blocks.extend(calls.iter().cloned().map(ContentBlock::Call));
    let billed = BilledUsage {
        uncached: Some(10),
        output: Some(5),
        cost: Some(0.25),
        ..BilledUsage::default()
    };
    DecodedAnswer {
        blocks,
        stop_reason: if calls.is_empty() { StopReason::EndOfTurn } else { StopReason::ToolCalls },
        metadata: AnswerMetadata {
            billed,
            model: Some("m".to_owned()),
            stop_reason: None,
            id: None,
            error: None,
            completion: AnswerCompletion::Complete,
        },
        is_broken: false,
    }
}

pub(crate) fn answer(text: &str) -> ToolAnswer {
    ToolAnswer { text: text.to_owned(), ..ToolAnswer::default() }
}

impl World {
    pub(crate) fn with(limits: RunLimits) -> Self {
        let mut world = Self::of(Agent::new(settings(limits)));
        world.step(AgentInput::Task("do it".to_owned()));
        world
    }

    pub(crate) fn of(agent: Agent) -> Self {
        Self { agent, now: 1_000, actions: Vec::new(), allows: true }
    }

    /// Returns an agent that waits for tasks, working on its first one.
    pub(crate) fn staying(limits: RunLimits) -> Self {
        let mut world =
            Self::of(Agent::new(Settings { waits_for_tasks: true, ..settings(limits) }));
        world.step(AgentInput::Task("do it".to_owned()));
        world
    }

    pub(crate) fn new() -> Self {
        Self::with(RunLimits::default())
    }

    /// Sends an input, and returns the actions to perform.
    pub(crate) fn step(&mut self, event: AgentInput) -> Vec<AgentAction> {
        let mut actions = self.agent.step(event, Timestamp(self.now));
        if self.allows {
            for number in waiting(&actions) {
                actions.extend(
                    self.agent.step(AgentInput::CallApproved { number }, Timestamp(self.now)),
                );
            }
        }
        self.actions.extend(actions.clone());
        actions
    }

    /// Returns the number of the last request.
    pub(crate) fn number(&self) -> u64 {
        let asked = self.actions.iter().rev().find_map(|action| match action {
            AgentAction::SendRequest { number, .. } => Some(*number),
            _ => None,
        });
        asked.expect("the model is asked")
    }

    /// Returns the number of the agent's own requests.
    pub(crate) fn requests(&self) -> u32 {
        let asks =
            self.actions.iter().filter(|action| matches!(action, AgentAction::SendRequest { .. }));
        u32::try_from(asks.count()).expect("few")
    }

    pub(crate) fn say(&mut self, text: &str, calls: &[ToolCall]) -> Vec<AgentAction> {
        let number = self.number();
        self.step(AgentInput::AnswerCompleted { number, answer: said(text, calls) })
    }

    pub(crate) fn give(&mut self, id: &str, text: &str) -> Vec<AgentAction> {
        let number = self.call_number(id);
        self.step(AgentInput::CallAnswered { number, answer: answer(text) })
    }

    /// Returns the number of the last call with this id.
    pub(crate) fn call_number(&self, id: &str) -> u64 {
        let made = self.actions.iter().rev().find_map(|action| match action {
            AgentAction::RunCall { number, call } if call.id == id => Some(*number),
            _ => None,
        });
        made.expect("the call is made")
    }

    /// Returns the body of the last request.
    pub(crate) fn body(&self) -> Value {
        let asked = self.actions.iter().rev().find_map(|action| match action {
            AgentAction::SendRequest { body, .. } => serde_json::from_slice(body).ok(),
            _ => None,
        });
        asked.expect("the model is asked")
    }

    pub(crate) fn outcome(&self) -> Option<&RunOutcome> {
        self.actions.iter().find_map(|action| match action {
            AgentAction::End(outcome) => Some(outcome),
            _ => None,
        })
    }
}

/// Returns the ids of the started calls, in order.
pub(crate) fn made(actions: &[AgentAction]) -> Vec<&str> {
    let made = actions.iter().filter_map(|action| match action {
        AgentAction::RunCall { call, .. } => Some(call.id.as_str()),
        _ => None,
    });
    made.collect()
}

/// Returns the numbers of the calls that wait for approval.
pub(crate) fn waiting(actions: &[AgentAction]) -> Vec<u64> {
    let waiting = actions.iter().filter_map(|action| match action {
        AgentAction::RunCall { number, call } if call.name == "act" => Some(*number),
        _ => None,
    });
    waiting.collect()
}

pub(crate) fn asks(actions: &[AgentAction]) -> bool {
    actions.iter().any(|action| matches!(action, AgentAction::SendRequest { .. }))
}

pub(crate) fn told(actions: &[AgentAction]) -> Vec<&AgentEvent> {
    let told = actions.iter().filter_map(|action| match action {
        AgentAction::Emit(told) => Some(told),
        _ => None,
    });
    told.collect()
}
