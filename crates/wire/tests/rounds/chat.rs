//! OpenAI's Chat Completions.

use foveal_wire::Protocol;
use foveal_wire::body::{Answered, Body, Hidden, going_on, inserted, restored};
use foveal_wire::response::{AnswerReader, RoundDocument, RoundStream, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

const API: Protocol = Protocol::Chat;

fn call(name: &str, id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"handle\":\"0123456789ab\"}"}})
}

fn usage(number: u64) -> Value {
    json!({"prompt_tokens": 10 * number, "completion_tokens": number, "total_tokens": 11 * number,
           "prompt_tokens_details": {"cached_tokens": number}})
}

fn document(number: u64, text: &str, calls: &[Value], reason: &str) -> Value {
    let content = if text.is_empty() { Value::Null } else { json!(text) };
    let mut message = json!({"role": "assistant", "content": content});
    if !calls.is_empty() {
        message["tool_calls"] = json!(calls);
    }
    json!({"id": format!("c{number}"), "object": "chat.completion", "created": number, "model": "m",
           "choices": [{"index": 0, "message": message, "finish_reason": reason}],
           "usage": usage(number)})
}

fn stream(number: u64, text: &str, calls: &[Value], reason: &str, is_done: bool) -> String {
    let chunk = |delta: Value, reason: Value| {
        let chunk = json!({
            "id": format!("c{number}"), "object": "chat.completion.chunk", "created": number,
            "model": "m", "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
            "usage": null,
        });
        format!("data: {chunk}\n\n")
    };
    let mut all = chunk(json!({"role": "assistant", "content": ""}), Value::Null);
    let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
    for part in [&text[..half], &text[half..]] {
        if !part.is_empty() {
            all.push_str(&chunk(json!({"content": part}), Value::Null));
        }
    }
    for (index, call) in calls.iter().enumerate() {
        let mut first = call.clone();
        first["index"] = json!(index);
        let arguments = call["function"]["arguments"].as_str().expect("as it was made");
        first["function"]["arguments"] = json!(&arguments[..4]);
        all.push_str(&chunk(json!({"tool_calls": [first]}), Value::Null));
        let rest = json!({"index": index, "function": {"arguments": &arguments[4..]}});
        all.push_str(&chunk(json!({"tool_calls": [rest]}), Value::Null));
    }
    all.push_str(&chunk(json!({}), json!(reason)));
    let last = json!({"id": format!("c{number}"), "object": "chat.completion.chunk",
                      "created": number, "model": "m", "choices": [], "usage": usage(number)});
    all.push_str(&format!("data: {last}\n\n"));
    all + if is_done { "data: [DONE]\n\n" } else { "" }
}

/// What a client makes of a stream, in the form of a document.
fn accumulated(stream: &str) -> Value {
    let (mut text, mut calls, mut first) = (String::new(), Vec::<Value>::new(), Value::Null);
    let (mut usage, mut reason) = (Value::Null, Value::Null);
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if line == "[DONE]" {
            continue;
        }
        let chunk: Value = serde_json::from_str(line).expect("as it was made");
        if first.is_null() {
            first = chunk.clone();
        }
        assert_eq!((&chunk["id"], &chunk["created"]), (&first["id"], &first["created"]));
        if chunk["usage"].is_object() {
            assert!(usage.is_null(), "one usage: {stream}");
            usage = chunk["usage"].clone();
        }
        let Some(choice) = chunk["choices"].get(0) else { continue };
        assert!(chunk == first || choice["delta"]["role"].is_null(), "one start: {stream}");
        text.push_str(choice["delta"]["content"].as_str().unwrap_or_default());
        for part in choice["delta"]["tool_calls"].as_array().into_iter().flatten() {
            let at = part["index"].as_u64().expect("as it was made") as usize;
            if at == calls.len() {
                let mut call = part.clone();
                call.as_object_mut().expect("as it was made").shift_remove("index");
                calls.push(call);
            } else {
                let own = &mut calls[at]["function"]["arguments"];
                let more = part["function"]["arguments"].as_str().expect("as it was made");
                *own = json!(own.as_str().expect("as it was made").to_owned() + more);
            }
        }
        if !choice["finish_reason"].is_null() {
            assert!(reason.is_null(), "one end: {stream}");
            reason = choice["finish_reason"].clone();
        }
    }
    let mut document = document(1, &text, &calls, reason.as_str().expect("as it was made"));
    document["usage"] = usage;
    document
}

