//! What stands in each message's place: new messages, and those behind a change, in order.

use std::sync::Arc;

use foveal_transcript::{EntryIndex, Role};

use super::Planner;
use crate::level::Level;
use crate::record::Record;
use crate::shape::{Decision, Shape};
use crate::shaping::arrival::{self, Outcome};
use crate::shaping::edits;
use crate::step::Item;
use crate::tokens::Tokens;
use crate::wish::Standing;

impl Planner {
    /// Where folding has to start: the first position that is new, cut or rewritten.
    pub(super) fn first_position(
        &self,
        cut: Option<usize>,
        levels: &[(EntryIndex, Level)],
        others: [Option<EntryIndex>; 2],
    ) -> usize {
        let place = |first| self.position(first);
        let others = others.into_iter().flatten();
        let rewritten = levels.iter().map(|(index, _)| *index).chain(others).min().map(place);
        // A note must not tell of edits that the client took back.
        let stale = cut.and_then(|_| self.runs.first_stale(self.window.entries())).map(place);
        [Some(self.sent), cut, rewritten, stale].into_iter().flatten().min().unwrap_or(0)
    }

    /// Shapes the window from position `from` on, in order, against what stands before.
    pub(super) fn fold(&mut self, record: &Record, from: usize) -> Vec<(EntryIndex, Decision)> {
        let mut changed = Vec::new();
        for index in self.forget_from(record, from) {
            let (decision, tokens) = self.decide(record, index);
            if decision != self.items[index.at()].decision {
                changed.push((index, decision.clone()));
            }
            self.settle(record, index, decision, tokens);
        }
        self.count_from(record, from);
        changed
    }

    /// Forgets what stood from window position `from` on; returns what stands there now.
    pub(super) fn forget_from(&mut self, record: &Record, from: usize) -> Vec<EntryIndex> {
        if from < self.sent {
            self.find_last_told(record);
        }
        let (stay, go) = self.window.entries().split_at(from.min(self.window.entries().len()));
        // What is known is about entries that were sent; while those all stay, so does it.
        if stay.len() < self.sent {
            self.visible.forget_all_but(stay);
            self.runs.retain(|entry| stay.binary_search(&entry).is_ok());
        }
        go.to_vec()
    }

    /// What is to stand in a message's place, and its tokens.
    pub(super) fn decide(&mut self, record: &Record, index: EntryIndex) -> (Decision, Tokens) {
        let shaped = match record.entry(index).role {
            Role::Assistant => {
                let mut cache = std::mem::take(&mut self.cache);
                let ask = self.edits_of(record, index);
                let shaped = edits::shape(&ask, &mut cache);
                self.cache = cache;
                shaped
            }
            Role::Tool if self.items[index.at()].is_whole_by_wish() => None,
            Role::Tool => match self.shape_result(record, index) {
                Outcome::Same => {
                    let item = &self.items[index.at()];
                    return (item.decision.clone(), item.tokens);
                }
                Outcome::Shaped(shaped, inputs) => {
                    self.inputs[index.at()] = Some(inputs);
                    shaped
                }
            },
            Role::System | Role::User => None,
        };
        let before = &self.items[index.at()].decision;
        match shaped {
            Some((shape, _)) if before.shape().is_some_and(|old| old.sends_the_same_as(&shape)) => {
                (before.clone(), self.items[index.at()].tokens)
            }
            Some((shape, tokens)) => (Decision::Replace(Arc::new(shape)), tokens),
            None => (Decision::Keep, record.facts(index).tokens),
        }
    }

    /// Shapes a result for its level, or, where that would be larger than what stands so far,
    /// for the level below that takes the fewest tokens.
    fn shape_result(&mut self, record: &Record, index: EntryIndex) -> Outcome {
        let Item { level, tokens: stands, standing, .. } = self.items[index.at()];
        let mut outcome = self.shape_for(record, index, level);
        if standing == Standing::Dropped {
            return outcome;
        }
        for lower in level.below() {
            let Some(tokens) = outcome.tokens(record.facts(index)) else { break };
            if tokens <= stands {
                break;
            }
            let other = self.shape_for(record, index, *lower);
            if other.tokens(record.facts(index)).is_none_or(|less| less < tokens) {
                outcome = other;
            }
        }
        outcome
    }

    fn shape_for(&mut self, record: &Record, index: EntryIndex, level: Level) -> Outcome {
        let mut cache = std::mem::take(&mut self.cache);
        let ask = self.about_result(record, index, level);
        let outcome = arrival::shape(&ask, &mut cache);
        self.cache = cache;
        outcome
    }

    /// What a result is shaped by for a level.
    pub(super) fn about_result<'a>(
        &'a self,
        record: &'a Record,
        index: EntryIndex,
        level: Level,
    ) -> arrival::Ask<'a> {
        let before = &self.items[index.at()];
        arrival::Ask {
            record,
            ledger: self.visible.ledger(),
            settings: &self.settings,
            index,
            level,
            asked_again: self.visible.asked_again(record, index),
            before,
            inputs: self.inputs[index.at()].as_ref(),
            outlined_later: self.settings.rewrite.is_some() && self.old_reads().is_none(),
            chosen: self.choices.of(index, level),
            first: self.choices.of(index, Level::Arrival),
        }
    }

    /// What is to be decided about the edits of the response at `index`.
    fn edits_of<'a>(&'a self, record: &'a Record, index: EntryIndex) -> edits::Ask<'a> {
        let window = self.window.entries();
        edits::Ask {
            record,
            index,
            level: self.items[index.at()].level,
            runs: &self.runs,
            window: &window[self.position(index)..],
            last: &self.last_told,
        }
    }

    /// Notes in which responses of the prompt edits are to be told.
    fn find_last_told(&mut self, record: &Record) {
        self.last_told.clear();
        for index in self.window.entries() {
            let facts = record.facts(*index);
            if self.items[index.at()].level == Level::Note && !facts.edits.is_empty() {
                edits::insert_last(&mut self.last_told, facts, *index);
            }
        }
    }

    /// Takes a decision as final: records its weight and what it shows.
    pub(super) fn settle(
        &mut self,
        record: &Record,
        index: EntryIndex,
        decision: Decision,
        tokens: Tokens,
    ) {
        self.visible.show(record, index, &decision);
        // Who points at a message shows that it still matters.
        let shape = decision.shape();
        let arrived = self.lives[index.at()].map_or(0, |life| life.arrived);
        for target in shape.map(Shape::refers_to).unwrap_or_default() {
            if let Some(life) = self.lives[target.at()].as_mut() {
                life.last_use = life.last_use.max(arrived);
            }
        }
        let tells = record.entry(index).role == Role::Assistant && shape.is_some();
        let item = &mut self.items[index.at()];
        (item.decision, item.tokens) = (decision, tokens);
        if tells && item.level == Level::Note {
            let mut runs = std::mem::take(&mut self.runs);
            runs.tell(&self.edits_of(record, index));
            self.runs = runs;
        }
    }

    /// Tokens of what is sent of an entry under `decision`.
    pub(super) fn weight(
        &mut self,
        record: &Record,
        index: EntryIndex,
        decision: &Decision,
    ) -> Tokens {
        let Some(shape) = decision.shape() else { return record.facts(index).tokens };
        let entry = record.entry(index);
        let text = match entry.result() {
            Some(result) => shape.render(&result.content),
            None => shape.render(&entry.prompt_text()),
        };
        self.cache.count(record.tokenizer(), &text)
    }
}
