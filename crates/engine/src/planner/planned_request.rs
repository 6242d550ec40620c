//! The request to plan, and the changes that it allows.

use foveal_transcript::{ContentBlock, EntryIndex, Timestamp};

use super::prompt_window::PromptWindow;
use crate::conversation_record::ConversationRecord;
use crate::plan_step::RewriteReason;
use crate::provider_constraints::ProviderConstraints;

/// The request to plan, and the changes that it allows. Its entries are ingested.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlannedRequest {
    /// The entry of its answer.
    pub(crate) answer: EntryIndex,
    /// The time at which it is sent, if known.
    pub(crate) now: Option<Timestamp>,
    /// The first new entry.
    pub(crate) known: EntryIndex,
    /// The window position from which on the client removed entries.
    pub(crate) cut: Option<usize>,
    /// The reason for which a rewrite would be free.
    pub(crate) free_reason: Option<RewriteReason>,
    /// The first window position that may change; see [`rewritable_from`].
    pub(crate) rewritable_from: usize,
    /// Whether results may change that were sent before.
    pub(crate) may_rewrite: bool,
    /// Whether the user asks for a shorter prompt.
    pub(crate) compacts: bool,
}

impl PlannedRequest {
    /// Returns the first window position from which a rewrite is free, if there is a reason for it;
    /// entries before it are still cached.
    pub(crate) fn free_from(&self) -> usize {
        match self.free_reason {
            Some(RewriteReason::ClientRewrote) => self.cut.unwrap_or(0),
            _ => 0,
        }
    }
}

/// Returns the first window position that may be rewritten. A provider that binds reasoning to its
/// prefix refuses a prompt that changed before the reasoning, unless the client changed it.
pub(super) fn rewritable_from(
    constraints: ProviderConstraints,
    record: &ConversationRecord,
    window: &PromptWindow,
    free_reason: Option<RewriteReason>,
) -> usize {
    if !constraints.reasoning_is_bound || free_reason == Some(RewriteReason::ClientRewrote) {
        return 0;
    }
    let last = window.entries().iter().rposition(|index| has_reasoning(record, *index));
    last.map_or(0, |last| last + 1)
}

/// Returns whether an entry holds reasoning.
pub(super) fn has_reasoning(record: &ConversationRecord, index: EntryIndex) -> bool {
    record.entry(index).blocks.iter().any(|block| matches!(block, ContentBlock::Reasoning(_)))
}
