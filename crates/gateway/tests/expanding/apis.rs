//! OpenAI's Responses and Gemini.

use foveal_gateway::exchange::End;
use foveal_upstream::{Fault, Play};
use serde_json::{Value, json};

use super::client::post;
use super::world::{EXPAND, Giving, bash, expand, handles, long, says, script};
use crate::support::World;

/// An API, as its clients speak it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Api {
    Responses,
    Gemini,
}

const ALL: [(Api, bool); 4] =
    [(Api::Responses, true), (Api::Responses, false), (Api::Gemini, true), (Api::Gemini, false)];

/// A client that keeps its history.
struct Client {
    api: Api,
    stream: bool,
    history: Vec<Value>,
    /// The calls of the last answer.
    calls: Vec<Value>,
}

/// What a client makes of an answer.
#[derive(Debug, Default)]
struct Told {
    text: String,
    calls: Vec<String>,
    usage: Value,
    error: Value,
    is_whole: bool,
}

impl Client {
    fn new((api, stream): (Api, bool)) -> Self {
        Self { api, stream, history: Vec::new(), calls: Vec::new() }
    }

    fn body(&self) -> Value {
        let schema = json!({"type": "object"});
        match self.api {
            Api::Responses => json!({
                "model": "gpt-5", "stream": self.stream, "store": false, "input": self.history,
                "include": ["reasoning.encrypted_content"],
                "tools": [{"type": "function", "name": "bash", "parameters": schema}],
            }),
            Api::Gemini => json!({
                "contents": self.history,
                "tools": [{"functionDeclarations": [{"name": "bash", "parameters": schema}]}],
                "toolConfig": {"functionCallingConfig": {"mode": "AUTO"}},
            }),
        }
    }

    fn path(&self) -> &'static str {
        match (self.api, self.stream) {
            (Api::Responses, _) => "/v1/responses",
            (Api::Gemini, true) => "/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse",
            (Api::Gemini, false) => "/v1beta/models/gemini-3-pro:generateContent",
        }
    }

    async fn say(&mut self, world: &World, text: &str) -> Told {
        self.history.push(match self.api {
            Api::Responses => json!({"role": "user", "content": text}),
            Api::Gemini => json!({"role": "user", "parts": [{"text": text}]}),
        });
        self.ask(world).await
    }

    /// Answers the calls of the last answer.
    async fn answer(&mut self, world: &World, results: &[&str]) -> Told {
        let answers = self.calls.iter().zip(results).map(|(call, result)| match self.api {
            Api::Responses => json!({
                "type": "function_call_output", "call_id": call["call_id"], "output": result,
            }),
            Api::Gemini => {
                let call = &call["functionCall"];
                let response = json!({"output": result});
                json!({"functionResponse": {"id": call["id"], "name": call["name"], "response": response}})
            }
        });
        let answers: Vec<Value> = answers.collect();
        match self.api {
            Api::Responses => self.history.extend(answers),
            Api::Gemini => self.history.push(json!({"role": "user", "parts": answers})),
        }
        self.ask(world).await
    }

    async fn ask(&mut self, world: &World) -> Told {
        let text = post(world, self.path(), self.body().to_string().as_bytes()).await;
        assert!(!text.contains(EXPAND), "{text}");
        let documents: Vec<Value> = match self.stream {
            true => {
                let data = text.lines().filter_map(|line| line.strip_prefix("data: "));
                data.filter_map(|line| serde_json::from_str(line).ok()).collect()
            }
            false => serde_json::from_str(&text).into_iter().collect(),
        };
        match self.api {
            Api::Responses => self.items(&documents),
            Api::Gemini => self.parts(&documents),
        }
    }

    /// Takes what a response says.
    fn items(&mut self, documents: &[Value]) -> Told {
        let mut told = Told::default();
        let mut response = Value::Null;
        for (number, event) in documents.iter().enumerate() {
            let is_event = event["type"].is_string();
            assert!(!is_event || event["sequence_number"] == number || event["type"] == "error");
            match event["type"].as_str() {
                Some("response.completed") => response = event["response"].clone(),
                Some("error") => told.error = event.clone(),
                None if event["error"].is_object() => told.error = event.clone(),
                None => response = event.clone(),
                Some(_) => {}
            }
        }
        let Some(items) = response["output"].as_array() else { return told };
        (told.is_whole, told.usage) = (true, response["usage"].clone());
        let is_call = |item: &&Value| item["type"] == "function_call";
        self.calls = items.iter().filter(is_call).cloned().collect();
        let name = |call: &Value| call["name"].as_str().unwrap_or_default().to_owned();
        told.calls = self.calls.iter().map(name).collect();
        let texts = items.iter().filter_map(|item| item["content"][0]["text"].as_str());
        told.text = texts.collect();
        self.history.extend(items.iter().cloned());
        told
    }

    /// Takes what chunks say, and joins texts, as Gemini's clients do. Thoughts it drops.
    fn parts(&mut self, documents: &[Value]) -> Told {
        let mut told = Told::default();
        let mut parts: Vec<Value> = Vec::new();
        for chunk in documents {
            if chunk["error"].is_object() {
                told.error = chunk.clone();
                return told;
            }
            told.usage = chunk["usageMetadata"].clone();
            let candidate = &chunk["candidates"][0];
            told.is_whole |= candidate["finishReason"] == "STOP";
            for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
                if part["thought"] == true {
                    continue;
                }
                let Some(text) = part["text"].as_str() else {
                    parts.push(part.clone());
                    continue;
                };
                told.text.push_str(text);
                match parts.last_mut().filter(|last| last["text"].is_string()) {
                    Some(last) => {
                        let before = last["text"].as_str().unwrap_or_default().to_owned();
                        last["text"] = json!(before + text);
                    }
                    None => parts.push(part.clone()),
                }
            }
        }
        if !told.is_whole {
            return told;
        }
        let is_call = |part: &&Value| part["functionCall"].is_object();
        self.calls = parts.iter().filter(is_call).cloned().collect();
        let name =
            |call: &Value| call["functionCall"]["name"].as_str().unwrap_or_default().to_owned();
        told.calls = self.calls.iter().map(name).collect();
        self.history.push(json!({"role": "model", "parts": parts}));
        told
    }
}

