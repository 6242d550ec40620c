//! Agents that wait for further tasks.

use foveal_agent::{AgentAction, AgentEvent, AgentInput, LimitKind, RunLimits, RunOutcome};
use foveal_protocols::response::{DecodedAnswer, StopReason};
use foveal_transcript::{MessageRole, ToolCall};
use serde_json::json;

use crate::world::{World, asks, call, made, said, told};

/// Returns the outcomes of the turns so far.
fn ends(world: &World) -> Vec<&RunOutcome> {
    let told = told(&world.actions).into_iter();
    told.filter_map(|told| match told {
        AgentEvent::Done { outcome, .. } => Some(outcome),
        _ => None,
    })
    .collect()
}

fn roles(world: &World) -> Vec<MessageRole> {
    world.agent.conversation().entries().iter().map(|entry| entry.role).collect()
}

#[test]
fn a_task_follows_on_a_task() {
    let mut world = World::staying(RunLimits::default());
    let actions = world.say("Done.", &[]);
    assert!(world.agent.is_idle() && !world.agent.is_terminated());
    assert!(!actions.iter().any(|it| matches!(it, AgentAction::End(_))));
    assert!(asks(&world.step(AgentInput::Task("and that".to_owned()))));
    world.say("That too.", &[]);
    let texts = ["Done.", "That too."].map(|text| RunOutcome::Finished { text: text.to_owned() });
    assert_eq!(ends(&world), texts.iter().collect::<Vec<_>>());
    let starts =
        told(&world.actions).into_iter().filter(|it| matches!(it, AgentEvent::Start { .. }));
    assert_eq!(starts.count(), 1);
    use MessageRole::{Assistant, System, User};
    assert_eq!(roles(&world), [System, User, Assistant, User, Assistant]);
    assert_eq!(world.step(AgentInput::ShutDown), [AgentAction::End(texts[1].clone())]);
    assert!(world.agent.is_terminated());
}

/// Incomplete answers are not logged, and the next task works.
#[test]
fn it_stays_however_a_turn_ends() {
    let number = 1;
    let stopped = |stop| AgentInput::AnswerCompleted {
        number,
        answer: DecodedAnswer { stop_reason: stop, ..said("so far", &[]) },
    };
    let failed =
        |is_too_long| AgentInput::RequestFailed { number, message: "no".to_owned(), is_too_long };
    for (event, has_answer) in [
        (stopped(StopReason::OutputLimit), true),
        (stopped(StopReason::Refusal), true),
        (stopped(StopReason::ContextWindow), true),
        (failed(true), false),
        (failed(false), false),
        (AgentInput::Stop, false),
    ] {
        let mut world = World::staying(RunLimits::default());
        world.step(event.clone());
        assert!(world.agent.is_idle(), "{event:?}");
        assert_eq!(ends(&world).len(), 1, "{event:?}");
        assert!(world.step(AgentInput::Tick).is_empty() && world.step(AgentInput::Stop).is_empty());
        let answers = roles(&world).iter().filter(|role| **role == MessageRole::Assistant).count();
        assert_eq!(answers, usize::from(has_answer), "{event:?}");
        assert!(asks(&world.step(AgentInput::Task("go on".to_owned()))));
        let last = world.body()["messages"].as_array().and_then(|all| all.last().cloned());
        assert_eq!(last, Some(json!({"role": "user", "content": "go on"})));
        world.say("Done.", &[]);
        assert_eq!(ends(&world).len(), 2);
    }
}

#[test]
fn what_failed_is_tried_again() {
    let mut world = World::staying(RunLimits::default());
    let body = world.body();
    world.step(AgentInput::RequestFailed {
        number: 1,
        message: "no".to_owned(),
        is_too_long: false,
    });
    assert!(asks(&world.step(AgentInput::Continue)));
    assert_eq!(world.body(), body);
    assert_eq!(world.number(), 2);
    world.say("Done.", &[]);
    // The turn is complete, so there is nothing to continue.
    assert!(!asks(&world.step(AgentInput::Continue)));
    assert_eq!(ends(&world).len(), 3);
}

