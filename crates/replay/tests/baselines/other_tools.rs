//! What other tools do.

use foveal_pricing::tokens::Tokens;
use foveal_replay::baselines::{clear_tool_uses, latest_read, opencode_prune};
use foveal_testkit::{parse_fixture, step_summary};

use super::{check, policy, profile, read, replaced};

fn run(output: &str) -> String {
    format!("//- assistant\n//- call Bash {{\"command\":\"make\"}}\n//- result\n{output}\n")
}

fn runs(count: usize) -> String {
    run("one line of output that says a good deal\nand a second line of it\nand a third line")
        .repeat(count)
}

#[test]
fn keep_last_drops_what_is_older() {
    check(profile("keep-last-30"), &runs(30), "");
    check(profile("keep-last-30"), &runs(32), "01 note [dropped]\n03 note [dropped]");
}

#[test]
fn masks_count_lines() {
    check(profile("mask-10"), &runs(11), "01 note Old environment output: (3 lines omitted)");
}

#[test]
fn clearing_waits_for_the_trigger_and_lasts() {
    let long = run(&"a line of output that is long enough\n".repeat(12));
    let clear = policy(|view| clear_tool_uses::decide_above(view, Tokens(500)));
    assert_eq!(
        step_summary(&parse_fixture(&long.repeat(8)), clear),
        "before 00: kept 0\n\
         before 02: kept 0\n\
         before 04: kept 2\n\
         before 06: kept 4\n\
         before 08: kept 6\n\
         before 10: kept 1, 01 note, 03 note, rewrite Recomputed\n\
         before 12: kept 10\n\
         before 14: kept 5, 05 note, 07 note, rewrite Recomputed\n\
         before 16: kept 9, 09 note, rewrite Recomputed\n"
    );
    check(profile("clear-100k"), &runs(40), "");
}

#[test]
fn pruning_spares_the_last_turns_and_the_protected_tokens() {
    let prune = || policy(|view| opencode_prune::decide_beyond_protected(view, 30, 10));
    let turn = format!("//- user\ngo on\n{}", runs(2));
    // A turn is a message and two runs of 20 tokens each by opencode's estimate.
    let ended = |turns: usize| format!("{}//- user\ngo on\n", turn.repeat(turns));
    check(prune(), &ended(2), "");
    check(prune(), &ended(3), "02 note [Old tool result content cleared]");
    check(prune(), &turn.repeat(3), "");
    check(
        prune(),
        &ended(4),
        "02 note [Old tool result content cleared]
         04 note [Old tool result content cleared]
         07 note [Old tool result content cleared]",
    );
}

#[test]
fn the_extension_removes_earlier_reads_under_pressure() {
    let text = [read("/w/a.ts"), read("/w/b.ts"), read("/w/a.ts"), runs(1)].concat();
    let under = |projector| replaced(&parse_fixture(&text), projector);
    assert_eq!(
        under(policy(|view| latest_read::decide_above_request_size(view, Tokens(100_000)))),
        ""
    );
    assert_eq!(
        under(policy(|view| latest_read::decide_above_request_size(view, Tokens(1_000)))),
        format!("01 note {}\n", latest_read::REMOVED_NOTE)
    );
}

#[test]
fn the_sdk_replaces_superseded_reads_in_batches() {
    let range = read("/w/a.ts").replace("a.ts\"}", "a.ts\",\"offset\":1,\"limit\":40}");
    let text = [range.clone(), range.clone(), read("/w/b.ts"), read("/w/a.ts"), range].concat();
    let size = read("/w/a.ts").len();
    assert!(size > 1_000, "two reads must fill a batch of 2,000 bytes, have {size}");
    assert_eq!(
        step_summary(
            &parse_fixture(&text),
            policy(|view| latest_read::decide_in_batches(view, 2_000))
        ),
        "before 00: kept 0\n\
         before 02: kept 0\n\
         before 04: kept 2\n\
         before 06: kept 4\n\
         before 08: kept 1, 01 note, 03 note, rewrite Recomputed\n\
         before 10: kept 8\n"
    );
}

#[test]
fn the_cap_counts_what_it_leaves_out() {
    let lines: Vec<_> = (1000..1600).map(|line| format!("line {line}")).collect();
    let output = lines.join("\n");
    let (head, tail) = (&output[..2_000], &output[output.len() - 2_000..]);
    assert_eq!(
        replaced(&parse_fixture(&run(&output)), profile("cap-4k")),
        format!("01 excerpt {head}\n[... 1999 characters, 199 line breaks left out ...]\n{tail}\n")
    );
    check(profile("cap-4k"), &run(&output[..4_000]), "");
    let read = read("/w/a.ts").replace("of line", &"of a very long line ".repeat(20));
    check(profile("cap-4k"), &read, "");
}
