//! One conversation per rule, and what the model sees of its last result.

use foveal_engine::profile::Profile;
use foveal_pricing::prices::PriceCard;
use foveal_testkit::{parse_fixture, prompt_text};

/// Checks the last result of `conversation` as the profile shows it. Handles are spelled
/// `HANDLE`.
#[track_caller]
fn check(profile: &str, conversation: &str, expected: &str) {
    let profile = Profile::find(profile).expect("the profile exists");
    let text = prompt_text(
        &parse_fixture(conversation),
        profile.new_projector(&PriceCard::anthropic_5m()),
    );
    let last = text.rsplit("tool_result\n").next().expect("there is a result");
    let mut shown = String::new();
    for (at, part) in last.trim_end_matches('\n').split("expand ").enumerate() {
        let handle = part.find(']').filter(|_| at > 0).unwrap_or(0);
        shown += if at > 0 { "expand HANDLE" } else { "" };
        shown += &part[handle..];
    }
    assert_eq!(counted_alike(&shown), counted_alike(expected));
}

/// Five and more lines in a row that start with the same word are given as the first one
/// and a count.
fn counted_alike(text: &str) -> String {
    let lines: Vec<_> = text.split('\n').collect();
    let word = |line: &&str| {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit());
        line.split(' ').next().map(str::to_owned)
    };
    let mut shown = Vec::new();
    for group in lines.chunk_by(|one, other| word(one) == word(other)) {
        if group.len() < 5 {
            shown.extend(group.iter().map(|line| (*line).to_owned()));
        } else {
            shown.push(format!("{} (and {} more)", group[0], group.len() - 1));
        }
    }
    shown.join("\n")
}

fn read(lines: &str) -> String {
    format!("//- call Read {{\"file_path\":\"/w/a.rs\"}}\n//- result\n{lines}\n")
}

fn grep(lines: &str) -> String {
    format!(
        "//- call Grep {{\"pattern\":\"width\",\"output_mode\":\"content\",\"path\":\"/w\"}}\n\
         //- result\n{lines}\n"
    )
}

fn run(lines: &str) -> String {
    format!("//- call Bash {{\"command\":\"make all\"}}\n//- result\n{lines}\n")
}

fn text_of(line: usize) -> String {
    format!("    let width_{line} = measure(parts[{line}], unit);")
}

/// Keeps the next read from being one that follows at once.
fn between() -> String {
    "//- call Bash {\"command\":\"true\"}\n//- result\ndone\n".repeat(2)
}

/// Lines of a file behind Claude Code's gutter.
fn numbered(lines: std::ops::RangeInclusive<usize>) -> String {
    let lines: Vec<_> = lines.map(|at| format!("{at:6}→{}", text_of(at))).collect();
    lines.join("\n")
}

fn counted(count: usize) -> String {
    (0..count).map(|at| format!("step {at} went on as planned\n")).collect()
}

const USER: &str = "//- user\nGo.\n";

#[test]
fn a_read_again_is_a_pointer() {
    let first = read(&numbered(1..=20));
    check(
        "lossless",
        &format!("{USER}{first}{}{first}", between()),
        r#"[1-20: unchanged, as above]"#,
    );
}

#[test]
fn after_an_edit_only_what_changed_is_shown() {
    let again = numbered(1..=20).replace("parts[9]", "parts[0]");
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=20)), between(), read(&again)),
        r#"[1-8: as above]
     9→    let width_9 = measure(parts[0], unit);
[10-20: as above]"#,
    );
}

