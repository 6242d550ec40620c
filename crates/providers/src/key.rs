//! API keys.

use std::fmt;

/// An API key of a server. Its text is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// Creates a key from a text; `None` if it is blank or cannot be sent in a header.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let sent = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        sent.then(|| Self(text.to_owned()))
    }

    /// Returns the text of the key. It belongs in a header that is marked as sensitive, and nowhere
    /// else.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}
