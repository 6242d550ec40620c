//! Models beside the main one: what they cost counts.

use foveal_agent::{
    Action, Charge, Event, Limit, Limits, Outcome, SideCharge, SideKind, SideSpent, Told,
};

use crate::world::{World, asks, call};

/// What a question cost.
fn charge(uncached: u64, cost: f64) -> SideCharge {
    let charge = Charge { uncached, cache_read: 7, cache_write: 0, output: 3, cost };
    SideCharge { agent: SideKind::Curator, model: "small".to_owned(), charge, estimated: false }
}

fn asked(world: &mut World, number: u64, charge: SideCharge) {
    assert_eq!(world.step(Event::SideAsked { number, charge }), []);
}

fn told(actions: &[Action]) -> Vec<&Told> {
    let told = actions.iter().filter_map(|action| match action {
        Action::Tell(told) => Some(told),
        _ => None,
    });
    told.collect()
}

#[test]
fn what_they_cost_is_told_and_adds_up() {
    let mut world = World::new();
    asked(&mut world, 1, charge(90, 0.9));
    let answered = Event::SideAnswered { number: 1, charge: Some(charge(40, 0.5)) };
    let actions = world.step(answered);
    let [Told::SideUsage { charge: counted, spent }] = told(&actions)[..] else {
        panic!("{actions:?}")
    };
    assert_eq!((counted, spent.turns), (&charge(40, 0.5), 1));
    world.say("Done.", &[]);
    let spent = world.agent.spent();
    assert_eq!((spent.tokens(), spent.charge.cost), (15 + 50, 0.75));
    let of_side = Charge { uncached: 40, cache_read: 7, cache_write: 0, output: 3, cost: 0.5 };
    assert_eq!(spent.side, SideSpent { requests: 1, charge: of_side });
    assert_eq!(of_side.tokens(), 50);
    let main = spent.main();
    assert_eq!((main.tokens(), main.charge.cost, main.side), (15, 0.25, SideSpent::default()));
}

#[test]
fn they_count_towards_limits_as_soon_as_they_are_asked() {
    for (limits, limit) in [
        (Limits { cost: Some(1.0), ..Limits::default() }, Limit::Cost),
        (Limits { tokens: Some(60), ..Limits::default() }, Limit::Tokens),
    ] {
        // The main model alone comes to less.
        let mut world = World::with(limits);
        world.say("", &[call("a", "look")]);
        assert!(asks(&world.give("a", "a")));
        let mut world = World::with(limits);
        world.say("", &[call("a", "look")]);
        asked(&mut world, 1, charge(40, 0.8));
        assert!(!asks(&world.give("a", "a")));
        assert_eq!(world.outcome(), Some(&Outcome::Limit { limit }));
        // Nobody waits for the answer: it costs what was asked, and that is told before the end.
        let told = told(&world.actions);
        let [.., Told::SideUsage { .. }, Told::Done { spent, .. }] = told[..] else {
            panic!("{told:?}")
        };
        assert_eq!((spent.side.requests, spent.charge.cost), (1, 0.25 + 0.8));
        // What comes later changes nothing.
        let charge = Some(charge(1, 1.0));
        assert_eq!(world.step(Event::SideAnswered { number: 1, charge }), []);
        assert_eq!(world.agent.spent().charge.cost, 0.25 + 0.8);
    }
}

#[test]
fn what_costs_nothing_does_not_count() {
    let mut world = World::with(Limits { tokens: Some(60), ..Limits::default() });
    world.say("", &[call("a", "look")]);
    asked(&mut world, 1, charge(40, 0.0));
    assert_eq!(world.step(Event::SideAnswered { number: 1, charge: None }), []);
    assert!(asks(&world.give("a", "a")));
    assert_eq!(world.agent.spent().side, SideSpent::default());
}

/// What is asked on the way of a request may reach a limit: the request does not go.
#[test]
fn a_request_that_was_not_sent_ends_it() {
    let mut world = World::with(Limits { cost: Some(1.0), ..Limits::default() });
    let number = world.number();
    world.step(Event::SideAnswered { number: 1, charge: Some(charge(1, 1.5)) });
    world.step(Event::OverLimit { number, limit: Limit::Cost });
    assert_eq!(world.outcome(), Some(&Outcome::Limit { limit: Limit::Cost }));
    assert_eq!(world.agent.spent().turns, 0);
}

#[test]
fn an_agent_that_stays_counts_them_between_its_turns() {
    let mut world = World::staying(Limits { cost: Some(1.0), ..Limits::default() });
    world.say("Done.", &[]);
    asked(&mut world, 1, charge(40, 0.5));
    world.step(Event::SideAnswered { number: 1, charge: Some(charge(40, 0.9)) });
    assert!(!asks(&world.step(Event::Task("next".to_owned()))));
    // Who leaves is told what is under way still.
    asked(&mut world, 2, charge(1, 0.1));
    let actions = world.step(Event::Leave);
    assert!(matches!(told(&actions)[..], [Told::SideUsage { .. }]), "{actions:?}");
    assert_eq!(world.agent.spent().side.requests, 2);
}
