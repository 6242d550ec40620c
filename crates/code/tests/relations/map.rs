//! Maps: never over the budget, and every line is a line of the file.

use std::collections::HashMap;

use proptest::prelude::*;

use foveal_code::map::{MapOptions, map};
use foveal_code::parse;
use foveal_code::relations::{FileRanks, FileSymbols, Focus, Relations};
use foveal_context::tokens::{Tokenizer, Tokens};

use super::relations;

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
    let ranks = FileRanks::of(&relations, &Focus::default());
    let found = map(&relations, &ranks, &MapOptions::new(Tokens(tokens), Tokenizer::O200k));
    assert_eq!(found.text, expected.trim_start_matches('\n'), "<<<\n{}>>>", found.text);
    assert!(found.tokens <= Tokens(tokens));
}

#[test]
fn the_budget_decides_how_many_are_shown() {
    check(5, "");
    let whole = "
words.py (10 lines)
 1→def split_words(
 2→    text,
 3→    separator=' ',
 4→    most=None,
 5→    keep_empty=False,
 6→    lower=False,
   [7-9: 3 lines of split_words]
lines.py (13 lines)
 4→class Line:
 5→    def __init__(self, text):
 8→    def word_count(self):
12→def helper():
main.py (4 lines)
3→def main():
";
    let first = whole.find("lines.py").expect("its second file");
    let with_line = "lines.py (13 lines)\n 4→class Line:\n[1 more file]\n";
    check(80, &format!("{}{with_line}", &whole[..first]));
    check(1_000, whole);
}

/// A file with a few definitions, some of them long.
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
            named.iter().map(|(path, text)| FileSymbols::of(path, &parse(path, text), text));
        let relations = Relations::of(symbols.collect());
        let ranks = FileRanks::of(&relations, &Focus::default());
        let found = map(&relations, &ranks, &MapOptions::new(Tokens(tokens), Tokenizer::O200k));
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
