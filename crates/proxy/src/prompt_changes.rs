//! The user's changes of a prompt between two requests.

use foveal_engine::overrides::{OverrideError, RequestOverrides, ResultOverride};
use foveal_pricing::tokens::Tokens;
use foveal_transcript::{ContentHash, EntryIndex};

use crate::conversation_state::ConversationState;
use crate::inactive_reason::InactiveReason;
use crate::overview::{OverviewInputs, PromptOverview};
use crate::request::{DecisionSlot, RequestReport, ShapeRequest};
use crate::request_context::RequestContext;
use crate::request_shaper::RequestShaper;

/// A change of the prompt, which holds from the next request on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptChange {
    /// Replaces a result by a note.
    Drop(EntryIndex),
    /// Sends a result whole, and keeps it whole.
    Pin(EntryIndex),
    /// Sends a result whole again. It may be reduced later like others.
    Restore(EntryIndex),
    /// Undoes the last of these changes.
    Undo,
}

/// The reasons why a change cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum PromptChangeError {
    /// The override of the result is impossible.
    #[error("{0}")]
    Unwishable(#[from] OverrideError),
    /// There is no change to undo.
    #[error("there is no change to undo")]
    NothingToUndo,
    /// The conversation is not shaped.
    #[error("nothing can be changed: {0}")]
    Inactive(String),
}

/// The effect of a rewrite of old results.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactionEstimate {
    /// Tokens of the prompt without the rewrite.
    pub before: Tokens,
    /// Tokens of the prompt with the rewrite.
    pub after: Tokens,
    /// The number of results that it reduces.
    pub results: usize,
}

impl RequestShaper {
    /// Returns an error if the rules reduce nothing, so that there is nothing to change.
    fn check_changeable(&self) -> Result<(), PromptChangeError> {
        match self.rules.is_passthrough {
            true => Err(PromptChangeError::Inactive("prompts are not reduced here".to_owned())),
            false => Ok(()),
        }
    }

    /// Returns an overview of the prompt that this body continues, in its current form.
    ///
    /// # Errors
    /// [`PromptChangeError::Inactive`] if the conversation is not shaped.
    pub fn overview(&self, asked: &ShapeRequest<'_>) -> Result<PromptOverview, PromptChangeError> {
        self.with_conversation(asked, |live, first, request| {
            let wanted = self.pending_overrides.get(first).applicable_overrides(live).results;
            let seen = OverviewInputs {
                engine: &live.engine,
                steps: live.steps(),
                model: &request.model,
                window: self.model_windows.window_tokens(
                    asked.upstream,
                    request.body.model.as_deref().or(asked.model).unwrap_or_default(),
                    &request.model,
                ),
                now: asked.now,
                overrides: &wanted,
            };
            Ok(seen.build_overview())
        })
    }

    /// Stores the user's change of a result for the next request. Until then it is lost if the
    /// process ends; afterwards it is recorded like other decisions.
    ///
    /// # Errors
    /// The reason why the change cannot be made.
    pub fn change_prompt(
        &self,
        asked: &ShapeRequest<'_>,
        change: PromptChange,
    ) -> Result<(), PromptChangeError> {
        self.check_changeable()?;
        self.with_conversation(asked, |live, first, _| {
            let mut wanted = self.pending_overrides.get(first);
            let wish = match change {
                PromptChange::Drop(index) => ResultOverride::dropped(index),
                PromptChange::Pin(index) => ResultOverride::pinned(index),
                PromptChange::Restore(index) => ResultOverride::restored(index),
                PromptChange::Undo => {
                    let (end, wish) = wanted.pop_undo().ok_or(PromptChangeError::NothingToUndo)?;
                    // A change that cannot be undone does not block earlier ones.
                    let taken = wanted.undo_override(live, end, wish);
                    self.pending_overrides.set(first, wanted);
                    taken?;
                    return Ok(());
                }
            };
            wanted.set_override(live, wish)?;
            self.pending_overrides.set(first, wanted);
            Ok(())
        })
    }

    /// Rewrites old results at the next request, as if the prompt had just passed the high mark of
    /// its profile. Returns the expected effect. If nothing would be saved, no rewrite is
    /// requested.
    ///
    /// # Errors
    /// [`PromptChangeError::Inactive`] if the conversation is not shaped.
    pub fn request_compaction(
        &self,
        asked: &ShapeRequest<'_>,
    ) -> Result<CompactionEstimate, PromptChangeError> {
        self.check_changeable()?;
        self.with_conversation(asked, |live, first, _| {
            let mut wanted = self.pending_overrides.get(first);
            let mut tried = live.clone();
            let wishes = wanted.applicable_overrides(live);
            tried.plan(asked.now, &wishes);
            let before = tried.prompt_tokens().1;
            let mut tried = live.clone();
            let step = tried.plan(asked.now, &RequestOverrides { compacts: true, ..wishes });
            let is_reduced = |index| step.changed.iter().any(|(changed, _)| *changed == index);
            let results = step.levels.iter().filter(|(index, _)| is_reduced(*index)).count();
            let after = tried.prompt_tokens().1;
            let is_less = results > 0 && after < before;
            wanted.set_compaction(is_less);
            self.pending_overrides.set(first, wanted);
            Ok(match is_less {
                true => CompactionEstimate { before, after, results },
                false => CompactionEstimate { before, after: before, results: 0 },
            })
        })
    }

    /// Calls `with` for the conversation that a body continues. All its messages are known then,
    /// and nothing is decided.
    fn with_conversation<T>(
        &self,
        asked: &ShapeRequest<'_>,
        with: impl FnOnce(
            &ConversationState,
            ContentHash,
            &RequestContext<'_>,
        ) -> Result<T, PromptChangeError>,
    ) -> Result<T, PromptChangeError> {
        let inactive = |error: InactiveReason| PromptChangeError::Inactive(error.to_string());
        let decision = DecisionSlot::default();
        let asked = &ShapeRequest { counts_tokens: true, decision: &decision, ..*asked };
        let request = self.read_request(asked, &mut RequestReport::default()).map_err(inactive)?;
        let Some(request) = request else {
            return Err(PromptChangeError::Inactive("the conversation is empty".to_owned()));
        };
        let first = request.first_fingerprint();
        let _guard = self.conversations.lock(first);
        let mut live = self.conversations.find_conversation(&request).map_err(inactive)?;
        let added = live.add_messages(&request, request.body.messages.len());
        added.map_err(|error| inactive(error.into()))?;
        with(&live, first, &request)
    }
}
