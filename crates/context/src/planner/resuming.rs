//! Standing where another planner stood: decisions are taken over, none is made anew.

use foveal_transcript::{EntryIndex, Timestamp};

use super::Planner;
use crate::prices::PriceCard;
use crate::record::Record;
use crate::settings::Settings;
use crate::step::{BacklogChange, Step};

impl Planner {
    /// A planner that stands where `recorded` left one: the decisions are taken over, none
    /// is made anew.
    pub fn resume(
        settings: Settings,
        prices: PriceCard,
        record: &Record,
        recorded: &[Step],
    ) -> Self {
        Self::new(settings, prices).resumed(record, recorded)
    }

    /// The same, of a planner at its start.
    #[must_use]
    pub fn resumed(mut self, record: &Record, recorded: &[Step]) -> Self {
        recorded.iter().for_each(|step| self.take_over(record, step));
        self
    }

    /// Takes over what was decided elsewhere for the next request, in place of
    /// [`Planner::advance`].
    pub fn take_over(&mut self, record: &Record, step: &Step) {
        let cut = self.ingest_entries(record, step.answer);
        let wished_from = self.put_all(record, &step.wished);
        // Since when a result is dead weight follows from the steps; what to do about it was
        // decided then.
        self.choose(record, cut, (step.time, &step.wished, false));
        for (index, level) in &step.levels {
            self.items[index.at()].level = *level;
        }
        self.choices.insert(&step.chosen);
        let mut changed = step.changed.iter().peekable();
        // What was forgotten then, whether it changed or not, decides what is known since.
        let shaped_from = match step.backlog {
            Some(BacklogChange::Shaped { from }) => Some(from),
            Some(BacklogChange::Added { .. }) | None => None,
        };
        let from = self.first_position(cut, &step.levels, [wished_from, shaped_from]);
        // A strategy changes results without a level.
        let changed_from = step.changed.first().map(|(index, _)| self.position(*index));
        let from = changed_from.map_or(from, |first| from.min(first));
        for index in self.forget_from(record, from) {
            let decision = match changed.next_if(|(at, _)| *at == index) {
                Some((_, decision)) => decision.clone(),
                None => self.items[index.at()].decision.clone(),
            };
            let tokens = self.weight(record, index, &decision);
            self.settle(record, index, decision, tokens);
        }
        self.count_from(record, from);
        self.finish(step);
    }

    /// Lets everything new pass as it is at the request that `answer` answers, in place of
    /// [`Planner::advance`]: for requests that were sent before anything could be decided. `backlog`:
    /// what was decided about it too late.
    pub fn let_pass(
        &mut self,
        record: &Record,
        answer: EntryIndex,
        now: Option<Timestamp>,
        backlog: Option<BacklogChange>,
    ) -> Step {
        let step = Step {
            answer,
            time: now,
            changed: Vec::new(),
            levels: Vec::new(),
            wished: Vec::new(),
            chosen: Vec::new(),
            kept: self.sent,
            rewrite: None,
            keeps_answer: false,
            base: None,
            backlog,
        };
        self.take_over(record, &step);
        step
    }
}
