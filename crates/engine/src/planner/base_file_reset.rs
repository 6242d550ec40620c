//! The choice of files that a content reset moves to the system prompt.

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::placement::base_files::{BaseFile, BaseFileRules, render_base_files, select_base_files};
use crate::policies::policy_view::PolicyView;
use crate::policies::{Policy, content_reset};
use foveal_pricing::tokens::{Tokenizer, Tokens};

/// Share of the tokens left by a reset that base files may take.
const BASE_SHARE: f64 = 0.5;

impl Planner {
    /// Returns the new base files if the policy resets contents with this request and the files
    /// differ from those in the system prompt: the present base files brought up to date, followed
    /// by files in use.
    pub(super) fn choose_base_files(
        &self,
        record: &ConversationRecord,
        policy: Policy,
        compacts: bool,
    ) -> Option<Vec<BaseFile>> {
        let (Some(folder), Policy::ContentReset(marks)) = (&self.base_file_loader, policy) else {
            return None;
        };
        let view = self.policy_view(record, None);
        let high = if compacts { marks.low } else { marks.high };
        if view.tokens() < high {
            return None;
        }
        // While content that cannot be removed is too long, this runs before every request; once
        // suffices.
        let can_help = || view.tokens() - content_reset::removable_tokens(&view) < marks.high;
        if self.base_files.is_some() && !compacts && !can_help() {
            return None;
        }
        let placed = self.base_files.as_deref().unwrap_or_else(|| folder.initial_files());
        let rules = BaseFileRules {
            tokenizer: record.tokenizer(),
            limit: Tokens((marks.low.0 as f64 * BASE_SHARE) as u64),
        };
        let candidates =
            content_reset::base_file_candidates(&view, placed, |path| folder.current_content(path));
        let base = select_base_files(placed, &candidates, &rules);
        let is_kept = |base: &[BaseFile]| base.iter().all(|file| folder.is_storable(&file.content));
        (base != placed && is_kept(&base)).then_some(base)
    }

    /// Returns the prompt as a policy sees it, with `base` in the system prompt.
    pub(super) fn policy_view<'a>(
        &'a self,
        record: &'a ConversationRecord,
        base: Option<&[BaseFile]>,
    ) -> PolicyView<'a> {
        let (window, before) = (self.window.entries(), &*self.entry_states);
        let base = base.map_or(self.base_tokens, |base| self.additional_base_tokens(base));
        PolicyView { record, window, entry_states: before, prelude: self.prelude + base }
    }

    /// Returns the tokens of `base` beyond those of the first base files, in the vocabulary that
    /// counts live requests.
    pub(super) fn additional_base_tokens(&self, base: &[BaseFile]) -> Tokens {
        let first = self.base_file_loader.as_ref().map_or(&[][..], |folder| folder.initial_files());
        let count = |files: &[BaseFile]| Tokenizer::O200k.count(&render_base_files(files));
        count(base) - count(first)
    }
}
