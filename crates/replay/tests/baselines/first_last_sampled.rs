//! The tables of "Smart Tool History Strategy" in both forms.

use foveal_engine::policies::first_last_sampled::{SamplingForm, SamplingSettings, decide};

use super::{check, policy, profile, read};

fn reads(count: usize) -> String {
    read("/w/config.py").repeat(count)
}

/// The expected pointers: reads are entries 1, 3, 5 ….
fn pointers(reads: &[usize], wording: &str) -> String {
    let line = |read: &usize| {
        format!(
            "{:02} pointer [Re-read of /w/config.py - see {wording} for content]\n",
            2 * read - 1
        )
    };
    reads.iter().map(line).collect()
}

#[test]
fn the_table_form_keeps_first_last_and_samples() {
    let rows: [(usize, &[usize]); 6] =
        [(1, &[]), (2, &[]), (3, &[2]), (5, &[2, 3, 4]), (6, &[2, 3, 5]), (9, &[2, 4, 6, 8])];
    for (count, pointed) in rows {
        let expected = pointers(pointed, "first read above");
        check(profile("first-last-sampled"), &reads(count), &expected);
    }
}

#[test]
fn the_code_form_keeps_at_most_five() {
    let rows: [(usize, &[usize]); 4] =
        [(2, &[]), (5, &[]), (6, &[5]), (12, &[3, 4, 6, 7, 9, 10, 11])];
    for (count, pointed) in rows {
        let expected = pointers(pointed, "earlier read");
        check(profile("first-last-sampled-max5"), &reads(count), &expected);
    }
}

#[test]
fn reads_are_counted_by_file() {
    let text = [read("/w/a.py"), read("/w/b.py")].concat().repeat(3);
    check(
        profile("first-last-sampled"),
        &text,
        "05 pointer [Re-read of /w/a.py - see first read above for content]
         07 pointer [Re-read of /w/b.py - see first read above for content]",
    );
}

fn run(output: &str) -> String {
    format!("//- assistant\n//- call Bash {{\"command\":\"npm test\"}}\n//- result\n{output}\n")
}

#[test]
fn run_output_is_cut_above_ten_thousand_characters() {
    for length in [999, 1_000, 10_000] {
        check(profile("first-last-sampled"), &run(&"x".repeat(length)), "");
    }
    // Characters count, not bytes: each of these has three.
    let line = format!("{}\n", "行".repeat(99));
    let half = line.repeat(20);
    let got = super::replaced(
        &foveal_testkit::parse_fixture(&run(line.repeat(123).trim_end())),
        profile("first-last-sampled"),
    );
    let tail: String = line.repeat(21).trim_end().chars().rev().take(2_000).collect();
    let tail: String = tail.chars().rev().collect();
    assert_eq!(
        got,
        format!("01 excerpt {half}\n... [truncated: 12,299 chars total, 123 lines] ...\n{tail}\n")
    );
}

#[test]
fn edits_always_stay_and_light_tools_stay_only_while_recent() {
    let list = "//- assistant\n//- call LS {\"path\":\"/w/src\"}\n//- result\n\
        /w/src/one_long_name.rs\n/w/src/another_long_name.rs\n";
    let edit = "//- assistant\n//- call Edit {\"file_path\":\"/w/a.py\",\"old_string\":\"x\",\
        \"new_string\":\"y\",\"intent\":\"rename\"}\n//- result\nThe file /w/a.py has been updated.\n";
    let thirty =
        "//- assistant\n//- call Think {}\n//- result\nI have thought about it.\n".repeat(29);
    let text = [list, edit, list, &thirty].concat();
    check(profile("first-last-sampled"), &text, "01 note [dropped]");
    check(profile("first-last-sampled-max5"), &text, "01 note [dropped]");
}

#[test]
fn edits_may_go_as_lists_do() {
    let edit = "//- assistant\n//- call Edit {\"file_path\":\"/w/a.py\",\"old_string\":\"x\",\
        \"new_string\":\"y\",\"intent\":\"rename\"}\n//- result\nThe file /w/a.py has been updated.\n";
    let thirty =
        "//- assistant\n//- call Think {}\n//- result\nI have thought about it.\n".repeat(30);
    let kept = policy(|view| decide(view, &SamplingSettings::new(SamplingForm::Table)));
    check(kept, &[edit, &thirty].concat(), "");
    let may_go = policy(|view| {
        decide(
            view,
            &SamplingSettings { keeps_edits: false, ..SamplingSettings::new(SamplingForm::Table) },
        )
    });
    check(may_go, &[edit, &thirty].concat(), "01 note [dropped]");
}
