//! Gemini `generateContent`, streamed or whole.

use serde_json::{Map, Value, json};

use super::events::Answer;
use super::plan::Reply;
use super::protocol::{Protocol, ToolResult, content_text, list, text};

pub(crate) const PROTOCOL: Protocol =
    Protocol { path: "enerateContent", tools, user, results, answer };

fn tools(body: &Value) -> Vec<String> {
    let groups = list(&body["tools"]).iter();
    let all = groups.flat_map(|group| list(&group["functionDeclarations"]));
    all.map(|tool| text(&tool["name"]).to_owned()).collect()
}

fn parts<'a>(body: &'a Value, role: &'a str) -> impl Iterator<Item = &'a [Value]> {
    let contents = list(&body["contents"]).iter().filter(move |content| content["role"] == role);
    contents.map(|content| list(&content["parts"]))
}

fn user(body: &Value) -> Vec<String> {
    parts(body, "user").flatten().map(|part| text(&part["text"]).to_owned()).collect()
}

fn results(body: &Value) -> Vec<ToolResult> {
    let answered = parts(body, "user").flatten().filter_map(|part| part.get("functionResponse"));
    let result = |answered: &Value| {
        let response = &answered["response"];
        let error = response.get("error").filter(|error| !error.is_null());
        let text_of = error.or(response.get("output")).unwrap_or(response);
        ToolResult {
            id: text(&answered["id"]).to_owned(),
            text: content_text(text_of),
            context: String::new(),
            is_error: error.is_some(),
        }
    };
    answered.map(result).collect()
}

fn answer(body: &Value, reply: &Reply) -> Answer {
    let said = match &body["generationConfig"] {
        config if config["responseJsonSchema"].is_object() => sample(&config["responseJsonSchema"]),
        config if config["responseSchema"].is_object() => sample(&config["responseSchema"]),
        _ => reply.text.clone(),
    };
    let said = (!said.is_empty()).then(|| json!({"text": said}));
    let calls = reply.calls.iter().map(|(id, call)| {
        json!({"functionCall": {"name": call.tool, "args": call.arguments, "id": id},
            "thoughtSignature": "c2NyaXB0ZWQ="})
    });
    let parts: Vec<Value> = said.into_iter().chain(calls).collect();
    let tokens = reply.prompt_tokens;
    let usage = json!({"promptTokenCount": tokens, "candidatesTokenCount": 20,
        "totalTokenCount": tokens + 20});
    let content = json!({"role": "model", "parts": parts});
    let whole = json!({
        "candidates": [{"content": content, "finishReason": "STOP", "index": 0}],
        "usageMetadata": usage, "modelVersion": "scripted", "responseId": reply.turn});
    Answer { events: vec![whole.clone()], whole, named: false, end: "" }
}

/// An object as a schema wants it: side requests ask for one.
fn sample(schema: &Value) -> String {
    let mut object = Map::new();
    for (name, wanted) in schema["properties"].as_object().into_iter().flatten() {
        let value = match text(&wanted["type"]).to_lowercase().as_str() {
            "string" => wanted["enum"].get(0).cloned().unwrap_or(json!("x")),
            // How sure it is that the agent turns in circles.
            _ if name.ends_with("confidence") => json!(0),
            "integer" | "number" => json!(50),
            "boolean" => json!(false),
            _ => json!([]),
        };
        object.insert(name.clone(), value);
    }
    Value::Object(object).to_string()
}
