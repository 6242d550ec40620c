//! Resumption of interrupted runs.

use std::collections::HashSet;

use foveal_agent::{
    Agent, AgentAction, AgentEvent, AgentInput, ResumeState, RunLimits, RunLogEntry, RunOutcome,
    Settings,
};
use foveal_transcript::{ContentBlock, MessageRole, TranscriptEntry};
use proptest::prelude::*;

use crate::world::{World, answer, asks, call, made, said, settings, told};

/// Returns the resume state after a kill at the end of these actions.
fn past(actions: &[AgentAction]) -> ResumeState {
    let mut past = ResumeState::default();
    for action in actions {
        if let AgentAction::AppendLog(keep) = action {
            past.apply(keep.clone());
        }
    }
    past
}

/// Returns the world after an interruption and a resumption.
fn resumed(world: &World, event: AgentInput) -> World {
    let agent = Agent::from_resume_state(settings(RunLimits::default()), past(&world.actions));
    let mut world = World { now: world.now + 60_000, ..World::of(agent) };
    world.step(event);
    world
}

/// Returns the results in the conversation, in order.
fn results(world: &World) -> Vec<(String, bool)> {
    let entries = world.agent.conversation().entries().iter();
    let results = entries.filter_map(TranscriptEntry::tool_result);
    results.map(|result| (result.content.clone(), result.is_error)).collect()
}

fn body(actions: &[AgentAction]) -> Vec<u8> {
    let body = actions.iter().rev().find_map(|action| match action {
        AgentAction::SendRequest { body, .. } => Some(body.clone()),
        _ => None,
    });
    body.expect("the model is asked")
}

#[test]
fn a_request_without_an_answer_goes_again_in_the_same_bytes() {
    let mut world = World::new();
    world.say("I look.", &[call("a", "look")]);
    world.give("a", "it is there");
    let again = resumed(&world, AgentInput::Continue);
    assert_eq!(body(&again.actions), body(&world.actions));
    let Some(AgentEvent::Start { session, messages, .. }) = told(&again.actions).first().copied()
    else {
        panic!("it begins");
    };
    assert_eq!((session.as_str(), *messages), ("s", 4));
}