fn answered(turn: &Turn) -> Vec<Answered> {
    let calls = turn.calls.iter().cloned();
    calls.map(|called| Answered { called, text: "back".to_owned(), is_error: false }).collect()
}

proptest! {
    #[test]
    fn what_is_none_of_the_tools_passes_byte_for_byte(
        text in ".{0,20}",
        own in 0usize..3,
        is_done in any::<bool>(),
        pieces in 1usize..200,
    ) {
        let calls: Vec<Value> = (0..own).map(|at| call("read", &format!("r{at}"))).collect();
        let bytes = stream(1, &text, &calls, "tool_calls", is_done);
        let mut merged = RoundStream::new(API);
        let mut out = Vec::new();
        for piece in bytes.as_bytes().chunks(pieces) {
            merged.push(piece, &mut out);
        }
        merged.close(&mut out);
        prop_assert!(merged.ended().is_none());
        merged.finish(&mut out);
        prop_assert_eq!(String::from_utf8(out).expect("as it was made"), bytes);
    }

    #[test]
    fn a_stream_says_what_a_document_says(
        texts in proptest::collection::vec("[ -~äß😀\\n\"\\\\]{0,9}", 2..5),
        own in 0usize..3,
        is_done in any::<bool>(),
        pieces in 1usize..400,
    ) {
        let last = texts.len() - 1;
        let mut merged = RoundStream::new(API);
        let mut documents = RoundDocument::new(API);
        let (mut out, mut turns) = (Vec::new(), Vec::new());
        for (at, text) in texts.iter().enumerate() {
            let number = at as u64 + 1;
            let (calls, reason) = match at == last {
                true => ((0..own).map(|at| call("read", &format!("r{at}"))).collect(), "stop"),
                false => (vec![call("foveal_expand", &format!("t{at}"))], "tool_calls"),
            };
            if at > 0 {
                merged.next();
                documents.next();
            }
            for piece in stream(number, text, &calls, reason, is_done).as_bytes().chunks(pieces) {
                merged.push(piece, &mut out);
            }
            merged.close(&mut out);
            let turn = merged.ended().expect("as it was made");
            let bytes = document(number, text, &calls, reason).to_string().into_bytes();
            prop_assert_eq!(&documents.take(bytes).expect("as it was made"), &turn);
            prop_assert_eq!(turn.waits, at < last);
            turns.push(turn);
        }
        merged.release(false, &mut out);
        merged.finish(&mut out);
        let out = String::from_utf8(out).expect("as it was made");
        let whole = accumulated(&out);
        let told: Value = serde_json::from_slice(&documents.told(false)).expect("as it was made");
        prop_assert_eq!(&whole, &told);
        let message = &whole["choices"][0]["message"];
        prop_assert_eq!(message["content"].as_str().unwrap_or_default(), texts.concat());
        let sum: u64 = (1..=texts.len() as u64).sum();
        prop_assert_eq!(whole["usage"]["total_tokens"].as_u64(), Some(11 * sum));
        let mut reader = AnswerReader::new(API, Some("text/event-stream"), 200);
        reader.push(out.as_bytes());
        prop_assert_eq!(reader.finish().billed.prompt(), Some(10 * sum));
        check_restored(message, &turns)?;
    }
}

