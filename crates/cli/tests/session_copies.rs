//! What counts as a request of recorded sessions, and that it counts once: records that a client
//! wrote itself, copies and forks, compressed and archived files.

use serde_json::{Value, json};

use crate::world::World;

/// A text of 300 lines, so that there is something to save.
fn printed(name: &str) -> String {
    (0..300)
        .map(|row| format!("{name} row {row} value {} long enough\n", row * 7919 % 10_007))
        .collect()
}

/// The sessions and the requests of `paths`, under one profile.
fn counted(world: &World, paths: &str) -> (u64, u64) {
    let ran = world.run(&format!("replay --json --profile lossless {paths}"));
    let told: Value = serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err));
    let number = |value: &Value| value.as_u64().expect("a number");
    (number(&told["sessions"]), number(&told["raw"]["requests"]))
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// A session of Claude Code whose requests have these names; `copied` of them are another's.
fn claude(session: &str, copied: &[&str], own: &[&str]) -> Vec<Value> {
    let mut records = Vec::new();
    let mut parent = Value::Null;
    let mut add = |id: String, mut record: Value| {
        record["uuid"] = id.clone().into();
        record["parentUuid"] = std::mem::replace(&mut parent, id.into());
        record["sessionId"] = session.into();
        record["cwd"] = "/home/u/p".into();
        records.push(record);
    };
    let user = json!({"role": "user", "content": "please do it"});
    add(
        "u".to_owned(),
        json!({"type": "user", "timestamp": "2026-09-01T00:00:00.000Z", "message": user}),
    );
    for (at, name) in copied.iter().chain(own).enumerate() {
        let time = format!("2026-09-01T00:{at:02}:10.000Z");
        let usage = json!({"input_tokens": 3, "cache_creation_input_tokens": 1000,
            "cache_read_input_tokens": 1000 * at, "output_tokens": 20});
        let call = json!({"type": "tool_use", "id": format!("c{name}"), "name": "Bash",
            "input": {"command": "make test"}});
        let message = json!({"id": format!("m{name}"), "role": "assistant", "type": "message",
            "model": "claude-sonnet-4-5", "content": [call], "usage": usage});
        add(
            format!("a{name}"),
            json!({"type": "assistant", "timestamp": time, "message": message}),
        );
        let result = json!({"type": "tool_result", "tool_use_id": format!("c{name}"),
            "content": printed(name)});
        let message = json!({"role": "user", "content": [result]});
        add(format!("r{name}"), json!({"type": "user", "timestamp": time, "message": message}));
    }
    records
}

