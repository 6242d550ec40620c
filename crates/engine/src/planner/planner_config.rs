//! The settings, prices and sources that a planner decides with.

use std::sync::Arc;

use foveal_pricing::prices::PriceCard;
use foveal_pricing::tokens::Tokens;

use crate::policies::Policy;
use crate::policies::content_reset::ResetMarks;
use crate::provider_constraints::ProviderConstraints;
use crate::reuse_score::ReusePredictor;
use crate::settings::{OldReadSettings, RewriteSettings, Settings};
use crate::views::ViewSource;
use crate::window_limit::WindowLimit;

/// The values that the caller sets. No request changes them.
#[derive(Debug, Clone)]
pub(crate) struct PlannerConfig {
    pub(crate) settings: Arc<Settings>,
    /// Decides in place of the rules. The rules then apply only to results that the policy keeps
    /// whole and that exceed `read_bytes_max`.
    pub(crate) policy: Option<Policy>,
    pub(crate) prices: PriceCard,
    pub(crate) constraints: ProviderConstraints,
    pub(crate) view_source: Option<Arc<dyn ViewSource>>,
    pub(crate) reuse_predictor: Option<Arc<dyn ReusePredictor>>,
    /// Whether the next request can ask the provider to cache the prompt up to its latest answer.
    pub(crate) can_keep_answer: bool,
    /// The limit of the model's window, and the profile's own marks without it.
    window_limit: Option<WindowLimit>,
    profile_marks: Option<ResetMarks>,
}

impl PlannerConfig {
    pub(crate) fn new(settings: Settings, prices: PriceCard) -> Self {
        Self {
            settings: Arc::new(settings),
            policy: None,
            prices,
            constraints: ProviderConstraints::default(),
            view_source: None,
            reuse_predictor: None,
            can_keep_answer: true,
            window_limit: None,
            profile_marks: None,
        }
    }

    /// Limits the length of the next prompts; `None` removes the limit.
    pub(crate) fn set_window_limit(&mut self, limit: Option<WindowLimit>) {
        if self.window_limit == limit {
            return;
        }
        self.window_limit = limit;
        let Some(marks) = self.budget_marks() else { return };
        let ResetMarks { high, low } = *self.profile_marks.get_or_insert(marks);
        let (high, low) = limit.map_or((high, low), |limit| limit.clamp_marks(high, low));
        if let Some(Policy::ContentReset(marks)) = &mut self.policy {
            *marks = ResetMarks { high, low };
        } else if let Some(rewrite) = &mut Arc::make_mut(&mut self.settings).rewrite {
            (rewrite.high, rewrite.low) = (high, low);
        }
    }

    /// Returns the high and the low mark of a rewrite for size.
    fn budget_marks(&self) -> Option<ResetMarks> {
        match (self.policy, &self.settings.rewrite) {
            (Some(Policy::ContentReset(marks)), _) => Some(marks),
            (Some(Policy::FirstLastSampled(_)), _) | (None, None) => None,
            (None, Some(rewrite)) => Some(ResetMarks { high: rewrite.high, low: rewrite.low }),
        }
    }

    /// Returns the settings for rewrites; `None`: there are none.
    pub(crate) fn rewrite(&self) -> Option<&RewriteSettings> {
        self.settings.rewrite.as_ref()
    }

    /// Returns the settings for rewritten reads; `None`: they become outlines.
    pub(crate) fn old_reads(&self) -> Option<&OldReadSettings> {
        self.view_source.as_ref().and(self.rewrite()?.old_reads.as_ref())
    }

    /// Returns the most tokens that a prompt may have, if known.
    pub(crate) fn tokens_max(&self) -> Option<Tokens> {
        let of_window = self.window_limit.map(|limit| limit.tokens_max());
        [self.rewrite()?.tokens_max, of_window].into_iter().flatten().min()
    }
}
