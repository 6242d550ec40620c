//! `foveal replay` of sessions that ran through foveal: the saving counts once.

use std::fmt::Write as _;

use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript, Settings};
use foveal_store::{SessionId, SessionLogStore, SessionMetadata, SessionStore};
use foveal_transcript::Timestamp;
use serde_json::{Value, json};

use crate::hook::{given_as, store};
use crate::run_sessions::name;
use crate::run_task::{KEY, calls, provider, run};
use crate::world::World;

fn replayed(world: &World, path: &str) -> (Value, String) {
    let ran = world.run(&format!("replay {path} --json --profile lossless"));
    (serde_json::from_str(&ran.out).unwrap_or_else(|_| panic!("{}", ran.err)), ran.err)
}

fn record(seconds: usize, kind: &str, payload: &Value) -> Value {
    let time = format!("2026-09-01T00:00:{seconds:02}.000Z");
    json!({"timestamp": time, "type": kind, "payload": payload})
}

/// A rollout that reads a file, and then a part of it again, which was answered so.
fn rollout(folder: &str, whole: &str, part: &str) -> String {
    let mut text = String::new();
    let mut add = |record: Value| writeln!(text, "{record}").expect("memory");
    add(record(0, "session_meta", &json!({"id": "s1", "cwd": folder})));
    for (at, (command, out)) in
        [("cat a.rs", whole), ("sed -n '100,180p' a.rs", part), ("true", "done")].iter().enumerate()
    {
        let (id, arguments) = (format!("c{at}"), json!({"cmd": command}).to_string());
        let call = json!({"type": "function_call", "name": "exec_command", "call_id": id,
            "arguments": arguments});
        add(record(10 * at + 1, "response_item", &call));
        let usage = json!({"input_tokens": 1000 * (at + 1), "cached_input_tokens": 500 * at,
            "output_tokens": 20});
        let info = json!({"type": "token_count", "info": {"last_token_usage": usage}});
        add(record(10 * at + 2, "event_msg", &info));
        let result = json!({"type": "function_call_output", "call_id": id, "output": out});
        add(record(10 * at + 3, "response_item", &result));
    }
    text
}

#[test]
fn what_a_hook_shaped_is_compared_with_what_it_was() {
    let world = World::new("past_hook");
    let file: String = (1..=400).map(|n| format!("    let value_{n} = compute({n});\n")).collect();
    world.write("a.rs", &file);
    let folder = world.folder.to_string_lossy().into_owned();
    let part: String = file.lines().skip(99).take(81).map(|line| format!("{line}\n")).collect();
    let original = rollout(&folder, &file, &part);
    let lines: Vec<&str> = original.lines().collect();
    world.write("rollout.jsonl", lines[..5].join("\n") + "\n");
    let event = json!({"session_id": "s1", "cwd": folder, "hook_event_name": "PostToolUse",
        "transcript_path": world.folder.join("rollout.jsonl"), "tool_name": "Bash",
        "tool_input": {"command": "sed -n '100,180p' a.rs"}, "tool_response": part,
        "tool_use_id": "c1"});
    let answer = given_as(&world, "hook codex", event.to_string().as_bytes());
    let answer: Value = serde_json::from_str(&answer).expect("it is shaped");
    let shaped = answer["reason"].as_str().expect("a text");
    assert!(shaped.len() < part.len() / 2, "{shaped}");

    world.write("shaped.jsonl", rollout(&folder, &file, shaped));
    let (told, err) = replayed(&world, "shaped.jsonl");
    assert!(err.contains("1 request went through foveal"), "{err}");
    assert_eq!(told["raw"]["bill"]["requests"], 2, "{told:#}");
    // Only the note that explains the first pointer is more.
    let tokens = |told: &Value| told["raw"]["tokens"].as_u64().expect("a number");
    let shaped = tokens(&told);
    std::fs::remove_dir_all(world.folder.join("home/.local/share/foveal")).expect("a store");
    world.write("original.jsonl", &original);
    let original = tokens(&replayed(&world, "original.jsonl").0);
    assert!((original..original + 200).contains(&shaped), "{shaped} {original}");
    let forgotten = replayed(&world, "shaped.jsonl");
    assert!(tokens(&forgotten.0) < original - 500, "without the store it is not known");
    assert_eq!(forgotten.0["raw"]["bill"]["requests"], 3);
}

