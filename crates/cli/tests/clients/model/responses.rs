//! OpenAI Responses.

use serde_json::{Value, json};

use super::events::Answer;
use super::plan::{Call, CallForm, Reply};
use super::protocol::{Protocol, ToolResult, content_text, list, text};

pub(crate) const PROTOCOL: Protocol = Protocol { path: "/responses", tools, user, results, answer };

/// Tools of a group are named with their group before them.
fn tools(body: &Value) -> Vec<String> {
    let mut names = Vec::new();
    for tool in list(&body["tools"]) {
        let name = tool["name"].as_str().unwrap_or(text(&tool["type"]));
        names.push(name.to_owned());
        let inner = list(&tool["tools"]).iter().map(|inner| text(&inner["name"]));
        names.extend(inner.map(|inner| format!("{name}__{inner}")));
    }
    names
}

fn user(body: &Value) -> Vec<String> {
    let users = list(&body["input"]).iter().filter(|item| item["role"] == "user");
    users.map(|item| content_text(&item["content"])).collect()
}

fn results(body: &Value) -> Vec<ToolResult> {
    let outputs = list(&body["input"]).iter().filter(|i| text(&i["type"]).ends_with("_output"));
    let result = |item: &Value| ToolResult {
        id: text(&item["call_id"]).to_owned(),
        text: match item.get("output") {
            Some(output) => content_text(output),
            None => item["tools"].to_string(),
        },
        context: String::new(),
        is_error: false,
    };
    outputs.map(result).collect()
}

fn call_item(id: &str, call: &Call) -> Value {
    let done = |kind: &str| json!({"type": kind, "id": format!("item_{id}"), "call_id": id, "status": "completed"});
    if call.form == CallForm::Search {
        let mut item = done("tool_search_call");
        item["execution"] = json!("client");
        item["arguments"] = call.arguments.clone();
        return item;
    }
    if call.form == CallForm::Custom {
        let mut item = done("custom_tool_call");
        item["name"] = json!(call.tool);
        item["input"] = call.arguments["input"].clone();
        return item;
    }
    let mut item = done("function_call");
    item["name"] = json!(call.tool);
    item["arguments"] = json!(call.arguments.to_string());
    if let CallForm::Grouped(group) = call.form {
        item["namespace"] = json!(group);
    }
    item
}

fn answer(body: &Value, reply: &Reply) -> Answer {
    let said = (!reply.text.is_empty()).then(|| {
        let part = json!({"type": "output_text", "text": reply.text, "annotations": []});
        json!({"type": "message", "id": format!("msg_{}", reply.turn), "role": "assistant",
            "status": "completed", "content": [part]})
    });
    let calls = reply.calls.iter().map(|(id, call)| call_item(id, call));
    let items: Vec<Value> = said.into_iter().chain(calls).collect();
    let tokens = reply.prompt_tokens;
    let usage = json!({"input_tokens": tokens, "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20, "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": tokens + 20});
    let whole = json!({"id": format!("resp_{}", reply.turn), "object": "response", "created_at": 1,
        "status": "completed", "model": body["model"], "output": items, "usage": usage,
        "parallel_tool_calls": true, "tools": [], "error": null});
    let mut start = whole.clone();
    start["status"] = json!("in_progress");
    start["output"] = json!([]);
    start["usage"] = Value::Null;
    let mut events = vec![json!({"type": "response.created", "response": start})];
    for (at, item) in items.iter().enumerate() {
        events.extend(item_events(at, item));
    }
    events.push(json!({"type": "response.completed", "response": whole}));
    for (at, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(at);
    }
    Answer { whole, events, named: true, end: "" }
}

fn item_events(at: usize, item: &Value) -> Vec<Value> {
    let mut empty = item.clone();
    empty["status"] = json!("in_progress");
    let mut within = Vec::new();
    if item["type"] == "message" {
        empty["content"] = json!([]);
        let part = &item["content"][0];
        let place = |kind: &str| json!({"type": kind, "item_id": item["id"], "output_index": at, "content_index": 0});
        let mut event = place("response.content_part.added");
        event["part"] = json!({"type": "output_text", "text": "", "annotations": []});
        within.push(event);
        let mut event = place("response.output_text.delta");
        event["delta"] = part["text"].clone();
        within.push(event);
        let mut event = place("response.content_part.done");
        event["part"] = part.clone();
        within.push(event);
    } else if item["arguments"].is_string() {
        empty["arguments"] = json!("");
        within.push(json!({"type": "response.function_call_arguments.delta", "output_index": at,
            "item_id": item["id"], "delta": item["arguments"]}));
    }
    let mut events =
        vec![json!({"type": "response.output_item.added", "output_index": at, "item": empty})];
    events.extend(within);
    events.push(json!({"type": "response.output_item.done", "output_index": at, "item": item}));
    events
}
