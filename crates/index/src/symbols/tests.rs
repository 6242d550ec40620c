use proptest::prelude::*;

use super::*;

const RUST: &str = "use std::fmt as f;\nuse crate::{line::Line as Row, word};\n\n/// A `Row` of \
    `pairs`.\n#[derive(Debug)]\npub struct Pair {\n    a: u32,\n}\n\nimpl Pair {\n    fn sum(&self) \
    -> Row {\n        add(self.a, add(1, 2))\n    }\n}\n\nfn add(a: u32, b: u32) -> u32 {\n    \
    a + b\n}\n";

const OTHERS: &[(&str, &str)] = &[
    ("a.rs", RUST),
    ("a.go", "package a\n\nfunc (r *Router) Handle(path string) {\n\tr.tree.Add(path)\n}\n"),
    ("a.md", "# `Pair`\n\nSee `Pair::sum`.\n\n## Pair\n"),
    ("Cargo.toml", "[package]\nname = \"a\"\n"),
    ("a.js", "app.use = function use(fn) {\n  return use(fn);\n};\n"),
    ("a.txt", "\u{1} one\n\ntwo\n"),
    ("empty.py", ""),
];

#[test]
fn what_is_stored_is_read_again() {
    for (path, text) in OTHERS {
        let symbols = FileSymbols::from_parsed(path, &foveal_syntax::parse_file(path, text), text);
        let bytes = encode_symbols(&symbols);
        assert_eq!(decode_symbols(path, &bytes).as_ref(), Some(&symbols), "{path}");
        let definitions = decode_definitions(path, &bytes).expect("it was written just before");
        assert_eq!(definitions.definitions, symbols.definitions, "{path}");
        assert!(definitions.uses.is_empty(), "{path}");
    }
}

proptest! {
    #[test]
    fn any_text_is_read_again(text in "(\\PC|\n|[{}();:]){0,300}", ending in "(rs|py|ts|go|md|c|txt)") {
        let path = format!("a.{ending}");
        let symbols = FileSymbols::from_parsed(&path, &foveal_syntax::parse_file(&path, &text), &text);
        prop_assert_eq!(decode_symbols(&path, &encode_symbols(&symbols)), Some(symbols));
    }

    #[test]
    fn any_bytes_are_read_without_harm(
        bytes in proptest::collection::vec(0_u8..8, 0..200), length in 0_u32..200,
    ) {
        let mut stored = length.to_le_bytes().to_vec();
        stored.extend(compress(&bytes));
        decode_symbols("a.rs", &bytes);
        decode_definitions("a.rs", &stored);
        if let Some(symbols) = decode_symbols("a.rs", &stored) {
            foveal_relevance::relations::Relations::from_files(vec![symbols]);
        }
    }
}
