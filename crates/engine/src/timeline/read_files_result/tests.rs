use super::*;

#[test]
fn files_are_read_with_their_content_or_without() {
    let text = r#"{"id":7,"type":"read_files","files":[{"path":"b","content":"x","size":1},{"path":"a","truncated":true},{"path":"c","content":null}]}"#;
    let file = |path: &str, content: Option<&str>| ReadFile {
        path: path.to_owned(),
        content: content.map(str::to_owned),
    };
    let expected = vec![file("b", Some("x")), file("a", None), file("c", None)];
    assert_eq!(parse_read_files(text), Some(expected));
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
        assert_eq!(parse_read_files(text), None, "{text}");
    }
    assert_eq!(parse_read_files(r#" {"type":"read_files","files":[]}"#), Some(Vec::new()));
}
