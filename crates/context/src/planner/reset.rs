//! Which files move to the system prompt at a content reset.

use super::Planner;
use crate::placement::base_files::{BaseFile, BaseRules, render_base_files, select_base_files};
use crate::record::Record;
use crate::retention::strategy::Strategy;
use crate::retention::{PolicyView, content_reset};
use crate::tokens::{Tokenizer, Tokens};

/// Of the tokens that a reset leaves, the share that files in the system prompt may have.
const BASE_SHARE: f64 = 0.5;

impl Planner {
    /// The files that stand in the system prompt from this request on, where the strategy resets
    /// contents with it and they are others than before: those that stand there brought up to date,
    /// and files in use behind them.
    pub(super) fn reset_base(
        &self,
        record: &Record,
        strategy: Strategy,
        compacts: bool,
    ) -> Option<Vec<BaseFile>> {
        let (Some(folder), Strategy::ContentReset(marks)) = (&self.folder, strategy) else {
            return None;
        };
        let view = self.view(record, None);
        let high = if compacts { marks.low } else { marks.high };
        if view.tokens() < high {
            return None;
        }
        // Where what cannot leave is too long, this is asked before every request; once is enough.
        let can_help = || view.tokens() - content_reset::removable(&view) < marks.high;
        if self.base.is_some() && !compacts && !can_help() {
            return None;
        }
        let placed = self.base.as_deref().unwrap_or_else(|| folder.first());
        let rules = BaseRules {
            tokenizer: record.tokenizer(),
            ..BaseRules::new(Tokens((marks.low.0 as f64 * BASE_SHARE) as u64))
        };
        let candidates = content_reset::candidates(&view, placed, |path| folder.read(path));
        let base = select_base_files(placed, &candidates, &rules);
        let is_kept = |base: &[BaseFile]| base.iter().all(|file| folder.is_kept(&file.content));
        (base != placed && is_kept(&base)).then_some(base)
    }

    /// The prompt as a strategy sees it, with these files in the system prompt from now on.
    pub(super) fn view<'a>(
        &'a self,
        record: &'a Record,
        base: Option<&[BaseFile]>,
    ) -> PolicyView<'a> {
        let (window, before) = (self.window.entries(), &*self.items);
        let base = base.map_or(self.base_tokens, |base| self.tokens_of(base));
        PolicyView { record, window, before, prelude: self.prelude + base }
    }

    /// Tokens that these files have more than those that stood in the system prompt first, by the
    /// vocabulary that live requests are counted with.
    pub(super) fn tokens_of(&self, base: &[BaseFile]) -> Tokens {
        let first = self.folder.as_ref().map_or(&[][..], |folder| folder.first());
        let count = |files: &[BaseFile]| Tokenizer::O200k.count(&render_base_files(files));
        count(base) - count(first)
    }
}
