use super::*;

#[test]
fn endings_tell() {
    for (path, language) in [
        ("src/main.rs", Some("Rust")),
        ("a.b/c.TSX", Some("TypeScript")),
        ("README.md", None),
        ("Makefile", None),
        ("a.rs/data", None),
        (".rs", None),
        ("", None),
    ] {
        assert_eq!(language_of(path), language, "{path}");
    }
}

#[test]
fn tests_are_told_by_names() {
    for (path, expected) in [
        ("src/main.rs", false),
        ("src/test/java/A.java", true),
        ("lib/tests/test_a.rs", true),
        ("a/context_test.go", true),
        ("src/__tests__/a.ts", true),
        ("a/user.spec.ts", true),
        ("src/ParserTest.java", true),
        ("src/contest/attested.py", false),
    ] {
        assert_eq!(is_test(path), expected, "{path}");
    }
}
