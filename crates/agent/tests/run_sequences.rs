//! Typical sequences of inputs and actions.

use foveal_agent::{
    AgentAction, AgentEvent, AgentInput, LimitKind, ModelPrice, RunLimits, RunOutcome, ToolAnswer,
};
use foveal_pricing::prices::PriceCard;
use foveal_protocols::response::{DecodedEvent, StopReason};
use foveal_transcript::{MessageRole, ToolCall};
use serde_json::{Value, json};

use crate::world::{World, answer, asks, call, made, said, settings, told};

#[test]
fn a_task_is_done_when_the_model_calls_nothing_more() {
    let mut world = World::new();
    assert_eq!(world.body()["messages"][1], json!({"role": "user", "content": "do it"}));
    let actions = world.say("I look.", &[call("a", "look")]);
    assert_eq!(made(&actions), ["a"]);
    let actions = world.give("a", "it is there");
    assert!(asks(&actions));
    assert_eq!(world.body()["messages"][3]["content"], "it is there");
    world.say("Done.", &[]);
    assert_eq!(world.outcome(), Some(&RunOutcome::Finished { text: "Done.".to_owned() }));
    assert!(
        world.agent.is_terminated()
            && world.actions.iter().filter(|it| matches!(it, AgentAction::End(_))).count() == 1
    );
    let spent = world.agent.totals();
    assert_eq!((spent.turns, spent.total_tokens(), spent.charge.cost), (2, 30, 0.5));
    let roles: Vec<MessageRole> =
        world.agent.conversation().entries().iter().map(|it| it.role).collect();
    assert_eq!(
        roles,
        [
            MessageRole::System,
            MessageRole::User,
            MessageRole::Assistant,
            MessageRole::Tool,
            MessageRole::Assistant
        ]
    );
}

#[test]
fn calls_that_look_run_side_by_side_and_others_alone() {
    let mut world = World::new();
    let calls = [
        call("a", "look"),
        call("b", "look"),
        call("c", "act"),
        call("d", "act"),
        call("e", "look"),
        call("f", "look"),
    ];
    assert_eq!(made(&world.say("", &calls)), ["a", "b"]);
    assert!(made(&world.give("b", "b")).is_empty());
    assert_eq!(made(&world.give("a", "a")), ["c"]);
    assert_eq!(made(&world.give("c", "c")), ["d"]);
    assert_eq!(made(&world.give("d", "d")), ["e", "f"]);
    assert!(!asks(&world.give("f", "f")));
    assert!(asks(&world.give("e", "e")));
    // Results have the order of the calls, whichever finished first.
    let body = world.body();
    let results: Vec<&str> = body["messages"].as_array().expect("a list")[3..]
        .iter()
        .map(|it| it["content"].as_str().expect("a text"))
        .collect();
    assert_eq!(results, ["a", "b", "c", "d", "e", "f"]);
}

#[test]
fn no_more_than_a_few_run_side_by_side() {
    let mut world = World::new();
    let calls: Vec<ToolCall> = (0..20).map(|at| call(&format!("c{at}"), "look")).collect();
    assert_eq!(made(&world.say("", &calls)).len(), 8);
    assert_eq!(made(&world.give("c3", "x")), ["c8"]);
    assert_eq!(made(&world.give("c0", "x")), ["c9"]);
}

/// Each request begins with the previous one; only answers and results are appended.
#[test]
fn what_was_sent_stays() {
    let mut world = World::new();
    let mut before: Vec<Value> = Vec::new();
    for turn in 0..5 {
        let body = world.body();
        let messages = body["messages"].as_array().expect("a list").clone();
        assert!(messages.starts_with(&before));
        assert_eq!(body["tools"].as_array().map(Vec::len), Some(2));
        before = messages;
        let id = format!("c{turn}");
        world.say("on", &[call(&id, "look")]);
        world.give(&id, &id);
    }
}

