//! The requests that a recording's agent would have sent.

use foveal_testkit::request_bodies::{ModelApi, build_messages};
use foveal_transcript::{
    ClientPrompt, ContentBlock, Conversation, MessageRole, Timestamp, ToolResult, TranscriptEntry,
};
use serde_json::{Value, json};

use super::route::Route;

/// A request.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) body: Vec<u8>,
    /// The time at which it was sent, as far as recorded.
    pub(crate) time: Option<Timestamp>,
}

/// Returns a system prompt as long as that of an agent: recordings omit theirs, and without one
/// short conversations would be below the minimum that providers cache. It begins with the
/// conversation's own name, so that conversations with equal beginnings share nothing in the
/// provider's cache.
pub(crate) fn system_prompt(name: &str) -> String {
    let rule = |at: usize| format!("Rule {at}: read a file before you change it, and say why.\n");
    format!("Conversation {name}.\n{}", (0..400).map(rule).collect::<String>())
}

/// Returns all requests of a conversation. Reasoning is omitted, because a replay does not count
/// it.
pub(crate) fn asks<'a>(
    route: &'a Route,
    name: &str,
    conversation: &'a Conversation,
) -> impl Iterator<Item = Ask> + 'a {
    let system = system_prompt(name);
    let mut window = ClientPrompt::default();
    let mut known = 0;
    conversation.response_indices().filter_map(move |answer| {
        while known < answer.as_usize() {
            window.push(conversation);
            known += 1;
        }
        let time = foveal_replay::conversation_replay::request_time(conversation, answer);
        let entries = window.entries().iter().map(|index| spoken(conversation.entry(*index)));
        let entries = answered(entries.collect());
        let lead = entries.iter().take_while(|entry| entry.role == MessageRole::System).count();
        let (lead, rest) = entries.split_at(lead);
        let messages = build_messages(route.api, rest);
        let system = std::iter::once(system.clone()).chain(lead.iter().map(TranscriptEntry::text));
        let body = body(route, &system.collect::<Vec<_>>(), messages)?;
        Some(Ask { body: body.to_string().into_bytes(), time })
    })
}

fn spoken(entry: &TranscriptEntry) -> TranscriptEntry {
    let mut entry = entry.clone();
    entry.blocks.retain(|block| !matches!(block, ContentBlock::Reasoning(_)));
    entry
}

/// Adds an empty result for each call without one right behind it, and removes results without a
/// call. Recordings have both after an interruption; agents repair them before the next request,
/// because the APIs refuse both.
fn answered(entries: Vec<TranscriptEntry>) -> Vec<TranscriptEntry> {
    let mut all: Vec<TranscriptEntry> = Vec::with_capacity(entries.len());
    let mut open: Vec<String> = Vec::new();
    for entry in entries {
        match entry.tool_result() {
            Some(result) => match open.iter().position(|id| *id == result.call) {
                Some(at) => drop(open.remove(at)),
                None => continue,
            },
            None => all.extend(open.drain(..).map(|id| nothing(&entry, id))),
        }
        open.extend(entry.tool_calls().map(|call| call.id.clone()));
        all.push(entry);
    }
    if let Some(last) = all.last().cloned() {
        all.extend(open.drain(..).map(|id| nothing(&last, id)));
    }
    all
}

/// Returns an empty result at the time of `near`.
fn nothing(near: &TranscriptEntry, call: String) -> TranscriptEntry {
    let result = ToolResult { call, content: String::new(), is_error: false };
    TranscriptEntry {
        role: MessageRole::Tool,
        blocks: vec![ContentBlock::Result(result)],
        ..near.clone()
    }
}

/// Returns the body; `None` if there is no message yet.
fn body(route: &Route, system: &[String], mut messages: Vec<Value>) -> Option<Value> {
    if messages.is_empty() {
        return None;
    }
    Some(match route.api {
        ModelApi::Messages => {
            let system = system.iter().map(|text| json!({ "type": "text", "text": text }));
            let mut system: Vec<Value> = system.collect();
            if let Some(ttl) = route.mark {
                let mark = json!({ "type": "ephemeral", "ttl": ttl });
                system.last_mut().into_iter().for_each(|block| put(block, &mark));
                mark_last(&mut messages, route.marked, &mark);
            }
            json!({ "model": route.model, "max_tokens": 1000, "system": system,
                    "messages": messages })
        }
        ModelApi::Chat => {
            let system = system.iter().map(|text| json!({ "role": "system", "content": text }));
            let messages: Vec<Value> = system.chain(messages).collect();
            json!({ "model": route.model, "messages": messages })
        }
        ModelApi::Responses => json!({ "model": route.model, "instructions": system.join("\n"),
                                  "input": messages, "store": false }),
        ModelApi::Gemini => {
            json!({ "systemInstruction": { "parts": [{ "text": system.join("\n") }] },
                               "contents": messages })
        }
    })
}

/// Sets breakpoints in the last messages of the user's side.
fn mark_last(messages: &mut [Value], count: usize, mark: &Value) {
    let of_user = messages.iter_mut().rev().filter(|message| message["role"] == "user");
    for message in of_user.take(count) {
        let blocks = message["content"].as_array_mut();
        blocks.and_then(|blocks| blocks.last_mut()).into_iter().for_each(|block| put(block, mark));
    }
}

fn put(block: &mut Value, mark: &Value) {
    block["cache_control"] = mark.clone();
}
