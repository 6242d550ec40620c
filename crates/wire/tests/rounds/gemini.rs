//! Gemini.

use foveal_wire::Protocol;
use foveal_wire::body::{Answered, Body, Hidden, going_on, inserted, recalls, restored};
use foveal_wire::response::{AnswerReader, RoundDocument, RoundStream, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

const API: Protocol = Protocol::Gemini;

fn call(name: &str, key: &str) -> Value {
    json!({"functionCall": {"name": name, "args": {"handle": key, "start": 1}},
           "thoughtSignature": format!("s{key}")})
}

fn thinks(text: &str) -> Value {
    json!({"text": text, "thought": true})
}

fn chunk(number: u64, parts: &[Value], reason: Option<&str>) -> Value {
    let mut candidate = json!({"content": {"role": "model", "parts": parts}, "index": 0});
    let mut usage = json!({"promptTokenCount": 10 * number, "totalTokenCount": 10 * number,
        "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 10 * number}]});
    if let Some(reason) = reason {
        candidate["finishReason"] = json!(reason);
        usage["candidatesTokenCount"] = json!(number);
        usage["totalTokenCount"] = json!(11 * number);
    }
    json!({"candidates": [candidate], "usageMetadata": usage, "responseId": format!("r{number}")})
}

/// The texts of these parts in pieces.
fn pieces_of(parts: &[Value]) -> Vec<Value> {
    let mut pieces = Vec::new();
    for part in parts {
        let text = part["text"].as_str().unwrap_or_default();
        let half = text.char_indices().nth(text.chars().count() / 2).map_or(0, |(at, _)| at);
        if half == 0 {
            pieces.push(part.clone());
            continue;
        }
        for piece in [&text[..half], &text[half..]] {
            let mut part = part.clone();
            part["text"] = json!(piece);
            pieces.push(part);
        }
    }
    pieces
}

fn stream(number: u64, parts: &[Value], reason: &str) -> String {
    let mut all: Vec<Value> = pieces_of(parts)
        .iter()
        .map(|part| chunk(number, std::slice::from_ref(part), None))
        .collect();
    all.push(chunk(number, &[], Some(reason)));
    all.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect()
}

/// Texts of the same kind that follow each other as one, as clients have them.
fn joined(parts: &[Value]) -> Vec<Value> {
    let mut all: Vec<Value> = Vec::new();
    for part in parts {
        match all.last_mut() {
            Some(last)
                if last["text"].is_string()
                    && part["text"].is_string()
                    && last["thought"] == part["thought"] =>
            {
                let both = last["text"].as_str().expect("a text").to_owned()
                    + part["text"].as_str().expect("a text");
                last["text"] = json!(both);
            }
            _ => all.push(part.clone()),
        }
    }
    all.retain(|part| part["text"] != "");
    all
}

/// What a client makes of a stream: its parts, and the last chunk.
fn accumulated(stream: &str) -> (Vec<Value>, Value) {
    let (mut parts, mut last) = (Vec::new(), Value::Null);
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let chunk: Value = serde_json::from_str(line).expect("as it was made");
        assert_eq!(chunk["responseId"], "r1", "{stream}");
        assert!(last["candidates"][0]["finishReason"].is_null(), "one end: {stream}");
        parts.extend(
            chunk["candidates"][0]["content"]["parts"].as_array().expect("parts").iter().cloned(),
        );
        last = chunk;
    }
    (joined(&parts), last)
}

fn answered(turn: &Turn) -> Vec<Answered> {
    let calls = turn.calls.iter().cloned();
    calls.map(|called| Answered { called, text: "back".to_owned(), is_error: false }).collect()
}

fn contents(bytes: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(bytes).expect("as it was made");
    body["contents"].as_array().expect("as it was made").clone()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "parts": [{"text": text}]})
}

