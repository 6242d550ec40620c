//! Conversations that go back to before something that the person said.

use foveal_agent::{Action, Agent, Event, Keep, Limits, Past, Settings};
use foveal_transcript::{Entry, Mark, Role};
use proptest::prelude::*;

use crate::world::{World, asks, call, settings};

fn staying() -> Settings {
    Settings { stays: true, ..settings(Limits::default()) }
}

/// All that was kept so far.
fn past(actions: &[Action]) -> Past {
    let mut past = Past::default();
    for action in actions {
        if let Action::Keep(keep) = action {
            past.take(keep.clone());
        }
    }
    past
}

fn of_person(world: &World) -> Vec<usize> {
    let entries = world.agent.conversation().entries().iter().enumerate();
    entries.filter(|(_, entry)| entry.role == Role::User).map(|(at, _)| at).collect()
}

#[test]
fn what_came_since_is_not_told_and_not_lost() {
    let mut world = World::staying(Limits::default());
    world.say("One.", &[]);
    world.step(Event::Task("two".to_owned()));
    world.say("Two.", &[]);
    let whole = past(&world.actions).entries().to_vec();
    let to = of_person(&world)[1];
    let actions = world.step(Event::Rewind { to });
    assert_eq!(actions.len(), 1);
    assert_eq!(world.agent.conversation().entries(), &whole[..to]);
    assert!(asks(&world.step(Event::Task("other".to_owned()))));
    let told = world.body().to_string();
    assert!(told.contains("One.") && told.contains("other") && !told.contains("Two."), "{told}");
    let kept = past(&world.actions);
    assert!(kept.entries().starts_with(&whole));
    let marks = kept.entries().iter().filter(|it| matches!(it.mark, Mark::Rewind { .. }));
    assert_eq!(marks.count(), 1);
    // Each message has a place of its own in the recording.
    let steps: Vec<u32> = kept.entries().iter().map(|entry| entry.source.step).collect();
    assert!(steps.is_sorted_by(|one, next| one < next), "{steps:?}");
}

#[test]
fn it_goes_back_only_to_what_a_person_said_and_only_between_turns() {
    let mut world = World::staying(Limits::default());
    assert!(world.step(Event::Rewind { to: 1 }).is_empty(), "it is at work");
    world.say("One.", &[]);
    for to in [0, 2, 99] {
        assert!(world.step(Event::Rewind { to }).is_empty(), "{to}");
    }
    assert_eq!(past(&world.actions).rewind(2, foveal_transcript::Timestamp(1)), None);
    assert_eq!(world.step(Event::Rewind { to: 1 }).len(), 1);
    assert_eq!(world.agent.conversation().entries().len(), 1);
    // Nothing waits for the model.
    assert!(!asks(&world.step(Event::GoOn)));
}

/// Calls that were open when it broke off are those of what it went back behind.
#[test]
fn open_calls_are_left_with_what_made_them() {
    let mut world = World::staying(Limits::default());
    world.say("", &[call("a", "act")]);
    let kept = past(&world.actions);
    let Some(Keep::Entry(mark)) = kept.rewind(1, foveal_transcript::Timestamp(9)) else {
        panic!("it goes back");
    };
    let mut kept = kept;
    kept.take(Keep::Entry(mark));
    assert!(kept.is_done());
    let mut world = World::of(Agent::resumed(staying(), kept));
    assert!(asks(&world.step(Event::Task("again".to_owned()))));
    let roles: Vec<Role> = world.agent.conversation().entries().iter().map(|it| it.role).collect();
    assert_eq!(roles, [Role::System, Role::User]);
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

    /// However often it goes back and breaks off: what is told is what is read of the log, and the
    /// log only grows.
    #[test]
    fn what_is_kept_is_what_is_told(course in prop::collection::vec(any_happens(), 0..40)) {
        let mut world = World::staying(Limits::default());
        let (mut kept, mut seen, mut number) = (Vec::<Action>::new(), 0, 0);
        let mut before: Vec<Entry> = Vec::new();
        for happens in course {
            let is_idle = world.agent.is_idle();
            match happens {
                Happens::Asks => drop(world.step(Event::Task("more".to_owned()))),
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
                        world.step(Event::Rewind { to: *to });
                    }
                }
                Happens::Breaks => {
                    let new = world.actions.split_off(seen);
                    kept.extend(new);
                    let agent = Agent::resumed(staying(), past(&kept));
                    world = World { now: world.now + 1, ..World::of(agent) };
                    seen = 0;
                    world.step(Event::GoOn);
                }
                Happens::Says(_) | Happens::GoesBack(_) => continue,
            }
            kept.extend(world.actions[seen..].iter().cloned());
            seen = world.actions.len();
            let past = past(&kept);
            prop_assert!(past.entries().starts_with(&before));
            before = past.entries().to_vec();
            let window: Vec<Entry> = past.window().into_iter().map(|(_, entry)| entry.clone()).collect();
            prop_assert_eq!(window, world.agent.conversation().entries());
        }
    }
}
