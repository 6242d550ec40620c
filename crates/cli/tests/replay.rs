//! `foveal replay`: the table, the document and the page.

use std::io::Write as _;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::world::{World, session};

/// Three sessions in two folders.
fn world(test: &str) -> World {
    let world = World::new(test);
    for id in ["a", "b", "c"] {
        world.write(&format!("all/{id}/{id}.json"), session(id));
    }
    world
}

fn rows(text: &str) -> Vec<&str> {
    text.lines().filter_map(|line| line.split_whitespace().next()).collect()
}

#[test]
fn the_table_has_a_row_for_every_profile() {
    let world = world("table");
    let text = world.output("replay all");
    let first: Vec<&str> = text.lines().take(3).collect();
    assert_eq!(
        first[0],
        "3 sessions, 6 conversations; prices anthropic-5m (assumed for 3 sessions), tokens o200k"
    );
    for heading in
        ["profile", "requests", "peak", "vs raw", "evidence", "repairs/session", "laws broken"]
    {
        assert!(first[2].contains(heading), "{heading}");
    }
    let names = rows(&text);
    for name in ["raw", "lossless", "balanced", "max"] {
        assert_eq!(names.iter().filter(|row| **row == name).count(), 1, "{name} in {text}");
    }
    let sentence = text.lines().last().expect("a sentence");
    assert!(sentence.starts_with("these 3 sessions would have cost $"), "{sentence}");
    assert!(sentence.contains("in input with `balanced`: "), "{sentence}");
}

/// A pipe can be read only once.
#[test]
fn a_single_file_is_read_once() {
    let world = World::new("replay-pipe");
    world.write("a.json", session("a"));
    let mut pipe = world.command("replay /dev/stdin --json --profile balanced");
    pipe.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = pipe.spawn().expect("it starts");
    let mut input = child.stdin.take().expect("it is piped");
    input.write_all(session("a").as_bytes()).expect("it reads");
    drop(input);
    let ran = child.wait_with_output().expect("it ends");
    let told = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    assert_eq!(told, world.output("replay a.json --json --profile balanced"));
}

/// One request of a session whose answer came from `model`, with a recorded bill.
fn billed(id: &str, model: &str) -> String {
    let metrics = json!({"prompt_tokens": 1_000_000, "completion_tokens": 0, "cached_tokens": 0});
    json!({"schema_version": "ATIF-v1.6", "session_id": id,
    "agent": {"name": "x", "version": "1", "model_name": model},
    "steps": [
        {"step_id": 1, "source": "user", "message": "Look at it."},
        {"step_id": 2, "source": "agent", "model_name": model, "message": "Done.",
            "metrics": metrics},
    ]})
    .to_string()
}

#[test]
fn each_session_has_the_price_of_its_model_alone_and_among_others() {
    let world = World::new("replay-prices");
    let models =
        [("a", "claude-haiku-4-5"), ("b", "gpt-5"), ("c", "ollama/qwen3"), ("d", "mystery-1")];
    for (id, model) in models {
        world.write(&format!("all/{id}.json"), billed(id, model));
    }
    let document = |text: &str| -> Value { serde_json::from_str(text).expect("JSON") };
    let all = document(&world.output("replay all --json --per-session --profile balanced"));
    assert_eq!((&all["assumed_prices"], &all["prices"]), (&json!(1), &Value::Null));
    let mut bills = Vec::new();
    for (id, model) in models {
        let alone = world.output(&format!("replay all/{id}.json --json --profile balanced"));
        let alone = document(&alone);
        let sessions = all["per_session"].as_array().expect("sessions");
        let among = sessions.iter().find(|it| it["session"] == id).expect(id);
        assert_eq!(alone["raw"], among["raw"], "{model}");
        assert_eq!(alone["prices"]["name"], among["prices"][0], "{model}");
        assert_eq!(alone["assumed_prices"], u64::from(id == "d"), "{model}");
        bills.push(among["raw"]["bill"]["input"]["dollars"].as_f64().expect("dollars"));
    }
    assert_eq!(bills[2], 0.0, "{bills:?}");
    assert!(bills[0] > 0.0 && bills[1] > 0.0 && bills[0] != bills[1], "{bills:?}");
    let text = world.output("replay all --profile balanced");
    let heading = "4 sessions, 4 conversations; prices of 4 models (assumed for 1 session)";
    assert!(text.starts_with(heading), "{text}");
    // The prices that the user chose hold for all.
    let text = world.output("replay all --profile balanced --prices flat");
    assert!(text.starts_with("4 sessions, 4 conversations; prices flat, tokens"), "{text}");
}

