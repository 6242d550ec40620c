//! Answers of Anthropic's Messages.

use serde_json::{Value, json};

use super::answer_content::{AnswerContent, split_text};

pub(super) fn answer_document(said: &AnswerContent<'_>) -> Value {
    json!({
        "id": said.unique_id("msg_", 0), "type": "message", "role": "assistant", "model": said.model,
        "content": content_blocks(said), "stop_reason": stop_reason(said), "stop_sequence": null,
        "usage": usage_json(said),
    })
}

fn stop_reason(said: &AnswerContent<'_>) -> &'static str {
    if said.reply.calls.is_empty() { "end_turn" } else { "tool_use" }
}

fn usage_json(said: &AnswerContent<'_>) -> Value {
    let bill = said.bill;
    json!({
        "input_tokens": bill.uncached,
        "cache_creation_input_tokens": bill.written_5m + bill.written_1h,
        "cache_read_input_tokens": bill.read,
        "cache_creation": {
            "ephemeral_5m_input_tokens": bill.written_5m,
            "ephemeral_1h_input_tokens": bill.written_1h,
        },
        "output_tokens": bill.output, "service_tier": "standard",
    })
}

fn content_blocks(said: &AnswerContent<'_>) -> Vec<Value> {
    let reply = said.reply;
    let mut blocks = Vec::new();
    if !reply.thinking.is_empty() {
        let signature = said.unique_id("signature", reply.thinking.len());
        blocks
            .push(json!({"type": "thinking", "thinking": reply.thinking, "signature": signature}));
    }
    if !reply.text.is_empty() {
        blocks.push(json!({"type": "text", "text": reply.text}));
    }
    blocks.extend(reply.calls.iter().enumerate().map(|(at, call)| {
        let id = said.unique_id("toolu_", at);
        json!({"type": "tool_use", "id": id, "name": call.name, "input": call.arguments})
    }));
    blocks
}

pub(super) fn stream_events(said: &AnswerContent<'_>) -> Vec<Value> {
    let mut message = answer_document(said);
    let usage = message["usage"].clone();
    message["content"] = json!([]);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    let mut events =
        vec![json!({"type": "message_start", "message": message}), json!({"type": "ping"})];
    for (index, block) in content_blocks(said).into_iter().enumerate() {
        let (empty, deltas) = split_block(&block);
        events.push(json!({"type": "content_block_start", "index": index, "content_block": empty}));
        events.extend(
            deltas.into_iter().map(
                |delta| json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ),
        );
        events.push(json!({"type": "content_block_stop", "index": index}));
    }
    let delta = json!({"stop_reason": stop_reason(said), "stop_sequence": null});
    let told = json!({
        "input_tokens": usage["input_tokens"],
        "cache_creation_input_tokens": usage["cache_creation_input_tokens"],
        "cache_read_input_tokens": usage["cache_read_input_tokens"],
        "output_tokens": usage["output_tokens"],
    });
    events.push(json!({"type": "message_delta", "delta": delta, "usage": told}));
    events.push(json!({"type": "message_stop"}));
    events
}

/// Splits a block into its start and the deltas that fill it.
fn split_block(block: &Value) -> (Value, Vec<Value>) {
    let text = |key: &str| block[key].as_str().unwrap_or_default();
    let mut empty = block.clone();
    let deltas = match text("type") {
        "text" => {
            empty["text"] = json!("");
            let pieces = split_text(text("text"), 20).into_iter();
            pieces.map(|piece| json!({"type": "text_delta", "text": piece})).collect()
        }
        "thinking" => {
            empty["thinking"] = json!("");
            empty["signature"] = json!("");
            let pieces = split_text(text("thinking"), 20).into_iter();
            let deltas = pieces.map(|piece| json!({"type": "thinking_delta", "thinking": piece}));
            let signature = json!({"type": "signature_delta", "signature": text("signature")});
            deltas.chain([signature]).collect()
        }
        _ => {
            empty["input"] = json!({});
            let pieces = split_text(&block["input"].to_string(), 40).into_iter();
            pieces.map(|piece| json!({"type": "input_json_delta", "partial_json": piece})).collect()
        }
    };
    (empty, deltas)
}
