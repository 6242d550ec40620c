//! Anthropic's Messages.

use foveal_wire::Protocol;
use foveal_wire::body::{Answered, Body, Hidden, going_on, inserted, restored};
use foveal_wire::response::{AnswerReader, RoundDocument, RoundStream, Turn};
use proptest::prelude::*;
use serde_json::{Value, json};

const API: Protocol = Protocol::Messages;

/// The blocks of one round, as a document has them.
fn blocks() -> impl Strategy<Value = Vec<Value>> {
    // Text that says nothing is not taken back: see below.
    let text = "[ -~äß\\n\"\\\\]{0,6}[!-~][ -~äß\\n\"\\\\]{0,6}";
    let block = prop_oneof![
        3 => text.prop_map(|text| json!({"type": "text", "text": text})),
        1 => (text, "[a-z]{4,9}").prop_map(|(thinking, signature)| {
            json!({"type": "thinking", "thinking": thinking, "signature": signature})
        }),
        1 => "[a-z]{3}".prop_map(|id| {
            json!({"type": "server_tool_use", "id": id, "name": "web_search", "input": {"q": 1}})
        }),
    ];
    proptest::collection::vec(block, 0..4)
}

fn call(name: &str, id: &str) -> Value {
    json!({"type": "tool_use", "id": id, "name": name, "input": {"handle": "0123456789ab"}})
}

fn usage(number: u64) -> Value {
    json!({"input_tokens": number, "cache_read_input_tokens": 10 * number, "output_tokens": 7,
           "cache_creation_input_tokens": number,
           "cache_creation": {"ephemeral_5m_input_tokens": number, "ephemeral_1h_input_tokens": 0}})
}

fn document(number: u64, content: &[Value], reason: &str) -> Value {
    json!({"id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "m",
           "content": content, "stop_reason": reason, "stop_sequence": null,
           "usage": usage(number)})
}

fn event(value: &Value) -> String {
    format!("event: {}\ndata: {value}\n\n", value["type"].as_str().expect("as it was made"))
}

/// The same answer as a stream.
fn stream(number: u64, content: &[Value], reason: &str) -> String {
    let mut message = document(number, &[], reason);
    message["stop_reason"] = Value::Null;
    message["usage"]["output_tokens"] = json!(1);
    let mut all = event(&json!({"type": "message_start", "message": message}));
    all.push_str("event: ping\ndata: {\"type\": \"ping\"}\n\n");
    for (index, block) in content.iter().enumerate() {
        let mut empty = block.clone();
        let deltas = match block["type"].as_str().expect("as it was made") {
            "text" => {
                empty["text"] = json!("");
                vec![json!({"type": "text_delta", "text": block["text"]})]
            }
            "thinking" => {
                (empty["thinking"], empty["signature"]) = (json!(""), json!(""));
                vec![
                    json!({"type": "thinking_delta", "thinking": block["thinking"]}),
                    json!({"type": "signature_delta", "signature": block["signature"]}),
                ]
            }
            _ => {
                empty["input"] = json!({});
                let input = block["input"].to_string();
                let (first, second) = input.split_at(input.len() / 2);
                let delta = |part| json!({"type": "input_json_delta", "partial_json": part});
                vec![delta(first), delta(second)]
            }
        };
        all.push_str(&event(
            &json!({"type": "content_block_start", "index": index, "content_block": empty}),
        ));
        for delta in deltas {
            all.push_str(&event(
                &json!({"type": "content_block_delta", "index": index, "delta": delta}),
            ));
        }
        all.push_str(&event(&json!({"type": "content_block_stop", "index": index})));
    }
    let mut told = usage(number);
    told.as_object_mut().expect("as it was made").remove("cache_creation");
    let delta = json!({"stop_reason": reason, "stop_sequence": null});
    all.push_str(&event(&json!({"type": "message_delta", "delta": delta, "usage": told})));
    all + &event(&json!({"type": "message_stop"}))
}