#[test]
fn the_same_input_gives_the_same_output() {
    let world = world("deterministic");
    let once = world.output("replay all --json --per-session --prompt-log log --profile max");
    let log = world.read("log");
    for _ in 0..3 {
        let again = world.output("replay all --json --per-session --prompt-log log --profile max");
        assert_eq!((&again, &world.read("log")), (&once, &log));
    }
}

#[test]
fn the_document_holds_what_the_table_shows() {
    let world = world("document");
    let text = world.output("replay all --json --per-session");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(document["sessions"], 3);
    assert_eq!(document["interrupted"], false);
    let profiles = document["profiles"].as_array().expect("profiles");
    let lossless = &profiles[0];
    assert_eq!(lossless["profile"], "lossless");
    assert_eq!(lossless["requests"], document["raw"]["requests"]);
    assert_eq!(lossless["evidence"]["ratio"], 1.0);
    assert_eq!(lossless["laws_broken"]["total"], 0);
    assert!(lossless["cost_change"].as_f64().expect("a number") < 0.0);
    let sessions = document["per_session"].as_array().expect("sessions");
    let sum: f64 = sessions.iter().filter_map(|s| s["profiles"][0]["dollars"].as_f64()).sum();
    let total = lossless["dollars"].as_f64().expect("a number");
    assert!((sum - total).abs() < 1e-9, "{sum} {total}");
    let plain: Value = serde_json::from_str(&world.output("replay all --json")).expect("JSON");
    assert_eq!(plain.get("per_session"), None);
    assert_eq!(plain["raw"], document["raw"]);
}

/// A name such as `019aa2…` says nothing to a person.
#[test]
fn sessions_are_named_by_date_folder_and_first_words() {
    let world = world("named");
    let text = world.output("replay all --per-session");
    let heading = text.lines().find(|line| line.starts_with("session ")).expect("a heading");
    for column in ["date", "folder", "first words"] {
        assert!(heading.contains(column), "{heading}");
    }
    let row = text.lines().find(|line| line.starts_with("a ")).expect("a session");
    assert!(row.contains("2026-01-01") && row.contains("make the third value larger"), "{row}");
    let document = world.output("replay all --json --per-session");
    let document: Value = serde_json::from_str(&document).expect("JSON");
    assert_eq!(document["per_session"][0]["date"], "2026-01-01");
    assert_eq!(document["per_session"][0]["first_words"], "make the third value larger");
    world.output("replay all --report page.html");
    assert!(world.read("page.html").contains(">make the third value larger<"));
}

#[test]
fn rows_are_sorted_as_asked() {
    let world = world("sorted");
    world.write("all/d.json", session("0"));
    let names = |arguments: &str| {
        let text = world.output(&format!("replay all --per-session {arguments}"));
        let names: Vec<String> = rows(&text).iter().map(|row| (*row).to_owned()).collect();
        let at = names.iter().position(|name| name == "session").expect("a heading") + 1;
        names[at..at + 4].to_vec()
    };
    assert_eq!(names(""), ["a", "b", "c", "0"]);
    assert_eq!(names("--sort name"), ["0", "a", "b", "c"]);
    let text = world.output("replay all --sort cost --profile max --profile lossless");
    let costs: Vec<f64> = text
        .lines()
        .filter(|line| line.starts_with("max") || line.starts_with("lossless"))
        .filter_map(|line| line.split('$').nth(1)?.split_whitespace().next()?.parse().ok())
        .collect();
    assert_eq!(costs.len(), 2, "{text}");
    assert!(costs[0] <= costs[1], "{text}");
}