#[test]
fn after_a_revert_what_it_changed_is_shown() {
    let edited = numbered(1..=20).replace("parts[9]", "parts[0]");
    let reads = [read(&numbered(1..=20)), read(&edited), read(&numbered(1..=20))];
    let checkout =
        "//- call Bash {\"command\":\"git checkout a.rs\"}\n//- result\nUpdated 1 path\n";
    let delta =
        "[1-8: as above]\n     9→    let width_9 = measure(parts[9], unit);\n[10-20: as above]";
    let conversation = reads
        .join(&between())
        .replace("done\n//- call Read", &format!("done\n{checkout}//- call Read"));
    check("lossless", &format!("{USER}{conversation}"), delta);
    // What is shown then is what there is.
    let again = format!("{USER}{conversation}{}{}", between(), reads[0]);
    check("lossless", &again, "[1-20: unchanged, as above]");
}

#[test]
fn an_edit_that_is_gone_is_told_by_the_line_that_it_changed() {
    let edit = "//- call Edit {\"file_path\":\"/w/a.rs\",\"old_string\":\"parts[9]\",\"new_string\":\"parts[0]\"}\n\
                //- result\nThe file /w/a.rs has been updated.\n";
    let first = read(&numbered(1..=20));
    let delta =
        "[1-8: as above]\n     9→    let width_9 = measure(parts[9], unit);\n[10-20: as above]";
    check("lossless", &format!("{USER}{first}{edit}{}{first}", between()), delta);
    // One that was refused changed nothing.
    let refused =
        edit.replace("The file /w/a.rs has been updated.", "String to replace not found in file.");
    let again = format!("{USER}{first}{refused}{}{first}", between());
    check("lossless", &again, "[1-20: unchanged, as above]");
}

#[test]
fn after_a_second_move_lines_are_those_of_the_newest_read() {
    let moved = |by: usize| -> String {
        (1..=9).map(|at| format!("{:6}→{}\n", at + by, text_of(at))).collect()
    };
    let reads: Vec<_> = [0, 3, 3, 5].map(|by| read(moved(by).trim_end())).into();
    check(
        "lossless",
        &format!("{USER}{}", reads[..3].join(&between())),
        "[4-12: unchanged, as above]",
    );
    check("lossless", &format!("{USER}{}", reads.join(&between())), "[6-14: same as 4-12 above]");
}

#[test]
fn a_read_again_is_one_line_whatever_numbers_were_left_out() {
    let mut lines: Vec<String> = (1..=60).map(|at| format!("{at:6}→{}", text_of(at))).collect();
    for blank in (3..60).step_by(3) {
        lines[blank] = format!("{:6}→", blank + 1);
    }
    let first = read(&lines.join("\n"));
    for profile in ["lossless", "balanced", "max"] {
        let again = format!("{USER}{first}{}{first}", between());
        check(profile, &again, "[1-60: unchanged, as above]");
        let spelled = "//- call Bash {\"command\":\"sed -n 1,60p /w/a.rs\"}\n//- result\n"
            .to_owned()
            + &lines.iter().map(|line| format!("{}\n", &line[9..])).collect::<String>();
        let again = format!("{USER}{first}{}{}", between(), spelled.trim_end_matches('\n'));
        check(profile, &format!("{again}\n"), "[1-60: unchanged, as above]");
    }
}

#[test]
fn of_several_calls_of_one_name_the_note_says_which() {
    let (one, other) = (run(counted(9).trim_end()), run("nothing to be done"));
    let called = |conversation: String, expected: &str| {
        check("lossless", &format!("{USER}{conversation}{}{one}", between()), expected);
    };
    called(one.clone(), "[same result as `Bash make all` above]");
    called(format!("{other}{one}"), "[same result as the last `Bash make all` above]");
    called(format!("{one}{other}"), "[same result as the 2nd last `Bash make all` above]");
}

