//! Faults: every answer is complete or an error, and no request waits for ever.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::time::{Duration, Instant};

use foveal_mock_provider::{ModelReply, ReplyScript, ScriptedFault, ScriptedOutcome};
use foveal_protocols::prompt::ApiDialect;
use foveal_providers::{LlmError, ModelRequestLimits};

use crate::world::{PATIENCE, World, run};

fn then_well(fault: ScriptedFault) -> ReplyScript {
    let broken = ScriptedOutcome {
        fault,
        ..ScriptedOutcome::from(ModelReply::from_text("An answer that something happens to."))
    };
    ReplyScript::in_order([broken, ScriptedOutcome::from(ModelReply::from_text("All is well."))])
}

#[test]
fn what_breaks_off_anywhere_is_asked_again_and_told() {
    let mut faults = vec![ScriptedFault::ResetBeforeHead, ScriptedFault::ResetAfterHead];
    for event in 0..4 {
        faults.extend([
            ScriptedFault::ResetInEvent(event),
            ScriptedFault::TruncatedBefore(event),
            ScriptedFault::ErrorEvent(event),
        ]);
    }
    for dialect in ApiDialect::ALL {
        for fault in &faults {
            let world = World::new(then_well(*fault));
            let came = run(world.ask(dialect));
            let said = came.said.unwrap_or_else(|error| panic!("{dialect:?} {fault:?}: {error}"));
            assert!(said.is_complete());
            assert_eq!(came.text, "All is well.", "{dialect:?} {fault:?}");
            assert_eq!(came.again.len(), 1, "{dialect:?} {fault:?}");
            assert_eq!(world.upstream.request_count(), 2);
        }
    }
}

#[test]
fn a_server_that_goes_on_failing_is_left() {
    let world = World::new(ReplyScript::always(ScriptedFault::TruncatedBefore(2)));
    let came = run(world.ask(ApiDialect::Messages));
    assert!(matches!(came.said, Err(LlmError::Interrupted { .. })));
    assert_eq!(world.upstream.request_count(), 2);
}

#[test]
fn storms_of_429_end() {
    let busy = |retry_after_s| ScriptedFault::Status { status: 429, retry_after_s };
    // For as long as the server asks.
    let patient = ModelRequestLimits { wait_max: Duration::from_secs(2), ..PATIENCE };
    let world = World::patient(then_well(busy(Some(1))), patient);
    let (came, took) = world.timed(ApiDialect::Chat);
    assert!(came.said.is_ok() && took >= Duration::from_secs(1), "{took:?}");
    // For ever.
    let world = World::new(ReplyScript::always(busy(None)));
    let came = run(world.ask(ApiDialect::Chat));
    assert!(matches!(came.said, Err(LlmError::RateLimited { status: 429, .. })));
    assert_eq!(world.upstream.request_count(), 2);
    // Longer than the limit.
    let world = World::new(then_well(busy(Some(3_600))));
    let (came, took) = world.timed(ApiDialect::Chat);
    assert!(matches!(came.said, Err(LlmError::RateLimited { wait: Some(_), .. })));
    assert!(world.upstream.request_count() == 1 && took < PATIENCE.head_time, "{took:?}");
}

#[test]
fn what_cannot_pass_is_not_asked_again() {
    for (status, is_it) in [
        (401, (|error| matches!(error, LlmError::KeyRejected { .. })) as fn(&LlmError) -> bool),
        (404, |error| matches!(error, LlmError::UnknownModel { .. })),
        (400, |error| matches!(error, LlmError::RequestRejected { .. })),
        (307, |error| matches!(error, LlmError::Redirect { .. })),
    ] {
        for dialect in ApiDialect::ALL {
            let world =
                World::new(then_well(ScriptedFault::Status { status, retry_after_s: None }));
            let error = run(world.ask(dialect)).said.expect_err("an error");
            assert!(is_it(&error), "{status}: {error}");
            assert_eq!(world.upstream.request_count(), 1, "{status}");
        }
    }
}

#[test]
fn a_failing_server_may_recover() {
    for status in [500, 503, 529] {
        let world = World::new(then_well(ScriptedFault::Status { status, retry_after_s: None }));
        assert_eq!(run(world.ask(ApiDialect::Messages)).text, "All is well.");
    }
}

#[test]
fn nothing_waits_for_ever() {
    // No head, no further event, and keep-alives without end.
    for (fault, most) in [
        (ScriptedFault::DelayedHead(Duration::from_secs(60)), PATIENCE.head_time),
        (ScriptedFault::SilentBefore(2), PATIENCE.silence_time),
        (
            ScriptedFault::EndlessKeepAlives { before: 2, pause: Duration::from_millis(50) },
            PATIENCE.answer_time,
        ),
    ] {
        let world = World::new(ReplyScript::always(fault));
        let (came, took) = world.timed(ApiDialect::Messages);
        assert!(
            matches!(came.said, Err(LlmError::ResponseTimeout { .. } | LlmError::Stalled { .. })),
            "{fault:?}"
        );
        assert!(took >= most * 2, "{fault:?}: {took:?}");
        assert_eq!(world.upstream.request_count(), 2);
    }
}

