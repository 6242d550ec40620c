//! LiteLLM's own guardrail for services like `/v1/compress`, as it comes from PyPI.
//!
//! Skipped where `litellm` in the folder of build results has no LiteLLM:
//!
//!     python3 -m venv target/litellm
//!     target/litellm/bin/pip install 'litellm[proxy]==1.106.2'

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use foveal_gateway::shaper::CompressingShaper;
use foveal_gateway::{AccessToken, Settings};
use foveal_mock_provider::{MockProvider, ModelReply, ReplyScript};
use foveal_proxy::recorder::{InMemoryRecorder, Recorder};
use foveal_proxy::rules::ShapingRules;
use foveal_proxy::{Compressor, RequestShaper};
use serde_json::{Value, json};

use crate::support::{Client, Scripted, World};

/// The key of LiteLLM's clients, and the token that LiteLLM shows foveal.
const KEY: &str = "sk-0123456789abcdef0123456789abcdef";
const TOKEN: &str = "0123456789abcdef0123";

/// The time that LiteLLM may take to start, in steps of a quarter of a second.
const STARTING_STEPS_MAX: usize = 480;

/// The question for which the model lets LiteLLM retrieve a content first.
const WONDER: &str = "what did the first one say?";

/// A running LiteLLM. Dropping this ends it.
struct Litellm {
    process: Child,
    address: SocketAddr,
}

impl Drop for Litellm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Litellm {
    /// Starts it in front of `model`, with `foveal` as its compressor; `None` if it is not
    /// installed.
    async fn start(model: &str, foveal: SocketAddr) -> Option<Self> {
        let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
        let program = folder.parent()?.join("litellm/bin/litellm");
        if !program.exists() {
            eprintln!("skipped: no LiteLLM (see the head of tests/litellm.rs)");
            return None;
        }
        let home = folder.join("litellm-home");
        std::fs::create_dir_all(&home).expect("a folder");
        let settings = json!({
            "model_list": [{ "model_name": "m", "litellm_params": {
                "model": "openai/m", "api_base": format!("{model}/v1"), "api_key": "none",
            } }],
            "guardrails": [{ "guardrail_name": "shorter", "litellm_params": {
                "guardrail": "headroom", "mode": "pre_call", "default_on": true,
                "api_base": format!("http://{foveal}"), "api_key": TOKEN,
            } }],
            "litellm_settings": { "telemetry": false },
        });
        let file = home.join("config.yaml");
        // JSON is YAML.
        std::fs::write(&file, settings.to_string()).expect("a file");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let process = Command::new(program)
            .args(["--host", "127.0.0.1", "--port", &address.port().to_string(), "--config"])
            .arg(&file)
            .env("HOME", &home)
            .env("LITELLM_MASTER_KEY", KEY)
            .env("LITELLM_LOCAL_MODEL_COST_MAP", "True")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(std::fs::File::create(home.join("log")).expect("a file"))
            .spawn()
            .expect("a program");
        let litellm = Self { process, address };
        for _ in 0..STARTING_STEPS_MAX {
            tokio::time::sleep(Duration::from_millis(250)).await;
            if tokio::net::TcpStream::connect(address).await.is_ok() {
                return Some(litellm);
            }
        }
        panic!("LiteLLM did not start; {} says why", home.join("log").display());
    }

    /// Returns the response to these messages.
    async fn asked(&self, messages: &[Value]) -> String {
        let mut client = Client::connect(self.address).await;
        let body = json!({ "model": "m", "messages": messages }).to_string();
        let lines =
            [format!("Authorization: Bearer {KEY}"), "Content-Type: application/json".into()];
        let lines = lines.each_ref().map(String::as_str);
        client.send("/v1/chat/completions", &lines, body.as_bytes()).await;
        let answer = client.answer().await;
        assert_eq!(answer.status(), 200, "{}", answer.text());
        let answer: Value = serde_json::from_str(&answer.text()).expect("JSON");
        answer["choices"][0]["message"]["content"].as_str().expect("a text").to_owned()
    }
}

fn compressing(settings: &mut Settings) {
    let rules = ShapingRules::from_profile("balanced").expect("a profile");
    let recorder: Arc<dyn Recorder> = Arc::new(InMemoryRecorder::default());
    settings.shaper = Arc::new(CompressingShaper {
        requests: RequestShaper::new(rules.clone(), Arc::clone(&recorder)),
        messages: Compressor::new(rules, recorder),
    });
    settings.token = AccessToken::new(TOKEN);
}

