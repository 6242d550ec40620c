//! Calls that sub-agents run.

use foveal_agent::{
    Agent, AgentAction, AgentEvent, AgentInput, AgentTool, LimitKind, RunLimits, RunOutcome,
    RunTotals, Settings, SubAgentCall, SubAgentTask, SubAgentTotals, UsageCharge,
    sub_agent_tool_answer,
};
use foveal_transcript::ToolCall;
use serde_json::{Value, json};

use crate::world::{World, answer, asks, call, settings, told};

/// Returns a world whose agent has the sub-agent tool.
fn world(limits: RunLimits) -> World {
    let mut settings = settings(limits);
    settings.tools.push(AgentTool::new_sub_agent_tool());
    let mut world = World::of(Agent::new(settings));
    world.step(AgentInput::Task("do it".to_owned()));
    world
}

fn start(id: &str) -> ToolCall {
    let arguments = json!({"task": format!("find {id}"), "label": format!("look for {id}")});
    ToolCall { arguments, ..call(id, "start_agent") }
}

/// Returns the sub-agent calls that were started.
fn started(actions: &[AgentAction]) -> Vec<&SubAgentCall> {
    let started = actions.iter().filter_map(|action| match action {
        AgentAction::StartSubAgent(start) => Some(start),
        _ => None,
    });
    started.collect()
}

fn begins() -> AgentEvent {
    let (session, model) = ("s/1".to_owned(), "m".to_owned());
    AgentEvent::Start { session, messages: 0, model, tools: Vec::new() }
}

fn usage(turns: u32, output: u64, cost: f64) -> AgentEvent {
    let spent = RunTotals {
        turns,
        charge: UsageCharge { output, cost, ..UsageCharge::default() },
        ..RunTotals::default()
    };
    AgentEvent::Usage { number: turns.into(), spent, estimated: false }
}

impl World {
    fn of_agent(&mut self, number: u64, told: AgentEvent) -> Vec<AgentAction> {
        self.step(AgentInput::SubAgentReported { number, event: Box::new(told) })
    }
}