/// What a client makes of a stream.
fn accumulated(stream: &str) -> Value {
    let mut message = Value::Null;
    let mut inputs: Vec<String> = Vec::new();
    let mut ends = 0;
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(line).expect("as it was made");
        match event["type"].as_str().expect("as it was made") {
            "message_start" => {
                assert!(message.is_null(), "one start: {stream}");
                message = event["message"].clone();
            }
            "content_block_start" => {
                let content = message["content"].as_array_mut().expect("as it was made");
                assert_eq!(event["index"], json!(content.len()), "indices go on");
                content.push(event["content_block"].clone());
                inputs.push(String::new());
            }
            "content_block_delta" => {
                let at = event["index"].as_u64().expect("as it was made") as usize;
                let block = &mut message["content"][at];
                let delta = &event["delta"];
                for key in ["text", "thinking"] {
                    if let Some(more) = delta[key].as_str() {
                        block[key] =
                            json!(block[key].as_str().expect("as it was made").to_owned() + more);
                    }
                }
                if !delta["signature"].is_null() {
                    block["signature"] = delta["signature"].clone();
                }
                inputs[at].push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            "message_delta" => {
                ends += 1;
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                for (key, value) in event["usage"].as_object().expect("as it was made") {
                    message["usage"][key] = value.clone();
                }
            }
            _ => {}
        }
    }
    assert_eq!(ends, 1, "one end: {stream}");
    for (at, input) in inputs.iter().enumerate().filter(|(_, input)| !input.is_empty()) {
        message["content"][at]["input"] = serde_json::from_str(input).expect("as it was made");
    }
    message
}

/// One round: what is shown, and whether a call of the tool stands behind it.
fn told(rounds: &[Vec<Value>], pieces: usize) -> (String, Vec<Turn>) {
    let mut merged = RoundStream::new(API);
    let (mut out, mut turns) = (Vec::new(), Vec::new());
    for (number, content) in rounds.iter().enumerate() {
        let is_last = number + 1 == rounds.len();
        let reason = if is_last { "end_turn" } else { "tool_use" };
        if number > 0 {
            merged.next();
        }
        let bytes = stream(number as u64 + 1, content, reason);
        for piece in bytes.as_bytes().chunks(pieces) {
            merged.push(piece, &mut out);
        }
        turns.extend(merged.ended());
    }
    merged.release(false, &mut out);
    merged.finish(&mut out);
    (String::from_utf8(out).expect("as it was made"), turns)
}

#[test]
fn text_that_says_nothing_does_not_go_back() {
    for text in ["", " \n"] {
        let blank = json!({"type": "text", "text": text});
        let content = [blank, call("foveal_expand", "t0")];
        let mut told = RoundDocument::new(API);
        let document = document(0, &content, "tool_use").to_string().into_bytes();
        let of_document = told.take(document).expect("an answer");
        let mut told = RoundStream::new(API);
        told.push(stream(0, &content, "tool_use").as_bytes(), &mut Vec::new());
        let of_stream = told.ended().expect("it ended");
        for turn in [of_document, of_stream] {
            let said = turn.said.expect("it can be said");
            let said: Value = serde_json::from_slice(&said).expect("as it was made");
            assert_eq!(said["content"], json!([call("foveal_expand", "t0")]));
            assert_eq!(turn.shown.len(), 1, "the client was shown it");
        }
    }
}

