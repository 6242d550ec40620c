//! Recorded sessions as a client sends them: the whole history with each request.

use foveal_context::follow::Followed;
use foveal_testkit::requests::{receive, sent};
use foveal_transcript::{Conversation, Entry, Role, Window, WindowChange};
use foveal_wire::Format;
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::recorded::{conversations, sessions};

/// Every so many requests are sent; each holds all before it.
const EVERY: usize = 3;

fn message(entry: &Entry) -> Value {
    if let Some(result) = entry.result() {
        let content = json!([{"type": "tool_result", "tool_use_id": result.call,
            "content": result.content, "is_error": result.is_error}]);
        return json!({"role": "user", "content": content});
    }
    let mut content = vec![json!({"type": "text", "text": entry.text()})];
    content.extend(entry.calls().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    }));
    let role = match entry.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    json!({"role": role, "content": content})
}

/// The messages as Anthropic's body holds them, read back.
fn through_a_body(messages: &[Entry]) -> Vec<Entry> {
    let messages: Vec<Value> = messages.iter().map(message).collect();
    let body = json!({"model": "claude", "messages": messages}).to_string();
    let (sessions, _) = foveal_wire::read_all(Format::AnthropicMessages, "body", body.as_bytes())
        .expect("bytes in memory are readable");
    let conversations = sessions.into_iter().flat_map(|session| session.conversations);
    conversations.flat_map(|conversation| conversation.entries().to_vec()).collect()
}

fn texts(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(Entry::prompt_text).collect()
}

/// Sends a conversation request by request; what each request meant.
fn follow_all(recorded: &Conversation) -> usize {
    let (mut before, mut followed) = (recorded.emptied(), recorded.emptied());
    let (mut window, mut is_cut, mut requests) = (Window::default(), false, 0);
    for entry in recorded.entries() {
        if entry.role == Role::Assistant {
            requests += 1;
            if requests % EVERY == 1 {
                let incoming = through_a_body(&sent(&before));
                let meant = receive(&mut followed, &incoming);
                assert_eq!(texts(&sent(&followed)), texts(&incoming), "{}", recorded.id);
                let appended = matches!(meant, Followed::Appended { .. });
                assert!(appended || is_cut, "{}: {meant:?}", recorded.id);
                is_cut = false;
            }
        }
        before.push(entry.clone());
        is_cut |= matches!(window.push(&before), WindowChange::Cut { .. });
    }
    requests
}

#[test]
fn requests_of_recorded_sessions_are_followed() {
    let requests: usize = sessions()
        .par_iter()
        .flat_map_iter(|path| conversations(path))
        .map(|conversation| follow_all(&conversation))
        .sum();
    assert!(requests > 0 || sessions().is_empty());
}
