//! Bills compared with figures calculated by hand. ` a` is one token of o200k, and Claude's count
//! is estimated as 1.173 times that.

use std::time::Duration;

use foveal_mock_provider::{MockProvider, TokenBill};
use foveal_protocols::Protocol::{self, Chat, Gemini, Messages, Responses};
use serde_json::{Value, json};

use crate::client::{ask, upstream};

/// Returns a text of this many tokens.
fn text(tokens: usize) -> String {
    " a".repeat(tokens)
}

/// Sends a request and checks the bill: uncached, read, written for minutes, written for an hour.
fn check(upstream: &MockProvider, protocol: Protocol, body: &Value, expected: [u64; 4]) {
    let got = ask(upstream, protocol, body);
    assert_eq!(got.status, 200, "{}", got.text());
    let bill =
        upstream.received_requests().last().and_then(|seen| seen.bill).expect("it was billed");
    let TokenBill { uncached, read, written_5m, written_1h, .. } = bill;
    assert_eq!([uncached, read, written_5m, written_1h], expected);
}

const MINUTE: Duration = Duration::from_secs(60);

fn chat(model: &str, sizes: &[usize]) -> Value {
    let messages = sizes.iter().enumerate().map(|(at, tokens)| {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        json!({"role": role, "content": text(*tokens)})
    });
    json!({"model": model, "messages": messages.collect::<Vec<_>>()})
}

#[test]
fn openai_reads_in_steps_and_writes_for_nothing() {
    let upstream = upstream();
    check(&upstream, Chat, &chat("gpt-4o", &[1000]), [1000, 0, 0, 0]);
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 500]), [1500, 0, 0, 0]);
    // 1,500 tokens are known: 1,024 and three steps of 128.
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 500, 300]), [392, 1408, 0, 0]);
    // Another model has another cache, another message another prompt.
    check(&upstream, Chat, &chat("gpt-5", &[1000, 500, 300]), [1800, 0, 0, 0]);
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 499, 300]), [1799, 0, 0, 0]);
    upstream.advance_clock(MINUTE * 4);
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 500, 300]), [1800 - 1792, 1792, 0, 0]);
    upstream.advance_clock(MINUTE * 4);
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 500, 300]), [8, 1792, 0, 0]);
    upstream.advance_clock(MINUTE * 6);
    check(&upstream, Chat, &chat("gpt-4o", &[1000, 500, 300]), [1800, 0, 0, 0]);
}

#[test]
fn later_openai_models_bill_writes() {
    let upstream = upstream();
    let input = |sizes: &[usize]| {
        let items = sizes.iter().map(|tokens| json!({"role": "user", "content": text(*tokens)}));
        json!({"model": "gpt-5.6-sol", "instructions": text(100), "input": items.collect::<Vec<_>>()})
    };
    check(&upstream, Responses, &input(&[900]), [1000, 0, 0, 0]);
    check(&upstream, Responses, &input(&[1000]), [0, 0, 1100, 0]);
    upstream.advance_clock(MINUTE * 29);
    check(&upstream, Responses, &input(&[1000, 50]), [0, 1100, 50, 0]);
    upstream.advance_clock(MINUTE * 31);
    check(&upstream, Responses, &input(&[1000, 50]), [0, 0, 1150, 0]);
}

#[test]
fn gemini_caches_from_a_minimum_on() {
    let upstream = upstream();
    let body = |sizes: &[usize]| {
        let contents =
            sizes.iter().map(|tokens| json!({"role": "user", "parts": [{"text": text(*tokens)}]}));
        json!({"contents": contents.collect::<Vec<_>>()})
    };
    check(&upstream, Gemini, &body(&[2000]), [2000, 0, 0, 0]);
    check(&upstream, Gemini, &body(&[2000, 47]), [2047, 0, 0, 0]);
    check(&upstream, Gemini, &body(&[2000, 47, 1]), [2048, 0, 0, 0]);
    check(&upstream, Gemini, &body(&[2000, 47, 1, 5]), [5, 2048, 0, 0]);
}

/// A block with a cache breakpoint: none, for minutes, or for an hour.
fn block(tokens: usize, mark: &str) -> Value {
    let mut block = json!({"type": "text", "text": text(tokens)});
    match mark {
        "" => {}
        "1h" => block["cache_control"] = json!({"type": "ephemeral", "ttl": "1h"}),
        _ => block["cache_control"] = json!({"type": "ephemeral"}),
    }
    block
}

