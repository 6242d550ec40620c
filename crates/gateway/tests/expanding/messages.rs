//! Anthropic's Messages.

use std::time::Duration;

use foveal_gateway::exchange::End;
use foveal_upstream::{Delivery, Fault, Play};
use serde_json::{Value, json};

use super::client::{MessagesClient, post};
use super::world::{EXPAND, Giving, bash, conversations, expand, handles, long, says, script};

/// What the client was shown, in short.
fn parts(message: &Value) -> Vec<String> {
    let parts = message["content"].as_array().unwrap_or_else(|| panic!("no parts: {message}"));
    let short = |part: &Value| match part["type"].as_str() {
        Some("text") => part["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_use") => part["name"].as_str().unwrap_or_default().to_owned(),
        kind => kind.unwrap_or_default().to_owned(),
    };
    parts.iter().map(short).collect()
}

/// The last result that the model was given.
fn last_result(body: &Value) -> String {
    let messages = body["messages"].as_array().expect("messages");
    let last = &messages.last().expect("a message")["content"];
    let result =
        last.as_array().expect("parts").iter().rev().find(|it| it["type"] == "tool_result");
    result.map_or(String::new(), |it| it["content"].as_str().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn what_was_left_out_is_given_back_within_one_answer() {
    for stream in [true, false] {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look at all of it.", vec![expand(&handles(body)[0], None)]),
            2 => says(
                "And at more.",
                vec![
                    expand(&handles(body)[0], Some(2_001)),
                    expand(&handles(body)[0], Some(9_000)),
                ],
            ),
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = MessagesClient::new(stream);
        client.say(&giving.world, "check it").await;
        let message = client.answer(&giving.world, &[&long()]).await;
        let expected = [
            "thinking",
            "I look at all of it.",
            "thinking",
            "And at more.",
            "thinking",
            "It is fine.",
        ];
        assert_eq!(parts(&message), expected);
        assert_eq!(message["stop_reason"], "end_turn");
        let asked = giving.asked();
        assert_eq!(asked.len(), 4);
        // What was left out came back as it was.
        let all = long();
        let first: String = all.split_inclusive('\n').take(2_000).collect();
        assert!(last_result(&asked[2]).starts_with(&first), "{}", last_result(&asked[2]));
        assert!(last_result(&asked[2]).ends_with("[lines 1-2000 of 4000; go on with start 2001]"));
        assert_eq!(last_result(&asked[3]), "there is no line 9000: there are 4000, counted from 1");
        // The bill is that of all rounds.
        let told = giving.world.told(2).await.remove(1);
        let bills: Vec<_> =
            giving.upstream.seen()[1..].iter().map(|seen| seen.bill.expect("a bill")).collect();
        let sum = |of: fn(&foveal_upstream::Bill) -> u64| -> u64 { bills.iter().map(of).sum() };
        assert_eq!((told.rounds, told.end), (3, End::Whole));
        let billed = told.answered.expect("an answer").billed;
        assert_eq!(billed.output, Some(sum(|bill| bill.output)));
        assert_eq!(billed.uncached, Some(sum(|bill| bill.uncached)));
        assert_eq!(message["usage"]["output_tokens"], sum(|bill| bill.output));
        // The client goes on, and the model sees what it saw, also after a restart.
        let giving = giving.again().await;
        let message = client.say(&giving.world, "thanks").await;
        assert_eq!(parts(&message), ["thinking", "It is fine."]);
        let giving = giving.again().await;
        client.say(&giving.world, "bye").await;
        giving.check();
        let tools: Vec<String> = giving.asked().iter().map(|it| it["tools"].to_string()).collect();
        assert!(tools.iter().all(|it| *it == tools[0] && it.contains(EXPAND)), "{tools:?}");
        assert!(!String::from_utf8_lossy(&client.body()).contains(EXPAND));
    }
}

#[tokio::test]
async fn calls_beside_the_clients_own_are_answered_with_theirs() {
    for stream in [true, false] {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => {
                let handle = handles(body)[0].clone();
                let calls = vec![bash("a"), expand(&handle, None), bash("b")];
                says("Several things.", calls)
            }
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = MessagesClient::new(stream);
        client.say(&giving.world, "check it").await;
        let message = client.answer(&giving.world, &[&long()]).await;
        assert_eq!(parts(&message), ["thinking", "Several things.", "bash", "bash"]);
        assert_eq!(message["stop_reason"], "tool_use");
        let giving = giving.again().await;
        client.answer(&giving.world, &["of a", "of b"]).await;
        client.say(&giving.world, "bye").await;
        giving.check();
        let content = giving.asked()[2]["messages"][4]["content"].clone();
        assert_eq!(content.as_array().map(Vec::len), Some(3), "{content}");
        assert!(content[1]["content"].as_str().is_some_and(|it| it.starts_with("1: checked")));
    }
}

#[tokio::test]
async fn what_is_not_of_the_conversation_is_not_given() {
    let giving = Giving::start(script(|number, body| match number {
        0 | 2 => says("I run it.", vec![bash("check")]),
        1 => says(&format!("handle {}", handles(body)[0]), Vec::new()),
        3 => {
            let of_other = body["system"].as_str().unwrap_or_default().to_owned();
            let own = handles(body).pop().expect("a handle");
            assert_ne!(own, of_other);
            says(
                "I try.",
                vec![
                    expand(&of_other, None),
                    expand("nonsense", None),
                    expand("000000000000", None),
                ],
            )
        }
        _ => says("I go on.", Vec::new()),
    }))
    .await;
    let mut first = MessagesClient::new(true);
    first.say(&giving.world, "one").await;
    first.answer(&giving.world, &[&long()]).await;
    let handle = handles(&giving.asked()[1])[0].clone();
    // The other conversation speaks of the handle, and that gives it no right.
    let mut second = MessagesClient::new(true);
    second.say(&giving.world, &format!("two, {EXPAND} {handle}")).await;
    let other = long().replace("module", "package");
    let results = second.messages.last().expect("an answer")["content"][2]["id"].clone();
    second.messages.push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": results, "content": other},
    ]}));
    let body = String::from_utf8(second.body()).expect("text").replace("You help.", &handle);
    let answer = post(&giving.world, "/v1/messages", body.as_bytes()).await;
    assert!(answer.contains("I go on."), "{answer}");
    let asked = giving.asked().pop().expect("a request");
    let results = asked["messages"].as_array().and_then(|it| it.last()).expect("results").clone();
    for result in results["content"].as_array().expect("results") {
        assert_eq!(result["is_error"], true, "{result}");
        assert!(!result["content"].as_str().unwrap_or_default().contains("checked"), "{result}");
    }
}

