//! A model that gets back what was left out of its prompt, before a gateway that is killed between
//! any two requests.

use std::sync::Mutex;
use std::time::Duration;

use foveal_upstream::{Asked, Call, Play, Reply, Script, Settings, Upstream};
use serde_json::{Value, json};

use super::served::{Served, ask};
use crate::world::World;

const EXPAND: &str = "foveal_expand";

/// A secret in what is left out.
const SECRET: &str = "sk-ant-api03-Tc6Rf8Lp3Hs5Jd1Gz0AyKx7Qm2Vn9Wb4";

fn says(text: &str, calls: &[(&str, Value)]) -> Play {
    let call = |(name, arguments): &(&str, Value)| Call {
        name: (*name).to_owned(),
        arguments: arguments.clone(),
    };
    let calls = calls.iter().map(call).collect();
    Play::from(Reply { thinking: "Hm.".to_owned(), text: text.to_owned(), calls })
}

/// The handle that the last note names.
fn handle(body: &Value) -> String {
    let text = body.to_string();
    let at = text.rfind(&format!("{EXPAND} ")).expect("a note") + EXPAND.len() + 1;
    text[at..at + 12].to_owned()
}

fn script() -> Script {
    let count = Mutex::new(0);
    Script::new(move |asked: &Asked<'_>| {
        let mut count = count.lock().expect("a lock");
        *count += 1;
        match *count {
            1 => says("I run it.", &[("bash", json!({"command": "make"}))]),
            2 => {
                says("I look.", &[(EXPAND, json!({"handle": handle(asked.body), "start": 1_900}))])
            }
            3 => says(
                "Both.",
                &[
                    ("bash", json!({"command": "make more"})),
                    (EXPAND, json!({"handle": handle(asked.body)})),
                ],
            ),
            _ => says("It is fine.", &[]),
        }
    })
}

/// Asks, and takes the answer into the history.
fn turn(served: &Served, messages: &mut Vec<Value>, message: Value) {
    messages.push(message);
    let body = json!({
        "model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages,
        "tools": [{"name": "bash", "input_schema": {"type": "object"}}],
    });
    let body = body.to_string();
    let got = ask(served.address, "/v1/messages", &[], body.as_bytes(), Duration::ZERO);
    let got = got.expect("an answer");
    assert_eq!(got.status, 200, "{}", got.text());
    let message: Value = serde_json::from_slice(&got.body).expect("JSON");
    assert!(!message.to_string().contains(EXPAND), "{message}");
    messages.push(json!({"role": "assistant", "content": message["content"]}));
}

/// The results of the calls in the last answer.
fn results(messages: &[Value], result: &str) -> Value {
    let content = messages.last().expect("an answer")["content"].as_array().expect("parts");
    let ids = content.iter().filter_map(|part| part["id"].as_str());
    let results =
        ids.map(|id| json!({"type": "tool_result", "tool_use_id": id, "content": result}));
    json!({"role": "user", "content": results.collect::<Vec<_>>()})
}

#[test]
fn what_was_given_back_stands_over_restarts() {
    let world = World::new("gateway_expand");
    world.write("home/.config/foveal/config.toml", "[gateway]\nexpand = true\n");
    let upstream = Upstream::start(Settings::default()).expect("loopback");
    upstream.play(script());
    let start = || Served::start(&world, &[upstream.url()], None);
    let mut messages = Vec::new();
    let line = |at| match at {
        1_950 => format!("export ANTHROPIC_API_KEY={SECRET}\n"),
        _ => format!("line {at} of the output\n"),
    };
    let long: String = (0..4_000).map(line).collect();
    for step in 0..5 {
        let served = start();
        let message = match step {
            0 => json!({"role": "user", "content": "make it"}),
            1 => results(&messages, &long),
            2 => results(&messages, "done"),
            _ => json!({"role": "user", "content": format!("on {step}")}),
        };
        turn(&served, &mut messages, message);
        served.kill();
    }
    let seen = upstream.seen();
    assert_eq!(seen.len(), 6);
    for (at, seen) in seen.iter().enumerate() {
        let body = String::from_utf8_lossy(&seen.body);
        assert!(seen.broken.is_empty(), "{at}: {:?}", seen.broken);
        assert!(at == 0 || seen.common.is_some_and(|it| it.is_append()), "{at}: {body}");
        assert!(body.contains(r#""name":"foveal_expand""#), "{at}: {body}");
    }
    // What comes out of the store has no secret.
    let given = String::from_utf8_lossy(&seen[2].body).into_owned();
    assert!(given.contains("line 1899 of") && given.contains("[secret removed"), "{given}");
    assert!(!given.contains(SECRET));
}