#[test]
fn a_sub_agent_works_alone_and_its_answer_is_the_result() {
    let mut world = world(RunLimits::default());
    let actions = world.say("I ask.", &[start("a"), start("b"), call("c", "look")]);
    // Sub-agents run one at a time, since each may write.
    let [first] = started(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!((first.call.id.as_str(), first.step, first.call_position), ("a", 3, 0));
    let number = first.number;
    // A sub-agent waits until the log holds that it begins.
    assert!(!actions.iter().any(|it| matches!(
        it,
        AgentAction::BeginCall { .. }
            | AgentAction::AppendLog(foveal_agent::RunLogEntry::CallBegun { .. })
    )));
    let allowed = world.step(AgentInput::CallApproved { number });
    let begun = foveal_agent::RunLogEntry::CallBegun { id: "a".to_owned() };
    assert_eq!(allowed, [AgentAction::AppendLog(begun), AgentAction::BeginCall { number }]);
    let actions = world.step(AgentInput::CallAnswered { number, answer: answer("it is in a.rs") });
    let [second] = started(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!((second.call.id.as_str(), second.step, second.call_position), ("b", 3, 1));
    let number = second.number;
    let actions = world.step(AgentInput::CallAnswered { number, answer: answer("nowhere") });
    assert_eq!(crate::world::made(&actions), ["c"]);
    assert!(asks(&world.give("c", "seen")));
    let body = world.body();
    let results: Vec<&Value> =
        body["messages"].as_array().expect("a list")[3..].iter().map(|it| &it["content"]).collect();
    assert_eq!(results, ["it is in a.rs", "nowhere", "seen"]);
}

#[test]
fn what_it_tells_is_told_as_its_own() {
    let mut world = world(RunLimits::default());
    let number = started(&world.say("", &[start("a")]))[0].number;
    let actions = world.of_agent(number, AgentEvent::Text { text: "mine".to_owned() });
    let [told] = told(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!(
        serde_json::to_value(told).expect("JSON"),
        json!({"type": "agent", "id": "a", "label": "look for a",
            "event": {"type": "text", "text": "mine"}})
    );
    // Events of an abandoned sub-agent are ignored.
    world.step(AgentInput::CallAnswered { number, answer: answer("done") });
    assert!(world.of_agent(number, AgentEvent::Text { text: "late".to_owned() }).is_empty());
    assert!(world.of_agent(99, AgentEvent::Text { text: "stray".to_owned() }).is_empty());
}

#[test]
fn what_it_takes_counts_once() {
    let mut world = world(RunLimits::default());
    let number = started(&world.say("", &[start("a"), start("b")]))[0].number;
    world.of_agent(number, begins());
    world.of_agent(number, usage(1, 100, 0.5));
    let actions = world.of_agent(number, usage(2, 300, 0.75));
    let told = told(&actions);
    let Some(AgentEvent::Usage { number: 1, spent, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!((spent.turns, spent.total_tokens(), spent.charge.cost), (3, 315, 1.0));
    let ended = RunTotals {
        turns: 2,
        charge: UsageCharge { output: 300, cost: 0.75, ..UsageCharge::default() },
        ..RunTotals::default()
    };
    world.of_agent(number, AgentEvent::Done { outcome: RunOutcome::Stopped, spent: ended });
    let actions = world.step(AgentInput::CallAnswered { number, answer: answer("found") });
    // The totals of the next sub-agent begin at zero.
    let number = started(&actions)[0].number;
    world.of_agent(number, begins());
    world.of_agent(number, usage(1, 50, 0.25));
    world.step(AgentInput::CallAnswered { number, answer: answer("found") });
    assert_eq!(world.number(), 2, "its requests have no gaps");
    world.say("Done.", &[]);
    let spent = world.agent.totals();
    assert_eq!((spent.turns, spent.total_tokens(), spent.charge.cost), (5, 380, 1.5));
    assert_eq!(spent.agents, SubAgentTotals { count: 2, turns: 3, tokens: 350, cost: 1.0 });
}

#[test]
fn what_it_estimates_is_an_estimate() {
    let mut world = world(RunLimits::default());
    let number = started(&world.say("", &[start("a")]))[0].number;
    let spent = RunTotals {
        turns: 1,
        charge: UsageCharge { uncached: 70, ..UsageCharge::default() },
        ..RunTotals::default()
    };
    let actions = world.of_agent(number, AgentEvent::Usage { number: 1, spent, estimated: true });
    let told = told(&actions);
    let Some(AgentEvent::Usage { spent, estimated: true, .. }) = told.last() else {
        panic!("{told:?}")
    };
    assert_eq!(spent.agents.tokens, 70);
}

#[test]
fn it_may_take_what_is_left_and_that_counts() {
    let limits =
        RunLimits { turns: Some(10), tokens: Some(1_000), cost: Some(2.0), time_ms: Some(9_000) };
    let mut world = world(limits);
    let start = started(&world.say("", &[start("a")]))[0].clone();
    // One request is held back, in which the model reads the answer.
    let left = RunLimits { turns: Some(8), tokens: Some(985), cost: Some(1.75), time_ms: None };
    assert_eq!(start.limits, left);
    world.of_agent(start.number, begins());
    world.of_agent(start.number, usage(8, 10, 0.5));
    let actions =
        world.step(AgentInput::CallAnswered { number: start.number, answer: answer("a") });
    assert!(asks(&actions), "the one that was held back");
    world.say("", &[call("b", "look")]);
    let actions = world.give("b", "b");
    assert!(!asks(&actions));
    assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit: LimitKind::Turns }));
}

#[test]
fn money_that_it_took_is_gone() {
    let mut world = world(RunLimits { cost: Some(1.0), ..RunLimits::default() });
    let number = started(&world.say("", &[start("a")]))[0].number;
    world.of_agent(number, usage(1, 10, 0.8));
    world.step(AgentInput::CallAnswered { number, answer: answer("a") });
    assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit: LimitKind::Cost }));
}

