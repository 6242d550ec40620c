//! Counts the calls of a run that repeat earlier ones, each once.

use std::collections::HashSet;

use crate::run_totals::RunTotals;
use crate::tool_answer::ToolAnswer;

/// The answered calls of a run that do not count as repeats so far.
#[derive(Debug, Default)]
pub(crate) struct RepeatCounter(HashSet<String>);

impl RepeatCounter {
    /// Counts an answered call if its tool reused an earlier answer.
    pub(crate) fn record_answer(&mut self, id: &str, answer: &ToolAnswer, totals: &mut RunTotals) {
        match answer.cached {
            true => totals.repeats = totals.repeats.saturating_add(1),
            false => drop(self.0.insert(id.to_owned())),
        }
    }

    /// Counts a call whose result only points at an earlier one. Returns whether that is so and
    /// the call was not counted before.
    pub(crate) fn record_reduction(
        &mut self,
        id: &str,
        is_repeat: bool,
        totals: &mut RunTotals,
    ) -> bool {
        let is_counted = is_repeat && self.0.remove(id);
        totals.repeats = totals.repeats.saturating_add(u32::from(is_counted));
        is_counted
    }
}