#[test]
fn bills_of_requests_that_a_gateway_shortened_are_left_out() {
    let world = World::new("past_gateway");
    world.write("rollout.jsonl", rollout("/r", "one", "two"));
    let billed = |told: &Value| told["raw"]["bill"]["requests"].as_u64();
    assert_eq!(billed(&replayed(&world, "rollout.jsonl").0), Some(3));
    world.write("home/.local/share/foveal/.keep", "");
    let store = store(&world);
    let session = SessionId("gateway conversation".to_owned());
    store.open_session(&session, &SessionMetadata::default(), Timestamp(0)).expect("a session");
    let time = 1_788_220_800_000_i64;
    for (request, input, cached, sent) in
        [(1, 1000, 0, 900), (2, 1500, 500, 600), (3, 2000, 1000, 500)]
    {
        // The first went as it was; the second has the same bill another day.
        let asked = if request == 1 { sent } else { 900 };
        let time = if request == 2 { time - 86_400_000 } else { time };
        let kept = json!({"request": request, "time": time, "tokens_asked": asked,
            "tokens_sent": sent,
            "billed": {"uncached": input, "cache_read": cached, "output": 7}});
        store.append_record(&session, &kept, Timestamp(time)).expect("a record");
    }
    drop(store);
    let (told, err) = replayed(&world, "rollout.jsonl");
    assert_eq!(billed(&told), Some(2), "{err}");
    assert!(err.contains("1 request went through foveal"), "{err}");
}

#[test]
fn bills_of_runs_that_were_shortened_are_left_out() {
    for (profile, billed) in [("curated", None), ("off", Some(3))] {
        let world = World::new(&format!("past-run-{profile}"));
        world.write("long.sh", "for i in $(seq 4000); do echo \"line $i of the output\"; done\n");
        let upstream = MockProvider::start(Settings::default()).expect("a provider");
        upstream.set_script(ReplyScript::in_order([
            calls(&[("bash", json!({"command": "sh long.sh"}))]),
            calls(&[("list", json!({}))]),
            ModelReply::from_text("Long."),
        ]));
        let ran = run(&world, &upstream, "messages", &format!("--yes --profile {profile}"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let name = name(&world);
        let part = name.strip_prefix("run ").expect("a run");
        for path in [part, ""] {
            let (told, err) = replayed(&world, path);
            assert_eq!(told["raw"]["requests"], 3);
            assert_eq!(told["raw"]["bill"]["requests"].as_u64(), billed, "{profile}: {err}");
            let is_said =
                err.contains("3 requests of foveal's own agent were shortened when they were sent");
            assert_eq!(is_said, billed.is_none(), "{profile}: {err}");
        }
        let text = world.run(&format!("replay {part}")).out;
        assert_eq!(text.contains("vs bill"), billed.is_some(), "{text}");
        // The bill is what the run printed.
        let (_, printed) = ran.err.rsplit_once('$').expect("a cost");
        let printed: String =
            printed.chars().take_while(|sign| sign.is_ascii_digit() || *sign == '.').collect();
        let said = format!("the bill: ${printed} for 3 requests that foveal had shortened");
        assert_eq!(text.contains(&said), billed.is_none(), "{said}: {text}");
        assert_eq!(text.contains(" without foveal in input"), billed.is_none(), "{text}");
        let shown = world.output(&format!("show {part}"));
        assert!(shown.contains(&format!(", billed ${printed}\n")), "{printed}: {shown}");
        let (told, _) = replayed(&world, part);
        let dollars = told["raw"]["shortened_bill"]["dollars"].as_f64();
        assert_eq!(dollars.is_some(), billed.is_none(), "{told}");
        world.run(&format!("replay {part} --report report.html"));
        let page = world.read("report.html");
        assert!(page.contains(&format!("${printed} as billed, answers included")), "{printed}");
        // A copy elsewhere tells the agent, but not the decisions.
        let exported = world.output(&format!("export {part}"));
        std::fs::remove_dir_all(world.folder.join("home/.local/share/foveal")).expect("a store");
        world.write("run.json", exported);
        let (told, err) = replayed(&world, "run.json");
        assert_eq!(told["raw"]["requests"], 3);
        assert_eq!(told["raw"]["bill"], Value::Null, "{err}");
    }
}

/// The API of a model does not tell its price, and a replay calls no assumed prices its bill.
#[test]
fn an_unknown_model_of_a_known_api_has_no_price() {
    let world = World::new("run-unpriced-api");
    let upstream = provider([ModelReply::from_text("Done.")]);
    let mut command = world.command("run");
    command.args(["--model", &format!("messages:mystery-1@{}", upstream.url()), "do it"]);
    command.env("FOVEAL_MODEL_KEY", KEY).stdin(std::process::Stdio::null());
    let ran = world.ran(&mut command);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains(" tokens, cost unknown") && !ran.err.contains('$'), "{}", ran.err);
    let name = name(&world);
    let id = name.rsplit(' ').next().expect("an id");
    let replayed = world.output(&format!("replay {id} --profile balanced"));
    let heading = "the price of the recorded model is unknown: 1 request if billed at anthropic-5m";
    assert!(replayed.contains(heading), "{replayed}");
    assert!(!replayed.contains("request as recorded"), "{replayed}");
    // With prices that the user chose it is a bill at these.
    let replayed = world.output(&format!("replay {id} --profile balanced --prices flat"));
    assert!(replayed.contains("at the prices of flat"), "{replayed}");
}
