//! What holds whatever happens.

use std::collections::BTreeSet;

use foveal_agent::{Action, Event, Limits};
use foveal_transcript::{Block, Call, Conversation, Role};
use foveal_wire::response::SaidEvent;
use proptest::prelude::*;
use serde_json::json;

use crate::world::{World, answer, said};

/// Something that happens.
#[derive(Debug, Clone)]
enum Happens {
    /// The model says this many calls; of each whether its tool only looks, and its arguments are
    /// an object.
    Says(Vec<(bool, bool)>),
    /// The call at this place among those that run is answered.
    Answers(usize, bool),
    Streams,
    Fails,
    Stops,
    Passes(i64),
    /// Something about a request or a call that is not there.
    Strays,
}

fn any_happens() -> impl Strategy<Value = Happens> {
    let calls = prop::collection::vec((any::<bool>(), prop::bool::weighted(0.9)), 0..5);
    prop_oneof![
        6 => calls.prop_map(Happens::Says),
        12 => (0usize..5, any::<bool>()).prop_map(|(at, same)| Happens::Answers(at, same)),
        2 => Just(Happens::Streams),
        1 => Just(Happens::Fails),
        1 => Just(Happens::Stops),
        2 => (0i64..300).prop_map(Happens::Passes),
        1 => Just(Happens::Strays),
    ]
}

/// Calls without a result.
fn open(conversation: &Conversation) -> Vec<String> {
    let mut open: Vec<String> = Vec::new();
    for block in conversation.entries().iter().flat_map(|entry| &entry.blocks) {
        match block {
            Block::Call(call) => open.push(call.id.clone()),
            Block::Result(result) => {
                assert_eq!(Some(0), open.iter().position(|id| *id == result.call), "in order");
                open.remove(0);
            }
            _ => {}
        }
    }
    open
}

/// What happens, as an event; `None` where it cannot happen now.
fn event(
    happens: Happens,
    world: &World,
    running: &mut Vec<Call>,
    calls: &mut usize,
) -> Option<Event> {
    let number = world.number();
    Some(match happens {
        Happens::Says(made) => {
            let mut call = |(looks, is_object): (bool, bool)| {
                *calls += 1;
                Call {
                    id: format!("c{calls}"),
                    name: if looks { "look" } else { "act" }.to_owned(),
                    arguments: if is_object { json!({"n": 1}) } else { json!("{") },
                }
            };
            let calls: Vec<Call> = made.into_iter().map(&mut call).collect();
            Event::Said { number, said: said("on", &calls) }
        }
        Happens::Answers(at, same) => {
            if running.is_empty() {
                return None;
            }
            let call = running.swap_remove(at % running.len());
            let text = if same { "same".to_owned() } else { call.id.clone() };
            Event::Answered { id: call.id, answer: answer(&text) }
        }
        Happens::Streams => Event::Streamed { number, event: SaidEvent::Text("t".to_owned()) },
        Happens::Fails => Event::Failed { number, message: "no".to_owned(), is_too_long: false },
        Happens::Stops => Event::Stop,
        Happens::Passes(_) => Event::Tick,
        Happens::Strays => Event::Answered { id: "stray".to_owned(), answer: answer("x") },
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..Default::default() })]

    #[test]
    fn calls_and_results_pair_and_nothing_runs_beside_what_acts(
        course in prop::collection::vec(any_happens(), 0..60),
        turns in prop::option::of(1u32..8),
    ) {
        let mut world = World::with(Limits { turns, time_ms: Some(2_000), ..Limits::default() });
        let (mut running, mut number) = (Vec::<Call>::new(), 0usize);
        for happens in course {
            if let Happens::Passes(ms) = happens {
                world.now += ms;
            }
            let Some(event) = event(happens, &world, &mut running, &mut number) else { continue };
            let before = world.agent.conversation().entries().to_vec();
            let had_ended = world.agent.has_ended();
            let actions = world.step(event);
            prop_assert!(!had_ended || actions.is_empty(), "nothing happens behind the end");
            // The conversation only grows.
            prop_assert!(world.agent.conversation().entries().starts_with(&before));
            for action in &actions {
                if let Action::Call(call) = action {
                    running.push(call.clone());
                }
            }
            if world.agent.has_ended() {
                running.clear();
            }
            // What acts runs alone.
            let acts = running.iter().filter(|call| call.name == "act").count();
            prop_assert!(acts == 0 || running.len() == 1, "{:?}", running);
            // Whoever is asked, is asked with pairs; and so it ends.
            let is_asked = actions.iter().any(|it| matches!(it, Action::Ask { .. }));
            let open = open(world.agent.conversation());
            if is_asked || world.agent.has_ended() {
                prop_assert!(open.is_empty(), "{:?}", open);
            }
            // Each running call has no result yet.
            let ids: BTreeSet<&str> = running.iter().map(|call| call.id.as_str()).collect();
            prop_assert_eq!(ids.len(), running.len());
            prop_assert!(ids.iter().all(|id| open.iter().any(|open| open == id)));
        }
        let entries = world.agent.conversation().entries();
        prop_assert!(entries.iter().filter(|entry| entry.role == Role::User).count() == 1);
        let asked = world.actions.iter().filter(|it| matches!(it, Action::Ask { .. })).count();
        prop_assert!(turns.is_none_or(|most| asked <= most as usize));
    }
}
