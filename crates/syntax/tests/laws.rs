//! Property tests for any text.

use std::path::Path;

use proptest::prelude::*;

use crate::generated_text::{SOURCES, mutated, path, short_text};
use crate::structure::{PATHS, structure};

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