#[test]
fn what_acts_is_not_made_again() {
    let mut world = World::new();
    let calls = [call("a", "act"), call("b", "act"), call("c", "look"), call("d", "look")];
    world.say("", &calls);
    world.give("a", "done");
    // The second call runs at the interruption.
    let mut again = resumed(&world, AgentInput::Continue);
    assert_eq!(made(&again.actions), ["c", "d"]);
    again.give("c", "c");
    assert!(asks(&again.give("d", "d")));
    let results = results(&again);
    // Events report the outcome of each call.
    let told = told(&again.actions).into_iter().filter_map(|told| match told {
        AgentEvent::Result { text, is_error, .. } => Some((text.clone(), *is_error)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), results);
    assert_eq!(results[0], ("done".to_owned(), false));
    assert!(results[1].1 && results[1].0.contains("its answer is not known"), "{results:?}");
    assert_eq!(results[2..], [("c".to_owned(), false), ("d".to_owned(), false)]);

    let mut world = World::new();
    world.say("", &[call("a", "act"), call("b", "act")]);
    let again = resumed(&world, AgentInput::Continue);
    assert!(made(&again.actions).is_empty() && asks(&again.actions));
    let results = self::results(&again);
    assert!(results[0].0.contains("not known") && results[1].0.contains("not made"), "{results:?}");
    assert!(results.iter().all(|(_, is_error)| *is_error));
}

/// The interruption comes before the approval of a call.
#[test]
fn what_was_only_asked_about_was_not_made() {
    let mut world = World::new();
    world.allows = false;
    world.say("", &[call("a", "act"), call("b", "act")]);
    let again = resumed(&world, AgentInput::Continue);
    assert!(made(&again.actions).is_empty() && asks(&again.actions));
    let told = results(&again);
    assert!(told.iter().all(|(text, is_error)| *is_error && text.contains("not made")), "{told:?}");
    world.step(AgentInput::CallApproved { number: world.call_number("a") });
    let told = results(&resumed(&world, AgentInput::Continue));
    assert!(told[0].0.contains("not known") && told[1].0.contains("not made"), "{told:?}");
}

#[test]
fn what_only_looks_is_made_again_unless_its_answer_is_known() {
    let mut world = World::new();
    world.say("", &[call("a", "look"), call("b", "look"), call("c", "look")]);
    world.give("b", "b");
    let mut again = resumed(&world, AgentInput::Continue);
    assert_eq!(made(&again.actions), ["a", "c"]);
    again.give("a", "a");
    assert!(asks(&again.give("c", "c")));
    let said: Vec<String> = results(&again).into_iter().map(|(text, _)| text).collect();
    assert_eq!(said, ["a", "b", "c"]);
}

/// Some servers reuse call ids in each answer.
#[test]
fn marks_are_of_the_last_answer() {
    let mut world = World::new();
    world.say("", &[call("0", "act"), call("1", "look")]);
    world.give("0", "old");
    world.give("1", "old");
    let actions = world.say("", &[call("0", "act"), call("1", "look")]);
    // The kill comes after the answer was logged and before its first call begins.
    let begun = actions
        .iter()
        .filter(|it| matches!(it, AgentAction::AppendLog(RunLogEntry::CallBegun { .. })))
        .count();
    assert_eq!(begun, 1);
    let at = world
        .actions
        .iter()
        .rposition(|it| matches!(it, AgentAction::AppendLog(RunLogEntry::CallBegun { .. })));
    world.actions.truncate(at.expect("a mark"));
    let mut again = resumed(&world, AgentInput::Continue);
    assert_eq!(made(&again.actions), ["1"]);
    again.give("1", "new");
    let said = results(&again);
    assert!(said[2].0.contains("not made") && said[3].0 == "new", "{said:?}");
}

#[test]
fn a_new_task_is_the_next_message() {
    let mut world = World::new();
    world.say("Done.", &[]);
    assert!(past(&world.actions).is_turn_complete());
    let again = resumed(&world, AgentInput::Task("and now that".to_owned()));
    let entries = again.agent.conversation().entries();
    let roles: Vec<MessageRole> = entries.iter().map(|it| it.role).collect();
    assert_eq!(
        roles,
        [MessageRole::System, MessageRole::User, MessageRole::Assistant, MessageRole::User]
    );
    assert!(asks(&again.actions));
    let steps: Vec<u32> = entries.iter().map(|it| it.source.step).collect();
    assert_eq!(steps, [1, 2, 3, 4]);
    // The user's message follows the pending results.
    let mut world = World::new();
    world.say("", &[call("a", "look")]);
    assert!(!past(&world.actions).is_turn_complete());
    let mut again = resumed(&world, AgentInput::Task("and now that".to_owned()));
    assert!(!asks(&again.actions));
    assert!(asks(&again.give("a", "a")));
    let last = again.agent.conversation().entries().last().map(TranscriptEntry::text);
    assert_eq!(last.as_deref(), Some("and now that"));
    // This holds after a stop, too.
    let mut again = resumed(&world, AgentInput::Task("and now that".to_owned()));
    again.step(AgentInput::Stop);
    again.give("a", "a");
    assert_eq!(again.outcome(), Some(&RunOutcome::Stopped));
    assert_eq!(
        again.agent.conversation().entries().last().map(|it| it.role),
        Some(MessageRole::User)
    );
}

#[test]
fn what_is_done_does_not_go_on_by_itself() {
    let mut world = World::new();
    world.say("Done.", &[]);
    let again = resumed(&world, AgentInput::Continue);
    assert_eq!(again.outcome(), Some(&RunOutcome::Finished { text: "Done.".to_owned() }));
    assert!(!asks(&again.actions));
}

#[test]
fn what_only_another_provider_can_read_is_left_out() {
    let mut world = World::new();
    let mut answer = said("I look.", &[call("a", "look")]);
    let raw = "{\"type\":\"thinking\"}".to_owned();
    answer.blocks.insert(0, ContentBlock::Opaque { kind: "thinking".to_owned(), raw });
    world.step(AgentInput::AnswerCompleted { number: 1, answer });
    let opaque = |past: &ResumeState| {
        let mut blocks = past.entries().iter().flat_map(|entry| &entry.blocks);
        blocks.any(|block| matches!(block, ContentBlock::Opaque { .. }))
    };
    let past = past(&world.actions);
    assert!(opaque(&past) && opaque(&past.clone().without_opaque_blocks(|_| false)));
    assert!(!opaque(&past.without_opaque_blocks(|_| true)));
}

#[derive(Debug, Clone)]
enum Happens {
    Says(Vec<bool>),
    Answers(usize),
    Fails,
    Stops,
    Asks,
    GoesOn,
    Breaks,
    BreaksWithTask,
}

fn any_happens() -> impl Strategy<Value = Happens> {
    prop_oneof![
        5 => prop::collection::vec(any::<bool>(), 1..5).prop_map(Happens::Says),
        9 => (0usize..5).prop_map(Happens::Answers),
        1 => Just(Happens::Fails),
        1 => Just(Happens::Stops),
        2 => Just(Happens::Asks),
        1 => Just(Happens::GoesOn),
        3 => Just(Happens::Breaks),
        1 => Just(Happens::BreaksWithTask),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..Default::default() })]

    /// Interruptions at any points of several tasks: no call with effects runs twice, calls and
    /// results pair, and logged entries never change.
    #[test]
    fn nothing_that_acts_is_made_twice(course in prop::collection::vec(any_happens(), 0..60)) {
        let staying = || Settings { waits_for_tasks: true, ..settings(RunLimits::default()) };
        let mut world = World::staying(RunLimits::default());
        let (mut kept, mut number) = (world.actions.clone(), 0);
        let (mut acted, mut running) = (HashSet::new(), Vec::<u64>::new());
        for happens in course {
            let is_asked = running.is_empty() && !world.agent.is_idle();
            let mut before = world.actions.len();
            match happens {
                Happens::Says(looks) if is_asked => {
                    let mut next = |looks: bool| {
                        number += 1;
                        call(&format!("c{number}"), if looks { "look" } else { "act" })
                    };
                    let calls: Vec<_> = looks.into_iter().map(&mut next).collect();
                    world.say("on", &calls);
                }
                Happens::Answers(at) if !running.is_empty() => {
                    let number = running.swap_remove(at % running.len());
                    world.step(AgentInput::CallAnswered { answer: answer(&number.to_string()), number });
                }
                Happens::Fails if is_asked => {
                    let (number, message) = (world.number(), "no".to_owned());
                    world.step(AgentInput::RequestFailed { number, message, is_too_long: false });
                }
                Happens::Stops => drop(world.step(AgentInput::Stop)),
                Happens::Asks => drop(world.step(AgentInput::Task("next".to_owned()))),
                Happens::GoesOn => drop(world.step(AgentInput::Continue)),
                Happens::Breaks | Happens::BreaksWithTask => {
                    running.clear();
                    let past = past(&kept);
                    let old = past.entries().to_vec();
                    let agent = Agent::from_resume_state(staying(), past);
                    world = World { now: world.now + 1, ..World::of(agent) };
                    let task = matches!(happens, Happens::BreaksWithTask);
                    world.step(if task { AgentInput::Task("more".to_owned()) } else { AgentInput::Continue });
                    prop_assert!(world.agent.conversation().entries().starts_with(&old));
                    before = 0;
                }
                Happens::Says(_) | Happens::Answers(_) | Happens::Fails => continue,
            }
            let new = world.actions[before..].to_vec();
            kept.extend(new.iter().filter(|it| matches!(it, AgentAction::AppendLog(_))).cloned());
            for action in &new {
                match action {
                    AgentAction::RunCall { number, call } => {
                        running.push(*number);
                        let is_first = call.name == "look" || acted.insert(call.id.clone());
                        prop_assert!(is_first, "{} is made twice", call.id);
                    }
                    AgentAction::SendRequest { .. } => prop_assert!(past(&kept).entries()
                        == world.agent.conversation().entries()),
                    _ => {}
                }
            }
            if world.agent.is_idle() {
                running.clear();
            }
        }
    }
}
