//! Upstreams that fail, clients that leave.

use std::time::Duration;

use foveal_gateway::exchange::ExchangeEnd;

use crate::support::{Act, Scripted, world};

#[tokio::test]
async fn an_upstream_that_breaks_off_is_seen_to() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\
                Transfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n";
    let script = vec![Act::Read, Act::write(head), Act::Wait, Act::Reset];
    let upstream = Scripted::start(vec![script]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.send("/v1/messages", &[], b"{}").await;
    client.read_until("data: 1\n\n").await;
    upstream.go_on();
    let (Ok(read) | Err(read)) = client.read_to_end().await;
    let read = String::from_utf8_lossy(&read).into_owned();
    // The received part arrives, without the end of a complete response.
    assert!(read.contains("data: 1\n\n") && !read.ends_with("0\r\n\r\n"), "{read}");
    assert_eq!(world.told(1).await[0].end, ExchangeEnd::UpstreamAborted);
}

#[tokio::test]
async fn an_upstream_that_never_answers_is_told_of_in_the_words_of_the_api() {
    for (path, is_in_words) in
        [("/v1/messages", "\"type\":\"error\""), ("/v1/responses", "\"param\"")]
    {
        let upstream = Scripted::start(vec![vec![Act::Read, Act::Reset]]).await;
        let world = world(upstream.address).await;
        let mut client = world.client().await;
        client.send(path, &[], b"{}").await;
        let answer = client.answer().await;
        assert_eq!(answer.status(), 502);
        assert!(answer.text().contains(is_in_words), "{}", answer.text());
        let begins = format!("foveal cannot reach http://{}: ", upstream.address);
        assert!(answer.text().contains(&begins), "{}", answer.text());
        assert_eq!(world.told(1).await[0].end, ExchangeEnd::UpstreamUnreachable);
    }
}

#[tokio::test]
async fn nobody_listens_upstream() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let world = world(gone).await;
    let mut client = world.client().await;
    client.send("/v1/chat/completions", &[], b"{}").await;
    let answer = client.answer().await;
    assert_eq!(answer.status(), 502);
    assert!(answer.text().contains("refused"), "{}", answer.text());
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_question() {
    // Before the response's head, and in the middle of its body.
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n";
    for early in [true, false] {
        let mut script = vec![Act::Read];
        if !early {
            script.push(Act::write(head));
        }
        script.push(Act::AwaitClose);
        let mut upstream = Scripted::start(vec![script]).await;
        let world = world(upstream.address).await;
        let mut client = world.client().await;
        client.send("/v1/messages", &[], b"{}").await;
        if early {
            while upstream.seen()[0].requests.is_empty() {
                tokio::time::sleep(Duration::from_millis(2)).await;
            }
        } else {
            client.read_until("data: 1").await;
        }
        drop(client);
        upstream.closed().await;
        assert_eq!(world.told(1).await[0].end, ExchangeEnd::ClientDisconnected);
    }
}

#[tokio::test]
async fn errors_of_the_upstream_pass_as_they_are() {
    let body = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let answer =
        format!("HTTP/1.1 529 \r\nretry-after: 7\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let script = vec![Act::Read, Act::write(&answer)];
    let upstream = Scripted::start(vec![script]).await;
    let world = world(upstream.address).await;
    let mut client = world.client().await;
    client.send("/v1/messages", &[], b"{}").await;
    let answer = client.answer().await;
    assert_eq!((answer.status(), answer.text()), (529, body.to_owned()));
    assert!(answer.head.contains("retry-after: 7"), "{}", answer.head);
    // Sent once: retries are up to the client.
    assert_eq!(upstream.seen()[0].requests.len(), 1);
}
