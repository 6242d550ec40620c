//! OpenAI's Responses.

use foveal_wire::Protocol;
use foveal_wire::body::{Answered, Body, Hidden, going_on, inserted, recalls, restored};
use foveal_wire::response::{AnswerReader, RoundDocument, RoundStream, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

const API: Protocol = Protocol::Responses;

fn call(name: &str, id: &str) -> Value {
    json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": name,
           "arguments": "{\"handle\":\"0123456789ab\"}", "status": "completed"})
}

fn thinks(id: &str) -> Value {
    json!({"type": "reasoning", "id": id, "summary": [], "encrypted_content": format!("e{id}")})
}

fn message(id: &str, text: &str) -> Value {
    let part = json!({"type": "output_text", "text": text, "annotations": []});
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
           "content": [part]})
}

fn document(number: u64, items: &[Value], status: &str) -> Value {
    json!({"id": format!("resp_{number}"), "object": "response", "status": status, "output": items,
           "usage": {"input_tokens": 10 * number, "input_tokens_details": {"cached_tokens": number},
                     "output_tokens": number, "total_tokens": 11 * number}})
}

fn stream(number: u64, items: &[Value], status: &str) -> String {
    let whole = document(number, items, status);
    let mut bare = whole.clone();
    bare["output"] = json!([]);
    bare["usage"] = Value::Null;
    let mut events = vec![
        json!({"type": "response.created", "response": bare}),
        json!({"type": "response.in_progress", "response": bare}),
    ];
    for (at, item) in items.iter().enumerate() {
        let mut empty = item.clone();
        if item["type"] == "function_call" {
            empty["arguments"] = json!("");
        }
        let event = |kind: &str, key: &str, value: &Value| json!({"type": format!("response.{kind}"), "output_index": at, key: value});
        events.push(event("output_item.added", "item", &empty));
        if item["type"] == "function_call" {
            events.push(event("function_call_arguments.delta", "delta", &item["arguments"]));
        }
        events.push(event("output_item.done", "item", item));
    }
    events.push(json!({"type": format!("response.{status}"), "response": whole}));
    let spelled = |(number, mut event): (usize, Value)| {
        event["sequence_number"] = json!(number);
        let kind = event["type"].as_str().expect("as it was made").to_owned();
        format!("event: {kind}\ndata: {event}\n\n")
    };
    events.into_iter().enumerate().map(spelled).collect()
}

/// The response that a stream ends with; what is told of it before has to be true.
fn accumulated(stream: &str) -> Value {
    let (mut items, mut response) = (Vec::new(), Value::Null);
    let data = stream.lines().filter_map(|line| line.strip_prefix("data: "));
    for (number, line) in data.enumerate() {
        let event: Value = serde_json::from_str(line).expect("as it was made");
        assert_eq!(event["sequence_number"], number, "numbers go on: {stream}");
        let at = event["output_index"].as_u64().map(|at| at as usize);
        match event["type"].as_str().expect("as it was made") {
            "response.created" => assert_eq!(number, 0, "one start: {stream}"),
            "response.output_item.added" => assert_eq!(at, Some(items.len()), "{stream}"),
            "response.output_item.done" => items.push(event["item"].clone()),
            "response.function_call_arguments.delta" => assert_eq!(at, Some(items.len())),
            "response.completed" | "response.incomplete" => response = event["response"].clone(),
            _ => {}
        }
    }
    assert_eq!(response["output"], json!(items), "{stream}");
    response
}

fn answered(turn: &Turn) -> Vec<Answered> {
    let calls = turn.calls.iter().cloned();
    calls.map(|called| Answered { called, text: "back".to_owned(), is_error: false }).collect()
}

fn body(items: &[Value]) -> Vec<u8> {
    json!({ "input": items }).to_string().into_bytes()
}

fn input(bytes: &[u8]) -> Vec<Value> {
    let body: Value = serde_json::from_slice(bytes).expect("as it was made");
    body["input"].as_array().expect("as it was made").clone()
}

fn user(text: &str) -> Value {
    json!({"role": "user", "content": text})
}

fn result(id: &str) -> Value {
    json!({"type": "function_call_output", "call_id": id, "output": "r"})
}

