//! Agents that stay for another task.

use foveal_agent::{Action, Event, Limit, Limits, Outcome, Told};
use foveal_transcript::{Call, Role};
use foveal_wire::response::{Said, StopReason};
use serde_json::json;

use crate::world::{World, asks, call, made, said, told};

/// How the turns ended so far.
fn ends(world: &World) -> Vec<&Outcome> {
    let told = told(&world.actions).into_iter();
    told.filter_map(|told| match told {
        Told::Done { outcome, .. } => Some(outcome),
        _ => None,
    })
    .collect()
}

fn roles(world: &World) -> Vec<Role> {
    world.agent.conversation().entries().iter().map(|entry| entry.role).collect()
}

#[test]
fn a_task_follows_on_a_task() {
    let mut world = World::staying(Limits::default());
    let actions = world.say("Done.", &[]);
    assert!(world.agent.is_idle() && !world.agent.has_ended());
    assert!(!actions.iter().any(|it| matches!(it, Action::End(_))));
    assert!(asks(&world.step(Event::Task("and that".to_owned()))));
    world.say("That too.", &[]);
    let texts = ["Done.", "That too."].map(|text| Outcome::Finished { text: text.to_owned() });
    assert_eq!(ends(&world), texts.iter().collect::<Vec<_>>());
    let starts = told(&world.actions).into_iter().filter(|it| matches!(it, Told::Start { .. }));
    assert_eq!(starts.count(), 1);
    use Role::{Assistant, System, User};
    assert_eq!(roles(&world), [System, User, Assistant, User, Assistant]);
    assert_eq!(world.step(Event::Leave), [Action::End(texts[1].clone())]);
    assert!(world.agent.has_ended());
}

/// Nothing of an answer that did not come whole is kept, and what comes next goes.
#[test]
fn it_stays_however_a_turn_ends() {
    let number = 1;
    let stopped = |stop| Event::Said { number, said: Said { stop, ..said("so far", &[]) } };
    let failed = |is_too_long| Event::Failed { number, message: "no".to_owned(), is_too_long };
    for (event, has_answer) in [
        (stopped(StopReason::Length), true),
        (stopped(StopReason::Refused), true),
        (stopped(StopReason::Window), true),
        (failed(true), false),
        (failed(false), false),
        (Event::Stop, false),
    ] {
        let mut world = World::staying(Limits::default());
        world.step(event.clone());
        assert!(world.agent.is_idle(), "{event:?}");
        assert_eq!(ends(&world).len(), 1, "{event:?}");
        assert!(world.step(Event::Tick).is_empty() && world.step(Event::Stop).is_empty());
        let answers = roles(&world).iter().filter(|role| **role == Role::Assistant).count();
        assert_eq!(answers, usize::from(has_answer), "{event:?}");
        assert!(asks(&world.step(Event::Task("go on".to_owned()))));
        let last = world.body()["messages"].as_array().and_then(|all| all.last().cloned());
        assert_eq!(last, Some(json!({"role": "user", "content": "go on"})));
        world.say("Done.", &[]);
        assert_eq!(ends(&world).len(), 2);
    }
}

#[test]
fn what_failed_is_tried_again() {
    let mut world = World::staying(Limits::default());
    let body = world.body();
    world.step(Event::Failed { number: 1, message: "no".to_owned(), is_too_long: false });
    assert!(asks(&world.step(Event::GoOn)));
    assert_eq!(world.body(), body);
    assert_eq!(world.number(), 2);
    world.say("Done.", &[]);
    // There is nothing to go on with.
    assert!(!asks(&world.step(Event::GoOn)));
    assert_eq!(ends(&world).len(), 3);
}

