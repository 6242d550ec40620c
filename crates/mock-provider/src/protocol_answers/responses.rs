//! Answers of OpenAI's Responses.

use serde_json::{Value, json};

use super::answer_content::{AnswerContent, split_text};

pub(super) fn answer_document(said: &AnswerContent<'_>) -> Value {
    let bill = said.bill;
    json!({
        "id": said.unique_id("resp_", 0), "object": "response", "created_at": 1_700_000_000,
        "status": "completed", "model": said.model, "output": output_items(said),
        "parallel_tool_calls": true, "error": null, "incomplete_details": null,
        "usage": {
            "input_tokens": bill.prompt_tokens(),
            "input_tokens_details": {"cached_tokens": bill.read, "cache_write_tokens": bill.written_5m},
            "output_tokens": bill.output, "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": bill.prompt_tokens() + bill.output,
        },
    })
}

fn output_items(said: &AnswerContent<'_>) -> Vec<Value> {
    let reply = said.reply;
    let mut items = Vec::new();
    if !reply.thinking.is_empty() {
        let secret = said.unique_id("encrypted", reply.thinking.len());
        items.push(json!({"type": "reasoning", "id": said.unique_id("rs_", 0), "summary": [], "encrypted_content": secret}));
    }
    if !reply.text.is_empty() {
        let part = json!({"type": "output_text", "text": reply.text, "annotations": []});
        items.push(json!({
            "type": "message", "id": said.unique_id("msg_", 0), "role": "assistant", "content": [part],
            "status": "completed",
        }));
    }
    items.extend(reply.calls.iter().enumerate().map(|(at, call)| {
        json!({
            "type": "function_call", "id": said.unique_id("fc_", at), "call_id": said.unique_id("call_", at),
            "status": "completed", "name": call.name, "arguments": call.arguments.to_string(),
        })
    }));
    items
}

pub(super) fn stream_events(said: &AnswerContent<'_>) -> Vec<Value> {
    let whole = answer_document(said);
    let mut bare = whole.clone();
    bare["status"] = json!("in_progress");
    bare["output"] = json!([]);
    bare["usage"] = Value::Null;
    let mut events = vec![
        json!({"type": "response.created", "response": bare}),
        json!({"type": "response.in_progress", "response": bare}),
    ];
    for (index, item) in output_items(said).into_iter().enumerate() {
        let mut empty = item.clone();
        empty["status"] = json!("in_progress");
        if item["type"] == "message" {
            empty["content"] = json!([]);
        }
        events.push(
            json!({"type": "response.output_item.added", "output_index": index, "item": empty}),
        );
        events.extend(item_events(&item).into_iter().map(|mut event| {
            event["output_index"] = json!(index);
            event
        }));
        events.push(
            json!({"type": "response.output_item.done", "output_index": index, "item": item}),
        );
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    events
}

/// Returns the events between the start and the end of an item.
fn item_events(item: &Value) -> Vec<Value> {
    let id = &item["id"];
    match item["type"].as_str() {
        Some("message") => {
            let part = &item["content"][0];
            let text = part["text"].as_str().unwrap_or_default();
            let at = json!({"item_id": id, "content_index": 0});
            let event = |kind: &str, key: &str, value: Value| {
                let mut event = at.clone();
                event["type"] = json!(kind);
                event[key] = value;
                event
            };
            let mut empty = part.clone();
            empty["text"] = json!("");
            let mut events = vec![event("response.content_part.added", "part", empty)];
            let pieces = split_text(text, 20).into_iter();
            let delta = "response.output_text.delta";
            events.extend(pieces.map(|piece| event(delta, "delta", json!(piece))));
            events.push(event("response.output_text.done", "text", json!(text)));
            events.push(event("response.content_part.done", "part", part.clone()));
            events
        }
        Some("function_call") => {
            let arguments = &item["arguments"];
            let kind = "response.function_call_arguments";
            vec![
                json!({"type": format!("{kind}.delta"), "item_id": id, "delta": arguments}),
                json!({"type": format!("{kind}.done"), "item_id": id, "arguments": arguments}),
            ]
        }
        _ => Vec::new(),
    }
}
