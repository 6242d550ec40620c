//! The inputs of a choice of results to rewrite.

use crate::conversation_record::ConversationRecord;
use crate::overrides::{self, ResultOverride};
use crate::planner::cost_history::CostHistory;
use crate::planner::entry_table::EntryTable;
use crate::planner::planned_request::PlannedRequest;
use crate::planner::planner_config::PlannerConfig;
use crate::planner::prompt_window::PromptWindow;
use crate::settings::RewriteSettings;
use foveal_transcript::{EntryIndex, MessageRole};

/// The inputs of a choice of results to rewrite.
pub(crate) struct RewriteInputs<'a> {
    /// The conversation and its facts.
    pub(crate) record: &'a ConversationRecord,
    /// The settings, prices and sources.
    pub(crate) config: &'a PlannerConfig,
    /// The settings of rewrites.
    pub(crate) settings: &'a RewriteSettings,
    /// The prompt.
    pub(crate) window: &'a PromptWindow,
    /// The state of each entry.
    pub(crate) entries: &'a EntryTable,
    /// The requests so far.
    pub(crate) history: &'a CostHistory,
    /// The next request.
    pub(crate) request: &'a PlannedRequest,
    /// The overrides of this request; their results are not rewritten now.
    pub(crate) overrides: &'a [ResultOverride],
}

impl RewriteInputs<'_> {
    pub(crate) fn has_override(&self, index: EntryIndex) -> bool {
        overrides::has_override(self.overrides, index)
    }

    /// Returns the number of entries of the window up to the latest answer, if that answer is new;
    /// 0 otherwise.
    pub(crate) fn answered_len(&self) -> usize {
        let is_answer =
            |index: &EntryIndex| self.record.entry(*index).role == MessageRole::Assistant;
        let window = self.window.entries();
        let sent = self.window.sent_len.min(window.len());
        window[sent..].iter().rposition(is_answer).map_or(0, |at| sent + at + 1)
    }
}

/// Approximate tokens of a note with a handle.
pub(crate) const NOTE_TOKENS: u64 = 20;
