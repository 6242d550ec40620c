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
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::placement::base_files::render_base_files;
    use crate::tokens::Tokenizer;

    fn entry(index: u32, files: &[(&str, &str)]) -> ReadFilesEntry {
        ReadFilesEntry { entry: EntryIndex(index), result: ReadFiles::new(files.iter().copied()) }
    }

    fn selection(limit: u64, candidates: Vec<Candidate>) -> Selection {
        Selection {
            fixed: Tokens(100),
            placed: Vec::new(),
            candidates,
            rules: BaseRules::new(Tokens(limit)),
            unseen_from: None,
        }
    }

    fn budget(high: u64, low: u64) -> Budget {
        Budget::new(Tokens(high), Tokens(low)).expect("low below high")
    }

    /// The plan as text: promoted files, then what is removed from which entry.
    fn check(entries: &[ReadFilesEntry], high: u64, low: u64, selection: &Selection, plan: &str) {
        let reset = reset(entries, &budget(high, low), selection);
        let mut lines = vec![format!("base {}", reset.promoted.join(" "))];
        for entry in &reset.truncated {
            lines.push(format!("{:02} truncate {}", entry.entry.0, entry.removed.join(" ")));
        }
        assert_eq!(lines.join("\n").replace("base \n", "").trim_end(), plan);
    }

    #[test]
    fn contents_go_from_the_oldest_result_on_and_critical_files_move_to_the_base() {
        let text = "word ".repeat(300);
        let entries = [
            entry(1, &[("old.rs", &text), ("README.md", &text)]),
            entry(3, &[("edited.rs", &text)]),
            entry(5, &[("new.rs", &text)]),
        ];
        let none = selection(0, Vec::new());
        check(&entries, 5000, 1000, &none, "base");
        check(&entries, 1000, 800, &none, "01 truncate old.rs README.md");
        check(&entries, 1000, 500, &none, "01 truncate old.rs README.md\n03 truncate edited.rs");
        check(
            &entries,
            1000,
            1,
            &none,
            "01 truncate old.rs README.md\n03 truncate edited.rs\n05 truncate new.rs",
        );
        let unseen = Selection { unseen_from: Some(EntryIndex(5)), ..none };
        check(&entries, 1000, 1, &unseen, "01 truncate old.rs README.md\n03 truncate edited.rs");

        let of = |path: &str, edits| Candidate {
            path: path.to_owned(),
            content: text.clone(),
            edits,
            ..Candidate::default()
        };
        let candidates = vec![of("edited.rs", 2), of("README.md", 0), of("not_shown.rs", 9)];
        check(
            &entries,
            1000,
            900,
            &selection(2000, candidates.clone()),
            "base README.md edited.rs\n01 truncate old.rs README.md\n03 truncate edited.rs\n05 truncate new.rs",
        );
        check(
            &entries,
            1000,
            900,
            &selection(400, candidates),
            "base README.md\n01 truncate old.rs README.md\n03 truncate edited.rs",
        );
    }

    prop_compose! {
        fn any_entries()(results in prop::collection::vec(
            prop::collection::vec((0usize..5, 0usize..200), 1..4), 0..8,
        )) -> Vec<ReadFilesEntry> {
            const PATHS: [&str; 5] = ["README.md", "a.rs", "b.rs", "c.rs", "d.rs"];
            let result = |files: Vec<(usize, usize)>| {
                let texts: Vec<(usize, String)> =
                    files.iter().map(|(path, words)| (*path, "word ".repeat(*words))).collect();
                ReadFiles::new(texts.iter().map(|(path, text)| (PATHS[*path], text.as_str())))
            };
            results
                .into_iter()
                .zip(0u32..)
                .map(|(files, at)| ReadFilesEntry { entry: EntryIndex(2 * at), result: result(files) })
                .collect()
        }
    }

    proptest! {
        #[test]
        fn a_reset_reaches_the_low_mark_or_removes_all_it_can(
            entries in any_entries(), low in 0u64..1500, more in 1u64..500,
            limit in 0u64..600, edits in 0u32..3, placed_words in 0usize..100,
        ) {
            let candidate = |path: &str, words| Candidate {
                path: path.to_owned(), content: "text ".repeat(words), edits, ..Candidate::default()
            };
            let mut selection = selection(limit, vec![
                candidate("README.md", 40), candidate("a.rs", 90), candidate("b.rs", 10),
            ]);
            selection.placed =
                vec![BaseFile { path: "placed.rs".to_owned(), content: "x ".repeat(placed_words) }];
            let budget = budget(low + more, low);
            let plan = reset(&entries, &budget, &selection);

            // The figures are those of the prompt that the plan describes.
            let after: Vec<&ReadFiles> = entries.iter().map(|entry| {
                let replaced = plan.truncated.iter().find(|cut| cut.entry == entry.entry);
                replaced.map_or(&entry.result, |cut| &cut.result)
            }).collect();
            let count = |text: &str| Tokenizer::O200k.count(text);
            let base: Tokens = plan.base_files.iter().map(|file| count(&file.render())).sum();
            let results: Tokens = after.iter().map(|result| count(&result.render())).sum();
            prop_assert_eq!(plan.after, selection.fixed + base + results);

            if !budget.is_reached(plan.before) {
                prop_assert!(plan.truncated.is_empty() && plan.promoted.is_empty());
                prop_assert_eq!(plan.after, plan.before);
            } else if plan.after > budget.low() {
                for result in &after {
                    for (at, file) in result.files().enumerate() {
                        let shorter = count(&result.without_content(at).render());
                        prop_assert!(
                            file.content.is_none() || shorter >= count(&result.render()),
                            "{} could still be removed", file.path
                        );
                    }
                }
            }
            // Paths and their order stay; nothing is added.
            for (entry, result) in entries.iter().zip(&after) {
                let paths = |result: &ReadFiles| -> Vec<String> {
                    result.files().map(|file| file.path.to_owned()).collect()
                };
                prop_assert_eq!(paths(&entry.result), paths(result));
            }
            // The system prompt's start stays, and all of it where nothing was promoted.
            let before = render_base_files(&selection.placed);
            let now = render_base_files(&plan.base_files);
            prop_assert!(now.starts_with(&before));
            prop_assert!(!plan.promoted.is_empty() || now == before);
        }
    }
}