/// What a prompt ends with.
fn last(api: Api, body: &Value) -> String {
    let list = if api == Api::Responses { &body["input"] } else { &body["contents"] };
    list.as_array().and_then(|all| all.last()).expect("a message").to_string()
}

#[tokio::test]
async fn what_was_left_out_is_given_back_within_one_answer() {
    for kind in ALL {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look. ", vec![expand(&handles(body)[0], None)]),
            2 => says("", vec![expand(&handles(body)[0], Some(2_001)), expand("nonsense", None)]),
            3 => says("Both. ", vec![bash("a"), expand(&handles(body)[0], Some(7)), bash("b")]),
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = Client::new(kind);
        client.say(&giving.world, "check it").await;
        let told = client.answer(&giving.world, &[&long()]).await;
        assert_eq!(
            (&*told.text, &told.calls[..]),
            ("I look. Both. ", &["bash", "bash"].map(str::to_owned)[..])
        );
        let exchange = giving.world.told(2).await.remove(1);
        assert_eq!((exchange.rounds, exchange.end), (3, End::Whole), "{kind:?}");
        let seen = giving.upstream.seen();
        let bills: Vec<_> = seen[1..4].iter().map(|seen| seen.bill.expect("a bill")).collect();
        let output: u64 = bills.iter().map(|bill| bill.output).sum();
        let prompt: u64 = bills.iter().map(|bill| bill.prompt()).sum();
        let billed = exchange.answered.expect("an answer").billed;
        assert_eq!((billed.output, billed.prompt()), (Some(output), Some(prompt)), "{kind:?}");
        let [input, all] = match kind.0 {
            Api::Responses => ["input_tokens", "total_tokens"],
            Api::Gemini => ["promptTokenCount", "totalTokenCount"],
        };
        assert_eq!(
            (&told.usage[input], &told.usage[all]),
            (&json!(prompt), &json!(prompt + output))
        );
        let giving = giving.again().await;
        client.answer(&giving.world, &["of a", "of b"]).await;
        let giving = giving.again().await;
        client.say(&giving.world, "bye").await;
        giving.check();
        let asked = giving.asked();
        assert_eq!(asked.len(), 6, "{kind:?}");
        assert!(last(kind.0, &asked[2]).contains("1: checked"), "{}", last(kind.0, &asked[2]));
        assert!(last(kind.0, &asked[3]).contains("hex digits"), "{}", last(kind.0, &asked[3]));
        assert!(asked.iter().all(|it| it["tools"] == asked[0]["tools"]));
        assert!(asked[0]["tools"].to_string().contains(EXPAND));
    }
}