/// An error that Claude Code shows as if the model had said it.
fn api_error(at: usize) -> Value {
    let usage = json!({"input_tokens": 0, "output_tokens": 0,
        "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0});
    json!({"type": "assistant", "uuid": format!("e{at}"), "parentUuid": "rB", "sessionId": "s1",
        "timestamp": "2026-09-01T00:30:00.000Z", "isApiErrorMessage": true,
        "message": {"id": format!("e{at}"), "role": "assistant", "type": "message",
            "model": "<synthetic>", "usage": usage,
            "content": [{"type": "text", "text": "API Error: Repeated 529 Overloaded errors"}]}})
}

#[test]
fn what_a_client_wrote_itself_is_no_request() {
    let world = World::new("synthetic_records");
    let mut records = claude("s1", &[], &["A", "B"]);
    world.write("without.jsonl", lines(&records));
    records.extend((0..3).map(api_error));
    world.write("with.jsonl", lines(&records));
    assert_eq!(counted(&world, "with.jsonl"), (1, 2));
    assert_eq!(
        world.output("replay with.jsonl --json").replace("with.jsonl", ""),
        world.output("replay without.jsonl --json").replace("without.jsonl", "")
    );
}

#[test]
fn requests_of_claude_code_count_once() {
    let world = World::new("copies_claude");
    world.write("s/a.jsonl", lines(&claude("s1", &[], &["A", "B", "C"])));
    world.write("s/b.jsonl", lines(&claude("s2", &["A", "B", "C"], &[])));
    assert_eq!(counted(&world, "s"), (1, 3), "a copy");
    let told = world.run("replay s --profile lossless").err;
    assert!(told.contains("1 session is a copy of others and not counted"), "{told}");
    assert_eq!(counted(&world, "s/b.jsonl"), (1, 3), "a copy alone");
    // Files are read in the order of their names; the fork comes first.
    world.write("s/0.jsonl", lines(&claude("s3", &["A", "B"], &["D", "E"])));
    assert_eq!(counted(&world, "s"), (2, 5), "a fork");
}

/// Codex gives what it copies the time of the copy.
fn codex(id: &str, copied: &[&str], own: &[&str], forked_from: Option<&str>) -> Vec<Value> {
    let time = |at: usize| if at < copied.len() { 50 } else { at };
    let stamp = |at: usize| {
        format!("2026-09-01T0{}:{:02}:00.000Z", u8::from(forked_from.is_some()), time(at))
    };
    let meta = json!({"id": id, "cwd": "/home/u/p", "forked_from_id": forked_from});
    let mut records = vec![json!({"type": "session_meta", "timestamp": stamp(0), "payload": meta})];
    if let Some(other) = forked_from {
        records
            .push(json!({"type": "session_meta", "timestamp": stamp(0), "payload": {"id": other}}));
    }
    let mut add = |kind: &str, at: usize, payload: Value| {
        records.push(json!({"type": kind, "timestamp": stamp(at), "payload": payload}));
    };
    let said = json!([{"type": "input_text", "text": "please do it"}]);
    add("response_item", 0, json!({"type": "message", "role": "user", "content": said}));
    for (at, name) in copied.iter().chain(own).enumerate() {
        let usage = json!({"input_tokens": 1000 * (at + 1), "cached_input_tokens": 1000 * at,
            "output_tokens": 20});
        if *name == "done" {
            let said = json!([{"type": "output_text", "text": "done"}]);
            add(
                "response_item",
                at,
                json!({"type": "message", "role": "assistant", "content": said}),
            );
            add("token_usage_record", at, json!({"response_id": "r", "usage": usage}));
            continue;
        }
        add(
            "response_item",
            at,
            json!({"type": "function_call", "name": "exec_command",
            "call_id": name, "arguments": "{\"cmd\":\"make test\"}"}),
        );
        add("event_msg", at, json!({"type": "token_count", "info": {"last_token_usage": usage}}));
        add(
            "response_item",
            at,
            json!({"type": "function_call_output", "call_id": name,
            "output": printed(name)}),
        );
    }
    records
}

#[test]
fn requests_of_codex_count_once_also_in_compressed_and_archived_files() {
    let world = World::new("copies_codex");
    let text = lines(&codex("one", &[], &["A", "B", "done"], None));
    world.write("home/.codex/sessions/2026/09/01/rollout-1.jsonl", &text);
    assert_eq!(counted(&world, ""), (1, 3));
    let fork = codex("two", &["A", "B", "done"], &["C"], Some("one"));
    world.write("home/.codex/sessions/2026/08/01/rollout-2.jsonl", lines(&fork));
    assert_eq!(counted(&world, ""), (2, 4));
    let told = world.run("replay --profile lossless").err;
    assert!(!told.contains("unknown record type"), "{told}");
    let compressed = zstd::stream::encode_all(text.as_bytes(), 1).expect("it is compressed");
    world.write("home/.codex/sessions/2026/07/01/rollout-1.jsonl.zst", compressed);
    assert_eq!(counted(&world, ""), (2, 4), "the same once more");
    std::fs::remove_file(world.folder.join("home/.codex/sessions/2026/09/01/rollout-1.jsonl"))
        .expect("it was there");
    assert_eq!(counted(&world, ""), (2, 4), "only compressed");
    let path = "home/.codex/sessions/2026/07/01/rollout-1.jsonl.zst";
    assert_eq!(counted(&world, path), (1, 3), "named");
    assert_eq!(counted(&world, "home/.codex/sessions/2026/07"), (1, 3), "in a folder");
    let archived = codex("three", &[], &["D", "E"], None);
    world.write("home/.codex/archived_sessions/rollout-3.jsonl", lines(&archived));
    assert_eq!(counted(&world, ""), (3, 6), "archived");
    world.write("broken.jsonl.zst", b"\x28\xb5\x2f\xfdbroken");
    let ran = world.run("replay broken.jsonl.zst");
    assert_eq!(ran.code, Some(2));
    assert!(ran.err.contains("`broken.jsonl.zst` cannot be read"), "{}", ran.err);
}

/// A session of pi, whose forks have the entries of the other under the same ids.
fn pi(id: &str, names: &[&str]) -> Vec<Value> {
    let time = |at: usize| format!("2026-09-01T00:{at:02}:00.000Z");
    let mut records = vec![json!({"type": "session", "version": 3, "id": id, "timestamp": time(0),
        "cwd": "/home/u/p"})];
    let mut parent = Value::Null;
    let mut add = |id: String, at: usize, message: Value| {
        let parent = std::mem::replace(&mut parent, id.clone().into());
        records.push(json!({"type": "message", "id": id, "parentId": parent,
            "timestamp": time(at), "message": message}));
    };
    add("u".to_owned(), 0, json!({"role": "user", "content": "please do it"}));
    for (at, name) in names.iter().enumerate() {
        let usage = json!({"input": 3, "cacheRead": 1000 * at, "cacheWrite": 1000, "output": 20});
        let call = json!({"type": "toolCall", "id": name, "name": "bash",
            "arguments": {"command": "make test"}});
        add(
            format!("a{name}"),
            at,
            json!({"role": "assistant", "model": "claude-sonnet-4-5",
            "usage": usage, "content": [call]}),
        );
        add(
            format!("r{name}"),
            at,
            json!({"role": "toolResult", "toolCallId": name,
            "content": printed(name)}),
        );
    }
    records
}

#[test]
fn requests_of_pi_count_once() {
    let world = World::new("copies_pi");
    world.write("s/1.jsonl", lines(&pi("one", &["A", "B", "C"])));
    world.write("s/2.jsonl", lines(&pi("two", &["A", "B", "D", "E"])));
    world.write("s/3.jsonl", lines(&pi("three", &["A", "B"])));
    assert_eq!(counted(&world, "s"), (2, 5));
}

/// Runs of one task whose bills are not recorded are runs, however alike they are.
#[test]
fn runs_that_are_alike_are_no_copies() {
    let world = World::new("alike_runs");
    for name in ["s/1.jsonl", "s/2.jsonl"] {
        let mut records = pi(name, &["A", "B"]);
        for record in &mut records {
            if let Some(message) = record.get_mut("message").and_then(Value::as_object_mut) {
                message.remove("usage");
            }
        }
        world.write(name, lines(&records));
    }
    assert_eq!(counted(&world, "s"), (2, 4));
}

/// A fork costs what its own requests cost.
#[test]
fn a_fork_adds_the_cost_of_its_own_requests() {
    let world = World::new("copies_cost");
    world.write("all.jsonl", lines(&claude("s1", &[], &["A", "B", "C", "D"])));
    world.write("s/1.jsonl", lines(&claude("s1", &[], &["A", "B"])));
    world.write("s/2.jsonl", lines(&claude("s2", &["A", "B"], &["C", "D"])));
    let dollars = |path: &str| {
        let told =
            world.output(&format!("replay {path} --json --profile lossless --prices anthropic-5m"));
        let told: Value = serde_json::from_str(&told).expect("JSON");
        told["raw"]["dollars"].as_f64().expect("a number")
    };
    let (one, two) = (dollars("all.jsonl"), dollars("s"));
    assert!((one - two).abs() < 1e-9, "{one} {two}");
}