proptest! {
    #[test]
    fn what_is_none_of_the_tools_passes_byte_for_byte(content in blocks(), pieces in 1usize..200) {
        let (out, turns) = told(std::slice::from_ref(&content), pieces);
        prop_assert_eq!(out, stream(1, &content, "end_turn"));
        prop_assert!(turns.is_empty());
    }

    #[test]
    fn a_stream_says_what_a_document_says(
        shown in proptest::collection::vec(blocks(), 2..4),
        pieces in 1usize..400,
    ) {
        let last = shown.len() - 1;
        let rounds: Vec<Vec<Value>> = shown.iter().enumerate().map(|(at, content)| {
            let own = (at < last).then(|| call("foveal_expand", &format!("t{at}")));
            content.iter().cloned().chain(own).collect()
        }).collect();
        let (out, turns) = told(&rounds, pieces);
        let mut merged = RoundDocument::new(API);
        let mut of_documents = Vec::new();
        for (at, content) in rounds.iter().enumerate() {
            if at > 0 {
                merged.next();
            }
            let reason = if at == last { "end_turn" } else { "tool_use" };
            let document = document(at as u64 + 1, content, reason);
            of_documents.extend(merged.take(document.to_string().into_bytes()));
        }
        let document: Value = serde_json::from_slice(&merged.told(false)).expect("as it was made");
        let message = accumulated(&out);
        prop_assert_eq!(&message, &document);
        prop_assert_eq!(&message["id"], "msg_1");
        prop_assert_eq!(message["content"].clone(), Value::Array(shown.concat()));
        let count = rounds.len() as u64;
        prop_assert_eq!(message["usage"]["output_tokens"].as_u64(), Some(7 * count));
        let sum: u64 = (1..=count).sum();
        prop_assert_eq!(message["usage"]["input_tokens"].as_u64(), Some(sum));
        // Who reads what is billed reads the sum too.
        let mut reader = AnswerReader::new(API, Some("text/event-stream"), 200);
        reader.push(out.as_bytes());
        let billed = reader.finish().billed;
        prop_assert_eq!(billed.prompt(), Some(12 * sum));
        prop_assert_eq!(turns.len(), rounds.len());
        for (turn, of_document) in turns.iter().zip(&of_documents) {
            let said = |turn: &Turn| -> Value {
                serde_json::from_slice(turn.said.as_ref().expect("as it was made")).expect("as it was made")
            };
            prop_assert_eq!(said(turn), said(of_document));
            prop_assert_eq!((&turn.shown, turn.waits), (&of_document.shown, of_document.waits));
        }
        check_restored(&message, &turns, &rounds)?;
    }
}

/// What was hidden stands in the next request where it stood, whoever spells the client's bytes.
fn check_restored(
    message: &Value,
    turns: &[Turn],
    rounds: &[Vec<Value>],
) -> Result<(), TestCaseError> {
    let answered = |turn: &Turn| -> Vec<Answered> {
        let calls = turn.calls.iter().cloned();
        calls.map(|called| Answered { called, text: "back".to_owned(), is_error: false }).collect()
    };
    let ask = json!({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).to_string();
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
    for role_first in [true, false] {
        let answer = match role_first {
            true => json!({"role": "assistant", "content": message["content"]}),
            false => json!({"content": message["content"], "role": "assistant"}),
        };
        let next = json!({"model": "m", "messages": [
            {"role": "user", "content": "hi"}, answer, {"role": "user", "content": "on"},
        ]});
        let next = next.to_string().into_bytes();
        let body = Body::scan(API, &next).expect("as it was made");
        let Some(insertions) = restored(&body, &next, 1, &hidden) else {
            // Only an answer that shows nothing behind the last call cannot be taken apart.
            let last = rounds.last().expect("as it was made");
            prop_assert!(last.is_empty(), "{}", String::from_utf8_lossy(&next));
            continue;
        };
        let whole: Value =
            serde_json::from_slice(&inserted(&next, insertions)).expect("as it was made");
        let before: Value = serde_json::from_slice(&followed).expect("as it was made");
        let before = before["messages"].as_array().expect("as it was made");
        let now = whole["messages"].as_array().expect("as it was made");
        prop_assert_eq!(&now[..before.len()], &before[..]);
        prop_assert_eq!(now.len(), before.len() + 2);
    }
    Ok(())
}

#[test]
fn a_turn_that_calls_the_clients_tools_too_shows_these_alone() {
    let content = [
        json!({"type": "text", "text": "both"}),
        call("read", "t1"),
        call("foveal_expand", "t2"),
        call("read", "t3"),
    ];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &content, "tool_use").as_bytes(), &mut out);
    let turn = merged.ended().expect("as it was made");
    assert!(turn.waits_for_client && !turn.waits);
    merged.release(false, &mut out);
    let message = accumulated(std::str::from_utf8(&out).expect("as it was made"));
    assert_eq!(message["content"], json!([content[0], content[1], content[3]]));
    assert_eq!(message["stop_reason"], "tool_use");
    let calls = turn.calls.iter().cloned();
    let answered = |called| Answered { called, text: "back".to_owned(), is_error: true };
    let hidden = [Hidden { shown: turn.shown.clone(), calls: calls.map(answered).collect() }];
    let result = |id: &str| json!({"type": "tool_result", "tool_use_id": id, "content": "r"});
    let next = json!({"messages": [
        {"role": "user", "content": "hi"},
        {"role": "assistant", "content": message["content"]},
        {"role": "user", "content": [result("t1"), result("t3"), {"type": "text", "text": "on"}]},
    ]});
    let next = next.to_string().into_bytes();
    let body = Body::scan(API, &next).expect("as it was made");
    let whole = inserted(&next, restored(&body, &next, 1, &hidden).expect("as it was made"));
    let whole: Value = serde_json::from_slice(&whole).expect("as it was made");
    assert_eq!(whole["messages"][1]["content"], json!(content));
    let results = whole["messages"][2]["content"].as_array().expect("as it was made");
    let ids: Vec<&str> =
        results.iter().filter_map(|result| result["tool_use_id"].as_str()).collect();
    assert_eq!(ids, ["t1", "t2", "t3"]);
    // A client that sends something else back gets nothing put in.
    let other = String::from_utf8(next).expect("as it was made").replace("both", "other");
    let body = Body::scan(API, other.as_bytes()).expect("as it was made");
    assert_eq!(restored(&body, other.as_bytes(), 1, &hidden), None);
}