#[test]
fn calls_of_a_turn_that_was_stopped_have_results() {
    let mut world = World::staying(RunLimits::default());
    world.say("", &[call("0", "act"), call("1", "act")]);
    let left = world.call_number("0");
    world.step(AgentInput::Stop);
    world.step(AgentInput::Stop);
    assert!(world.agent.is_idle());
    world.step(AgentInput::Task("go on".to_owned()));
    // The model reuses call ids, and the answer of an abandoned call arrives late.
    world.say("", &[call("0", "look")]);
    let answer = crate::world::answer("of an earlier call");
    assert!(world.step(AgentInput::CallAnswered { number: left, answer }).is_empty());
    assert!(asks(&world.give("0", "its own")));
    let results =
        world.agent.conversation().entries().iter().filter_map(|entry| entry.tool_result());
    let results: Vec<&str> = results.map(|result| result.content.as_str()).collect();
    assert!(results[0].contains("may have done its work"), "{results:?}");
    assert!(results[1].contains("before this call was made"), "{results:?}");
    assert_eq!(results[2], "its own");
}

#[test]
fn a_call_that_nobody_allowed_was_not_made() {
    let mut world = World::staying(RunLimits::default());
    world.allows = false;
    world.say("", &[call("a", "act")]);
    let number = world.call_number("a");
    world.step(AgentInput::Stop);
    // The approval comes too late.
    assert!(world.step(AgentInput::CallApproved { number }).is_empty());
    world.step(AgentInput::Stop);
    let last = world.agent.conversation().entries().last().and_then(|it| it.tool_result().cloned());
    assert!(last.expect("a result").content.contains("before this call was made"));
}

#[test]
fn requests_and_time_are_those_of_a_turn_and_money_of_all() {
    let limits = RunLimits { turns: Some(2), time_ms: Some(100), ..RunLimits::default() };
    let mut world = World::staying(RunLimits { cost: Some(1.1), ..limits });
    for turn in 0..2 {
        world.say("", &[call("a", "look")]);
        world.give("a", &turn.to_string());
        world.say("Done.", &[]);
        // Idle time does not count.
        world.now += 5_000;
        world.step(AgentInput::Tick);
        world.step(AgentInput::Task("next".to_owned()));
    }
    assert_eq!(world.agent.totals().turns, 5);
    world.say("", &[call("a", "look")]);
    world.give("a", "a");
    assert_eq!(ends(&world).last(), Some(&&RunOutcome::Limit { limit: LimitKind::Cost }));
    assert!(!asks(&world.step(AgentInput::Continue)));
    let mut world = World::staying(limits);
    world.now += 100;
    assert_eq!(world.step(AgentInput::Tick)[0], AgentAction::CancelRequest);
    assert_eq!(ends(&world), [&RunOutcome::Limit { limit: LimitKind::Time }]);
    assert!(asks(&world.step(AgentInput::Continue)));
}

/// The count of repeated calls starts again in each turn.
#[test]
fn circles_are_counted_in_each_turn() {
    let mut world = World::staying(RunLimits::default());
    let round = |world: &mut World, at: usize| {
        let id = format!("c{at}");
        let same = ToolCall { arguments: json!({"path": "a"}), ..call(&id, "look") };
        world.say("", &[same]);
        world.give(&id, "the same");
    };
    (0..6).for_each(|at| round(&mut world, at));
    assert_eq!(ends(&world).len(), 1);
    assert!(world.agent.is_idle() && asks(&world.step(AgentInput::Continue)));
    (6..8).for_each(|at| round(&mut world, at));
    assert!(!world.agent.is_idle());
}

#[test]
fn who_leaves_leaves_in_any_state() {
    let mut world = World::staying(RunLimits::default());
    let actions = world.step(AgentInput::ShutDown);
    assert_eq!(actions[0], AgentAction::CancelRequest);
    assert_eq!(actions.last(), Some(&AgentAction::End(RunOutcome::Stopped)));
    let mut world = World::staying(RunLimits::default());
    world.say("", &[call("a", "act")]);
    assert_eq!(made(&world.actions), ["a"]);
    assert_eq!(world.step(AgentInput::ShutDown), [AgentAction::CancelCalls]);
    world.give("a", "half of it");
    assert!(world.agent.is_terminated());
    assert!(world.step(AgentInput::ShutDown).is_empty());
    // No task was given yet.
    let staying =
        foveal_agent::Settings { waits_for_tasks: true, ..crate::world::settings(limits()) };
    let mut world = World::of(foveal_agent::Agent::new(staying));
    assert_eq!(world.step(AgentInput::ShutDown), [AgentAction::End(RunOutcome::Stopped)]);
}

fn limits() -> RunLimits {
    RunLimits::default()
}
