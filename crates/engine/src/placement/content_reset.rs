//! Content reset: at the high mark contents leave the tool results, their paths stay, and important
//! files move to the base files.
//!
//! [`plan_content_reset`] only decides; the plan holds the new prompt.

use std::collections::HashSet;

use crate::budget::BudgetMarks;
use crate::placement::base_files::{BaseFile, BaseFileCandidate, BaseFileRules, select_base_files};
use crate::placement::read_files::{ReadFilesResult, shown_paths};
use crate::tokens::Tokens;
use foveal_transcript::EntryIndex;

/// A tool result in `read_files` form that is part of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct ReadFilesEntry {
    /// The entry that holds it.
    pub entry: EntryIndex,
    /// The result as the prompt has it now.
    pub result: ReadFilesResult,
}

/// The inputs of a reset, beside the results.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetInputs {
    /// Tokens of everything else in the prompt: instructions, messages, other results; base files
    /// and `read_files` results are not included.
    pub fixed: Tokens,
    /// The base files as placed.
    pub placed: Vec<BaseFile>,
    /// Candidates for base files with their present content. Only knowledge files, pinned files and
    /// those whose content some result shows are considered.
    pub candidates: Vec<BaseFileCandidate>,
    /// The rules for the choice of base files, with the tokenizer.
    pub rules: BaseFileRules,
    /// The first result that the model has not seen yet; nothing is removed from there on.
    pub unseen_from: Option<EntryIndex>,
}

/// A result that has to be replaced.
#[derive(Debug, Clone, PartialEq)]
pub struct TruncatedEntry {
    /// The entry that holds it.
    pub entry: EntryIndex,
    /// Paths whose content was removed, in the result's order.
    pub removed: Vec<String>,
    /// The result as the prompt has it after the reset.
    pub result: ReadFilesResult,
}

/// The decision on a reset.
#[derive(Debug, Clone, PartialEq)]
pub struct ResetPlan {
    /// Results to replace, in order. All others stay byte for byte.
    pub truncated: Vec<TruncatedEntry>,
    /// The base files after the reset.
    pub base_files: Vec<BaseFile>,
    /// Paths that become base files.
    pub promoted: Vec<String>,
    /// Tokens of the prompt before the reset.
    pub before: Tokens,
    /// Tokens of the prompt after the reset.
    pub after: Tokens,
}

/// Decides on a reset. Below the high mark nothing changes. Otherwise base files are chosen anew,
/// within the room that the low mark leaves; their contents leave the results, so that nothing
/// stands in the prompt twice; then contents are removed from the oldest result on until the low
/// mark is reached. Afterwards the prompt is at or below the low mark, or nothing is left to
/// remove.
pub fn plan_content_reset(
    entries: &[ReadFilesEntry],
    budget: &BudgetMarks,
    selection: &ResetInputs,
) -> ResetPlan {
    let mut prompt = ResetState::new(entries, selection);
    let before = prompt.total_tokens();
    if budget.needs_reduction(before) {
        prompt.choose_base_files(budget.low());
        prompt.remove_promoted_contents();
        prompt.remove_oldest_contents(budget.low());
    }
    prompt.into_plan(before)
}

/// The state of the prompt during a reset.
struct ResetState<'a> {
    selection: &'a ResetInputs,
    results: Vec<ResettableResult<'a>>,
    base_files: Vec<BaseFile>,
    base_tokens: Tokens,
}

struct ResettableResult<'a> {
    original: &'a ReadFilesEntry,
    result: ReadFilesResult,
    tokens: Tokens,
    removable: bool,
}

impl<'a> ResetState<'a> {
    fn new(entries: &'a [ReadFilesEntry], selection: &'a ResetInputs) -> Self {
        let rules = &selection.rules;
        let results = entries
            .iter()
            .map(|original| ResettableResult {
                original,
                result: original.result.clone(),
                tokens: rules.tokenizer.count(&original.result.render()),
                removable: selection.unseen_from.is_none_or(|unseen| original.entry < unseen),
            })
            .collect();
        let base_files = selection.placed.clone();
        let base_tokens = rules.count_tokens(&base_files);
        Self { selection, results, base_files, base_tokens }
    }

    fn total_tokens(&self) -> Tokens {
        let results: Tokens = self.results.iter().map(|slot| slot.tokens).sum();
        self.selection.fixed + self.base_tokens + results
    }

    fn choose_base_files(&mut self, low: Tokens) {
        let selection = self.selection;
        let shown = shown_paths(self.results.iter().map(|slot| &slot.result));
        let candidates: Vec<BaseFileCandidate> = selection
            .candidates
            .iter()
            .filter(|candidate| {
                shown.contains(candidate.path.as_str())
                    || candidate.pinned
                    || selection.rules.is_knowledge(&candidate.path)
                    || self.base_files.iter().any(|file| file.path == candidate.path)
            })
            .cloned()
            .collect();
        // Promoted content must not keep the prompt above the low mark.
        let least: Tokens = self.results.iter().map(|slot| self.minimum_tokens(slot)).sum();
        let room = low - selection.fixed - least;
        let rules =
            BaseFileRules { limit: selection.rules.limit.min(room), ..selection.rules.clone() };
        self.base_files = select_base_files(&selection.placed, &candidates, &rules);
        self.base_tokens = rules.count_tokens(&self.base_files);
    }

    /// Returns the tokens of the result with all removable content removed.
    fn minimum_tokens(&self, slot: &ResettableResult<'_>) -> Tokens {
        if !slot.removable {
            return slot.tokens;
        }
        let count = slot.result.files().count();
        let bare = (0..count).fold(slot.result.clone(), |result, at| result.without_content(at));
        self.selection.rules.tokenizer.count(&bare.render()).min(slot.tokens)
    }

    fn remove_promoted_contents(&mut self) {
        let base: HashSet<String> = self.base_files.iter().map(|file| file.path.clone()).collect();
        for at in 0..self.results.len() {
            self.remove_contents(at, |path| base.contains(path));
        }
    }

    fn remove_oldest_contents(&mut self, low: Tokens) {
        for at in 0..self.results.len() {
            if self.total_tokens() <= low {
                return;
            }
            self.remove_contents(at, |_| true);
        }
    }

    /// Removes contents from the result at `at`, unless that would not make it smaller.
    fn remove_contents(&mut self, at: usize, chosen: impl Fn(&str) -> bool) {
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

    fn into_plan(self, before: Tokens) -> ResetPlan {
        let after = self.total_tokens();
        let truncated = self
            .results
            .into_iter()
            .filter(|slot| slot.result != slot.original.result)
            .map(|slot| TruncatedEntry {
                entry: slot.original.entry,
                removed: removed_paths(&slot.original.result, &slot.result),
                result: slot.result,
            })
            .collect();
        let placed = &self.selection.placed;
        let promoted = self
            .base_files
            .iter()
            .filter(|file| placed.iter().all(|known| known.path != file.path))
            .map(|file| file.path.clone())
            .collect();
        ResetPlan { truncated, base_files: self.base_files, promoted, before, after }
    }
}

fn removed_paths(before: &ReadFilesResult, after: &ReadFilesResult) -> Vec<String> {
    before
        .files()
        .zip(after.files())
        .filter(|(before, after)| before.content.is_some() && after.content.is_none())
        .map(|(before, _)| before.path.to_owned())
        .collect()
}

#[cfg(test)]
mod tests;
