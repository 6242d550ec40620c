//! OpenAI's Chat Completions.

use foveal_upstream::{Call, Fault, Play, Reply};
use serde_json::{Value, json};

use super::client::post;
use super::world::{EXPAND, Giving, bash, expand, handles, long, script};
use crate::support::World;

/// What the model says. Reasoning has no place of its own in later requests.
fn says(text: &str, calls: Vec<Call>) -> Play {
    Play::from(Reply { thinking: String::new(), text: text.to_owned(), calls })
}

/// A client that keeps its history.
struct Client {
    messages: Vec<Value>,
    stream: bool,
}

impl Client {
    fn new(stream: bool) -> Self {
        Self { messages: Vec::new(), stream }
    }

    async fn say(&mut self, world: &World, message: Value) -> Value {
        self.messages.push(message);
        self.ask(world).await
    }

    async fn answer(&mut self, world: &World, results: &[&str]) -> Value {
        let calls = self.messages.last().expect("an answer")["tool_calls"].clone();
        for (call, result) in calls.as_array().expect("calls").iter().zip(results) {
            let result = json!({"role": "tool", "tool_call_id": call["id"], "content": result});
            self.messages.push(result);
        }
        self.ask(world).await
    }

    async fn ask(&mut self, world: &World) -> Value {
        let function = json!({"name": "bash", "parameters": {"type": "object"}});
        let body = json!({
            "model": "gpt-5", "stream": self.stream, "messages": self.messages,
            "stream_options": {"include_usage": true},
            "tools": [{"type": "function", "function": function}],
        });
        let text = post(world, "/v1/chat/completions", body.to_string().as_bytes()).await;
        let document = match self.stream {
            true => accumulated(&text),
            false => serde_json::from_str(&text).expect("JSON"),
        };
        if document["error"].is_null() {
            self.messages.push(document["choices"][0]["message"].clone());
        }
        document
    }
}

/// What a stream says, in the form of a document.
fn accumulated(stream: &str) -> Value {
    let mut message = json!({"role": "assistant", "content": ""});
    let (mut usage, mut reason) = (Value::Null, Value::Null);
    for line in stream.lines().filter_map(|line| line.strip_prefix("data: ")) {
        if line == "[DONE]" {
            break;
        }
        let chunk: Value = serde_json::from_str(line).expect("JSON");
        if !chunk["error"].is_null() {
            return chunk;
        }
        if chunk["usage"].is_object() {
            usage = chunk["usage"].clone();
        }
        let Some(choice) = chunk["choices"].get(0) else { continue };
        let delta = &choice["delta"];
        if let Some(more) = delta["content"].as_str() {
            message["content"] =
                json!(message["content"].as_str().unwrap_or_default().to_owned() + more);
        }
        for part in delta["tool_calls"].as_array().into_iter().flatten() {
            let at = part["index"].as_u64().expect("an index") as usize;
            if message["tool_calls"].get(at).is_none() {
                let calls = message.as_object_mut().expect("a message").entry("tool_calls");
                let mut call = part.clone();
                call.as_object_mut().expect("a call").remove("index");
                calls.or_insert_with(|| json!([])).as_array_mut().expect("calls").push(call);
            } else if let Some(more) = part["function"]["arguments"].as_str() {
                let own = &mut message["tool_calls"][at]["function"]["arguments"];
                *own = json!(own.as_str().unwrap_or_default().to_owned() + more);
            }
        }
        if !choice["finish_reason"].is_null() {
            reason = choice["finish_reason"].clone();
        }
    }
    json!({"choices": [{"message": message, "finish_reason": reason}], "usage": usage})
}

#[tokio::test]
async fn what_was_left_out_is_given_back_within_one_answer() {
    for stream in [true, false] {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look. ", vec![expand(&handles(body)[0], None)]),
            2 => says("", vec![expand(&handles(body)[0], Some(2_001)), expand("nonsense", None)]),
            3 => says("Both. ", vec![bash("a"), expand(&handles(body)[0], Some(7)), bash("b")]),
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = Client::new(stream);
        client.say(&giving.world, json!({"role": "user", "content": "check it"})).await;
        let told = client.answer(&giving.world, &[&long()]).await;
        let message = &told["choices"][0]["message"];
        assert_eq!(message["content"], "I look. Both. ");
        assert_eq!(message["tool_calls"].as_array().map(Vec::len), Some(2), "{message}");
        assert_eq!(told["choices"][0]["finish_reason"], "tool_calls");
        let seen = giving.upstream.seen();
        let bills = seen[1..4].iter().map(|seen| seen.bill.expect("a bill"));
        assert_eq!(told["usage"]["completion_tokens"], bills.map(|bill| bill.output).sum::<u64>());
        let giving = giving.again().await;
        client.answer(&giving.world, &["of a", "of b"]).await;
        let giving = giving.again().await;
        client.say(&giving.world, json!({"role": "user", "content": "bye"})).await;
        giving.check();
        let asked = giving.asked();
        assert_eq!(asked.len(), 6);
        let given = asked[2]["messages"].as_array().and_then(|it| it.last()).expect("a result");
        assert!(given["content"].as_str().is_some_and(|it| it.starts_with("1: checked")));
        assert!(asked.iter().all(|it| it["tools"][1]["function"]["name"] == EXPAND));
    }
}

#[tokio::test]
async fn an_error_of_a_later_round_is_the_answers() {
    for stream in [true, false] {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look.", vec![expand(&handles(body)[0], None)]),
            _ => Play::from(Fault::Status { status: 429, retry_after_s: None }),
        }))
        .await;
        let mut client = Client::new(stream);
        client.say(&giving.world, json!({"role": "user", "content": "check it"})).await;
        let told = client.answer(&giving.world, &[&long()]).await;
        assert_eq!(told["error"]["message"], "scripted error");
    }
}
