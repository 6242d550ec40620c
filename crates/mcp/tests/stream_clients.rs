//! Stream clients that send invalid input or too much of it, or do not read.

use std::time::Duration;

use foveal_mcp::stdio;
use foveal_tools::tool_table::ToolSet;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

use crate::delivery::{Plain, call, cancel, run};
use crate::http::message;
use crate::world::{Desk, World, params};

#[tokio::test]
async fn what_is_no_message_is_answered_with_what_it_is() {
    let world = World::new(ToolSet::Full);
    let mut client = Plain::connect(&world).await;
    for (line, code, id) in [
        ("{", -32700, Value::Null),
        ("nonsense", -32700, Value::Null),
        (&"[".repeat(100_000), -32700, Value::Null),
        ("[]", -32600, Value::Null),
        (r#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":[1],"method":"ping"}"#, -32600, Value::Null),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, Value::Null),
        (r#"{"id":3,"method":"ping"}"#, -32600, json!(3)),
        (r#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":[1]}"#, -32600, json!(4)),
        (r#"{"jsonrpc":"2.0","id":"e","method":"no/such"}"#, -32601, json!("e")),
    ] {
        client.send(line).await;
        let answer = client.answer().await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(code), &id), "{line:.80}");
    }
    // What is no request has no answer, and nothing ends.
    for line in ["", r#"{"method":7}"#, r#"{"jsonrpc":"2.0","id":9,"result":{}}"#] {
        client.send(line).await;
    }
    client.send(&message(8, "ping", &json!({}))).await;
    assert_eq!(client.answer().await["id"], 8);
}

#[tokio::test]
async fn a_line_without_end_is_told_once_and_not_kept() {
    let world = World::new(ToolSet::Full);
    let mut client = Plain::connect(&world).await;
    let part = "x".repeat(1 << 20);
    for _ in 0..40 {
        client.send_part(&part).await;
    }
    let answer = client.answer().await;
    assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &Value::Null));
    client.send("").await;
    client.send(&message(8, "ping", &json!({}))).await;
    assert_eq!(client.answer().await["id"], 8);
}

/// Sends requests until none is accepted for a while, or `most` were sent. Returns their number.
async fn send_until_full(
    output: &mut (impl AsyncWriteExt + Unpin),
    most: u64,
    line: impl Fn(u64) -> String,
) -> u64 {
    for id in 1..=most {
        let line = line(id) + "\n";
        let sent = output.write_all(line.as_bytes());
        if tokio::time::timeout(Duration::from_millis(1_500), sent).await.is_err() {
            return id - 1;
        }
    }
    most
}

#[tokio::test]
async fn a_client_that_does_not_read_is_not_read_either() {
    for (method, most) in [("tools/list", 20_000), ("no/such", 300_000)] {
        let world = World::new(ToolSet::Full);
        let (near, far) = tokio::io::duplex(1 << 16);
        let server = world.server.clone();
        let serving = tokio::spawn(async move {
            let (input, output) = tokio::io::split(far);
            stdio::serve_streams(&server, input, output, CancellationToken::new()).await
        });
        let (input, mut output) = tokio::io::split(near);
        let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        let begin = message(0, "initialize", &params);
        output.write_all(format!("{begin}\n").as_bytes()).await.unwrap();
        let line = |id| message(id, method, &json!({}));
        let sent = send_until_full(&mut output, most, line).await;
        assert!(sent < most, "{method}: all of {sent} were taken");
        // Once it reads, everything that was taken is answered, each once.
        let mut lines = BufReader::new(input).lines();
        let mut answered = 0;
        while answered < sent {
            let line = tokio::time::timeout(Duration::from_secs(20), lines.next_line());
            let answer: Value =
                serde_json::from_str(&line.await.unwrap().unwrap().unwrap()).unwrap();
            answered += u64::from(answer["id"].as_u64().is_some_and(|id| id > 0));
        }
        drop((lines, output));
        serving.await.unwrap().unwrap();
    }
}

#[tokio::test]
async fn cancellations_and_answers_pass_where_much_waits() {
    let world = World::new(ToolSet::Full);
    let mut client = Plain::connect(&world).await;
    // Each is under way for long, and more wait than may be begun.
    for id in 1..=200 {
        client.send(&run(id, "sleep 60")).await;
    }
    client.send(&run(300, "echo last")).await;
    for id in 1..=200 {
        client.send(&cancel(id)).await;
    }
    let answer = client.answer().await;
    assert_eq!(answer["id"], 300, "{answer}");
}

#[tokio::test]
async fn too_many_requests_are_refused_and_not_kept() {
    let world = World::new(ToolSet::Full);
    let mut client = Plain::connect(&world).await;
    for id in 1..=400 {
        client.send(&run(id, "sleep 60")).await;
    }
    let refused = client.answer().await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    assert!(refused["id"].as_u64().unwrap() > 300, "{refused}");
}

#[tokio::test]
async fn many_quick_requests_at_once_are_all_answered() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk::default()).await;
    let asks = (0..2_000).map(|_| client.list_tools(None));
    assert!(crate::sessions::futures_of(asks).await.into_iter().all(|answer| answer.is_ok()));
}

#[tokio::test]
async fn a_question_is_answered_where_much_waits() {
    let world = World::new(ToolSet::Full);
    let client = world.connect(Desk { choice: Some("once"), ..Desk::default() }).await;
    let asks = (0..150).map(|_| client.call_tool(params("bash", json!({"command": "echo asked"}))));
    for answer in crate::sessions::futures_of(asks).await {
        assert_eq!(answer.unwrap().is_error, Some(false));
    }
}

#[tokio::test]
async fn what_was_said_before_the_end_is_still_done() {
    let world = World::new(ToolSet::Full);
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = world.server.clone();
    let serving = tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        stdio::serve_streams(&server, input, output, CancellationToken::new()).await
    });
    let (mut input, mut output) = tokio::io::split(near);
    let params = json!({"protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let mut lines = message(0, "initialize", &params) + "\n";
    for id in 1..=100 {
        lines += &(call(id, "bash", &json!({"command": format!("echo done > f{id}")})) + "\n");
    }
    output.write_all(lines.as_bytes()).await.unwrap();
    output.shutdown().await.unwrap();
    let mut answers = Vec::new();
    let read = input.read_to_end(&mut answers);
    tokio::time::timeout(Duration::from_secs(20), read).await.unwrap().unwrap();
    serving.await.unwrap().unwrap();
    assert!((1..=100).all(|id| world.folder.path().join(format!("f{id}")).exists()));
}
