//! Requests that may get marks for the provider's cache.

use foveal_context::placement::breakpoints::CacheRules;
use foveal_transcript::ContentHash;
use foveal_wire::Protocol;
use foveal_wire::body::Body;

use crate::models::Model;
use crate::request::Asked;
use crate::rules::{CacheMarks, Rules};

/// A request that may get marks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Unmarked {
    /// Tells one system prompt, list of tools and model from another.
    pub(crate) head: u32,
    pub(crate) rules: CacheRules,
    /// Whether none is expected to continue it.
    pub(crate) is_last: bool,
}

impl Unmarked {
    /// The request with this body, if it may get marks: its client sets none anywhere, and the
    /// provider wants some. Where the provider is told to take parts out by itself, what is sent
    /// is not what it would find.
    pub(crate) fn of(
        rules: &Rules,
        asked: &Asked<'_>,
        body: &Body,
        (name, model): (&str, &Model),
    ) -> Option<Self> {
        let is_wanted = rules.marks == CacheMarks::Auto && model.wants_marks && !asked.counts;
        let is_plain = body.protocol == Protocol::Messages && body.server_edits.is_empty();
        if !is_wanted || !is_plain || !body.is_unmarked() {
            return None;
        }
        let parts = body.tools.iter().chain(&body.system).chain(&body.modes);
        let parts = parts.map(|part| &asked.body[part.clone()]);
        let hash = ContentHash::of_parts(std::iter::once(name.as_bytes()).chain(parts));
        let mut head = [0; 4];
        head.copy_from_slice(&hash.as_bytes()[..4]);
        let rules = CacheRules::anthropic(name);
        Some(Self { head: u32::from_le_bytes(head), rules, is_last: false })
    }
}
