//! Recorded sessions as a client sends them: the whole history with each request.

use foveal_engine::continuation::Continuation;
use foveal_session_readers::SessionFormat;
use foveal_testkit::client_requests::{client_messages, receive_request};
use foveal_transcript::{
    ClientPrompt, ClientPromptChange, Conversation, MessageRole, TranscriptEntry,
};
use rayon::prelude::*;
use serde_json::{Value, json};

use crate::recorded::{conversations, sessions};

/// The interval of the sent requests; each contains all entries before it.
const EVERY: usize = 3;

fn message(entry: &TranscriptEntry) -> Value {
    if let Some(result) = entry.tool_result() {
        let content = json!([{"type": "tool_result", "tool_use_id": result.call,
            "content": result.content, "is_error": result.is_error}]);
        return json!({"role": "user", "content": content});
    }
    let mut content = vec![json!({"type": "text", "text": entry.text()})];
    content.extend(entry.tool_calls().map(|call| {
        json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments})
    }));
    let role = match entry.role {
        MessageRole::System => "system",
        MessageRole::Assistant => "assistant",
        MessageRole::User | MessageRole::Tool => "user",
    };
    json!({"role": role, "content": content})
}

/// Returns the messages after a round trip through Anthropic's request body.
fn through_a_body(messages: &[TranscriptEntry]) -> Vec<TranscriptEntry> {
    let messages: Vec<Value> = messages.iter().map(message).collect();
    let body = json!({"model": "claude", "messages": messages}).to_string();
    let (sessions, _) = foveal_session_readers::read_all_sessions(
        SessionFormat::AnthropicMessages,
        "body",
        body.as_bytes(),
    )
    .expect("bytes in memory are readable");
    let conversations = sessions.into_iter().flat_map(|session| session.conversations);
    conversations.flat_map(|conversation| conversation.entries().to_vec()).collect()
}

fn texts(entries: &[TranscriptEntry]) -> Vec<String> {
    entries.iter().map(TranscriptEntry::prompt_text).collect()
}

/// Sends a conversation request by request; returns the continuation of each request.
fn follow_all(recorded: &Conversation) -> usize {
    let (mut before, mut followed) = (recorded.without_entries(), recorded.without_entries());
    let (mut window, mut is_cut, mut requests) = (ClientPrompt::default(), false, 0);
    for entry in recorded.entries() {
        if entry.role == MessageRole::Assistant {
            requests += 1;
            if requests % EVERY == 1 {
                let incoming = through_a_body(&client_messages(&before));
                let meant = receive_request(&mut followed, &incoming);
                assert_eq!(texts(&client_messages(&followed)), texts(&incoming), "{}", recorded.id);
                let appended = matches!(meant, Continuation::Appended { .. });
                assert!(appended || is_cut, "{}: {meant:?}", recorded.id);
                is_cut = false;
            }
        }
        before.push(entry.clone());
        is_cut |= matches!(window.push(&before), ClientPromptChange::Cut { .. });
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
