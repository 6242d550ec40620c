//! Tools that a user's conversations do not call are shortened, by a gateway that is killed between
//! any two requests.

use std::time::Duration;

use foveal_upstream::{Asked, Call, Play, Reply, Script, Settings, Upstream};
use serde_json::{Value, json};

use super::served::{Served, ask};
use crate::world::World;

/// New conversations that are tried until a gateway has read what the store keeps.
const TRIES_MAX: usize = 200;

fn tools() -> Value {
    let long = "It says more than anybody has to know who calls it. ".repeat(40);
    let tool = |name: &str| {
        json!({"name": name, "description": format!("Does {name}. {long}"),
               "input_schema": {"type": "object", "properties": {"path": {"title": "Path"}}}})
    };
    json!([tool("read"), tool("fetch")])
}

/// Calls the tool that the last message names, and else says something.
fn script() -> Script {
    Script::new(|asked: &Asked<'_>| {
        let messages = asked.body["messages"].as_array().expect("messages");
        let last = messages.last().expect("a message")["content"].as_str().unwrap_or_default();
        let name = last.strip_prefix("call ").and_then(|rest| rest.split(' ').next());
        let call = |name: &str| Call { name: name.to_owned(), arguments: json!({"path": "a"}) };
        let calls = name.map(call).into_iter().collect();
        Play::from(Reply { thinking: String::new(), text: "I do.".to_owned(), calls })
    })
}

/// Asks, and takes the answer into the history.
fn turn(served: &Served, messages: &mut Vec<Value>, message: Value) {
    messages.push(message);
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages, "tools": tools(),
    });
    let got = ask(served.address, "/v1/messages", &[], body.to_string().as_bytes(), Duration::ZERO);
    let got = got.expect("an answer");
    assert_eq!(got.status, 200, "{}", got.text());
    let message: Value = serde_json::from_slice(&got.body).expect("JSON");
    messages.push(json!({"role": "assistant", "content": message["content"]}));
}

/// Goes on behind a call.
fn result(messages: &[Value]) -> Value {
    let content = messages.last().expect("an answer")["content"].as_array().expect("parts");
    let id = content.iter().find_map(|part| part["id"].as_str()).expect("a call");
    json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": "done"}]})
}

/// The tools that the upstream saw last.
fn last_tools(upstream: &Upstream) -> String {
    let seen = upstream.seen();
    let body: Value = serde_json::from_slice(&seen.last().expect("a request").body).expect("JSON");
    body["tools"].to_string()
}

#[test]
fn tools_that_nobody_calls_are_shortened_and_stay_so() {
    let world = World::new("gateway_tools");
    world.write("home/.config/foveal/config.toml", "[gateway]\nshorten_tools = true\n");
    let upstream = Upstream::start(Settings::default()).expect("loopback");
    upstream.play(script());
    let start = || Served::start(&world, &[upstream.url()], None);
    let said = |text: &str| json!({"role": "user", "content": text});
    let served = start();
    for at in 0..5 {
        let mut messages = Vec::new();
        turn(&served, &mut messages, said(&format!("call read {at}")));
        let result = result(&messages);
        turn(&served, &mut messages, result);
        assert!(!last_tools(&upstream).contains("left out]"), "{at}");
    }
    served.stop();

    // What was learned is read from the store, by a thread that nobody waits for.
    let served = start();
    let mut messages = Vec::new();
    let begins = (0..TRIES_MAX).find(|at| {
        messages.clear();
        turn(&served, &mut messages, said(&format!("call fetch {at}")));
        let is_short = last_tools(&upstream).contains("left out]");
        if !is_short {
            std::thread::sleep(Duration::from_millis(20));
        }
        is_short
    });
    assert!(begins.is_some(), "nothing was shortened");
    served.kill();
    let short = last_tools(&upstream);
    assert_eq!(short.matches("left out]").count(), 1, "{short}");
    assert!(!short.contains("title"), "{short}");
    // The model calls it all the same, and the conversation keeps its tools.
    for step in 0..3 {
        let served = start();
        let next = if step == 0 { result(&messages) } else { said(&format!("on {step}")) };
        turn(&served, &mut messages, next);
        served.stop();
        assert_eq!(last_tools(&upstream), short, "{step}");
    }
    for (at, seen) in upstream.seen().iter().enumerate() {
        assert!(seen.broken.is_empty(), "{at}: {:?}", seen.broken);
    }
    // In the next conversation it is whole, now that it was called.
    let served = start();
    for at in 0..3 {
        turn(&served, &mut Vec::new(), said(&format!("new {at}")));
        std::thread::sleep(Duration::from_millis(50));
    }
    served.stop();
    assert!(!last_tools(&upstream).contains("left out]"));

    let lines = world.read("requests.jsonl");
    let left_out = |line: &str| -> u64 {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line["tools"]["left_out"].as_u64().unwrap_or(0)
    };
    assert!(lines.lines().map(left_out).max() > Some(300), "{lines}");
    let stats: Value = serde_json::from_str(&world.output("stats --json")).expect("JSON");
    assert!(stats["tool_tokens_left_out"].as_u64() > Some(300), "{stats:#}");
    assert_eq!(stats["shorten_tools_is_off"], false);
}