proptest! {
    #[test]
    fn what_is_none_of_the_tools_passes_byte_for_byte(
        text in ".{0,20}",
        own in 0usize..3,
        pieces in 1usize..300,
    ) {
        let calls = (0..own).map(|at| call("read", &format!("r{at}")));
        let parts: Vec<Value> =
            [thinks("hm"), json!({"text": text})].into_iter().chain(calls).collect();
        let bytes = stream(1, &parts, "STOP");
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
        thinking in proptest::collection::vec(any::<bool>(), 5),
        hidden in proptest::collection::vec(1usize..3, 5),
        own in 0usize..3,
        is_list in any::<bool>(),
        pieces in 1usize..400,
    ) {
        let last = texts.len() - 1;
        let (mut merged, mut documents) = (RoundStream::new(API), RoundDocument::new(API));
        let (mut out, mut turns) = (Vec::new(), Vec::new());
        // Something is said at the end: else nothing can be put in front of it.
        let said = |at: usize| if at == last { texts[at].clone() + "." } else { texts[at].clone() };
        for at in 0..texts.len() {
            let number = at as u64 + 1;
            let mut parts: Vec<Value> =
                thinking[at].then(|| thinks(&format!("think {at}"))).into_iter().collect();
            parts.push(json!({"text": said(at)}));
            parts.extend(match at == last {
                true => (0..own).map(|at| call("read", &format!("r{at}"))).collect::<Vec<_>>(),
                false => (0..hidden[at])
                    .map(|one| call("foveal_expand", &format!("t{at}{one}")))
                    .collect(),
            });
            if at > 0 {
                merged.next();
                documents.next();
            }
            for piece in stream(number, &parts, "STOP").as_bytes().chunks(pieces) {
                merged.push(piece, &mut out);
            }
            prop_assert!(merged.ended().is_none(), "a stream ends where it ends");
            merged.close(&mut out);
            let turn = merged.ended().expect("as it was made");
            let document = match is_list {
                true => json!([
                    chunk(number, &parts, None), chunk(number, &[], Some("STOP")),
                ]),
                false => chunk(number, &parts, Some("STOP")),
            };
            let bytes = document.to_string().into_bytes();
            prop_assert_eq!(&documents.take(bytes).expect("as it was made"), &turn);
            prop_assert_eq!(turn.waits, at < last);
            turns.push(turn);
        }
        merged.release(false, &mut out);
        merged.finish(&mut out);
        let out = String::from_utf8(out).expect("as it was made");
        prop_assert!(!out.contains("foveal_expand"), "{}", out);
        let (parts, end) = accumulated(&out);
        let told: Value = serde_json::from_slice(&documents.told(false)).expect("as it was made");
        let told = if is_list { told[0].clone() } else { told };
        let own = told["candidates"][0]["content"]["parts"].as_array().expect("parts");
        prop_assert_eq!(&joined(own), &parts);
        prop_assert_eq!(&told["usageMetadata"], &end["usageMetadata"]);
        prop_assert_eq!(&told["responseId"], "r1");
        let sum: u64 = (1..=texts.len() as u64).sum();
        prop_assert_eq!(&end["usageMetadata"]["totalTokenCount"], &json!(11 * sum));
        let details = &end["usageMetadata"]["promptTokensDetails"][0]["tokenCount"];
        prop_assert_eq!(details, &json!(10 * sum));
        let mut reader = AnswerReader::new(API, Some("text/event-stream"), 200);
        reader.push(out.as_bytes());
        prop_assert_eq!(reader.finish().billed.prompt(), Some(10 * sum));
        check_restored(&parts, own, &turns)?;
    }
}

/// What was hidden stands in the next request where it stood, whether or not the client joins texts
/// and keeps thoughts.
fn check_restored(parts: &[Value], apart: &[Value], turns: &[Turn]) -> Result<(), TestCaseError> {
    let mut followed = json!({"contents": [user("hi")]}).to_string().into_bytes();
    for turn in &turns[..turns.len() - 1] {
        let body = Body::scan(API, &followed).expect("as it was made");
        let said = turn.said.as_ref().expect("as it was made");
        followed = going_on(&body, &followed, said, &answered(turn));
    }
    let hidden: Vec<Hidden> = turns
        .iter()
        .map(|turn| Hidden { shown: turn.shown.clone(), calls: answered(turn) })
        .collect();
    let spoken: Vec<Value> =
        parts.iter().filter(|part| part["thought"].is_null()).cloned().collect();
    for own in [parts.to_vec(), apart.to_vec(), joined(&spoken)] {
        for is_role_first in [true, false] {
            let answer = match is_role_first {
                true => json!({"role": "model", "parts": own}),
                false => json!({"parts": own, "role": "model"}),
            };
            let calls = own.iter().filter(|part| part["functionCall"].is_object()).count();
            let result = json!({"functionResponse": {"name": "read", "response": {"output": "r"}}});
            let results = json!({"role": "user", "parts": vec![result; calls]});
            let next = [user("hi"), answer, if calls > 0 { results } else { user("on") }];
            let next = json!({ "contents": next }).to_string().into_bytes();
            let body = Body::scan(API, &next).expect("as it was made");
            let Some(insertions) = restored(&body, &next, 1, &hidden) else {
                return Err(TestCaseError::fail(String::from_utf8_lossy(&next).into_owned()));
            };
            let known: Vec<String> = turns.iter().flat_map(|turn| turn.shown.clone()).collect();
            prop_assert!(recalls(&body, &next, 1, &known));
            let all = inserted(&next, insertions);
            let (now, before) = (contents(&all), contents(&followed));
            prop_assert_eq!(now.len(), before.len() + 2);
            for (now, before) in now.iter().zip(&before) {
                let parts = |content: &Value| -> Vec<Value> {
                    let mut parts = joined(content["parts"].as_array().expect("parts"));
                    parts.retain(|part| part["thought"].is_null());
                    joined(&parts)
                };
                prop_assert_eq!(&now["role"], &before["role"]);
                prop_assert_eq!(parts(now), parts(before));
            }
            let all = String::from_utf8(all).expect("as it was made");
            prop_assert_eq!(all.matches("\"role\":").count(), now.len(), "{}", all);
            let empty = own.iter().filter(|part| part["text"] == "").count();
            let all_empty = all.matches("{\"text\":\"\"}").count();
            prop_assert!(all_empty <= empty, "{}", all);
        }
    }
    Ok(())
}