#[test]
fn lines_that_were_asked_for_are_pointed_at_where_they_stand() {
    let lines = |first: usize, last: usize| {
        let call = format!("{{\"path\":\"/w/a.rs\",\"start\":{first},\"end\":{last}}}");
        format!("//- call read_lines {call}\n//- result\n{}\n", numbered(first..=last))
    };
    let after = |reads: &[String], expected: &str| {
        check("balanced", &format!("{USER}{}", reads.join(&between())), expected);
    };
    after(&[read(&numbered(1..=20)), lines(5, 15)], "[5-15: unchanged, as above]");
    after(
        &[lines(5, 15), lines(10, 17)],
        "[10-15: as above]\n    16→    let width_16 = measure(parts[16], unit);\n    \
         17→    let width_17 = measure(parts[17], unit);",
    );
    let twice = format!("{USER}{0}{1}{1}", lines(1, 9), lines(1, 4));
    check("balanced", &twice, &numbered(1..=4));
}

#[test]
fn who_wants_no_earlier_answer_gets_the_content() {
    let first = read(&numbered(1..=20));
    let off = first.replace("\"/w/a.rs\"", "\"/w/a.rs\",\"enable_duplicate_detection\":false");
    let plain = numbered(1..=20).replace("    ", "").replace("let", "    let");
    let expected: Vec<&str> = plain.lines().map(|line| line.trim_start()).collect();
    check("lossless", &format!("{USER}{first}{}{off}", between()), &expected.join("\n"));
}

#[test]
fn of_an_overlapping_range_only_new_lines_are_shown() {
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=20)), between(), read(&numbered(15..=24))),
        r#"[15-20: as above]
    21→    let width_21 = measure(parts[21], unit);
    22→    let width_22 = measure(parts[22], unit);
    23→    let width_23 = measure(parts[23], unit);
    24→    let width_24 = measure(parts[24], unit);"#,
    );
}

#[test]
fn moved_lines_are_said_to_have_moved() {
    let moved: String = (1..=9).map(|at| format!("{:6}→{}\n", at + 3, text_of(at))).collect();
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=9)), between(), read(moved.trim_end())),
        r#"[4-12: same as 1-9 above]"#,
    );
}

/// Some lines of `/w/a.rs`, and then those lines and one more of the file at `path`.
fn read_of_two_files(path: &str, lines: std::ops::RangeInclusive<usize>) -> String {
    let again = format!("{}\n{:6}→}}", numbered(lines.clone()), lines.end() + 1);
    let other = read(&again).replace("/w/a.rs", path);
    format!("{USER}{}{}{other}", read(&numbered(lines)), between())
}

#[test]
fn lines_of_another_file_name_it() {
    check(
        "lossless",
        &read_of_two_files("/w/b.rs", 1..=9),
        "[1-9: same as 1-9 of a.rs above]\n    10→}",
    );
}

#[test]
fn a_file_is_named_so_that_no_other_is_meant() {
    check(
        "lossless",
        &read_of_two_files("/w/src/a.rs", 1..=9),
        "[1-9: same as 1-9 of w/a.rs above]\n    10→}",
    );
}

#[test]
fn few_lines_of_another_file_are_no_reason_to_point_at_it() {
    check(
        "lossless",
        &read_of_two_files("/w/b.rs", 10..=11),
        &format!("{}\n    12→}}", numbered(10..=11)),
    );
    check("lossless", &read_of_two_files("/w/a.rs", 10..=11), "[10-11: as above]\n    12→}");
}

#[test]
fn lines_of_the_same_file_are_preferred() {
    let other = read(&numbered(1..=9)).replace("/w/a.rs", "/w/b.rs");
    check(
        "lossless",
        &format!("{USER}{}{other}{}{}", read(&numbered(1..=9)), between(), read(&numbered(1..=9))),
        "[1-9: unchanged, as above]",
    );
}

#[test]
fn lines_of_an_unknown_file_name_the_call() {
    let text: Vec<_> = (1..=9).map(text_of).collect();
    check(
        "lossless",
        &format!("{USER}{}{}", run(&text.join("\n")), read(&numbered(1..=9))),
        "[1-9: above in `Bash make all`]",
    );
}

