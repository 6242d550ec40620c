//! What holds whatever happens.

use std::collections::{BTreeMap, BTreeSet};

use foveal_agent::{
    Action, Agent, AgentTool, Event, Keep, Limits, START_AGENT, Settings, Spent, StartAgent, Told,
};
use foveal_transcript::{Block, Call, Conversation, Entry, Mark, Role, ToolResult};
use foveal_wire::response::SaidEvent;
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, answer, said, settings};

/// Something that happens.
#[derive(Debug, Clone)]
enum Happens {
    /// The person gives a task.
    Asks,
    /// The person wants it to go on.
    GoesOn,
    /// The model says this many calls; of each which of the tools it is of, and whether its arguments
    /// are an object.
    Says(Vec<(usize, bool)>),
    /// The call at this place among those that wait is allowed.
    Allows(usize),
    /// The call at this place among those that were made is answered, also if nobody waits for it.
    Answers(usize, bool),
    /// The call at this place among those that were made is told of by a sub-agent, which asked the
    /// model once more.
    OfAgent(usize),
    Streams,
    Fails(bool),
    Stops,
    Leaves,
    Passes(i64),
    /// Something about a call that is not there.
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

/// Calls without a result.
fn open(conversation: &Conversation) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for block in conversation.entries().iter().flat_map(|entry| &entry.blocks) {
        match block {
            Block::Call(call) => open.push(call.id.clone()),
            Block::Result(result) => {
                assert_eq!(Some(0), open.iter().position(|id| *id == result.call), "in order");
                open.remove(0);
            }
            _ => {}
        }
    }
    open
}

/// What whoever drives the agent knows.
#[derive(Default)]
struct Driver {
    /// Calls that have no answer yet, also those that nobody waits for any more.
    made: Vec<(u64, Call)>,
    /// Those of them that the agent waits for.
    running: BTreeSet<u64>,
    begun: BTreeSet<u64>,
    /// All calls that were ever made.
    all: BTreeMap<u64, Call>,
    tasks: usize,
    asked_by_agent: u32,
    /// The calls whose answers were told and are no messages yet.
    told: Vec<String>,
}

impl Driver {
    /// What happens, as an event; `None` where it cannot happen now.
    fn event(&mut self, happens: Happens, world: &World) -> Option<Event> {
        let number = world.number();
        Some(match happens {
            Happens::Asks => Event::Task("more".to_owned()),
            Happens::GoesOn => Event::GoOn,
            Happens::Says(made) => {
                // Some servers count calls anew in each answer.
                let call = |(at, (tool, is_object)): (usize, (usize, bool))| Call {
                    id: format!("c{at}"),
                    name: ["look", "act", START_AGENT][tool].to_owned(),
                    arguments: if is_object { json!({"n": 1}) } else { json!("{") },
                };
                let calls: Vec<Call> = made.into_iter().enumerate().map(call).collect();
                Event::Said { number, said: said("on", &calls) }
            }
            Happens::Allows(at) => {
                let waits = |(number, call): &&(u64, Call)| {
                    call.name != "look" && !self.begun.contains(number)
                };
                let number = self.made.iter().filter(waits).nth(at)?.0;
                Event::Allowed { number }
            }
            Happens::Answers(_, _) if self.made.is_empty() => return None,
            Happens::Answers(at, same) => {
                let (number, _) = self.made.swap_remove(at % self.made.len());
                self.running.remove(&number);
                let text = if same { "same".to_owned() } else { format!("n{number}") };
                Event::Answered { number, answer: answer(&text) }
            }
            Happens::OfAgent(_) if self.made.is_empty() => return None,
            Happens::OfAgent(at) => {
                let (number, _) = self.made[at % self.made.len()];
                self.asked_by_agent += 1;
                let spent = Spent { turns: self.asked_by_agent, ..Spent::default() };
                Event::OfAgent {
                    number,
                    told: Box::new(Told::Usage { number: 1, spent, estimated: false }),
                }
            }
            Happens::Streams => Event::Streamed { number, event: SaidEvent::Text("t".to_owned()) },
            Happens::Fails(is_too_long) => {
                Event::Failed { number, message: "no".to_owned(), is_too_long }
            }
            Happens::Stops => Event::Stop,
            Happens::Leaves => Event::Leave,
            Happens::Passes(_) => Event::Tick,
            Happens::Strays => Event::Answered { number: 999_999, answer: answer("x") },
        })
    }

