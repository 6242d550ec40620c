//! Restores a planner from recorded steps without deciding anything anew.

use foveal_pricing::prices::PriceCard;
use foveal_transcript::{EntryIndex, Timestamp};

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::plan_step::{BacklogChange, PlanStep};
use crate::settings::Settings;

impl Planner {
    /// Creates a planner with the state that `recorded` steps lead to. Nothing is decided anew.
    pub fn resume(
        settings: Settings,
        prices: PriceCard,
        record: &ConversationRecord,
        recorded: &[PlanStep],
    ) -> Self {
        Self::new(settings, prices).with_steps(record, recorded)
    }

    /// Adopts `recorded` steps; the planner must be at its start.
    #[must_use]
    pub fn with_steps(mut self, record: &ConversationRecord, recorded: &[PlanStep]) -> Self {
        recorded.iter().for_each(|step| self.adopt_step(record, step));
        self
    }

    /// Adopts a step that was decided elsewhere for the next request, in place of
    /// [`Planner::advance`].
    pub fn adopt_step(&mut self, record: &ConversationRecord, step: &PlanStep) {
        let cut = self.ingest_entries(record, step.answer);
        let wished_from = self.set_overrides(record, &step.wished);
        // The steps determine since when a result is dead weight; the reaction to it is part of the
        // step.
        self.choose_rewrite(record, cut, step.time, &step.wished, false);
        for (index, level) in &step.levels {
            self.entry_states[index.as_usize()].level = *level;
        }
        self.chosen_views.insert(&step.chosen);
        let mut changed = step.changed.iter().peekable();
        // The range that was reshaped then, changed or not, determines what is visible since.
        let shaped_from = match step.backlog {
            Some(BacklogChange::Shaped { from }) => Some(from),
            Some(BacklogChange::Added { .. }) | None => None,
        };
        let from = self.first_changed_position(cut, &step.levels, [wished_from, shaped_from]);
        // A policy changes results without a level.
        let changed_from = step.changed.first().map(|(index, _)| self.window_position(*index));
        let from = changed_from.map_or(from, |first| from.min(first));
        for index in self.forget_visible_from(from) {
            let decision = match changed.next_if(|(at, _)| *at == index) {
                Some((_, decision)) => decision.clone(),
                None => self.entry_states[index.as_usize()].decision.clone(),
            };
            let tokens = self.count_projected_tokens(record, index, &decision);
            self.commit_decision(record, index, decision, tokens);
        }
        self.recount_tokens(record, from);
        self.finish_step(step);
    }

    /// Passes all new results through unchanged at the request that `answer` answers, in place of
    /// [`Planner::advance`]: for requests that were sent before a decision was ready. `backlog` is
    /// the decision that came too late.
    pub fn plan_passthrough(
        &mut self,
        record: &ConversationRecord,
        answer: EntryIndex,
        now: Option<Timestamp>,
        backlog: Option<BacklogChange>,
    ) -> PlanStep {
        let step = PlanStep { backlog, ..PlanStep::unchanged(answer, now, self.sent_len) };
        self.adopt_step(record, &step);
        step
    }
}