#[test]
fn prices_of_ones_own_are_used() {
    let world = world("prices");
    world.write(
        "free.json",
        r#"{"name": "free", "input": 0, "cache_write": 0, "cache_read": 0, "output": 0,
            "cache_lifetime_ms": null, "cache_minimum": 0}"#,
    );
    let text = world.output("replay all --prices free.json --profile balanced");
    assert!(text.contains("prices free,"), "{text}");
    assert!(text.ends_with("there is nothing to compare\n"), "{text}");
}

#[test]
fn the_report_is_one_page() {
    let world = world("page");
    world.output("replay all --report page.html");
    let page = world.read("page.html");
    assert!(page.starts_with("<!DOCTYPE html>"));
    for name in ["lossless", "balanced", "a/helper"] {
        assert!(page.contains(name), "{name}");
    }
}

/// A session whose recording tells what was billed: each prompt goes on from the one before, and
/// before the last two requests there is a pause of an hour.
fn billed_session() -> (String, u64, u64) {
    let mut session: Value = serde_json::from_str(&session("billed")).expect("JSON");
    let steps = session["steps"].as_array_mut().expect("steps");
    let count = steps.len();
    let (mut requests, mut prompt) = (0, 20_000);
    let mut sum = 0;
    for (at, step) in steps.iter_mut().enumerate() {
        if at + 2 >= count {
            step["timestamp"] = format!("2026-01-01T01:{at:02}:00Z").into();
        }
        if step["source"] != "agent" {
            continue;
        }
        let is_cold = requests == 0 || at + 2 == count;
        let read = if is_cold { 0 } else { prompt };
        prompt += 1_000;
        step["metrics"] = serde_json::json!({
            "prompt_tokens": prompt, "completion_tokens": 50, "cached_tokens": read,
            "extra": { "cache_creation_input_tokens": prompt - read },
        });
        requests += 1;
        sum += prompt;
    }
    (session.to_string(), requests, sum)
}

#[test]
fn a_recorded_bill_is_split_and_its_share_is_told() {
    let world = World::new("billed");
    let (session, requests, prompts) = billed_session();
    world.write("billed.json", session);
    // The session names no model.
    let text = world.output("replay billed.json --profile max --prices anthropic-5m");
    assert!(text.lines().any(|line| line.contains("vs raw") && line.contains("vs bill")), "{text}");
    assert!(text.contains("\nagain: the cache had expired"), "{text}");
    assert!(!text.contains("again: the client changed it"), "{text}");
    let last = text.lines().last().expect("a sentence");
    assert!(last.starts_with("against the billed input ($"), "{text}");

    let document: Value =
        serde_json::from_str(&world.output("replay billed.json --profile max --json"))
            .expect("JSON");
    let (raw, with) = (&document["raw"]["bill"], &document["profiles"][0]["bill"]);
    assert_eq!(raw["requests"], requests);
    assert_eq!(raw["input"]["tokens"], prompts);
    assert_eq!(raw["output"]["tokens"], 50 * requests);
    assert!(raw["expired"]["tokens"].as_u64() > Some(20_000), "{raw:#}");
    assert_eq!(raw["missed"]["tokens"], 0, "{raw:#}");
    assert!(raw.get("input_change").is_none(), "{raw:#}");
    // What is saved of the whole is less than what is saved of what was recorded.
    let of_bill = with["input_change"].as_f64().expect("a change");
    let of_messages = document["profiles"][0]["cost_change"].as_f64().expect("a change");
    assert!(of_messages < of_bill && of_bill < 0.0, "{of_messages} {of_bill}");

    // The cache of the first request after the hour could have been kept, but at a price.
    let warm = &document["keep_warm"];
    assert_eq!((&warm["pauses"], &warm["ends"]), (&Value::from(1), &Value::from(1)), "{warm:#}");
    assert_eq!(warm["at_most"][2]["refreshes"], 4, "{warm:#}");
    assert!(warm["at_most"][2]["saved"].as_f64() < Some(0.0), "{warm:#}");
    assert!(text.contains("\nas `keep_warm` decides"), "{text}");

    world.output("replay billed.json --profile max --report page.html");
    assert!(world.read("page.html").contains("again: the cache had expired"));
}

