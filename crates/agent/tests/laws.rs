//! Invariants that hold for any sequence of inputs.

use std::collections::{BTreeMap, BTreeSet};

use foveal_agent::{
    Agent, AgentAction, AgentEvent, AgentInput, AgentTool, RunLimits, RunLogEntry, RunTotals,
    START_AGENT, Settings, SubAgentCall,
};
use foveal_protocols::response::DecodedEvent;
use foveal_transcript::{
    ContentBlock, Conversation, EntryMark, MessageRole, ToolCall, ToolResult, TranscriptEntry,
};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, answer, said, settings};

/// A generated input.
#[derive(Debug, Clone)]
enum Happens {
    /// The user gives a task.
    Asks,
    /// The user continues the conversation.
    GoesOn,
    /// The model makes these calls, each with the index of its tool and whether its arguments are
    /// an object.
    Says(Vec<(usize, bool)>),
    /// Approval of the call at this index among the waiting ones.
    Allows(usize),
    /// An answer to the call at this index among the started ones, even if it was abandoned.
    Answers(usize, bool),
    /// A sub-agent of the call at this index among the started ones reports another request.
    OfAgent(usize),
    Streams,
    Fails(bool),
    Stops,
    Leaves,
    Passes(i64),
    /// An input about an unknown call.
    Strays,
}

fn any_happens() -> impl Strategy<Value = Happens> {
    let calls = prop::collection::vec((0usize..3, prop::bool::weighted(0.9)), 0..5);
    prop_oneof![
        3 => Just(Happens::Asks),
        1 => Just(Happens::GoesOn),
        6 => calls.prop_map(Happens::Says),
        6 => (0usize..5).prop_map(Happens::Allows),
        12 => (0usize..5, any::<bool>()).prop_map(|(at, same)| Happens::Answers(at, same)),
        2 => (0usize..5).prop_map(Happens::OfAgent),
        2 => Just(Happens::Streams),
        1 => any::<bool>().prop_map(Happens::Fails),
        2 => Just(Happens::Stops),
        1 => prop::bool::weighted(0.2).prop_map(|leaves| match leaves {
            true => Happens::Leaves,
            false => Happens::Streams,
        }),
        2 => (0i64..300).prop_map(Happens::Passes),
        1 => Just(Happens::Strays),
    ]
}

/// Returns the ids of the calls without a result.
fn open(conversation: &Conversation) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for block in conversation.entries().iter().flat_map(|entry| &entry.blocks) {
        match block {
            ContentBlock::Call(call) => open.push(call.id.clone()),
            ContentBlock::Result(result) => {
                assert_eq!(Some(0), open.iter().position(|id| *id == result.call), "in order");
                open.remove(0);
            }
            _ => {}
        }
    }
    open
}

/// The knowledge of the agent's driver.
#[derive(Default)]
struct Driver {
    /// Calls without an answer, including abandoned ones.
    made: Vec<(u64, ToolCall)>,
    /// The calls among them that the agent waits for.
    running: BTreeSet<u64>,
    begun: BTreeSet<u64>,
    /// All calls ever started.
    all: BTreeMap<u64, ToolCall>,
    tasks: usize,
    asked_by_agent: u32,
    /// The calls whose answers were reported and are not messages yet.
    told: Vec<String>,
}

