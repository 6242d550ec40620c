//! Google's `generateContent`.

use serde_json::{Value, json};

use super::said::{Said, pieces};

pub(super) fn document(said: &Said<'_>) -> Value {
    let mut parts = texts(said, usize::MAX);
    parts.extend(calls(said));
    chunk(said, &parts, true)
}

/// A thought is a part of its own, marked as one.
fn texts(said: &Said<'_>, size: usize) -> Vec<Value> {
    let mut parts = Vec::new();
    if !said.reply.thinking.is_empty() {
        parts.push(json!({"text": said.reply.thinking, "thought": true}));
    }
    if !said.reply.text.is_empty() {
        parts
            .extend(pieces(&said.reply.text, size).into_iter().map(|piece| json!({"text": piece})));
    }
    parts
}

fn calls(said: &Said<'_>) -> Vec<Value> {
    let calls = said.reply.calls.iter().enumerate();
    calls
        .map(|(at, call)| {
            let id = said.id("fc", at);
            let call = json!({"name": call.name, "args": call.arguments, "id": id});
            json!({"functionCall": call, "thoughtSignature": said.id("c2ln", at)})
        })
        .collect()
}

fn chunk(said: &Said<'_>, parts: &[Value], is_last: bool) -> Value {
    let bill = said.bill;
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let mut usage = json!({"promptTokenCount": bill.prompt(), "totalTokenCount": bill.prompt()});
    if bill.read > 0 {
        usage["cachedContentTokenCount"] = json!(bill.read);
    }
    if is_last {
        candidate["finishReason"] = json!("STOP");
        usage["candidatesTokenCount"] = json!(bill.output);
        usage["totalTokenCount"] = json!(bill.prompt() + bill.output);
    }
    json!({
        "candidates": [candidate], "usageMetadata": usage, "modelVersion": said.model,
        "responseId": said.id("r", 0),
    })
}

/// Each event is a whole answer with a part of the content.
pub(super) fn events(said: &Said<'_>) -> Vec<Value> {
    let mut events: Vec<Value> =
        texts(said, 20).iter().map(|part| chunk(said, std::slice::from_ref(part), false)).collect();
    events.push(chunk(said, &calls(said), true));
    events
}
