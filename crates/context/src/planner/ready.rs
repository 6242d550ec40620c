//! What is found out between requests, so that a rewrite takes less time when it comes.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use foveal_transcript::{EntryIndex, Role};

use super::Planner;
use crate::level::Level;
use crate::record::Record;
use crate::shape::Decision;
use crate::shaping::arrival::{self, Outcome};
use crate::views::{self, Chosen};
use crate::visible::Visible;

impl Planner {
    /// Gets ready for a rewrite with the next request, as long as it may `go_on`: has views of reads
    /// found that it may ask for, and, where it is near, counts the tokens of what it would leave.
    /// Decides nothing. All entries of `record` have to be planned.
    pub fn get_ready(&mut self, record: &Record, go_on: &dyn Fn() -> bool) {
        let Some(views) = &self.views else { return };
        let known = EntryIndex(record.len() as u32);
        let levels: Vec<_> = self.not_reduced().map(|index| (index, Level::Reduced)).collect();
        let chosen =
            views::foresee(&**views, &self.about_views(record, known, &levels, known), go_on);
        if !go_on() {
            return;
        }
        let levels = self.foresee_rewrite(record);
        let of_levels = |chosen: &Chosen| levels.contains(&(chosen.entry, chosen.level));
        let chosen: Vec<Chosen> = chosen.into_iter().filter(of_levels).collect();
        let hash = hash(&levels, &chosen);
        if levels.is_empty() || self.foreseen == Some(hash) {
            return;
        }
        let is_done = self.count_foreseen(record, (&levels, &chosen), go_on);
        self.foreseen = is_done.then_some(hash);
    }

    /// Counts what would stand in the place of results that come to these levels with the next
    /// request, by these views; whether it could go on to the end. They are shaped in their order,
    /// since what one no longer shows is not pointed at by those behind it.
    fn count_foreseen(
        &mut self,
        record: &Record,
        (levels, chosen): (&[(EntryIndex, Level)], &[Chosen]),
        go_on: &dyn Fn() -> bool,
    ) -> bool {
        let Some((first, _)) = levels.first() else { return true };
        let from = self.position(*first);
        let mut visible = self.visible.clone();
        visible.forget_all_but(&self.window.entries()[..from]);
        let mut levels = levels.iter().peekable();
        for at in from..self.window.entries().len() {
            let index = self.window.entries()[at];
            let raised = levels.next_if(|(next, _)| *next == index);
            let item = &self.items[index.at()];
            let is_shaped = record.entry(index).role == Role::Tool && !item.is_whole_by_wish();
            if is_shaped && !go_on() {
                return false;
            }
            let decision = if is_shaped {
                let level = raised.map_or(item.level, |(_, level)| *level);
                let place = chosen.binary_search_by_key(&index, |chosen| chosen.entry);
                let chosen = place.ok().map(|place| &chosen[place]);
                self.shape_foreseen(record, (index, level), chosen, &visible)
            } else {
                item.decision.clone()
            };
            visible.show(record, index, &decision);
        }
        true
    }

    /// What a result would become at a level, behind what is `visible`. Its tokens are remembered.
    fn shape_foreseen(
        &mut self,
        record: &Record,
        (index, level): (EntryIndex, Level),
        chosen: Option<&Chosen>,
        visible: &Visible,
    ) -> Decision {
        let mut cache = std::mem::take(&mut self.cache);
        let ask = self.about_result(record, index, level);
        let ask = arrival::Ask {
            ledger: visible.ledger(),
            asked_again: visible.asked_again(record, index),
            chosen: chosen.or(ask.chosen),
            ..ask
        };
        // Of chunks nothing is remembered: there are many.
        cache.set_full(true);
        let outcome = arrival::shape(&ask, &mut cache);
        cache.set_full(false);
        self.cache = cache;
        match (outcome, record.entry(index).result()) {
            (Outcome::Same, _) => self.items[index.at()].decision.clone(),
            (Outcome::Shaped(Some((shape, tokens)), _), Some(result)) => {
                let text = shape.render(&result.content);
                self.cache.remember_text(record.tokenizer(), &text, tokens);
                Decision::Replace(Arc::new(shape))
            }
            (Outcome::Shaped(..), _) => Decision::Keep,
        }
    }

    /// The entries that a rewrite may reduce and none has yet, in order.
    pub fn not_reduced(&self) -> impl Iterator<Item = EntryIndex> {
        let movable = self.movable.iter().copied();
        movable.filter(|index| self.items[index.at()].level == Level::Arrival)
    }

    /// Takes over what another planner of the same conversation has counted.
    pub(crate) fn take_counts_of(&mut self, other: &mut Self) {
        self.cache = std::mem::take(&mut other.cache);
    }
}

/// What tells one rewrite from another.
fn hash(levels: &[(EntryIndex, Level)], chosen: &[Chosen]) -> u64 {
    let mut hasher = DefaultHasher::new();
    levels.hash(&mut hasher);
    for chosen in chosen {
        (chosen.entry, &chosen.view).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
