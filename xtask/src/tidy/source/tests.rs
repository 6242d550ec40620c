use super::*;

fn check(text: &str, code: &str, comments: &[(usize, &str)]) {
    let source = Source::new("a.rs", text);
    assert_eq!(source.code, code, "{text}");
    assert_eq!(source.code.len(), text.len(), "{text}");
    let found: Vec<_> = source.comments.iter().map(|c| (c.line, c.text.as_str())).collect();
    assert_eq!(found, comments, "{text}");
}

#[test]
fn strings_characters_and_comments_are_no_code() {
    check("a // b", "a     ", &[(1, "// b")]);
    check("a /* b\n /* c */ */ d", "a     \n            d", &[(1, "/* b"), (2, "/* c */ */")]);
    check("f(\"// x\")", "f(      )", &[]);
    check(r#"f("\"{", '{')"#, "f(     ,    )", &[]);
    check("r#\"{\"\"#;", "       ;", &[]);
    check("b\"{\" + br\"{\"", "     +      ", &[]);
    check("fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}", &[]);
    check(r"'\'' '\u{1F}' b'{'", "                  ", &[]);
}

#[test]
fn broken_source_is_read_to_its_end() {
    for text in ["\"open", "/* open /* deeper */", "r##\"open\"#", "'", "'\\", "é\"é"] {
        assert_eq!(Source::new("a.rs", text).code.len(), text.len(), "{text}");
    }
}

#[test]
fn items_end_at_their_brace_or_semicolon() {
    for (code, end) in [("mod a { {} } b", 12), ("use a::{b}; c", 10), ("fn f([u8; 2]);", 14)] {
        assert_eq!(item_end(code, 0), end, "{code}");
    }
}