/// What a client sends back of an item that it was shown.
fn sent_back(item: &Value, is_bare: bool) -> Option<Value> {
    if !is_bare {
        return Some(item.clone());
    }
    match item["type"].as_str()? {
        "message" => Some(json!({"role": "assistant", "content": item["content"][0]["text"]})),
        "reasoning" => None,
        _ => {
            let mut item = item.clone();
            item.as_object_mut()?.shift_remove("id");
            Some(item)
        }
    }
}

proptest! {
    #[test]
    fn what_is_none_of_the_tools_passes_byte_for_byte(
        text in ".{0,20}",
        own in 0usize..3,
        completed in any::<bool>(),
        pieces in 1usize..300,
    ) {
        let calls = (0..own).map(|at| call("read", &format!("r{at}")));
        let items: Vec<Value> =
            [thinks("rs_1"), message("msg_1", &text)].into_iter().chain(calls).collect();
        let bytes = stream(1, &items, if completed { "completed" } else { "incomplete" });
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
        pieces in 1usize..400,
    ) {
        let last = texts.len() - 1;
        let (mut merged, mut documents) = (RoundStream::new(API), RoundDocument::new(API));
        let (mut out, mut turns) = (Vec::new(), Vec::new());
        for (at, text) in texts.iter().enumerate() {
            let number = at as u64 + 1;
            let mut items: Vec<Value> =
                thinking[at].then(|| thinks(&format!("rs_{at}"))).into_iter().collect();
            items.push(message(&format!("msg_{at}"), text));
            items.extend(match at == last {
                true => (0..own).map(|at| call("read", &format!("r{at}"))).collect::<Vec<_>>(),
                false => (0..hidden[at])
                    .map(|one| call("foveal_expand", &format!("t{at}{one}")))
                    .collect(),
            });
            if at > 0 {
                merged.next();
                documents.next();
            }
            for piece in stream(number, &items, "completed").as_bytes().chunks(pieces) {
                merged.push(piece, &mut out);
            }
            merged.close(&mut out);
            let turn = merged.ended().expect("as it was made");
            let bytes = document(number, &items, "completed").to_string().into_bytes();
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
        prop_assert!(!out.contains("foveal_expand"), "{}", out);
        prop_assert_eq!(&whole["id"], &json!(format!("resp_{}", texts.len())));
        let sum: u64 = (1..=texts.len() as u64).sum();
        prop_assert_eq!(&whole["usage"]["total_tokens"], &json!(11 * sum));
        prop_assert_eq!(&whole["usage"]["input_tokens_details"]["cached_tokens"], &json!(sum));
        let mut reader = AnswerReader::new(API, Some("text/event-stream"), 200);
        reader.push(out.as_bytes());
        prop_assert_eq!(reader.finish().billed.prompt(), Some(10 * sum));
        check_restored(whole["output"].as_array().expect("as it was made"), &turns)?;
    }
}

/// What was hidden stands in the next request where it stood.
fn check_restored(shown: &[Value], turns: &[Turn]) -> Result<(), TestCaseError> {
    let mut followed = body(&[user("hi")]);
    for turn in &turns[..turns.len() - 1] {
        let scanned = Body::scan(API, &followed).expect("as it was made");
        let said = turn.said.as_ref().expect("as it was made");
        followed = going_on(&scanned, &followed, said, &answered(turn));
    }
    let hidden: Vec<Hidden> = turns
        .iter()
        .map(|turn| Hidden { shown: turn.shown.clone(), calls: answered(turn) })
        .collect();
    for is_bare in [false, true] {
        let own: Vec<Value> = shown.iter().filter_map(|item| sent_back(item, is_bare)).collect();
        let calls = own.iter().filter(|item| item["type"] == "function_call");
        let results: Vec<Value> =
            calls.map(|call| result(call["call_id"].as_str().expect("as it was made"))).collect();
        let next = [vec![user("hi")], own.clone(), results, vec![user("on")]].concat();
        let next = body(&next);
        let scanned = Body::scan(API, &next).expect("as it was made");
        let known: Vec<String> = turns.iter().flat_map(|turn| turn.shown.clone()).collect();
        let says = |turn: &Turn| turn.shown.iter().any(|it| it.starts_with("call "));
        prop_assert!(recalls(&scanned, &next, 1, &known) || !turns.iter().any(says));
        let Some(insertions) = restored(&scanned, &next, 1, &hidden) else {
            return Err(TestCaseError::fail(String::from_utf8_lossy(&next).into_owned()));
        };
        let now = input(&inserted(&next, insertions));
        let blank = |item: &Value| {
            item["content"][0]["text"].as_str().is_some_and(|text| text.trim().is_empty())
                || item["content"].as_str().is_some_and(|text| text.trim().is_empty())
        };
        let before: Vec<Value> = input(&followed)
            .iter()
            .filter(|item| !blank(item))
            .filter_map(|item| match item["type"].as_str() {
                Some("message" | "reasoning") => sent_back(item, is_bare),
                _ => Some(item.clone()),
            })
            .collect();
        let now: Vec<Value> = now.into_iter().filter(|item| !blank(item)).collect();
        prop_assert_eq!(&now[..before.len()], &before[..]);
    }
    Ok(())
}

#[test]
fn a_turn_that_calls_the_clients_tools_too_shows_these_alone() {
    let items = [
        message("m", "both"),
        call("read", "t1"),
        call("foveal_expand", "t2"),
        call("read", "t3"),
        call("foveal_expand", "t4"),
    ];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &items, "completed").as_bytes(), &mut out);
    let turn = merged.ended().expect("as it was made");
    assert!(turn.waits_for_client && !turn.waits);
    merged.release(false, &mut out);
    let response = accumulated(std::str::from_utf8(&out).expect("as it was made"));
    assert_eq!(response["output"], json!([items[0], items[1], items[3]]));
    let hidden = [Hidden { shown: turn.shown.clone(), calls: answered(&turn) }];
    // Results stand behind all calls, or each behind its own, as agents have it.
    let orders = [
        vec![&items[0], &items[1], &items[3], &result("t1"), &result("t3")]
            .into_iter()
            .cloned()
            .collect::<Vec<_>>(),
        vec![items[0].clone(), items[1].clone(), result("t1"), items[3].clone(), result("t3")],
    ];
    for own in orders {
        let more = vec![message("n", "later"), call("read", "t5"), result("t5"), user("on")];
        let next = body(&[vec![user("hi")], own, more].concat());
        let scanned = Body::scan(API, &next).expect("as it was made");
        let all = restored(&scanned, &next, 1, &hidden).expect("it is the same");
        let all = input(&inserted(&next, all));
        let ids = |kind: &str| -> Vec<String> {
            let of = all.iter().filter(|item| item["type"] == kind);
            of.map(|item| item["call_id"].as_str().expect("as it was made").to_owned()).collect()
        };
        for kind in ["function_call", "function_call_output"] {
            assert_eq!(ids(kind), ["t1", "t2", "t3", "t4", "t5"], "{all:?}");
        }
        let other = String::from_utf8(next).expect("as it was made").replace("both", "bath");
        let scanned = Body::scan(API, other.as_bytes()).expect("as it was made");
        assert_eq!(restored(&scanned, other.as_bytes(), 1, &hidden), None);
    }
}

