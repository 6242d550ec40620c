//! The similarity rule of each row of the table.

use foveal_tool_effects::SimilarityRule;
use foveal_tools::duplicate_calls::{CallQuery, CallSettings, CallTracker, Similarity};
use foveal_transcript::Timestamp;
use serde_json::Value;

use super::{Words, path_key};

/// Returns the match of a call with a single earlier one: `same`, `within` or a miss.
fn found(tracker: &mut Words, tool: &str, calls: (&str, &str)) -> String {
    let asked = |tracker: &Words, text: &str| -> CallQuery {
        let arguments: Value = serde_json::from_str(text).expect("arguments are JSON");
        tracker.new_query(tool, arguments, &path_key)
    };
    tracker.reset();
    let now = Timestamp(0);
    tracker.record("s", asked(tracker, calls.0), String::new(), String::new(), now);
    let again = asked(tracker, calls.1);
    match tracker.look_up("s", &again, now, |_| true) {
        Ok(hit) => format!("{:?}", hit.extent).to_lowercase(),
        Err(miss) => format!("{miss:?}").to_lowercase(),
    }
}

/// Rows: a tool, the arguments of a call and of a later one, and the expected match.
fn check(rows: &[(&str, &str, &str, &str)]) {
    let mut tracker = CallTracker::new(CallSettings::default());
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(tool, earlier, later, expected)| {
            let found = found(&mut tracker, tool, (earlier, later));
            (found != *expected)
                .then(|| format!("{tool} {earlier} {later}\n  expected {expected}, found {found}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[rustfmt::skip]
fn reads_are_covered_by_reads_of_more_lines() {
    check(&[
        ("readFile", r#"{"filePath":"/w/a"}"#, r#"{"filePath":"/w/a"}"#, "same"),
        ("readFile", r#"{"filePath":"/w/a"}"#, r#"{"filePath":"/w/a","offset":3,"limit":2}"#, "within"),
        ("readFile", r#"{"filePath":"/w/a","offset":3,"limit":2}"#, r#"{"filePath":"/w/a"}"#, "new"),
        ("readFile", r#"{"filePath":"/w/a"}"#, r#"{"filePath":"/w/b"}"#, "new"),
        ("Read", r#"{"file_path":"a"}"#, r#"{"file_path":"./x/../A"}"#, "same"),
        ("Read", r#"{"file_path":"a","offset":1,"limit":50}"#, r#"{"file_path":"a","offset":10,"limit":41}"#, "within"),
        ("Read", r#"{"file_path":"a","offset":1,"limit":50}"#, r#"{"file_path":"a","offset":10,"limit":42}"#, "new"),
        ("Read", r#"{"file_path":"a","offset":10}"#, r#"{"file_path":"a","offset":20,"limit":5000}"#, "within"),
        ("Read", r#"{"file_path":"a","offset":-3}"#, r#"{"file_path":"a","offset":-3}"#, "same"),
        ("Read", r#"{"file_path":"a","offset":-3}"#, r#"{"file_path":"a","offset":-2}"#, "new"),
        ("read_lines", r#"{"path":"a","start":5,"end":9}"#, r#"{"path":"a","start":6,"end":9}"#, "within"),
        ("read_lines", r#"{"path":"a","start":5,"end":9}"#, r#"{"path":"a","start":"5","end":9}"#, "same"),
        ("read_lines", r#"{"path":"a","start":5,"end":9}"#, r#"{"path":"a","start":4,"end":9}"#, "new"),
        ("mcp__foveal__read_lines", r#"{"path":"a","start":5,"end":9}"#, r#"{"path":"a","start":6,"end":6}"#, "within"),
        ("foveal_read_file", r#"{"path":"a"}"#, r#"{"path":"a","mode":null}"#, "same"),
        ("read_file", r#"{"path":"a"}"#, r#"{"path":"a","mode":"full"}"#, "new"),
        ("read_file", r#"{"path":"a","question":"x"}"#, r#"{"path":"a","question":"y"}"#, "new"),
        ("read_file", r#"{"path":"a","explanation":"x"}"#, r#"{"path":"a","explanation":"y"}"#, "same"),
        ("read_file", r#"{"target_file":"a","start_line_one_indexed":1,"end_line_one_indexed_inclusive":9}"#, r#"{"target_file":"a","start_line_one_indexed":2,"end_line_one_indexed_inclusive":8}"#, "within"),
        ("view", r#"{"path":"a","view_range":[1,9]}"#, r#"{"path":"a","view_range":[2,-1]}"#, "new"),
        ("view", r#"{"path":"a","view_range":[2,-1]}"#, r#"{"path":"a","view_range":[3,7]}"#, "within"),
        ("read_files", r#"{"paths":["a","b"]}"#, r#"{"paths":["b"]}"#, "within"),
        ("read_files", r#"{"paths":["a","b"]}"#, r#"{"paths":["A","B"]}"#, "same"),
        ("read_files", r#"{"paths":["a"]}"#, r#"{"paths":["a","b"]}"#, "new"),
        ("read_many_files", r#"{"include":["a"]}"#, r#"{"include":["a","src/*"]}"#, "new"),
        ("read_many_files", r#"{"include":["src/*"]}"#, r#"{"include":["src/*"]}"#, "same"),
        ("read_file", "{}", "{}", "same"),
        ("read_file", r#""{\"path\":\"a\"}""#, r#"{"path":"a"}"#, "same"),
    ]);
}

#[test]
#[rustfmt::skip]
fn searches_differ_by_all_but_their_context() {
    check(&[
        ("grep", r#"{"pattern":"x","contextBefore":3}"#, r#"{"contextAfter":1,"pattern":"x"}"#, "same"),
        ("Grep", r#"{"pattern":"x","-C":3}"#, r#"{"pattern":"x","-A":1,"-B":2}"#, "same"),
        ("grep", r#"{"pattern":"x","context":3}"#, r#"{"pattern":"x"}"#, "same"),
        ("grep", r#"{"pattern":"x"}"#, r#"{"pattern":"X"}"#, "new"),
        ("grep", r#"{"pattern":"x","path":"src"}"#, r#"{"pattern":"x","path":"./SRC/"}"#, "same"),
        ("grep", r#"{"pattern":"x","path":"src"}"#, r#"{"pattern":"x","path":"doc"}"#, "new"),
        ("grep", r#"{"pattern":"x"}"#, r#"{"pattern":"x","glob":"*.rs"}"#, "new"),
        ("grep", r#"{"pattern":"x"}"#, r#"{"pattern":"x","multiline":true}"#, "new"),
        ("grep", r#"{"pattern":"x","multiline":false}"#, r#"{"pattern":"x"}"#, "same"),
        ("grep", r#"{"pattern":"x","caseInsensitive":true}"#, r#"{"pattern":"x"}"#, "new"),
        ("Grep", r#"{"pattern":"x","output_mode":"content"}"#, r#"{"pattern":"x","output_mode":"count"}"#, "new"),
        ("glob", r#"{"pattern":"*.rs"}"#, r#"{"pattern":"*.rs"}"#, "same"),
        ("glob", r#"{"pattern":"*.rs"}"#, r#"{"pattern":"*.rs","path":"src"}"#, "new"),
        ("list", r#"{"path":"src/"}"#, r#"{"path":"src"}"#, "same"),
        ("LS", r#"{"path":"src","ignore":["x"]}"#, r#"{"path":"src"}"#, "new"),
        ("search_code", r#"{"query":"a"}"#, r#"{"query":"b"}"#, "new"),
        ("search_code", r#"{"query":"a"}"#, r#"{"query":"a"}"#, "same"),
        ("outline", r#"{"path":"a.rs"}"#, r#"{"path":"./a.rs"}"#, "same"),
    ]);
}

#[test]
#[rustfmt::skip]
fn writes_and_fetches_are_the_same_by_what_they_name() {
    check(&[
        ("writeFile", r#"{"filePath":"a","content":"x"}"#, r#"{"content":"x","filePath":"./a"}"#, "same"),
        ("write_file", r#"{"path":"a","content":"x"}"#, r#"{"path":"a","content":"y"}"#, "new"),
        ("Write", r#"{"file_path":"a","content":"x"}"#, r#"{"file_path":"b","content":"x"}"#, "new"),
        ("multiedit", r#"{"edits":[{"path":"a","old":"x","new":"y"}]}"#, r#"{"edits":[{"new":"y","old":"x","path":"a"}]}"#, "same"),
        ("multi_edit", r#"{"edits":[{"path":"a","old_str":"x","new_str":"y"}],"intent":"1"}"#, r#"{"edits":[{"path":"./a","old_str":"x","new_str":"y","replace_all":false}],"intent":"2"}"#, "same"),
        ("multi_edit", r#"{"edits":[{"path":"a","old_str":"x","new_str":"y"}]}"#, r#"{"edits":[{"path":"a","old_str":"x","new_str":"z"}]}"#, "new"),
        ("multi_edit", r#"{"edits":[1,2]}"#, r#"{"edits":[2,1]}"#, "new"),
        ("MultiEdit", r#"{"file_path":"a","edits":[1]}"#, r#"{"file_path":"b","edits":[1]}"#, "new"),
        ("webFetch", r#"{"url":"http://x"}"#, r#"{"url":"http://x","timeout":3}"#, "same"),
        ("web_fetch", r#"{"url":"http://x"}"#, r#"{"url":"http://x/"}"#, "new"),
        ("WebFetch", r#"{"url":"http://x","prompt":"a"}"#, r#"{"url":"http://x","prompt":"b"}"#, "new"),
    ]);
}

#[test]
fn what_does_something_is_never_a_duplicate() {
    for tool in [
        "unifiedExec",
        "writeStdin",
        "closePtySession",
        "listPtySessions",
        "bash",
        "Bash",
        "mcp__foveal__bash",
        "mcp__elsewhere__bash",
        "exec",
        "write_stdin",
        "close",
        "edit_file",
        "Edit",
        "apply_patch",
        "expand",
        "focus",
        "unfocus",
        "TodoWrite",
        "foveal_exec",
        "shell",
        "exec_command",
    ] {
        check(&[(tool, r#"{"x":1}"#, r#"{"x":1}"#, "never")]);
    }
}

#[test]
fn calls_of_unknown_tools_are_the_same_if_all_arguments_are_equal() {
    let rows = [
        (r#"{"a":1,"b":2}"#, r#"{"b":2,"a":1}"#, "same"),
        (r#"{"a":1,"b":2,"c":3}"#, r#"{"c":4,"b":2,"a":1}"#, "new"),
        (r#"{"a":1}"#, r#"{"a":1,"b":null}"#, "new"),
        (r#"{"path":"a","z":1}"#, r#"{"path":"a","z":2}"#, "new"),
        ("{}", "{}", "same"),
        ("[1,2]", "[2,1]", "new"),
    ];
    for (earlier, later, expected) in rows {
        check(&[("inspect", earlier, later, expected)]);
    }
}

#[test]
fn rules_can_be_registered() {
    let mut tracker = CallTracker::new(CallSettings::default());
    tracker.register_rule("Roll", Similarity::custom(|now, then| now["sides"] == then["sides"]));
    tracker.register_rule("read_file", SimilarityRule::Never);
    let calls = (r#"{"sides":6,"dice":1}"#, r#"{"sides":6,"dice":2}"#);
    assert_eq!(found(&mut tracker, "roll", calls), "same");
    let calls = (r#"{"sides":6}"#, r#"{"sides":8}"#);
    assert_eq!(found(&mut tracker, "roll", calls), "new");
    let calls = (r#"{"path":"a"}"#, r#"{"path":"a"}"#);
    assert_eq!(found(&mut tracker, "read_file", calls), "never");
}
