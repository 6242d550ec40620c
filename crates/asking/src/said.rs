//! What a server says went wrong, in words that may be shown.

use std::fmt;

/// Characters of a server's words that are shown.
const SAID_CHARS_MAX: usize = 200;

/// What a server said, on one line and short: `: model not found`; empty where it said nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Said(String);

impl Said {
    /// The message in the body of an answer that is an error. `secret` is not repeated.
    pub fn of(body: &[u8], secret: Option<&str>) -> Self {
        let text = String::from_utf8_lossy(body);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap_or_default();
        let places = ["/error/message", "/error", "/message", "/detail"];
        let message = places.iter().find_map(|place| value.pointer(place)?.as_str());
        Self::words(message.unwrap_or(&text), secret)
    }

    /// A message as it may be shown. `secret` is not repeated.
    pub fn words(message: &str, secret: Option<&str>) -> Self {
        let mut message = message.to_owned();
        if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
            message = message.replace(secret, "…");
        }
        // Control characters must not reach a terminal.
        let words = message.split(|c: char| c.is_whitespace() || c.is_control());
        let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        Self(line.chars().take(SAID_CHARS_MAX).collect())
    }
}

impl fmt::Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(formatter, ": {}", self.0) }
    }
}