#[test]
fn a_provider_that_keeps_nothing_gets_no_reasoning_that_it_cannot_read() {
    let bare = json!({"type": "reasoning", "id": "rs_1", "summary": []});
    let items = [bare, message("msg_1", "hm"), call("foveal_expand", "t1")];
    let turn = RoundDocument::new(API)
        .take(document(1, &items, "completed").to_string().into_bytes())
        .expect("a turn");
    let said = turn.said.as_ref().expect("it is known");
    for (store, kept) in [(json!(false), 2), (json!(true), 3), (Value::Null, 3)] {
        let request = json!({"input": [user("hi")], "store": store}).to_string().into_bytes();
        let scanned = Body::scan(API, &request).expect("as it was made");
        let next = input(&going_on(&scanned, &request, said, &answered(&turn)));
        assert_eq!(next.len(), 1 + kept + 1, "{next:?}");
        assert_eq!(next[1]["id"].is_string(), kept == 3, "{next:?}");
    }
}

#[test]
fn a_turn_that_was_cut_short_gets_nothing_back() {
    let items = [message("msg_1", "hm"), call("foveal_expand", "t1")];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &items, "incomplete").as_bytes(), &mut out);
    let turn = merged.ended().expect("it ended");
    assert!(!turn.waits && !turn.waits_for_client && turn.calls.len() == 1);
    merged.release(false, &mut out);
    let response = accumulated(std::str::from_utf8(&out).expect("text"));
    assert_eq!(response["output"], json!([items[0]]));
    assert_eq!(response["status"], "incomplete");
}
