//! Requests in which foveal may set cache breakpoints.

use foveal_engine::placement::breakpoints::CacheRules;
use foveal_protocols::Protocol;
use foveal_protocols::request_body::RequestBody;
use foveal_transcript::ContentHash;

use crate::models::ModelTraits;
use crate::request::ShapeRequest;
use crate::rules::{BreakpointMode, ShapingRules};

/// A request whose client sets no breakpoints.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AutoCacheCandidate {
    /// A hash of system prompt, tools and model.
    pub(crate) prelude_hash: u32,
    pub(crate) rules: CacheRules,
    /// Whether no request is expected to continue it.
    pub(crate) is_last: bool,
}

impl AutoCacheCandidate {
    /// Returns the candidate if the client sets no breakpoint anywhere and the provider needs some;
    /// `None` if the provider is told to remove parts of the prompt itself, because its cache does
    /// not contain the sent prompt then.
    pub(crate) fn from_request(
        rules: &ShapingRules,
        asked: &ShapeRequest<'_>,
        body: &RequestBody,
        name: &str,
        model: &ModelTraits,
    ) -> Option<Self> {
        let is_wanted = rules.breakpoint_mode == BreakpointMode::Auto
            && model.needs_breakpoints
            && !asked.counts_tokens;
        let is_plain = body.protocol == Protocol::Messages && body.server_edits.is_empty();
        if !is_wanted || !is_plain || !body.has_no_breakpoints() {
            return None;
        }
        let parts = body.tools.iter().chain(&body.system).chain(&body.cache_sensitive_fields);
        let parts = parts.map(|part| &asked.body[part.clone()]);
        let hash = ContentHash::from_segments(std::iter::once(name.as_bytes()).chain(parts));
        let mut head = [0; 4];
        head.copy_from_slice(&hash.as_bytes()[..4]);
        let rules = CacheRules::anthropic(name);
        Some(Self { prelude_hash: u32::from_le_bytes(head), rules, is_last: false })
    }
}
