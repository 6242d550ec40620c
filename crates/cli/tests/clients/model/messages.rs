//! Anthropic Messages.

use serde_json::{Value, json};

use super::events::Answer;
use super::plan::Reply;
use super::protocol::{Protocol, ToolResult, content_text, list, text};

pub(crate) const PROTOCOL: Protocol = Protocol { path: "/messages", tools, user, results, answer };

fn tools(body: &Value) -> Vec<String> {
    list(&body["tools"]).iter().map(|tool| text(&tool["name"]).to_owned()).collect()
}

fn user(body: &Value) -> Vec<String> {
    let users = list(&body["messages"]).iter().filter(|message| message["role"] == "user");
    let spoken = |message: &Value| match &message["content"] {
        Value::Array(blocks) => blocks.iter().map(|block| text(&block["text"])).collect(),
        content => content_text(content),
    };
    users.map(spoken).collect()
}

fn results(body: &Value) -> Vec<ToolResult> {
    let mut results: Vec<ToolResult> = Vec::new();
    for message in list(&body["messages"]) {
        // Contexts of hooks come behind the results that they are of.
        if message["role"] == "system"
            && let Some(last) = results.last_mut()
        {
            last.context.push_str(&content_text(&message["content"]));
        }
        let blocks = list(&message["content"]).iter();
        results.extend(blocks.filter(|block| block["type"] == "tool_result").map(result));
    }
    results
}

fn result(block: &Value) -> ToolResult {
    ToolResult {
        id: text(&block["tool_use_id"]).to_owned(),
        text: content_text(&block["content"]),
        context: String::new(),
        is_error: block["is_error"] == true,
    }
}

fn answer(body: &Value, reply: &Reply) -> Answer {
    let said = (!reply.text.is_empty()).then(|| json!({"type": "text", "text": reply.text}));
    let calls = reply.calls.iter().map(|(id, call)| {
        json!({"type": "tool_use", "id": id, "name": call.tool, "input": call.arguments})
    });
    let blocks: Vec<Value> = said.into_iter().chain(calls).collect();
    let stop = if reply.calls.is_empty() { "end_turn" } else { "tool_use" };
    let usage = json!({"input_tokens": reply.prompt_tokens, "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0, "output_tokens": 20});
    let whole = json!({"id": format!("msg_{}", reply.turn), "type": "message", "role": "assistant",
        "model": body["model"], "content": blocks, "stop_reason": stop, "stop_sequence": null,
        "usage": usage});
    let mut start = whole.clone();
    start["content"] = json!([]);
    start["stop_reason"] = Value::Null;
    let mut events = vec![json!({"type": "message_start", "message": start})];
    for (at, block) in blocks.iter().enumerate() {
        events.extend(block_events(at, block));
    }
    let delta = json!({"stop_reason": stop, "stop_sequence": null});
    events.push(json!({"type": "message_delta", "delta": delta, "usage": usage}));
    events.push(json!({"type": "message_stop"}));
    Answer { whole, events, named: true, end: "" }
}

fn block_events(at: usize, block: &Value) -> [Value; 3] {
    let mut empty = block.clone();
    let delta = if block["type"] == "text" {
        empty["text"] = json!("");
        json!({"type": "text_delta", "text": block["text"]})
    } else {
        empty["input"] = json!({});
        json!({"type": "input_json_delta", "partial_json": block["input"].to_string()})
    };
    [
        json!({"type": "content_block_start", "index": at, "content_block": empty}),
        json!({"type": "content_block_delta", "index": at, "delta": delta}),
        json!({"type": "content_block_stop", "index": at}),
    ]
}
