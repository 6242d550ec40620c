use foveal_code::views::CuratedViews;
use serde_json::{Value, json};

use super::*;
use crate::settings;

/// After how many such calls a session begins anew.
fn calls_until_full(arguments: &Value, content: &str) -> usize {
    let views = Arc::new(CuratedViews::default());
    let mut shown = Shown::new(settings::shaping(), views, "/work".to_owned());
    let mut calls = 0;
    while !shown.is_full(content.len()) {
        let call = ShownCall {
            tool: "write_file",
            arguments,
            question: None,
            is_error: false,
            directory: None,
            time: Timestamp(1),
            room: Room::UNBOUNDED,
            end_bytes: 0,
            view: CallView::NOBODY,
            may_point: true,
            watch: Watch::NOBODY,
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
