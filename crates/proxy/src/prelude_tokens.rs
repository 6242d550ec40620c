//! The prelude of a prompt: system prompt and tools, which stand in front of the messages.

use foveal_engine::tokens::{Tokenizer, Tokens};
use foveal_transcript::ContentHash;
use foveal_wire::request_body::RequestBody;

/// The token count of system prompt and tools, recounted only when they change.
#[derive(Debug, Clone, Default)]
pub(crate) struct PreludeTokenCache {
    hash: Option<ContentHash>,
    tokens: Tokens,
}

impl PreludeTokenCache {
    /// Returns the tokens of the body's system prompt and tools, counted as they are spelled in it.
    pub(crate) fn count(
        &mut self,
        body: &RequestBody,
        bytes: &[u8],
        tokenizer: Tokenizer,
    ) -> Tokens {
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
