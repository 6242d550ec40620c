//! Rewinds to before a message of the user.

use foveal_agent::{Agent, AgentAction, AgentInput, ResumeState, RunLimits, RunLogEntry, Settings};
use foveal_transcript::{EntryMark, MessageRole, TranscriptEntry};
use proptest::prelude::*;

use crate::world::{World, asks, call, settings};

fn staying() -> Settings {
    Settings { waits_for_tasks: true, ..settings(RunLimits::default()) }
}

/// Returns the state that the log entries so far give.
fn past(actions: &[AgentAction]) -> ResumeState {
    let mut past = ResumeState::default();
    for action in actions {
        if let AgentAction::AppendLog(keep) = action {
            past.apply(keep.clone());
        }
    }
    past
}

fn of_person(world: &World) -> Vec<usize> {
    let entries = world.agent.conversation().entries().iter().enumerate();
    entries.filter(|(_, entry)| entry.role == MessageRole::User).map(|(at, _)| at).collect()
}

#[test]
fn what_came_since_is_not_told_and_not_lost() {
    let mut world = World::staying(RunLimits::default());
    world.say("One.", &[]);
    world.step(AgentInput::Task("two".to_owned()));
    world.say("Two.", &[]);
    let whole = past(&world.actions).entries().to_vec();
    let to = of_person(&world)[1];
    let actions = world.step(AgentInput::Rewind { to });
    assert_eq!(actions.len(), 1);
    assert_eq!(world.agent.conversation().entries(), &whole[..to]);
    assert!(asks(&world.step(AgentInput::Task("other".to_owned()))));
    let told = world.body().to_string();
    assert!(told.contains("One.") && told.contains("other") && !told.contains("Two."), "{told}");
    let kept = past(&world.actions);
    assert!(kept.entries().starts_with(&whole));
    let marks = kept.entries().iter().filter(|it| matches!(it.mark, EntryMark::Rewind { .. }));
    assert_eq!(marks.count(), 1);
    // Each message has a unique step in the recording.
    let steps: Vec<u32> = kept.entries().iter().map(|entry| entry.source.step).collect();
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
}

#[test]
fn it_goes_back_only_to_what_a_person_said_and_only_between_turns() {
    let mut world = World::staying(RunLimits::default());
    assert!(world.step(AgentInput::Rewind { to: 1 }).is_empty(), "it is at work");
    world.say("One.", &[]);
    for to in [0, 2, 99] {
        assert!(world.step(AgentInput::Rewind { to }).is_empty(), "{to}");
    }
    assert_eq!(past(&world.actions).rewind_log_entry(2, foveal_transcript::Timestamp(1)), None);
    assert_eq!(world.step(AgentInput::Rewind { to: 1 }).len(), 1);
    assert_eq!(world.agent.conversation().entries().len(), 1);
    // The model has no message to answer.
    assert!(!asks(&world.step(AgentInput::Continue)));
}

/// A rewind removes the unanswered calls of an interrupted run.
#[test]
fn open_calls_are_left_with_what_made_them() {
    let mut world = World::staying(RunLimits::default());
    world.say("", &[call("a", "act")]);
    let kept = past(&world.actions);
    let Some(RunLogEntry::Message(mark)) =
        kept.rewind_log_entry(1, foveal_transcript::Timestamp(9))
    else {
        panic!("it goes back");
    };
    let mut kept = kept;
    kept.apply(RunLogEntry::Message(mark));
    assert!(kept.is_turn_complete());
    let mut world = World::of(Agent::from_resume_state(staying(), kept));
    assert!(asks(&world.step(AgentInput::Task("again".to_owned()))));
    let roles: Vec<MessageRole> =
        world.agent.conversation().entries().iter().map(|it| it.role).collect();
    assert_eq!(roles, [MessageRole::System, MessageRole::User]);
}

#[derive(Debug, Clone)]
enum Happens {
    Asks,
    Says(bool),
    GoesBack(usize),
    Breaks,
}

fn any_happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        4 => Just(Happens::Asks),
        5 => any::<bool>().prop_map(Happens::Says),
        3 => (0usize..6).prop_map(Happens::GoesBack),
        2 => Just(Happens::Breaks),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..Default::default() })]

    /// The conversation equals what the log gives, through any sequence of rewinds and
    /// interruptions, and the log only grows.
    #[test]
    fn what_is_kept_is_what_is_told(course in prop::collection::vec(any_happens(), 0..40)) {
        let mut world = World::staying(RunLimits::default());
        let (mut kept, mut seen, mut number) = (Vec::<AgentAction>::new(), 0, 0);
        let mut before: Vec<TranscriptEntry> = Vec::new();
        for happens in course {
            let is_idle = world.agent.is_idle();
            match happens {
                Happens::Asks => drop(world.step(AgentInput::Task("more".to_owned()))),
                Happens::Says(calls) if !is_idle => {
                    number += 1;
                    let id = format!("c{number}");
                    let calls = if calls { vec![call(&id, "look")] } else { Vec::new() };
                    world.say(&format!("answer {number}"), &calls);
                    if !calls.is_empty() {
                        world.give(&id, "it");
                    }
                }
                Happens::GoesBack(at) if is_idle => {
                    let said = of_person(&world);
                    if let Some(to) = said.get(at % said.len().max(1)) {
                        world.step(AgentInput::Rewind { to: *to });
                    }
                }
                Happens::Breaks => {
                    let new = world.actions.split_off(seen);
                    kept.extend(new);
                    let agent = Agent::from_resume_state(staying(), past(&kept));
                    world = World { now: world.now + 1, ..World::of(agent) };
                    seen = 0;
                    world.step(AgentInput::Continue);
                }
                Happens::Says(_) | Happens::GoesBack(_) => continue,
            }
            kept.extend(world.actions[seen..].iter().cloned());
            seen = world.actions.len();
            let past = past(&kept);
            prop_assert!(past.entries().starts_with(&before));
            before = past.entries().to_vec();
            let window: Vec<TranscriptEntry> = past.active_entries().into_iter().map(|(_, entry)| entry.clone()).collect();
            prop_assert_eq!(window, world.agent.conversation().entries());
        }
    }
}
