//! Answers of OpenAI's Chat Completions.

use serde_json::{Value, json};

use super::answer_content::{AnswerContent, split_text};

pub(super) fn answer_document(said: &AnswerContent<'_>) -> Value {
    let mut message = json!({"role": "assistant", "content": said.reply.text});
    if !said.reply.calls.is_empty() {
        message["tool_calls"] = Value::Array(tool_calls(said));
    }
    let choice = json!({"index": 0, "message": message, "logprobs": null, "finish_reason": finish_reason(said)});
    json!({
        "id": said.unique_id("chatcmpl-", 0), "object": "chat.completion", "created": 1_700_000_000,
        "model": said.model, "choices": [choice], "usage": usage_json(said),
    })
}

fn finish_reason(said: &AnswerContent<'_>) -> &'static str {
    if said.reply.calls.is_empty() { "stop" } else { "tool_calls" }
}

fn tool_calls(said: &AnswerContent<'_>) -> Vec<Value> {
    let calls = said.reply.calls.iter().enumerate();
    calls
        .map(|(at, call)| {
            let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
            json!({"id": said.unique_id("call_", at), "type": "function", "function": function})
        })
        .collect()
}

fn usage_json(said: &AnswerContent<'_>) -> Value {
    let bill = said.bill;
    json!({
        "prompt_tokens": bill.prompt_tokens(), "completion_tokens": bill.output,
        "total_tokens": bill.prompt_tokens() + bill.output,
        "prompt_tokens_details": {"cached_tokens": bill.read, "cache_write_tokens": bill.written_5m},
        "completion_tokens_details": {"reasoning_tokens": 0},
    })
}

pub(super) fn stream_events(said: &AnswerContent<'_>) -> Vec<Value> {
    let head = json!({
        "id": said.unique_id("chatcmpl-", 0), "object": "chat.completion.chunk", "created": 1_700_000_000,
        "model": said.model,
    });
    let chunk = |choices: Value, usage: Value| {
        let mut chunk = head.clone();
        chunk["choices"] = choices;
        if said.includes_usage {
            chunk["usage"] = usage;
        }
        chunk
    };
    let delta = |delta: Value, reason: Value| {
        chunk(json!([{"index": 0, "delta": delta, "finish_reason": reason}]), Value::Null)
    };
    let mut events = vec![delta(json!({"role": "assistant", "content": ""}), Value::Null)];
    if !said.reply.text.is_empty() {
        let pieces = split_text(&said.reply.text, 20).into_iter();
        events.extend(pieces.map(|piece| delta(json!({"content": piece}), Value::Null)));
    }
    for (index, mut call) in tool_calls(said).into_iter().enumerate() {
        let arguments = call["function"]["arguments"].take();
        call["index"] = json!(index);
        call["function"]["arguments"] = json!("");
        events.push(delta(json!({"tool_calls": [call]}), Value::Null));
        for piece in split_text(arguments.as_str().unwrap_or_default(), 60) {
            let part = json!({"index": index, "function": {"arguments": piece}});
            events.push(delta(json!({"tool_calls": [part]}), Value::Null));
        }
    }
    events.push(delta(json!({}), json!(finish_reason(said))));
    if said.includes_usage {
        events.push(chunk(json!([]), usage_json(said)));
    }
    events
}