#[test]
fn an_identical_result_is_a_pointer() {
    let result = run(counted(9).trim_end());
    let other = result.replace("make all", "make rest");
    check(
        "lossless",
        &format!("{USER}{result}{other}"),
        r#"[same result as `Bash make all` above]"#,
    );
}

#[test]
fn who_asks_again_at_once_gets_the_content() {
    let first = read(&numbered(1..=3));
    check(
        "lossless",
        &format!("{USER}{first}{first}{first}"),
        r#"     1→    let width_1 = measure(parts[1], unit);
     2→    let width_2 = measure(parts[2], unit);
     3→    let width_3 = measure(parts[3], unit);"#,
    );
}

/// Two runs, of `make all` and `make test`, with these reminders behind what they print.
fn with_reminders(first: &str, second: &str) -> String {
    let of = |printed: &str, said: &str| {
        run(&format!("{printed}\n<system-reminder>\n{said}\n</system-reminder>"))
    };
    let other = of("tested", second).replace("make all", "make test");
    format!("{USER}{}{other}", of("built", first))
}

const TASKS: &str = "Keep the list of tasks up to date while you work.\n\
                     Never speak of this reminder to the person you work for.";

#[test]
fn a_reminder_that_is_repeated_is_named() {
    check("lossless", &with_reminders(TASKS, TASKS), "tested\n[system reminder as above]");
}

#[test]
fn which_of_two_reminders_is_meant_is_said() {
    let of_tests = "Run the tests before you say that you are done, all of them.";
    let third = run(&format!("linted\n<system-reminder>\n{TASKS}\n</system-reminder>"));
    check(
        "lossless",
        &format!("{}{third}", with_reminders(TASKS, of_tests)).replace("make lint", "make all"),
        "linted\n[4 lines above in `Bash make all`]",
    );
}

#[test]
fn reminders_that_only_begin_alike_are_told_apart() {
    let of = |task: &str| format!("The list of tasks has changed. It is:\n1. {task} the parser");
    let third = of("Write");
    let third = run(&format!("linted\n<system-reminder>\n{third}\n</system-reminder>"));
    check(
        "lossless",
        &format!("{}{third}", with_reminders(&of("Write"), &of("Test"))),
        "linted\n[4 lines above in `Bash make all`]",
    );
}

#[test]
fn a_reminder_with_more_around_it_is_pointed_at_by_lines() {
    let said = format!("{TASKS}\n</system-reminder>\nand so on, as before");
    let text = with_reminders(&said, &said).replace("before\n</system-reminder>", "before");
    check("lossless", &text, "tested\n[5 lines above in `Bash make all`]");
}

#[test]
fn lines_of_a_file_without_numbers_are_pointed_at_by_the_file() {
    let first = read(&numbered(1..=6));
    let other = run(&format!("diff of\n{}\n{}\n{}", text_of(2), text_of(3), text_of(4)));
    check(
        "lossless",
        &format!("{USER}{first}{other}"),
        "diff of\n[3 lines: same as 2-4 of a.rs above]",
    );
}

#[test]
fn what_a_command_does_behind_a_change_of_folder_names_it() {
    let first = run(&counted(9)).replace("make all", "cd /w/some/where && make all");
    let other = first.replace("make all", "make rest");
    check("lossless", &format!("{USER}{first}{other}"), "[9 lines above in `Bash make all`]");
}

#[test]
fn hits_that_stand_above_are_numbers() {
    let hits = format!(
        "/w/a.rs:2:{}\n/w/a.rs:4:{}\n/w/a.rs-5-{}\n/w/a.rs-6-{}\n/w/b.rs:7:width\n/w/a.rs:40:width",
        text_of(2),
        text_of(4),
        text_of(5),
        text_of(6)
    );
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=9)), between(), grep(&hits)),
        r#"[/w/a.rs 2, 4, (5-6): shown above]
/w/b.rs:7:width
/w/a.rs:40:width"#,
    );
}

