//! The cost of side models.

use foveal_agent::{
    AgentAction, AgentEvent, AgentInput, LimitKind, RunLimits, RunOutcome, SideModelCharge,
    SideModelRole, SideModelTotals, UsageCharge,
};

use crate::world::{World, asks, call};

/// Returns the charge of a question.
fn charge(uncached: u64, cost: f64) -> SideModelCharge {
    let charge = UsageCharge { uncached, cache_read: 7, output: 3, cost, ..UsageCharge::default() };
    SideModelCharge {
        agent: SideModelRole::Curator,
        model: "small".to_owned(),
        charge,
        estimated: false,
    }
}

fn asked(world: &mut World, number: u64, charge: SideModelCharge) {
    assert_eq!(world.step(AgentInput::SideModelAsked { number, charge }), []);
}

fn told(actions: &[AgentAction]) -> Vec<&AgentEvent> {
    let told = actions.iter().filter_map(|action| match action {
        AgentAction::Emit(told) => Some(told),
        _ => None,
    });
    told.collect()
}

#[test]
fn what_they_cost_is_told_and_adds_up() {
    let mut world = World::new();
    asked(&mut world, 1, charge(90, 0.9));
    let answered = AgentInput::SideModelAnswered { number: 1, charge: Some(charge(40, 0.5)) };
    let actions = world.step(answered);
    let [AgentEvent::SideUsage { charge: counted, spent }] = told(&actions)[..] else {
        panic!("{actions:?}")
    };
    assert_eq!((counted, spent.turns), (&charge(40, 0.5), 1));
    world.say("Done.", &[]);
    let spent = world.agent.totals();
    assert_eq!((spent.total_tokens(), spent.charge.cost), (15 + 50, 0.75));
    let of_side =
        UsageCharge { uncached: 40, cache_read: 7, output: 3, cost: 0.5, ..UsageCharge::default() };
    assert_eq!(spent.side, SideModelTotals { requests: 1, charge: of_side });
    assert_eq!(of_side.total_tokens(), 50);
    let main = spent.without_side_models();
    assert_eq!(
        (main.total_tokens(), main.charge.cost, main.side),
        (15, 0.25, SideModelTotals::default())
    );
}

#[test]
fn they_count_towards_limits_as_soon_as_they_are_asked() {
    for (limits, limit) in [
        (RunLimits { cost: Some(1.0), ..RunLimits::default() }, LimitKind::Cost),
        (RunLimits { tokens: Some(60), ..RunLimits::default() }, LimitKind::Tokens),
    ] {
        // Without side models the total is below the limit.
        let mut world = World::with(limits);
        world.say("", &[call("a", "look")]);
        assert!(asks(&world.give("a", "a")));
        let mut world = World::with(limits);
        world.say("", &[call("a", "look")]);
        asked(&mut world, 1, charge(40, 0.8));
        assert!(!asks(&world.give("a", "a")));
        assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit }));
        // An abandoned question costs its prompt, reported before the end.
        let told = told(&world.actions);
        let [.., AgentEvent::SideUsage { .. }, AgentEvent::Done { spent, .. }] = told[..] else {
            panic!("{told:?}")
        };
        assert_eq!((spent.side.requests, spent.charge.cost), (1, 0.25 + 0.8));
        // Late answers change nothing.
        let charge = Some(charge(1, 1.0));
        assert_eq!(world.step(AgentInput::SideModelAnswered { number: 1, charge }), []);
        assert_eq!(world.agent.totals().charge.cost, 0.25 + 0.8);
    }
}

#[test]
fn what_costs_nothing_does_not_count() {
    let mut world = World::with(RunLimits { tokens: Some(60), ..RunLimits::default() });
    world.say("", &[call("a", "look")]);
    asked(&mut world, 1, charge(40, 0.0));
    assert_eq!(world.step(AgentInput::SideModelAnswered { number: 1, charge: None }), []);
    assert!(asks(&world.give("a", "a")));
    assert_eq!(world.agent.totals().side, SideModelTotals::default());
}

/// A question to a side model may reach a limit while a request is being shaped. The request is not
/// sent.
#[test]
fn a_request_that_was_not_sent_ends_it() {
    let mut world = World::with(RunLimits { cost: Some(1.0), ..RunLimits::default() });
    let number = world.number();
    world.step(AgentInput::SideModelAnswered { number: 1, charge: Some(charge(1, 1.5)) });
    world.step(AgentInput::RequestOverLimit { number, limit: LimitKind::Cost });
    assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit: LimitKind::Cost }));
    assert_eq!(world.agent.totals().turns, 0);
}

#[test]
fn an_agent_that_stays_counts_them_between_its_turns() {
    let mut world = World::staying(RunLimits { cost: Some(1.0), ..RunLimits::default() });
    world.say("Done.", &[]);
    asked(&mut world, 1, charge(40, 0.5));
    world.step(AgentInput::SideModelAnswered { number: 1, charge: Some(charge(40, 0.9)) });
    assert!(!asks(&world.step(AgentInput::Task("next".to_owned()))));
    // A shutdown reports the pending questions.
    asked(&mut world, 2, charge(1, 0.1));
    let actions = world.step(AgentInput::ShutDown);
    assert!(matches!(told(&actions)[..], [AgentEvent::SideUsage { .. }]), "{actions:?}");
    assert_eq!(world.agent.totals().side.requests, 2);
}
