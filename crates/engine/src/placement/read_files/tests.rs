use super::*;
use crate::placement::tests::conversation;
use foveal_transcript::ContentBlock;

/// Returns `before` without the contents at `positions`.
fn check(before: &str, positions: &[usize], after: &str) {
    let result = ReadFilesResult::parse(before).expect("a read_files result");
    let reset = positions.iter().fold(result, |result, at| result.without_content(*at));
    assert_eq!(reset.render(), after);
}

#[test]
fn a_reset_removes_content_and_keeps_everything_else() {
    check(
        r#"{"type":"read_files","files":[{"path":"file1.ts","content":"... full content ..."}]}"#,
        &[0],
        r#"{"type":"read_files","files":[{"path":"file1.ts","truncated":true}]}"#,
    );
    check(
        r#"{"id":7,"type":"read_files","files":[{"path":"b","content":"x","size":1},{"path":"a","content":"y","truncated":false}],"note":"n"}"#,
        &[1, 5],
        r#"{"id":7,"type":"read_files","files":[{"path":"b","content":"x","size":1},{"path":"a","truncated":true}],"note":"n"}"#,
    );
    // Neither truncated twice nor a file that could not be read marked as cut.
    let unread = r#"{"type":"read_files","files":[{"path":"a","truncated":true},{"path":"b","content":null}]}"#;
    check(unread, &[0, 1], unread);
}

#[test]
fn other_results_are_not_read_files() {
    for text in [
        "",
        "plain text",
        "[1]",
        "{",
        r#"{"type":"read_files"}"#,
        r#"{"type":"read_file","files":[]}"#,
        r#"{"type":"read_files","files":[{"content":"no path"}]}"#,
        r#"{"type":"read_files","files":["a.rs"]}"#,
        r#"{"type":"read_files","files":[{"path":"a","content":3}]}"#,
    ] {
        assert_eq!(ReadFilesResult::parse(text), None, "{text}");
    }
    assert!(ReadFilesResult::parse(r#" {"type":"read_files","files":[]}"#).is_some());
}

#[test]
fn files_are_listed_in_order_without_duplicates() {
    let listed = referenced_files(&conversation(&[
        &ReadFilesResult::new([("b.rs", "x"), ("a.rs", "y"), ("b.rs", "x")]).render(),
        "not files",
        r#"{"type":"read_files","files":[{"path":"c.rs","truncated":true},{"path":"a.rs","content":"y"}]}"#,
    ]));
    let table: Vec<(&str, Vec<u32>)> = listed
        .iter()
        .map(|file| (file.path.as_str(), file.entries.iter().map(|entry| entry.0).collect()))
        .collect();
    assert_eq!(table, [("b.rs", vec![1]), ("a.rs", vec![1, 5]), ("c.rs", vec![5])]);
}

#[test]
fn calls_of_other_tools_refer_to_what_they_read_and_change() {
    let mut conversation = conversation(&["content", "done"]);
    conversation.directory = Some("/w".to_owned());
    let calls = [
        ("Read", json!({"file_path": "/w/a.rs"})),
        ("Bash", json!({"command": "cat b.rs a.rs; echo x > c.rs"})),
    ];
    let mut calls = calls.into_iter();
    let conversation = conversation.map_entries(|entry| {
        for block in &mut entry.blocks {
            if let ContentBlock::Call(call) = block {
                let (name, arguments) = calls.next().expect("as many calls");
                (call.name, call.arguments) = (name.to_owned(), arguments);
            }
        }
    });
    let listed = referenced_files(&conversation);
    let table: Vec<(&str, Vec<u32>)> = listed
        .iter()
        .map(|file| (file.path.as_str(), file.entries.iter().map(|entry| entry.0).collect()))
        .collect();
    assert_eq!(table, [("/w/a.rs", vec![0, 2]), ("/w/b.rs", vec![2]), ("/w/c.rs", vec![2])]);
}
