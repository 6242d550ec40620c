use super::*;

#[test]
fn what_cannot_be_seen_is_spelled_out() {
    for (text, lines, line) in [
        ("plain \"text\" \\n `a`", "plain \"text\" \\n `a`", "plain \"text\" \\n `a`"),
        ("a\x1b]0;b\x07\tc\x7f", "a\\u001b]0;b\\u0007\tc\\u007f", "a\\u001b]0;b\\u0007\\tc\\u007f"),
        ("a\r\nb\rc\n", "a\nb\\rc\n", "a\\r\\nb\\rc\\n"),
        ("\u{9b}31m\0", "\\u009b31m\\u0000", "\\u009b31m\\u0000"),
        ("\u{202e}txt.exe\u{2066}", "\\u202etxt.exe\\u2066", "\\u202etxt.exe\\u2066"),
        ("rm\u{200b} a\u{200d}\u{feff}", "rm\\u200b a\\u200d\\ufeff", "rm\\u200b a\\u200d\\ufeff"),
        ("\u{e0061}b\u{2028}", "\\udb40\\udc61b\\u2028", "\\udb40\\udc61b\\u2028"),
        ("ein Häuschen 家 👩\u{200d}💻 ⚠\u{fe0f} می\u{200c}روم", "", ""),
        ("🏳\u{fe0f}\u{200d}🌈", "", ""),
    ] {
        let expected = |told| if str::is_empty(told) { text } else { told };
        assert_eq!(escape_lines(text), expected(lines));
        assert_eq!(escape_one_line(text), expected(line));
    }
}

#[test]
fn nothing_hidden_is_left() {
    let every = (0..=0x0010_ffff).filter_map(char::from_u32);
    let text: String = every.clone().flat_map(|sign| [sign, ' ']).collect();
    let told = escape_one_line(&text);
    assert!(!told.chars().any(is_hidden_char));
    let lines = escape_lines(&text);
    assert!(!lines.chars().any(|sign| is_hidden_char(sign) && !matches!(sign, '\n' | '\t')));
    let seen: String = every.filter(|sign| !is_hidden_char(*sign)).collect();
    assert!(matches!(escape_one_line(&seen), Cow::Borrowed(_)));
}

#[test]
fn a_quoted_text_shows_where_it_ends() {
    for (text, expected) in [
        ("cargo test \"a b\" \\x", "`cargo test \"a b\" \\x`"),
        ("", "``"),
        ("a`? (fine) `", "\"a`? (fine) `\""),
        ("ls\nrm -rf \"x\" \\", "\"ls\\nrm -rf \\\"x\\\" \\\\\""),
        ("a\u{202e}b", "\"a\\u202eb\""),
    ] {
        assert_eq!(quote_escaped(text), expected);
        if let Some(inner) = quote_escaped(text).strip_prefix('"') {
            assert!(!inner.strip_suffix('"').expect("it is closed").contains(is_hidden_char));
        }
    }
}

#[test]
fn json_stays_json() {
    let json = "{\"a\u{9b}\": \"b\u{202e}\u{e0041}\u{7f}\"}";
    assert_eq!(escape_lines(json), r#"{"a\u009b": "b\u202e\udb40\udc41\u007f"}"#);
}
