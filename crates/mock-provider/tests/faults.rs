//! Scripted faults as a client sees them.

use std::io::Write;
use std::net::TcpStream;
use std::time::{Duration, Instant};

use foveal_mock_provider::{
    AnswerDelivery, MockProvider, ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome,
};
use foveal_protocols::Protocol;
use serde_json::json;

use crate::client::{Got, ask_for, path, upstream};

const PATIENCE: Duration = Duration::from_secs(20);

fn ask(
    upstream: &MockProvider,
    protocol: Protocol,
    fault: ScriptedFault,
    patience: Duration,
) -> Got {
    upstream.set_script(ReplyScript::always(fault));
    let body = json!({"model": "m", "stream": true, "messages": [], "input": [], "contents": []});
    let path = path(protocol, true);
    ask_for(upstream.address(), path, "", body.to_string().as_bytes(), patience)
}

#[test]
fn resets() {
    let upstream = upstream();
    let before = ask(&upstream, Protocol::Messages, ScriptedFault::ResetBeforeHead, PATIENCE);
    assert!(before.is_reset && before.status == 0, "{before:?}");
    let after = ask(&upstream, Protocol::Messages, ScriptedFault::ResetAfterHead, PATIENCE);
    assert!(after.is_reset && after.status == 200 && after.body.is_empty(), "{after:?}");
    let within = ask(&upstream, Protocol::Messages, ScriptedFault::ResetInEvent(1), PATIENCE);
    assert!(within.is_reset && within.status == 200, "{within:?}");
    let text = within.text();
    assert!(text.starts_with("event: message_start\n") && !text.ends_with("\n\n"), "{text}");
}

#[test]
fn a_truncated_stream_ends_in_good_form() {
    let upstream = upstream();
    for protocol in Protocol::ALL {
        let got = ask(&upstream, protocol, ScriptedFault::TruncatedBefore(2), PATIENCE);
        assert!(got.is_whole && got.text().ends_with("\n\n"));
        assert_eq!(got.text().matches("data: ").count(), 2);
    }
}

#[test]
fn statuses_and_errors_in_mid_stream() {
    let upstream = upstream();
    for (status, retry_after_s) in [(429, Some(7)), (500, None), (529, None)] {
        for protocol in Protocol::ALL {
            let fault = ScriptedFault::Status { status, retry_after_s };
            let got = ask(&upstream, protocol, fault, PATIENCE);
            assert_eq!(got.status, status);
            assert!(got.json()["error"]["message"].is_string());
            assert_eq!(got.headers.contains("retry-after: 7"), retry_after_s.is_some());
        }
    }
    assert!(upstream.received_requests().iter().all(|seen| seen.bill.is_none()));
    let got = ask(&upstream, Protocol::Messages, ScriptedFault::ErrorEvent(3), PATIENCE);
    let last = got.text().split_terminator("\n\n").last().map(str::to_owned);
    assert!(got.is_whole && last.is_some_and(|last| last.contains("overloaded_error")));
}

#[test]
fn slow_and_late() {
    let upstream = upstream();
    let pause = Duration::from_millis(30);
    let slow = ask(&upstream, Protocol::Chat, ScriptedFault::Slow { bytes: 300, pause }, PATIENCE);
    let gaps = slow.times.windows(2).filter(|pair| pair[1] - pair[0] >= pause / 2).count();
    assert!(slow.is_whole && gaps >= 3, "{:?}", slow.times);
    let late = ask(&upstream, Protocol::Chat, ScriptedFault::DelayedHead(pause * 5), PATIENCE);
    assert!(late.is_whole && late.times[0] >= pause * 5);
}

#[test]
fn answers_without_end() {
    let upstream = upstream();
    let patience = Duration::from_millis(400);
    let silent = ask(&upstream, Protocol::Messages, ScriptedFault::SilentBefore(1), patience);
    assert!(!silent.is_whole && !silent.is_reset && silent.times.len() == 2);
    let pause = Duration::from_millis(20);
    let endless = ask(
        &upstream,
        Protocol::Messages,
        ScriptedFault::EndlessKeepAlives { before: 1, pause },
        patience,
    );
    assert!(!endless.is_whole && endless.text().matches("event: ping").count() >= 3);
    // Its client has gone, and it notices.
    let end = Instant::now() + PATIENCE;
    while upstream.connection_count() > 0 && Instant::now() < end {
        std::thread::sleep(pause);
    }
    let became: Vec<_> = upstream.received_requests().iter().map(|seen| seen.delivery()).collect();
    assert_eq!((upstream.connection_count(), became), (0, vec![AnswerDelivery::Dropped; 2]));
}

#[test]
fn what_was_sent_is_told() {
    let upstream = upstream();
    for is_stream in [true, false] {
        let body = json!({"model": "m", "messages": [], "stream": is_stream}).to_string();
        let path = path(Protocol::Chat, is_stream);
        ask_for(upstream.address(), path, "", body.as_bytes(), PATIENCE);
    }
    let end = Instant::now() + PATIENCE;
    let is_told =
        || upstream.received_requests().iter().all(|seen| seen.delivery() == AnswerDelivery::Sent);
    while !is_told() && Instant::now() < end {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(is_told() && upstream.received_requests().len() == 2);
}

#[test]
fn a_client_that_leaves_before_the_answer_is_noticed() {
    let upstream = upstream();
    let late = ScriptedFault::DelayedHead(Duration::from_secs(60));
    upstream.set_script(ReplyScript::always(ScriptedOutcome {
        fault: late,
        ..ScriptedOutcome::from(ModelReply::from_text("late"))
    }));
    let mut stream = TcpStream::connect(upstream.address()).expect("it listens");
    let head = "POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 15\r\n\r\n";
    stream.write_all(format!("{head}{{\"messages\":[]}}").as_bytes()).expect("it reads");
    assert_eq!(upstream.wait_for_requests(1, PATIENCE).len(), 1);
    drop(stream);
    let end = Instant::now() + PATIENCE;
    while upstream.received_requests()[0].delivery() != AnswerDelivery::Dropped {
        assert!(Instant::now() < end, "it is not noticed");
        std::thread::sleep(Duration::from_millis(5));
    }
}
