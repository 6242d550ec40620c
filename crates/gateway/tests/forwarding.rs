//! Forwarding: bytes, heads, and events as they arrive.

use foveal_gateway::exchange::ExchangeEnd;

use crate::support::{Act, Scripted, World, request_line, world};

const BODY: &[u8] = br#"{"model": "m",  "n": 1e400, "messages":[ ], "x":"\ud83d"}"#;

#[tokio::test]
async fn bodies_and_heads_pass_as_they_are() {
    let answer = "HTTP/1.1 418 I'm a teapot\r\nX-Odd: a\r\nx-odd: b\r\nrequest-id: r\r\n\
                  Content-Length: 5\r\n\r\nhello";
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(answer)]]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    let lines = ["X-Api-Key: k", "anthropic-beta: a,b", "X-App: cli", "Connection: keep-alive"];
    client.send("/v1/messages?beta=true&x=%20y", &lines, BODY).await;
    let answered = client.answer().await;
    assert_eq!(answered.status(), 418);
    assert_eq!(answered.text(), "hello");
    for line in ["X-Odd: a", "X-Odd: b", "request-id: r"] {
        assert!(answered.head.to_lowercase().contains(&line.to_lowercase()), "{}", answered.head);
    }
    let (head, body) = request_line(&upstream.request());
    assert_eq!(body, BODY);
    assert_eq!(head[0], "POST /v1/messages?beta=true&x=%20y HTTP/1.1");
    for line in ["X-Api-Key: k", "anthropic-beta: a,b", "X-App: cli"] {
        assert!(head.contains(&line.to_owned()), "{head:?}");
    }
    assert!(head.contains(&format!("Host: {}", upstream.address)), "{head:?}");
    assert!(!head.iter().any(|line| line.to_lowercase().starts_with("connection")), "{head:?}");
    let told = &world.told(1).await[0];
    assert_eq!((told.status, told.end), (418, ExchangeEnd::Complete));
    assert_eq!((told.bytes_received, told.bytes_sent, told.response_bytes), (57, 57, 5));
}

#[tokio::test]
async fn what_is_no_question_to_a_model_passes_too() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
    let upstream = Scripted::start(vec![vec![Act::Read, Act::write(answer)]]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    let head = "DELETE /v1/files/f_1?x HTTP/1.1\r\nHost: localhost\r\n\r\n";
    client.write(head.as_bytes()).await;
    assert_eq!(client.answer().await.text(), "{}");
    let (head, body) = request_line(&upstream.request());
    assert_eq!(head[0], "DELETE /v1/files/f_1?x HTTP/1.1");
    assert_eq!(body, b"");
}

#[tokio::test]
async fn each_event_passes_when_it_comes() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                Transfer-Encoding: chunked\r\n\r\n";
    let chunk = |text: &str| Act::Write(format!("{:x}\r\n{text}\r\n", text.len()).into_bytes());
    let script = vec![
        Act::Read,
        Act::write(head),
        chunk("event: ping\ndata: {}\n\n"),
        Act::Wait,
        chunk("data: 2\n\n"),
        Act::Wait,
        Act::write("0\r\n\r\n"),
    ];
    let upstream = Scripted::start(vec![script]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.send("/v1/messages", &[], BODY).await;
    // The upstream continues only once the client has received everything so far.
    client.read_until("event: ping\ndata: {}\n\n").await;
    upstream.go_on();
    client.read_until("data: 2\n\n").await;
    upstream.go_on();
    client.read_until("\r\n0\r\n\r\n").await;
    assert_eq!(world.told(1).await[0].end, ExchangeEnd::Complete);
}

#[tokio::test]
async fn connections_are_used_again() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
    let turn = || [Act::Read, Act::write(answer)];
    let script = turn().into_iter().chain(turn()).collect();
    let upstream = Scripted::start(vec![script]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    for _ in 0..2 {
        client.send("/v1/messages", &[], BODY).await;
        assert_eq!(client.answer().await.text(), "1");
    }
    assert_eq!(upstream.seen()[0].requests.len(), 2);
}

#[tokio::test]
async fn a_body_that_is_too_long_to_look_at_passes() {
    let answer = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n1";
    for lines in [&["X-A: b"][..], &[]] {
        let upstream = Scripted::start(vec![vec![Act::Read, Act::write(answer)]]).await;
        let world = World::start(upstream.address, |settings| {
            settings.limits.body_bytes = 100_000;
        });
        let world = world.await;
        let mut client = world.client().await;
        let body: Vec<u8> = (0..1_000_000_u32).map(|at| b'a' + (at % 23) as u8).collect();
        if lines.is_empty() {
            // A body without a declared length.
            let head = "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\n\
                        Transfer-Encoding: chunked\r\n\r\n";
            client.write(head.as_bytes()).await;
            for part in body.chunks(70_000) {
                client.write(format!("{:x}\r\n", part.len()).as_bytes()).await;
                client.write(part).await;
                client.write(b"\r\n").await;
            }
            client.write(b"0\r\n\r\n").await;
        } else {
            client.send("/v1/messages", lines, &body).await;
        }
        assert_eq!(client.answer().await.text(), "1");
        let told = &world.told(1).await[0];
        assert_eq!(
            told.failed_open.map(|it| it.description()),
            Some("the body is too long to process")
        );
        let (_, passed) = request_line(&upstream.request());
        if !lines.is_empty() {
            assert!(passed == body, "the body is another one");
        }
    }
}

#[tokio::test]
async fn what_an_answer_was_billed_is_read_while_it_passes() {
    let events = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m_1\",\
                  \"model\":\"claude-x\",\"usage\":{\"input_tokens\":7,\"cache_read_input_tokens\":90,\
                  \"cache_creation_input_tokens\":3,\"output_tokens\":1}}}\n\n\
                  event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":\
                  {\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":12}}\n\n\
                  event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    let zipped = zstd::stream::encode_all(events.as_bytes(), 1).unwrap();
    for (line, body) in [("X-A: b", events.as_bytes()), ("Content-Encoding: zstd", &zipped)] {
        let mut answer = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{line}\r\n\
             Content-Length: {}\r\n\r\n",
            body.len()
        )
        .into_bytes();
        answer.extend_from_slice(body);
        let upstream = Scripted::start(vec![vec![Act::Read, Act::Write(answer)]]).await;
        let world = world(upstream.address).await;
        let mut client = world.client().await;
        client.send("/v1/messages", &[], BODY).await;
        assert_eq!(client.answer().await.body, body);
        let answered = world.told(1).await[0].response.clone().expect("an answer of a model");
        let billed = answered.billed;
        assert_eq!((billed.uncached, billed.cache_read), (Some(7), Some(90)));
        assert_eq!((billed.cache_write_tokens(), billed.output), (Some(3), Some(12)));
        assert_eq!(answered.stop_reason.as_deref(), Some("end_turn"));
    }
}