#[test]
fn a_turn_that_calls_the_clients_tools_too_shows_these_alone() {
    let parts = [
        json!({"text": "both"}),
        call("read", "a"),
        call("foveal_expand", "b"),
        call("read", "c"),
        call("foveal_expand", "d"),
    ];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &parts, "STOP").as_bytes(), &mut out);
    merged.close(&mut out);
    let turn = merged.ended().expect("as it was made");
    assert!(turn.waits_for_client && !turn.waits);
    merged.release(false, &mut out);
    let (own, _) = accumulated(std::str::from_utf8(&out).expect("as it was made"));
    assert_eq!(own, [parts[0].clone(), parts[1].clone(), parts[3].clone()]);
    let hidden = [Hidden { shown: turn.shown.clone(), calls: answered(&turn) }];
    let result = json!({"functionResponse": {"name": "read", "response": {"output": "r"}}});
    let results = json!({"role": "user", "parts": [result, result]});
    // Another spelling of the same arguments.
    let own = json!(own).to_string().replace("\"start\":1", "\"start\":1.0");
    let next =
        format!(r#"{{"contents":[{},{{"role":"model","parts":{own}}},{results}]}}"#, user("hi"));
    let body = Body::scan(API, next.as_bytes()).expect("as it was made");
    let all = restored(&body, next.as_bytes(), 1, &hidden).expect("it is the same");
    let all = contents(&inserted(next.as_bytes(), all));
    let names = |content: &Value, key: &str| -> Vec<String> {
        let parts = content["parts"].as_array().expect("parts").iter();
        parts.filter_map(|part| Some(part[key]["name"].as_str()?.to_owned())).collect()
    };
    let expected = ["read", "foveal_expand", "read", "foveal_expand"];
    assert_eq!(names(&all[1], "functionCall"), expected);
    assert_eq!(names(&all[2], "functionResponse"), expected);
    let other = next.replace("both", "bath");
    let body = Body::scan(API, other.as_bytes()).expect("as it was made");
    assert_eq!(restored(&body, other.as_bytes(), 1, &hidden), None);
}

#[test]
fn a_call_within_a_text_is_put_back_within_it() {
    let parts = [
        json!({"text": "one "}),
        call("foveal_expand", "a"),
        call("foveal_expand", "b"),
        json!({"text": "two"}),
        call("read", "c"),
    ];
    let turn = RoundDocument::new(API)
        .take(chunk(1, &parts, Some("STOP")).to_string().into_bytes())
        .expect("a turn");
    let hidden = [Hidden { shown: turn.shown.clone(), calls: answered(&turn) }];
    let result = json!({"functionResponse": {"name": "read", "response": {"output": "r"}}});
    let own = json!([{"text": "one two"}, parts[4]]);
    let next = json!({"contents": [user("hi"), {"role": "model", "parts": own},
                                   {"role": "user", "parts": [result]}]});
    let next = next.to_string().into_bytes();
    let body = Body::scan(API, &next).expect("as it was made");
    let all = restored(&body, &next, 1, &hidden).expect("it is the same");
    assert_eq!(contents(&inserted(&next, all))[1]["parts"], json!(parts));
}

#[test]
fn a_turn_that_was_cut_short_gets_nothing_back() {
    let parts = [json!({"text": "hm"}), call("foveal_expand", "a")];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &parts, "MAX_TOKENS").as_bytes(), &mut out);
    merged.close(&mut out);
    let turn = merged.ended().expect("it ended");
    assert!(!turn.waits && !turn.waits_for_client && turn.calls.len() == 1);
    merged.release(false, &mut out);
    let (own, end) = accumulated(std::str::from_utf8(&out).expect("text"));
    assert_eq!(own, [parts[0].clone()]);
    assert_eq!(end["candidates"][0]["finishReason"], "MAX_TOKENS");
}