#[test]
fn a_turn_that_ends_though_it_waits_says_so() {
    let content = [json!({"type": "text", "text": "a"}), call("foveal_expand", "t1")];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream(1, &content, "tool_use").as_bytes(), &mut out);
    merged.release(true, &mut out);
    let message = accumulated(std::str::from_utf8(&out).expect("as it was made"));
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(message["content"], json!([content[0]]));
}

#[test]
fn a_turn_ends_also_where_its_last_event_is_missing() {
    let calls = [call("foveal_expand", "t1")];
    for reason in ["tool_use", "end_turn"] {
        let bytes = stream(1, &calls, reason);
        let cut = bytes.find("event: message_stop").expect("as it was made");
        let mut merged = RoundStream::new(API);
        let mut out = Vec::new();
        merged.push(&bytes.as_bytes()[..cut], &mut out);
        assert!(merged.ended().is_none());
        merged.close(&mut out);
        let turn = merged.ended().expect("it has ended");
        assert!(turn.waits);
        // The same as a document.
        let bytes = document(1, &calls, reason).to_string().into_bytes();
        let document = RoundDocument::new(API).take(bytes);
        assert_eq!(document.map(|other| (other.waits, other.calls)), Some((true, turn.calls)));
    }
}

#[test]
fn characters_that_are_cut_in_two_come_back_whole() {
    let start = |index: u64, block: Value| {
        event(&json!({"type": "content_block_start", "index": index, "content_block": block}))
    };
    let delta = |index: u64, kind: &str, key: &str, text: &str| {
        let delta = format!(r#"{{"type":"{kind}","{key}":"{text}"}}"#);
        let data = r#"{"type":"content_block_delta","index":"#;
        format!("event: content_block_delta\ndata: {data}{index},\"delta\":{delta}}}\n\n")
    };
    let stream = [
        start(0, json!({"type": "text", "text": ""})),
        delta(0, "text_delta", "text", r"look \ud83d"),
        delta(0, "text_delta", "text", r"\ude00!"),
        start(1, call("foveal_expand", "t1")),
        delta(1, "input_json_delta", "partial_json", r#"{\"handle\":\"\ud83d"#),
        delta(1, "input_json_delta", "partial_json", r#"\ude00 \ud83d\"}"#),
        event(&json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}})),
        event(&json!({"type": "message_stop"})),
    ];
    let mut merged = RoundStream::new(API);
    let mut out = Vec::new();
    merged.push(stream.concat().as_bytes(), &mut out);
    let turn = merged.ended().expect("it has ended");
    assert_eq!(turn.calls[0].input, "{\"handle\":\"😀 \\ud83d\"}");
    let said = String::from_utf8(turn.said.expect("it is known")).expect("text");
    assert!(said.contains("look 😀!") && said.contains("😀 \\ud83d"), "{said}");
    assert!(turn.calls[0].spelled.contains("😀 \\ud83d"), "{said}");
}

