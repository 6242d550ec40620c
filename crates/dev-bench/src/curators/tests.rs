//! Every curator keeps within the budget and returns ranges as promised.

use super::{CURATORS, CuratorRow};
use crate::case::{BUDGETS, CurationCase, LineBudget};
use crate::evaluation::{CurationMeasurement, FileFacts};
use crate::line_ranges::lines_of;
use proptest::prelude::*;

fn case(content: &str, query: &str) -> CurationCase {
    CurationCase {
        id: content.len().to_string(),
        repo: String::new(),
        language: String::new(),
        path: "a.rs".into(),
        content_before: content.into(),
        query: query.into(),
        conversation: None,
        gold_lines: None,
    }
}

fn named(name: &str) -> &'static CuratorRow {
    CURATORS.iter().find(|curator| curator.name == name).expect("a known name")
}

/// What a curator keeps, as the lines' text.
fn check(name: &str, query: &str, budget: LineBudget, expected: &str) {
    let content = "\
use std::fs;
use std::io;

/// Reads settings.
fn load(path: &str) {
    let text = fs::read(path);
    parse(text)
}

fn save(path: &str) {
    let path = check(path);
    write_file(path);
    sync(path);
    log();
}
";
    let case = case(content, query);
    let curator = named(name);
    let lines: Vec<&str> = lines_of(content).collect();
    let kept: String = (curator.choose)(&case, budget)
        .into_iter()
        .flat_map(|(first, last)| lines[first as usize - 1..last as usize].to_vec())
        .collect();
    assert_eq!(kept, expected, "{name}");
}

#[test]
fn baselines_choose_as_they_say() {
    let quarter = LineBudget::Share(0.25);
    check("head", "", quarter, "use std::fs;\nuse std::io;\n\n");
    check(
        "bm25",
        "Make writeFile atomic",
        quarter,
        "fn save(path: &str) {\n    let path = check(path);\n    write_file(path);\n",
    );
    check("bm25", "read settings", LineBudget::Share(0.15), "use std::fs;\nuse std::io;\n");
    check("outline", "", quarter, "use std::fs;\nuse std::io;\n\n");
    check(
        "outline",
        "",
        LineBudget::Adaptive,
        "use std::fs;\nuse std::io;\n\n/// Reads settings.\nfn load(path: &str) {\nfn save(path: &str) {\n",
    );
}

#[test]
fn random_lines_are_the_same_every_time_and_grow_with_the_budget() {
    let random = named("random");
    let case = case(&"x\n".repeat(100), "");
    let lines = |budget| -> Vec<u32> {
        (random.choose)(&case, budget).into_iter().flat_map(|(first, last)| first..=last).collect()
    };
    let (few, many) = (lines(LineBudget::Share(0.1)), lines(LineBudget::Share(0.5)));
    assert_eq!((few.len(), many.len()), (10, 50));
    assert!(few.iter().all(|line| many.contains(line)));
    assert_eq!(few, lines(LineBudget::Share(0.1)));
    assert_ne!(many, (1..=50).collect::<Vec<u32>>());
}

proptest! {
    #[test]
    fn no_text_leads_out_of_the_budget(
        content in "([ \\t]{0,3}[a-zA-Z_{}.é0-9 ]{0,12}\r?\n){0,80}[a-z]{0,5}",
        query in "[a-zA-Z_ é0-9\n]{0,40}",
    ) {
        let case = case(&content, &query);
        let file = FileFacts::from_case(&case);
        for curator in CURATORS {
            for budget in BUDGETS {
                let kept = (curator.choose)(&case, budget);
                let one = CurationMeasurement::new(&case, budget, &file, kept, 0);
                prop_assert!(one.is_valid, "{} {:?}: {:?}", curator.name, budget, one);
            }
        }
    }

    #[test]
    fn blocks_fill_the_budget(content in "([ ]{0,3}[a-z]{0,5}\n){10,80}", query in "[a-z ]{0,20}") {
        let case = case(&content, &query);
        let file = FileFacts::from_case(&case);
        for budget in BUDGETS.into_iter().filter(|budget| *budget != LineBudget::Adaptive) {
            let kept = (named("bm25").choose)(&case, budget);
            let one = CurationMeasurement::new(&case, budget, &file, kept, 0);
            prop_assert_eq!(one.lines_kept, budget.lines_max(one.lines));
        }
    }
}