fn output(name: &str) -> String {
    (0..900).map(|at| format!("{name} step {at} took {} ms\n", at * 37 % 101)).collect()
}

/// Returns a tool call and its result.
fn exchange(name: &str) -> [Value; 2] {
    let arguments = json!({ "command": format!("./{name}") }).to_string();
    [
        json!({ "role": "assistant", "content": null, "tool_calls": [{
            "id": name, "type": "function",
            "function": { "name": "bash", "arguments": arguments },
        }] }),
        json!({ "role": "tool", "tool_call_id": name, "content": output(name) }),
    ]
}

fn user(text: &str) -> Value {
    json!({ "role": "user", "content": text })
}

/// Retrieves the content of the first hash in its prompt when it is asked [`WONDER`].
fn model() -> ReplyScript {
    ReplyScript::new(|asked| {
        let messages = asked.body["messages"].as_array().cloned().unwrap_or_default();
        let texts: Vec<&str> = messages.iter().filter_map(|it| it["content"].as_str()).collect();
        let has_asked = messages.iter().any(|message| {
            let calls = message["tool_calls"].as_array().into_iter().flatten();
            calls.into_iter().any(|call| call["function"]["name"] == "headroom_retrieve")
        });
        let wonders = texts.contains(&WONDER) && !has_asked;
        let hash = texts.iter().find_map(|text| text.split_once("hash=")?.1.get(..24));
        match hash.filter(|_| wonders) {
            Some(hash) => ModelReply::from_call("headroom_retrieve", json!({ "hash": hash })),
            None => ModelReply::from_text("done"),
        }
        .into()
    })
}

/// Returns the messages of a request to the model, and their length.
fn seen(upstream: &MockProvider) -> Vec<Vec<Value>> {
    let seen = upstream.take_received_requests();
    // LiteLLM may send other requests too, as it starts.
    let answers = seen.iter().filter(|seen| seen.path.ends_with("/chat/completions"));
    let bodies = answers.map(|seen| {
        assert!(seen.violations.is_empty(), "{:?}", seen.violations);
        let body: Value = serde_json::from_slice(&seen.body).expect("JSON");
        body["messages"].as_array().expect("a list").clone()
    });
    bodies.collect()
}

fn length(messages: &[Value]) -> usize {
    messages.iter().map(|message| message["content"].as_str().map_or(0, str::len)).sum()
}

#[tokio::test]
async fn a_conversation_through_litellm_is_shorter_stable_and_can_be_looked_up() {
    let upstream =
        MockProvider::start(foveal_mock_provider::Settings::default()).expect("an upstream");
    upstream.set_script(model());
    // The gateway itself forwards nothing.
    let nobody = Scripted::start(Vec::new()).await;
    let world = World::start(nobody.address, compressing).await;
    let Some(litellm) = Litellm::start(&upstream.url(), world.address).await else { return };

    let mut messages = vec![user("run them")];
    let mut before: Vec<Value> = Vec::new();
    for (at, name) in ["one", "two", "three", "four"].into_iter().enumerate() {
        messages.extend(exchange(name));
        assert_eq!(litellm.asked(&messages).await, "done");
        let [sent] = &seen(&upstream)[..] else { panic!("one request") };
        assert_eq!(sent.len(), messages.len());
        assert_eq!(sent.last(), messages.last(), "the newest result is whole");
        // LiteLLM does not compress the last exchange; earlier messages stay as they were sent.
        assert_eq!(sent[..before.len()], before[..]);
        before = sent[..sent.len() - 2].to_vec();
        let (all, went) = (length(&messages), length(sent));
        assert!(at == 0 || went < all * 2 / 3, "{went} of {all} bytes after {name}");
    }

    // After another question, the first one is compressed too.
    messages.push(json!({ "role": "assistant", "content": "done" }));
    messages.push(user(WONDER));
    assert_eq!(litellm.asked(&messages).await, "done");
    let [asking, answering] = &seen(&upstream)[..] else { panic!("two requests") };
    assert_eq!(asking[..before.len()], before[..]);
    assert!(length(asking) < length(&messages) / 3);
    assert_eq!(answering[..asking.len()], asking[..]);
    let fetched = answering.last().expect("a result");
    assert_eq!(fetched["content"].as_str(), Some(&*output("one")));
}