#[test]
fn words_of_a_client_before_the_first_hit_are_no_part_of_its_file() {
    let hits = format!("/w/a.rs:2:{}\n/w/a.rs:4:{}", text_of(2), text_of(4));
    let printed = format!("<untrusted_context>\nOutput: {hits}\n</untrusted_context>");
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=9)), between(), grep(&printed)),
        "<untrusted_context>\n[/w/a.rs 2, 4: shown above]\n</untrusted_context>",
    );
}

#[test]
fn a_hit_of_another_place_is_not_hidden() {
    let hits = format!("/w/b.rs:2:{0}\n/w/c.rs:3:{0}\n/w/a.rs:9:{0}", text_of(2));
    check(
        "lossless",
        &format!("{USER}{}{}{}", read(&numbered(1..=4)), between(), grep(&hits)),
        r#"/w/b.rs:2:    let width_2 = measure(parts[2], unit);
/w/c.rs:3:    let width_2 = measure(parts[2], unit);
/w/a.rs:9:    let width_2 = measure(parts[2], unit);"#,
    );
}

#[test]
fn hits_of_one_file_name_it_once() {
    check(
        "lossless",
        &format!(
            "{USER}{}",
            grep("/w/src/deep/a.rs:2:one\n/w/src/deep/a.rs:30:two\n/w/b.rs:7:three")
        ),
        r#"/w/src/deep/a.rs
2:one
30:two
/w/b.rs:7:three"#,
    );
}

#[test]
fn many_hits_are_counted() {
    let hits: String = (1..99)
        .map(|at| format!("/w/src/f{}.rs:{}:width of part {at} here\n", at / 33, at * 7))
        .collect();
    check(
        "max",
        &format!("{USER}{}", grep(hits.trim_end())),
        r#"/w/src/f0.rs
7:width of part 1 here (and 15 more)
[67 hits in 3 files, 1742 bytes left out; expand HANDLE]
/w/src/f2.rs
588:width of part 84 here (and 14 more)"#,
    );
}

#[test]
fn long_output_keeps_its_failures() {
    let output = format!(
        "{}error[E0308]: mismatched types\n  --> src/a.rs:3:5\n   |\n 3 |     width\n   |     ^^^^^ u32\n\n\
         {}warning: unused width\ntest error_path ... ok\n{}test result: FAILED. 3 passed; 1 failed\n{}",
        counted(40),
        counted(50),
        counted(40),
        counted(40)
    );
    check(
        "max",
        &format!("{USER}{}", run(output.trim_end())),
        r#"step 0 went on as planned (and 14 more)
[25 lines, 675 bytes left out; expand HANDLE]
error[E0308]: mismatched types
  --> src/a.rs:3:5
   |
 3 |     width
   |     ^^^^^ u32
[51 lines, 1341 bytes left out; expand HANDLE]
warning: unused width
[41 lines, 1093 bytes left out; expand HANDLE]
test result: FAILED. 3 passed; 1 failed
[26 lines, 692 bytes left out; expand HANDLE]
step 26 went on as planned (and 13 more)"#,
    );
}

#[test]
fn failures_that_do_not_fit_are_counted() {
    let failures: String = (0..400).map(|at| format!("error: part {at} is broken\n")).collect();
    check(
        "max",
        &format!("{USER}{}", run(failures.trim_end())),
        r#"error: part 0 is broken (and 172 more)
[212 lines, 5512 bytes, 212 of them about failures, left out; expand HANDLE]
error: part 385 is broken (and 14 more)"#,
    );
}

#[test]
fn what_a_terminal_overwrote_is_cut() {
    check(
        "lossless",
        &format!("{USER}{}", run("\u{1b}[32mok\u{1b}[0m all\n10%\r50%\r100%\ndone")),
        r#"ok all
100%
done"#,
    );
}