/// What was hidden stands in the next request where it stood.
fn check_restored(message: &Value, turns: &[Turn]) -> Result<(), TestCaseError> {
    let ask = json!({"messages": [{"role": "user", "content": "hi"}]}).to_string();
    let mut followed = ask.into_bytes();
    for turn in &turns[..turns.len() - 1] {
        let body = Body::scan(API, &followed).expect("as it was made");
        followed = going_on(
            &body,
            &followed,
            turn.said.as_ref().expect("as it was made"),
            &answered(turn),
        );
    }
    let hidden: Vec<Hidden> = turns
        .iter()
        .map(|turn| Hidden { shown: turn.shown.clone(), calls: answered(turn) })
        .collect();
    let mut other = json!({"content": message["content"]});
    other["role"] = json!("assistant");
    if !message["tool_calls"].is_null() {
        other["tool_calls"] = message["tool_calls"].clone();
    }
    for answer in [message.clone(), other] {
        let messages =
            json!([{"role": "user", "content": "hi"}, answer, {"role": "user", "content": "on"}]);
        let next = json!({ "messages": messages }).to_string().into_bytes();
        let body = Body::scan(API, &next).expect("as it was made");
        let Some(insertions) = restored(&body, &next, 1, &hidden) else {
            return Err(TestCaseError::fail(String::from_utf8_lossy(&next).into_owned()));
        };
        let all = inserted(&next, insertions);
        let whole: Value = serde_json::from_slice(&all).expect("as it was made");
        let before: Value = serde_json::from_slice(&followed).expect("as it was made");
        let before = before["messages"].as_array().expect("as it was made");
        let now = whole["messages"].as_array().expect("as it was made");
        prop_assert_eq!(&now[..before.len()], &before[..]);
        prop_assert_eq!(now.len(), before.len() + 2);
        // Also where a member comes twice, of which a value has one.
        let all = String::from_utf8(all).expect("as it was made");
        prop_assert_eq!(all.matches("\"role\":").count(), now.len(), "{}", all);
    }
    Ok(())
}

#[test]
fn a_turn_that_calls_the_clients_tools_too_shows_these_alone() {
    let calls = [call("read", "t1"), call("foveal_expand", "t2"), call("read", "t3")];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, "both", &calls, "tool_calls", true).as_bytes(), &mut out);
    let turn = merged.ended().expect("as it was made");
    assert!(turn.waits_for_client && !turn.waits);
    merged.release(false, &mut out);
    let message = accumulated(std::str::from_utf8(&out).expect("as it was made"));
    let message = &message["choices"][0]["message"];
    assert_eq!(message["tool_calls"], json!([calls[0], calls[2]]));
    let hidden = [Hidden { shown: turn.shown.clone(), calls: answered(&turn) }];
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "r"});
    let messages = json!([
        {"role": "user", "content": "hi"}, message, result("t1"), result("t3"),
        {"role": "user", "content": "on"},
    ]);
    let next = json!({ "messages": messages }).to_string().into_bytes();
    let body = Body::scan(API, &next).expect("as it was made");
    let whole = inserted(&next, restored(&body, &next, 1, &hidden).expect("as it was made"));
    let whole: Value = serde_json::from_slice(&whole).expect("as it was made");
    assert_eq!(whole["messages"][1]["tool_calls"], json!(calls));
    let ids: Vec<&str> = whole["messages"]
        .as_array()
        .expect("as it was made")
        .iter()
        .filter_map(|message| message["tool_call_id"].as_str())
        .collect();
    assert_eq!(ids, ["t1", "t2", "t3"]);
    let other = String::from_utf8(next).expect("as it was made").replace("both", "bath");
    let body = Body::scan(API, other.as_bytes()).expect("as it was made");
    assert_eq!(restored(&body, other.as_bytes(), 1, &hidden), None);
}

#[test]
fn characters_that_are_cut_in_two_come_back_whole() {
    let chunk = |delta: &str, reason: &str| {
        format!(
            "data: {{\"id\":\"c\",\"choices\":[{{\"index\":0,\"delta\":{delta},\"finish_reason\":{reason}}}]}}\n\n"
        )
    };
    let call = r#"{"index":0,"id":"t1","function":{"name":"foveal_expand","arguments":"{\"a\":\"\ud83d"}}"#;
    let rest = r#"{"index":0,"function":{"arguments":"\ude00 \ud83d\"}"}}"#;
    let stream = [
        chunk(r#"{"content":"look \ud83d"}"#, "null"),
        chunk(r#"{"content":"\ude00!"}"#, "null"),
        chunk(&format!(r#"{{"tool_calls":[{call}]}}"#), "null"),
        chunk(&format!(r#"{{"tool_calls":[{rest}]}}"#), "null"),
        chunk("{}", r#""tool_calls""#),
        "data: [DONE]\n\n".to_owned(),
    ];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream.concat().as_bytes(), &mut out);
    let shown = String::from_utf8(out).expect("text");
    assert!(!shown.contains("foveal_expand") && shown.contains(r"look \ud83d"), "{shown}");
    let turn = merged.ended().expect("it has ended");
    assert_eq!(turn.calls[0].input, "{\"a\":\"😀 \\ud83d\"}");
    let said = String::from_utf8(turn.said.expect("it is known")).expect("text");
    assert!(said.contains("look 😀!"), "{said}");
}
