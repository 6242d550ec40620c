//! The prelude of a prompt: system prompt and tools, which stand in front of the messages.

use foveal_pricing::tokens::{Tokenizer, Tokens};

use crate::request_context::{PreludeHashes, RequestContext};

/// The token count of system prompt and tools, recounted only when they change.
#[derive(Debug, Clone, Default)]
pub(crate) struct PreludeTokenCache {
    hashes: Option<PreludeHashes>,
    tokens: Tokens,
}

impl PreludeTokenCache {
    /// Returns the tokens of the request's system prompt and tools, counted as they are spelled in
    /// it.
    pub(crate) fn count(&mut self, request: &RequestContext<'_>, tokenizer: Tokenizer) -> Tokens {
        if self.hashes != Some(request.prelude) {
            let parts = [&request.body.system, &request.body.tools];
            let count = |part| tokenizer.count(&String::from_utf8_lossy(request.part_bytes(part)));
            self.tokens = parts.into_iter().map(count).sum();
            self.hashes = Some(request.prelude);
        }
        self.tokens
    }
}