#[tokio::test]
async fn a_model_that_never_ends_is_ended() {
    let giving = Giving::start(script(|number, body| match number {
        0 => says("I run it.", vec![bash("check")]),
        _ => says("More.", vec![expand(&handles(body)[0], Some(number as u64))]),
    }))
    .await;
    let mut client = MessagesClient::new(true);
    client.say(&giving.world, "check it").await;
    let message = client.answer(&giving.world, &[&long()]).await;
    assert_eq!(message["stop_reason"], "end_turn");
    assert_eq!(giving.asked().len(), 8);
    let last = last_result(giving.asked().last().expect("a request"));
    assert!(last.starts_with("no more can be given back"), "{last}");
    client.say(&giving.world, "bye").await;
    giving.check();
}

#[tokio::test]
async fn an_error_of_a_later_round_is_the_answers() {
    for stream in [true, false] {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look.", vec![expand(&handles(body)[0], None)]),
            2 => Play::from(Fault::Status { status: 529, retry_after_s: None }),
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = MessagesClient::new(stream);
        client.say(&giving.world, "check it").await;
        let error = client.answer(&giving.world, &[&long()]).await;
        assert_eq!(error["type"], "error");
        assert_eq!(error["error"]["message"], "scripted error");
        // The client asks again, as clients do.
        let message = client.ask(&giving.world).await;
        assert_eq!(parts(&message), ["thinking", "It is fine."]);
    }
}

#[tokio::test]
async fn a_client_that_leaves_takes_the_next_round_with_it() {
    let giving = Giving::start(script(|number, body| match number {
        0 => says("I run it.", vec![bash("check")]),
        1 => says("I look.", vec![expand(&handles(body)[0], None)]),
        _ => Play::from(Fault::Late(Duration::from_secs(600))),
    }))
    .await;
    let mut client = MessagesClient::new(true);
    client.say(&giving.world, "check it").await;
    let id = client.messages[1]["content"][2]["id"].clone();
    client.messages.push(json!({"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": id, "content": long()},
    ]}));
    let mut leaving = giving.world.client().await;
    leaving.send("/v1/messages", &[], &client.body()).await;
    // What came before the call is there before the next round has an answer.
    leaving.read_until("I look.").await;
    while giving.upstream.seen().len() < 3 {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    drop(leaving);
    assert_eq!(giving.world.told(2).await[1].end, End::ClientLeft);
    while giving.upstream.seen()[2].delivery() != Delivery::Dropped {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn who_is_not_given_the_tool_sees_nothing_of_it() {
    let giving = Giving::start(script(|_, _| says("Fine.", Vec::new()))).await;
    let mut client = MessagesClient::new(true);
    // Without tools, with one of that name, with a choice that is made already.
    let own = json!([{"name": EXPAND, "input_schema": {"type": "object"}}]);
    for tools in [json!([]), own] {
        client.tools = tools;
        client.messages = vec![json!({"role": "user", "content": "hi"})];
        let body = client.body();
        post(&giving.world, "/v1/messages", &body).await;
        assert_eq!(giving.upstream.seen().last().expect("a request").body, body);
    }
    let mut client = MessagesClient::new(true);
    client.messages = vec![json!({"role": "user", "content": "forced"})];
    let forced = String::from_utf8(client.body()).expect("text");
    let forced = forced.replacen('{', r#"{"tool_choice":{"type":"tool","name":"bash"},"#, 1);
    post(&giving.world, "/v1/messages", forced.as_bytes()).await;
    assert_eq!(giving.upstream.seen().last().expect("a request").body, forced.as_bytes());
    // Whose conversation began without it never gets it.
    client.messages = vec![
        json!({"role": "user", "content": "before"}),
        json!({"role": "assistant", "content": "it"}),
        json!({"role": "user", "content": "was there"}),
    ];
    post(&giving.world, "/v1/messages", &client.body()).await;
    assert_eq!(giving.upstream.seen().last().expect("a request").body, client.body());
    // Everyone else gets it, and nothing else changes.
    client.messages = vec![json!({"role": "user", "content": "hi"})];
    post(&giving.world, "/v1/messages", &client.body()).await;
    let sent = String::from_utf8(giving.upstream.seen().last().expect("one").body.clone());
    let sent = sent.expect("text");
    let start = sent.find(r#",{"name":"foveal_expand""#).expect("the tool");
    let tool = foveal_wire::body::expand_tool(foveal_wire::Protocol::Messages);
    let without = [&sent[..start], &sent[start + 1 + tool.len()..]].concat();
    assert_eq!(without.as_bytes(), client.body());
    // Where the setting is off nobody gets it.
    assert!(!conversations(&giving.recorder, false).offers());
}