impl Driver {
    /// Returns the input, or `None` where it is not possible now.
    fn event(&mut self, happens: Happens, world: &World) -> Option<AgentInput> {
        let number = world.number();
        Some(match happens {
            Happens::Asks => AgentInput::Task("more".to_owned()),
            Happens::GoesOn => AgentInput::Continue,
            Happens::Says(made) => {
                // Some servers reuse call ids in each answer.
                let call = |(at, (tool, is_object)): (usize, (usize, bool))| ToolCall {
                    id: format!("c{at}"),
                    name: ["look", "act", START_AGENT][tool].to_owned(),
                    arguments: if is_object { json!({"n": 1}) } else { json!("{") },
                };
                let calls: Vec<ToolCall> = made.into_iter().enumerate().map(call).collect();
                AgentInput::AnswerCompleted { number, answer: said("on", &calls) }
            }
            Happens::Allows(at) => {
                let waits = |(number, call): &&(u64, ToolCall)| {
                    call.name != "look" && !self.begun.contains(number)
                };
                let number = self.made.iter().filter(waits).nth(at)?.0;
                AgentInput::CallApproved { number }
            }
            Happens::Answers(_, _) if self.made.is_empty() => return None,
            Happens::Answers(at, same) => {
                let (number, _) = self.made.swap_remove(at % self.made.len());
                self.running.remove(&number);
                let text = if same { "same".to_owned() } else { format!("n{number}") };
                AgentInput::CallAnswered { number, answer: answer(&text) }
            }
            Happens::OfAgent(_) if self.made.is_empty() => return None,
            Happens::OfAgent(at) => {
                let (number, _) = self.made[at % self.made.len()];
                self.asked_by_agent += 1;
                let spent = RunTotals { turns: self.asked_by_agent, ..RunTotals::default() };
                AgentInput::SubAgentReported {
                    number,
                    event: Box::new(AgentEvent::Usage { number: 1, spent, estimated: false }),
                }
            }
            Happens::Streams => {
                AgentInput::AnswerDelta { number, event: DecodedEvent::Text("t".to_owned()) }
            }
            Happens::Fails(is_too_long) => {
                AgentInput::RequestFailed { number, message: "no".to_owned(), is_too_long }
            }
            Happens::Stops => AgentInput::Stop,
            Happens::Leaves => AgentInput::ShutDown,
            Happens::Passes(_) => AgentInput::Tick,
            Happens::Strays => AgentInput::CallAnswered { number: 999_999, answer: answer("x") },
        })
    }

    fn take(&mut self, actions: &[AgentAction]) {
        for (at, action) in actions.iter().enumerate() {
            match action {
                AgentAction::RunCall { number, call }
                | AgentAction::StartSubAgent(SubAgentCall { number, call, .. }) => {
                    let starts = matches!(action, AgentAction::StartSubAgent(_));
                    assert_eq!(starts, call.name == START_AGENT);
                    assert!(self.all.insert(*number, call.clone()).is_none(), "a number is one's");
                    self.made.push((*number, call.clone()));
                    self.running.insert(*number);
                }
                AgentAction::Emit(AgentEvent::Result { id, .. }) => self.told.push(id.clone()),
                AgentAction::AppendLog(RunLogEntry::Message(entry)) => {
                    if let Some(result) = entry.tool_result().filter(|_| !goes_back(actions)) {
                        let told = self.told.iter().position(|id| *id == result.call);
                        self.told.swap_remove(told.expect("each result was told before it counts"));
                    }
                }
                AgentAction::BeginCall { number } => {
                    let id = self.all[number].id.clone();
                    let is_kept = at > 0
                        && actions[at - 1] == AgentAction::AppendLog(RunLogEntry::CallBegun { id });
                    assert!(is_kept, "that it begins is kept before");
                    assert!(self.running.contains(number) && self.begun.insert(*number));
                }
                _ => {}
            }
        }
    }

    /// Checks that calls with effects run alone, and that running calls have no result.
    fn check_running(&self, open: &[String]) {
        let running: Vec<&ToolCall> = self.running.iter().map(|number| &self.all[number]).collect();
        let acts = running.iter().filter(|call| call.name != "look").count();
        assert!(acts == 0 || running.len() == 1, "{running:?}");
        assert!(running.iter().all(|call| open.contains(&call.id)));
    }

    /// Checks that each call has its answer, once.
    fn check_results(&self, conversation: &Conversation) {
        let results = conversation.entries().iter().filter_map(|entry| entry.tool_result());
        let numbered = |result: &ToolResult| {
            let digits: String = result
                .content
                .strip_prefix('n')?
                .chars()
                .take_while(char::is_ascii_digit)
                .collect();
            Some((digits.parse::<u64>().ok()?, result.call.clone()))
        };
        let numbered: Vec<(u64, String)> = results.filter_map(numbered).collect();
        assert!(numbered.iter().all(|(number, id)| self.all[number].id == *id));
        assert!(numbered.is_sorted_by(|(one, _), (other, _)| one < other), "{numbered:?}");
    }
}

/// Returns whether the actions log a compaction or a rewind.
fn goes_back(actions: &[AgentAction]) -> bool {
    let is_mark = |action: &AgentAction| match action {
        AgentAction::AppendLog(RunLogEntry::Message(entry)) => {
            matches!(entry.mark, EntryMark::Rewind { .. })
        }
        _ => false,
    };
    actions.iter().any(is_mark)
}

