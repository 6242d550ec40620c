use super::*;
use crate::placement::tests::conversation;
use foveal_transcript::ContentBlock;

#[test]
fn the_low_mark_is_below_the_high_mark() {
    let budget = BudgetMarks::new(Tokens(100), Tokens(60)).expect("60 is below 100");
    assert!(!budget.needs_reduction(Tokens(99)));
    assert!(budget.needs_reduction(Tokens(100)));
    let error = BudgetMarks::new(Tokens(60), Tokens(60)).expect_err("equal marks");
    assert_eq!(error.to_string(), "the low mark (60) must be below the high mark (60)");
}

#[test]
fn tokens_are_counted_by_entry_and_by_file() {
    let conversation = conversation(&[
        r#"{"type":"read_files","files":[{"path":"b.rs","content":"one two"},{"path":"a.rs","content":"three"}]}"#,
        r#"{"type":"read_files","files":[{"path":"b.rs","content":"four"},{"path":"c.rs","truncated":true}]}"#,
    ]);
    let count = |text| Tokenizer::O200k.count(text);
    let account = TokenAccounting::from_conversation(&conversation, Tokenizer::O200k);
    assert_eq!(
        account.files(),
        [
            ("b.rs".to_owned(), count("one two") + count("four")),
            ("a.rs".to_owned(), count("three")),
            ("c.rs".to_owned(), Tokens(0)),
        ]
    );
    assert_eq!(account.file_tokens("a.rs"), count("three"));
    assert_eq!(account.file_tokens("d.rs"), Tokens(0));
    let by_entry: Tokens =
        (0..conversation.entries().len() as u32).map(|i| account.entry_tokens(EntryIndex(i))).sum();
    assert_eq!(by_entry, account.total());
    assert_eq!(account.entry_tokens(EntryIndex(99)), Tokens(0));
    assert_eq!(
        account.entry_tokens(EntryIndex(1)),
        count(&conversation.entries()[1].prompt_text())
    );
}

#[test]
fn lines_that_other_tools_print_count_for_their_file() {
    let conversation = conversation(&["     1\tone\n     2\ttwo"]).map_entries(|entry| {
        for block in &mut entry.blocks {
            if let ContentBlock::Call(call) = block {
                call.name = "Read".to_owned();
                call.arguments = serde_json::json!({"file_path": "/w/a.rs"});
            }
        }
    });
    let account = TokenAccounting::from_conversation(&conversation, Tokenizer::O200k);
    let shown = Tokenizer::O200k.count("     1\tone\n     2\ttwo\n");
    assert_eq!(account.files(), [("/w/a.rs".to_owned(), shown)]);
}

#[test]
fn marks_follow_the_window() {
    let limit = |window, scale| WindowLimit::new(Tokens(window), scale);
    let marks = |window, scale| limit(window, scale).clamp_marks(Tokens(150_000), Tokens(90_000));
    assert_eq!(marks(1_000_000, 1.2), (Tokens(150_000), Tokens(90_000)));
    assert_eq!(marks(128_000, 1.0), (Tokens(115_200), Tokens(69_120)));
    assert_eq!(marks(32_000, 1.25), (Tokens(23_040), Tokens(13_824)));
    assert_eq!(limit(100_000, 1.0).tokens_max(), Tokens(97_000));
    let lowered = limit(100_000, 1.0).cap_tokens(Tokens(9_700));
    assert_eq!(
        lowered.clamp_marks(Tokens(100_000), Tokens(50_000)),
        (Tokens(9_000), Tokens(4_500))
    );
    assert_eq!(limit(10_000, 1.0).cap_tokens(Tokens(50_000)), limit(10_000, 1.0));
}