#[test]
fn what_stays_on_the_screen_is_not_cut() {
    let printed = "test 1 FAILED\r\r\nPASS one\r\u{1b}[0m\na long message\rX\n50 %\r\u{1b}[Kend";
    let shown = "test 1 FAILED\r\nPASS one\r\na long message\rX\nend";
    check("lossless", &format!("{USER}{}", run(printed)), shown);
}

#[test]
fn a_file_keeps_what_a_terminal_would_overwrite() {
    let lines = "1→one\n2→\u{1b}[32mhidden\rvisible\n3→three";
    check("balanced", &format!("{USER}{}", read(lines)), lines);
    let hits = "src/a.rs:2:\u{1b}[32mwidth\rvisible";
    check("balanced", &format!("{USER}{}", grep(hits)), hits);
}

#[test]
fn repeated_lines_are_counted() {
    let lines = "waiting for the server to start\n".repeat(9)
        + &"ping of server\npong of server\n".repeat(5);
    check(
        "lossless",
        &format!("{USER}{}", run(lines.trim_end())),
        r#"waiting for the server to start
[last line repeated 8 more times]
ping of server
pong of server
[last 2 lines repeated 4 more times]"#,
    );
}

#[test]
fn a_gutter_loses_its_blanks() {
    check(
        "lossless",
        &format!("{USER}{}", read(&numbered(1..=9))),
        r#"1→    let width_1 = measure(parts[1], unit);
2→    let width_2 = measure(parts[2], unit);
3→    let width_3 = measure(parts[3], unit);
4→    let width_4 = measure(parts[4], unit);
5→    let width_5 = measure(parts[5], unit);
6→    let width_6 = measure(parts[6], unit);
7→    let width_7 = measure(parts[7], unit);
8→    let width_8 = measure(parts[8], unit);
9→    let width_9 = measure(parts[9], unit);"#,
    );
}

#[test]
fn a_gutter_may_keep_every_tenth_number() {
    check(
        "balanced",
        &format!("{USER}{}", read(&numbered(3..=22))),
        r#"[every 10th line numbered]
3→    let width_3 = measure(parts[3], unit);
    let width_4 = measure(parts[4], unit); (and 5 more)
10→    let width_10 = measure(parts[10], unit);
    let width_11 = measure(parts[11], unit); (and 8 more)
20→    let width_20 = measure(parts[20], unit);
    let width_21 = measure(parts[21], unit);
    let width_22 = measure(parts[22], unit);"#,
    );
}

#[test]
fn json_loses_its_layout() {
    let json =
        "{\n  \"name\": \"a  b\",\n  \"list\": [\n    1,\n    2\n  ],\n  \"q\": \"\\\" : x\"\n}";
    check(
        "balanced",
        &format!("{USER}{}", run(&format!("got:\n{json}\ndone"))),
        r#"got:
{"name":"a  b","list":[1,2],"q":"\" : x"}
done"#,
    );
}

#[test]
fn json_of_a_file_keeps_its_layout_whatever_brought_it() {
    let json = "{\n  \"name\": \"a  b\",\n  \"list\": [\n    1\n  ]\n}";
    for call in [
        r#"Read {"file_path":"/w/a.json"}"#,
        r#"get_file_contents {"path":"a.json"}"#,
        r#"mcp__filesystem__read_text_file {"path":"a.json"}"#,
        r#"store_read {"task":"T-1"}"#,
        r#"Bash {"command":"git show HEAD:a.json"}"#,
        r#"Bash {"command":"node tool.cjs get a.json"}"#,
    ] {
        for profile in ["lossless", "balanced"] {
            let answer = format!("{USER}//- call {call}\n//- result\n{json}\n");
            check(profile, &answer, json);
        }
    }
    let quoted = format!("```json\n{json}\n```");
    check("balanced", &format!("{USER}{}", run(&quoted)), &quoted);
    check("lossless", &format!("{USER}{}", run(json)), json);
}

