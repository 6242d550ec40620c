//! Calls that sub-agents carry out.

use foveal_agent::{
    Action, Agent, AgentTool, Charge, Event, Limit, Limits, OfAgents, Outcome, Settings, Spent,
    StartAgent, SubTask, Told, answer_of_agent,
};
use foveal_transcript::Call;
use serde_json::{Value, json};

use crate::world::{World, answer, asks, call, settings, told};

/// A world whose agent may start others.
fn world(limits: Limits) -> World {
    let mut settings = settings(limits);
    settings.tools.push(AgentTool::start_agent());
    let mut world = World::of(Agent::new(settings));
    world.step(Event::Task("do it".to_owned()));
    world
}

fn start(id: &str) -> Call {
    let arguments = json!({"task": format!("find {id}"), "label": format!("look for {id}")});
    Call { arguments, ..call(id, "start_agent") }
}

/// The sub-agents that are started, with the number of their calls.
fn started(actions: &[Action]) -> Vec<&StartAgent> {
    let started = actions.iter().filter_map(|action| match action {
        Action::StartAgent(start) => Some(start),
        _ => None,
    });
    started.collect()
}

fn begins() -> Told {
    let (session, model) = ("s/1".to_owned(), "m".to_owned());
    Told::Start { session, messages: 0, model, tools: Vec::new() }
}

fn usage(turns: u32, output: u64, cost: f64) -> Told {
    let spent =
        Spent { turns, charge: Charge { output, cost, ..Charge::default() }, ..Spent::default() };
    Told::Usage { number: turns.into(), spent, estimated: false }
}

impl World {
    fn of_agent(&mut self, number: u64, told: Told) -> Vec<Action> {
        self.step(Event::OfAgent { number, told: Box::new(told) })
    }
}

