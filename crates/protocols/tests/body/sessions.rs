//! Recorded sessions as bodies of each API, and bodies that real clients sent.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use foveal_protocols::Protocol;
use foveal_transcript::{ContentBlock, ContentHash, MessageRole, ToolCall, TranscriptEntry};
use serde_json::{Value, json};

use super::check::check;
use super::whole_body::check_alike;
use crate::session_files::{files, read_file, sessions_folder};

/// Sampling interval of the recordings.
const STEP: usize = 6;

#[test]
fn recorded_sessions_as_bodies() {
    let Some(folder) = sessions_folder() else { return };
    for path in files(&folder.join("atif")).iter().step_by(STEP) {
        let (_, sessions, _) = read_file(path);
        for conversation in sessions.iter().flat_map(|session| &session.conversations) {
            for protocol in Protocol::ALL {
                let body = body(protocol, conversation.entries());
                let bytes = serde_json::to_vec(&body).expect("a value is JSON");
                let (scanned, messages) = check(protocol, &bytes).expect("the body can be read");
                assert_eq!(scanned.pass_through_reason, None);
                let mut told = messages.iter().flat_map(|message| &message.entries);
                for entry in conversation.entries() {
                    let Some(result) = entry.tool_result() else { continue };
                    let found =
                        told.find_map(TranscriptEntry::tool_result).expect("every result is told");
                    assert_eq!((&found.call, &found.content), (&result.call, &result.content));
                }
                let slots: usize = messages.iter().map(|message| message.slots.len()).sum();
                let is_result = |entry: &&TranscriptEntry| entry.tool_result().is_some();
                assert!(slots >= conversation.entries().iter().filter(is_result).count());
                check_alike(protocol, &bytes);
            }
        }
    }
}

/// Returns a body with the content of these entries.
fn body(protocol: Protocol, entries: &[TranscriptEntry]) -> Value {
    let messages: Vec<Value> = entries.iter().flat_map(|entry| told(protocol, entry)).collect();
    match protocol {
        Protocol::Messages | Protocol::Chat => json!({"model": "m", "messages": messages}),
        Protocol::Responses => json!({"model": "m", "input": messages}),
        Protocol::Gemini => json!({"contents": messages}),
    }
}

fn told(protocol: Protocol, entry: &TranscriptEntry) -> Vec<Value> {
    if let Some(result) = entry.tool_result() {
        let (call, content) = (&result.call, &result.content);
        let parts = |kind: &str| parts(kind, content);
        return vec![match protocol {
            Protocol::Messages => json!({"role": "user", "content": [{"type": "tool_result",
                "tool_use_id": call, "is_error": result.is_error, "content": parts("text")}]}),
            Protocol::Chat => {
                json!({"role": "tool", "tool_call_id": call, "content": parts("text")})
            }
            Protocol::Responses => json!({"type": "function_call_output", "call_id": call,
                "output": parts("input_text")}),
            Protocol::Gemini => json!({"role": "user", "parts": [{"functionResponse":
                {"id": call, "name": "f", "response": {"output": content}}}]}),
        }];
    }
    let text = entry.text();
    let calls = entry.tool_calls();
    match (protocol, entry.role) {
        (Protocol::Messages, MessageRole::Assistant) => {
            let use_of = |call: &ToolCall| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": call.arguments});
            let mut content = vec![json!({"type": "text", "text": text})];
            content.extend(calls.map(use_of));
            vec![json!({"role": "assistant", "content": content})]
        }
        (Protocol::Chat, MessageRole::Assistant) => {
            let call_of = |call: &ToolCall| {
                let function = json!({"name": call.name, "arguments": call.arguments.to_string()});
                json!({"id": call.id, "type": "function", "function": function})
            };
            let calls: Vec<_> = calls.map(call_of).collect();
            vec![json!({"role": "assistant", "content": text, "tool_calls": calls})]
        }
        (Protocol::Responses, MessageRole::Assistant) => {
            let item_of = |call: &ToolCall| {
                json!({"type": "function_call", "call_id": call.id, "name": call.name,
                    "arguments": call.arguments.to_string()})
            };
            let mut items = vec![json!({"role": "assistant", "content":
                [{"type": "output_text", "text": text}]})];
            items.extend(calls.map(item_of));
            items
        }
        (Protocol::Gemini, MessageRole::Assistant) => {
            let part_of = |call: &ToolCall| json!({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}});
            let mut parts = vec![json!({"text": text})];
            parts.extend(calls.map(part_of));
            vec![json!({"role": "model", "parts": parts})]
        }
        (Protocol::Gemini, _) => vec![json!({"role": "user", "parts": [{"text": text}]})],
        (_, MessageRole::System) => vec![json!({"role": "system", "content": text})],
        (_, _) => vec![json!({"role": "user", "content": text})],
    }
}

