//! Runs that broke off and are taken up again.

use std::collections::HashSet;

use foveal_agent::{Action, Agent, Event, Keep, Limits, Outcome, Past, Settings, Told};
use foveal_transcript::{Block, Entry, Role};
use proptest::prelude::*;

use crate::world::{World, answer, asks, call, made, said, settings, told};

/// What was kept, as a kill at the end of these actions leaves it.
fn past(actions: &[Action]) -> Past {
    let mut past = Past::default();
    for action in actions {
        if let Action::Keep(keep) = action {
            past.take(keep.clone());
        }
    }
    past
}

/// The world after the run broke off and was taken up again.
fn resumed(world: &World, event: Event) -> World {
    let agent = Agent::resumed(settings(Limits::default()), past(&world.actions));
    let mut world = World { now: world.now + 60_000, ..World::of(agent) };
    world.step(event);
    world
}

/// What stands in the results, in order.
fn results(world: &World) -> Vec<(String, bool)> {
    let entries = world.agent.conversation().entries().iter();
    let results = entries.filter_map(Entry::result);
    results.map(|result| (result.content.clone(), result.is_error)).collect()
}

fn body(actions: &[Action]) -> Vec<u8> {
    let body = actions.iter().rev().find_map(|action| match action {
        Action::Ask { body, .. } => Some(body.clone()),
        _ => None,
    });
    body.expect("the model is asked")
}

