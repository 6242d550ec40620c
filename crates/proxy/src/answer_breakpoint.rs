//! One additional cache breakpoint, behind the latest answer, for clients that set one at the end
//! of their messages.
//!
//! Results that the model has seen are reduced in the request after the one that showed them (see
//! [`foveal_engine::settings::EarlyReduction`]). The prefix up to the client's breakpoint behind them is
//! then no longer found in the cache. The part in front of them is found if it was cached up to the
//! answer before them, and that takes a breakpoint there. It costs nothing, because all of the
//! prompt is written anyway. If it cannot be set, results are not reduced that early.

use foveal_engine::placement::breakpoints::minimum_cacheable;
use foveal_engine::plan_step::PlanStep;
use foveal_pricing::tokens::Tokens;
use foveal_protocols::request_body::{
    BodyError, LatestAnswerBreakpoint, MissingBreakpoint, RequestBody,
};

use crate::request::{BreakpointOffsets, ShapeRequest};
use crate::rules::{BreakpointMode, ShapingRules};

/// The position behind the latest answer up to which a request can be cached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AnswerBreakpoint {
    mark: LatestAnswerBreakpoint,
    /// The length of the shortest prompt that the provider caches.
    cacheable_tokens_min: Tokens,
}

impl AnswerBreakpoint {
    /// Returns the position in this body, for a model that caches by its client's breakpoints and
    /// for rules that benefit from it; `None` if there is none. If the client has a breakpoint
    /// behind the answer itself, no other is needed.
    ///
    /// # Errors
    /// If a message cannot be decoded.
    pub(crate) fn from_request(
        rules: &ShapingRules,
        asked: &ShapeRequest<'_>,
        body: &RequestBody,
    ) -> Result<Option<Self>, BodyError> {
        // If the provider is told to remove parts of the prompt itself, its cache does not contain
        // the sent prompt.
        if !rules.settings.has_early_reduction() || !body.server_edits.is_empty() {
            return Ok(None);
        }
        let may_mark = rules.breakpoint_mode == BreakpointMode::Auto;
        let mark = body.latest_answer_breakpoint(asked.body)?;
        let mark = mark.filter(|mark| may_mark || mark.missing.is_none());
        let named = body.model.as_deref().or(asked.model).unwrap_or_default();
        Ok(mark.map(|mark| Self { mark, cacheable_tokens_min: minimum_cacheable(named) }))
    }

    /// Returns whether the prompt is long enough up to there. `tokens_up_to` counts the tokens in
    /// front of a message.
    pub(crate) fn is_cacheable(&self, tokens_up_to: impl FnOnce(usize) -> Tokens) -> bool {
        tokens_up_to(self.mark.message + 1) >= self.cacheable_tokens_min
    }

    /// Returns the breakpoint, if the last step of the conversation relies on it.
    pub(crate) fn offsets(&self, last: Option<&PlanStep>) -> BreakpointOffsets {
        let is_decided = last.is_some_and(|step| step.keeps_answer);
        match self.mark.missing.filter(|_| is_decided) {
            Some(MissingBreakpoint { at, lasts_one_hour: is_hour }) => {
                BreakpointOffsets { offsets: vec![at], for_an_hour: is_hour }
            }
            None => BreakpointOffsets::default(),
        }
    }
}
