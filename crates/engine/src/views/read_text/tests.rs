use foveal_tool_effects::call_effect;
use foveal_transcript::ToolCall;

use super::*;
use crate::lines::parse_result_lines;

fn printed(command: &str, content: &str) -> ResultLines {
    let arguments = serde_json::json!({ "command": command });
    let call = ToolCall { id: "1".into(), name: "bash".into(), arguments };
    parse_result_lines(content, &call_effect(&call, Some("/w")))
}

/// Checks the [`ReadText`] of a command's output against the text of its bytes.
fn check(command: &str, content: &str, expected: Option<(&str, u32, &str)>) {
    let printed = printed(command, content);
    let hash = ContentHash::from_content(content.as_bytes());
    let read = ReadText::from_result(&printed, None, content, Some(hash));
    let told = read.as_ref().map(|(path, first, text)| (*path, first.0, &**text));
    assert_eq!(told, expected, "{command}");
    let Some((_, _, text)) = read else { return };
    let plain = ReadText::from(&*text);
    assert_eq!(
        (text.line_count(), text.byte_len()),
        (plain.line_count(), plain.byte_len()),
        "{command}"
    );
    for at in 0..=text.line_count() {
        assert_eq!(text.line_text(at), plain.line_text(at), "{command}: {at}");
    }
    assert_eq!(text.line_text(usize::MAX), None);
}

#[test]
fn numbered_lines_of_one_file_are_a_text() {
    let numbered = "     7\tlet x;\n     8\t\n     9\t}\n";
    check("cat -n a | sed -n '7,9p'", numbered, Some(("/w/a", 7, "let x;\n\n}\n")));
    check("cat a", "one\ntwo\n", Some(("/w/a", 1, "one\ntwo\n")));
    check("make", "one\ntwo\n", None);
    // Lines whose numbers have gaps are no single text.
    check("grep -n x a", "3:x\n7:x\n", None);
}

#[test]
fn the_same_content_is_another_text_where_other_bytes_of_it_are() {
    let content = "1:one\n2:two\n";
    let line = |start, text: u32, end, number| ResultLine {
        whole: start..end,
        text: start + text..end,
        path: Some(0),
        number: Some(LineNumber(number)),
    };
    let read = |gutter, path: &str, hash| {
        let lines = vec![line(0, gutter, 5, 1), line(6, gutter, 11, 2)];
        let printed = ResultLines { paths: vec![path.to_owned()], lines, ..ResultLines::default() };
        let (_, _, text) = ReadText::from_result(&printed, None, content, hash).expect("a text");
        (text.to_string(), text.identity())
    };
    let hash = Some(ContentHash::from_content(content.as_bytes()));
    let (text, identity) = read(2, "a", hash);
    assert_eq!(text, "one\ntwo\n");
    assert_eq!(read(2, "b", hash).1, identity, "the file is no part of it");
    assert_ne!(read(0, "a", hash).1, identity);
    assert_ne!(read(2, "a", Some(ContentHash::from_content(b""))).1, identity);
    // Without a hash of the content, the identity is the hash of the text.
    assert_eq!(read(2, "a", None).1, ReadText::from(&*text).identity());
}
