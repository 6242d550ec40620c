//! OpenAI Chat Completions.

use serde_json::{Value, json};

use super::events::Answer;
use super::plan::Reply;
use super::protocol::{Protocol, ToolResult, content_text, list, text};

pub(crate) const PROTOCOL: Protocol =
    Protocol { path: "/chat/completions", tools, user, results, answer };

fn tools(body: &Value) -> Vec<String> {
    list(&body["tools"]).iter().map(|tool| text(&tool["function"]["name"]).to_owned()).collect()
}

fn of_role<'a>(body: &'a Value, role: &'a str) -> impl Iterator<Item = &'a Value> {
    list(&body["messages"]).iter().filter(move |message| message["role"] == role)
}

fn user(body: &Value) -> Vec<String> {
    of_role(body, "user").map(|m| content_text(&m["content"])).collect()
}

fn results(body: &Value) -> Vec<ToolResult> {
    let result = |message: &Value| ToolResult {
        id: text(&message["tool_call_id"]).to_owned(),
        text: content_text(&message["content"]),
        context: String::new(),
        is_error: false,
    };
    of_role(body, "tool").map(result).collect()
}

fn answer(body: &Value, reply: &Reply) -> Answer {
    let calls = reply.calls.iter().enumerate().map(|(at, (id, call))| {
        json!({"index": at, "id": id, "type": "function",
            "function": {"name": call.tool, "arguments": call.arguments.to_string()}})
    });
    let calls: Vec<Value> = calls.collect();
    let stop = if calls.is_empty() { "stop" } else { "tool_calls" };
    let mut message = json!({"role": "assistant", "content": reply.text});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    let tokens = reply.prompt_tokens;
    let usage = json!({"prompt_tokens": tokens, "completion_tokens": 20,
        "total_tokens": tokens + 20});
    let head = |object: &str| {
        json!({"id": format!("chatcmpl-{}", reply.turn), "object": object, "created": 1,
            "model": body["model"], "usage": usage})
    };
    let mut whole = head("chat.completion");
    whole["choices"] = json!([{"index": 0, "message": message, "finish_reason": stop}]);
    let chunk = |delta: &Value, stop: Option<&str>| {
        let mut chunk = head("chat.completion.chunk");
        chunk["choices"] = json!([{"index": 0, "delta": delta, "finish_reason": stop}]);
        chunk
    };
    let events = vec![chunk(&message, None), chunk(&json!({}), Some(stop))];
    Answer { whole, events, named: false, end: "data: [DONE]\n\n" }
}
