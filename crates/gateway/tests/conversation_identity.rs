//! Conversations whose clients pretend to be another conversation.

use std::sync::Arc;

use foveal_mock_provider::MockProvider;
use foveal_proxy::RequestShaper;
use foveal_proxy::recorder::InMemoryRecorder;
use foveal_proxy::rules::ShapingRules;
use foveal_testkit::request_bodies::{ModelApi, build_request_body};
use foveal_transcript::{
    ContentBlock, EntryMark, MessageRole, RecordingPosition, ToolCall, ToolResult, TranscriptEntry,
};
use serde_json::json;

use crate::support::World;

/// The owner of a conversation; its words occur only in its own results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Owner(&'static str);

const OWNERS: [Owner; 3] = [Owner("amber"), Owner("birch"), Owner("cedar")];

/// The number of requests of each conversation.
const TURNS: usize = 14;

fn entry(role: MessageRole, block: ContentBlock) -> TranscriptEntry {
    let source = RecordingPosition { step: 0, result: None };
    let (time, model, usage, mark) = (None, None, None, EntryMark::None);
    TranscriptEntry { source, role, time, mark, model, usage, blocks: vec![block] }
}

/// Returns a long result. Up to the turn in which the conversations diverge, it is equal in all of
/// them; then each contains its own word, of equal length, in the middle of the same lines.
fn result(owner: Owner, turn: usize, parts_at: usize) -> String {
    let word = if turn < parts_at { "shore" } else { owner.0 };
    let line = |at: usize| match at % 40 {
        20 => format!("line {at} of {turn}: the secret of {word} is {word}{at}\n"),
        _ => format!("line {at} of a report that everybody gets\n"),
    };
    (0..400).map(line).collect()
}

/// Returns the conversation so far: first message, calls and ids are equal for all owners.
fn entries(owner: Owner, turns: usize, parts_at: usize) -> Vec<TranscriptEntry> {
    let mut all = vec![entry(MessageRole::User, ContentBlock::Text("look into it".to_owned()))];
    for turn in 0..turns {
        // Calls repeat, so that many results can become pointers.
        let command = format!("cat report{}.txt", turn % 3);
        let (id, arguments) = (format!("toolu_{turn:02}"), json!({ "command": command }));
        let call = ToolCall { id: id.clone(), name: "bash".to_owned(), arguments };
        all.push(entry(MessageRole::Assistant, ContentBlock::Call(call)));
        let content = result(owner, turn % 3, parts_at);
        let result = ToolResult { call: id, content, is_error: false };
        all.push(entry(MessageRole::Tool, ContentBlock::Result(result)));
    }
    all
}

const APIS: [(ModelApi, &str); 4] = [
    (ModelApi::Messages, "/v1/messages"),
    (ModelApi::Chat, "/v1/chat/completions"),
    (ModelApi::Responses, "/v1/responses"),
    (ModelApi::Gemini, "/v1beta/models/gemini-2.5-pro:generateContent"),
];

#[tokio::test]
async fn nothing_of_one_conversation_shows_in_another() {
    let upstream =
        MockProvider::start(foveal_mock_provider::Settings::default()).expect("loopback");
    let world = World::start(upstream.address(), |settings| {
        let rules = ShapingRules::from_profile("max").expect("a profile");
        settings.shaper =
            Arc::new(RequestShaper::new(rules, Arc::new(InMemoryRecorder::default())));
    })
    .await;
    // All send the same identity: session, user, cache key.
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
                    let asked = build_request_body(
                        api,
                        "claude-opus-4-5",
                        &entries(owner, turns, parts_at),
                    );
                    let mut client = world.client().await;
                    client.send(path, &lines, &asked).await;
                    client.read_until("Scripted").await;
                    drop(client);
                    let seen = upstream.take_received_requests();
                    assert_eq!(seen.len(), 1);
                    assert!(seen[0].violations.is_empty(), "{:?}", seen[0].violations);
                    let sent = String::from_utf8_lossy(&seen[0].body);
                    shortened += usize::from(sent.len() < asked.len());
                    for other in OWNERS.iter().filter(|other| **other != owner) {
                        assert!(!sent.contains(other.0), "{owner:?} got {other:?}: {sent}");
                    }
                    // Its own words stay visible if no other conversation has them.
                    assert!(sent.contains(owner.0) || turns <= parts_at, "{owner:?}");
                }
            }
        }
    }
    assert!(shortened > 100, "{shortened}");
}
