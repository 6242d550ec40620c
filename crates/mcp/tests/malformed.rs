//! Invalid input, and clients of protocol versions without `initialize`.

use foveal_mcp::stdio;
use foveal_tools::tool_table::ToolSet;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio_util::sync::CancellationToken;

use crate::world::{World, lines};

/// Sends lines and returns the answers up to the one with id `last`.
async fn exchange(world: &World, lines: &[&[u8]], last: u64) -> Vec<Value> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = world.server.clone();
    let serving = tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        stdio::serve_streams(&server, input, output, CancellationToken::new()).await
    });
    let (input, mut output) = tokio::io::split(near);
    for line in lines {
        output.write_all(line).await.unwrap();
        output.write_all(b"\n").await.unwrap();
    }
    let mut answers = Vec::new();
    let mut input = BufReader::new(input).lines();
    while answers.last().is_none_or(|answer: &Value| answer["id"] != last) {
        let line = input.next_line().await.unwrap().expect("the server goes on");
        answers.push(serde_json::from_str(&line).unwrap());
    }
    drop((input, output));
    serving.await.unwrap().unwrap();
    answers
}

const INITIALIZE: &[u8] = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
const INITIALIZED: &[u8] = br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#;
const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":9,"method":"tools/list"}"#;

#[tokio::test]
async fn malformed_messages_end_nothing() {
    let world = World::new(ToolSet::Lean);
    let deep = [b"[".repeat(100_000), b"]".repeat(100_000)].concat();
    let long = [br#"{"jsonrpc":"2.0","id":3,"method":""#.to_vec(), b"x".repeat(1 << 20)].concat();
    let bad: &[&[u8]] = &[
        b"",
        b"not json",
        b"{",
        b"\xff\xfe\x00",
        b"null",
        b"[]",
        b"42",
        br#"{"jsonrpc":"2.0"}"#,
        br#"{"jsonrpc":"1.0","id":2,"method":"tools/list"}"#,
        br#"{"id":2}"#,
        br#"{"jsonrpc":"2.0","id":{},"method":"tools/list"}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":7}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call"}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":[]}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":5}}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"read_file","arguments":"a"}}"#,
        br#"{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{}}"#,
        br#"{"jsonrpc":"2.0","id":2,"result":{}}"#,
        br#"{"jsonrpc":"2.0","id":2,"error":{"code":1,"message":""}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}"#,
        br#"{"jsonrpc":"2.0","method":"notifications/foveal/reset","params":5}"#,
        &deep,
        &long,
    ];
    // After the beginning, and before it.
    let mut begun = vec![INITIALIZE, INITIALIZED];
    begun.extend(bad);
    begun.push(LIST);
    let answers = exchange(&world, &begun, 9).await;
    let last = answers.last().unwrap();
    assert_eq!(last["result"]["tools"].as_array().unwrap().len(), 6, "{last}");

    let is_request = |line: &&&[u8]| line.windows(8).any(|part| part == b"\"method\"");
    let mut before: Vec<&[u8]> = bad.iter().filter(|line| !is_request(line)).copied().collect();
    before.extend([INITIALIZED, INITIALIZE, INITIALIZED, LIST]);
    let answers = exchange(&world, &before, 9).await;
    assert_eq!(answers.last().unwrap()["result"]["tools"].as_array().unwrap().len(), 6);
}

#[tokio::test]
async fn parameters_that_are_none_are_told_what_is_wrong() {
    let world = World::new(ToolSet::Full);
    for (method, params, code, expected) in [
        ("tools/call", None, -32602, "tools/call: params are missing; give `name`"),
        ("tools/call", Some(json!(null)), -32602, "params are missing"),
        ("tools/call", Some(json!({})), -32602, "`name` is missing; give `name`"),
        ("tools/call", Some(json!({"name": 5})), -32602, "`name` is a number, no string"),
        (
            "tools/call",
            Some(json!({"name": "read_file", "arguments": "a"})),
            -32602,
            "`arguments` is a string, no object",
        ),
        (
            "tools/call",
            Some(json!({"name": "read_file", "arguments": [1]})),
            -32602,
            "`arguments` is an array, no object; give `name`",
        ),
        (
            "tools/call",
            Some(json!({"name": "reset", "requestState": 1})),
            -32602,
            "expected a string",
        ),
        ("resources/read", Some(json!({})), -32602, "missing field `uri`; give `uri`"),
        ("logging/setLevel", Some(json!({"level": "loud"})), -32602, "give `level`: debug"),
        ("no/such", Some(json!({})), -32601, "there is no method `no/such` here"),
    ] {
        let mut request = json!({"jsonrpc": "2.0", "id": 9, "method": method});
        if let Some(params) = &params {
            request["params"] = params.clone();
        }
        let request = request.to_string();
        let lines = [INITIALIZE, INITIALIZED, request.as_bytes()];
        let answers = exchange(&world, &lines, 9).await;
        let error = &answers.last().unwrap()["error"];
        assert_eq!(error["code"], code, "{request}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(expected), "{request}: {message}");
    }
    // What the protocol lets be left away may be left away.
    let bare = br#"{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"terminals"}}"#;
    let answers = exchange(&world, &[INITIALIZE, INITIALIZED, bare], 9).await;
    assert_eq!(answers.last().unwrap()["result"]["isError"], false);
}

#[tokio::test]
async fn clients_without_initialize_are_served() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "elicitation": {"form": {}}},
    });
    let request = |id: u64, method: &str, mut params: Value| {
        params["_meta"] = meta.clone();
        json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
    };
    let read = json!({"name": "read_file", "arguments": {"path": "a.txt"}});
    let ask = json!({"name": "bash", "arguments": {"command": "touch asked"}});
    let requests = [
        request(1, "server/discover", json!({})),
        request(2, "tools/call", read.clone()),
        request(3, "tools/call", read),
        request(4, "tools/call", ask),
    ];
    // One after the other: what the second gets hangs on the first.
    let requests: Vec<&[u8]> = requests.iter().map(|request| request.as_bytes()).collect();
    let answers = in_turn(&world, &requests).await;
    let server = &answers[0]["result"]["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(server["name"], "foveal", "{}", answers[0]);
    let text = |at: usize| answers[at]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text(1).contains("line number 45"));
    // A connection over streams has one client.
    assert!(!text(2).contains("line number 45"), "{}", text(2));
    // Nobody can be asked while the call runs: it is made again with the answer.
    let asked = &answers[3]["result"];
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    assert!(!world.folder.path().join("asked").exists());
    let key = asked["inputRequests"].as_object().unwrap().keys().next().unwrap();
    let mut ask = json!({"name": "bash", "arguments": {"command": "touch asked"}});
    ask["requestState"] = asked["requestState"].clone();
    for (action, is_error) in [("decline", true), ("accept", false)] {
        ask["inputResponses"] = json!({key: {"action": action}});
        let answers = in_turn(&world, &[request(5, "tools/call", ask.clone()).as_bytes()]).await;
        assert_eq!(answers[0]["result"]["isError"], is_error, "{}", answers[0]);
        assert_eq!(world.folder.path().join("asked").exists(), !is_error);
    }
}

