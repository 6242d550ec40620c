//! Restores a planner from recorded steps without deciding anything anew.

use foveal_transcript::{EntryIndex, Timestamp};

use super::Planner;
use crate::conversation_record::ConversationRecord;
use crate::plan_step::{BacklogChange, PlanStep};

impl Planner {
    /// Adopts `recorded` steps; the planner must be at its start. Nothing is decided anew.
    #[must_use]
    pub fn with_steps(mut self, record: &ConversationRecord, recorded: &[PlanStep]) -> Self {
        recorded.iter().for_each(|step| self.adopt_step(record, step));
        self
    }

    /// Adopts a step that was decided elsewhere for the next request, in place of
    /// [`Planner::advance`].
    pub fn adopt_step(&mut self, record: &ConversationRecord, step: &PlanStep) {
        let request = self.start_request(record, step.answer, step.time);
        let wished_from = self.override_stage(record).set(&step.wished);
        // The steps determine since when a result is dead weight; the reaction to it is part of the
        // step.
        self.choose_rewrite(record, &request, &step.wished);
        self.entries.set_levels(&step.levels);
        self.entries.chosen_views.insert(&step.chosen);
        // The range that was reshaped then, changed or not, determines what is visible since.
        let shaped_from = match step.backlog {
            Some(BacklogChange::Shaped { from }) => Some(from),
            Some(BacklogChange::Added { .. }) | None => None,
        };
        // A policy changes results without a level.
        let changed_from = step.changed.first().map(|(index, _)| *index);
        let changed = step.levels.iter().map(|(index, _)| *index).chain(changed_from);
        let changed = changed.chain(wished_from).chain(shaped_from);
        let from = self.window.first_changed_position(request.cut, changed);
        let mut changed = step.changed.iter().peekable();
        self.shaper(record).shape_window(from, |shaper, index| {
            let recorded = changed.next_if(|(at, _)| *at == index);
            let current = || &shaper.entries.state(index).decision;
            let decision = recorded.map_or_else(current, |(_, decision)| decision).clone();
            shaper.count_decision(index, decision)
        });
        self.record_step(step);
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
        let unchanged = PlanStep::unchanged(answer, now, self.window.sent_len);
        let step = PlanStep { backlog, ..unchanged };
        self.adopt_step(record, &step);
        step
    }
}
