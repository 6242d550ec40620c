//! An agent, and a world that answers it at once.

use foveal_agent::{Action, Agent, AgentTool, Event, Limits, Outcome, Settings, Told, ToolAnswer};
use foveal_transcript::{Block, Call, Timestamp};
use foveal_wire::prompt::{Dialect, ToolSpec};
use foveal_wire::response::{Answer, Billed, End, Said, StopReason};
use serde_json::{Value, json};

/// An agent that is driven by hand.
pub(crate) struct World {
    pub(crate) agent: Agent,
    pub(crate) now: i64,
    /// All that was to be done so far.
    pub(crate) actions: Vec<Action>,
    /// Whether calls are allowed at once.
    pub(crate) allows: bool,
}

pub(crate) fn settings(limits: Limits) -> Settings {
    let tool = |name: &str, only_looks| AgentTool {
        spec: ToolSpec {
            name: name.to_owned(),
            description: "A tool.".to_owned(),
            schema: json!({"type": "object"}),
        },
        only_looks,
    };
    Settings {
        session: "s".to_owned(),
        model: "some-model".to_owned(),
        dialect: Dialect::Chat,
        system: "You are an agent.".to_owned(),
        tools: vec![tool("look", true), tool("act", false)],
        output_tokens_max: None,
        drops_bound_thinking: false,
        limits,
        prices: None,
        directory: "/w".to_owned(),
        stays: false,
    }
}

pub(crate) fn call(id: &str, name: &str) -> Call {
    Call { id: id.to_owned(), name: name.to_owned(), arguments: json!({"of": id}) }
}

pub(crate) fn said(text: &str, calls: &[Call]) -> Said {
    let mut blocks: Vec<Block> = Vec::new();
    if !text.is_empty() {
        blocks.push(Block::Text(text.to_owned()));
    }
    blocks.extend(calls.iter().cloned().map(Block::Call));
    let billed =
        Billed { uncached: Some(10), output: Some(5), cost: Some(0.25), ..Billed::default() };
    Said {
        blocks,
        stop: if calls.is_empty() { StopReason::End } else { StopReason::Calls },
        answer: Answer {
            billed,
            model: Some("m".to_owned()),
            stop_reason: None,
            id: None,
            error: None,
            ended: End::Whole,
        },
        is_broken: false,
    }
}

pub(crate) fn answer(text: &str) -> ToolAnswer {
    ToolAnswer { text: text.to_owned(), ..ToolAnswer::default() }
}

impl World {
    pub(crate) fn with(limits: Limits) -> Self {
        let mut world = Self::of(Agent::new(settings(limits)));
        world.step(Event::Task("do it".to_owned()));
        world
    }

    pub(crate) fn of(agent: Agent) -> Self {
        Self { agent, now: 1_000, actions: Vec::new(), allows: true }
    }

    /// An agent that stays, at its first task.
    pub(crate) fn staying(limits: Limits) -> Self {
        let mut world = Self::of(Agent::new(Settings { stays: true, ..settings(limits) }));
        world.step(Event::Task("do it".to_owned()));
        world
    }

    pub(crate) fn new() -> Self {
        Self::with(Limits::default())
    }

    /// What is to be done now.
    pub(crate) fn step(&mut self, event: Event) -> Vec<Action> {
        let mut actions = self.agent.step(event, Timestamp(self.now));
        if self.allows {
            for number in waiting(&actions) {
                actions.extend(self.agent.step(Event::Allowed { number }, Timestamp(self.now)));
            }
        }
        self.actions.extend(actions.clone());
        actions
    }

    /// The request that is not answered yet.
    pub(crate) fn number(&self) -> u64 {
        let asked = self.actions.iter().rev().find_map(|action| match action {
            Action::Ask { number, .. } => Some(*number),
            _ => None,
        });
        asked.expect("the model is asked")
    }

    /// Its own requests so far.
    pub(crate) fn requests(&self) -> u32 {
        let asks = self.actions.iter().filter(|action| matches!(action, Action::Ask { .. }));
        u32::try_from(asks.count()).expect("few")
    }

    pub(crate) fn say(&mut self, text: &str, calls: &[Call]) -> Vec<Action> {
        let number = self.number();
        self.step(Event::Said { number, said: said(text, calls) })
    }

    pub(crate) fn give(&mut self, id: &str, text: &str) -> Vec<Action> {
        let number = self.call_number(id);
        self.step(Event::Answered { number, answer: answer(text) })
    }

    /// The number of the last call with this id.
    pub(crate) fn call_number(&self, id: &str) -> u64 {
        let made = self.actions.iter().rev().find_map(|action| match action {
            Action::Call { number, call } if call.id == id => Some(*number),
            _ => None,
        });
        made.expect("the call is made")
    }

    /// The body of the last request.
    pub(crate) fn body(&self) -> Value {
        let asked = self.actions.iter().rev().find_map(|action| match action {
            Action::Ask { body, .. } => serde_json::from_slice(body).ok(),
            _ => None,
        });
        asked.expect("the model is asked")
    }

    pub(crate) fn outcome(&self) -> Option<&Outcome> {
        self.actions.iter().find_map(|action| match action {
            Action::End(outcome) => Some(outcome),
            _ => None,
        })
    }
}

/// The calls that are made, in order.
pub(crate) fn made(actions: &[Action]) -> Vec<&str> {
    let made = actions.iter().filter_map(|action| match action {
        Action::Call { call, .. } => Some(call.id.as_str()),
        _ => None,
    });
    made.collect()
}

/// The calls that wait until they are allowed.
pub(crate) fn waiting(actions: &[Action]) -> Vec<u64> {
    let waiting = actions.iter().filter_map(|action| match action {
        Action::Call { number, call } if call.name == "act" => Some(*number),
        _ => None,
    });
    waiting.collect()
}

pub(crate) fn asks(actions: &[Action]) -> bool {
    actions.iter().any(|action| matches!(action, Action::Ask { .. }))
}

pub(crate) fn told(actions: &[Action]) -> Vec<&Told> {
    let told = actions.iter().filter_map(|action| match action {
        Action::Tell(told) => Some(told),
        _ => None,
    });
    told.collect()
}