#[tokio::test]
async fn what_a_question_kept_back_does_not_count_as_shown() {
    let world = World::new(ToolSet::Full);
    world.write("a.txt", lines());
    world.write("asked.txt", "asked\n");
    let call = |id: u64, name: &str, arguments: Value| {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}}},
        });
        let params = json!({"name": name, "arguments": arguments, "_meta": meta});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
    };
    let both = call(1, "read_files", json!({"paths": ["a.txt", "asked.txt"]}));
    let one = call(2, "read_file", json!({"path": "a.txt"}));
    let answers = in_turn(&world, &[both.as_bytes(), one.as_bytes()]).await;
    assert_eq!(answers[0]["result"]["resultType"], "input_required", "{}", answers[0]);
    let text = answers[1]["result"]["content"][0]["text"].as_str().unwrap();
    assert!(text.contains("line number 45"), "{text}");
}

/// Sends each request after the answer to the one before.
async fn in_turn(world: &World, requests: &[&[u8]]) -> Vec<Value> {
    let (near, far) = tokio::io::duplex(1 << 16);
    let server = world.server.clone();
    tokio::spawn(async move {
        let (input, output) = tokio::io::split(far);
        stdio::serve_streams(&server, input, output, CancellationToken::new()).await
    });
    let (input, mut output) = tokio::io::split(near);
    let mut input = BufReader::new(input).lines();
    let mut answers = Vec::new();
    for request in requests {
        output.write_all(&[request, &b"\n"[..]].concat()).await.unwrap();
        let line = input.next_line().await.unwrap().expect("the server goes on");
        answers.push(serde_json::from_str(&line).unwrap());
    }
    answers
}
