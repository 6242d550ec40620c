//! Error messages of servers, in a form that may be shown.

use std::fmt;

/// The number of characters of a message that are shown.
const MESSAGE_CHARS_MAX: usize = 200;

/// A message of a server, on one line and short: `: model not found`. Empty if the server sent
/// none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerMessage(String);

impl ServerMessage {
    /// Reads the message from the body of an error response, with `secret` masked.
    pub fn from_body(body: &[u8], secret: Option<&str>) -> Self {
        let text = String::from_utf8_lossy(body);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let places = ["/error/message", "/error", "/message", "/detail"];
        let message = places.iter().find_map(|place| value.pointer(place)?.as_str());
        Self::from_message(message.unwrap_or(&text), secret)
    }

    /// Shortens a message to a form that may be shown, with `secret` masked.
    pub fn from_message(message: &str, secret: Option<&str>) -> Self {
        let mut message = message.to_owned();
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            message = message.replace(secret, "…");
        }
        // Control characters must not reach a terminal.
        let words = message.split(|c: char| c.is_whitespace() || c.is_control());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        Self(line.chars().take(MESSAGE_CHARS_MAX).collect())
    }
}

impl fmt::Display for ServerMessage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, ": {}", self.0) }
    }
}
