use super::*;
use crate::tidy::rules::printed::findings_in;

#[test]
fn errors_that_are_text_are_found() {
    for (text, error) in [
        ("fn f() -> Result<u8, String> {}", "String"),
        ("fn f() -> Result<HashMap<u8, fn(u8) -> u8>, &'static str> {}", "&'static str"),
        ("fn f() -> std::result::Result<\n    (u8, u8),\n    String,\n> {}", "String"),
    ] {
        let expected = format!("a.rs:1: `Result<_, {error}>`; make the error a thiserror enum\n");
        assert_eq!(findings_in(check, &[("a.rs", text)]), expected, "{text}");
    }
}

#[test]
fn types_tests_and_prose_pass() {
    for text in [
        "fn f() -> Result<String, ReadError> {}",
        "fn f() -> io::Result<String> {}",
        "// never Result<u8, String>",
        "#[cfg(test)]\nmod tests { fn f() -> Result<u8, String> {} }",
        "let r = Result::<u8, E>::Ok(1); a < b",
    ] {
        assert_eq!(findings_in(check, &[("a.rs", text)]), "", "{text}");
    }
    assert_eq!(findings_in(check, &[("tests/a.rs", "fn f() -> Result<u8, String> {}")]), "");
}
