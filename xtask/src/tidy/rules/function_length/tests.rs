use super::*;
use crate::tidy::rules::printed::findings_in;

fn function(before: &str, body_lines: usize) -> String {
    format!("{before}fn long() {{\n{}}}\n", "    call(\"}\");\n".repeat(body_lines))
}

#[test]
fn a_long_function_is_found() {
    assert_eq!(
        findings_in(check, &[("a.rs", &function("struct S;\n\n", 69))]),
        "a.rs:3: `long` has 71 lines, more than 70; split it, or mark a flat table with \
         `// tidy: table`\n"
    );
}

#[test]
fn tests_and_methods_count_too() {
    let inside = format!("#[cfg(test)]\nmod tests {{\n{}}}\n", function("#[test]\n", 80));
    assert!(findings_in(check, &[("a.rs", &inside)]).starts_with("a.rs:4: `long` has 82"));
}

#[test]
fn short_ones_tables_and_declarations_pass() {
    let signature = "trait T {\n    fn declared(x: [u8; 2]);\n}\n".to_owned();
    let pointer = format!("type F = fn(u8) -> u8;\n{}", "const A: u8 = 0;\n".repeat(90));
    for text in [function("", 68), function("// tidy: table\n", 90), signature, pointer] {
        assert_eq!(findings_in(check, &[("a.rs", &text)]), "", "{text}");
    }
}
