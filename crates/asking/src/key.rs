//! The key for a server.

use std::fmt;

/// A key for a server. Its text is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl ApiKey {
    /// The key with this text; `None` if it is blank, or cannot be sent.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let sent = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic());
        sent.then(|| Self(text.to_owned()))
    }

    /// As it is sent. It belongs into a header that is marked as sensitive, and nowhere else.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey(…)")
    }
}
