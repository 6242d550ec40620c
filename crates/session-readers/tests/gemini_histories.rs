//! Rewritten histories of Gemini CLI: when it replaces old outputs by shorter texts, it appends all
//! messages again under new ids, and then sets them.

use foveal_session_readers::{SessionFormat, read_all_sessions};
use foveal_testkit::session_text::render_session;
use serde_json::{Value, json};

const TIME: &str = "2026-01-02T03:04:05.000Z";

fn header() -> Value {
    json!({"sessionId": "g1", "projectHash": "aa", "startTime": TIME, "kind": "main"})
}

fn user(id: &str, text: &str) -> Value {
    json!({"id": id, "timestamp": TIME, "type": "user", "content": [{"text": text}]})
}

/// Returns an answer with a completed call, and the message with its results.
fn turn(id: &str, call: &str) -> Vec<Value> {
    let result = json!([{"functionResponse": {"id": call, "name": "read_file",
        "response": {"output": format!("all of {call}")}}}]);
    let mut answer = answer(id, "");
    let done = json!({"id": call, "name": "read_file", "args": {"file_path": call},
        "status": "success", "result": result});
    answer["toolCalls"] = json!([done]);
    vec![
        answer,
        json!({"id": format!("r{id}"), "timestamp": TIME, "type": "user", "content": result}),
    ]
}

fn answer(id: &str, text: &str) -> Value {
    json!({"id": id, "timestamp": TIME, "type": "gemini", "content": text, "model": "gemini-3-pro",
        "tokens": {"input": 900, "output": 20, "cached": 0}})
}

/// Returns messages as Gemini CLI appends them again: as parts, without usage.
fn written_again(messages: &[Value]) -> Vec<Value> {
    let again = |(at, message): (usize, &Value)| {
        let mut content = message["content"].clone();
        if let Value::String(text) = &content {
            content = json!([{"text": text}]);
        }
        if let Some(call) = message["toolCalls"].get(0) {
            let made = json!({"id": call["id"], "name": call["name"], "args": call["args"]});
            content = json!([{"functionCall": made}]);
        }
        if let Some(result) = content.pointer_mut("/0/functionResponse/response") {
            *result = json!({"output": "<tool_output_masked>"});
        }
        json!({"id": format!("n{at}"), "timestamp": TIME, "type": message["type"], "content": content})
    };
    messages.iter().enumerate().map(again).collect()
}

fn read(records: &[Value]) -> String {
    let text: String = records.iter().map(|record| format!("{record}\n")).collect();
    let (sessions, problems) =
        read_all_sessions(SessionFormat::GeminiCli, "sample", text.as_bytes()).expect("it reads");
    let problems = problems.iter().map(|problem| format!("problem {problem}\n"));
    sessions.iter().map(render_session).chain(problems).collect()
}

fn messages() -> Vec<Value> {
    let mut messages = vec![user("m0", "mend it")];
    messages.extend(turn("m1", "c1"));
    messages.extend(turn("m2", "c2"));
    messages.push(answer("m3", "Mended."));
    messages.push(user("m4", "go on"));
    messages.extend(turn("m5", "c3"));
    messages
}

#[test]
fn a_history_written_again_is_the_same_history() {
    let mut plain = vec![header()];
    plain.extend(messages());
    let before = plain.clone();
    let later = [turn("m8", "c4"), vec![answer("m9", "Done.")]].concat();
    plain.extend(later.clone());

    let again = written_again(&messages());
    let mut masked = before;
    masked.extend(again.clone());
    masked.push(json!({"$set": {"messages": again, "lastUpdated": TIME}}));
    // A second rewrite, of the rewritten messages.
    let mut twice = masked.clone();
    let third: Vec<Value> = again
        .iter()
        .enumerate()
        .map(|(at, message)| {
            let mut message = message.clone();
            message["id"] = format!("t{at}").into();
            message
        })
        .collect();
    twice.extend(third.clone());
    twice.push(json!({"$set": {"messages": third, "lastUpdated": TIME}}));
    for mut records in [masked, twice] {
        records.extend(later.clone());
        assert_eq!(read(&records), read(&plain));
        // Later `$set` records name the new ids.
        let last = records.iter().rposition(|record| record["id"] == "m8").expect("it is there");
        let kept: Vec<Value> = records[..last]
            .iter()
            .rev()
            .find_map(|record| record["$set"]["messages"].as_array().cloned())
            .expect("one was set");
        let all = [kept, later.clone()].concat();
        records.push(json!({"$set": {"messages": all}}));
        assert_eq!(read(&records), read(&plain));
    }
}

#[test]
fn a_summary_that_is_appended_first_is_a_compaction() {
    let mut records = vec![header()];
    records.extend(messages());
    let summary = written_again(&[user("", "a summary of it all"), answer("", "Got it.")]);
    records.extend(summary.clone());
    records.push(json!({"$set": {"messages": summary}}));
    records.push(answer("m9", "Done."));
    let told = read(&records);
    assert_eq!(told.matches(" assistant ").count(), 5, "{told}");
    assert!(told.contains("[compact"), "{told}");
    assert!(!told.contains("problem"), "{told}");
}