    fn take(&mut self, actions: &[Action]) {
        for (at, action) in actions.iter().enumerate() {
            match action {
                Action::Call { number, call }
                | Action::StartAgent(StartAgent { number, call, .. }) => {
                    let starts = matches!(action, Action::StartAgent(_));
                    assert_eq!(starts, call.name == START_AGENT);
                    assert!(self.all.insert(*number, call.clone()).is_none(), "a number is one's");
                    self.made.push((*number, call.clone()));
                    self.running.insert(*number);
                }
                Action::Tell(Told::Result { id, .. }) => self.told.push(id.clone()),
                Action::Keep(Keep::Entry(entry)) => {
                    if let Some(result) = entry.result().filter(|_| !goes_back(actions)) {
                        let told = self.told.iter().position(|id| *id == result.call);
                        self.told.swap_remove(told.expect("each result was told before it counts"));
                    }
                }
                Action::Begin { number } => {
                    let id = self.all[number].id.clone();
                    let is_kept = at > 0 && actions[at - 1] == Action::Keep(Keep::Begun { id });
                    assert!(is_kept, "that it begins is kept before");
                    assert!(self.running.contains(number) && self.begun.insert(*number));
                }
                _ => {}
            }
        }
    }

    /// What acts runs alone, and what runs has no result yet.
    fn check_running(&self, open: &[String]) {
        let running: Vec<&Call> = self.running.iter().map(|number| &self.all[number]).collect();
        let acts = running.iter().filter(|call| call.name != "look").count();
        assert!(acts == 0 || running.len() == 1, "{running:?}");
        assert!(running.iter().all(|call| open.contains(&call.id)));
    }

    /// Each answer stands under the call that it is of, once.
    fn check_results(&self, conversation: &Conversation) {
        let results = conversation.entries().iter().filter_map(|entry| entry.result());
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

/// Whether messages are left out from here on.
fn goes_back(actions: &[Action]) -> bool {
    let is_mark = |action: &Action| match action {
        Action::Keep(Keep::Entry(entry)) => matches!(entry.mark, Mark::Rewind { .. }),
        _ => false,
    };
    actions.iter().any(is_mark)
}

fn said_by_person(entries: &[Entry]) -> usize {
    let is_said = |entry: &&Entry| entry.role == Role::User && entry.mark == Mark::None;
    entries.iter().filter(is_said).count()
}

/// The system prompt stays, one message stands for those that are left out, and the rest follows.
fn check_left_out(before: &[Entry], after: &[Entry]) {
    assert!(after.len() <= before.len() && after[0] == before[0]);
    assert!(after[1].role == Role::User && after[1].mark == Mark::CompactSummary);
    let staying = before[before.len() - (after.len() - 2)..].iter();
    assert!(staying.zip(&after[2..]).all(|(one, other)| one.blocks == other.blocks));
}

fn asked(actions: &[Action]) -> usize {
    actions.iter().filter(|it| matches!(it, Action::Ask { .. })).count()
}

fn done(actions: &[Action]) -> usize {
    actions.iter().filter(|it| matches!(it, Action::Tell(Told::Done { .. }))).count()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 800, failure_persistence: None, ..Default::default() })]

    #[test]
    fn calls_and_results_pair_and_nothing_runs_beside_what_acts(
        course in prop::collection::vec(any_happens(), 0..80),
        turns in prop::option::of(1u32..8),
        stays in any::<bool>(),
    ) {
        let limits = Limits { turns, time_ms: Some(2_000), ..Limits::default() };
        let mut settings = Settings { stays, ..settings(limits) };
        settings.tools.push(AgentTool::start_agent());
        let mut world = World::of(Agent::new(settings));
        world.allows = false;
        world.step(Event::Task("do it".to_owned()));
        let (mut driver, mut asked_in_turn) = (Driver { tasks: 1, ..Driver::default() }, 1);
        for happens in course {
            if let Happens::Passes(ms) = happens {
                world.now += ms;
            }
            let Some(event) = driver.event(happens, &world) else { continue };
            let before = world.agent.conversation().entries().to_vec();
            let (had_ended, was_idle) = (world.agent.has_ended(), world.agent.is_idle());
            let spent = *world.agent.spent();
            let begins = was_idle && matches!(event, Event::Task(_) | Event::GoOn);
            driver.tasks += usize::from(was_idle && matches!(event, Event::Task(_)));
            let leaves = event == Event::Leave;
            let actions = world.step(event);
            prop_assert!(!had_ended || actions.is_empty(), "nothing happens behind the end");
            prop_assert!(!was_idle || begins || leaves || actions.is_empty(), "it waits");
            prop_assert!(!was_idle || !leaves || world.agent.has_ended());
            // The conversation only grows, unless the model cannot hold it.
            let after = world.agent.conversation().entries();
            if goes_back(&actions) {
                check_left_out(&before, after);
                driver.tasks -= said_by_person(&before) - said_by_person(after);
            } else {
                prop_assert!(after.starts_with(&before));
            }
            driver.take(&actions);
            // What sub-agents take is a part of all, and nothing is taken back.
            let now = world.agent.spent();
            prop_assert!(now.turns >= spent.turns && now.agents.turns >= spent.agents.turns);
            prop_assert_eq!(now.turns - now.agents.turns, world.requests());
            let is_over = world.agent.has_ended() || world.agent.is_idle();
            prop_assert_eq!(done(&actions), usize::from(is_over && !had_ended && (begins || !was_idle)));
            prop_assert!(stays || !world.agent.is_idle());
            if is_over {
                driver.running.clear();
            }
            // Whoever is asked, is asked with pairs; and so each turn ends.
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
