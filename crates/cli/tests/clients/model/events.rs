//! Answers as a stream of events, or whole.

use serde_json::Value;

/// An answer of the model in both spellings.
pub(crate) struct Answer {
    /// For requests that want no stream.
    pub(crate) whole: Value,
    /// The events of the stream.
    pub(crate) events: Vec<Value>,
    /// Whether events are named by their type.
    pub(crate) named: bool,
    /// What stands behind the last event.
    pub(crate) end: &'static str,
}

impl Answer {
    /// The text of the stream.
    pub(crate) fn stream(&self) -> String {
        let mut text = String::new();
        for event in &self.events {
            if let (true, Some(name)) = (self.named, event["type"].as_str()) {
                text.push_str(&format!("event: {name}\n"));
            }
            text.push_str(&format!("data: {event}\n\n"));
        }
        text + self.end
    }
}
