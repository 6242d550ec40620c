//! Content reset: at the high mark contents leave the tool results, their paths stay, and
//! the files that matter move to the base files.
//!
//! [`reset`] only decides; the plan says what stands where afterwards.

use std::collections::HashSet;

use crate::budget::Budget;
use crate::placement::base_files::{BaseFile, BaseRules, Candidate, select_base_files};
use crate::placement::read_files::{ReadFiles, shown_paths};
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// A tool result in `read_files` form that is part of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadFilesEntry {
    /// The entry that holds it.
    pub entry: EntryIndex,
    /// The result as the prompt has it now.
    pub result: ReadFiles,
}

/// What the decision on a reset rests on, beside the results.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Tokens of everything else in the prompt: instructions, messages, other results.
    /// Base files and `read_files` results are not included.
    pub fixed: Tokens,
    /// The base files as placed.
    pub placed: Vec<BaseFile>,
    /// Files that may be promoted, with their content now. Only those whose content some
    /// result shows, and knowledge and pinned files, are taken.
    pub candidates: Vec<Candidate>,
    /// How base files are chosen, and how tokens are counted.
    pub rules: BaseRules,
    /// The first result the model has not seen yet; from there on nothing is removed.
    pub unseen_from: Option<EntryIndex>,
}

/// A result that has to be replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedEntry {
    /// The entry that holds it.
    pub entry: EntryIndex,
    /// Paths whose content was removed, in the result's order.
    pub removed: Vec<String>,
    /// The result as the prompt has it afterwards.
    pub result: ReadFiles,
}

/// The decision on a reset.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetPlan {
    /// Results to replace, in order. All others stay byte for byte.
    pub truncated: Vec<TruncatedEntry>,
    /// The base files afterwards.
    pub base_files: Vec<BaseFile>,
    /// Paths that are base files now and were none before.
    pub promoted: Vec<String>,
    /// Tokens of the prompt before.
    pub before: Tokens,
    /// Tokens of the prompt afterwards.
    pub after: Tokens,
}

/// Decides on a reset. Below the high mark nothing changes. Otherwise base files are chosen
/// anew, within the room that the low mark leaves; what became a base file leaves the
/// results, so that nothing stands in the prompt twice; then contents are removed from the
/// oldest result on until the low mark is reached. Afterwards the prompt is at the low mark
/// or below, or nothing is left to remove.
pub fn reset(entries: &[ReadFilesEntry], budget: &Budget, selection: &Selection) -> ResetPlan {
    let mut prompt = Prompt::new(entries, selection);
    let before = prompt.total();
    if budget.is_reached(before) {
        prompt.choose_base(budget.low());
        prompt.remove_promoted();
        prompt.remove_oldest(budget.low());
    }
    prompt.plan(before)
}

/// The prompt while it is being reset.
struct Prompt<'a> {
    selection: &'a Selection,
    results: Vec<Slot<'a>>,
    base: Vec<BaseFile>,
    base_tokens: Tokens,
}

struct Slot<'a> {
    original: &'a ReadFilesEntry,
    result: ReadFiles,
    tokens: Tokens,
    removable: bool,
}

impl<'a> Prompt<'a> {
    fn new(entries: &'a [ReadFilesEntry], selection: &'a Selection) -> Self {
        let rules = &selection.rules;
        let results = entries
            .iter()
            .map(|original| Slot {
                original,
                result: original.result.clone(),
                tokens: rules.tokenizer.count(&original.result.render()),
                removable: selection.unseen_from.is_none_or(|unseen| original.entry < unseen),
            })
            .collect();
        let base = selection.placed.clone();
        let base_tokens = rules.tokens(&base);
        Self { selection, results, base, base_tokens }
    }

    fn total(&self) -> Tokens {
        let results: Tokens = self.results.iter().map(|slot| slot.tokens).sum();
        self.selection.fixed + self.base_tokens + results
    }

    fn choose_base(&mut self, low: Tokens) {
        let selection = self.selection;
        let shown = shown_paths(self.results.iter().map(|slot| &slot.result));
        let candidates: Vec<Candidate> = selection
            .candidates
            .iter()
            .filter(|candidate| {
                shown.contains(candidate.path.as_str())
                    || candidate.pinned
                    || selection.rules.is_knowledge(&candidate.path)
                    || self.base.iter().any(|file| file.path == candidate.path)
            })
            .cloned()
            .collect();
        // Promoted content must not keep the prompt above the low mark.
        let least: Tokens = self.results.iter().map(|slot| self.least(slot)).sum();
        let room = low - selection.fixed - least;
        let rules = BaseRules { limit: selection.rules.limit.min(room), ..selection.rules.clone() };
        self.base = select_base_files(&selection.placed, &candidates, &rules);
        self.base_tokens = rules.tokens(&self.base);
    }

    /// Tokens of the result with everything removed that can be.
    fn least(&self, slot: &Slot<'_>) -> Tokens {
        if !slot.removable {
            return slot.tokens;
        }
        let count = slot.result.files().count();
        let bare = (0..count).fold(slot.result.clone(), |result, at| result.without_content(at));
        self.selection.rules.tokenizer.count(&bare.render()).min(slot.tokens)
    }

    fn remove_promoted(&mut self) {
        let base: HashSet<String> = self.base.iter().map(|file| file.path.clone()).collect();
        for at in 0..self.results.len() {
            self.remove(at, |path| base.contains(path));
        }
    }

    fn remove_oldest(&mut self, low: Tokens) {
        for at in 0..self.results.len() {
            if self.total() <= low {
                return;
            }
            self.remove(at, |_| true);
        }
    }

    /// Removes contents from the result at `at`, unless that would not make it smaller.
    fn remove(&mut self, at: usize, chosen: impl Fn(&str) -> bool) {
        let slot = &mut self.results[at];
        if !slot.removable {
            return;
        }
        let positions: Vec<usize> = slot
            .result
            .files()
            .enumerate()
            .filter(|(_, file)| file.content.is_some() && chosen(file.path))
            .map(|(position, _)| position)
            .collect();
        for position in positions {
            let shorter = slot.result.without_content(position);
            let tokens = self.selection.rules.tokenizer.count(&shorter.render());
            if tokens < slot.tokens {
                slot.result = shorter;
                slot.tokens = tokens;
            }
        }
    }

    fn plan(self, before: Tokens) -> ResetPlan {
        let after = self.total();
        let truncated = self
            .results
            .into_iter()
            .filter(|slot| slot.result != slot.original.result)
            .map(|slot| TruncatedEntry {
                entry: slot.original.entry,
                removed: removed(&slot.original.result, &slot.result),
                result: slot.result,
            })
            .collect();
        let placed = &self.selection.placed;
        let promoted = self
            .base
            .iter()
            .filter(|file| placed.iter().all(|known| known.path != file.path))
            .map(|file| file.path.clone())
            .collect();
        ResetPlan { truncated, base_files: self.base, promoted, before, after }
    }
}

fn removed(before: &ReadFiles, after: &ReadFiles) -> Vec<String> {
    before
        .files()
        .zip(after.files())
        .filter(|(before, after)| before.content.is_some() && after.content.is_none())
        .map(|(before, _)| before.path.to_owned())
        .collect()
}

#[cfg(test)]
mod tests;
