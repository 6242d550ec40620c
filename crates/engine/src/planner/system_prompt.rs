//! The part of the prompt in front of the messages, and the choice of files that a content reset
//! moves there.

use std::sync::Arc;

use foveal_pricing::tokens::{Tokenizer, Tokens};

use crate::placement::base_files::{
    BaseFile, BaseFileLoader, BaseFileRules, render_base_files, select_base_files,
};
use crate::policies::content_reset::{self, ResetMarks};
use crate::policies::policy_view::PolicyView;

/// Share of the tokens left by a reset that base files may take.
const BASE_SHARE: f64 = 0.5;

/// The part of the prompt in front of the messages.
#[derive(Debug, Clone, Default)]
pub(crate) struct SystemPrompt {
    /// Tokens that every prompt holds outside its messages, with the first base files.
    pub(crate) prelude: Tokens,
    /// The source of files that a content reset may move here.
    pub(crate) loader: Option<Arc<dyn BaseFileLoader>>,
    /// The base files since the last reset.
    base_files: Option<Vec<BaseFile>>,
    /// Tokens of `base_files` beyond those of the first ones.
    base_tokens: Tokens,
}

impl SystemPrompt {
    /// Returns the tokens, with the present base files.
    pub(crate) fn tokens(&self) -> Tokens {
        self.prelude + self.base_tokens
    }

    /// Returns the tokens with `base` in place of the present base files, if given.
    pub(crate) fn tokens_with(&self, base: Option<&[BaseFile]>) -> Tokens {
        self.prelude + base.map_or(self.base_tokens, |base| self.additional_tokens(base))
    }

    /// Replaces the base files.
    pub(crate) fn set_base_files(&mut self, base: &[BaseFile]) {
        self.base_tokens = self.additional_tokens(base);
        self.base_files = Some(base.to_vec());
    }

    /// Returns the tokens of `base` beyond those of the first base files, in the vocabulary that
    /// counts live requests.
    fn additional_tokens(&self, base: &[BaseFile]) -> Tokens {
        let first = self.loader.as_ref().map_or(&[][..], |loader| loader.initial_files());
        let count = |files: &[BaseFile]| Tokenizer::O200k.count(&render_base_files(files));
        count(base) - count(first)
    }

    /// Returns the new base files if the policy resets contents with this request and the files
    /// differ from the present ones: the present base files brought up to date, followed by files
    /// in use.
    pub(crate) fn choose_base_files(
        &self,
        view: &PolicyView<'_>,
        marks: ResetMarks,
        compacts: bool,
    ) -> Option<Vec<BaseFile>> {
        let loader = self.loader.as_ref()?;
        if view.tokens() < if compacts { marks.low } else { marks.high } {
            return None;
        }
        // While content that cannot be removed is too long, this runs before every request; once
        // suffices.
        let can_help = || view.tokens() - content_reset::removable_tokens(view) < marks.high;
        if self.base_files.is_some() && !compacts && !can_help() {
            return None;
        }
        let placed = self.base_files.as_deref().unwrap_or_else(|| loader.initial_files());
        let rules = BaseFileRules {
            tokenizer: view.record.tokenizer(),
            limit: Tokens((marks.low.0 as f64 * BASE_SHARE) as u64),
        };
        let candidates =
            content_reset::base_file_candidates(view, placed, |path| loader.current_content(path));
        let base = select_base_files(placed, &candidates, &rules);
        let is_storable = |file: &BaseFile| loader.is_storable(&file.content);
        (base != placed && base.iter().all(is_storable)).then_some(base)
    }
}