#[test]
fn what_streams_is_told() {
    let mut world = World::new();
    let number = world.number();
    let streamed = |event| AgentInput::AnswerDelta { number, event };
    let text = world.step(streamed(DecodedEvent::Text("a".to_owned())));
    assert_eq!(told(&text), [&AgentEvent::Text { text: "a".to_owned() }]);
    let lines: Vec<String> = [
        DecodedEvent::Reasoning("r".to_owned()),
        DecodedEvent::CallStart { id: "a".to_owned(), name: "look".to_owned() },
        DecodedEvent::CallArguments { id: "a".to_owned(), piece: "{\"".to_owned() },
        DecodedEvent::CallEnd(call("a", "look")),
    ]
    .into_iter()
    .flat_map(|event| world.step(streamed(event)))
    .map(|action| match action {
        AgentAction::Emit(told) => serde_json::to_string(&told).expect("JSON"),
        other => panic!("{other:?}"),
    })
    .collect();
    assert_eq!(
        lines,
        [
            r#"{"type":"reasoning","text":"r"}"#,
            r#"{"type":"call_start","id":"a","name":"look"}"#,
            r#"{"type":"call_arguments","id":"a","piece":"{\""}"#,
        ]
    );
    let again = world.step(AgentInput::RequestRetried {
        number,
        reason: "it broke off".to_owned(),
        wait_ms: 500,
    });
    assert_eq!(
        told(&again)[0],
        &AgentEvent::Again { number, why: "it broke off".to_owned(), wait_ms: 500 }
    );
    let sent = AgentInput::RequestSent {
        number,
        tokens_asked: 9,
        tokens_sent: 7,
        rewrite_reason: None,
        inactive_reason: None,
    };
    assert_eq!(told(&world.step(sent)).len(), 1);
}

#[test]
fn how_it_ended_is_one_line() {
    let mut world = World::new();
    let actions = world.say("Done.", &[]);
    let last = told(&actions).last().map(|told| serde_json::to_value(told).expect("JSON"));
    let last = last.expect("a line");
    assert_eq!(
        (&last["type"], &last["outcome"], &last["text"]),
        (&json!("done"), &json!("finished"), &json!("Done."))
    );
    assert_eq!(last["spent"]["turns"], 1);
}

/// Inputs about cancelled requests are ignored.
#[test]
fn what_comes_late_is_passed_over() {
    let mut world = World::new();
    let first = world.number();
    world.say("", &[call("a", "look")]);
    world.give("a", "a");
    let call = world.call_number("a");
    for event in [
        AgentInput::AnswerDelta { number: first, event: DecodedEvent::Text("late".to_owned()) },
        AgentInput::AnswerCompleted { number: first, answer: said("late", &[]) },
        AgentInput::RequestFailed { number: first, message: "late".to_owned(), is_too_long: false },
        AgentInput::CallAnswered { number: call, answer: answer("again") },
        AgentInput::CallProgressed { number: call, message: "late".to_owned(), model: None },
        AgentInput::CallApproved { number: call },
        AgentInput::Task("another".to_owned()),
        AgentInput::Tick,
    ] {
        assert!(world.step(event).is_empty());
    }
    assert_eq!(world.agent.conversation().entries().len(), 4);
}

#[test]
fn limits_hold_before_a_request_goes() {
    let turns = RunLimits { turns: Some(2), ..RunLimits::default() };
    let tokens = RunLimits { tokens: Some(30), ..RunLimits::default() };
    let cost = RunLimits { cost: Some(0.4), ..RunLimits::default() };
    let time = RunLimits { time_ms: Some(100), ..RunLimits::default() };
    for (limits, limit) in [
        (turns, LimitKind::Turns),
        (tokens, LimitKind::Tokens),
        (cost, LimitKind::Cost),
        (time, LimitKind::Time),
    ] {
        let mut world = World::with(limits);
        for id in ["a", "b"] {
            assert_eq!(world.outcome(), None, "{limit:?}");
            world.say("", &[call(id, "look")]);
            world.now += 60;
            world.give(id, id);
        }
        assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit }));
        // The conversation is complete nevertheless.
        assert_eq!(
            world.agent.conversation().entries().last().map(|it| it.role),
            Some(MessageRole::Tool)
        );
    }
}

