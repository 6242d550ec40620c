//! Tests of repository maps: within the budget, and made of lines of the files only.

use std::collections::HashMap;

use proptest::prelude::*;

use foveal_pricing::tokens::{Tokenizer, Tokens};
use foveal_relevance::relations::{FileRanks, FileSymbols, RankFocus, Relations};
use foveal_relevance::repository_map::{MapOptions, build_repository_map};
use foveal_syntax::parse_file;

use super::relations;

fn o200k(text: &str) -> Tokens {
    Tokenizer::O200k.count(text)
}

const REPOSITORY: &str = "
//- lines.py
from words import split_words


class Line:
    def __init__(self, text):
        self.text = text

    def word_count(self):
        return len(split_words(self.text))


def helper():
    pass
//- main.py
from lines import Line

def main():
    Line('a').word_count()
//- words.py
def split_words(
    text,
    separator=' ',
    most=None,
    keep_empty=False,
    lower=False,
    strip=True,
    reverse=False,
):
    return text.split(separator)
";

#[track_caller]
fn check(tokens: u64, expected: &str) {
    let relations = relations(REPOSITORY);
    let ranks = FileRanks::compute(&relations, &RankFocus::default());
    let found = build_repository_map(&relations, &ranks, &MapOptions::new(Tokens(tokens), o200k));
    assert_eq!(found.text, expected.trim_start_matches('\n'), "<<<\n{}>>>", found.text);
    assert!(found.tokens <= Tokens(tokens));
}

#[test]
fn the_budget_decides_how_many_are_shown() {
    check(5, "");
    let whole = "
words.py (10 lines)
 1→def split_words(
lines.py (13 lines)
 4→class Line:
 5→    def __init__(self, text):
 8→    def word_count(self):
12→def helper():
main.py (4 lines)
3→def main():
";
    check(
        30,
        "words.py (10 lines)\n 1→def split_words(\nlines.py (13 lines)\n 4→class Line:\n[1 more file]\n",
    );
    check(1_000, whole);
}

#[test]
fn what_does_much_comes_before_leaf_utilities_and_a_class_with_its_methods() {
    let helpers: String =
        (0..30).map(|at| format!("def helper_{at}(text):\n    return text\n\n\n")).collect();
    let calls: String = (0..8).map(|at| format!("        text = helper_{at}(text)\n")).collect();
    let repository = format!(
        "//- app.py\nfrom helpers import *\nfrom server import Server\n\n\ndef main():\n\
         {}    Server().serve('')\n//- helpers.py\n{helpers}//- server.py\nfrom helpers \
         import *\n\n\nclass Server:\n    def serve(self, text):\n{calls}        return \
         self.stop(text)\n\n    def stop(self, text):\n{calls}        return text\n",
        calls.replace("        ", "    "),
    );
    let relations = relations(&repository);
    let ranks = FileRanks::compute(&relations, &RankFocus::default());
    let found = build_repository_map(&relations, &ranks, &MapOptions::new(Tokens(75), o200k));
    for shown in ["def main():", "class Server:", "def serve(self, text):", "def stop("] {
        assert!(found.text.contains(shown), "{shown}: {}", found.text);
    }
    assert!(found.text.matches("helper_").count() < 5, "{}", found.text);
    // A focused file comes first.
    let helpers = relations.file_at("helpers.py").expect("a file");
    let focus = RankFocus { files: vec![helpers], ..RankFocus::default() };
    let ranks = FileRanks::compute(&relations, &focus);
    let found = build_repository_map(&relations, &ranks, &MapOptions::new(Tokens(75), o200k));
    assert!(found.text.starts_with("helpers.py (120 lines)\n"), "{}", found.text);
    // Hidden files are omitted.
    let hidden = std::iter::once(helpers).collect();
    let options = MapOptions { hidden_files: hidden, ..MapOptions::new(Tokens(75), o200k) };
    let found = build_repository_map(&relations, &ranks, &options);
    assert!(!found.text.contains("helper"), "{}", found.text);
}

#[test]
fn what_a_macro_expands_to_is_never_shown() {
    let relations = relations(
        "\n//- macros.rs\n#[macro_export]\nmacro_rules! made {\n    ($of:expr) => {\n        \
         inside($of)\n    };\n}\n//- macros.h\n#define MADE(of) \\\n    do { \\\n        \
         inside(of); \\\n    } while (0)\n",
    );
    let ranks = FileRanks::compute(&relations, &RankFocus::default());
    let found = build_repository_map(&relations, &ranks, &MapOptions::new(Tokens(1_000), o200k));
    assert!(found.text.contains("macro_rules! made {"), "{}", found.text);
    assert!(found.text.contains("#define MADE(of)"), "{}", found.text);
    assert!(!found.text.contains("inside") && !found.text.contains("$of"), "{}", found.text);
    for (_, node) in relations.indexed_nodes() {
        assert!(!node.signature.contains("inside"), "{}", node.signature);
    }
}

/// Generates a file with a few definitions, some of them long.
fn file() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        "def [a-d]{1,9}\\([a-z]{0,8}\\):".prop_map(|line| format!("{line}\n    pass\n")),
        "class [A-D][a-d]{0,9}:".prop_map(|line| format!("{line}\n    def go(self): self.run()\n")),
        "[a-d]{1,9} = [a-d]{1,9}\\(\\)\n",
        (1usize..400).prop_map(|count| format!("def long({}):\n    pass\n", "é, ".repeat(count))),
        (1usize..30).prop_map(|count| format!("def tall({}):\n    pass\n", "a,\n".repeat(count))),
        "\\PC{0,20}\n",
    ];
    proptest::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn never_over_the_budget_and_never_what_is_not_there(
        files in proptest::collection::vec(file(), 1..5),
        tokens in 1u64..400,
    ) {
        let named: HashMap<String, String> =
            files.into_iter().enumerate().map(|(at, text)| (format!("f{at}.py"), text)).collect();
        let symbols =
            named.iter().map(|(path, text)| FileSymbols::from_parsed(path, &parse_file(path, text), text));
        let relations = Relations::from_files(symbols.collect());
        let ranks = FileRanks::compute(&relations, &RankFocus::default());
        let found = build_repository_map(&relations, &ranks, &MapOptions::new(Tokens(tokens), o200k));
        prop_assert!(found.tokens <= Tokens(tokens));
        prop_assert_eq!(Tokenizer::O200k.count(&found.text), found.tokens);
        let mut text = "";
        for shown in found.text.lines() {
            if let Some((path, _)) = shown.split_once(" (") && named.contains_key(path) {
                text = &named[path];
            } else if let Some((number, line)) = shown.split_once('→')
                && let Ok(number) = number.trim().parse::<usize>()
            {
                let own = text.lines().nth(number - 1).expect("a line of the file");
                let kept = line.strip_suffix('…').unwrap_or(line);
                prop_assert!(own.starts_with(kept), "{shown:?} is not {own:?}");
            } else {
                prop_assert!(shown.trim_start().starts_with('['), "{shown:?}");
            }
        }
    }
}
