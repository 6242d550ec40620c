//! Property tests for any text.

use std::path::Path;

use proptest::prelude::*;

use crate::invariants::{PATHS, structure};

/// The sources of the other tests, whose strings contain code in all languages.
const SOURCES: &[&str] = &[
    include_str!("entities/native.rs"),
    include_str!("entities/web.rs"),
    include_str!("entities/scripts.rs"),
    include_str!("entities/data.rs"),
];

pub(crate) fn path() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(PATHS)
}

/// Generates real code with some bytes replaced, dropped or doubled.
pub(crate) fn mutated() -> impl Strategy<Value = String> {
    let source = proptest::sample::select(SOURCES);
    let edits = proptest::collection::vec((any::<u16>(), any::<u8>(), 0usize..3), 0..12);
    (source, any::<u16>(), 10usize..1500, edits).prop_map(|(source, from, length, edits)| {
        let from = from as usize % source.len();
        let mut bytes: Vec<u8> = source.bytes().skip(from).take(length).collect();
        for (at, byte, how) in edits {
            if bytes.is_empty() {
                break;
            }
            let at = at as usize % bytes.len();
            match how {
                0 => bytes[at] = byte,
                1 => drop(bytes.remove(at)),
                _ => bytes.insert(at, b"{}()<>\"'`\n#/*:;"[byte as usize % 15]),
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Generates short texts of letters, line breaks and punctuation.
pub(crate) fn short_text() -> impl Strategy<Value = String> {
    "(\\PC|[\\n\\r\\t{}()<>#:'\"]){0,200}"
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_bytes(path in path(), bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        structure(path, &String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn any_text(path in path(), text in short_text()) {
        structure(path, &text);
    }

    #[test]
    fn broken_code(path in path(), text in mutated()) {
        structure(path, &text);
    }
}

#[test]
fn deep_nesting_neither_overflows_nor_hangs() {
    for path in PATHS {
        for (open, close) in
            [("(", ")"), ("{", "}"), ("[", "]"), ("<a>", "</a>"), ("fn f() {", "}")]
        {
            let depth = 5_000;
            structure(path, &format!("{}x{}", open.repeat(depth), close.repeat(depth)));
            structure(path, &open.repeat(depth));
        }
    }
}

#[test]
fn what_scanners_have_to_remember_is_bounded() {
    let lines = |line: fn(usize) -> String| (0..400).map(line).collect::<String>();
    let texts = [
        lines(|at| format!("{}a:\n", " ".repeat(at))),
        lines(|at| format!("{}- a\n", " ".repeat(at * 2))),
        lines(|at| format!("{}a\n", "> ".repeat(at))),
        format!("{}a\n", "- ".repeat(2_000)),
        format!("{}a\n", "? ".repeat(2_000)),
        // Delimiters that a scanner stores until they are repeated.
        format!("${0}$ a ${0}$\n", "x".repeat(3_000)),
        format!("<{0}>a</{0}>\n", "x".repeat(3_000)),
        format!("cat <<{0}\na\n{0}\n", "X".repeat(3_000)),
        format!("x = <<~{0} + <<-{0}\na\n{0}\n", "X".repeat(900)),
        format!("<?php $x = <<<{0}\na\n{0};\n", "X".repeat(3_000)),
        format!("a = r{0}\"a\"{0};\n", "#".repeat(300)),
        format!("a = R\"{0}(a){0}\";\n", "x".repeat(300)),
        "cat <<A <<B <<C <<D\n".repeat(60),
        "f\"{f'{".repeat(400),
        "%w[a %q( \"#{ '\n".repeat(400),
        (0..300).map(|at| format!("<t{at}{}>", "x".repeat(30))).collect(),
    ];
    for path in PATHS {
        for text in &texts {
            structure(path, text);
        }
    }
}

#[test]
fn the_sources_of_this_project_hold() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut folders = vec![root.join("crates"), root.join("docs"), root.join("examples")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&folder) else { continue };
        for path in entries.map(|entry| entry.expect("a readable folder").path()) {
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = std::fs::read_to_string(&path)
                && text.len() < 100_000
            {
                structure(&path.to_string_lossy(), &text);
                count += 1;
            }
        }
    }
    assert!(count > 100, "only {count} files");
}

#[test]
fn a_file_of_this_crate_holds() {
    for (at, source) in SOURCES.iter().enumerate() {
        for path in PATHS {
            let half = source.len() / 2;
            let text =
                if at % 2 == 0 { source } else { &source[..source.floor_char_boundary(half)] };
            structure(path, text);
        }
    }
}
