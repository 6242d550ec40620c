use foveal_relevance::curated_view_source::CuratedViewSource;
use serde_json::{Value, json};

use super::*;
use crate::settings;

/// Returns the number of such calls after which a session starts anew.
fn calls_until_full(arguments: &Value, content: &str) -> usize {
    let views = Arc::new(CuratedViewSource::default());
    let mut shown = TranscriptShaper::new(settings::shaping_settings(), views, "/work".to_owned());
    let mut calls = 0;
    while !shown.would_overflow(content.len()) {
        let call = ShapingInput {
            tool: "write_file",
            arguments,
            question: None,
            is_error: false,
            directory: None,
            time: Timestamp(1),
            output_budget: OutputBudget::UNBOUNDED,
            trailing_note_bytes: 0,
            visibility: CallVisibility::EMPTY,
            may_point: true,
            watch: ProgressListener::IGNORED,
        };
        shown.push_call(call, content.to_owned());
        calls += 1;
        assert!(calls < 20_000, "what is kept of small calls grows without end");
    }
    calls
}

#[test]
fn small_answers_fill_a_session_too_and_so_do_large_arguments() {
    assert!(calls_until_full(&json!({"path": "a"}), "done") > 4_000);
    assert_eq!(calls_until_full(&json!({"content": "x".repeat(3 << 20)}), "done"), 3);
}