fn said_by_person(entries: &[TranscriptEntry]) -> usize {
    let is_said =
        |entry: &&TranscriptEntry| entry.role == MessageRole::User && entry.mark == EntryMark::None;
    entries.iter().filter(is_said).count()
}

/// Checks that the system prompt stays and one message replaces the omitted ones.
fn check_left_out(before: &[TranscriptEntry], after: &[TranscriptEntry]) {
    assert!(after.len() <= before.len() && after[0] == before[0]);
    assert!(after[1].role == MessageRole::User && after[1].mark == EntryMark::CompactSummary);
    let staying = before[before.len() - (after.len() - 2)..].iter();
    assert!(staying.zip(&after[2..]).all(|(one, other)| one.blocks == other.blocks));
}

fn asked(actions: &[AgentAction]) -> usize {
    actions.iter().filter(|it| matches!(it, AgentAction::SendRequest { .. })).count()
}

fn done(actions: &[AgentAction]) -> usize {
    actions.iter().filter(|it| matches!(it, AgentAction::Emit(AgentEvent::Done { .. }))).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..Default::default() })]

    #[test]
    fn calls_and_results_pair_and_nothing_runs_beside_what_acts(
        course in prop::collection::vec(any_happens(), 0..80),
        turns in prop::option::of(1u32..8),
        stays in any::<bool>(),
    ) {
        let limits = RunLimits { turns, time_ms: Some(2_000), ..RunLimits::default() };
        let mut settings = Settings { waits_for_tasks: stays, ..settings(limits) };
        settings.tools.push(AgentTool::new_sub_agent_tool());
        let mut world = World::of(Agent::new(settings));
        world.allows = false;
        world.step(AgentInput::Task("do it".to_owned()));
        let (mut driver, mut asked_in_turn) = (Driver { tasks: 1, ..Driver::default() }, 1);
        for happens in course {
            if let Happens::Passes(ms) = happens {
                world.now += ms;
            }
            let Some(event) = driver.event(happens, &world) else { continue };
            let before = world.agent.conversation().entries().to_vec();
            let (had_ended, was_idle) = (world.agent.is_terminated(), world.agent.is_idle());
            let spent = *world.agent.totals();
            let begins = was_idle && matches!(event, AgentInput::Task(_) | AgentInput::Continue);
            driver.tasks += usize::from(was_idle && matches!(event, AgentInput::Task(_)));
            let leaves = event == AgentInput::ShutDown;
            let actions = world.step(event);
            prop_assert!(!had_ended || actions.is_empty(), "nothing happens behind the end");
            prop_assert!(!was_idle || begins || leaves || actions.is_empty(), "it waits");
            prop_assert!(!was_idle || !leaves || world.agent.is_terminated());
            // The conversation only grows, unless it exceeds the window.
            let after = world.agent.conversation().entries();
            if goes_back(&actions) {
                check_left_out(&before, after);
                driver.tasks -= said_by_person(&before) - said_by_person(after);
            } else {
                prop_assert!(after.starts_with(&before));
            }
            driver.take(&actions);
            // The totals include those of the sub-agents and never decrease.
            let now = world.agent.totals();
            prop_assert!(now.turns >= spent.turns && now.agents.turns >= spent.agents.turns);
            prop_assert_eq!(now.turns - now.agents.turns, world.requests());
            let is_over = world.agent.is_terminated() || world.agent.is_idle();
            prop_assert_eq!(done(&actions), usize::from(is_over && !had_ended && (begins || !was_idle)));
            prop_assert!(stays || !world.agent.is_idle());
            if is_over {
                driver.running.clear();
            }
            // Calls and results pair in each request and at the end of each turn.
            let open = open(world.agent.conversation());
            prop_assert!(open.is_empty() || (asked(&actions) == 0 && !is_over), "{:?}", open);
            prop_assert!(!open.is_empty() || driver.told.is_empty(), "each is told once");
            driver.check_running(&open);
            driver.check_results(world.agent.conversation());
            asked_in_turn = if begins { 0 } else { asked_in_turn } + asked(&actions);
            prop_assert!(turns.is_none_or(|most| asked_in_turn <= most as usize));
        }
        let entries = world.agent.conversation().entries();
        prop_assert!(said_by_person(entries) == driver.tasks, "what waits behind a call is not said yet");
    }
}
