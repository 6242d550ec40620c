use proptest::prelude::*;

use super::*;
use crate::placement::base_files::render_base_files;
use crate::tokens::Tokenizer;

fn entry(index: u32, files: &[(&str, &str)]) -> ReadFilesEntry {
    ReadFilesEntry { entry: EntryIndex(index), result: ReadFilesResult::new(files.iter().copied()) }
}

fn selection(limit: u64, candidates: Vec<BaseFileCandidate>) -> ResetInputs {
    ResetInputs {
        fixed: Tokens(100),
        placed: Vec::new(),
        candidates,
        rules: BaseFileRules::new(Tokens(limit)),
        unseen_from: None,
    }
}

fn budget(high: u64, low: u64) -> BudgetMarks {
    BudgetMarks::new(Tokens(high), Tokens(low)).expect("low below high")
}

/// Renders the plan as text: promoted files, then the removed paths of each entry.
fn check(entries: &[ReadFilesEntry], high: u64, low: u64, selection: &ResetInputs, plan: &str) {
    let reset = plan_content_reset(entries, &budget(high, low), selection);
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
    let unseen = ResetInputs { unseen_from: Some(EntryIndex(5)), ..none };
    check(&entries, 1000, 1, &unseen, "01 truncate old.rs README.md\n03 truncate edited.rs");

    let of = |path: &str, edits| BaseFileCandidate {
        path: path.to_owned(),
        content: text.clone(),
        edits,
        ..BaseFileCandidate::default()
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
            ReadFilesResult::new(texts.iter().map(|(path, text)| (PATHS[*path], text.as_str())))
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
        let candidate = |path: &str, words| BaseFileCandidate {
            path: path.to_owned(), content: "text ".repeat(words), edits, ..BaseFileCandidate::default()
        };
        let mut selection = selection(limit, vec![
            candidate("README.md", 40), candidate("a.rs", 90), candidate("b.rs", 10),
        ]);
        selection.placed =
            vec![BaseFile { path: "placed.rs".to_owned(), content: "x ".repeat(placed_words) }];
        let budget = budget(low + more, low);
        let plan = plan_content_reset(&entries, &budget, &selection);

        // The figures are those of the prompt that the plan describes.
        let after: Vec<&ReadFilesResult> = entries.iter().map(|entry| {
            let replaced = plan.truncated.iter().find(|cut| cut.entry == entry.entry);
            replaced.map_or(&entry.result, |cut| &cut.result)
        }).collect();
        let count = |text: &str| Tokenizer::O200k.count(text);
        let base: Tokens = plan.base_files.iter().map(|file| count(&file.render())).sum();
        let results: Tokens = after.iter().map(|result| count(&result.render())).sum();
        prop_assert_eq!(plan.after, selection.fixed + base + results);

        if !budget.needs_reduction(plan.before) {
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
            let paths = |result: &ReadFilesResult| -> Vec<String> {
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
