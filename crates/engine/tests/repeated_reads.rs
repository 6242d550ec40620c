//! What a model that asks again, after an edit, or after a cut is shown.

use foveal_engine::projector::Projector;
use foveal_engine::settings::Settings;
use foveal_testkit::laws::{LawSubject, eager_settings};
use foveal_testkit::{parse_fixture, prompt_summary, step_summary};

fn start(settings: Settings) -> Projector {
    LawSubject::from_settings(settings).projector
}

/// Twelve lines of a file, the sixth of them `line`.
fn file(line: &str) -> String {
    let lines = (1..=12).map(|at| match at {
        6 => format!("{line}\n"),
        _ => format!("let value_{at} = compute_something({at}, other_{at});\n"),
    });
    lines.collect()
}

fn read(content: &str) -> String {
    format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{content}")
}

/// The lines of the last prompt that are results of `tool`, from the label on.
fn check(text: &str, settings: Settings, tool: &str, expected: &[&str]) {
    let shown = prompt_summary(&parse_fixture(text), start(settings));
    let rows: Vec<&str> = shown
        .lines()
        .filter(|line| line.contains(" tool_result ") && line.contains(tool))
        .map(|line| line.split_once("t ->").map_or("whole", |(_, what)| what.trim()))
        .collect();
    assert_eq!(rows, expected, "{shown}");
}

#[test]
fn who_asks_twice_gets_the_content() {
    let one = read(&file("let six = 6;"));
    let task = "//- user\nRead it.\n";
    let rows: [(String, &[&str]); 4] = [
        (format!("{task}{one}{one}"), &["whole", "pointer to 02"]),
        (format!("{task}{one}{one}{one}"), &["whole", "pointer to 02", "whole"]),
        // The full answer starts it over.
        (
            format!("{task}{one}{one}{one}{one}"),
            &["whole", "pointer to 02", "whole", "pointer to 06"],
        ),
        // Not at once: something else was done in between.
        (
            format!("{task}{one}{one}//- assistant\nHm.\n//- user\nGo on.\n{one}"),
            &["whole", "pointer to 02", "pointer to 02"],
        ),
    ];
    for (text, expected) in rows {
        check(&text, Settings::lossless(), "Read", expected);
    }
}

#[test]
fn who_asks_for_text_as_it_is_gets_it() {
    let one = file("let six = 6;");
    let as_it_is = [
        r#"read_lines {"path":"/w/a.rs","start":1,"end":12}"#,
        r#"read_file {"path":"/w/a.rs","mode":"full"}"#,
    ];
    for call in as_it_is {
        let asked = format!("//- call {call}\n//- result\n{one}");
        // What stands above as those lines is pointed at, and asked for again at once it comes.
        let text = format!("//- user\nRead it.\n{}{asked}{asked}", read(&one));
        check(&text, Settings::lossless(), "a.rs", &["whole", "pointer to 02", "whole"]);
        check(&text, eager_settings(), "a.rs", &["whole", "pointer to 02", "whole"]);
    }
    let full = format!("//- call {}\n//- result\n{one}", as_it_is[1]);
    let text = format!("//- user\nRead it.\n{}{}{full}", read(&one), read(&one));
    check(&text, Settings::lossless(), "a.rs", &["whole", "pointer to 02", "whole"]);
    // What a server shows of a file is not known so well.
    let call = r#"mcp__foveal__read_lines {"path":"/w/a.rs","start":1,"end":12}"#;
    let asked = format!("//- call {call}\n//- result\n{one}");
    let text = format!("//- user\nRead it.\n{}{asked}{}", read(&one), read(&one));
    check(&text, Settings::lossless(), "a.rs", &["whole", "whole", "pointer to 04"]);
    let asked = "//- call expand {\"handle\":\"0123456789ab\"}\n//- result\n";
    let text = format!("//- user\nRead it.\n{}{asked}{one}", read(&one));
    check(&text, Settings::max(), "expand", &["whole"]);
}

#[test]
fn what_is_only_spelled_shorter_is_no_reason_to_say_it_again() {
    let lines = file("let six = 6;");
    let numbered: String =
        (1..).zip(lines.lines()).map(|(at, line)| format!("{at:6}\u{2192}{line}\n")).collect();
    let text = format!("//- user\nRead it.\n{}{}", read(&numbered), read(&numbered));
    check(&text, Settings::balanced(), "Read", &["compacted", "pointer to 02"]);
}

#[test]
fn a_read_after_an_edit_is_a_delta() {
    let text = format!(
        "//- user\nEdit it.\n{}{}",
        read(&file("let six = 6;")),
        read(&file("let six = seven;"))
    );
    check(&text, Settings::lossless(), "Read", &["whole", "delta to 02"]);
}

#[test]
fn after_a_cut_nothing_is_pointed_at_that_is_gone() {
    let one = read(&file("let six = 6;"));
    for cut in ["//- compact\n//- summary\nSo far.\n", "//- rewind 1\nAgain.\n"] {
        let text = format!("//- user\nRead it.\n{one}{cut}{one}");
        check(&text, Settings::lossless(), "Read", &["whole"]);
    }
    // What the compaction keeps can be pointed at.
    let text = format!("//- user\nRead it.\n{one}//- compact keep 1\n//- summary\nSo far.\n{one}");
    check(&text, Settings::lossless(), "Read", &["whole", "pointer to 02"]);
}

#[test]
fn long_output_asked_for_twice_is_shown_in_full() {
    let output: String = (0..60).map(|at| format!("step {at} took {} ms\n", at * 37)).collect();
    let run = format!("//- call Bash {{\"command\":\"make\"}}\n//- result\n{output}");
    let text = format!("//- user\nBuild it.\n{run}{run}");
    let settings = Settings {
        rewrite: None,
        pointer_bytes_min: 1 << 20,
        pointer_bytes_min_elsewhere: 1 << 20,
        ..eager_settings()
    };
    check(&text, settings, "Bash", &["excerpt", "whole"]);
}

#[test]
fn a_cold_cache_is_the_moment_to_drop_what_is_idle() {
    let output: String = (0..60).map(|at| format!("step {at} took {} ms\n", at * 37)).collect();
    let run = format!("//- call Bash {{\"command\":\"make\"}}\n//- result\n{output}");
    let talk = "//- assistant\nHm.\n//- user\nGo on.\n".repeat(2);
    let text = format!("//- user\nBuild it.\n{run}{talk}//- assistant\nHm.\n//- user @+301s\nNow.");
    let mut settings = eager_settings();
    if let Some(rewrite) = &mut settings.rewrite {
        rewrite.look_once = None;
    }
    let shown = step_summary(&parse_fixture(&text), start(settings));
    let last = shown.lines().last();
    assert_eq!(last, Some("before 09: kept 2, 02 note, rewrite CacheCold"), "{shown}");
}
