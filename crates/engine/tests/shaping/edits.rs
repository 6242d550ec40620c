//! The model's own edits, told in a few words.

use foveal_engine::settings::Settings;
use foveal_testkit::laws::{LawSubject, eager_settings};
use foveal_testkit::{parse_fixture, prompt_text};

/// An edit of a file, from so many lines that begin with `old` to as many with `new`.
fn edit(file: &str, (old, new): (&str, &str), lines: usize, result: &str) -> String {
    let text = |word: &str| {
        let lines: Vec<_> =
            (0..lines).map(|at| format!("{word}_{at} = measure(parts[{at}], unit)")).collect();
        lines.join("\\n")
    };
    format!(
        "//- call Edit {{\"file_path\":\"/w/{file}\",\"old_string\":\"{}\",\"new_string\":\"{}\"}}\n\
         //- {result}\n",
        text(old),
        text(new)
    )
}

/// A response, a pause after which the cache is cold, and another response.
const PAUSE: &str = "//- assistant\nDone.\n//- user @+2h\nAnd now?\n//- assistant\nWell.\n";

/// Checks the calls of the responses in the last prompt. Handles are spelled `HANDLE`.
#[track_caller]
fn check(settings: Settings, conversation: &str, expected: &[&str]) {
    let conversation = parse_fixture(&format!("//- user\nGo on.\n{conversation}"));
    let text = prompt_text(&conversation, LawSubject::from_settings(settings).projector);
    let calls = text.lines().filter(|line| line.starts_with("Edit ")).map(|line| {
        let mut shown = String::new();
        for (at, part) in line.split("expand ").enumerate() {
            let handle = part.find(']').filter(|_| at > 0).unwrap_or(0);
            shown += if at > 0 { "expand HANDLE" } else { "" };
            shown += &part[handle..];
        }
        shown
    });
    assert_eq!(calls.collect::<Vec<_>>(), expected);
}

fn told() -> Settings {
    let mut settings = eager_settings();
    let rewrite = settings.rewrite.as_mut().expect("it rewrites");
    // Only what costs nothing to rewrite.
    rewrite.rental = 1e9;
    settings
}

#[test]
fn a_run_is_told_by_its_first_edit() {
    let edits = [
        edit("a.rs", ("one", "two"), 6, "result\nok"),
        edit("b.rs", ("red", "blue"), 6, "result\nok"),
        edit("a.rs", ("two", "three"), 7, "result\nok"),
    ];
    check(
        told(),
        &format!("{}{PAUSE}", edits.concat()),
        &[
            r#"Edit {"file_path":"/w/a.rs","old_string":"[Edits to a.rs: 2 changes between turns 1-3]\n- +6 −6 lines\n- +7 −7 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
            r#"Edit {"file_path":"/w/b.rs","old_string":"[Edits to b.rs: 1 change in turn 2]\n- +6 −6 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
            r#"Edit {"file_path":"/w/a.rs","old_string":"[told above in the edits to a.rs; expand HANDLE]","new_string":"[7 lines]"}"#,
        ],
    );
}

#[test]
fn an_edit_that_failed_stays() {
    let edits = [
        edit("a.rs", ("one", "two"), 6, "error\nString to replace not found in file."),
        edit("a.rs", ("two", "three"), 6, "result\nNo match found for replacement."),
        edit("a.rs", ("two", "four"), 6, "result\nERROR:\nNo replacement was performed."),
        edit("a.rs", ("two", "five"), 6, "result\nWhat now?"),
    ];
    let spelled: Vec<String> = edits
        .iter()
        .map(|edit| {
            let call = edit.lines().next().expect("a call");
            call.trim_start_matches("//- call ").to_owned()
        })
        .collect();
    let expected: Vec<&str> = spelled.iter().map(String::as_str).collect();
    check(told(), &format!("{}{PAUSE}", edits.concat()), &expected);
}

