//! Conversations that try to be taken for each other.

use std::sync::Arc;

use foveal_live::Conversations;
use foveal_live::recorder::InMemory;
use foveal_live::rules::Rules;
use foveal_testkit::bodies::{Api, body};
use foveal_transcript::{Block, Call, Entry, Mark, Role, Source, ToolResult};
use foveal_upstream::Upstream;
use serde_json::json;

use crate::support::World;

/// Whose conversation it is: its words stand in its results alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner(&'static str);

const OWNERS: [Owner; 3] = [Owner("amber"), Owner("birch"), Owner("cedar")];

/// Requests of each conversation.
const TURNS: usize = 14;

fn entry(role: Role, block: Block) -> Entry {
    let source = Source { step: 0, result: None };
    let (time, model, usage, mark) = (None, None, None, Mark::None);
    Entry { source, role, time, mark, model, usage, blocks: vec![block] }
}

/// A long result. Up to the turn in which the conversations part, all say the same; then each
/// says its own word, of the same length, in the middle of the same lines.
fn result(owner: Owner, turn: usize, parts_at: usize) -> String {
    let word = if turn < parts_at { "shore" } else { owner.0 };
    let line = |at: usize| match at % 40 {
        20 => format!("line {at} of {turn}: the secret of {word} is {word}{at}\n"),
        _ => format!("line {at} of a report that everybody gets\n"),
    };
    (0..400).map(line).collect()
}

/// The conversation so far: the same first message, calls and ids for everybody.
fn entries(owner: Owner, turns: usize, parts_at: usize) -> Vec<Entry> {
    let mut all = vec![entry(Role::User, Block::Text("look into it".to_owned()))];
    for turn in 0..turns {
        // The same calls again and again, so that much can be pointed at.
        let command = format!("cat report{}.txt", turn % 3);
        let (id, arguments) = (format!("toolu_{turn:02}"), json!({ "command": command }));
        let call = Call { id: id.clone(), name: "bash".to_owned(), arguments };
        all.push(entry(Role::Assistant, Block::Call(call)));
        let content = result(owner, turn % 3, parts_at);
        let result = ToolResult { call: id, content, is_error: false };
        all.push(entry(Role::Tool, Block::Result(result)));
    }
    all
}

const APIS: [(Api, &str); 4] = [
    (Api::Messages, "/v1/messages"),
    (Api::Chat, "/v1/chat/completions"),
    (Api::Responses, "/v1/responses"),
    (Api::Gemini, "/v1beta/models/gemini-2.5-pro:generateContent"),
];

#[tokio::test]
async fn nothing_of_one_conversation_shows_in_another() {
    let upstream = Upstream::start(foveal_upstream::Settings::default()).expect("loopback");
    let world = World::start(upstream.address(), |settings| {
        let rules = Rules::named("max").expect("a profile");
        settings.shaper = Arc::new(Conversations::new(rules, Arc::new(InMemory::default())));
    })
    .await;
    // All say that they are the same: session, user, cache key.
    let lines = [
        "X-Claude-Code-Session-Id: 7f1c",
        "Session-Id: 7f1c",
        "X-Api-Key: the same",
        "X-Test-Conversation: one",
    ];
    let mut shortened = 0;
    for parts_at in [0, 1, 2] {
        for (api, path) in APIS {
            for turns in 1..=TURNS {
                for owner in OWNERS {
                    let asked = body(api, "claude-opus-4-5", &entries(owner, turns, parts_at));
                    let mut client = world.client().await;
                    client.send(path, &lines, &asked).await;
                    client.read_until("Scripted").await;
                    drop(client);
                    let seen = upstream.take_seen();
                    assert_eq!(seen.len(), 1);
                    assert!(seen[0].broken.is_empty(), "{:?}", seen[0].broken);
                    let sent = String::from_utf8_lossy(&seen[0].body);
                    shortened += usize::from(sent.len() < asked.len());
                    for other in OWNERS.iter().filter(|other| **other != owner) {
                        assert!(!sent.contains(other.0), "{owner:?} got {other:?}: {sent}");
                    }
                    // And what is its own stays in view where nobody else has it.
                    assert!(sent.contains(owner.0) || turns <= parts_at, "{owner:?}");
                }
            }
        }
    }
    assert!(shortened > 100, "{shortened}");
}
