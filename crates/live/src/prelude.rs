//! What stands in every prompt in front of the messages: system prompt and tools.

use foveal_context::tokens::{Tokenizer, Tokens};
use foveal_transcript::ContentHash;
use foveal_wire::body::Body;

/// The tokens of system prompt and tools, counted when they change.
#[derive(Debug, Clone, Default)]
pub(crate) struct Prelude {
    hash: Option<ContentHash>,
    tokens: Tokens,
}

impl Prelude {
    /// The tokens of what a body has, counted as it is spelled there.
    pub(crate) fn tokens(&mut self, body: &Body, bytes: &[u8], tokenizer: Tokenizer) -> Tokens {
        let parts = [&body.system, &body.tools].map(|part| part.clone().unwrap_or(0..0));
        let mut hasher = blake3::Hasher::new();
        for part in &parts {
            hasher.update(&bytes[part.clone()]);
        }
        let hash = ContentHash::from_bytes(*hasher.finalize().as_bytes());
        if self.hash != Some(hash) {
            let text = parts.map(|part| String::from_utf8_lossy(&bytes[part]).into_owned());
            self.tokens = text.iter().map(|text| tokenizer.count(text)).sum();
            self.hash = Some(hash);
        }
        self.tokens
    }
}
