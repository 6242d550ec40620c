//! A model API's answer as a value, and its hand-written encoding in each protocol.

use foveal_protocols::Protocol;
use foveal_protocols::response::BilledUsage;
use proptest::prelude::*;
use serde_json::{Value, json};

/// An answer before it is encoded for a protocol.
#[derive(Debug, Clone)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) texts: Vec<String>,
    pub(crate) uncached: u64,
    pub(crate) read: u64,
    pub(crate) written: u64,
    pub(crate) output: u64,
    pub(crate) reasoning: u64,
}

/// A stream event: its name, empty if there is none, and its data.
pub(crate) type Sent = (&'static str, String);

pub(crate) fn any_said() -> impl Strategy<Value = Said> {
    let texts =
        prop::collection::vec("[a-z\"\\\\\n{}:, é]{0,20}|\"usage\":\\{|\"error\":\\{", 0..6);
    let count = 0..1_000_000u64;
    let counts = (count.clone(), count.clone(), count.clone(), count.clone(), count);
    ("[a-z]{3,9}", "[a-z0-9-]{3,9}", texts, counts).prop_map(|(id, model, texts, counts)| {
        let (uncached, read, written, output, reasoning) = counts;
        let output = output + reasoning;
        Said { id, model, texts, uncached, read, written, output, reasoning }
    })
}

impl Said {
    /// Returns the stop reason of a normal end.
    pub(crate) fn stop_reason(protocol: Protocol) -> &'static str {
        match protocol {
            Protocol::Messages => "end_turn",
            Protocol::Chat => "stop",
            Protocol::Responses => "completed",
            Protocol::Gemini => "STOP",
        }
    }

    /// Returns the result expected of a reader.
    pub(crate) fn billed(&self, protocol: Protocol) -> BilledUsage {
        let is_gemini = protocol == Protocol::Gemini;
        let is_messages = protocol == Protocol::Messages;
        BilledUsage {
            uncached: Some(self.uncached + if is_gemini { self.written } else { 0 }),
            cache_read: Some(self.read),
            cache_write_5m: (!is_gemini).then_some(self.written),
            cache_write_1h: is_messages.then_some(0),
            output: Some(self.output),
            reasoning: Some(self.reasoning),
            web_searches: None,
            cost: None,
        }
    }

    fn prompt(&self) -> u64 {
        self.uncached + self.read + self.written
    }

    fn usage(&self, protocol: Protocol) -> Value {
        match protocol {
            Protocol::Messages => json!({
                "input_tokens": self.uncached, "cache_read_input_tokens": self.read,
                "cache_creation_input_tokens": self.written,
                "cache_creation": {"ephemeral_5m_input_tokens": self.written, "ephemeral_1h_input_tokens": 0},
                "output_tokens": self.output, "output_tokens_details": {"thinking_tokens": self.reasoning},
                "service_tier": "standard",
            }),
            Protocol::Chat => json!({
                "prompt_tokens": self.prompt(), "completion_tokens": self.output,
                "total_tokens": self.prompt() + self.output,
                "prompt_tokens_details": {"cached_tokens": self.read, "cache_write_tokens": self.written},
                "completion_tokens_details": {"reasoning_tokens": self.reasoning},
            }),
            Protocol::Responses => json!({
                "input_tokens": self.prompt(), "output_tokens": self.output,
                "input_tokens_details": {"cached_tokens": self.read, "cache_write_tokens": self.written},
                "output_tokens_details": {"reasoning_tokens": self.reasoning},
            }),
            Protocol::Gemini => json!({
                "promptTokenCount": self.prompt(), "cachedContentTokenCount": self.read,
                "candidatesTokenCount": self.output - self.reasoning, "thoughtsTokenCount": self.reasoning,
            }),
        }
    }

    /// Returns the body of the unstreamed answer.
    pub(crate) fn document(&self, protocol: Protocol) -> String {
        let text = self.texts.concat();
        let usage = self.usage(protocol);
        match protocol {
            Protocol::Messages => json!({
                "id": self.id, "type": "message", "model": self.model,
                "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": usage,
            }),
            Protocol::Chat => json!({
                "id": self.id, "model": self.model, "usage": usage,
                "choices": [{"index": 0, "message": {"content": text}, "finish_reason": "stop"}],
            }),
            Protocol::Responses => self.response("completed", &usage),
            Protocol::Gemini => self.gemini_part(&text, Some("STOP"), &usage),
        }
        .to_string()
    }

    /// Returns the events of the streamed answer.
    pub(crate) fn stream(&self, protocol: Protocol) -> Vec<Sent> {
        let usage = self.usage(protocol);
        match protocol {
            Protocol::Messages => self.messages_stream(&usage),
            Protocol::Chat => self.chat_stream(&usage),
            Protocol::Responses => self.responses_stream(&usage),
            Protocol::Gemini => {
                let mut early = usage.clone();
                early["candidatesTokenCount"] = Value::Null;
                let parts = self.texts.iter().map(|text| self.gemini_part(text, None, &early));
                let last = self.gemini_part("", Some("STOP"), &usage);
                parts.chain([last]).map(|part| ("", part.to_string())).collect()
            }
        }
    }

    fn messages_stream(&self, usage: &Value) -> Vec<Sent> {
        let mut early = usage.clone();
        early["output_tokens"] = json!(1);
        early["output_tokens_details"] = Value::Null;
        let message = json!({"id": self.id, "model": self.model, "content": [], "stop_reason": null, "usage": early});
        let mut late = usage.clone();
        late.as_object_mut().expect("usage is an object").remove("cache_creation");
        let mut sent = vec![
            ("message_start", json!({"type": "message_start", "message": message})),
            ("ping", json!({"type": "ping"})),
        ];
        sent.extend(self.texts.iter().map(|text| {
            let delta = json!({"type": "text_delta", "text": text});
            (
                "content_block_delta",
                json!({"type": "content_block_delta", "index": 0, "delta": delta}),
            )
        }));
        let delta = json!({"stop_reason": "end_turn", "stop_sequence": null});
        sent.push((
            "message_delta",
            json!({"type": "message_delta", "delta": delta, "usage": late}),
        ));
        sent.push(("message_stop", json!({"type": "message_stop"})));
        sent.into_iter().map(|(name, data)| (name, data.to_string())).collect()
    }

    fn chat_stream(&self, usage: &Value) -> Vec<Sent> {
        let chunk = |delta: Value, reason: Value| {
            let choice = json!({"index": 0, "delta": delta, "finish_reason": reason});
            json!({"id": self.id, "model": self.model, "choices": [choice], "usage": null})
        };
        let texts = self.texts.iter().map(|text| chunk(json!({"content": text}), Value::Null));
        let mut sent: Vec<Value> = texts.collect();
        sent.push(chunk(json!({}), json!("stop")));
        sent.push(json!({"id": self.id, "model": self.model, "choices": [], "usage": usage}));
        let sent = sent.into_iter().map(|data| ("", data.to_string()));
        sent.chain([("", "[DONE]".to_owned())]).collect()
    }

    fn response(&self, status: &str, usage: &Value) -> Value {
        let content = json!([{"type": "output_text", "text": self.texts.concat()}]);
        json!({
            "id": self.id, "model": self.model, "status": status, "error": null,
            "incomplete_details": null, "output": [{"type": "message", "content": content}], "usage": usage,
        })
    }

    fn responses_stream(&self, usage: &Value) -> Vec<Sent> {
        let bare = self.response("in_progress", &Value::Null);
        let mut sent = vec![
            ("response.created", json!({"type": "response.created", "response": bare})),
            ("response.in_progress", json!({"type": "response.in_progress", "response": bare})),
        ];
        sent.extend(self.texts.iter().map(|text| {
            let name = "response.output_text.delta";
            (name, json!({"type": name, "delta": text}))
        }));
        let response = self.response("completed", usage);
        sent.push((
            "response.completed",
            json!({"type": "response.completed", "response": response}),
        ));
        sent.into_iter().map(|(name, data)| (name, data.to_string())).collect()
    }

    fn gemini_part(&self, text: &str, reason: Option<&str>, usage: &Value) -> Value {
        let mut candidate =
            json!({"content": {"role": "model", "parts": [{"text": text}]}, "index": 0});
        if let Some(reason) = reason {
            candidate["finishReason"] = json!(reason);
        }
        json!({
            "candidates": [candidate], "usageMetadata": usage,
            "modelVersion": self.model, "responseId": self.id,
        })
    }
}

/// Returns the bytes of a stream of `events` with these line ends.
pub(crate) fn spelled(events: &[Sent], line_end: &str) -> Vec<u8> {
    let mut text = String::new();
    for (name, data) in events {
        if !name.is_empty() {
            text += &format!("event: {name}{line_end}");
        }
        text += &format!("data: {data}{line_end}{line_end}");
    }
    text.into_bytes()
}
