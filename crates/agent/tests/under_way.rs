//! Requests whose servers do not tell what they come to.

use foveal_agent::{Action, Event, Limit, Limits, Outcome, Spent, Told};
use foveal_transcript::Call;
use foveal_wire::response::{Billed, Said, SaidEvent};

use crate::world::{World, asks, call, said, told};

impl World {
    fn sent(&mut self, tokens_sent: u64) {
        let (number, tokens_asked) = (self.number(), tokens_sent);
        self.step(Event::Sent { number, tokens_asked, tokens_sent, rewrite: None, inactive: None });
    }

    fn streams(&mut self, text: &str) {
        let number = self.number();
        self.step(Event::Streamed { number, event: SaidEvent::Text(text.to_owned()) });
    }

    fn breaks_off(&mut self) -> Vec<Action> {
        let (number, why) = (self.number(), "it broke off".to_owned());
        self.step(Event::Again { number, why, wait_ms: 500 })
    }

    /// An answer of a server that does not tell tokens.
    fn untold(&mut self, text: &str, calls: &[Call]) -> Vec<Action> {
        let mut said: Said = said(text, calls);
        said.answer.billed = Billed::default();
        let number = self.number();
        self.step(Event::Said { number, said })
    }
}

/// What was spent, where that is an estimate.
fn estimated(actions: &[Action]) -> Option<Spent> {
    told(actions).into_iter().find_map(|told| match told {
        Told::Usage { spent, estimated: true, .. } => Some(*spent),
        _ => None,
    })
}

#[test]
fn what_a_server_does_not_tell_counts_towards_limits() {
    let mut world = World::with(Limits { tokens: Some(1_000), ..Limits::default() });
    world.sent(600);
    let spent = estimated(&world.untold("I look for it.", &[call("a", "look")]));
    let spent = spent.expect("it is counted here");
    assert!(spent.charge.uncached == 600 && (5..40).contains(&spent.charge.output), "{spent:?}");
    assert!(asks(&world.give("a", "a")));
    world.sent(700);
    world.untold("", &[call("b", "look")]);
    assert!(!asks(&world.give("b", "b")));
    assert_eq!(world.outcome(), Some(&Outcome::Limit { limit: Limit::Tokens }));
    // Of what is told nothing is made up.
    let mut world = World::new();
    world.sent(600);
    assert_eq!(estimated(&world.say("Done.", &[])), None);
    assert_eq!(world.agent.spent().tokens(), 15);
}

#[test]
fn what_is_stopped_was_asked() {
    let mut world = World::staying(Limits::default());
    assert_eq!(estimated(&world.step(Event::Stop)), None, "it was not sent");
    world.step(Event::Task("again".to_owned()));
    world.sent(600);
    world.streams("It is in the");
    let actions = world.step(Event::Stop);
    let spent = estimated(&actions).expect("it is counted");
    assert!(spent.charge.uncached == 600 && spent.charge.output >= 3, "{spent:?}");
    let Some(Told::Done { spent: last, .. }) = told(&actions).last().copied() else {
        panic!("{actions:?}")
    };
    assert_eq!(*last, spent);
    // What comes late changes nothing.
    let number = world.number();
    world.step(Event::Said { number, said: said("late", &[]) });
    assert_eq!(*world.agent.spent(), spent);
}

#[test]
fn what_breaks_off_costs_what_came() {
    let mut world = World::new();
    world.sent(600);
    assert_eq!(estimated(&world.breaks_off()), None, "it was refused");
    world.streams("It is in");
    let spent = estimated(&world.breaks_off()).expect("it is counted");
    assert_eq!(spent.charge.uncached, 600);
    assert_eq!(estimated(&world.breaks_off()), None, "once");
    world.say("It is in a.rs.", &[]);
    let all = world.agent.spent();
    assert_eq!(
        (all.charge.uncached, all.charge.output, all.turns),
        (610, spent.charge.output + 5, 1)
    );
    let mut world = World::new();
    world.sent(600);
    world.streams("It is in");
    let (number, message) = (world.number(), "it broke off".to_owned());
    let actions = world.step(Event::Failed { number, message, is_too_long: false });
    assert!(estimated(&actions).is_some());
}
