//! Answers point only at content that was delivered before the call arrived: concurrent calls, and
//! clients that break off, cancel, or reuse an id.

use std::time::Duration;

use foveal_mcp::stdio;
use foveal_tools::tool_table::ToolSet;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines, ReadHalf};
use tokio::io::{DuplexStream, WriteHalf};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;

use crate::http::{Served, message, serve};
use crate::world::{World, lines};

/// A line in the middle of the file.
const LINE: &str = "line number 45";

/// A client at the other end of two streams, driven message by message.
pub(crate) struct Plain {
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
}

impl Plain {
    pub(crate) async fn connect(world: &World) -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let server = world.server.clone();
        tokio::spawn(async move {
            let (input, output) = tokio::io::split(far);
            stdio::serve_streams(&server, input, output, CancellationToken::new()).await
        });
        let (input, output) = tokio::io::split(near);
        let mut client = Self { input: BufReader::new(input).lines(), output };
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        client.send(&message(0, "initialize", &params)).await;
        client.answer().await;
        client.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
        client
    }

    pub(crate) async fn send(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// Sends bytes without a line end.
    pub(crate) async fn send_part(&mut self, part: &str) {
        self.output.write_all(part.as_bytes()).await.unwrap();
    }

    pub(crate) async fn answer(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(20), self.input.next_line());
        serde_json::from_str(&line.await.unwrap().unwrap().expect("the server goes on")).unwrap()
    }

    /// Returns the answers to `count` requests by id.
    async fn answers(&mut self, count: usize) -> Vec<(u64, String)> {
        let mut answers = Vec::new();
        for _ in 0..count {
            let answer = self.answer().await;
            answers.push((answer["id"].as_u64().unwrap(), text(&answer)));
        }
        answers
    }

    /// Reads the file and returns whether all of it was sent.
    async fn is_whole(&mut self, id: u64, path: &str) -> bool {
        self.send(&read(id, path)).await;
        let answer = self.answer().await;
        assert_eq!(answer["id"], id, "{answer}");
        text(&answer).contains(LINE)
    }
}

fn text(answer: &Value) -> String {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_default().to_owned()
}

fn read(id: u64, path: &str) -> String {
    call(id, "read_file", &json!({"path": path}))
}

pub(crate) fn run(id: u64, command: &str) -> String {
    call(id, "bash", &json!({"command": command}))
}

pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> String {
    message(id, "tools/call", &json!({"name": tool, "arguments": arguments}))
}

pub(crate) fn cancel(id: u64) -> String {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}})
        .to_string()
}

fn world() -> World {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    world.write("b.txt", lines().replace("the file", "another"));
    world
}

#[tokio::test]
async fn a_slow_command_is_not_told_of_the_read_beside_it() {
    let world = world();
    for round in 0..3 {
        let mut client = Plain::connect(&world).await;
        // The read is answered long before the command, which asked first.
        client.send(&run(1, "sleep 0.3; cat a.txt")).await;
        client.send(&read(2, "a.txt")).await;
        for (id, text) in client.answers(2).await {
            assert!(text.contains(LINE), "round {round}, {id}: {text}");
        }
        // What both were given counts for all that comes after.
        assert!(!client.is_whole(3, "a.txt").await);
    }
}

#[tokio::test]
async fn of_calls_at_once_none_is_pointed_at_what_comes_after_it() {
    let world = world();
    for _ in 0..10 {
        let mut client = Plain::connect(&world).await;
        let calls: Vec<String> = (1..=8)
            .map(|id| match id % 2 {
                0 => read(id, "a.txt"),
                _ => run(id, "cat a.txt"),
            })
            .collect();
        client.send(&calls.join("\n")).await;
        let answers = client.answers(8).await;
        for (at, (id, text)) in answers.iter().enumerate() {
            let is_there =
                answers[..at].iter().any(|(earlier, text)| earlier < id && text.contains(LINE));
            assert!(text.contains(LINE) || is_there, "{id} was answered with {text}");
        }
    }
}

#[tokio::test]
async fn an_answer_that_was_cancelled_is_not_pointed_at_and_takes_nothing_away() {
    let world = world();
    let mut client = Plain::connect(&world).await;
    assert!(client.is_whole(1, "a.txt").await);
    for id in [10, 20, 30, 40] {
        // Whether the call has an answer by now or not: nobody takes it.
        client.send(&read(id, "b.txt")).await;
        client.send(&cancel(id)).await;
        tokio::time::sleep(Duration::from_millis(id)).await;
        client.send(&run(id + 1, "echo between")).await;
        let mut answer = client.answer().await;
        let was_sent = answer["id"] == id;
        if was_sent {
            answer = client.answer().await;
        }
        assert_eq!(answer["id"], id + 1, "{answer}");
        assert!(!client.is_whole(id + 2, "a.txt").await, "{id}");
        if !was_sent {
            assert!(client.is_whole(id + 3, "b.txt").await, "{id}");
        }
        let forget = call(id + 4, "reset", &json!({}));
        client.send(&forget).await;
        client.answer().await;
        assert!(client.is_whole(id + 5, "a.txt").await);
    }
}

