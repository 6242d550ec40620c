//! Requests whose servers do not report usage.

use foveal_agent::{
    AgentAction, AgentEvent, AgentInput, LimitKind, RunLimits, RunOutcome, RunTotals,
};
use foveal_protocols::response::{BilledUsage, DecodedAnswer, DecodedEvent};
use foveal_transcript::ToolCall;

use crate::world::{World, asks, call, said, told};

impl World {
    fn sent(&mut self, tokens_sent: u64) {
        let (number, tokens_asked) = (self.number(), tokens_sent);
        self.step(AgentInput::RequestSent {
            number,
            tokens_asked,
            tokens_sent,
            rewrite_reason: None,
            inactive_reason: None,
        });
    }

    fn streams(&mut self, text: &str) {
        let number = self.number();
        self.step(AgentInput::AnswerDelta { number, event: DecodedEvent::Text(text.to_owned()) });
    }

    fn breaks_off(&mut self) -> Vec<AgentAction> {
        let (number, why) = (self.number(), "it broke off".to_owned());
        self.step(AgentInput::RequestRetried { number, reason: why, wait_ms: 500 })
    }

    /// Sends an answer without token counts.
    fn untold(&mut self, text: &str, calls: &[ToolCall]) -> Vec<AgentAction> {
        let mut said: DecodedAnswer = said(text, calls);
        said.metadata.billed = BilledUsage::default();
        let number = self.number();
        self.step(AgentInput::AnswerCompleted { number, answer: said })
    }
}

/// Returns the totals of the estimated usage event.
fn estimated(actions: &[AgentAction]) -> Option<RunTotals> {
    told(actions).into_iter().find_map(|told| match told {
        AgentEvent::Usage { spent, estimated: true, .. } => Some(*spent),
        _ => None,
    })
}

#[test]
fn what_a_server_does_not_tell_counts_towards_limits() {
    let mut world = World::with(RunLimits { tokens: Some(1_000), ..RunLimits::default() });
    world.sent(600);
    let spent = estimated(&world.untold("I look for it.", &[call("a", "look")]));
    let spent = spent.expect("it is counted here");
    assert!(spent.charge.uncached == 600 && (5..40).contains(&spent.charge.output), "{spent:?}");
    assert!(asks(&world.give("a", "a")));
    world.sent(700);
    world.untold("", &[call("b", "look")]);
    assert!(!asks(&world.give("b", "b")));
    assert_eq!(world.outcome(), Some(&RunOutcome::Limit { limit: LimitKind::Tokens }));
    // Reported usage is not estimated.
    let mut world = World::new();
    world.sent(600);
    assert_eq!(estimated(&world.say("Done.", &[])), None);
    assert_eq!(world.agent.totals().total_tokens(), 15);
}

#[test]
fn what_is_stopped_was_asked() {
    let mut world = World::staying(RunLimits::default());
    assert_eq!(estimated(&world.step(AgentInput::Stop)), None, "it was not sent");
    world.step(AgentInput::Task("again".to_owned()));
    world.sent(600);
    world.streams("It is in the");
    let actions = world.step(AgentInput::Stop);
    let spent = estimated(&actions).expect("it is counted");
    assert!(spent.charge.uncached == 600 && spent.charge.output >= 3, "{spent:?}");
    let Some(AgentEvent::Done { spent: last, .. }) = told(&actions).last().copied() else {
        panic!("{actions:?}")
    };
    assert_eq!(*last, spent);
    // Late answers change nothing.
    let number = world.number();
    world.step(AgentInput::AnswerCompleted { number, answer: said("late", &[]) });
    assert_eq!(*world.agent.totals(), spent);
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
    let all = world.agent.totals();
    assert_eq!(
        (all.charge.uncached, all.charge.output, all.turns),
        (610, spent.charge.output + 5, 1)
    );
    let mut world = World::new();
    world.sent(600);
    world.streams("It is in");
    let (number, message) = (world.number(), "it broke off".to_owned());
    let actions = world.step(AgentInput::RequestFailed { number, message, is_too_long: false });
    assert!(estimated(&actions).is_some());
}
