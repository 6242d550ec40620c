use super::*;
use crate::tidy::rules::printed::findings_in;

fn found(text: &str) -> Vec<String> {
    let printed = findings_in(check, &[("crates/protocols/src/a.rs", text)]);
    let path = |line: &str| line.split('`').nth(1).map(str::to_owned);
    printed.lines().filter_map(path).collect()
}

#[test]
fn what_reaches_outside_is_found() {
    for (text, expected) in [
        ("use std::fs;", vec!["std::fs"]),
        ("let x = std::env::var(\"X\");", vec!["std::env::var"]),
        ("use std::{fmt, fs::File, net};", vec!["std::fs::File", "std::net"]),
        ("use std::time::{Duration, Instant};", vec!["std::time::Instant"]),
        (
            "use std::{\n    time::{self, SystemTime},\n};",
            vec!["std::time", "std::time::SystemTime"],
        ),
        ("use std::time;", vec!["std::time"]),
        ("use std::*;", vec!["std::*"]),
        ("std::thread::spawn(f);", vec!["std::thread::spawn"]),
        ("let out = std::io::stdout();", vec!["std::io::stdout"]),
        ("tokio::spawn(x)", vec!["tokio::spawn"]),
        ("fn f() { println!(\"x\"); }", vec!["println!"]),
        ("#[cfg(test)] mod tests { use std::process::Command; }", vec!["std::process::Command"]),
    ] {
        assert_eq!(found(text), expected, "{text}");
    }
}

#[test]
fn what_stays_inside_passes() {
    for text in [
        "use std::{fmt, io::{self, BufRead}, time::Duration};",
        "// std::fs is not used\nlet s = \"std::fs\";",
        "use crate::std::fs;",
        "let env = time::parse(x); let rand = env;",
        "write!(f, \"{print}\")",
    ] {
        assert_eq!(found(text), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn only_the_sources_of_pure_crates_count() {
    let files =
        [("crates/protocols/tests/a.rs", "use std::fs;"), ("crates/cli/src/a.rs", "use std::fs;")];
    assert_eq!(findings_in(check, &files), "");
}

#[test]
fn a_finding_says_where_and_what_to_do() {
    assert_eq!(
        findings_in(check, &[("crates/engine/src/a.rs", "\nuse std::fs::File;\n")]),
        "crates/engine/src/a.rs:2: `std::fs::File` in a pure crate; take the bytes as an argument\n"
    );
}