#[test]
fn what_hindsight_saves_is_told_with_the_share_of_each_profile() {
    let world = World::new("hindsight");
    world.write("billed.json", billed_session().0);
    let document: Value =
        serde_json::from_str(&world.output("replay billed.json --json")).expect("JSON");
    let rows = |name: &str| document[name].as_array().expect("rows").clone();
    let (profiles, oracles) = (rows("profiles"), rows("oracles"));
    let names: Vec<&str> = oracles.iter().filter_map(|oracle| oracle["profile"].as_str()).collect();
    assert_eq!(names, ["oracle", "oracle-rewriting", "oracle-look-once"]);
    let saved = |row: &Value| row["cost_change"].as_f64().expect("a change");
    for profile in profiles.iter().take(4) {
        for (name, oracle) in names.iter().zip(&oracles) {
            let share = profile["oracle_shares"][name].as_f64().expect("a share");
            let whole = saved(profile) / saved(oracle);
            assert!((share - whole).abs() < 0.01 && share > 0.0, "{name}: {share} {whole}");
        }
    }
}

/// A session in which a program ran often, with a thought before each run and a long pause.
fn thoughtful_session(model: &str) -> String {
    let run = |at: usize| {
        let output: String = (0..300).map(|line| format!("line {line} of run {at}\n")).collect();
        let minute = if at == 11 { 40 } else { at };
        json!({"source": "agent", "message": "I run it.", "reasoning_content": "It may work.",
            "timestamp": format!("2026-01-01T00:{minute:02}:00Z"), "model_name": model,
            "tool_calls": [{"tool_call_id": format!("c{at}"), "function_name": "Bash",
                "arguments": {"command": format!("./run {at}")}}],
            "observation": {"results": [{"source_call_id": format!("c{at}"), "content": output}]}})
    };
    let task = json!({"source": "user", "message": "Run it.", "timestamp": "2026-01-01T00:00:00Z"});
    let mut steps: Vec<Value> = std::iter::once(task).chain((0..12).map(run)).collect();
    for (at, step) in steps.iter_mut().enumerate() {
        step["step_id"] = json!(at + 1);
    }
    json!({"schema_version": "ATIF-v1.7", "session_id": "thoughts", "steps": steps,
        "agent": {"name": "Claude Code", "version": "2", "model_name": model}})
    .to_string()
}

#[test]
fn models_that_bind_their_thinking_get_no_rewrites() {
    let world = World::new("replay-thinking");
    world.write("older.json", thoughtful_session("claude-opus-4-5"));
    world.write("newer.json", thoughtful_session("claude-fable-5-1"));
    let rewrites = |arguments: &str| {
        let text = world.output(&format!("replay {arguments} --profile balanced --json"));
        let document: Value = serde_json::from_str(&text).expect("JSON");
        document["profiles"][0]["rewrites"].as_u64().expect("a number")
    };
    assert!(rewrites("older.json") > 0);
    assert_eq!(rewrites("newer.json"), 0);
    assert_eq!(rewrites("older.json --model claude-opus-5-5"), 0);
    assert!(rewrites("newer.json --model claude-opus-4-5") > 0);
    let text = world.output("replay older.json --model gpt-5.4 --profile balanced");
    assert!(text.contains("prices openai-before"), "{text}");
}

