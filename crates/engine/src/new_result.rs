//! Shapes one new result against the visible prompt, for callers that never change what was sent.

use std::sync::Arc;

use foveal_transcript::EntryIndex;

use crate::conversation_record::ConversationRecord;
use crate::message_shape::Decision;
use crate::output_budget::OutputBudget;
use crate::plan_step::EntryState;
use crate::reduction_level::ReductionLevel;
use crate::settings::Settings;
use crate::shaping::budget_fitting::{FitLimits, fit_to_budget};
use crate::shaping::pipeline::{self, ShapingOutcome};
use crate::token_cache::TokenCache;
use crate::views::{self, ViewSource};
use crate::visible_prompt::VisiblePrompt;

/// The inputs of the decision on a new result.
#[derive(Debug, Clone, Copy)]
pub struct NewResultShaper<'a> {
    /// The conversation with its facts; the result is its last entry.
    pub record: &'a ConversationRecord,
    /// The visible prompt before the result.
    pub visible: &'a VisiblePrompt,
    /// The settings. Those for rewrites do not apply.
    pub settings: &'a Settings,
    /// Chooses lines of first reads, where the settings call for views.
    pub view_source: Option<&'a dyn ViewSource>,
    /// The most that may be sent of the result; the rest is omitted from the end.
    pub budget: OutputBudget,
    /// Length of the notes at its end, which are always kept, in bytes.
    pub trailing_note_bytes: usize,
}

impl NewResultShaper<'_> {
    /// Decides in which form the result is sent.
    ///
    /// # Panics
    /// If the record is empty.
    pub fn decide(&self) -> Decision {
        let Self {
            record,
            visible,
            settings,
            view_source: views,
            budget: room,
            trailing_note_bytes: end_bytes,
        } = *self;
        let index = EntryIndex(record.len() as u32 - 1);
        let chosen = views.zip(settings.curate.as_ref()).map(|(views, curate)| {
            let before: Vec<_> = visible.ledger().entries().collect();
            views::choose_first_read_views(views, record, curate, &before, index)
        });
        let chosen = chosen.unwrap_or_default();
        let ask = pipeline::ResultShapingInputs {
            record,
            ledger: visible.ledger(),
            settings,
            index,
            level: ReductionLevel::Arrival,
            is_repeated_call: visible.wants_full_result(record, index),
            current_state: &EntryState::default(),
            current_dependencies: None,
            outlined_later: false,
            chosen_views: &chosen,
            first_views: &[],
        };
        let decision = match pipeline::shape_result(&ask, &mut TokenCache::default()) {
            ShapingOutcome::Shaped(Some((shape, _)), _) => Decision::Replace(Arc::new(shape)),
            ShapingOutcome::Shaped(None, _) | ShapingOutcome::Unchanged => Decision::Keep,
        };
        match record.entry(index).tool_result() {
            Some(result) => {
                let facts = record.facts(index);
                fit_to_budget(
                    decision,
                    &result.content,
                    facts,
                    FitLimits { budget: room, end_bytes, views },
                )
            }
            None => decision,
        }
    }
}