#[test]
fn who_stops_it_gets_pairs() {
    let mut world = world(RunLimits::default());
    let number = started(&world.say("", &[start("a"), start("b")]))[0].number;
    let actions = world.step(AgentInput::Stop);
    assert!(actions.contains(&AgentAction::CancelCalls) && world.outcome().is_none());
    world.step(AgentInput::CallAnswered {
        number,
        answer: sub_agent_tool_answer(&RunOutcome::Stopped, "I look."),
    });
    assert_eq!(world.outcome(), Some(&RunOutcome::Stopped));
    let entries = world.agent.conversation().entries();
    let results: Vec<String> = entries
        .iter()
        .filter_map(|entry| entry.tool_result().map(|it| it.content.clone()))
        .collect();
    assert!(results[0].contains("it was stopped") && results[0].ends_with("\nI look."));
    assert!(results[1].contains("before this call was made"), "{results:?}");
}

/// Without the sub-agent tool, its name is that of an unknown tool.
#[test]
fn without_the_tool_nothing_is_started() {
    let mut world = World::with(RunLimits::default());
    let actions = world.say("", &[start("a")]);
    assert!(started(&actions).is_empty());
    assert_eq!(crate::world::made(&actions), ["a"]);
    let offered =
        Settings { tools: vec![AgentTool::new_sub_agent_tool()], ..settings(RunLimits::default()) };
    assert!(!offered.tools[0].is_read_only);
}

#[test]
fn what_a_call_asks_for() {
    let of = |arguments: Value| SubAgentTask::from_arguments(&arguments);
    let task = of(json!({"task": " find it ", "label": "find\n  it"})).expect("a task");
    assert_eq!((task.task.as_str(), task.label.as_str()), ("find it", "find it"));
    let long = "word ".repeat(99);
    let trimmed = long.trim().to_owned();
    let task = of(json!({"task": long})).expect("a task");
    assert_eq!((task.task.as_str(), task.label.chars().count()), (trimmed.as_str(), 60));
    for wrong in [json!({}), json!({"task": "  "}), json!({"task": 3}), json!([])] {
        let refused = of(wrong).expect_err("nothing is to be done");
        assert!(refused.is_error && refused.text.contains("`task`"), "{}", refused.text);
    }
}

#[test]
fn how_it_ended_is_its_answer() {
    let finished = |text: &str| RunOutcome::Finished { text: text.to_owned() };
    let done = sub_agent_tool_answer(&finished("It is in a.rs."), "It is in a.rs.");
    assert_eq!((done.text.as_str(), done.is_error), ("It is in a.rs.", false));
    let cut = sub_agent_tool_answer(&RunOutcome::Cut { text: "It is".to_owned() }, "It is");
    assert!(cut.text.starts_with("It is\n[") && !cut.is_error, "{}", cut.text);
    let failed = [
        (finished(" "), "without an answer"),
        (RunOutcome::Limit { limit: LimitKind::Tokens }, "the limit of tokens is reached"),
        (RunOutcome::Repeated { name: "grep".to_owned(), times: 6 }, "grep 6 times"),
        (RunOutcome::Failed { message: "no such host".to_owned() }, "no such host"),
        (RunOutcome::Stopped, "it was stopped"),
    ];
    for (outcome, why) in failed {
        let answered = sub_agent_tool_answer(&outcome, "I read a.rs.");
        assert!(answered.is_error && answered.text.contains(why), "{}", answered.text);
        assert!(answered.text.ends_with("What it said last:\nI read a.rs."), "{}", answered.text);
        assert!(sub_agent_tool_answer(&outcome, "").text.ends_with("It had said nothing."));
    }
}