#[test]
fn of_a_change_of_several_files_only_the_run_s_own_is_told() {
    let patch = "//- call apply_patch {\"input\":\"*** Begin Patch\\n*** Update File: /w/b.rs\\n@@\\n\
                 -one\\n-two\\n+three\\n*** Update File: /w/a.rs\\n@@\\n-six\\n+seven\\n*** End \
                 Patch\"}\n//- result\nSuccess. Updated the following files:\n";
    let first = edit("a.rs", ("one", "two"), 6, "result\nok");
    let last = edit("a.rs", ("two", "three"), 7, "result\nok");
    check(
        told(),
        &format!("{first}{patch}{last}{PAUSE}"),
        &[
            r#"Edit {"file_path":"/w/a.rs","old_string":"[Edits to a.rs: 3 changes between turns 1-3]\n- +6 −6 lines\n- +1 −1 lines\n- +7 −7 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
            r#"Edit {"file_path":"/w/a.rs","old_string":"[told above in the edits to a.rs; expand HANDLE]","new_string":"[7 lines]"}"#,
        ],
    );
}

#[test]
fn where_a_list_takes_more_room_than_the_edit_its_heading_stands() {
    let lines = |at: usize| ("one", "two", 4 + at);
    let edits: String = (0..12)
        .map(lines)
        .map(|(old, new, lines)| edit("a.rs", (old, new), lines, "result\nok"))
        .collect();
    let conversation = parse_fixture(&format!("//- user\nGo on.\n{edits}{PAUSE}"));
    let text = prompt_text(&conversation, LawSubject::from_settings(told()).projector);
    let first = text.lines().find(|line| line.starts_with("Edit ")).expect("an edit");
    assert!(first.contains("[Edits to a.rs: 10 changes between turns 1-10]\\n[this"), "{first}");
}

#[test]
fn a_later_run_has_a_note_of_its_own() {
    let first = edit("a.rs", ("one", "two"), 6, "result\nok");
    let second = edit("a.rs", ("two", "three"), 6, "result\nok");
    check(
        told(),
        &format!("{first}{PAUSE}{second}{PAUSE}"),
        &[
            r#"Edit {"file_path":"/w/a.rs","old_string":"[Edits to a.rs: 1 change in turn 1]\n- +6 −6 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
            r#"Edit {"file_path":"/w/a.rs","old_string":"[Edits to a.rs: 1 change in turn 3]\n- +6 −6 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
        ],
    );
}

#[test]
fn what_was_taken_out_goes_before_what_was_put_in() {
    let mut settings = told();
    let rewrite = settings.rewrite.as_mut().expect("it rewrites");
    rewrite.edits.as_mut().expect("it tells edits").new_factor = f64::INFINITY;
    let one = edit("a.rs", ("one", "two"), 6, "result\nok");
    let call = one.lines().next().expect("a call").trim_start_matches("//- call ");
    let (start, rest) = call.split_once("one_0").expect("an old text");
    let (_, end) = rest.split_once("\",").expect("its end");
    let expected = format!("{start}[6 lines that this edit replaced; expand HANDLE]\",{end}");
    check(settings, &format!("{one}{PAUSE}"), &[expected.as_str()]);
}

#[test]
fn a_note_does_not_tell_of_what_the_client_took_back() {
    let first = edit("a.rs", ("one", "two"), 6, "result\nok");
    let second = edit("a.rs", ("two", "three"), 6, "result\nok");
    check(
        told(),
        &format!(
            "{first}//- user\nMore.\n{second}{PAUSE}//- rewind 4\nNot that.\n//- assistant\nNo."
        ),
        &[
            r#"Edit {"file_path":"/w/a.rs","old_string":"[Edits to a.rs: 1 change in turn 1]\n- +6 −6 lines\n[this message in full: expand HANDLE]","new_string":"[6 lines]"}"#,
        ],
    );
}

#[test]
fn balanced_leaves_the_models_words_alone() {
    let one = edit("a.rs", ("one", "two"), 60, "result\nok");
    let call = one.lines().next().expect("a call").trim_start_matches("//- call ");
    let text = format!("{one}{PAUSE}{PAUSE}{PAUSE}");
    check(Settings::balanced(), &text, &[call]);
    check(Settings::lossless(), &text, &[call]);
}