#[test]
fn calls_of_a_turn_that_was_stopped_have_results() {
    let mut world = World::staying(Limits::default());
    world.say("", &[call("0", "act"), call("1", "act")]);
    let left = world.call_number("0");
    world.step(Event::Stop);
    world.step(Event::Stop);
    assert!(world.agent.is_idle());
    world.step(Event::Task("go on".to_owned()));
    // The model counts its calls anew, and the answer of the one that was left comes late.
    world.say("", &[call("0", "look")]);
    let answer = crate::world::answer("of an earlier call");
    assert!(world.step(Event::Answered { number: left, answer }).is_empty());
    assert!(asks(&world.give("0", "its own")));
    let results = world.agent.conversation().entries().iter().filter_map(|entry| entry.result());
    let results: Vec<&str> = results.map(|result| result.content.as_str()).collect();
    assert!(results[0].contains("may have done its work"), "{results:?}");
    assert!(results[1].contains("before this call was made"), "{results:?}");
    assert_eq!(results[2], "its own");
}

#[test]
fn a_call_that_nobody_allowed_was_not_made() {
    let mut world = World::staying(Limits::default());
    world.allows = false;
    world.say("", &[call("a", "act")]);
    let number = world.call_number("a");
    world.step(Event::Stop);
    // The person says yes when it is too late.
    assert!(world.step(Event::Allowed { number }).is_empty());
    world.step(Event::Stop);
    let last = world.agent.conversation().entries().last().and_then(|it| it.result().cloned());
    assert!(last.expect("a result").content.contains("before this call was made"));
}

#[test]
fn requests_and_time_are_those_of_a_turn_and_money_of_all() {
    let limits = Limits { turns: Some(2), time_ms: Some(100), ..Limits::default() };
    let mut world = World::staying(Limits { cost: Some(1.1), ..limits });
    for turn in 0..2 {
        world.say("", &[call("a", "look")]);
        world.give("a", &turn.to_string());
        world.say("Done.", &[]);
        // While nobody works no time passes.
        world.now += 5_000;
        world.step(Event::Tick);
        world.step(Event::Task("next".to_owned()));
    }
    assert_eq!(world.agent.spent().turns, 5);
    world.say("", &[call("a", "look")]);
    world.give("a", "a");
    assert_eq!(ends(&world).last(), Some(&&Outcome::Limit { limit: Limit::Cost }));
    assert!(!asks(&world.step(Event::GoOn)));
    let mut world = World::staying(limits);
    world.now += 100;
    assert_eq!(world.step(Event::Tick)[0], Action::StopAsking);
    assert_eq!(ends(&world), [&Outcome::Limit { limit: Limit::Time }]);
    assert!(asks(&world.step(Event::GoOn)));
}

/// Who says that it is to go on knows of the circles.
#[test]
fn circles_are_counted_in_each_turn() {
    let mut world = World::staying(Limits::default());
    let round = |world: &mut World, at: usize| {
        let id = format!("c{at}");
        let same = Call { arguments: json!({"path": "a"}), ..call(&id, "look") };
        world.say("", &[same]);
        world.give(&id, "the same");
    };
    (0..6).for_each(|at| round(&mut world, at));
    assert_eq!(ends(&world).len(), 1);
    assert!(world.agent.is_idle() && asks(&world.step(Event::GoOn)));
    (6..8).for_each(|at| round(&mut world, at));
    assert!(!world.agent.is_idle());
}

#[test]
fn who_leaves_leaves_in_any_state() {
    let mut world = World::staying(Limits::default());
    let actions = world.step(Event::Leave);
    assert_eq!(actions[0], Action::StopAsking);
    assert_eq!(actions.last(), Some(&Action::End(Outcome::Stopped)));
    let mut world = World::staying(Limits::default());
    world.say("", &[call("a", "act")]);
    assert_eq!(made(&world.actions), ["a"]);
    assert_eq!(world.step(Event::Leave), [Action::StopCalls]);
    world.give("a", "half of it");
    assert!(world.agent.has_ended());
    assert!(world.step(Event::Leave).is_empty());
    // Nothing was asked yet.
    let staying = foveal_agent::Settings { stays: true, ..crate::world::settings(limits()) };
    let mut world = World::of(foveal_agent::Agent::new(staying));
    assert_eq!(world.step(Event::Leave), [Action::End(Outcome::Stopped)]);
}

fn limits() -> Limits {
    Limits::default()
}