/// A session in which `call` shows a JSON file, of which an edit then quotes two lines.
fn json_edit_session(call: &Value) -> String {
    let file = "{\n  \"task\": \"T-1\",\n  \"summary\": {\n    \"objective\": \"the fix works in all places\",\n    \
                \"verdict\": \"approved\",\n    \"changes\": [\n      \"first change\",\n      \"second change\"\n    ]\n  }\n}";
    let old = "    \"verdict\": \"approved\",\n    \"changes\": [";
    let edit = json!({"path": "a.json", "oldText": old, "newText": old.replace("app", "dis")});
    let message = |id: u32, message: Value| {
        let parent = id.checked_sub(1).map(|before| format!("{before:08}"));
        json!({"type": "message", "id": format!("{id:08}"), "parentId": parent,
               "timestamp": format!("2026-06-01T10:00:{id:02}Z"), "message": message})
    };
    let result = |call: &str, text: &str| {
        json!({"role": "toolResult", "toolCallId": call,
               "content": [{"type": "text", "text": text}]})
    };
    let lines = [
        json!({"type": "session", "version": 3, "id": call["name"], "cwd": "/w",
               "timestamp": "2026-06-01T10:00:00Z"}),
        message(0, json!({"role": "user", "content": [{"type": "text", "text": "change it"}]})),
        message(1, json!({"role": "assistant", "content": [call]})),
        message(2, result("c1", file)),
        message(
            3,
            json!({"role": "assistant", "content": [
            {"type": "toolCall", "id": "c2", "name": "edit", "arguments": edit}]}),
        ),
        message(4, result("c2", "ok")),
        message(5, json!({"role": "assistant", "content": [{"type": "text", "text": "done"}]})),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

#[test]
fn an_edit_can_quote_json_whatever_showed_it() {
    let world = World::new("json-edit");
    let calls = [
        ("bash", json!({"command": "git show HEAD:a.json"})),
        ("bash", json!({"command": "node tool.cjs get a.json"})),
        ("bash", json!({"command": "cat a.json"})),
        ("get_file_contents", json!({"path": "a.json"})),
        ("mcp__filesystem__read_text_file", json!({"path": "a.json"})),
        ("store_read", json!({"task": "T-1"})),
    ];
    for (at, (name, arguments)) in calls.iter().enumerate() {
        let call = json!({"type": "toolCall", "id": "c1", "name": name, "arguments": arguments});
        world.write(&format!("json/{at}.jsonl"), json_edit_session(&call));
    }
    let text = world.output("replay json --json");
    let document: Value = serde_json::from_str(&text).expect("JSON");
    let raw = document["raw"]["dollars"].as_f64().expect("a cost");
    for row in document["profiles"].as_array().expect("profiles") {
        let name = row["profile"].as_str().expect("a name");
        if ["lossless", "balanced", "max", "curated"].contains(&name) {
            assert_eq!(row["evidence"]["ratio"], 1.0, "{name}");
            assert!(row["dollars"].as_f64().expect("a cost") <= raw, "{name} is dearer");
        }
    }
}

#[test]
fn a_bare_list_of_messages_is_replayed_with_the_text_of_its_parts() {
    let world = World::new("bare-list");
    let printed = "print(1)\n".repeat(200);
    let messages = |result: Value| {
        json!([
            {"role": "user", "content": "fix it"},
            {"role": "assistant", "content": "look", "tool_calls": [{"id": "c1",
             "type": "function", "function": {"name": "bash", "arguments": "{\"command\":\"cat a.py\"}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": result},
            {"role": "assistant", "content": "done"}
        ])
    };
    let part = json!([{"type": "tool_output", "text": &printed}]);
    world.write("wrapped/a.json", json!({"messages": messages(json!(&printed))}).to_string());
    world.write("list/a.json", messages(json!(&printed)).to_string());
    world.write("part/a.json", json!({"messages": messages(part)}).to_string());
    let tokens = |folder: &str| -> u64 {
        let text = world.output(&format!("replay {folder} --json --profile balanced"));
        let document: Value = serde_json::from_str(&text).expect("JSON");
        document["raw"]["tokens"].as_u64().expect("tokens")
    };
    let wrapped = tokens("wrapped");
    assert!(wrapped > 200, "{wrapped} tokens");
    assert_eq!([tokens("list"), tokens("part")], [wrapped; 2]);
}
