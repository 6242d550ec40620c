use super::*;

fn references(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for_each_reference(text, |reference| all.push(reference.to_owned()));
    all
}

#[test]
fn references_are_identifiers_and_paths() {
    for (text, expected) in [
        ("the plain words stay out", vec![]),
        ("call parse_line here", vec!["parse_line"]),
        ("HashMap and hashMap", vec!["HashMap", "hashMap"]),
        ("in ./src/main.rs.", vec!["src/main.rs"]),
        ("see `a/b_c/d.rs:12`", vec!["a/b_c/d.rs"]),
        ("sha256 x1", vec!["sha256"]),
        ("__init__ _x", vec![]),
        ("and/or", vec!["and/or"]),
    ] {
        assert_eq!(references(text), expected, "{text}");
    }
}

#[test]
fn a_gutter_does_not_hide_a_line() {
    let plain = evidence_line_hash("    let a = b();").expect("counts");
    for printed in [
        "    let a = b();",
        "    12→    let a = b();",
        "12:    let a = b();",
        "src/a.rs:12:    let a = b();",
        "src/a-b.rs-12-    let a = b();",
        "    12\tlet a = b();",
        "let a = b();",
    ] {
        assert!(TextScan::from_texts(&[printed]).lines.contains(&plain), "{printed}");
    }
    assert_eq!(evidence_line_hash("  }"), None);
}
