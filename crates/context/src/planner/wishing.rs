//! What the person wants of single results, put into effect.

use super::{Planner, is_movable};
use crate::level::Level;
use crate::record::Record;
use crate::shaping::arrival;
use crate::step::Item;
use crate::tokens::Tokens;
use crate::wish::{Standing, Unwishable, Wish};
use foveal_transcript::{Block, EntryIndex, Role};

impl Planner {
    /// Whether a wish can be carried out with the next request, as far as is known before it.
    ///
    /// # Errors
    /// Why not.
    pub fn check_wish(&self, record: &Record, wish: &Wish) -> Result<(), Unwishable> {
        // What came since the last request may hold reasoning.
        let new = (self.items.len()..record.len()).rev().map(|at| EntryIndex(at as u32));
        let mut new = new.filter(|index| has_reasoning(record, *index));
        let is_bound = self.constraints.reasoning_is_bound;
        if is_bound && new.next().is_some_and(|last| wish.entry < last) {
            return Err(Unwishable::Bound);
        }
        self.check(record, wish, self.fixed_until(None))
    }

    /// The same, where nothing before window position `fixed_until` may change.
    fn check(&self, record: &Record, wish: &Wish, fixed_until: usize) -> Result<(), Unwishable> {
        let index = wish.entry;
        if index.at() >= record.len() {
            return Err(Unwishable::NotThere);
        }
        if record.entry(index).role != Role::Tool || record.entry(index).result().is_none() {
            return Err(Unwishable::NoResult);
        }
        let new = Item { tokens: record.facts(index).tokens, ..Item::default() };
        let item = self.items.get(index.at()).unwrap_or(&new);
        if index.at() < self.items.len() {
            let position = self.window.entries().binary_search(&index);
            let position = position.map_err(|_| Unwishable::NotThere)?;
            if changes(item, wish) && position < fixed_until {
                return Err(Unwishable::Bound);
            }
        }
        if item.standing == wish.standing && !changes(item, wish) {
            return Err(Unwishable::IsSo);
        }
        let note = || self.note_tokens(record, index);
        if wish.standing == Standing::Dropped
            && changes(item, wish)
            && note().is_none_or(|note| note >= item.tokens)
        {
            return Err(Unwishable::NoShorter);
        }
        Ok(())
    }

    /// Tokens of a note in place of a result; `None` where that would be no shorter than all of it.
    pub fn note_tokens(&self, record: &Record, index: EntryIndex) -> Option<Tokens> {
        arrival::cleared(record, index).map(|(_, tokens)| tokens)
    }

    /// Puts into effect what can be; which wishes that are, and the first entry that changes by them.
    pub(super) fn apply(
        &mut self,
        record: &Record,
        wishes: &[Wish],
        fixed_until: usize,
    ) -> (Vec<Wish>, Option<EntryIndex>) {
        let mut applied = Vec::new();
        let mut first = None;
        for wish in wishes {
            if self.check(record, wish, fixed_until).is_ok() {
                applied.push(*wish);
                first = self.put_all(record, &[*wish]).into_iter().chain(first).min();
            }
        }
        (applied, first)
    }

    /// Puts wishes into effect that were carried out; the first entry that changes by them.
    pub(super) fn put_all(&mut self, record: &Record, wishes: &[Wish]) -> Option<EntryIndex> {
        let mut first = None;
        for wish in wishes {
            let (index, requests) = (wish.entry, self.requests);
            let Some(item) = self.items.get_mut(index.at()) else { continue };
            if changes(item, wish) {
                first = first.map_or(Some(index), |first: EntryIndex| Some(first.min(index)));
                self.inputs[index.at()] = None;
            }
            (item.standing, item.level) = (wish.standing, wish.level);
            if let Some(life) = self.lives[index.at()].as_mut() {
                life.last_use = requests;
            }
            self.move_again(record, index);
        }
        first
    }

    /// Notes that a result may be rewritten again, if that may be worth while.
    fn move_again(&mut self, record: &Record, index: EntryIndex) {
        let is_reduced = self.items[index.at()].level == Level::Note;
        if is_reduced || !is_movable(&self.settings, &self.lives, record, index) {
            return;
        }
        let is_there = self.window.entries().binary_search(&index).is_ok();
        if let (Err(at), true) = (self.movable.binary_search(&index), is_there) {
            self.movable.insert(at, index);
        }
    }
}

/// Whether what is sent of a result changes by a wish.
fn changes(item: &Item, wish: &Wish) -> bool {
    item.level != wish.level || item.decision.shape().is_none() != wish.is_whole
}

fn has_reasoning(record: &Record, index: EntryIndex) -> bool {
    record.entry(index).blocks.iter().any(|block| matches!(block, Block::Reasoning(_)))
}