#[tokio::test]
async fn an_id_that_is_in_use_is_refused() {
    let world = world();
    let mut client = Plain::connect(&world).await;
    client.send(&run(7, "sleep 0.3; echo first")).await;
    client.send(&run(7, "echo second > second")).await;
    let refused = client.answer().await;
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(7), &json!(-32600)));
    let answered = client.answer().await;
    assert_eq!((&answered["id"], &*text(&answered)), (&json!(7), "first\n"));
    assert!(!world.folder.path().join("second").exists());
    // Once it is answered it may be used again.
    client.send(&run(7, "echo third")).await;
    assert_eq!(text(&client.answer().await), "third\n");
}

/// Sends a request and neither sends nor reads anything after it.
pub(crate) async fn post(served: &Served, session: &str, body: &str) -> TcpStream {
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\naccept: application/json, text/event-stream\r\n\
         content-type: application/json\r\nmcp-session-id: {session}\r\n\
         content-length: {}\r\n\r\n{body}",
        served.address,
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn what_a_client_closed_without_reading_is_not_pointed_at() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    for wait_ms in [0, 1, 5, 20, 200, 500] {
        let session = served.begin().await;
        let stream = post(&served, &session, &read(9, "a.txt")).await;
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        drop(stream);
        let again = served.read_in(&session).await;
        assert!(again.text().contains(LINE), "{wait_ms}: {}", again.body);
        assert!(!served.read_in(&session).await.text().contains(LINE));
    }
}

#[tokio::test]
async fn what_a_client_closed_while_a_call_runs_is_not_pointed_at() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let session = served.begin().await;
    let stream = post(&served, &session, &run(9, "sleep 0.2; cat a.txt")).await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    drop(stream);
    tokio::time::sleep(Duration::from_millis(500)).await;
    assert!(served.read_in(&session).await.text().contains(LINE));
}

#[tokio::test]
async fn what_a_client_has_read_is_pointed_at_also_on_one_connection() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let session = served.begin().await;
    let mut stream = post(&served, &session, &read(2, "a.txt")).await;
    let mut seen = Vec::new();
    // The answer, before the body ends.
    while !String::from_utf8_lossy(&seen).contains("line number 90") {
        assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
    }
    assert!(!served.read_in(&session).await.text().contains(LINE));
}

#[tokio::test]
async fn what_a_client_has_read_is_pointed_at_also_if_it_went_at_once() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    for round in 0..20 {
        let session = served.begin().await;
        let mut stream = post(&served, &session, &read(2, "a.txt")).await;
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains("line number 90") {
            assert_ne!(stream.read_buf(&mut seen).await.unwrap(), 0);
        }
        drop(stream);
        // What the server writes to a client that is gone comes back to it.
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!served.read_in(&session).await.text().contains(LINE), "{round}");
    }
}

#[tokio::test]
async fn equal_ids_do_not_cross() {
    let world = world();
    let served = serve(&world, |_| {}).await;
    let (one, two) = (served.begin().await, served.begin().await);
    let headers = |session: &str| vec![("mcp-session-id".to_owned(), session.to_owned())];
    let ask = async |session: &str, command: &str| {
        let headers = headers(session);
        let headers: Vec<(&str, &str)> = headers.iter().map(|(k, v)| (&**k, &**v)).collect();
        served.request("POST", &headers, &run(5, command)).await
    };
    // In two sessions each has its own answer, whichever comes first.
    let (slow, fast) =
        tokio::join!(ask(&one, "sleep 0.3; cat a.txt"), ask(&two, "cat a.txt; echo two"));
    assert!(slow.text().contains(LINE) && !slow.text().ends_with("two\n"), "{}", slow.body);
    assert!(fast.text().contains(LINE) && fast.text().ends_with("two\n"), "{}", fast.body);
    assert!(!served.read_in(&one).await.text().contains(LINE));
    // In one, the second is refused and the first answered.
    let late = async {
        tokio::time::sleep(Duration::from_millis(100)).await;
        ask(&one, "echo second > second").await
    };
    let (first, second) = tokio::join!(ask(&one, "sleep 0.4; echo first"), late);
    assert_eq!(first.text(), "first\n", "{}", first.body);
    assert_eq!((second.status, &second.answer()["error"]["code"]), (400, &json!(-32600)));
    assert!(!world.folder.path().join("second").exists());
    assert_eq!(ask(&one, "echo third").await.text(), "third\n");
}
