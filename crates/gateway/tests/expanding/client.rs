//! A client that keeps its history as its API has it.

use serde_json::{Value, json};

use crate::support::World;

/// A client of Anthropic's Messages.
pub(crate) struct MessagesClient {
    pub(crate) messages: Vec<Value>,
    pub(crate) stream: bool,
    pub(crate) tools: Value,
}

impl MessagesClient {
    pub(crate) fn new(stream: bool) -> Self {
        let tools = json!([{
            "name": "bash", "description": "Run a command", "input_schema": {"type": "object"},
        }]);
        Self { messages: Vec::new(), stream, tools }
    }

    pub(crate) fn body(&self) -> Vec<u8> {
        let body = json!({
            "model": "claude-sonnet-4-5", "max_tokens": 1_000, "stream": self.stream,
            "system": "You help.", "tools": self.tools, "messages": self.messages,
        });
        body.to_string().into_bytes()
    }

    /// Says something, and takes the answer into its history.
    pub(crate) async fn say(&mut self, world: &World, text: &str) -> Value {
        self.messages.push(json!({"role": "user", "content": text}));
        self.ask(world).await
    }

    /// Answers each call of the last answer with these results.
    pub(crate) async fn answer(&mut self, world: &World, results: &[&str]) -> Value {
        let last = self.messages.last().expect("an answer")["content"].clone();
        let ids = last.as_array().expect("parts").iter().filter_map(|part| part["id"].as_str());
        let results = ids.zip(results).map(
            |(id, result)| json!({"type": "tool_result", "tool_use_id": id, "content": result}),
        );
        self.messages.push(json!({"role": "user", "content": results.collect::<Vec<_>>()}));
        self.ask(world).await
    }

    pub(crate) async fn ask(&mut self, world: &World) -> Value {
        let text = post(world, "/v1/messages", &self.body()).await;
        let message = match self.stream {
            true => accumulated(&text),
            false => serde_json::from_str(&text).expect("JSON"),
        };
        if message["type"] == "message" {
            let content = message["content"].clone();
            self.messages.push(json!({"role": "assistant", "content": content}));
        }
        message
    }
}

/// What a stream says; its error, where it ends with one.
fn accumulated(stream: &str) -> Value {
    let mut message = Value::Null;
    let mut inputs: Vec<String> = Vec::new();
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let at = event["index"].as_u64().unwrap_or_default() as usize;
        match event["type"].as_str().expect("a type") {
            "message_start" => {
                assert!(message.is_null(), "a second start: {stream}");
                message = event["message"].clone();
            }
            "content_block_start" => {
                assert_eq!(at, inputs.len(), "indices go on: {stream}");
                message["content"]
                    .as_array_mut()
                    .expect("parts")
                    .push(event["content_block"].clone());
                inputs.push(String::new());
            }
            "content_block_delta" => {
                let (block, delta) = (&mut message["content"][at], &event["delta"]);
                for key in ["text", "thinking", "signature"] {
                    if let Some(more) = delta[key].as_str() {
                        block[key] = json!(block[key].as_str().expect("a text").to_owned() + more);
                    }
                }
                inputs[at].push_str(delta["partial_json"].as_str().unwrap_or_default());
            }
            "message_delta" => {
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                for (key, value) in event["usage"].as_object().expect("usage") {
                    message["usage"][key] = value.clone();
                }
            }
            "message_stop" => message["is_whole"] = json!(true),
            "error" => return event,
            _ => {}
        }
    }
    assert_eq!(message["is_whole"], true, "it came to its end: {stream}");
    message.as_object_mut().expect("a message").remove("is_whole");
    for (at, input) in inputs.iter().enumerate().filter(|(_, input)| !input.is_empty()) {
        message["content"][at]["input"] = serde_json::from_str(input).expect("JSON");
    }
    message
}

/// Asks, and reads the whole answer.
pub(crate) async fn post(world: &World, path: &str, body: &[u8]) -> String {
    let mut client = world.client().await;
    let lines = ["Content-Type: application/json", "Connection: close", "Accept-Encoding: gzip"];
    client.send(path, &lines, body).await;
    let (Ok(all) | Err(all)) = client.read_to_end().await;
    let all = String::from_utf8_lossy(&all).into_owned();
    let (head, body) = all.split_once("\r\n\r\n").expect("a head");
    match head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        true => unchunked(body),
        false => body.to_owned(),
    }
}

fn unchunked(mut body: &str) -> String {
    let mut all = String::new();
    while let Some((length, rest)) = body.split_once("\r\n") {
        let length = usize::from_str_radix(length.trim(), 16).expect("a length");
        if length == 0 {
            break;
        }
        all.push_str(&rest[..length]);
        body = &rest[length + 2..];
    }
    all
}