#[test]
fn the_time_is_up_in_the_middle_of_a_call() {
    let mut world = World::with(RunLimits { time_ms: Some(100), ..RunLimits::default() });
    world.say("", &[call("a", "act"), call("b", "act")]);
    world.now += 99;
    assert!(world.step(AgentInput::Tick).is_empty());
    world.now += 1;
    let actions = world.step(AgentInput::Tick);
    // Cancelled calls are reported at once.
    assert!(
        matches!(&actions[..], [AgentAction::CancelCalls, AgentAction::Emit(AgentEvent::Result { id, .. })] if id == "b"),
        "{actions:?}"
    );
    assert!(world.step(AgentInput::Tick).is_empty());
    world.give("a", "stopped");
    assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit: LimitKind::Time }));
    let last = world.agent.conversation().entries().last().expect("a result");
    let last = last.tool_result().expect("a result");
    assert!(
        last.is_error && last.call == "b" && last.content.contains("before this call"),
        "{last:?}"
    );
}

#[test]
fn prices_count_where_the_provider_says_nothing() {
    let prices = PriceCard { output: 2e6, ..PriceCard::anthropic_5m() };
    let prices = PriceCard { input: 1e6, ..prices };
    let mut settings = settings(RunLimits::default());
    settings.price = ModelPrice::Known(prices);
    let mut world = World::of(foveal_agent::Agent::new(settings));
    world.step(AgentInput::Task("do it".to_owned()));
    let mut answered = said("Done.", &[]);
    answered.metadata.billed.cost = None;
    world.step(AgentInput::AnswerCompleted { number: 1, answer: answered });
    assert_eq!(world.agent.totals().charge.cost, 20.0);
}

#[test]
fn a_person_can_stop_a_request() {
    let mut world = World::new();
    let actions = world.step(AgentInput::Stop);
    assert_eq!(actions[0], AgentAction::CancelRequest);
    assert_eq!(world.outcome(), Some(&RunOutcome::Stopped));
    assert!(world.step(AgentInput::Stop).is_empty());
}

#[test]
fn stopped_calls_get_a_result() {
    let mut world = World::new();
    let calls = [call("a", "look"), call("b", "look"), call("c", "act")];
    assert_eq!(made(&world.say("", &calls)), ["a", "b"]);
    world.give("a", "a");
    assert_eq!(world.step(AgentInput::Stop)[0], AgentAction::CancelCalls);
    assert_eq!(world.outcome(), None);
    // The running call is awaited, and no other starts.
    let actions = world.give("b", "half of b");
    assert!(made(&actions).is_empty() && !asks(&actions));
    assert_eq!(world.outcome(), Some(&RunOutcome::Stopped));
    let contents: Vec<String> = world.agent.conversation().entries()[3..]
        .iter()
        .map(|entry| entry.tool_result().expect("a result").content.clone())
        .collect();
    assert_eq!(contents[..2], ["a", "half of b"]);
    assert!(contents[2].starts_with("stopped"));
}

#[test]
fn who_stops_twice_does_not_wait() {
    let mut world = World::new();
    world.say("", &[call("a", "act")]);
    world.step(AgentInput::Stop);
    world.step(AgentInput::Stop);
    assert_eq!(world.outcome(), Some(&RunOutcome::Stopped));
    let last = world.agent.conversation().entries().last().and_then(|it| it.tool_result().cloned());
    assert!(last.expect("a result").content.contains("may have done its work"));
}

