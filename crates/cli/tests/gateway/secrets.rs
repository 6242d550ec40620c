//! Keys pass through the gateway, and stay nowhere.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use foveal_mock_provider::{MockProvider, Settings};
use serde_json::json;

use super::served::{Served, ask};
use crate::world::World;

/// Where a key stands in a request, and the key.
const KEYS: [(&str, &str); 6] = [
    ("Authorization: Bearer ", "sk-proj-Zq8vN2kLw5Rt7Yx3Bc9Mf4Hj6Pd1Sg0"),
    ("X-Api-Key: ", "sk-ant-api03-Kx7Qm2Vn9Wb4Tc6Rf8Lp3Hs5Jd1Gz0Ay"),
    ("X-Goog-Api-Key: ", "AIzaSyD9xQ2mV7nW4bT6cR8fL3pH5sJ1dG0aYkE"),
    ("Cookie: session=", "b7Qm2Vn9Wb4Tc6Rf8Lp3Hs5J"),
    ("ChatGPT-Account-Id: ", "acct-2Vn9Wb4Tc6Rf8Lp3Hs"),
    ("X-Amz-Security-Token: ", "FwoGZXIvYXdzEJr2Vn9Wb4Tc6Rf8Lp3Hs"),
];

/// A key in the path's query, as Gemini takes it.
const IN_QUERY: &str = "AIzaSyQ4bT6cR8fL3pH5sJ1dG0aYkED9xQ2mV7n";

/// A key in a result that is cut, so that all of it is kept for later.
const IN_RESULT: &str = "sk-ant-api03-Tc6Rf8Lp3Hs5Jd1Gz0AyKx7Qm2Vn9Wb4";

/// A key in a command.
const IN_COMMAND: &str = "Zq8vN2kLw5Rt7Yx3";

/// Words of the conversation, which are in no line that tells of a request.
const WORDS: &str = "the quick marmot";

/// All files below `folder`.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

fn holds(path: &Path, text: &str) -> bool {
    let bytes = fs::read(path).unwrap_or_default();
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}

#[test]
fn keys_pass_through_and_stay_nowhere() {
    let world = World::new("gateway_keys");
    let upstream =
        MockProvider::start(Settings { refuses_violations: false, ..Settings::default() });
    let upstream = upstream.expect("loopback");
    let served = Served::start(&world, &[upstream.url()], None);
    let lines: Vec<String> = KEYS.iter().map(|(name, key)| format!("{name}{key}")).collect();
    let output: String = (0..4_000).map(|at| format!("line {at} of the output\n")).collect();
    let output = format!("{output}export ANTHROPIC_API_KEY={IN_RESULT}\n{output}");
    let call = json!({"id": "call_1", "type": "function",
        "function": {"name": "bash", "arguments": "{\"command\":\"env; make\"}"}});
    let chat = json!({"model": "gpt-5", "messages": [
        {"role": "user", "content": WORDS},
        {"role": "assistant", "content": "", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": output}]});
    let messages = json!({"model": "claude-opus-4-5", "max_tokens": 9, "messages": [
        {"role": "user", "content": WORDS},
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "env; make"}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "t1", "content": output}]}]});
    let gemini = json!({"contents": [{"role": "user", "parts": [{"text": WORDS}]}]});
    let gemini_path = format!("/v1beta/models/gemini-2.5-pro:generateContent?key={IN_QUERY}");
    for (path, body) in [
        ("/v1/messages", &messages),
        ("/v1/chat/completions", &chat),
        (&*gemini_path, &gemini),
        ("/v1/models?key=none", &gemini),
        ("/v1/messages", &json!("no body at all")),
    ] {
        let body = body.to_string();
        ask(served.address, path, &lines, body.as_bytes(), Duration::ZERO).expect("an answer");
    }
    let seen = upstream.received_requests();
    assert_eq!(seen.len(), 5);
    for seen in &seen {
        for (name, key) in KEYS {
            let name = name.split(':').next().expect("a name");
            let value = seen.header(name).unwrap_or_else(|| panic!("{name} did not pass"));
            assert!(value.contains(key), "{name}: {value}");
        }
    }
    assert!(seen[2].path.contains(IN_QUERY));
    // The results were cut, and what was left out is kept.
    assert!(seen[0].body.len() < messages.to_string().len() / 2);
    drop(upstream);
    // And one that cannot be passed on, whose error is told.
    let gone = ask(served.address, &gemini_path, &lines, b"{}", Duration::ZERO);
    assert_eq!(gone.expect("an answer").status, 502);
    std::thread::sleep(Duration::from_millis(500));
    served.kill();
    let all = files(&world.folder);
    assert!(all.iter().any(|path| path.ends_with("store.db")), "{all:?}");
    let secrets = KEYS.iter().map(|(_, key)| *key).chain([IN_QUERY, IN_RESULT]);
    for secret in secrets {
        for path in &all {
            assert!(!holds(path, secret), "{secret} is in {}", path.display());
        }
    }
    let told = world.read("requests.jsonl");
    assert_eq!(told.lines().count(), 6, "{told}");
    assert!(!told.contains(WORDS) && !told.contains("line 7 of"), "{told}");
}

/// The head of a command stands in notes that are stored. A part of a key is no less a secret.
#[test]
fn no_part_of_a_key_stays_in_notes() {
    let world = World::new("gateway_keys_in_notes");
    let upstream =
        MockProvider::start(Settings { refuses_violations: false, ..Settings::default() });
    let upstream = upstream.expect("loopback");
    let served = Served::start(&world, &[upstream.url()], None);
    let output: String = (0..300).map(|at| format!("line {at} of the output\n")).collect();
    // The labels of notes end within these keys.
    let commands: Vec<String> = (8..40)
        .step_by(4)
        .map(|width| format!("echo {}; TOKEN={IN_COMMAND} make", "x".repeat(width)))
        .collect();
    let mut messages = vec![json!({"role": "user", "content": WORDS})];
    for (at, command) in commands.iter().enumerate() {
        for again in 0..2 {
            let id = format!("call_{at}_{again}");
            messages.push(json!({"role": "assistant", "content": [
                {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": command}}]}));
            messages.push(json!({"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": id, "content": format!("{at}\n{output}")}]}));
        }
    }
    for end in (3..=messages.len()).step_by(2) {
        let body = json!({"model": "claude-opus-4-5", "max_tokens": 9,
            "messages": messages[..end]});
        let body = body.to_string();
        ask(served.address, "/v1/messages", &[], body.as_bytes(), Duration::ZERO)
            .expect("it answers");
    }
    let sent = upstream.received_requests().last().expect("a request").body.clone();
    let sent = String::from_utf8_lossy(&sent).into_owned();
    assert!(sent.contains("lines above in "), "nothing was noted: {sent}");
    std::thread::sleep(Duration::from_millis(500));
    served.kill();
    let all = files(&world.folder);
    assert!(all.iter().any(|path| path.ends_with("store.db")), "{all:?}");
    for length in 8..=IN_COMMAND.len() {
        for path in &all {
            let part = &IN_COMMAND[..length];
            assert!(!holds(path, part), "{part} is in {}", path.display());
        }
    }
}