#[tokio::test]
async fn an_error_of_a_later_round_is_the_answers() {
    for kind in ALL {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look.", vec![expand(&handles(body)[0], None)]),
            2 => Play::from(Fault::Status { status: 429, retry_after_s: None }),
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = Client::new(kind);
        client.say(&giving.world, "check it").await;
        let told = client.answer(&giving.world, &[&long()]).await;
        assert!(told.error.to_string().contains("scripted error"), "{kind:?}: {told:?}");
        // The client asks again, as clients do.
        assert_eq!(client.ask(&giving.world).await.text, "It is fine.");
    }
}

#[tokio::test]
async fn a_later_round_that_breaks_off_breaks_the_answer_off() {
    for (kind, fault) in [
        (ALL[0], Fault::ResetInEvent(2)),
        (ALL[0], Fault::TruncatedBefore(3)),
        (ALL[2], Fault::ResetInEvent(1)),
        (ALL[2], Fault::TruncatedBefore(1)),
        (ALL[1], Fault::ResetInEvent(0)),
        (ALL[3], Fault::ResetInEvent(0)),
    ] {
        let giving = Giving::start(script(move |number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            1 => says("I look.", vec![expand(&handles(body)[0], None)]),
            2 => Play { fault, ..says("It is well that I looked at it.", Vec::new()) },
            _ => says("It is fine.", Vec::new()),
        }))
        .await;
        let mut client = Client::new(kind);
        client.say(&giving.world, "check it").await;
        let told = client.answer(&giving.world, &[&long()]).await;
        assert!(!told.is_whole, "{kind:?} {fault:?}: {told:?}");
        assert_eq!(client.ask(&giving.world).await.text, "It is fine.", "{kind:?} {fault:?}");
    }
}

#[tokio::test]
async fn a_model_that_never_ends_is_ended() {
    for kind in ALL {
        let giving = Giving::start(script(|number, body| match number {
            0 => says("I run it.", vec![bash("check")]),
            _ => says("More. ", vec![expand(&handles(body)[0], None)]),
        }))
        .await;
        let mut client = Client::new(kind);
        client.say(&giving.world, "check it").await;
        let told = client.answer(&giving.world, &[&long()]).await;
        assert!(told.is_whole && told.calls.is_empty(), "{kind:?}: {told:?}");
        assert_eq!(told.text, "More. ".repeat(7), "{kind:?}");
    }
}

#[tokio::test]
async fn who_may_not_choose_is_not_given_the_tool() {
    for (kind, key, value) in [
        (ALL[1], "tool_choice", json!({"type": "function", "name": "bash"})),
        (ALL[1], "tool_choice", json!("required")),
        (ALL[1], "background", json!(true)),
        (ALL[3], "toolConfig", json!({"functionCallingConfig": {"mode": "ANY"}})),
        (ALL[3], "generationConfig", json!({"candidateCount": 2})),
        (ALL[3], "tools", json!([{"googleSearch": {}}])),
    ] {
        let giving = Giving::start(script(|_, _| says("Fine.", Vec::new()))).await;
        let mut client = Client::new(kind);
        client.history.push(match kind.0 {
            Api::Responses => json!({"role": "user", "content": "hi"}),
            Api::Gemini => json!({"role": "user", "parts": [{"text": "hi"}]}),
        });
        let mut body = client.body();
        body[key] = value;
        post(&giving.world, client.path(), body.to_string().as_bytes()).await;
        assert_eq!(giving.asked(), [body]);
    }
}
