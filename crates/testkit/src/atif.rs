//! Writes a conversation as an ATIF document, for tests that start from bytes.

use foveal_transcript::{Conversation, MessageRole};
use serde_json::{Value, json};

/// Returns the document. It has neither times nor marks.
pub fn render_atif(conversation: &Conversation) -> String {
    let mut steps: Vec<Value> = Vec::new();
    for entry in conversation.entries() {
        if let Some(result) = entry.tool_result() {
            let answer = json!({ "source_call_id": result.call, "content": result.content });
            let step = steps.last_mut().expect("a result follows its call");
            if step.get("observation").is_none() {
                step["observation"] = json!({ "results": [] });
            }
            let results = step["observation"]["results"].as_array_mut();
            results.expect("made above").push(answer);
            continue;
        }
        let source = match entry.role {
            MessageRole::System => "system",
            MessageRole::User => "user",
            MessageRole::Assistant | MessageRole::Tool => "agent",
        };
        let id = steps.len() + 1;
        let mut step = json!({ "step_id": id, "source": source, "message": entry.text() });
        let call = |call: &foveal_transcript::ToolCall| {
            json!({
                "tool_call_id": call.id,
                "function_name": call.name,
                "arguments": call.arguments,
            })
        };
        let calls: Vec<Value> = entry.tool_calls().map(call).collect();
        if !calls.is_empty() {
            step["tool_calls"] = Value::Array(calls);
        }
        steps.push(step);
    }
    let agent = json!({ "name": "generated", "version": "1" });
    json!({ "schema_version": "ATIF-v1.6", "session_id": "generated", "agent": agent, "steps": steps })
        .to_string()
}
