//! `read-once` and `content-reset`.

use foveal_engine::message_shape::MessageShape;
use foveal_engine::policies::content_reset::{self, ResetMarks};
use foveal_engine::policies::policy_view::PolicyView;
use foveal_pricing::tokens::Tokens;
use foveal_replay::baselines::BaselineRule;
use foveal_transcript::EntryIndex;

use super::{body, check, policy, profile, read};

const WRITE_A: &str =
    "//- assistant\n//- call Write {\"file_path\":\"/w/a.rs\",\"content\":\"new\"}\n";

#[test]
fn a_first_read_is_full() {
    check(profile("read-once"), &format!("//- user\ngo\n{}", read("/w/a.rs")), "");
}

#[test]
fn a_second_read_is_a_short_message() {
    let text = [read("/w/a.rs"), read("/w/b.rs"), read("/w/./A.rs"), read("/w/a.rs")].concat();
    check(
        profile("read-once"),
        &text,
        "05 pointer [File previously read: /w/A.rs. Content unchanged since last read.]
         07 pointer [File previously read: /w/a.rs. Content unchanged since last read.]",
    );
}

#[test]
fn a_write_makes_the_next_read_full_again() {
    let text = [
        read("/w/a.rs"),
        format!("{WRITE_A}//- result\nFile written: /w/a.rs\n"),
        read("/w/a.rs"),
        read("/w/a.rs"),
    ];
    check(
        profile("read-once"),
        &text.concat(),
        "07 pointer [File previously read: /w/a.rs. Content unchanged since last read.]",
    );
}

#[test]
fn an_edit_counts_as_a_write_and_a_failed_one_does_not() {
    let edit = "//- assistant\n\
        //- call Edit {\"file_path\":\"/w/a.rs\",\"old_string\":\"x\",\"new_string\":\"y\"}\n";
    let failed = format!("{edit}//- error\nnot found\n");
    let done = format!("{edit}//- result\nupdated\n");
    let text = [read("/w/a.rs"), failed, read("/w/a.rs"), done, read("/w/a.rs")];
    check(
        profile("read-once"),
        &text.concat(),
        "05 pointer [File previously read: /w/a.rs. Content unchanged since last read.]",
    );
}

#[test]
fn a_failed_read_is_no_read() {
    let failed = format!(
        "//- assistant\n//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- error\n{}",
        body("Error")
    );
    check(profile("read-once"), &[failed, read("/w/a.rs")].concat(), "");
}

#[test]
fn what_a_compaction_took_away_is_read_anew() {
    let text = [read("/w/a.rs"), "//- compact\n//- summary\nso far\n".to_owned(), read("/w/a.rs")];
    check(profile("read-once"), &text.concat(), "");
}

fn reset(view: &PolicyView<'_>, high: u64, low: u64) -> Vec<(EntryIndex, MessageShape)> {
    let marks = ResetMarks { high: Tokens(high), low: Tokens(low) };
    content_reset::decide_between_marks(view, marks)
}

/// Resets above what three bodies weigh, down to about one.
fn small_reset() -> foveal_engine::projector::Projector {
    policy(|view| reset(view, 1_800, 900))
}

#[test]
fn below_the_limit_nothing_is_reset() {
    let text = [read("/w/a.ts"), read("/w/b.ts"), "//- user\nok\n".to_owned()];
    check(small_reset(), &text.concat(), "");
}

#[test]
fn a_reset_keeps_paths_and_the_files_that_matter() {
    let edit_b = "//- assistant\n//- call Edit {\"file_path\":\"/w/b.ts\",\"old_string\":\"x\",\
        \"new_string\":\"y\"}\n//- result\nupdated\n";
    let text = [
        read("/w/a.ts"),
        read("/w/b.ts"),
        edit_b.to_owned(),
        "//- user\nlook at c.ts\n".to_owned(),
        read("/w/c.ts"),
        read("/w/d.ts"),
        "//- assistant\n//- call Think {}\n//- result\nok\n".repeat(3),
        read("/w/a.ts"),
        "//- assistant\ndone\n".to_owned(),
    ];
    // A body has 519 tokens, the whole 2,660. They go in this order: read before, unnamed, named.
    // Edited ones stay unless the prompt would still be near the high mark.
    let line = |entry: u32, path: &str| {
        format!(
            "{entry:02} note {{\"type\":\"read_files\",\"files\":[{{\"path\":\"{path}\",\"truncated\":true}}]}}\n"
        )
    };
    let gone = [line(1, "/w/a.ts"), line(3, "/w/b.ts"), line(8, "/w/c.ts"), line(10, "/w/d.ts")];
    let rows: [(BaselineRule, &[usize]); 5] = [
        (|view| reset(view, 2_600, 2_200), &[0]),
        (|view| reset(view, 2_600, 1_700), &[0, 3]),
        (|view| reset(view, 2_600, 1_200), &[0, 2, 3]),
        (|view| reset(view, 2_600, 700), &[0, 2, 3]),
        (|view| reset(view, 900, 700), &[0, 1, 2, 3]),
    ];
    for (reset, expected) in rows {
        let expected: String = expected.iter().map(|at| gone[*at].as_str()).collect();
        check(policy(reset), &text.concat(), &expected);
    }
}

#[test]
fn what_was_just_read_stays_and_what_was_truncated_stays_so() {
    let text = [
        read("/w/a.ts"),
        read("/w/b.ts"),
        read("/w/c.ts"),
        read("/w/d.ts"),
        "//- assistant\n//- call Think {}\n//- result\nok\n".to_owned(),
    ];
    let expected = r#"01 note {"type":"read_files","files":[{"path":"/w/a.ts","truncated":true}]}
        03 note {"type":"read_files","files":[{"path":"/w/b.ts","truncated":true}]}
        05 note {"type":"read_files","files":[{"path":"/w/c.ts","truncated":true}]}"#;
    check(small_reset(), &text[..4].concat(), expected);
    check(small_reset(), &text.concat(), expected);
}
