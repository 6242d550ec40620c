//! The requests that a recording's agent would have sent.

use foveal_testkit::bodies::{Api, messages_of};
use foveal_transcript::{Block, Conversation, Entry, Role, Timestamp, ToolResult, Window};
use serde_json::{Value, json};

use super::route::Route;

/// A request.
#[derive(Debug)]
pub(crate) struct Ask {
    pub(crate) body: Vec<u8>,
    /// When it was sent, as far as recorded.
    pub(crate) time: Option<Timestamp>,
}

/// A system prompt as long as that of an agent: recordings leave theirs out, and without one short
/// conversations would be below what providers cache. It begins with the conversation's own name,
/// so that conversations which begin alike share nothing in the provider's cache.
pub(crate) fn system_prompt(name: &str) -> String {
    let rule = |at: usize| format!("Rule {at}: read a file before you change it, and say why.\n");
    format!("Conversation {name}.\n{}", (0..400).map(rule).collect::<String>())
}

/// All requests of a conversation. Reasoning is left out, as a replay counts none.
pub(crate) fn asks<'a>(
    route: &'a Route,
    name: &str,
    conversation: &'a Conversation,
) -> impl Iterator<Item = Ask> + 'a {
    let system = system_prompt(name);
    let mut window = Window::default();
    let mut known = 0;
    conversation.responses().filter_map(move |answer| {
        while known < answer.at() {
            window.push(conversation);
            known += 1;
        }
        let time = foveal_replay::run::request_time(conversation, answer);
        let entries = window.entries().iter().map(|index| spoken(conversation.entry(*index)));
        let entries = answered(entries.collect());
        let lead = entries.iter().take_while(|entry| entry.role == Role::System).count();
        let (lead, rest) = entries.split_at(lead);
        let messages = messages_of(route.api, rest);
        let system = std::iter::once(system.clone()).chain(lead.iter().map(Entry::text));
        let body = body(route, &system.collect::<Vec<_>>(), messages)?;
        Some(Ask { body: body.to_string().into_bytes(), time })
    })
}

fn spoken(entry: &Entry) -> Entry {
    let mut entry = entry.clone();
    entry.blocks.retain(|block| !matches!(block, Block::Reasoning(_)));
    entry
}

/// The entries with an empty result for each call that has none right behind it, and without
/// results whose call is not there: recordings have such where somebody broke in, and an agent
/// mends them before it asks again, as the APIs refuse both.
fn answered(entries: Vec<Entry>) -> Vec<Entry> {
    let mut all: Vec<Entry> = Vec::with_capacity(entries.len());
    let mut open: Vec<String> = Vec::new();
    for entry in entries {
        match entry.result() {
            Some(result) => match open.iter().position(|id| *id == result.call) {
                Some(at) => drop(open.remove(at)),
                None => continue,
            },
            None => all.extend(open.drain(..).map(|id| nothing(&entry, id))),
        }
        open.extend(entry.calls().map(|call| call.id.clone()));
        all.push(entry);
    }
    if let Some(last) = all.last().cloned() {
        all.extend(open.drain(..).map(|id| nothing(&last, id)));
    }
    all
}

/// A result that says nothing, at the time of `near`.
fn nothing(near: &Entry, call: String) -> Entry {
    let result = ToolResult { call, content: String::new(), is_error: false };
    Entry { role: Role::Tool, blocks: vec![Block::Result(result)], ..near.clone() }
}

/// The body; `None` where nothing has been said yet.
fn body(route: &Route, system: &[String], mut messages: Vec<Value>) -> Option<Value> {
    if messages.is_empty() {
        return None;
    }
    Some(match route.api {
        Api::Messages => {
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
        Api::Chat => {
            let system = system.iter().map(|text| json!({ "role": "system", "content": text }));
            let messages: Vec<Value> = system.chain(messages).collect();
            json!({ "model": route.model, "messages": messages })
        }
        Api::Responses => json!({ "model": route.model, "instructions": system.join("\n"),
                                  "input": messages, "store": false }),
        Api::Gemini => json!({ "systemInstruction": { "parts": [{ "text": system.join("\n") }] },
                               "contents": messages }),
    })
}

/// Marks the last messages of the user's side.
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