#[test]
fn a_request_without_an_answer_goes_again_in_the_same_bytes() {
    let mut world = World::new();
    world.say("I look.", &[call("a", "look")]);
    world.give("a", "it is there");
    let again = resumed(&world, Event::GoOn);
    assert_eq!(body(&again.actions), body(&world.actions));
    let Some(Told::Start { session, messages, .. }) = told(&again.actions).first().copied() else {
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
    // The second one runs when it breaks off.
    let mut again = resumed(&world, Event::GoOn);
    assert_eq!(made(&again.actions), ["c", "d"]);
    again.give("c", "c");
    assert!(asks(&again.give("d", "d")));
    let results = results(&again);
    // Whoever watches learns what became of each.
    let told = told(&again.actions).into_iter().filter_map(|told| match told {
        Told::Result { text, is_error, .. } => Some((text.clone(), *is_error)),
        _ => None,
    });
    assert_eq!(told.collect::<Vec<_>>(), results);
    assert_eq!(results[0], ("done".to_owned(), false));
    assert!(results[1].1 && results[1].0.contains("its answer is not known"), "{results:?}");
    assert_eq!(results[2..], [("c".to_owned(), false), ("d".to_owned(), false)]);

    let mut world = World::new();
    world.say("", &[call("a", "act"), call("b", "act")]);
    let again = resumed(&world, Event::GoOn);
    assert!(made(&again.actions).is_empty() && asks(&again.actions));
    let results = self::results(&again);
    assert!(results[0].0.contains("not known") && results[1].0.contains("not made"), "{results:?}");
    assert!(results.iter().all(|(_, is_error)| *is_error));
}

/// Whoever is asked whether a call may be made has not said so yet when it breaks off.
#[test]
fn what_was_only_asked_about_was_not_made() {
    let mut world = World::new();
    world.allows = false;
    world.say("", &[call("a", "act"), call("b", "act")]);
    let again = resumed(&world, Event::GoOn);
    assert!(made(&again.actions).is_empty() && asks(&again.actions));
    let told = results(&again);
    assert!(told.iter().all(|(text, is_error)| *is_error && text.contains("not made")), "{told:?}");
    world.step(Event::Allowed { number: world.call_number("a") });
    let told = results(&resumed(&world, Event::GoOn));
    assert!(told[0].0.contains("not known") && told[1].0.contains("not made"), "{told:?}");
}

#[test]
fn what_only_looks_is_made_again_unless_its_answer_is_known() {
    let mut world = World::new();
    world.say("", &[call("a", "look"), call("b", "look"), call("c", "look")]);
    world.give("b", "b");
    let mut again = resumed(&world, Event::GoOn);
    assert_eq!(made(&again.actions), ["a", "c"]);
    again.give("a", "a");
    assert!(asks(&again.give("c", "c")));
    let said: Vec<String> = results(&again).into_iter().map(|(text, _)| text).collect();
    assert_eq!(said, ["a", "b", "c"]);
}

/// Some servers count calls anew in each answer.
#[test]
fn marks_are_of_the_last_answer() {
    let mut world = World::new();
    world.say("", &[call("0", "act"), call("1", "look")]);
    world.give("0", "old");
    world.give("1", "old");
    let actions = world.say("", &[call("0", "act"), call("1", "look")]);
    // Killed when the answer was kept, and not yet that its first call begins.
    let begun = actions.iter().filter(|it| matches!(it, Action::Keep(Keep::Begun { .. }))).count();
    assert_eq!(begun, 1);
    let at = world.actions.iter().rposition(|it| matches!(it, Action::Keep(Keep::Begun { .. })));
    world.actions.truncate(at.expect("a mark"));
    let mut again = resumed(&world, Event::GoOn);
    assert_eq!(made(&again.actions), ["1"]);
    again.give("1", "new");
    let said = results(&again);
    assert!(said[2].0.contains("not made") && said[3].0 == "new", "{said:?}");
}

#[test]
fn a_new_task_is_the_next_message() {
    let mut world = World::new();
    world.say("Done.", &[]);
    assert!(past(&world.actions).is_done());
    let again = resumed(&world, Event::Task("and now that".to_owned()));
    let entries = again.agent.conversation().entries();
    let roles: Vec<Role> = entries.iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
    assert!(asks(&again.actions));
    let steps: Vec<u32> = entries.iter().map(|it| it.source.step).collect();
    assert_eq!(steps, [1, 2, 3, 4]);
    // Behind results that it waits for.
    let mut world = World::new();
    world.say("", &[call("a", "look")]);
    assert!(!past(&world.actions).is_done());
    let mut again = resumed(&world, Event::Task("and now that".to_owned()));
    assert!(!asks(&again.actions));
    assert!(asks(&again.give("a", "a")));
    let last = again.agent.conversation().entries().last().map(Entry::text);
    assert_eq!(last.as_deref(), Some("and now that"));
    // Also if it is stopped before.
    let mut again = resumed(&world, Event::Task("and now that".to_owned()));
    again.step(Event::Stop);
    again.give("a", "a");
    assert_eq!(again.outcome(), Some(&Outcome::Stopped));
    assert_eq!(again.agent.conversation().entries().last().map(|it| it.role), Some(Role::User));
}

#[test]
fn what_is_done_does_not_go_on_by_itself() {
    let mut world = World::new();
    world.say("Done.", &[]);
    let again = resumed(&world, Event::GoOn);
    assert_eq!(again.outcome(), Some(&Outcome::Finished { text: "Done.".to_owned() }));
    assert!(!asks(&again.actions));
}

#[test]
fn what_only_another_provider_can_read_is_left_out() {
    let mut world = World::new();
    let mut answer = said("I look.", &[call("a", "look")]);
    let raw = "{\"type\":\"thinking\"}".to_owned();
    answer.blocks.insert(0, Block::Opaque { kind: "thinking".to_owned(), raw });
    world.step(Event::Said { number: 1, said: answer });
    let opaque = |past: &Past| {
        let mut blocks = past.entries().iter().flat_map(|entry| &entry.blocks);
        blocks.any(|block| matches!(block, Block::Opaque { .. }))
    };
    let past = past(&world.actions);
    assert!(opaque(&past) && opaque(&past.clone().without_sealed(|_| false)));
    assert!(!opaque(&past.without_sealed(|_| true)));
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

    /// Wherever it breaks off, and however often, with several tasks one after the other: nothing
    /// that acts is made twice, calls and results pair, and nothing that was kept changes.
    #[test]
    fn nothing_that_acts_is_made_twice(course in prop::collection::vec(any_happens(), 0..60)) {
        let staying = || Settings { stays: true, ..settings(Limits::default()) };
        let mut world = World::staying(Limits::default());
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
                    world.step(Event::Answered { answer: answer(&number.to_string()), number });
                }
                Happens::Fails if is_asked => {
                    let (number, message) = (world.number(), "no".to_owned());
                    world.step(Event::Failed { number, message, is_too_long: false });
                }
                Happens::Stops => drop(world.step(Event::Stop)),
                Happens::Asks => drop(world.step(Event::Task("next".to_owned()))),
                Happens::GoesOn => drop(world.step(Event::GoOn)),
                Happens::Breaks | Happens::BreaksWithTask => {
                    running.clear();
                    let past = past(&kept);
                    let old = past.entries().to_vec();
                    let agent = Agent::resumed(staying(), past);
                    world = World { now: world.now + 1, ..World::of(agent) };
                    let task = matches!(happens, Happens::BreaksWithTask);
                    world.step(if task { Event::Task("more".to_owned()) } else { Event::GoOn });
                    prop_assert!(world.agent.conversation().entries().starts_with(&old));
                    before = 0;
                }
                Happens::Says(_) | Happens::Answers(_) | Happens::Fails => continue,
            }
            let new = world.actions[before..].to_vec();
            kept.extend(new.iter().filter(|it| matches!(it, Action::Keep(_))).cloned());
            for action in &new {
                match action {
                    Action::Call { number, call } => {
                        running.push(*number);
                        let is_first = call.name == "look" || acted.insert(call.id.clone());
                        prop_assert!(is_first, "{} is made twice", call.id);
                    }
                    Action::Ask { .. } => prop_assert!(past(&kept).entries()
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