/// Returns a result's content as a string, or as two parts if it has a line break in the middle.
fn parts(kind: &str, content: &str) -> Value {
    let half = content.len() / 2;
    match content.as_bytes().iter().skip(half).position(|byte| *byte == b'\n') {
        Some(at) if half.is_multiple_of(2) => {
            let (first, second) = (&content[..half + at], &content[half + at + 1..]);
            json!([{"type": kind, "text": first}, {"type": kind, "text": second}])
        }
        _ => json!(content),
    }
}

/// Reads the bodies that the scripts of `clients` recorded, if they were run with this folder.
#[test]
fn bodies_of_real_clients() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/clients/runs");
    if !folder.is_dir() {
        eprintln!("skipped: no bodies of real clients at {}", folder.display());
        return;
    }
    let mut slots = 0;
    let mut known: HashMap<PathBuf, Vec<(Vec<ContentHash>, ContentHash)>> = HashMap::new();
    let mut continued = 0;
    for path in files(&folder) {
        let name = path.to_string_lossy();
        let Some(head) = name.strip_suffix(".body.json").filter(|name| !name.ends_with(".ws"))
        else {
            continue;
        };
        let head = fs::read(format!("{head}.head.json")).expect("each body has a head");
        let head: Value = serde_json::from_slice(&head).expect("a head is JSON");
        let Some(protocol) = protocol_of(head["path"].as_str().unwrap_or_default()) else {
            continue;
        };
        let bytes = fs::read(&path).expect("the file reads");
        let (body, messages) =
            check(protocol, &bytes).unwrap_or_else(|| panic!("{name} is not read"));
        let prints: Vec<_> =
            (0..messages.len()).map(|at| body.message_fingerprint(&bytes, at)).collect();
        let earlier = known.entry(path.with_file_name("")).or_default();
        // A request that begins as an earlier one continues it, wherever its marks are.
        if earlier.iter().any(|known| known.0.first() == prints.first()) {
            let continues = |known: &&(Vec<ContentHash>, ContentHash)| prints.starts_with(&known.0);
            let (known, prefix) = earlier
                .iter()
                .filter(continues)
                .max_by_key(|known| known.0.len())
                .unwrap_or_else(|| panic!("{name} continues no request"));
            assert_eq!(body.prefix_fingerprint(&bytes, known.len()), *prefix, "{name}");
            continued += 1;
        }
        let whole = body.prefix_fingerprint(&bytes, prints.len());
        earlier.push((prints, whole));
        check_alike(protocol, &bytes);
        for message in &messages {
            let results = message.entries.iter().filter(|entry| has_text(entry)).count();
            assert!(message.slots.len() >= results, "{name}: {message:#?}");
            slots += message.slots.len();
        }
    }
    assert!(slots > 0 && continued > 0, "there are results in them");
}

fn has_text(entry: &TranscriptEntry) -> bool {
    entry
        .blocks
        .iter()
        .any(|block| matches!(block, ContentBlock::Result(result) if !result.content.is_empty()))
}

fn protocol_of(path: &str) -> Option<Protocol> {
    let ends = [
        ("/messages", Protocol::Messages),
        ("/messages/count_tokens", Protocol::Messages),
        ("/chat/completions", Protocol::Chat),
        ("/responses", Protocol::Responses),
        ("enerateContent", Protocol::Gemini),
    ];
    let path = path.split('?').next().unwrap_or_default();
    ends.iter().find(|(end, _)| path.ends_with(end)).map(|(_, protocol)| *protocol)
}