#[test]
fn a_sub_agent_works_alone_and_its_answer_is_the_result() {
    let mut world = world(Limits::default());
    let actions = world.say("I ask.", &[start("a"), start("b"), call("c", "look")]);
    // One at a time: each may write.
    let [first] = started(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!((first.call.id.as_str(), first.step, first.place), ("a", 3, 0));
    let number = first.number;
    // It does nothing before that it begins is kept.
    assert!(!actions.iter().any(|it| matches!(
        it,
        Action::Begin { .. } | Action::Keep(foveal_agent::Keep::Begun { .. })
    )));
    let allowed = world.step(Event::Allowed { number });
    let begun = foveal_agent::Keep::Begun { id: "a".to_owned() };
    assert_eq!(allowed, [Action::Keep(begun), Action::Begin { number }]);
    let actions = world.step(Event::Answered { number, answer: answer("it is in a.rs") });
    let [second] = started(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!((second.call.id.as_str(), second.step, second.place), ("b", 3, 1));
    let number = second.number;
    let actions = world.step(Event::Answered { number, answer: answer("nowhere") });
    assert_eq!(crate::world::made(&actions), ["c"]);
    assert!(asks(&world.give("c", "seen")));
    let body = world.body();
    let results: Vec<&Value> =
        body["messages"].as_array().expect("a list")[3..].iter().map(|it| &it["content"]).collect();
    assert_eq!(results, ["it is in a.rs", "nowhere", "seen"]);
}

#[test]
fn what_it_tells_is_told_as_its_own() {
    let mut world = world(Limits::default());
    let number = started(&world.say("", &[start("a")]))[0].number;
    let actions = world.of_agent(number, Told::Text { text: "mine".to_owned() });
    let [told] = told(&actions)[..] else { panic!("{actions:?}") };
    assert_eq!(
        serde_json::to_value(told).expect("JSON"),
        json!({"type": "agent", "id": "a", "label": "look for a",
            "event": {"type": "text", "text": "mine"}})
    );
    // Nobody waits for it any more.
    world.step(Event::Answered { number, answer: answer("done") });
    assert!(world.of_agent(number, Told::Text { text: "late".to_owned() }).is_empty());
    assert!(world.of_agent(99, Told::Text { text: "stray".to_owned() }).is_empty());
}

#[test]
fn what_it_takes_counts_once() {
    let mut world = world(Limits::default());
    let number = started(&world.say("", &[start("a"), start("b")]))[0].number;
    world.of_agent(number, begins());
    world.of_agent(number, usage(1, 100, 0.5));
    let actions = world.of_agent(number, usage(2, 300, 0.75));
    let told = told(&actions);
    let Some(Told::Usage { number: 1, spent, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!((spent.turns, spent.tokens(), spent.charge.cost), (3, 315, 1.0));
    let ended = Spent {
        turns: 2,
        charge: Charge { output: 300, cost: 0.75, ..Charge::default() },
        ..Spent::default()
    };
    world.of_agent(number, Told::Done { outcome: Outcome::Stopped, spent: ended });
    let actions = world.step(Event::Answered { number, answer: answer("found") });
    // The next one begins with nothing.
    let number = started(&actions)[0].number;
    world.of_agent(number, begins());
    world.of_agent(number, usage(1, 50, 0.25));
    world.step(Event::Answered { number, answer: answer("found") });
    assert_eq!(world.number(), 2, "its requests have no gaps");
    world.say("Done.", &[]);
    let spent = world.agent.spent();
    assert_eq!((spent.turns, spent.tokens(), spent.charge.cost), (5, 380, 1.5));
    assert_eq!(spent.agents, OfAgents { count: 2, turns: 3, tokens: 350, cost: 1.0 });
}

#[test]
fn what_it_estimates_is_an_estimate() {
    let mut world = world(Limits::default());
    let number = started(&world.say("", &[start("a")]))[0].number;
    let spent = Spent {
        turns: 1,
        charge: Charge { uncached: 70, ..Charge::default() },
        ..Spent::default()
    };
    let actions = world.of_agent(number, Told::Usage { number: 1, spent, estimated: true });
    let told = told(&actions);
    let Some(Told::Usage { spent, estimated: true, .. }) = told.last() else { panic!("{told:?}") };
    assert_eq!(spent.agents.tokens, 70);
}

#[test]
fn it_may_take_what_is_left_and_that_counts() {
    let limits =
        Limits { turns: Some(10), tokens: Some(1_000), cost: Some(2.0), time_ms: Some(9_000) };
    let mut world = world(limits);
    let start = started(&world.say("", &[start("a")]))[0].clone();
    // One request is held back, in which its answer is read.
    let left = Limits { turns: Some(8), tokens: Some(985), cost: Some(1.75), time_ms: None };
    assert_eq!(start.limits, left);
    world.of_agent(start.number, begins());
    world.of_agent(start.number, usage(8, 10, 0.5));
    let actions = world.step(Event::Answered { number: start.number, answer: answer("a") });
    assert!(asks(&actions), "the one that was held back");
    world.say("", &[call("b", "look")]);
    let actions = world.give("b", "b");
    assert!(!asks(&actions));
    assert_eq!(world.outcome(), Some(&Outcome::Limit { limit: Limit::Turns }));
}

#[test]
fn money_that_it_took_is_gone() {
    let mut world = world(Limits { cost: Some(1.0), ..Limits::default() });
    let number = started(&world.say("", &[start("a")]))[0].number;
    world.of_agent(number, usage(1, 10, 0.8));
    world.step(Event::Answered { number, answer: answer("a") });
    assert_eq!(world.outcome(), Some(&Outcome::Limit { limit: Limit::Cost }));
}

#[test]
fn who_stops_it_gets_pairs() {
    let mut world = world(Limits::default());
    let number = started(&world.say("", &[start("a"), start("b")]))[0].number;
    let actions = world.step(Event::Stop);
    assert!(actions.contains(&Action::StopCalls) && world.outcome().is_none());
    world.step(Event::Answered { number, answer: answer_of_agent(&Outcome::Stopped, "I look.") });
    assert_eq!(world.outcome(), Some(&Outcome::Stopped));
    let entries = world.agent.conversation().entries();
    let results: Vec<String> =
        entries.iter().filter_map(|entry| entry.result().map(|it| it.content.clone())).collect();
    assert!(results[0].contains("it was stopped") && results[0].ends_with("\nI look."));
    assert!(results[1].contains("before this call was made"), "{results:?}");
}

/// Where the tool is not offered, a call of it is one of a tool that is not there.
#[test]
fn without_the_tool_nothing_is_started() {
    let mut world = World::with(Limits::default());
    let actions = world.say("", &[start("a")]);
    assert!(started(&actions).is_empty());
    assert_eq!(crate::world::made(&actions), ["a"]);
    let offered = Settings { tools: vec![AgentTool::start_agent()], ..settings(Limits::default()) };
    assert!(!offered.tools[0].only_looks);
}

#[test]
fn what_a_call_asks_for() {
    let of = |arguments: Value| SubTask::of(&arguments);
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
    let finished = |text: &str| Outcome::Finished { text: text.to_owned() };
    let done = answer_of_agent(&finished("It is in a.rs."), "It is in a.rs.");
    assert_eq!((done.text.as_str(), done.is_error), ("It is in a.rs.", false));
    let cut = answer_of_agent(&Outcome::Cut { text: "It is".to_owned() }, "It is");
    assert!(cut.text.starts_with("It is\n[") && !cut.is_error, "{}", cut.text);
    let failed = [
        (finished(" "), "without an answer"),
        (Outcome::Limit { limit: Limit::Tokens }, "the limit of tokens is reached"),
        (Outcome::Repeated { name: "grep".to_owned(), times: 6 }, "grep 6 times"),
        (Outcome::Failed { message: "no such host".to_owned() }, "no such host"),
        (Outcome::Stopped, "it was stopped"),
    ];
    for (outcome, why) in failed {
        let answered = answer_of_agent(&outcome, "I read a.rs.");
        assert!(answered.is_error && answered.text.contains(why), "{}", answered.text);
        assert!(answered.text.ends_with("What it said last:\nI read a.rs."), "{}", answered.text);
        assert!(answer_of_agent(&outcome, "").text.ends_with("It had said nothing."));
    }
}
