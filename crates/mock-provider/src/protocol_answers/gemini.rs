//! Answers of Google's `generateContent`.

use serde_json::{Value, json};

use super::answer_content::{AnswerContent, split_text};

pub(super) fn answer_document(said: &AnswerContent<'_>) -> Value {
    let mut parts = text_parts(said, usize::MAX);
    parts.extend(call_parts(said));
    answer_chunk(said, &parts, true)
}

/// Returns the text parts; a thought is a separate, marked part.
fn text_parts(said: &AnswerContent<'_>, size: usize) -> Vec<Value> {
    let mut parts = Vec::new();
    if !said.reply.thinking.is_empty() {
        parts.push(json!({"text": said.reply.thinking, "thought": true}));
    }
    if !said.reply.text.is_empty() {
        parts.extend(
            split_text(&said.reply.text, size).into_iter().map(|piece| json!({"text": piece})),
        );
    }
    parts
}

fn call_parts(said: &AnswerContent<'_>) -> Vec<Value> {
    let calls = said.reply.calls.iter().enumerate();
    calls
        .map(|(at, call)| {
            let id = said.unique_id("fc", at);
            let call = json!({"name": call.name, "args": call.arguments, "id": id});
            json!({"functionCall": call, "thoughtSignature": said.unique_id("c2ln", at)})
        })
        .collect()
}

fn answer_chunk(said: &AnswerContent<'_>, parts: &[Value], is_last: bool) -> Value {
    let bill = said.bill;
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let mut usage =
        json!({"promptTokenCount": bill.prompt_tokens(), "totalTokenCount": bill.prompt_tokens()});
    if bill.read > 0 {
        usage["cachedContentTokenCount"] = json!(bill.read);
    }
    if is_last {
        candidate["finishReason"] = json!("STOP");
        usage["candidatesTokenCount"] = json!(bill.output);
        usage["totalTokenCount"] = json!(bill.prompt_tokens() + bill.output);
    }
    json!({
        "candidates": [candidate], "usageMetadata": usage, "modelVersion": said.model,
        "responseId": said.unique_id("r", 0),
    })
}

/// Returns the stream events; each is a complete answer with a part of the content.
pub(super) fn stream_events(said: &AnswerContent<'_>) -> Vec<Value> {
    let mut events: Vec<Value> = text_parts(said, 20)
        .iter()
        .map(|part| answer_chunk(said, std::slice::from_ref(part), false))
        .collect();
    events.push(answer_chunk(said, &call_parts(said), true));
    events
}
