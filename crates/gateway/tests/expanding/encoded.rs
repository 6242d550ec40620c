//! Answers of which the first comes in an encoding.

use std::io::Write;
use std::sync::Arc;

use foveal_live::recorder::{InMemory, Recorder};
use serde_json::{Value, json};

use super::client::post;
use super::world::{EXPAND, conversations};
use crate::support::{Act, Scripted, World, request_line};

/// An API with what its model says: a request, its path, a call of the tool, and a text.
struct Spoken {
    path: &'static str,
    request: Value,
    call: Value,
    text: Value,
}

fn spoken() -> Vec<Spoken> {
    let arguments = json!({"handle": "0123456789ab"});
    let response = |item: Value| json!({"id": "r", "object": "response", "status": "completed", "output": [item]});
    let content = |part: Value| json!({"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]});
    let message = json!([{"role": "user", "content": "hi"}]);
    vec![
        Spoken {
            path: "/v1/responses",
            request: json!({"model": "gpt-5", "input": message,
                            "tools": [{"type": "function", "name": "bash"}]}),
            call: response(json!({"type": "function_call", "call_id": "c", "name": EXPAND,
                                  "arguments": arguments.to_string()})),
            text: response(json!({"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "It is fine."}]})),
        },
        Spoken {
            path: "/v1beta/models/gemini-3-pro:generateContent",
            request: json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}],
                            "tools": [{"functionDeclarations": [{"name": "bash"}]}]}),
            call: content(json!({"functionCall": {"name": EXPAND, "args": arguments}})),
            text: content(json!({"text": "It is fine."})),
        },
        // A stream that was not asked for as events is a list.
        Spoken {
            path: "/v1beta/models/gemini-3-pro:streamGenerateContent",
            request: json!({"contents": [{"role": "user", "parts": [{"text": "hi"}]}],
                            "tools": [{"functionDeclarations": [{"name": "bash"}]}]}),
            call: json!([content(json!({"functionCall": {"name": EXPAND, "args": arguments}}))]),
            text: json!([content(json!({"text": "It is fine."}))]),
        },
    ]
}

fn answer(body: &Value, is_encoded: bool) -> Act {
    let mut bytes = body.to_string().into_bytes();
    let mut encoding = "";
    if is_encoded {
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(&bytes).expect("memory");
        bytes = gzip.finish().expect("memory");
        encoding = "Content-Encoding: gzip\r\n";
    }
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{encoding}Connection: close\r\n\
         Content-Length: {}\r\n\r\n",
        bytes.len()
    );
    Act::Write([head.into_bytes(), bytes].concat())
}

#[tokio::test]
async fn an_answer_in_an_encoding_goes_on_too() {
    for (number, Spoken { path, request, call, text }) in spoken().into_iter().enumerate() {
        for is_encoded in [true, false] {
            let script = |body: &Value, is_encoded| vec![Act::Read, answer(body, is_encoded)];
            let scripts = vec![script(&call, is_encoded), script(&text, !is_encoded)];
            let upstream = Scripted::start(scripts).await;
            let recorder: Arc<dyn Recorder> = Arc::new(InMemory::default());
            let shaper = Arc::new(conversations(&recorder, true));
            let world = World::start(upstream.address, |settings| settings.shaper = shaper).await;
            let told = post(&world, path, request.to_string().as_bytes()).await;
            assert!(told.contains("It is fine.") && !told.contains(EXPAND), "{number}: {told}");
            assert_eq!(told.starts_with('['), text.is_array(), "{told}");
            let seen = upstream.seen();
            let second = seen[1].requests.first().expect("a second request");
            let second = String::from_utf8_lossy(&request_line(second).1).into_owned();
            assert!(second.contains("nothing of this conversation is kept"), "{second}");
        }
    }
}
