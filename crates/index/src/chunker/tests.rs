use super::*;
use foveal_syntax::parse_file;
use proptest::prelude::*;
use std::path::Path;

/// Parts are in order and apart, lie in the file, are bounded, and are read as written.
fn holds(path: &str, text: &str) {
    let parsed = parse_file(path, text);
    let found = split_into_chunks(&parsed, &TextLines::new(text));
    let mut next = 1;
    for chunk in &found {
        assert!(chunk.lines.first.0 >= next, "{path}: {chunk:?} shares lines with another");
        assert!(chunk.lines.last.0 <= parsed.line_count, "{path}: {chunk:?} is too long");
        assert!(chunk.lines.line_count() as usize <= LINES_MAX.max(MERGED_LINES_MAX), "{chunk:?}");
        assert!(chunk.entities.iter().all(|at| at.as_usize() < parsed.entities.len()), "{chunk:?}");
        next = chunk.lines.last.0 + 1;
    }
    assert!(found.len() <= CHUNKS_MAX);
    assert_eq!(decode_chunks(&encode_chunks(&found)), Some(found));
}

#[test]
fn parts_of_what_is_fuzzed_hold() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/structure");
    let files = std::fs::read_dir(folder).expect("the parser is fuzzed");
    for file in files {
        let path = file.expect("a readable folder").path();
        let text = String::from_utf8_lossy(&std::fs::read(&path).expect("a file")).into_owned();
        for name in ["a.rs", "a.py", "a.ts", "a.md", "a.yaml", "a"] {
            holds(name, &text);
            holds(name, &format!("{text}\n").repeat(40));
        }
    }
}

#[test]
fn what_is_stored_is_read_again() {
    let mut text = String::from("//! Parts.\n\nuse std::fmt;\n\nstatic ALL: u8 = 0;\n\n");
    for n in 0..9 {
        text += &format!("/// Part {n}.\npub struct Part{n} {{\n    value: u32,\n}}\n\n");
        text += &format!("fn long_{n}() {{\n{}}}\n\n", "    work();\n".repeat(n * 12));
    }
    let chunks =
        split_into_chunks(&foveal_syntax::parse_file("a.rs", &text), &TextLines::new(&text));
    assert!(chunks.len() > 9 && chunks.iter().any(|chunk| chunk.entities.len() > 1));
    assert_eq!(decode_chunks(&encode_chunks(&chunks)), Some(chunks));
}

proptest! {
    #[test]
    fn parts_of_any_text_hold(
        path in "a\\.(rs|py|js|go|md|json|txt)",
        text in "([ \\t]{0,4}(fn a\\(\\) \\{|class A:|def a\\(\\):|x = |\\}|# )?[a-z(){}.é0-9 ]{0,8}\r?\n){0,200}",
    ) {
        holds(&path, &text);
    }
}