/// A table as `psql` prints it.
const BARRED: &str = r#" id | name         |                 state
----+--------------+----------------------------------------
  1 | pump         | running
 12 | valve |  x   | closed since Monday
  3 | a much longer| none"#;

#[test]
fn tables_lose_their_padding() {
    check(
        "balanced",
        &format!(
            "{USER}{}",
            run(r#"running tests
Name                            Stmts   Miss  Cover
----------------------------------------------------
src/pump/__init__.py                0      0   100%
src/pump/pressure_valve.py        118     12    90%
src/pump/io.py                     42      7    83%
----------------------------------------------------
TOTAL                             160     19    88%"#)
        ),
        r#"running tests
Name Stmts Miss Cover
---
src/pump/__init__.py 0 0 100%
src/pump/pressure_valve.py 118 12 90%
src/pump/io.py 42 7 83%
---
TOTAL 160 19 88%"#,
    );
    check(
        "balanced",
        &format!("{USER}{}", run(&format!("select:\n{BARRED}\n(3 rows)"))),
        r#"select:
 id | name | state
---+---+---
  1 | pump | running
 12 | valve |  x | closed since Monday
  3 | a much longer| none
(3 rows)"#,
    );
    check(
        "balanced",
        &format!(
            "{USER}{}",
            run(r#"File          | % Stmts | % Branch | Uncovered
--------------|---------|----------|----------
All files     |   85.71 |      100 |           
 src          |       9 |       50 | 12-19     
  pressure.ts |   85.71 |       50 | 12        "#)
        ),
        r#"File | % Stmts | % Branch | Uncovered
---|---|---|---
All files | 85.71 | 100 |
 src | 9 | 50 | 12-19
  pressure.ts | 85.71 | 50 | 12"#,
    );
}

#[test]
fn listings_lose_their_padding() {
    check(
        "balanced",
        &format!(
            "{USER}{}",
            run(r#"USER         PID %CPU %MEM COMMAND
root           1  0.0  0.1 /sbin/init
pump        2212 12.5  1.9 node  server.js --port 80
pump       22130  0.5  0.9 sh -c  make all"#)
        ),
        r#"USER PID %CPU %MEM COMMAND
root 1 0.0 0.1 /sbin/init
pump 2212 12.5 1.9 node  server.js --port 80
pump 22130 0.5 0.9 sh -c  make all"#,
    );
    check(
        "balanced",
        &format!(
            "{USER}{}",
            run(r#"total 48
drwxr-xr-x   2 pump  staff     64 Jan  1 12:00 docs
-rw-r--r--   1 pump  staff   1204 Jan 11 12:00 a b.rs
-rw-r--r--   1 pump  staff  98120 Feb  1 12:00 main.rs"#)
        ),
        r#"total 48
drwxr-xr-x 2 pump staff 64 Jan 1 12:00 docs
-rw-r--r-- 1 pump staff 1204 Jan 11 12:00 a b.rs
-rw-r--r-- 1 pump staff 98120 Feb 1 12:00 main.rs"#,
    );
}

#[test]
fn what_only_looks_like_a_table_stays() {
    for text in [
        "let one    = 1;\nlet second = 22;\nlet third  = 333;",
        "red     stop   wait\ngreen   go     move\nyellow  slow   look",
        "Usage: x\n  -a, --all     show all\n  -b, --both    show both\n  -c, --count   count",
        "NAME    SIZE   KIND\none     2      file\n\nthree   4      file",
    ] {
        check("balanced", &format!("{USER}{}", run(text)), text);
    }
    check("lossless", &format!("{USER}{}", read(BARRED)), BARRED);
    let shown = format!(
        "//- call Bash {{\"command\":\"git show HEAD:README.md\"}}\n//- result\n{BARRED}\n"
    );
    check("balanced", &format!("{USER}{shown}"), BARRED);
}

#[test]
fn a_long_line_keeps_head_and_tail() {
    let line = "f(x);".repeat(999);
    let kept = ("f(x);".repeat(150), "f(x);".repeat(50));
    check(
        "balanced",
        &format!("{USER}{}", run(&line)),
        &format!("{}[… 3995 bytes of this line left out; expand HANDLE]{}", kept.0, kept.1),
    );
    check("lossless", &format!("{USER}{}", run(&line)), &line);
}

#[test]
fn encoded_bytes_are_counted() {
    let data = "iVBORw0KGgo9AAAANSUhEUgAA".repeat(20);
    let hex = "00ff9a7c".repeat(40);
    let output =
        format!("<img src=\"data:image/png;base64,{data}\">\nkey {hex} end\n{}", "x".repeat(300));
    check(
        "balanced",
        &format!("{USER}{}", run(&output)),
        r#"<img src="data:image/png;base64,[500 bytes of base64 left out; expand HANDLE]">
key [320 bytes of hexadecimal left out; expand HANDLE] end
xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"#,
    );
    check("lossless", &format!("{USER}{}", run(&output)), &output);
}

#[test]
fn rows_of_a_hex_dump_are_counted() {
    let rows: String = (0..30)
        .map(|at| format!("{:08x}: 7f45 4c46 0201 {at:04x} 0000 0000 0300 3e00\n", at * 16))
        .collect();
    check(
        "balanced",
        &format!("{USER}{}", run(rows.trim_end())),
        r#"00000000: 7f45 4c46 0201 0000 0000 0000 0300 3e00
00000010: 7f45 4c46 0201 0001 0000 0000 0300 3e00
00000020: 7f45 4c46 0201 0002 0000 0000 0300 3e00
00000030: 7f45 4c46 0201 0003 0000 0000 0300 3e00
00000040: 7f45 4c46 0201 0004 0000 0000 0300 3e00
00000050: 7f45 4c46 0201 0005 0000 0000 0300 3e00
00000060: 7f45 4c46 0201 0006 0000 0000 0300 3e00
00000070: 7f45 4c46 0201 0007 0000 0000 0300 3e00
[22 more rows of a hex dump left out; expand HANDLE]"#,
    );
}

#[test]
fn hits_elsewhere_with_the_same_text_do_not_hide_hits() {
    let hits = |files: [&str; 3]| {
        grep(&files.map(|file| format!("/w/{file}.rs:2:{}", text_of(2))).join("\n"))
    };
    let shown = ["c", "d", "e"].map(|file| format!("/w/{file}.rs:2:{}", text_of(2))).join("\n");
    let conversation = format!("{USER}{}{}", hits(["a", "b", "f"]), hits(["c", "d", "e"]));
    check("lossless", &conversation.replacen("width", "parts", 1), &shown);
}

#[test]
fn found_lines_keep_their_numbers() {
    let hits: Vec<_> = (3..=14)
        .map(|at| format!("/w/a.rs{0}{at}{0}text {at}", if at == 7 { ':' } else { '-' }))
        .collect();
    check(
        "balanced",
        &format!("{USER}{}", grep(&hits.join("\n"))),
        r#"/w/a.rs
[every 10th line numbered]
3-text 3
text 4
text 5
text 6
7:text 7
text 8
text 9
10-text 10
text 11
text 12
text 13
text 14"#,
    );
}

#[test]
fn json_in_the_words_of_an_agent_keeps_its_layout() {
    let report = "I found:\n{\n  \"name\": 1,\n  \"list\": 2\n}";
    let call = "//- call Think {}\n//- result";
    check("balanced", &format!("{USER}{call}\n{report}\n"), report);
}

#[test]
fn binary_data_is_counted() {
    let data = "\u{fffd}\u{1}PK".repeat(90);
    check(
        "balanced",
        &format!("{USER}{}", run(&format!("head {data} tail"))),
        r#"head [538 bytes of binary data left out; expand HANDLE]PK tail"#,
    );
}