/// A system prompt of 1,173 Claude tokens, and messages of one block each.
fn messages(system: &str, blocks: &[(usize, &str)]) -> Value {
    let messages = blocks.iter().enumerate().map(|(at, (tokens, mark))| {
        let role = if at % 2 == 0 { "user" } else { "assistant" };
        json!({"role": role, "content": [block(*tokens, mark)]})
    });
    let messages: Vec<Value> = messages.collect();
    json!({"model": "claude-sonnet-4-5", "system": [block(1000, system)], "messages": messages})
}

#[test]
fn anthropic_writes_up_to_the_marks() {
    let upstream = upstream();
    check(&upstream, Messages, &messages("", &[(100, "")]), [1291, 0, 0, 0]);
    check(&upstream, Messages, &messages("5m", &[(100, "")]), [118, 0, 1173, 0]);
    check(&upstream, Messages, &messages("5m", &[(100, "5m")]), [0, 1173, 118, 0]);
    // The mark moves on: what is behind it is new, what is before it is read.
    let moved = messages("5m", &[(100, ""), (10, ""), (20, "5m")]);
    check(&upstream, Messages, &moved, [0, 1291, 36, 0]);
    // A text is the same prompt as a block of it.
    let mut plain = messages("5m", &[(100, ""), (10, ""), (20, "5m")]);
    plain["messages"][0]["content"] = json!(text(100));
    check(&upstream, Messages, &plain, [0, 1327, 0, 0]);
    // Behind the last mark nothing is cached.
    let rest = messages("5m", &[(100, ""), (10, ""), (20, "5m"), (30, "")]);
    check(&upstream, Messages, &rest, [36, 1327, 0, 0]);
    // A changed message takes the cache from everything behind it.
    let changed = messages("5m", &[(101, ""), (10, ""), (20, "5m")]);
    check(&upstream, Messages, &changed, [0, 1173, 119 + 36, 0]);
}

#[test]
fn anthropics_entries_live_as_long_as_they_are_read() {
    let upstream = upstream();
    let body = messages("1h", &[(100, "5m")]);
    check(&upstream, Messages, &body, [0, 0, 118, 1173]);
    upstream.advance_clock(MINUTE * 4);
    check(&upstream, Messages, &body, [0, 1291, 0, 0]);
    upstream.advance_clock(MINUTE * 4);
    check(&upstream, Messages, &body, [0, 1291, 0, 0]);
    upstream.advance_clock(MINUTE * 5);
    check(&upstream, Messages, &body, [0, 1173, 118, 0]);
    upstream.advance_clock(MINUTE * 61);
    check(&upstream, Messages, &body, [0, 0, 118, 1173]);
}

#[test]
fn a_read_renews_an_entry_that_no_mark_stands_at() {
    let upstream = upstream();
    check(&upstream, Messages, &messages("", &[(100, "5m")]), [0, 0, 1291, 0]);
    for tokens in [10, 20, 30] {
        upstream.advance_clock(MINUTE * 4);
        let other = messages("", &[(100, ""), (tokens, "5m")]);
        let written = (tokens as u64 * 1173).div_ceil(1000);
        check(&upstream, Messages, &other, [0, 1291, written, 0]);
    }
}

#[test]
fn anthropics_minimum_and_lookback() {
    let upstream = upstream();
    let mut opus = messages("5m", &[(100, "5m")]);
    opus["model"] = json!("claude-opus-4-5");
    check(&upstream, Messages, &opus, [1291, 0, 0, 0]);
    // The mark of the first request is the 2nd block; from the 21st it is still seen.
    let long = |count: usize| {
        let mut blocks = vec![(10, ""); count];
        blocks[count - 1].1 = "5m";
        messages("", &blocks)
    };
    check(&upstream, Messages, &long(1), [0, 0, 1185, 0]);
    check(&upstream, Messages, &long(20), [0, 1185, 19 * 12, 0]);
    check(&upstream, Messages, &long(41), [0, 0, 1173 + 41 * 12, 0]);
}

#[test]
fn tokens_are_counted_without_a_bill() {
    let upstream = upstream();
    let body = messages("5m", &[(100, "5m")]).to_string();
    let path = "/v1/messages/count_tokens?beta=true";
    let got = crate::client::ask_for(upstream.address(), path, "", body.as_bytes(), MINUTE);
    assert_eq!(got.json(), json!({"input_tokens": 1291}));
    assert_eq!(upstream.received_requests()[0].bill, None);
}