#[test]
fn calls_that_cannot_be_read_are_answered_and_not_made() {
    let mut world = World::new();
    let broken = |id: &str, arguments: Value| ToolCall { arguments, ..call(id, "act") };
    let calls = [broken("a", json!("{\"path\": ")), broken("b", json!("[1]")), call("c", "look")];
    let actions = world.say("", &calls);
    assert_eq!(made(&actions), ["c"]);
    // Events report it at once.
    let ids: Vec<&str> = told(&actions)
        .into_iter()
        .filter_map(|told| match told {
            AgentEvent::Result { id, is_error: true, .. } => Some(id.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(ids, ["a", "b"]);
    world.give("c", "c");
    let body = world.body();
    let content = |at: usize| body["messages"][at]["content"].as_str().expect("a text").to_owned();
    assert!(
        content(3).contains("no JSON") && content(3).contains("one JSON object"),
        "{}",
        content(3)
    );
    assert!(content(4).contains("no object"), "{}", content(4));
    assert_eq!(content(5), "c");
    // All calls are invalid, so the model gets their results at once.
    assert!(asks(&world.say("", &[broken("d", json!("{"))])));
}

#[test]
fn circles_are_told_and_ended() {
    let mut world = World::new();
    let mut last = 0;
    for turn in 1..=6 {
        let id = format!("c{turn}");
        let same = ToolCall { arguments: json!({"path": "a"}), ..call(&id, "look") };
        world.say("", &[same]);
        let actions = world.give(&id, "the same");
        let repeated =
            told(&actions).into_iter().any(|told| matches!(told, AgentEvent::Repeated { .. }));
        assert_eq!(repeated, turn >= 3, "{turn}");
        let result =
            world.agent.conversation().entries().last().and_then(|it| it.tool_result().cloned());
        let content = result.expect("a result").content;
        assert_eq!(content.contains("made this call"), turn >= 3, "{content}");
        last = turn;
        if world.outcome().is_some() {
            break;
        }
    }
    assert_eq!(last, 6);
    assert_eq!(world.outcome(), Some(&RunOutcome::Repeated { name: "look".to_owned(), times: 6 }));
}

/// A different answer or a different call is not a repetition.
#[test]
fn work_that_goes_on_is_no_circle() {
    let mut world = World::new();
    for turn in 0..30 {
        let (one, other) = (format!("a{turn}"), format!("b{turn}"));
        let same = ToolCall { arguments: json!({"path": "a"}), ..call(&one, "look") };
        world.say("", &[same, call(&other, "look")]);
        world.give(&one, &format!("line {turn}"));
        world.give(&other, "the same");
    }
    assert_eq!(world.outcome(), None);
}

#[test]
fn each_way_to_end_is_told_apart() {
    let ended = |stop: StopReason| {
        let mut world = World::new();
        let said =
            foveal_protocols::response::DecodedAnswer { stop_reason: stop, ..said("so far", &[]) };
        world.step(AgentInput::AnswerCompleted { number: 1, answer: said });
        world.outcome().expect("it is over").clone()
    };
    let text = || "so far".to_owned();
    assert_eq!(ended(StopReason::EndOfTurn), RunOutcome::Finished { text: text() });
    assert_eq!(ended(StopReason::Other("x".to_owned())), RunOutcome::Finished { text: text() });
    assert_eq!(ended(StopReason::OutputLimit), RunOutcome::Cut { text: text() });
    assert_eq!(ended(StopReason::Refusal), RunOutcome::Refused { text: text() });
    assert_eq!(ended(StopReason::ContextWindow), RunOutcome::TooLong { message: text() });
    for (is_too_long, expected) in [
        (true, RunOutcome::TooLong { message: "no".to_owned() }),
        (false, RunOutcome::Failed { message: "no".to_owned() }),
    ] {
        let mut world = World::new();
        world.step(AgentInput::RequestFailed { number: 1, message: "no".to_owned(), is_too_long });
        assert_eq!(world.outcome(), Some(&expected));
    }
}

#[test]
fn answers_tell_whether_they_are_cached() {
    let mut world = World::new();
    world.say("", &[call("a", "look")]);
    let answer = ToolAnswer { text: "x".to_owned(), is_error: true, cached: true };
    let actions = world.step(AgentInput::CallAnswered { number: 1, answer });
    let line = serde_json::to_value(told(&actions)[0]).expect("JSON");
    assert_eq!(
        line,
        json!({"type": "result", "id": "a", "name": "look", "cached": true, "is_error": true, "text": "x"})
    );
}
