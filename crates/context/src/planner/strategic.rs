//! A request planned by the strategy of a design document.

use std::collections::HashMap;
use std::sync::Arc;

use super::Planner;
use crate::note::{Note, NoteKind};
use crate::placement::base_files::BaseFile;
use crate::record::Record;
use crate::retention::strategy::Strategy;
use crate::retention::{content_reset, weigh};
use crate::shape::{Decision, Piece, Shape, ShapeKind};
use crate::step::{RewriteReason, Step};
use crate::tokens::Tokens;
use crate::wish::{Standing, Wishes};
use foveal_transcript::{EntryIndex, Role, Timestamp};

/// What strategies say in place of lines that were others.
const DIFFERS: &str = " [what this read gave differs from what stands there]";

impl Planner {
    /// Plans a request whose entries are taken in: the first of those that are new is `known`, and
    /// the client took back what stood from `cut` on. Without wishes nothing that was sent changes;
    /// nor does what stands in front of reasoning that is bound to it.
    pub(super) fn plan_by_strategy(
        &mut self,
        record: &Record,
        strategy: Strategy,
        (answer, now): (EntryIndex, Option<Timestamp>),
        (known, cut): (EntryIndex, Option<usize>),
        wishes: Option<&Wishes>,
    ) -> Step {
        let bound = self.fixed_until(self.rewrite_reason(cut, now));
        let fixed = wishes.map_or(self.sent, |_| bound.min(self.sent));
        let results = wishes.map_or(&[][..], |wishes| &wishes.results);
        let (wished, wished_from) = self.apply(record, results, fixed);
        let compacts = wishes.is_some_and(|wishes| wishes.compacts);
        // In front of bound reasoning nothing changes, the system prompt the least.
        let base = match bound {
            0 if wishes.is_some() => self.reset_base(record, strategy, compacts),
            _ => None,
        };
        let mut chosen = self.chosen_by(record, (strategy, compacts), base.as_deref());
        let wanted = self.wanted(record, fixed, known, &mut chosen);
        let differs = |(index, (decision, _)): &(&EntryIndex, &(Decision, Tokens))| {
            self.items[index.at()].decision != *decision
        };
        let first = wanted.iter().filter(differs).map(|(index, _)| self.position(*index)).min();
        let from = self.first_position(cut, &[], [wished_from, None]);
        let from = first.map_or(from, |first| first.min(from));
        let mut changed = Vec::new();
        for index in self.forget_from(record, from) {
            let is_settled = self.position(index) < fixed && index < known;
            let (decision, tokens) = match wanted.get(&index) {
                Some(wanted) => wanted.clone(),
                None if is_settled => self.standing(index),
                None => self.decide(record, index),
            };
            if decision != self.items[index.at()].decision {
                changed.push((index, decision.clone()));
            }
            self.settle(record, index, decision, tokens);
        }
        self.count_from(record, from);
        let first = changed.first().map_or(self.sent, |(index, _)| self.position(*index));
        let kept = [Some(first), cut, Some(self.sent)].into_iter().flatten().min().unwrap_or(0);
        let sent = cut.map_or(self.sent, |cut| cut.min(self.sent));
        let is_wished = wished_from.is_some_and(|from| self.position(from) <= first);
        let rewrite = match changed.first() {
            Some((index, _)) if *index < known && is_wished => Some(RewriteReason::Wished),
            Some((index, _)) if *index < known && first < sent => Some(strategy.reason(compacts)),
            Some((index, _)) if *index < known => Some(RewriteReason::ClientRewrote),
            Some(_) | None => base.as_ref().map(|_| strategy.reason(compacts)),
        };
        let kept = if base.is_some() { 0 } else { kept };
        let (levels, chosen) = (Vec::new(), Vec::new());
        let (time, keeps_answer, backlog) = (now, false, None);
        #[rustfmt::skip]
        let step =
            Step { answer, time, changed, rewrite, levels, wished, chosen, kept, keeps_answer, base, backlog };
        self.finish(&step);
        step
    }

    /// What the strategy puts in results' places, where `base` are the files that move to the
    /// system prompt with the same request.
    fn chosen_by(
        &self,
        record: &Record,
        (strategy, compacts): (Strategy, bool),
        base: Option<&[BaseFile]>,
    ) -> HashMap<EntryIndex, Shape> {
        let view = self.view(record, base);
        match (base, strategy) {
            (Some(base), Strategy::ContentReset(marks)) => {
                content_reset::decide_beside(&view, base, marks.low).into_iter().collect()
            }
            (_, _) => strategy.decide(&view, compacts).into_iter().collect(),
        }
    }

    /// What is to stand in the place of each result from window position `fixed` on that the person
    /// wants nothing of.
    fn wanted(
        &mut self,
        record: &Record,
        fixed: usize,
        known: EntryIndex,
        chosen: &mut HashMap<EntryIndex, Shape>,
    ) -> HashMap<EntryIndex, (Decision, Tokens)> {
        let mut wanted = HashMap::new();
        let window = self.window.entries();
        for index in window.get(fixed..).unwrap_or_default() {
            let item = &self.items[index.at()];
            if record.entry(*index).role != Role::Tool || item.standing != Standing::Free {
                continue;
            }
            let decided = match chosen.remove(index) {
                Some(shape) if item.decision.shape() == Some(&shape) => self.standing(*index),
                Some(shape) => {
                    let shape = told(record, *index, shape, |target| self.is_whole(target));
                    weigh(record, *index, &shape)
                }
                None => (Decision::Keep, record.facts(*index).tokens),
            };
            // What no prompt holds is shaped by the settings when it comes, and stays so.
            let is_too_long = self.settings.read_bytes_max.is_some_and(|most| {
                record.entry(*index).result().is_some_and(|result| result.content.len() > most)
            });
            let is_whole = decided.0.shape().is_none();
            match is_whole && is_too_long {
                true if *index < known => drop(wanted.insert(*index, self.standing(*index))),
                true => {}
                false => drop(wanted.insert(*index, decided)),
            }
        }
        wanted
    }

    /// Whether all of a result stands in the prompt, as far as is known.
    fn is_whole(&self, index: EntryIndex) -> bool {
        let item = &self.items[index.at()];
        item.decision.shape().is_none() && item.standing != Standing::Dropped
    }

    fn standing(&self, index: EntryIndex) -> (Decision, Tokens) {
        let item = &self.items[index.at()];
        (item.decision.clone(), item.tokens)
    }
}

/// A strategy's shape with what is true of it: each note says how to get what it stands for, and
/// none points at a result that says something else without telling so.
fn told(
    record: &Record,
    index: EntryIndex,
    mut shape: Shape,
    is_whole: impl Fn(EntryIndex) -> bool,
) -> Shape {
    let content = |index: EntryIndex| record.entry(index).result().map(|it| it.content.as_str());
    let own = content(index);
    let mut differs = false;
    for piece in &mut shape.pieces {
        let Piece::Note(_, note) = piece else { continue };
        let mut told = Note { handle: Some(shape.handle), ..(**note).clone() };
        let is_another = |target: &EntryIndex| content(*target) != own || !is_whole(*target);
        if told.refers_to.iter().any(is_another) {
            differs = true;
            told.refers_to.clear();
            if let NoteKind::Quoted(text) = &mut told.kind {
                *text = format!("{text}{DIFFERS}").into_boxed_str();
            }
        }
        *note = Arc::new(told);
    }
    if differs {
        shape.kind = ShapeKind::Note;
    }
    shape
}