#[test]
fn depth_takes_nothing_away() {
    let deep = format!("{}{}", "[".repeat(1_000), "]".repeat(1_000));
    let own = format!(r#"{{"type":"tool_use","id":"r1","name":"read","input":{{"a":{deep}}}}}"#);
    let spelled = call("foveal_expand", "t1").to_string();
    let answer = format!(
        r#"{{"id":"m","type":"message","role":"assistant","content":[{own},{spelled}],"stop_reason":"tool_use"}}"#
    );
    let mut document = RoundDocument::new(API);
    let turn = document.take(answer.into_bytes()).expect("it can be read");
    assert!(turn.waits_for_client);
    assert_eq!(turn.calls.len(), 1);
    // And it is found again, where the client sends it back.
    let calls = turn.calls.iter().cloned();
    let calls =
        calls.map(|called| Answered { called, text: "back".to_owned(), is_error: false }).collect();
    let hidden = [Hidden { shown: turn.shown.clone(), calls }];
    let next = format!(
        r#"{{"messages":[{{"role":"user","content":"hi"}},{{"role":"assistant","content":[{own}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"r1","content":"r"}}]}}]}}"#
    );
    let body = Body::scan(API, next.as_bytes()).expect("as it was made");
    let insertions = restored(&body, next.as_bytes(), 1, &hidden).expect("it was shown so");
    let whole = String::from_utf8(inserted(next.as_bytes(), insertions)).expect("text");
    assert!(whole.contains(&format!("{own},{spelled}")), "{whole}");
}

#[test]
fn a_mark_is_set_at_the_end_where_one_more_may_be() {
    let mark = json!({"type": "ephemeral"});
    let body = |marks: usize, of_messages: bool| {
        let text = |at: usize| match at < marks {
            true => json!({"type": "text", "text": "t", "cache_control": mark}),
            false => json!({"type": "text", "text": "t"}),
        };
        let system: Vec<Value> = (usize::from(of_messages)..5).map(text).collect();
        let first = text(if of_messages { 0 } else { 9 });
        let result = json!({"type": "tool_result", "tool_use_id": "t", "content": "back"});
        json!({"system": system, "messages": [
            {"role": "user", "content": [first]}, {"role": "user", "content": [result]},
        ]})
        .to_string()
    };
    for (marks, of_messages, expected) in
        [(3, true, true), (1, true, true), (4, true, false), (0, true, false), (2, false, false)]
    {
        let bytes = body(marks, of_messages);
        let scanned = Body::scan(API, bytes.as_bytes()).expect("as it was made");
        assert_eq!(scanned.marks.len(), marks);
        let marked = foveal_wire::body::marked_at_end(&scanned, bytes.as_bytes(), &scanned);
        let marked = marked.map(|it| serde_json::from_slice::<Value>(&it).expect("JSON"));
        let is_set = marked.map(|it| it["messages"][1]["content"][0]["cache_control"] == mark);
        assert_eq!(is_set, expected.then_some(true), "{marks} {of_messages}");
    }
}

#[test]
fn the_end_is_marked_in_place_of_the_answer_where_foveal_marked_that() {
    let mark = json!({"type": "ephemeral"});
    let body = |answer: bool, end: bool, system: usize| {
        let text = |marked: bool| match marked {
            true => json!({"type": "text", "text": "t", "cache_control": mark}),
            false => json!({"type": "text", "text": "t"}),
        };
        let system: Vec<Value> = (0..3).map(|at| text(at < system)).collect();
        json!({"system": system, "messages": [
            {"role": "assistant", "content": [text(answer)]},
            {"role": "user", "content": [text(true)]},
            {"role": "user", "content": [text(end)]},
        ]})
        .to_string()
    };
    let scan = |bytes: &str| Body::scan(API, bytes.as_bytes()).expect("as it was made");
    let sent = body(true, false, 2);
    let at_end = |client: &str| {
        let marked = foveal_wire::body::marked_at_end(&scan(&sent), sent.as_bytes(), &scan(client));
        marked.map(|it| String::from_utf8(it).expect("text"))
    };
    assert_eq!(at_end(&body(false, false, 2)), Some(body(false, true, 2)));
    assert_eq!(at_end(&sent), None, "all four are the client's");
    assert_eq!(at_end(&body(true, false, 1)), None, "that of the system prompt stays");
}