/// A slow answer is accepted.
#[test]
fn an_answer_may_take_its_time() {
    let fault = ScriptedFault::Slow { bytes: 200, pause: Duration::from_millis(20) };
    let play = ScriptedOutcome {
        fault,
        ..ScriptedOutcome::from(ModelReply::from_text("An answer of some words."))
    };
    let world = World::new(ReplyScript::always(play));
    let came = run(world.ask(ApiDialect::Responses));
    assert_eq!(came.text, "An answer of some words.");
    assert!(came.again.is_empty());
}

#[test]
fn an_empty_answer_is_asked_for_again() {
    for dialect in ApiDialect::ALL {
        let plays = [ModelReply::default(), ModelReply::from_text("All is well.")];
        let world = World::new(ReplyScript::in_order(plays));
        let came = run(world.ask(dialect));
        assert_eq!(came.text, "All is well.");
        assert!(matches!(came.again[..], [LlmError::EmptyAnswer { .. }]));
    }
    // Only a few times: the model has nothing to say.
    let patient = ModelRequestLimits { retries: 9, ..PATIENCE };
    let world = World::patient(ReplyScript::always(ModelReply::default()), patient);
    assert!(matches!(run(world.ask(ApiDialect::Chat)).said, Err(LlmError::EmptyAnswer { .. })));
    assert_eq!(world.upstream.request_count(), 3);
}

#[test]
fn a_server_that_is_not_there_is_told_at_once() {
    let world = World::new(ReplyScript::always(ModelReply::from_text("hi")));
    let spec =
        "ollama:m@http://127.0.0.1:1".parse::<foveal_providers::ModelSpec>().expect("a model");
    let server = spec.to_server(None);
    let started = Instant::now();
    let error = run(world.client.stream_answer(&server, "{}", 0, &mut |_| {}))
        .expect_err("nobody is there");
    assert!(started.elapsed() < PATIENCE.head_time);
    assert!(
        matches!(&error, LlmError::Unreachable { reason, .. } if reason.contains("refused")),
        "{error}"
    );
}

/// A caller that no longer waits drops the request, and the server sees the closed connection.
#[test]
fn a_question_can_be_dropped_at_any_point() {
    for fault in [
        ScriptedFault::DelayedHead(Duration::from_secs(60)),
        ScriptedFault::SilentBefore(0),
        ScriptedFault::SilentBefore(2),
    ] {
        let world = World::new(ReplyScript::always(fault));
        run(async {
            let asked =
                tokio::time::timeout(Duration::from_millis(100), world.ask(ApiDialect::Chat));
            assert!(asked.await.is_err(), "{fault:?}");
            let mut left = 200;
            while world.upstream.connection_count() > 0 && left > 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
                left -= 1;
            }
        });
        assert_eq!(world.upstream.connection_count(), 0, "{fault:?}");
    }
}

/// A server that sends an endless line.
fn without_end() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let mut stream = stream.expect("a client");
            let _ = stream.read(&mut [0; 65_536]);
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
            let mut write = stream.write_all(head.as_bytes());
            while write.is_ok() {
                write = stream.write_all(&[b'a'; 8_192]);
            }
        }
    });
    address
}

#[test]
fn an_answer_without_end_is_broken_off() {
    let spec = format!("chat:m@http://{}", without_end()).parse::<foveal_providers::ModelSpec>();
    let server = spec.expect("a model").to_server(None);
    let minute = Duration::from_secs(60);
    let patience =
        ModelRequestLimits { answer_bytes_max: 1 << 20, answer_time: minute, ..PATIENCE };
    let patience = ModelRequestLimits { silence_time: minute, ..patience };
    let client =
        foveal_providers::LlmClient::new(patience, &foveal_providers::ProxySettings::default())
            .expect("a client");
    let error =
        run(client.stream_answer(&server, "{}", 0, &mut |_| {})).expect_err("it never ends");
    assert!(matches!(error, LlmError::Interrupted { .. }), "{error}");
}

/// Some servers hold the connection open after the last event; the client does not wait for them.
#[test]
fn an_answer_is_over_with_its_last_event() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let (over, end) = std::sync::mpsc::channel::<()>();
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let _ = stream.read(&mut [0; 65_536]);
        let said = r#"{"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}"#;
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
        let answer = format!("{head}data: {said}\n\ndata: [DONE]\n\n");
        stream.write_all(answer.as_bytes()).expect("the client reads");
        // Until the client is done, or the test fails.
        let _ = end.recv_timeout(Duration::from_secs(20));
    });
    let spec = format!("chat:m@http://{address}").parse::<foveal_providers::ModelSpec>();
    let server = spec.expect("a model").to_server(None);
    let patience = ModelRequestLimits { silence_time: Duration::from_secs(15), ..PATIENCE };
    let patience = ModelRequestLimits { answer_time: Duration::from_secs(15), ..patience };
    let client =
        foveal_providers::LlmClient::new(patience, &foveal_providers::ProxySettings::default())
            .expect("a client");
    let asked = async {
        let mut on_event = |_| {};
        let asked = client.stream_answer(&server, "{}", 0, &mut on_event);
        tokio::time::timeout(Duration::from_secs(10), asked).await.map(Result::ok)
    };
    let said = run(asked).ok().flatten();
    drop(over);
    serving.join().expect("it served");
    assert!(said.is_some_and(|said| said.is_complete()));
}
